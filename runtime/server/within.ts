/** Work of a server that stops, which has a limited time: a database or a peer may say nothing. */
import { setTimeout as delay } from 'node:timers/promises';

/** Waits for the work, for at most this many milliseconds. */
export async function within(milliseconds: number, work: () => Promise<void>): Promise<void> {
  const done = new AbortController();
  const { signal } = done;
  await Promise.race([
    work().finally(() => done.abort()),
    delay(milliseconds, undefined, { signal }).catch(() => {}),
  ]);
}
