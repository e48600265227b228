/**
 * Cohorts of a live query whose last read failed, apart from the others: no round waits for them. They are read again when their data
 * may have changed, or when the error says that it passes, in passes: as often as rounds begin after failures, but all of them
 * together take no more than a share of one connection, however many fail.
 */
import type { Cohort } from './cohort.ts';
import { MAX_BACKOFF } from './pace.ts';

/** A pass is followed by a pause so many times as long as what it cost. */
const PAUSE = 20;

export class Retries {
  readonly #minimum: number;
  readonly #begin: (cohorts: readonly Cohort[]) => void;
  readonly #failing = new Set<Cohort>();
  /** Those that the next pass reads. */
  readonly #asked = new Set<Cohort>();
  /** Those that the pass has not read yet. */
  readonly #pass = new Set<Cohort>();
  /** Milliseconds that the pass has taken so far, and when the next one may begin, by performance.now(). */
  #cost = 0;
  #until = 0;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param interval milliseconds between rounds
   * @param begin reads cohorts
   */
  constructor(interval: number, begin: (cohorts: readonly Cohort[]) => void) {
    this.#minimum = Math.min(interval, MAX_BACKOFF);
    this.#begin = begin;
  }

  has(cohort: Cohort): boolean {
    return this.#failing.has(cohort);
  }

  /** @param passes it may be read well although its data do not change */
  failed(cohort: Cohort, passes: boolean): void {
    this.#failing.add(cohort);
    this.#pass.delete(cohort);
    if (passes) this.#asked.add(cohort);
  }

  /** The data of a cohort that failed may have changed. */
  ask(cohort: Cohort): void {
    this.#asked.add(cohort);
    this.#plan();
  }

  /** A cohort was read, or has no subscribers any more. */
  delete(cohort: Cohort): void {
    this.#failing.delete(cohort);
    this.#asked.delete(cohort);
    this.#pass.delete(cohort);
  }

  /** Whether cohorts are read because of the pass. */
  areRetried(cohorts: readonly Cohort[]): boolean {
    return cohorts.some((cohort) => this.#pass.has(cohort));
  }

  /** A batch has ended. @param cost milliseconds; undefined: it was none of the pass */
  ended(cost: number | undefined): void {
    if (cost !== undefined) {
      this.#cost += cost;
      this.#until = performance.now() + PAUSE * this.#cost;
    }
    this.#plan();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#asked.clear();
  }

  #plan(): void {
    if (this.#timer || this.#asked.size === 0 || this.#pass.size > 0) return;
    const begin = () => {
      this.#timer = undefined;
      this.#cost = 0;
      const cohorts = [...this.#asked];
      this.#asked.clear();
      for (const cohort of cohorts) this.#pass.add(cohort);
      this.#begin(cohorts);
    };
    this.#timer = setTimeout(begin, Math.max(this.#minimum, this.#until - performance.now()));
  }
}
