/** Estimates how long Postgres works on a statement, measured from its answers. */
import type { Cache, MemoryBudget } from '../core/memory/budget.ts';
import { stringBytes } from '../core/memory/heap-bytes.ts';
import { statementName } from './statements.ts';

/** Minimum estimated cost of a read (ms); also the estimate before the first measurement. */
const MIN_WORK = 0.05;
/** Same for a write (ms). Higher, because pipelined writes commit one at a time, so few should share a connection. */
const MIN_WRITE = 0.4;
/**
 * Assumed parallelism of the database server. With more busy connections, slow answers are attributed to contention;
 * otherwise each new connection would inflate the measurements and trigger the next.
 */
const PARALLEL = 2;
/** Bytes of a statement's measurements. */
const KNOWN = 150;
/** Maximum number of statement combinations whose cost is remembered. */
const MAX_TOGETHER = 20;

/** Measurements of a statement, or of several that are sent together. */
export interface Known {
  /** Name of a statement's prepared form. */
  readonly name: string;
  /** Milliseconds that Postgres works on it, undefined until measured. */
  work: number | undefined;
  /** It runs for the first time, or has run. */
  hasRun: boolean;
  /** Until when (`performance.now()`) it gets a dedicated connection, because it blocked a shared one. */
  aloneUntil: number;
}

export class Durations {
  /** By text. */
  readonly #known: Cache<string, Known>;
  /** Round trip to the database (ms): the minimum measured for an empty query or a read. */
  #roundTrip = Number.POSITIVE_INFINITY;

  /** @param memory limits for how many statements they are kept */
  constructor(memory: MemoryBudget) {
    this.#known = memory.cache((_known, text) => KNOWN + stringBytes(text));
  }

  /** By text. */
  statement(text: string): Known {
    let known = this.#known.get(text);
    if (!known) {
      known = { name: statementName(text), work: undefined, hasRun: false, aloneUntil: 0 };
      this.#known.set(text, known);
    }
    return known;
  }

  /** Of statements that are sent together; nothing is ever known of many. */
  together(texts: readonly string[]): Known {
    if (texts.length === 1) return this.statement(texts[0]!);
    if (texts.length > MAX_TOGETHER) return { name: '', work: undefined, hasRun: false, aloneUntil: 0 };
    return this.statement(texts.map((text) => this.statement(text).name).join(' '));
  }

  /** Milliseconds that it is expected to take. */
  expected({ work }: Known, writes: boolean): number {
    return Math.max(work ?? 0, writes ? MIN_WRITE : MIN_WORK);
  }

  /** An empty query took so many milliseconds. */
  tookNothing(time: number): void {
    this.#roundTrip = Math.min(time, this.#roundTrip);
  }

  /**
   * Takes into account how long it was at the head of its connection. Behind others that is what Postgres worked on it;
   * alone it is the way there and back as well.
   * @param wasIdle nothing was before it
   * @param busy connections with statements in flight
   */
  measured(known: Known, time: number, writes: boolean, wasIdle: boolean, busy: number): void {
    if (wasIdle && !writes) this.#roundTrip = Math.min(time, this.#roundTrip * 1.001);
    const worked = Math.max(0, wasIdle ? time - this.#roundTrip : time);
    // Each of several pipelined writes waits for the disk; on separate connections these waits overlap.
    const work = writes && !wasIdle ? worked : worked * Math.min(1, PARALLEL / busy);
    const { work: before } = known;
    // Much else may have caused a long time, and answers that arrive together share the time of the first.
    known.work = before === undefined ? work : before + (Math.min(work, 2 * before + 1) - before) / 16;
  }
}
