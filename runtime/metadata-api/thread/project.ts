/**
 * Serves the metadata of files while they are edited: the thread takes them over when it is told, and keeps in them what requests
 * of the metadata API change. What reads and writes the files is of the compiler's side, and is loaded on demand.
 */
import type { Diagnostic } from '../../core/diagnostics/diagnostic.ts';
import { EngineError } from '../../core/errors.ts';
import { jsonText } from '../../core/types.ts';
import { isUnset } from '../../database/connection-url.ts';
import type { SourceConnection } from '../../database/source.ts';
import { exportMetadata } from '../../metadata/export-metadata.ts';
import type { Metadata } from '../../metadata/metadata.ts';
import type { MetadataEngine } from '../change/engine.ts';
import type { Compilation } from '../change/state.ts';
import type { ThreadData } from './thread-messages.ts';

export interface ProjectData {
  /** Address of a module that exports `openFiles`. */
  readonly module: string;
  /** What it gets. */
  readonly options: object;
}

export interface ProjectFiles {
  /** Reads the files. Never throws: what cannot be read is a diagnostic. */
  readonly read: () => ReadFiles;
  /** Writes a change. @throws EngineError where the files do not have the form in which they could be written */
  readonly write: (before: Metadata, after: Metadata) => void;
  /** Writes what is made of the compiled program. @throws Error whose message says why it cannot */
  readonly served: (compilation: Compilation) => Promise<void>;
}

interface ReadFiles {
  readonly metadata: Metadata;
  /** What is wrong with the files themselves. */
  readonly unread: readonly Diagnostic[];
  /** Diagnostics as a terminal shows them. */
  readonly describe: (diagnostics: readonly Diagnostic[]) => readonly ProjectProblem[];
}

export interface ProjectProblem {
  readonly severity: Diagnostic['severity'];
  /** Code, object and place. */
  readonly head: string;
  /** What is wrong and what to do; lines. */
  readonly text: string;
}

export interface ProjectReport {
  /** False: the files cannot be read, or a database refused what they say; what was served stays. */
  readonly isServed: boolean;
  readonly problems: readonly ProjectProblem[];
  /** Sources whose address is a variable that is not set. */
  readonly unset: readonly string[];
}

/** The project as the thread follows it. */
export interface FollowedProject {
  /** Errors of the files that were taken over. */
  readonly unread: readonly Diagnostic[];
  readonly keep: (before: Metadata, after: Metadata) => void;
  /** Serves the files as they are now. At first what can be read, later nothing that could not be read as a whole. */
  readonly take: (
    engine: Pick<MetadataEngine<SourceConnection>, 'state' | 'replace'>,
    changed: readonly string[],
  ) => Promise<ProjectReport>;
}

export async function openProject(
  { module, options }: ProjectData,
  environment: ThreadData['environment'],
): Promise<FollowedProject> {
  const { openFiles } = (await import(module)) as { openFiles: (options: object) => ProjectFiles };
  const files = openFiles(options);
  let unread: readonly Diagnostic[] = [];
  let isTaken = false;
  // At the start it may be what was stored, and later what a request changed.
  let mayBeServed = true;
  return {
    get unread() {
      return unread;
    },
    keep: (before, after) => {
      files.write(before, after);
      mayBeServed = true;
    },
    take: async (engine, changed) => {
      const { metadata, unread: found, describe } = files.read();
      const unset = metadata.sources
        .filter(({ configuration }) => isUnset(configuration.connection_info.database_url, environment))
        .map(({ name }) => name);
      if (isTaken && found.some(({ severity }) => severity === 'error'))
        return { isServed: false, problems: describe(found), unset };
      const isServed =
        mayBeServed &&
        found.length + changed.length === 0 &&
        textOf(metadata) === textOf(engine.state.metadata);
      unread = found;
      isTaken = true;
      mayBeServed = false;
      try {
        const { compilation } = isServed ? engine.state : await engine.replace(metadata, changed);
        const problems = describe([...found, ...compilation.diagnostics]);
        const unwritten = await files.served(compilation).then(
          () => [],
          (error: Error) => [problem('output', error.message)],
        );
        return { isServed: true, problems: [...problems, ...unwritten], unset };
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        const problems = [...describe(found), problem(error.code, error.message)];
        return { isServed: false, problems, unset };
      }
    },
  };
}

function problem(head: string, message: string): ProjectProblem {
  return { severity: 'error', head, text: `  ${message}` };
}

function textOf(metadata: Metadata): string {
  return jsonText(exportMetadata(metadata, 'store'));
}
