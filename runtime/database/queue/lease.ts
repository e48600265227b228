/**
 * The lease of an instance: a row in `engine_catalog.instances` that it keeps fresh. Jobs whose owner has not been seen for
 * a while are free for others. So a lock lasts as long as its instance lives, and no longer than the lease after that.
 */
import { randomUUID } from 'node:crypto';

/** Runs a statement; gives its rows. */
export type QueueQuery = (
  sql: string,
  values?: readonly unknown[],
  // biome-ignore lint/suspicious/noExplicitAny: rows are as the statement says.
) => Promise<readonly any[]>;

/** Seconds. */
const LEASE = 30;
/** Milliseconds between two signs of life. */
const HEARTBEAT = 10_000;

/** SQL: the owner of a row is alive, so its lock holds. `owner` is the name of its column. */
export function isOwned(owner: string): string {
  return `exists (
    select from engine_catalog.instances i where i.id = ${owner} and i.seen_at > now() - interval '${LEASE} seconds'
  )`;
}

export interface Lease {
  readonly owner: string;
  /** Resolves once the first sign of life is stored; rejects while the database does not answer. */
  ready(): Promise<void>;
  /** Ends the lease: what this instance still holds is free at once. */
  end(): Promise<void>;
}

/** Begins a lease on a database, which has to have `engine_catalog.instances`. */
export function beginLease(query: QueueQuery, report: (message: string, error: unknown) => void): Lease {
  const owner = randomUUID();
  let isStored = false;
  let hasEnded = false;
  const beat = async () => {
    await query(
      `insert into engine_catalog.instances (id) values ($1) on conflict (id) do update set seen_at = now()`,
      [owner],
    );
    isStored = true;
    await query(`delete from engine_catalog.instances where seen_at < now() - interval '1 day'`);
  };
  const timer = setInterval(() => {
    beat().catch((error: unknown) => {
      // Told once: an outage that lasts says nothing new every ten seconds.
      if (isStored && !hasEnded) report('The sign of life of this instance could not be stored.', error);
      isStored = false;
    });
  }, HEARTBEAT);
  timer.unref();
  return {
    owner,
    ready: async () => {
      if (!isStored) await beat();
    },
    end: async () => {
      hasEnded = true;
      clearInterval(timer);
      await query('delete from engine_catalog.instances where id = $1', [owner]);
    },
  };
}
