/** The parts of a request that authentication reads, independent of the transport. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Session } from '../core/session.ts';
import type { Trace } from '../outgoing/trace.ts';

export interface Incoming {
  /** By lower-case name; what was sent twice is joined, as Node does. */
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
  readonly requestId: string;
  /** Services that are asked continue it. */
  readonly trace: Trace;
  /** The GraphQL request or batch, for a webhook that wants to see it; undefined for other requests. */
  readonly body: unknown;
  /** The session is for a socket, and is not asked for again; that of a request ends with its answer. */
  readonly isKept: boolean;
  /** Takes cookies that the answer shall carry. */
  readonly setCookies: (cookies: readonly string[]) => void;
}

/** Makes the session of a request. @throws EngineError access-denied (401) and the like */
export type Authenticate = (incoming: Incoming) => Session | Promise<Session>;
