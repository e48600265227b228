/** A timer for a moment that may be far away. */
import { MAX_TIMER } from '../core/max-timer.ts';

export class Timer {
  readonly #callback: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(callback: () => void) {
    this.#callback = callback;
  }

  /** Goes off at a moment, in milliseconds since 1970, instead of any set before. */
  at(moment: number): void {
    clearTimeout(this.#timer);
    const left = moment - Date.now();
    const passed = () => {
      this.#timer = undefined;
      if (left > MAX_TIMER) this.at(moment);
      else this.#callback();
    };
    this.#timer = setTimeout(passed, Math.min(Math.max(left, 0), MAX_TIMER)).unref();
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
