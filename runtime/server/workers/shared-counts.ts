/**
 * Counts over all workers. They are kept in the primary process and not divided into shares: a client with one connection, whose
 * requests all reach one worker, would get only a share of its limit.
 */
import type { Held } from './messages.ts';

interface SharedCounts {
  /** Counts for a worker unless a maximum is reached. @returns the index of that maximum, or -1 */
  readonly hold: (worker: number, held: readonly Held[]) => number;
  readonly release: (worker: number, held: readonly Held[]) => void;
  /** Releases all that a worker holds. */
  readonly drop: (worker: number) => void;
}

export function createSharedCounts(): SharedCounts {
  const totals = new Map<string, number>();
  const byWorker = new Map<number, Map<string, number>>();
  const add = (counts: Map<string, number>, key: string, change: number) => {
    const count = (counts.get(key) ?? 0) + change;
    if (count > 0) counts.set(key, count);
    else counts.delete(key);
  };
  const addFor = (worker: number, held: readonly Held[], change: 1 | -1) => {
    const own = byWorker.get(worker) ?? new Map<string, number>();
    byWorker.set(worker, own);
    for (const [key] of held) {
      add(totals, key, change);
      add(own, key, change);
    }
  };
  return {
    hold: (worker, held) => {
      const full = held.findIndex(([key, maximum]) => maximum > 0 && (totals.get(key) ?? 0) >= maximum);
      if (full < 0) addFor(worker, held, 1);
      return full;
    },
    release: (worker, held) => addFor(worker, held, -1),
    drop: (worker) => {
      for (const [key, count] of byWorker.get(worker) ?? []) add(totals, key, -count);
      byWorker.delete(worker);
    },
  };
}
