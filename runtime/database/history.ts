/** What earlier executions of a statement say about the next one. */
import type { Cache, MemoryBudget } from '../core/memory/budget.ts';
import { stringBytes } from '../core/memory/heap-bytes.ts';
import { statementName } from './statements.ts';

/** Bytes of what is known of a statement. */
const KNOWN = 150;
/** Milliseconds: reads that take less, one time out of twenty, are sent to one connection several at a time. */
const QUICK = 1;
/**
 * How a time above or below the estimate changes it. Steps of a fixed size make it a quantile, here of 5 %, because
 * ln RISE * 0.95 = ln FALL * 0.05. A busy machine only ever adds to a time, so the shortest times say what a statement costs.
 */
const RISE = 1.015;
const FALL = 1.3;
/** Milliseconds: the smallest estimate. */
const LEAST = 0.01;

/** A statement, by its text. */
export interface Known {
  /** Name of its prepared form. */
  readonly name: string;
  /** Milliseconds that Postgres works on it, one time out of twenty; undefined before the first execution. */
  time: number | undefined;
  /** Its first execution is under way. */
  isRunning: boolean;
  /** The last execution held its connection for long. */
  isSlow: boolean;
}

export class History {
  /** By text. */
  readonly #known: Cache<string, Known>;
  /** Milliseconds to the database and back: the shortest seen. */
  #roundTrip = Number.POSITIVE_INFINITY;

  /** @param memory limits for how many statements it is kept */
  constructor(memory: MemoryBudget) {
    this.#known = memory.cache((_known, text) => KNOWN + stringBytes(text));
  }

  of(text: string): Known {
    let known = this.#known.get(text);
    if (!known) {
      known = { name: statementName(text), time: undefined, isRunning: false, isSlow: false };
      this.#known.set(text, known);
    }
    return known;
  }

  isQuick({ time }: Known): boolean {
    return time !== undefined && time < QUICK;
  }

  /** An empty query took so many milliseconds. */
  tookNothing(time: number): void {
    this.#roundTrip = Math.min(this.#roundTrip, time);
  }

  /** The statement was answered after so many milliseconds, with nothing before it on its connection. */
  took(known: Known, milliseconds: number): void {
    this.#roundTrip = Math.min(this.#roundTrip, milliseconds);
    const time = Math.max(LEAST, milliseconds - this.#roundTrip);
    if (known.time === undefined) known.time = time;
    else known.time = Math.max(LEAST, time > known.time ? known.time * RISE : known.time / FALL);
  }
}
