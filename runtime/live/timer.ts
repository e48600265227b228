/** A timer for a moment that may be far away. */
import { MAX_TIMER } from '../core/max-timer.ts';

export interface Timer {
  /** Goes off at a moment, in milliseconds since 1970, instead of any set before. */
  readonly at: (moment: number) => void;
  readonly clear: () => void;
}

export function createTimer(callback: () => void): Timer {
  let timer: NodeJS.Timeout | undefined;
  const at = (moment: number) => {
    clearTimeout(timer);
    const left = moment - Date.now();
    timer = setTimeout(
      () => (left > MAX_TIMER ? at(moment) : callback()),
      Math.min(Math.max(left, 0), MAX_TIMER),
    ).unref();
  };
  return { at, clear: () => clearTimeout(timer) };
}
