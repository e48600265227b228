/**
 * The lease of an instance: a row in `engine_catalog.instances` that it keeps fresh while it holds jobs. Jobs whose owner has not
 * been seen for a while are free for others. So a lock lasts as long as its instance lives, and no longer than the lease after that.
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

/**
 * SQL for the `with` of a statement that takes jobs: `alive as (…)` stores a sign of life of their owner in the same transaction.
 * Without jobs it stores nothing: every commit has live queries read again, so an idle queue must not commit.
 * @param owner parameter of the statement, such as `$1`
 * @param taken name of the query of the same `with` that returns the jobs
 */
export function keepsAlive(owner: string, taken: string): string {
  return `alive as (
  insert into engine_catalog.instances (id) select ${owner}::uuid where exists (select from ${taken})
  on conflict (id) do update set seen_at = now()
)`;
}

export interface Lease {
  readonly owner: string;
  /** Ends the lease: what this instance still holds is free at once. */
  end(): Promise<void>;
}

/**
 * Begins a lease on a database, which has to have `engine_catalog.instances`. It begins with the first jobs that are taken
 * (`keepsAlive`), and is kept while some are held.
 * @param isHolding whether this instance holds jobs
 */
export function beginLease(
  query: QueueQuery,
  isHolding: () => boolean,
  report: (message: string, error: unknown) => void,
): Lease {
  const owner = randomUUID();
  let isFailing = false;
  let hasEnded = false;
  const beat = async () => {
    await query(
      `insert into engine_catalog.instances (id) values ($1) on conflict (id) do update set seen_at = now()`,
      [owner],
    );
    isFailing = false;
    await query(`delete from engine_catalog.instances where seen_at < now() - interval '1 day'`);
  };
  const timer = setInterval(() => {
    if (!isHolding()) return;
    beat().catch((error: unknown) => {
      // Told once: an outage that lasts says nothing new every ten seconds.
      if (!isFailing && !hasEnded) report('The sign of life of this instance could not be stored.', error);
      isFailing = true;
    });
  }, HEARTBEAT);
  timer.unref();
  return {
    owner,
    end: async () => {
      hasEnded = true;
      clearInterval(timer);
      await query('delete from engine_catalog.instances where id = $1', [owner]);
    },
  };
}
