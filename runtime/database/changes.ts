/**
 * Tells when data of a database may have changed, without any privilege there: one tiny statement asks which transactions
 * have ended. If the answer is the one of the last time, no transaction that could have written has ended in between, in
 * this database or any other of its server, so no query over tables can answer anything else. Writes of this process are
 * known as soon as they are committed.
 *
 * What does not follow from tables (the time, foreign tables, activity views) changes without any of this.
 */

/** Something may have changed. */
export interface Change {
  /** Tables that were written, as `"schema"."name"`; undefined: any may be. */
  readonly tables: ReadonlySet<string> | undefined;
}

export interface Changes {
  /**
   * Calls back after every change, until the returned function is called. Data that are read after the first call back
   * are current; what was read before may have changed unnoticed, so a first call back always comes.
   */
  readonly listen: (listener: (change: Change) => void) => () => void;
  /** A write of this process was committed. */
  readonly wrote: (statements: readonly string[]) => void;
  readonly stop: () => void;
}

/** Milliseconds between two looks at the database, while anybody listens. */
export const LOOK_INTERVAL = 100;

/** On a standby no transactions run; what it has replayed is what has changed. */
const LOOK = `select case when pg_is_in_recovery() then pg_last_wal_replay_lsn()::text
  else pg_current_snapshot()::text end`;

/** @param poll runs a statement that only reads */
export function createChanges(
  poll: (sql: string) => Promise<readonly (readonly (string | null)[])[]>,
): Changes {
  const listeners = new Set<(change: Change) => void>();
  /** Those who have not been called back by a look yet. */
  const fresh = new Set<(change: Change) => void>();
  let seen: string | null | undefined;
  let timer: NodeJS.Timeout | undefined;
  let looking = false;
  let stopped = false;

  const tell = (change: Change) => {
    for (const listener of [...listeners]) listener(change);
  };
  const look = async () => {
    looking = true;
    let state: string | null | undefined;
    try {
      state = (await poll(LOOK))[0]?.[0];
    } catch {
      // Whatever it is, those who listen find out themselves, and nothing is known to be unchanged.
      state = undefined;
    }
    looking = false;
    if (stopped || listeners.size === 0) {
      seen = undefined;
      return;
    }
    const waiting = [...fresh];
    fresh.clear();
    if (state === undefined || state !== seen) tell({ tables: undefined });
    else for (const listener of waiting) listener({ tables: undefined });
    seen = state;
    timer = setTimeout(look, state === undefined ? 10 * LOOK_INTERVAL : LOOK_INTERVAL).unref();
  };
  return {
    listen: (listener) => {
      listeners.add(listener);
      fresh.add(listener);
      if (listeners.size === 1 && !looking) {
        clearTimeout(timer);
        void look();
      }
      return () => {
        listeners.delete(listener);
        fresh.delete(listener);
        if (listeners.size === 0) clearTimeout(timer);
      };
    },
    wrote: (statements) => {
      if (listeners.size > 0) tell({ tables: tablesOf(statements) });
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      listeners.clear();
    },
  };
}

const WRITE = /\b(?:insert into|update|delete from) ("(?:[^"]|"")*"\."(?:[^"]|"")*")/g;

/** The tables that our own statements write; those of functions, triggers and cascades are found by the next look. */
function tablesOf(statements: readonly string[]): ReadonlySet<string> | undefined {
  const tables = new Set<string>();
  for (const text of statements) for (const [, table] of text.matchAll(WRITE)) tables.add(table!);
  return tables.size > 0 ? tables : undefined;
}
