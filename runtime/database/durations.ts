/** How long Postgres works on statements, as far as their answers tell. */
import { LRUCache } from 'lru-cache';
import { statementName } from './statements.ts';

/** Milliseconds that the shortest statement counts for, and any other until it has been measured. */
const LEAST_WORK = 0.05;
/** The same of writes: not many, for one behind the other they commit one by one. */
const LEAST_WRITE = 0.4;
/**
 * Connections that Postgres is trusted to work for at the same time. Beyond it a long time is taken for waiting for each
 * other: without that, every connection more would make statements look longer and call for the next connection.
 */
const PARALLEL = 2;
/** Statements whose duration is remembered. */
const REMEMBERED = 5000;
/** Most statements of which it is remembered how long they take together. */
const MOST_TOGETHER = 20;

/** What is known of a statement, or of several that are sent together. */
export interface Known {
  /** Name of a statement's prepared form. */
  readonly name: string;
  /** Milliseconds that Postgres works on it, undefined until measured. */
  work: number | undefined;
  /** It runs for the first time, or has run. */
  hasRun: boolean;
  /** Until when it runs by itself because it took too long for others; on the clock of `performance.now()`. */
  aloneUntil: number;
}

export class Durations {
  readonly #known = new LRUCache<string, Known>({ max: REMEMBERED });
  /** Milliseconds that the way to the database and back takes: the least that an empty query or a read took. */
  #roundTrip = Number.POSITIVE_INFINITY;

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
    if (texts.length > MOST_TOGETHER) return { name: '', work: undefined, hasRun: false, aloneUntil: 0 };
    return this.statement(texts.map((text) => this.statement(text).name).join(' '));
  }

  /** Milliseconds that it is expected to take. */
  expected({ work }: Known, writes: boolean): number {
    return Math.max(work ?? 0, writes ? LEAST_WRITE : LEAST_WORK);
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
    // Writes that are one behind the other wait for the disk each, and could do so at the same time.
    const work = writes && !wasIdle ? worked : worked * Math.min(1, PARALLEL / busy);
    const { work: before } = known;
    // Much else may have caused a long time, and answers that arrive together share the time of the first.
    known.work = before === undefined ? work : before + (Math.min(work, 2 * before + 1) - before) / 16;
  }
}
