/** The result of `engine build`: a program with everything that a server needs to know about it. */

import type { GeneratedProgram } from '../../core/program/resolvers.ts';
import type { ConnectionInfo } from '../../metadata/metadata.ts';

export interface ArtefactManifest {
  /** Version of this form. */
  readonly format: 1;
  /** Version of Engine. */
  readonly engine: string;
  /** SHA-256 of the file with this very text replaced by zeros: the same input gives the same, wherever it is built. */
  readonly hash: string;
  /** Fingerprint of the database objects that the SQL uses; see `verify`. */
  readonly fingerprint: string;
  /** Statements that the database refused when this was built, as `subjectText` names them; absent: none. */
  readonly refused?: readonly string[];
  /** Roles that it was built for; absent: all of the metadata, and the administrator. */
  readonly roles?: readonly string[];
  readonly sources: readonly ArtefactSource[];
  /** Names of environment variables that the metadata takes addresses and secrets from. */
  readonly environment: readonly string[];
}

export interface ArtefactSource {
  readonly name: string;
  /** As the metadata has it; absent when its address holds a password, or is a file or written out. */
  readonly connection?: ConnectionInfo;
}

export interface Artefact {
  readonly manifest: ArtefactManifest;
  readonly program: GeneratedProgram;
}
