/** Limits the calls to one host, so that a host that hangs takes neither connections nor memory from the others. */
import { OutgoingError } from './error.ts';

export interface BulkheadLimits {
  /** Calls that run at once. */
  readonly running: number;
  /** Calls that wait for one of these to end; more are refused at once. */
  readonly waiting: number;
}

export class Bulkhead {
  readonly #limits: BulkheadLimits;
  #running = 0;
  /** In order of arrival; a Set, because a call can leave from the middle. */
  readonly #waiting = new Set<() => void>();

  constructor(limits: BulkheadLimits) {
    this.#limits = limits;
  }

  get idle(): boolean {
    return this.#running === 0 && this.#waiting.size === 0;
  }

  /**
   * Calls `start` when the call may run: at once, or when others have left. Each start needs one `leave`.
   * @returns a function that gives up waiting; without effect once started
   * @throws OutgoingError `overloaded` when too many are waiting
   */
  enter(start: () => void): () => void {
    if (this.#running < this.#limits.running) {
      this.#running += 1;
      start();
      return () => {};
    }
    if (this.#waiting.size >= this.#limits.waiting) {
      const { running, waiting } = this.#limits;
      const message = `too many calls to this host are waiting: ${waiting} wait while ${running} run`;
      throw new OutgoingError('overloaded', message);
    }
    this.#waiting.add(start);
    return () => this.#waiting.delete(start);
  }

  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
