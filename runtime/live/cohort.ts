/** Subscribers of one live query whose values are equal: one row of a batch, one result. */
import type { EngineError } from '../core/errors.ts';
import type { Due, DueOwner } from './lane.ts';

/** A result on its way to many subscribers. */
export class CohortResult {
  /** Text below `data`. */
  readonly data: string;
  readonly hash: string;
  readonly #messages = new Map<string, Buffer>();

  constructor(data: string, hash: string) {
    this.data = data;
    this.hash = hash;
  }

  /** A message that holds the result, made once for all who get the same one. */
  message(key: string, make: (data: string) => string): Buffer {
    let message = this.#messages.get(key);
    if (!message) {
      message = Buffer.from(make(this.data));
      this.#messages.set(key, message);
    }
    return message;
  }
}

/** Takes what becomes of a subscription. Every batch of a stream goes to `next`, those of a live query may be skipped. */
export interface Listener {
  /** The data changed, or are there for the first time. */
  readonly next: (result: CohortResult) => void;
  /** Reading failed; it is tried again when that may help. */
  readonly failed: (error: EngineError) => void;
  /** It has ended: its values make the statement fail. */
  readonly refused: (error: EngineError) => void;
  /** Whether the client has yet to read much of what it was sent. */
  readonly isSlow: () => boolean;
  /** Calls back when it has read that. */
  readonly whenRead: (callback: () => void) => void;
}

export interface Subscriber {
  readonly listener: Listener;
  /** Who pays for what is read for it. */
  owner: DueOwner;
  cohort: Cohort;
  /** Position among all that ever subscribed: reads that began earlier are not for it. */
  joined: number;
  /** Hash of the result that it has; undefined: none, or an error. */
  hash: string | undefined;
  /** Text of the error that it has. */
  failure: string | undefined;
  /** It has had a result. */
  hasBegun: boolean;
}

export interface Cohort {
  readonly key: string;
  readonly values: readonly (string | null)[];
  readonly subscribers: Set<Subscriber>;
  /** Hash of the last result. */
  hash: string | undefined;
  /** The next result is needed even if it did not change. */
  wanted: boolean;
  /** It is being read, or waits as part of a batch that failed. */
  reading: boolean;
  /** It has to be read once more after that. */
  again: boolean;
  /** Where it waits to be read. */
  due: Due | undefined;
  /** How many had subscribed when it was read well for the last time; 0: it never was. */
  readFor: number;
  /** Streams only: the subscriber reads slowly; the next read waits until it has caught up. */
  paused: boolean;
}

export function createCohort(values: readonly (string | null)[], key = cohortKey(values)): Cohort {
  return {
    key,
    values,
    subscribers: new Set(),
    hash: undefined,
    wanted: true,
    reading: false,
    again: false,
    due: undefined,
    readFor: 0,
    paused: false,
  };
}

export function cohortKey(values: readonly (string | null)[]): string {
  return JSON.stringify(values);
}

/** Milliseconds after which other work gets its turn. */
const SLICE = 8;

/**
 * Hands something to the subscribers of a cohort that joined before a moment, in slices.
 * @param before subscribers that joined later have a read of their own coming
 */
export async function deliver(
  cohort: Cohort,
  before: number,
  hand: (subscriber: Subscriber) => void,
): Promise<void> {
  let sliceBegan = performance.now();
  for (const subscriber of [...cohort.subscribers]) {
    // They may have left during an earlier slice.
    if (subscriber.cohort !== cohort || !cohort.subscribers.has(subscriber)) continue;
    if (subscriber.joined > before) continue;
    hand(subscriber);
    if (performance.now() - sliceBegan > SLICE) {
      await new Promise((resolve) => setImmediate(resolve));
      sliceBegan = performance.now();
    }
  }
}
