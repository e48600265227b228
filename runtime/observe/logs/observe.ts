/**
 * Everything worth reporting, as one union; what to do with it is the observer's business (`logger.ts` writes lines,
 * `metrics.ts` counts). Values given here never hold secrets, connection strings or session headers' credentials.
 */

import type { PoolEvent } from '../../database/connections.ts';
import type { ReadReport } from '../../live/poller-log.ts';
import type { FinishedCall } from '../../outgoing/actions/call.ts';
import type { FinishedRemoteCall } from '../../outgoing/remote/call.ts';
import type { Trace } from '../../outgoing/trace.ts';
import type { FinishedValidation } from '../../outgoing/validation/validator.ts';

export type Level = 'debug' | 'info' | 'warn' | 'error';

export interface LoggedError {
  readonly path: string;
  readonly error: string;
  readonly code: string;
  readonly internal?: unknown;
}

/** An operation as logs show it; masked variables have no values. */
export interface LoggedQuery {
  readonly operationName?: string;
  readonly query?: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  /** Requests to the metadata API only. */
  readonly type?: string;
  readonly args?: unknown;
}

/** One answered request. Times in seconds, sizes in bytes. */
export interface HttpRequestObservation {
  readonly kind: 'http-request';
  readonly requestId: string;
  readonly status: number;
  readonly method: string;
  readonly ip: string;
  readonly url: string;
  readonly httpVersion: string;
  readonly contentEncoding?: string | undefined;
  /** Session variables; absent when the request was not authenticated. */
  readonly userVariables?: Readonly<Record<string, string>> | undefined;
  readonly mode: 'single' | 'batched' | 'non-graphql' | 'error';
  readonly requestSize: number;
  readonly responseSize: number;
  readonly uncompressedResponseSize: number;
  /** Until the whole request was there. */
  readonly readTime?: number | undefined;
  readonly executionTime: number;
  readonly query?: LoggedQuery | undefined;
  /** The text of the query of an unauthenticated request. */
  readonly rawQuery?: string | undefined;
  readonly trace: Trace;
  readonly error?: LoggedError | undefined;
  /** Of errors: the path with names in place of values, `/api/rest/tickets/:id`. */
  readonly route?: string | undefined;
}

/** A GraphQL operation was answered or failed; for metrics. */
export interface OperationObservation {
  readonly kind: 'operation';
  /** `unknown`: it failed before it was planned. */
  readonly operationType: 'query' | 'mutation' | 'subscription' | 'unknown';
  readonly succeeded: boolean;
  /** Of a query whose answer may be kept: whether it was. */
  readonly cache?: 'hit' | 'miss' | undefined;
  readonly seconds: number;
  readonly operationName: string | undefined;
  /** The document; absent where a saved operation was named. */
  readonly text: string | undefined;
  /** The saved operation that was named. */
  readonly saved: { readonly collection: string; readonly name: string } | undefined;
}

/** Role of a server of a source. */
export type ServerRole = 'primary' | 'replica';

/**
 * A connection to a source was opened or could not be, or an operation waited for one: for metrics. `unprepared`: a pooler
 * was found to lose prepared statements, so the source does without them.
 */
export interface PoolObservation {
  readonly kind: 'pool';
  readonly source: string;
  /** Without credentials. */
  readonly address: string;
  readonly role: ServerRole;
  readonly event: PoolEvent;
  readonly seconds: number;
}

/** A webhook was called for an event, or its call failed. */
export interface EventInvocationObservation {
  readonly kind: 'event-invocation';
  /** Absent for cron and one-off events. */
  readonly source?: string;
  /** Absent for one-off events. */
  readonly trigger?: string;
  readonly eventId: string;
  /** Attempts so far. */
  readonly tries: number;
  /** Null without an answer. */
  readonly status: number | null;
  readonly isDelivered: boolean;
  /** It is delivered, or is not tried again. */
  readonly isLast: boolean;
  /** Seconds from when it was due until the call; absent for cron and one-off events. */
  readonly waited?: number;
  /** Seconds that the call took. */
  readonly seconds: number;
  /** Trace of the request that made the event. */
  readonly trace?: Trace | undefined;
  /** The request and its outcome, without bodies. */
  readonly line?: { readonly request: object; readonly response: object } | undefined;
}

/** A source's queue of events was looked at; for metrics. */
export interface EventFetchObservation {
  readonly kind: 'event-fetch';
  readonly source: string;
  readonly seconds: number;
  /** Events that were taken. */
  readonly fetched: number;
  readonly succeeded: boolean;
}

/** A statement of a traced operation. */
export interface TracedStatement {
  readonly source: string;
  /** Without values. */
  readonly text: string;
  readonly seconds: number;
  /** Milliseconds since 1970. */
  readonly ended: number;
}

/** An operation of a traced request has ended. */
interface TracedOperationObservation {
  readonly kind: 'traced-operation';
  readonly trace: Trace;
  readonly operationName: string | undefined;
  readonly seconds: number;
  readonly statements: readonly TracedStatement[];
  /** Code of its error. */
  readonly failure: string | undefined;
}

/** Another program is served; for metrics. */
export interface MetadataServedObservation {
  readonly kind: 'metadata-served';
  readonly resourceVersion: number;
  /** Number of inconsistent objects. */
  readonly inconsistent: number;
}

/** A socket opened, closed or did something. */
export interface WebsocketObservation {
  readonly kind: 'websocket';
  readonly websocketId: string;
  readonly event: 'accepted' | 'rejected' | 'conn_err' | 'operation' | 'closed';
  readonly detail?: unknown;
  /** Of an operation that failed. */
  readonly error?: { readonly code: string; readonly path: string } | undefined;
  readonly userVariables?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
}

export type Observation =
  | { readonly kind: 'startup'; readonly step: string; readonly info: unknown }
  | HttpRequestObservation
  /** A GraphQL operation ran, or failed. `generatedSql` by source; null where none ran. */
  | {
      readonly kind: 'query';
      readonly requestId: string;
      readonly query: LoggedQuery;
      readonly generatedSql: unknown;
      readonly queryKind: 'database' | 'introspection';
    }
  | {
      readonly kind: 'execution';
      readonly requestId: string;
      readonly operationName: string | undefined;
      readonly seconds: number;
      readonly statements: readonly { readonly source: string; readonly execution_time: number }[];
    }
  /** An operation took longer than the configured threshold. Times in seconds. */
  | {
      readonly kind: 'slow-query';
      readonly requestId: string;
      readonly query: LoggedQuery;
      readonly generatedSql: unknown;
      readonly seconds: number;
      readonly threshold: number;
    }
  | OperationObservation
  | PoolObservation
  | EventInvocationObservation
  | EventFetchObservation
  /** Something about the delivery of events as a whole: a trigger that waits, a database that does not answer. */
  | {
      readonly kind: 'event-delivery';
      readonly level: Level;
      readonly message: string;
      readonly source?: string;
      readonly error?: unknown;
    }
  /** The authentication webhook was asked. */
  | {
      readonly kind: 'webhook';
      readonly level: Level;
      /** Without its query. */
      readonly url: string;
      readonly method: string;
      readonly status?: number;
      /** Why there was no answer. */
      readonly error?: string;
      /** The problem of the answer. */
      readonly message?: string;
    }
  /** The handler of an action was called. */
  | FinishedCall
  /** A webhook was asked about the input of a mutation. */
  | FinishedValidation
  /** Keys behind a `jwk_url` were fetched, or could not be. */
  | {
      readonly kind: 'jwk-refresh';
      readonly level: Level;
      readonly message: string;
      readonly error?: string;
      /** When they are fetched again. */
      readonly expiry?: Date;
    }
  | WebsocketObservation
  /** The traffic of a socket. */
  | {
      readonly kind: 'ws-server';
      readonly websocketId: string;
      readonly event: string;
      readonly detail?: unknown;
      /** Sent messages only: the operation they belong to. */
      readonly metadata?: object | undefined;
    }
  /** A live query had changed, and nothing had told: what is recorded of writes is not complete. */
  | {
      readonly kind: 'missed-signal';
      readonly source: string;
      readonly role: string;
      readonly statement: string;
    }
  /** A live query was read, for metrics. */
  | { readonly kind: 'live-query-read'; readonly read: ReadReport }
  /** A remote schema was called; for metrics. */
  | FinishedRemoteCall
  | MetadataServedObservation
  | TracedOperationObservation
  /** A live query was read; `detail` as it is logged. */
  | { readonly kind: 'live-query-poll'; readonly level: Level; readonly detail: object }
  /** Inconsistent objects, changes by other instances, failed reloads. */
  | { readonly kind: 'metadata'; readonly level: Level; readonly message: string; readonly info?: unknown }
  /** A defect: something was thrown that is no error for clients. */
  | {
      readonly kind: 'unhandled-internal-error';
      readonly requestId?: string | undefined;
      readonly error: unknown;
    }
  /** Whatever has no shape of its own. */
  | { readonly kind: 'unstructured'; readonly level: Level; readonly message: string };

export interface Observer {
  (observation: Observation): void;
  /** Writes what is still held back; to be awaited before the process ends. */
  readonly flush: () => Promise<void>;
}
