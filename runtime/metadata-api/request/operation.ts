/**
 * An operation of the metadata API: one file in `operations/` defines one (or a family that differs in a word),
 * the registry lists them, and the engine runs them on a working copy.
 */

import type { Session } from '../../core/session.ts';
import type { Client } from '../../graphql/request.ts';
import type { Codec } from '../../metadata/codec.ts';
import type { Json } from '../../metadata/metadata.ts';
import type { Policy } from '../change/policy.ts';
import type { WorkingCopy } from '../change/working-copy.ts';
import type { Answer } from './answer.ts';
import type { ObjectIdentity } from './names.ts';

export interface MetadataOperation<Arguments = never> {
  /** Without prefix: `track_table`. */
  readonly name: string;
  /**
   * `prefixed`: `pg_` or `postgres_` on /v1/metadata, bare on /v1/query. `bare`: never prefixed. `either`: both on
   * /v1/metadata.
   */
  readonly spelling: 'prefixed' | 'bare' | 'either';
  /** The endpoints that know it. */
  readonly endpoints: readonly Endpoint[];
  /** One or two sentences for the reference page. */
  readonly documentation: string;
  readonly arguments: Codec<Arguments>;
  /** May the request leave `args` out. */
  readonly argumentsOptional?: true;
  /** Checked after `run`; absent = the operation accepts by itself, or changes no metadata. */
  readonly policy?: Policy;
  /** The objects that the operation changes: they must be consistent under the policy `target`. */
  readonly targets?: (args: Arguments) => readonly ObjectIdentity[];
  /** Runs alone, in the order of arrival, and stores what it changed. False for operations that only read. */
  readonly changesMetadata: boolean | ((args: Arguments) => boolean);
  /** May change the schema of a database; absent: it does not. */
  readonly changesSchema?: (args: Arguments) => boolean;
  /** `args` is a list of requests, which the request reader reads. */
  readonly isBulk?: true;
  /** Set on operations whose requests may carry `version: 2`. */
  readonly hasVersion2?: true;
  /** Open to roles other than admin; it then looks at the session itself. */
  readonly anyRole?: true;
  /** Changes `copy.metadata` and gives the answer. Paths of errors begin with `$` for the arguments. */
  readonly run: (args: Arguments, copy: WorkingCopy, request: OperationRequest) => Promise<Answer> | Answer;
}

export type Endpoint = '/v1/metadata' | '/v1/query' | '/v2/query';

/** Who sends a request. */
export interface OperationRequester {
  readonly session: Session;
  /** The HTTP request that brought it; absent if it came another way. */
  readonly client?: Client | undefined;
}

/** Facts about the request that an operation may need besides its arguments. */
interface OperationRequest extends OperationRequester {
  readonly endpoint: Endpoint;
  /** `version` of the request, if given. */
  readonly version: number | undefined;
}

export const METADATA: readonly Endpoint[] = ['/v1/metadata'];
export const METADATA_AND_LEGACY: readonly Endpoint[] = ['/v1/metadata', '/v1/query'];

/** Answer of most operations that change something. */
export const SUCCESS: Json = { message: 'success' };

/** Keeps the type of the arguments between schema, effect and targets; the registry forgets it. */
export function operation<Arguments>(definition: MetadataOperation<Arguments>): MetadataOperation {
  return definition as unknown as MetadataOperation;
}
