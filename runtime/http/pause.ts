/** Gives others their turn during long work in one request. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of work at a time. */
const SLICE = 8;

/** Makes a function that waits for the other events when this work has gone on for a while, else for nothing. */
export function createPause(): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < SLICE) return undefined;
    return nextTurn().then(() => {
      began = performance.now();
    });
  };
}
