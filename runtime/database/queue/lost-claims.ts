/**
 * Frees jobs of claims whose answers were lost: a connection broke after the claim was committed. Their owner lives, so no
 * lease ends, and nothing here works on them: without this they would stay locked until the process ends.
 */
import type { QueueStore } from './worker.ts';

/** Milliseconds after a failed claim in which it may still be committed. */
const DOUBT = 30_000;

/** @param free unlocks every job of this instance but these */
export function freeLostClaims<Job extends { readonly id: string }, Outcome>(
  store: QueueStore<Job, Outcome>,
  free: (held: readonly string[]) => Promise<unknown>,
): QueueStore<Job, Outcome> {
  const held = new Set<string>();
  let isInDoubt = false;
  let failedAt = 0;
  return {
    ...store,
    claim: async (limit, full) => {
      try {
        if (isInDoubt) {
          await free([...held]);
          isInDoubt = performance.now() - failedAt < DOUBT;
        }
        const claimed = await store.claim(limit, full);
        for (const { id } of claimed.jobs) held.add(id);
        return claimed;
      } catch (error) {
        isInDoubt = true;
        failedAt = performance.now();
        throw error;
      }
    },
    settle: async (outcomes) => {
      await store.settle(outcomes);
      for (const [{ id }] of outcomes) held.delete(id);
    },
    release: async (jobs) => {
      await store.release(jobs);
      for (const { id } of jobs) held.delete(id);
    },
  };
}
