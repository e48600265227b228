/**
 * One attempt to call a webhook, and the row that logs it.
 * @rule When is the delivery of an event tried again?
 */

import type { RetryShape } from '../core/contract/events.ts';
import { parseExactJson } from '../core/json/exact-json.ts';
import { applyRequestTransform, TransformFailure } from '../core/template/apply.ts';
import { OutgoingError } from '../outgoing/error.ts';
import { chooseHeaders, POST_HEADERS, pairsOf } from '../outgoing/headers.ts';
import { type Header, headerOf, type OutgoingResponse } from '../outgoing/message.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import { type Trace, traceBelow } from '../outgoing/trace.ts';
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
  /** Request and response for the attempt's log line. Bodies are left out: they are in the tables of events. */
  readonly line?: { readonly request: object; readonly response: object };
}

export interface EventMessage {
  /** The event's id. */
  readonly id: string;
  /** JSON text that is sent, unless a transform makes another. */
  readonly body: string;
  readonly sessionVariables: Readonly<Record<string, string>> | undefined;
  /** Trace of the request that made the event; a new one unless given. */
  readonly trace?: Trace | undefined;
}

/** Version of the logged request and response. */
type LogVersion = '1' | '2';

/** Bytes of an answer that are read; more is not waited for. */
const READ_SIZE = 1024 * 1024;
/** Characters of an answer that are logged. */
const LOGGED_SIZE = 64 * 1024;
/** Maximum seconds of an attempt, for any trigger. */
const MAX_TIMEOUT = 1800;

/**
 * Calls the webhook once. Never rejects: every error is a failed attempt.
 * @param makeMessage may throw: others may have written invalid events into the queue
 */
export async function attemptCall(
  outgoing: Outgoing,
  target: Target,
  version: LogVersion,
  makeMessage: () => EventMessage,
): Promise<Attempt> {
  let request = 'null';
  let size = 0;
  const call = async () => {
    const message = makeMessage();
    request = requestText(target, message, version);
    const sent = transformed(
      target,
      message,
      pairsOf(chooseHeaders([POST_HEADERS, target.headers], { trace: traceBelow(message.trace) })),
    );
    const { body } = sent;
    size = Buffer.byteLength(body ?? '');
    const signature = target.secrets ? signatureHeaders(target.secrets, message.id, body ?? '') : [];
    return outgoing.send({
      method: sent.method,
      url: sent.url,
      headers: [...sent.headers, ...signature],
      ...(body === undefined ? {} : { body }),
      timeout: Math.min(target.retry.timeout, MAX_TIMEOUT) * 1000,
      maxSize: READ_SIZE,
      truncate: true,
    });
  };
  const attempt = await call().then(
    (answer) => answered(answer, request, version),
    (error: unknown) => unanswered(error, target, request, version),
  );
  const { urlTemplate: url, loggedHeaders } = target;
  return { ...attempt, line: { request: { url, headers: loggedHeaders, size }, response: attempt.line } };
}

/** An attempt, with the response of its log line. */
type Outcome = Omit<Attempt, 'line'> & { readonly line: object };

/** JSON text for the log of invocations. */
function requestText({ loggedHeaders }: Target, { body }: EventMessage, version: LogVersion): string {
  const headers = [...POST_HEADERS.map(({ name, value }) => ({ name, value })), ...loggedHeaders];
  return `{"payload":${body},"headers":${JSON.stringify(headers)},"version":"${version}"}`;
}

function transformed(target: Target, { body, sessionVariables }: EventMessage, headers: readonly Header[]) {
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

function answered(answer: OutgoingResponse, request: string, version: LogVersion): Outcome {
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
    line: { ...(isDelivered ? {} : { type: 'status' }), status, size: answer.body.length },
  };
}

function unanswered(error: unknown, target: Target, request: string, version: LogVersion): Outcome {
  const failed = (
    reason: { readonly type: string; readonly message?: string; readonly [key: string]: unknown },
    { isHopeless = false, failure }: Partial<Pick<Attempt, 'isHopeless' | 'failure'>> = {},
  ): Outcome => ({
    ...(failure && { failure }),
    isDelivered: false,
    isHopeless,
    status: null,
    request,
    response: JSON.stringify({ type: 'client_error', version, data: { message: JSON.stringify(reason) } }),
    line: {
      type: failure === undefined ? 'internal' : 'client',
      status: null,
      detail: reason.message ?? reason.type,
    },
  });
  if (error instanceof TransformFailure)
    return failed({ type: 'request_transform_failed', problems: error.problems }, { isHopeless: true });
  if (!(error instanceof OutgoingError)) return failed({ type: 'internal', message: 'internal error' });
  if (error.kind === 'header') return failed({ type: 'invalid_header', message: error.message });
  if (error.kind === 'invalid') return failed({ type: 'invalid_url', message: error.message });
  const isLate = error.kind === 'timeout';
  const message = isLate ? 'Response timeout' : `Connection failure: ${error.message}`;
  const sent = { url: target.urlTemplate, method: 'POST', responseTimeout: target.retry.timeout };
  return failed(
    { type: 'http_exception', message, request: sent },
    { failure: isLate ? 'timeout' : 'network' },
  );
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
