/**
 * The last errors that operators should know of, in memory: equal ones are one entry with a count. Of requests there are codes
 * and routes only, because messages and addresses may hold values of the request, and every value would be another entry.
 * @rule Which errors does the console list, and which parts of them?
 */
import type { LastError } from '../../console/operator-questions.ts';
import type { ErrorCode } from '../../core/errors.ts';
import type { Level, Observation } from './observe.ts';

export interface LastErrors {
  readonly observe: (observation: Observation) => void;
  /** The newest first. */
  readonly list: () => readonly LastError[];
}

/** Maximum number of entries. */
const LIMIT = 50;
/** Maximum characters of a text. */
const LENGTH = 300;

/** Errors of the server or of what it depends on. All others are mistakes of clients, who could displace these. */
const FAULTS: ReadonlySet<string> = new Set<ErrorCode>([
  'connection-not-established',
  'overloaded',
  'postgres-error',
  'postgres-max-connections-error',
  'remote-schema-error',
  'timeout',
  'unexpected',
]);

type Fault = Pick<LastError, 'kind' | 'subject' | 'message'>;

export function createLastErrors(now = () => new Date()): LastErrors {
  const entries = new Map<string, LastError>();
  return {
    observe: (observation) => {
      const fault = faultOf(observation);
      if (!fault) return;
      const key = JSON.stringify(fault);
      const known = entries.get(key);
      const time = now().toISOString();
      entries.delete(key);
      entries.set(key, { ...fault, count: (known?.count ?? 0) + 1, first: known?.first ?? time, last: time });
      if (entries.size > LIMIT) entries.delete(entries.keys().next().value!);
    },
    list: () => [...entries.values()].reverse(),
  };
}

function faultOf(observation: Observation): Fault | undefined {
  const fault = describe(observation);
  return (
    fault && { ...fault, subject: fault.subject.slice(0, LENGTH), message: fault.message.slice(0, LENGTH) }
  );
}

function describe(observation: Observation): Fault | undefined {
  switch (observation.kind) {
    case 'http-request': {
      const { error, status, method, url, route, query } = observation;
      if (!error || (status < 500 && !FAULTS.has(error.code))) return undefined;
      const [path = ''] = url.split('?');
      const subject = [method, route ?? path, query?.operationName ?? query?.type].filter(Boolean).join(' ');
      return { kind: 'request', subject, message: `${error.code} at ${error.path}` };
    }
    case 'websocket': {
      const { error } = observation;
      if (!error || !FAULTS.has(error.code)) return undefined;
      return { kind: 'request', subject: 'WebSocket', message: `${error.code} at ${error.path}` };
    }
    case 'event-invocation':
      if (observation.isDelivered) return undefined;
      return {
        kind: 'event',
        subject: observation.trigger ?? 'one-off event',
        message: answered(observation.status),
      };
    case 'action':
      return ofCall('action', observation.action, observation.status);
    case 'remote-call':
      return ofCall('remote schema', observation.remote, observation.status);
    case 'validate-input':
      return ofCall('input validation', observation.rule, observation.status);
    case 'webhook':
      return isSerious(observation.level)
        ? {
            kind: 'authentication',
            subject: observation.url,
            message: observation.error ?? observation.message ?? answered(observation.status),
          }
        : undefined;
    case 'jwk-refresh':
      return ofMessage('authentication', 'keys', observation);
    case 'event-delivery':
      return ofMessage('event', observation.source ?? '', observation);
    case 'metadata':
      return ofMessage('metadata', '', observation);
    case 'unstructured':
      return ofMessage('server', '', observation);
    case 'unhandled-internal-error':
      return { kind: 'server', subject: '', message: messageOf(observation.error) };
    default:
      return undefined;
  }
}

function ofMessage(
  kind: string,
  subject: string,
  { level, message }: { readonly level: Level; readonly message: string },
): Fault | undefined {
  return isSerious(level) ? { kind, subject, message } : undefined;
}

/** An answer that reports a mistake of the request (4xx) is not an error of the server. */
function ofCall(kind: string, subject: string, status: number | undefined): Fault | undefined {
  return status !== undefined && status < 500 ? undefined : { kind, subject, message: answered(status) };
}

function answered(status: number | null | undefined): string {
  return status === null || status === undefined ? 'no answer' : `answered with status ${status}`;
}

function isSerious(level: Level): boolean {
  return level === 'warn' || level === 'error';
}

/** The message; the code where it is an error of a database, whose messages may hold values. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return 'something was thrown that is no error';
  return 'code' in error ? `${error.name} ${String(error.code)}` : error.message;
}
