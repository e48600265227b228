/** One request and its answer on a pool: place in the bulkhead, deadline, size limit. */
import type { Dispatcher, Pool } from 'undici';
import { guarded } from '../core/guarded.ts';
import { readHeaderText } from '../core/header-text.ts';
import { MAX_TIMER } from '../core/max-timer.ts';
import type { Bulkhead } from './bulkhead.ts';
import { OutgoingError, toOutgoingError } from './error.ts';
import type { Header, OutgoingResponse } from './message.ts';

export interface ExchangeLimits {
  /** By `performance.now()`. */
  readonly deadline: number;
  /** Bytes. */
  readonly maxSize: number;
  /** A longer answer is cut instead of a failure. */
  readonly truncate: boolean;
  readonly signal: AbortSignal | undefined;
}

/** @throws OutgoingError when there is no answer */
export function exchange(
  pool: Pool,
  bulkhead: Bulkhead,
  request: Dispatcher.DispatchOptions,
  { deadline, maxSize, truncate, signal }: ExchangeLimits,
): Promise<OutgoingResponse> {
  return new Promise((resolve, reject) => {
    let settled = false;
    let giveUpWaiting = () => {};
    /** Ends the exchange on the connection, once it has one. */
    let abort: ((reason: OutgoingError) => void) | undefined;
    let failure: OutgoingError | undefined;

    const settle = () => {
      settled = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    };
    const fail = (error: OutgoingError) => {
      if (settled) return;
      failure = error;
      settle();
      giveUpWaiting();
      reject(error);
      abort?.(error);
    };
    const cut = (response: OutgoingResponse) => {
      if (settled) return;
      settle();
      resolve(response);
      // The place is left when the connection has ended.
      abort?.(new OutgoingError('too-large', 'the rest of the answer is not read'));
    };
    const cancel = guarded(() => fail(new OutgoingError('cancelled', 'the call was cancelled')), reject);
    const timer = setTimeout(
      () => fail(new OutgoingError('timeout', 'no complete answer in time')),
      Math.min(Math.max(0, deadline - performance.now()), MAX_TIMER),
    );

    const answer = collect(maxSize, truncate ? cut : undefined, fail, (response) => {
      bulkhead.leave();
      if (settled) return;
      settle();
      resolve(response);
    });
    const handler = {
      onConnect: (abortConnection: (reason: Error) => void) => {
        // The caller is gone; the place was kept until now because connecting cannot be cancelled.
        if (failure) abortConnection(failure);
        else abort = abortConnection;
      },
      ...answer.handler,
      onError: (error: Error) => {
        bulkhead.leave();
        fail(toOutgoingError(error, answer.hasBegun()));
      },
    };
    if (signal?.aborted) return cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      giveUpWaiting = bulkhead.enter(() => pool.dispatch(request, handler));
    } catch (error) {
      fail(toOutgoingError(error));
    }
  });
}

/** Puts the answer together. One of more than `maxSize` bytes fails, or goes to `cut` with its first ones. */
function collect(
  maxSize: number,
  cut: ((response: OutgoingResponse) => void) | undefined,
  fail: (error: OutgoingError) => void,
  complete: (response: OutgoingResponse) => void,
) {
  let status = 0;
  let headers: readonly Header[] = [];
  let size = 0;
  const chunks: Buffer[] = [];
  const tooLarge = () => {
    if (cut === undefined)
      return fail(new OutgoingError('too-large', `the answer has more than ${maxSize} bytes`));
    cut({ status, headers, body: Buffer.concat(chunks).subarray(0, maxSize), truncated: true });
  };
  const handler = {
    onHeaders: (statusCode: number, raw: readonly Buffer[]) => {
      // Interim answers, such as 103, come before the one that counts.
      if (statusCode < 200) return true;
      status = statusCode;
      headers = readHeaders(raw);
      const length = headers.find(([name]) => name.toLowerCase() === 'content-length')?.[1];
      if (cut === undefined && Number(length) > maxSize) tooLarge();
      return true;
    },
    onData: (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxSize || cut !== undefined) chunks.push(chunk);
      if (size > maxSize) tooLarge();
      return true;
    },
    onComplete: () =>
      complete({ status, headers, body: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) }),
  };
  return { handler, hasBegun: () => status > 0 };
}

function readHeaders(raw: readonly Buffer[]): readonly Header[] {
  const headers: Header[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    headers.push([raw[index]!.toString('latin1'), readHeaderText(raw[index + 1]!.toString('latin1'))]);
  }
  return headers;
}
