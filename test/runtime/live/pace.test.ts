/** When rounds begin, by a clock that the test sets. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LOOK_INTERVAL } from '../../../runtime/database/changes.ts';
import { GATHER, MAX_BACKOFF, Pace } from '../../../runtime/live/pace.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function paced() {
  const began: number[] = [];
  const pace = new Pace(5000, () => began.push(performance.now()));
  /** A change without a table; milliseconds until a round begins. */
  const wait = () => {
    const count = began.length;
    const since = performance.now();
    pace.change(false);
    while (began.length === count) vi.advanceTimersByTime(1);
    return began.at(-1)! - since;
  };
  return { pace, wait };
}

test('after rounds that were in vain a change without a table waits for longer, up to a second', () => {
  const { pace, wait } = paced();
  const waits: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    waits.push(wait());
    pace.spend(1);
    pace.end();
  }
  expect(waits.at(0)).toBe(GATHER);
  expect(waits.at(1)).toBeGreaterThanOrEqual(LOOK_INTERVAL);
  expect(waits.at(-1)).toBeGreaterThanOrEqual(MAX_BACKOFF);
  expect(waits.at(-1)).toBeLessThan(MAX_BACKOFF + 10);
});

test('a round that read nothing, as all was being read already, makes no change wait', () => {
  const { pace, wait } = paced();
  for (let round = 0; round < 7; round += 1) {
    expect(wait()).toBe(GATHER);
    pace.end();
  }
});

test('a round that read nothing leaves what the round before took', () => {
  const { pace, wait } = paced();
  wait();
  pace.resultChanged();
  vi.advanceTimersByTime(50);
  pace.spend(50);
  pace.end();
  expect(wait()).toBeGreaterThanOrEqual(200);
  pace.end();
  expect(wait()).toBe(GATHER);
});
