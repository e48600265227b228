/**
 * Everything worth reporting, as one union; what to do with it is the observer's business. The logger writes the JSON
 * lines described in docs/logs.md. Values given here never hold secrets, connection strings or session headers'
 * credentials.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type DestinationStream, destination, pino } from 'pino';
import type { FinishedCall } from './actions/call.ts';
import type { Configuration, LogType } from './configuration.ts';
import type { PoolEvent } from './database/connections.ts';
import type { Trace } from './http/trace.ts';
import { requestLine } from './request-lines.ts';
import type { FinishedValidation } from './validation/validator.ts';

type Level = 'debug' | 'info' | 'warn' | 'error';

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
  /** Of a request to the metadata API. */
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
}

/** A GraphQL operation was answered or failed; for metrics. */
export interface OperationObservation {
  readonly kind: 'operation';
  /** `unknown`: it failed before it was planned. */
  readonly operationType: 'query' | 'mutation' | 'subscription' | 'unknown';
  readonly succeeded: boolean;
  readonly seconds: number;
  readonly operationName: string | undefined;
  /** The document; absent where a saved operation was named. */
  readonly text: string | undefined;
}

/** A socket opened, closed or did something. */
export interface WebsocketObservation {
  readonly kind: 'websocket';
  readonly websocketId: string;
  readonly event: 'accepted' | 'rejected' | 'conn_err' | 'operation' | 'closed';
  readonly detail?: unknown;
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
  /**
   * A connection to a source was opened or could not be, or an operation waited for one: for metrics. `unprepared`: a pooler
   * was found to lose prepared statements, so the source does without them.
   */
  | {
      readonly kind: 'pool';
      readonly source: string;
      /** Without credentials. */
      readonly address: string;
      readonly event: PoolEvent;
      readonly seconds: number;
    }
  /** A webhook was called for an event, or its call failed. */
  | {
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
    }
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
  | ({ readonly kind: 'action' } & FinishedCall)
  /** A webhook was asked about the input of a mutation. */
  | ({ readonly kind: 'validate-input' } & FinishedValidation)
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
    }
  /** A live query had changed, and nothing had told: what is recorded of writes is not complete. */
  | {
      readonly kind: 'missed-signal';
      readonly source: string;
      readonly role: string;
      readonly statement: string;
    }
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

/** Observations that write no line at once: those before them may wait. */
const UNLOGGED: ReadonlySet<Observation['kind']> = new Set(['http-request', 'operation', 'pool']);

const UNPREPARED =
  'prepared statements of this source are lost between transactions (a pooler in transaction mode), so it is served without them';

/** Bytes of log lines that are written at once. */
const WRITE_SIZE = 64 * 1024;

/** Most requests whose lines are not made yet, and milliseconds that they may wait for it. */
const MAX_HELD = 500;
const HELD_FOR = 50;

/** Maximum wait for the reader of standard output to take the last lines (ms). */
const LAST_WAIT = 1000;

interface LogDestination extends DestinationStream {
  /** Writes what is collected. */
  readonly flush: () => Promise<void>;
  /** As `flush`, where nothing can be waited for. Bytes that are being written may end up between these. */
  readonly flushSync: () => void;
}

/** Lines are collected for up to 100 ms, and handed over as bytes: texts would be copied more often. */
function standardOutput(): LogDestination {
  const stream = destination({
    fd: 1,
    sync: false,
    contentMode: 'buffer',
    minLength: WRITE_SIZE,
    maxWrite: 4 * WRITE_SIZE,
    periodicFlush: 100,
  });
  return {
    write: (text) => stream.write(Buffer.from(text) as unknown as string),
    flush: async () => {
      const written = new Promise<void>((done) => stream.flush(() => done()));
      await Promise.race([written, delay(LAST_WAIT, undefined, { ref: false })]);
      stream.flushSync();
    },
    flushSync: () => stream.flushSync(),
  };
}

/**
 * Writes log lines to `given`, standard output by default. There, lines of requests are held back for up to 50 ms and made
 * together: one at a time, between requests, each would cost several times as much.
 */
export function createLogger(
  configuration: Pick<Configuration, 'enabledLogTypes' | 'logLevel'>,
  given?: DestinationStream,
): Observer {
  const output = given ? undefined : standardOutput();
  const stream = given ?? output!;
  const logger = pino(
    {
      base: null,
      level: configuration.logLevel,
      timestamp: () => `,"timestamp":"${timestamp()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
  const enabled = new Set<LogType>(configuration.enabledLogTypes);
  const writeHttp = enabled.has('http-log');
  const held: { readonly request: HttpRequestObservation; readonly at: string }[] = [];
  const writeHeld = () => {
    if (held.length === 0) return;
    let lines = '';
    for (const { request, at } of held.splice(0)) lines += requestLine(request, levelOf(request), at);
    stream.write(lines);
  };
  const observe = (observation: Observation) => {
    if (!UNLOGGED.has(observation.kind)) writeHeld();
    switch (observation.kind) {
      case 'http-request':
        if (!writeHttp || !logger.isLevelEnabled(levelOf(observation))) return;
        held.push({ request: observation, at: timestamp() });
        if (given || held.length >= MAX_HELD) writeHeld();
        else if (held.length === 1) setTimeout(writeHeld, HELD_FOR).unref();
        return;
      case 'query':
        if (enabled.has('query-log')) {
          const { requestId, query, generatedSql, queryKind } = observation;
          const detail = { request_id: requestId, query, generated_sql: generatedSql, kind: queryKind };
          logger.info({ type: 'query-log', detail });
        }
        return;
      case 'execution':
        if (enabled.has('execution-log')) {
          const { requestId, operationName, seconds, statements } = observation;
          const statistics = { operation_name: operationName, execution_time: seconds, statements };
          logger.info({ type: 'execution-log', detail: { request_id: requestId, ...statistics } });
        }
        return;
      case 'slow-query': {
        const { requestId, query, generatedSql, seconds, threshold } = observation;
        const times = { execution_time: seconds, threshold };
        const detail = { request_id: requestId, ...times, query, generated_sql: generatedSql };
        logger.warn({ type: 'slow-query', detail });
        return;
      }
      case 'startup':
        if (enabled.has('startup')) {
          logger.info({ type: 'startup', detail: { kind: observation.step, info: observation.info } });
        }
        return;
      case 'action':
        if (enabled.has('action-handler-log')) {
          const { action, actionKind, url, requestSize, responseSize, status, seconds, requestId } =
            observation;
          const detail = {
            request_id: requestId ?? null,
            action_name: action,
            action_type: actionKind,
            request: { url },
            request_size: requestSize,
            response_size: responseSize,
            status_code: status ?? null,
            execution_time: seconds,
          };
          logger.info({ type: 'action-handler-log', detail });
        }
        return;
      case 'validate-input':
        if (enabled.has('validate-insert-input-log')) {
          const { rule, url, requestSize, responseSize, status, seconds, requestId } = observation;
          const detail = {
            request_id: requestId ?? null,
            permission: rule,
            request: { url },
            request_size: requestSize,
            response_size: responseSize,
            status_code: status ?? null,
            execution_time: seconds,
          };
          logger.info({ type: 'validate-insert-input-log', detail });
        }
        return;
      case 'webhook':
        if (enabled.has('webhook-log')) {
          const { level, url, method, status, error, message } = observation;
          const detail = { status_code: status ?? null, url, method, http_error: error ?? null, message };
          logger[level]({ type: 'webhook-log', detail });
        }
        return;
      case 'event-invocation': {
        const { source, trigger, eventId, tries, status, isDelivered } = observation;
        const type = source === undefined ? 'scheduled-trigger' : 'event-trigger';
        const detail = { event_id: eventId, event_name: trigger, source, tries, response: { status } };
        logger[isDelivered ? 'info' : 'warn']({ type, detail });
        return;
      }
      case 'event-delivery': {
        const { level, message, source, error } = observation;
        const reason = error === undefined ? {} : { error: describe(error) };
        logger[level]({ type: 'event-trigger-process', detail: { message, source, ...reason } });
        return;
      }
      case 'jwk-refresh':
        if (enabled.has('jwk-refresh-log')) {
          const { level, message, error, expiry } = observation;
          logger[level]({ type: 'jwk-refresh-log', detail: { message, error, expiry } });
        }
        return;
      case 'websocket':
        if (enabled.has('websocket-log')) {
          const { websocketId, event: type, detail, userVariables, expiresAt } = observation;
          const token_expiry = expiresAt === undefined ? null : new Date(expiresAt).toISOString();
          logger[type === 'rejected' || type === 'conn_err' ? 'error' : 'info']({
            type: 'websocket-log',
            detail: {
              event: { type, ...(detail === undefined ? {} : { detail }) },
              connection_info: { websocket_id: websocketId, token_expiry, msg: null },
              ...(userVariables && { user_vars: userVariables }),
            },
          });
        }
        return;
      case 'ws-server': {
        const { websocketId, event: type, detail } = observation;
        const event = { type, ...(detail === undefined ? {} : { detail }) };
        logger.debug({ type: 'ws-server', detail: { websocket_id: websocketId, event } });
        return;
      }
      case 'live-query-poll':
        logger[observation.level]({ type: 'livequery-poller-log', detail: observation.detail });
        return;
      case 'missed-signal': {
        const { source, role, statement } = observation;
        const message = 'a change was found that no signal had reported';
        logger.warn({
          type: 'livequery-poller-log',
          detail: { message, source, role, generated_sql: statement },
        });
        return;
      }
      case 'metadata':
        logger[observation.level]({
          type: 'metadata',
          detail: { message: observation.message, info: observation.info },
        });
        return;
      case 'unhandled-internal-error':
        logger.error({
          type: 'unhandled-internal-error',
          detail: { request_id: observation.requestId, error: describe(observation.error) },
        });
        return;
      case 'unstructured':
        logger[observation.level]({ type: 'unstructured', detail: { message: observation.message } });
        return;
      case 'pool':
        if (observation.event === 'unprepared') {
          const message = UNPREPARED;
          logger.warn({ type: 'unstructured', detail: { message, source: observation.source } });
        }
        return;
      case 'operation':
        return;
    }
  };
  // However the process ends: by an error that nothing catches, too.
  if (output)
    process.once('exit', () => {
      writeHeld();
      output?.flushSync();
    });
  const flush = async () => {
    writeHeld();
    await output?.flush();
  };
  return Object.assign(observe, { flush });
}

function levelOf(request: HttpRequestObservation): Level {
  return request.error ? 'error' : 'info';
}

let lastMoment = 0;
let lastTimestamp = '';

/** Now, as `2024-05-01T10:00:00.123+0000`; written once a millisecond. */
function timestamp(): string {
  const now = Date.now();
  if (now !== lastMoment) {
    lastMoment = now;
    lastTimestamp = `${new Date(now).toISOString().slice(0, -1)}+0000`;
  }
  return lastTimestamp;
}

/** An error's own words and place, with those of its causes; no other properties, which may hold anything. */
function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  return {
    message: error.message,
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: describe(error.cause) }),
  };
}
