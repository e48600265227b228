/** Writes observations as the JSON lines described in docs/logs.md. */
import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type DestinationStream, destination, pino } from 'pino';
import type { Configuration } from '../../configuration/configuration.ts';
import type { LogType } from '../../configuration/options.ts';
import type { HttpRequestObservation, Level, Observation, Observer } from './observe.ts';
import { requestLine } from './request-lines.ts';

const UNPREPARED =
  'prepared statements of this source are lost between transactions (a pooler in transaction mode), so it is served without them';

/** Bytes of log lines that are written at once, and milliseconds that fewer wait for more. */
const WRITE_SIZE = 64 * 1024;
const COLLECTED_FOR = 100;

/** Most requests whose lines are not made yet, and milliseconds that they may wait for it. */
const MAX_HELD = 500;

const HELD_FOR = 50;

/** Maximum wait for the reader of standard output to take the last lines (ms). */
const LAST_WAIT = 1000;

export interface LogDestination extends DestinationStream {
  readonly write: (text: string | Buffer) => void;
  /** Writes what is collected. */
  readonly flush: () => Promise<void>;
  /** Writes what is collected, and the text, where nothing can be waited for. Bytes that are being written may end up between these. */
  readonly end: (text: string) => void;
}

/**
 * Lines are collected for a moment, and handed over as bytes: texts would be copied more often.
 * @param failed gets the error when they cannot be written; by default that ends the process
 */
export function standardOutput(failed: (error: Error) => void = unwritable): LogDestination {
  const stream = destination({
    fd: 1,
    sync: false,
    contentMode: 'buffer',
    minLength: WRITE_SIZE,
    maxWrite: 4 * WRITE_SIZE,
  });
  stream.on('error', failed);
  let unwritten = 0;
  stream.on('write', (size: number) => {
    unwritten -= size;
  });
  // The stream's own clock never stops, and writes nothing ten times a second: half of what an idle server did.
  let isCollecting = false;
  const collect = () => {
    if (isCollecting) return;
    isCollecting = true;
    const write = () => {
      isCollecting = false;
      if (unwritten <= 0) return;
      stream.flush();
      // What comes during a write waits for the next one.
      collect();
    };
    setTimeout(write, COLLECTED_FOR).unref();
  };
  return {
    write: (text) => {
      const bytes = typeof text === 'string' ? Buffer.from(text) : text;
      unwritten += bytes.length;
      stream.write(bytes as unknown as string);
      collect();
    },
    flush: async () => {
      const written = new Promise<void>((done) => stream.flush(() => done()));
      await Promise.race([written, delay(LAST_WAIT, undefined, { ref: false })]);
      stream.flushSync();
    },
    end: (text) => {
      try {
        stream.flushSync();
        // Not through the stream: a write that it begins now would end after the process.
        writeNow(Buffer.from(text));
      } catch (error) {
        failed(error as Error);
      }
    },
  };
}

/** Nobody reads it any more; a server that goes on would not be observed. */
function unwritable({ message }: Error): void {
  process.stderr.write(`Fatal Error:- standard output cannot be written: ${message}\n`);
  process.exit(1);
}

/** Writes to standard output before it returns, at the pace of a pipe's reader. @throws Error when the reader is gone */
function writeNow(bytes: Buffer): void {
  const idle = new Int32Array(new SharedArrayBuffer(4));
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(idle, 0, 0, 10);
    }
  }
}

/**
 * Writes log lines to `given`, standard output by default. There, lines of requests are held back for up to 50 ms and made
 * together: one at a time, between requests, each would cost several times as much.
 * @param more standard output where the process writes other lines to it, too; and the number of a worker, which is in each line
 */
export function createLogger(
  configuration: Pick<Configuration, 'enabledLogTypes' | 'logLevel' | 'enableTriggersErrorLogLevel'>,
  given?: DestinationStream,
  more: { readonly output?: LogDestination; readonly worker?: number | undefined } = {},
): Observer {
  const isWorker = more.worker !== undefined;
  // The primary process reads the lines of a worker: when it has ended, requests that run still go on to their end.
  const output = given ? undefined : (more.output ?? standardOutput(isWorker ? () => {} : unwritable));
  const worker = isWorker ? `,"worker":${more.worker}` : '';
  const stamp = () => `"timestamp":"${timestamp()}"${worker}`;
  const stream = given ?? output!;
  const logger = pino(
    {
      base: null,
      level: configuration.logLevel,
      timestamp: () => `,${stamp()}`,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
  const enabled = new Set<LogType>(configuration.enabledLogTypes);
  const writeHttp = enabled.has('http-log');
  const failedTrigger = configuration.enableTriggersErrorLogLevel ? 'error' : 'warn';
  const held: { readonly request: HttpRequestObservation; readonly stamp: string }[] = [];
  const takeHeld = () => {
    let lines = '';
    for (const { request, stamp } of held.splice(0)) lines += requestLine(request, levelOf(request), stamp);
    return lines;
  };
  const writeHeld = () => {
    if (held.length > 0) stream.write(takeHeld());
  };
  const write = (level: Level, line: object) => {
    if (!logger.isLevelEnabled(level)) return;
    // In their order. What writes no line leaves those of requests held.
    writeHeld();
    logger[level](line);
  };
  const observe = (observation: Observation) => {
    switch (observation.kind) {
      case 'http-request':
        if (!writeHttp || !logger.isLevelEnabled(levelOf(observation))) return;
        held.push({ request: observation, stamp: stamp() });
        if (given || held.length >= MAX_HELD) writeHeld();
        else if (held.length === 1) setTimeout(writeHeld, HELD_FOR).unref();
        return;
      case 'query':
        if (enabled.has('query-log')) {
          const { requestId, query, generatedSql, queryKind } = observation;
          const detail = { request_id: requestId, query, generated_sql: generatedSql, kind: queryKind };
          write('info', { type: 'query-log', detail });
        }
        return;
      case 'execution':
        if (enabled.has('execution-log')) {
          const { requestId, operationName, seconds, statements } = observation;
          const statistics = { operation_name: operationName, execution_time: seconds, statements };
          write('info', { type: 'execution-log', detail: { request_id: requestId, ...statistics } });
        }
        return;
      case 'slow-query': {
        const { requestId, query, generatedSql, seconds, threshold } = observation;
        const times = { execution_time: seconds, threshold };
        const detail = { request_id: requestId, ...times, query, generated_sql: generatedSql };
        write('warn', { type: 'slow-query', detail });
        return;
      }
      case 'startup':
        if (enabled.has('startup')) {
          write('info', { type: 'startup', detail: { kind: observation.step, info: observation.info } });
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
          write('info', { type: 'action-handler-log', detail });
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
          write('info', { type: 'validate-insert-input-log', detail });
        }
        return;
      case 'webhook':
        if (enabled.has('webhook-log')) {
          const { level, url, method, status, error, message } = observation;
          const detail = { status_code: status ?? null, url, method, http_error: error ?? null, message };
          write(level, { type: 'webhook-log', detail });
        }
        return;
      case 'event-invocation': {
        const { source, trigger, eventId, tries, isDelivered, line } = observation;
        const type = source === undefined ? 'scheduled-trigger' : 'event-trigger';
        const detail = { event_id: eventId, event_name: trigger, source, tries, ...line };
        write(isDelivered ? 'info' : failedTrigger, { type, detail });
        return;
      }
      case 'event-delivery': {
        const { level, message, source, error } = observation;
        const reason = error === undefined ? {} : { error: describe(error) };
        write(level, { type: 'event-trigger-process', detail: { message, source, ...reason } });
        return;
      }
      case 'jwk-refresh':
        if (enabled.has('jwk-refresh-log')) {
          const { level, message, error, expiry } = observation;
          write(level, { type: 'jwk-refresh-log', detail: { message, error, expiry } });
        }
        return;
      case 'websocket':
        if (enabled.has('websocket-log')) {
          const { websocketId, event: type, detail, userVariables, expiresAt } = observation;
          const token_expiry = expiresAt === undefined ? null : new Date(expiresAt).toISOString();
          write(type === 'rejected' || type === 'conn_err' ? 'error' : 'info', {
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
        const { websocketId, event: type, detail, metadata } = observation;
        const event = { type, ...(detail === undefined ? {} : { detail }) };
        write('debug', {
          type: 'ws-server',
          detail: { websocket_id: websocketId, event, ...(metadata && { metadata }) },
        });
        return;
      }
      case 'live-query-poll':
        write(observation.level, { type: 'livequery-poller-log', detail: observation.detail });
        return;
      case 'missed-signal': {
        const { source, role, statement } = observation;
        const message = 'a change was found that no signal had reported';
        write('warn', {
          type: 'livequery-poller-log',
          detail: { message, source, role, generated_sql: statement },
        });
        return;
      }
      case 'metadata':
        write(observation.level, {
          type: 'metadata',
          detail: { message: observation.message, info: observation.info },
        });
        return;
      case 'unhandled-internal-error':
        write('error', {
          type: 'unhandled-internal-error',
          detail: { request_id: observation.requestId, error: describe(observation.error) },
        });
        return;
      case 'unstructured':
        write(observation.level, { type: 'unstructured', detail: { message: observation.message } });
        return;
      case 'pool':
        if (observation.event === 'unprepared') {
          const message = UNPREPARED;
          write('warn', { type: 'unstructured', detail: { message, source: observation.source } });
        }
        return;
      // For metrics and traces.
      case 'operation':
      case 'event-fetch':
      case 'live-query-read':
      case 'remote-call':
      case 'metadata-served':
      case 'traced-operation':
        return;
    }
  };
  // However the process ends: by an error that nothing catches, too.
  if (output) process.once('exit', () => output.end(takeHeld()));
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
