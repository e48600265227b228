/** Predicts the next execution of a statement from earlier ones. */
import type { Cache, MemoryBudget } from '../core/memory/budget.ts';
import { stringBytes } from '../core/memory/heap-bytes.ts';
import { statementName } from './statements.ts';

/** Bytes of what is known of a statement. */
const KNOWN = 300;
/** Milliseconds: reads that are estimated to take less are sent to one connection several at a time. */
const QUICK = 1;
/**
 * How a time above or below the estimate changes it. Steps of a fixed size make it a quantile, here of about 30 %, because
 * ln RISE * 0.7 = ln FALL * 0.3. Other programs only ever add to a time, so the shorter ones say what a statement costs.
 */
const RISE = 1.1;
const FALL = 1.25;
/** Milliseconds: the smallest estimate. */
const LEAST = 0.01;

/** A statement, by its text. */
export interface Known {
  /** Name of its prepared form. */
  readonly name: string;
  /** Estimate of the milliseconds that Postgres works on it; undefined before the first execution. */
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
  /**
   * The database is a cluster: its statements wait for other nodes, and those behind them on a connection would wait as well. How long they
   * do is not told by what this process sees while it is busy.
   */
  isCluster = false;

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
    return time !== undefined && time < QUICK && !this.isCluster;
  }

  /** Something was answered after so many milliseconds, an empty query for instance. */
  tookNothing(time: number): void {
    this.#roundTrip = Math.min(this.#roundTrip, time);
  }

  /**
   * The statement was answered after so many milliseconds, with nothing before it on its connection, and this process was
   * idle for so many of them. That is the least that Postgres can have worked: while this process is busy, answers wait for
   * it, and a clock would take its own load for that of the database.
   */
  took(known: Known, elapsed: number, idle: number): void {
    // The empty query of a new connection may have met a busy machine.
    this.tookNothing(elapsed);
    const time = Math.max(LEAST, idle - this.#roundTrip);
    if (known.time === undefined) known.time = time;
    else known.time = Math.max(LEAST, time > known.time ? known.time * RISE : known.time / FALL);
  }
}
