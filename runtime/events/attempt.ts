/** One attempt to call a webhook, and the row that logs it. */
import type { RetryShape } from '../core/events.ts';
import { parseExactJson } from '../core/json/exact-json.ts';
import { traceHeaders } from '../http/trace.ts';
import { OutgoingError } from '../outgoing/error.ts';
import { headerOf, type OutgoingResponse } from '../outgoing/message.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import { applyRequestTransform, TransformFailure } from '../transforms/apply.ts';
import { USER_AGENT } from '../version.ts';
import { signatureHeaders } from './signature.ts';
import type { Target } from './target.ts';

export interface Attempt {
  readonly isDelivered: boolean;
  /** Another attempt cannot succeed: the request could not be made. */
  readonly isHopeless: boolean;
  /** Why there is no answer. */
  readonly failure?: 'network' | 'timeout';
  /** HTTP status; null without an answer. */
  readonly status: number | null;
  /** JSON texts for the log of invocations. */
  readonly request: string;
  readonly response: string;
  /** Seconds that the receiver asked to wait. */
  readonly retryAfter?: number;
}

export interface Message {
  /** Of the event. */
  readonly id: string;
  /** JSON text that is sent, unless a transform makes another. */
  readonly body: string;
  readonly sessionVariables: Readonly<Record<string, string>> | undefined;
  /** Trace of the request that made the event. */
  readonly trace: { readonly trace_id: string; readonly span_id: string } | undefined;
  /** Of the logged request and response. */
  readonly logVersion: '1' | '2';
}

/** Bytes of an answer that are read; more is not waited for. */
const READ_SIZE = 1024 * 1024;
/** Characters of an answer that are logged. */
const LOGGED_SIZE = 64 * 1024;
/** Maximum seconds of an attempt, for any trigger. */
const MAX_TIMEOUT = 1800;

/** Headers that only this server sets; configuration cannot override them. */
const FIXED = new Set(['content-type', 'user-agent']);

/** Calls the webhook once. Never rejects: every error is a failed attempt. */
export async function attemptCall(outgoing: Outgoing, target: Target, message: Message): Promise<Attempt> {
  const headers = requestHeaders(target, message);
  const request = `{"payload":${message.body},"headers":${JSON.stringify([
    { name: 'Content-Type', value: 'application/json' },
    { name: 'User-Agent', value: USER_AGENT },
    ...target.loggedHeaders,
  ])},"version":"${message.logVersion}"}`;
  try {
    const sent = transformed(target, message, headers);
    const signature = target.secrets ? signatureHeaders(target.secrets, message.id, sent.body ?? '') : [];
    const answer = await outgoing.send({
      method: sent.method,
      url: sent.url,
      headers: [...sent.headers, ...signature],
      ...(sent.body === undefined ? {} : { body: sent.body }),
      timeout: Math.min(target.retry.timeout, MAX_TIMEOUT) * 1000,
      maxSize: READ_SIZE,
      truncate: true,
    });
    return answered(answer, request, message.logVersion);
  } catch (error) {
    return unanswered(error, target, request, message.logVersion);
  }
}

function requestHeaders({ headers }: Target, { trace }: Message) {
  return [
    ['Content-Type', 'application/json'],
    ['User-Agent', USER_AGENT],
    ...headers.filter(([name]) => !FIXED.has(name.toLowerCase())),
    ...(trace ? Object.entries(traceHeaders(spanBelow(trace))) : []),
  ] as const satisfies readonly (readonly [string, string])[];
}

/** The call as a part of the trace that the event belongs to. */
function spanBelow({ trace_id, span_id }: { readonly trace_id: string; readonly span_id: string }) {
  const spanId = Buffer.from(globalThis.crypto.getRandomValues(new Uint8Array(8))).toString('hex');
  return { traceId: trace_id, spanId, parentId: span_id };
}

function transformed(
  target: Target,
  { body, sessionVariables }: Message,
  headers: readonly (readonly [string, string])[],
) {
  const { url, transform } = target;
  if (transform === undefined) return { method: 'POST', url, headers, body };
  return applyRequestTransform(transform, {
    method: 'POST',
    url,
    headers,
    body: parseExactJson(body),
    sessionVariables,
  });
}

function answered(answer: OutgoingResponse, request: string, version: string): Attempt {
  const { status } = answer;
  const isDelivered = status >= 200 && status < 300;
  const text = answer.body.subarray(0, LOGGED_SIZE).toString().replaceAll('\u0000', '\ufffd');
  const data = isDelivered
    ? { status, headers: answer.headers.map(([name, value]) => ({ name, value })), body: text }
    : { message: text };
  const type = isDelivered ? 'webhook_response' : 'client_error';
  const retryAfter = headerOf(answer, 'retry-after')?.trim() ?? '';
  const seconds = /^[1-9]\d{0,8}$/.test(retryAfter) ? Number(retryAfter) : undefined;
  return {
    isDelivered,
    isHopeless: false,
    status,
    request,
    response: JSON.stringify({ type, version, data }),
    ...(seconds === undefined || isDelivered ? {} : { retryAfter: seconds }),
  };
}

function unanswered(error: unknown, target: Target, request: string, version: string): Attempt {
  const failed = (message: string, isHopeless = false, failure?: Attempt['failure']): Attempt => ({
    ...(failure && { failure }),
    isDelivered: false,
    isHopeless,
    status: null,
    request,
    response: JSON.stringify({ type: 'client_error', version, data: { message } }),
  });
  if (error instanceof TransformFailure) {
    return failed(JSON.stringify({ type: 'request_transform_failed', problems: error.problems }), true);
  }
  if (!(error instanceof OutgoingError))
    return failed(JSON.stringify({ type: 'internal', message: 'internal error' }));
  if (error.kind === 'invalid')
    return failed(JSON.stringify({ type: 'invalid_url', message: error.message }));
  const message = error.kind === 'timeout' ? 'Response timeout' : `Connection failure: ${error.message}`;
  const sent = { url: target.urlTemplate, method: 'POST', responseTimeout: target.retry.timeout };
  const failure = error.kind === 'timeout' ? 'timeout' : 'network';
  return failed(JSON.stringify({ type: 'http_exception', message, request: sent }), false, failure);
}

/** Seconds that a receiver may ask to wait where backoff is configured. */
const MAX_RETRY_AFTER = 24 * 3600;

/**
 * When to try again, in seconds; undefined for never. A receiver that names a time decides it, even when no retries are
 * left; with backoff the time is limited, and only retries that are left are made.
 * @param tries attempts before this one
 */
export function retryDelay(attempt: Attempt, { retry }: Target, tries: number): number | undefined {
  const { isDelivered, isHopeless, retryAfter } = attempt;
  if (isDelivered || isHopeless || !isRetried(attempt, retry.on)) return undefined;
  const { backoff, interval, retries } = retry;
  if (retryAfter !== undefined && backoff === undefined) return retryAfter;
  if (tries >= retries) return undefined;
  if (backoff === undefined) return interval;
  if (retryAfter !== undefined) return Math.min(retryAfter, MAX_RETRY_AFTER);
  const wait = Math.min(interval * backoff.factor ** tries, backoff.maximum);
  return backoff.jitter ? wait * Math.random() : wait;
}

/** @param on absent: everything is */
function isRetried({ status, failure }: Attempt, on: RetryShape['on']): boolean {
  if (on === undefined) return true;
  if (status === null) return failure !== undefined && on.includes(failure);
  const family = `${Math.floor(status / 100)}xx`;
  return on.some((each) => each === status || each === family);
}
