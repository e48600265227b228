/** One request and its answer on a pool: place in the bulkhead, deadline, size limit. */
import type { Dispatcher, Pool } from 'undici';
import { guarded } from '../core/guarded.ts';
import { readHeaderText } from '../core/header-text.ts';
import { MAX_TIMER } from '../core/max-timer.ts';
import type { Bulkhead } from './bulkhead.ts';
import { OutgoingError, toOutgoingError } from './error.ts';
import type { Header, OutgoingResponse, WhenUnwanted } from './message.ts';

export interface ExchangeLimits {
  /** By `performance.now()`. */
  readonly deadline: number;
  /** Bytes. */
  readonly maxSize: number;
  /** A longer answer is cut instead of a failure. */
  readonly truncate: boolean;
  readonly whenUnwanted: WhenUnwanted | undefined;
}

/** @throws OutgoingError when there is no answer */
export function exchange(
  pool: Pool,
  bulkhead: Bulkhead,
  request: Dispatcher.DispatchOptions,
  limits: ExchangeLimits,
): Promise<OutgoingResponse> {
  return new Promise((resolve, reject) => {
    new Exchange(bulkhead, limits, resolve, reject).begin(pool, request);
  });
}

/** A class, not closures: there is one for each call, and what undici calls is found in its prototype. */
class Exchange implements Dispatcher.DispatchHandlers {
  readonly #bulkhead: Bulkhead;
  readonly #limits: ExchangeLimits;
  readonly #resolve: (response: OutgoingResponse) => void;
  readonly #reject: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #isSettled = false;
  #failure: OutgoingError | undefined;
  #giveUpWaiting: (() => void) | undefined;
  #forget: (() => void) | undefined;
  /** Ends the exchange on the connection, once it has one. */
  #abort: ((reason: Error) => void) | undefined;
  #status = 0;
  #headers: readonly Header[] = [];
  #size = 0;
  readonly #chunks: Buffer[] = [];

  constructor(
    bulkhead: Bulkhead,
    limits: ExchangeLimits,
    resolve: (response: OutgoingResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.#bulkhead = bulkhead;
    this.#limits = limits;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  begin(pool: Pool, request: Dispatcher.DispatchOptions): void {
    const { deadline, whenUnwanted } = this.#limits;
    const late = () => this.#fail(new OutgoingError('timeout', 'no complete answer in time'));
    this.#timer = setTimeout(late, Math.min(Math.max(0, deadline - performance.now()), MAX_TIMER));
    if (whenUnwanted) {
      const cancel = () => this.#fail(new OutgoingError('cancelled', 'the call was cancelled'));
      this.#forget = whenUnwanted(guarded(cancel, this.#reject));
      if (this.#isSettled) return;
    }
    try {
      this.#giveUpWaiting = this.#bulkhead.enter(() => pool.dispatch(request, this));
    } catch (error) {
      this.#fail(toOutgoingError(error));
    }
  }

  onConnect(abort: (reason?: Error) => void): void {
    // The caller is gone; the place was kept until now because connecting cannot be cancelled.
    if (this.#failure) abort(this.#failure);
    else this.#abort = abort;
  }

  onHeaders(status: number, raw: Buffer[]): boolean {
    // Interim answers, such as 103, come before the one that counts.
    if (status < 200) return true;
    this.#status = status;
    this.#headers = readHeaders(raw);
    if (this.#limits.truncate) return true;
    const length = this.#headers.find(([name]) => name.toLowerCase() === 'content-length')?.[1];
    if (Number(length) > this.#limits.maxSize) this.#tooLarge();
    return true;
  }

  onData(chunk: Buffer): boolean {
    const { maxSize, truncate } = this.#limits;
    this.#size += chunk.length;
    if (this.#size <= maxSize || truncate) this.#chunks.push(chunk);
    if (this.#size > maxSize) this.#tooLarge();
    return true;
  }

  onComplete(): void {
    this.#bulkhead.leave();
    if (this.#isSettled) return;
    this.#settle();
    this.#resolve({ status: this.#status, headers: this.#headers, body: this.#body() });
  }

  onError(error: Error): void {
    this.#bulkhead.leave();
    this.#fail(toOutgoingError(error, this.#status > 0));
  }

  #body(): Buffer {
    return this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
  }

  /** An answer of more than `maxSize` bytes fails, or is cut. The place is left when the connection has ended. */
  #tooLarge(): void {
    const { maxSize, truncate } = this.#limits;
    if (!truncate) {
      this.#fail(new OutgoingError('too-large', `the answer has more than ${maxSize} bytes`));
      return;
    }
    if (this.#isSettled) return;
    this.#settle();
    const body = this.#body().subarray(0, maxSize);
    this.#resolve({ status: this.#status, headers: this.#headers, body, truncated: true });
    this.#abort?.(new OutgoingError('too-large', 'the rest of the answer is not read'));
  }

  #settle(): void {
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#forget?.();
  }

  #fail(error: OutgoingError): void {
    if (this.#isSettled) return;
    this.#failure = error;
    this.#settle();
    this.#giveUpWaiting?.();
    this.#reject(error);
    this.#abort?.(error);
  }
}

function readHeaders(raw: readonly Buffer[]): readonly Header[] {
  const headers: Header[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    headers.push([raw[index]!.toString('latin1'), readHeaderText(raw[index + 1]!.toString('latin1'))]);
  }
  return headers;
}
