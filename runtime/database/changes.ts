/**
 * Tells when data of a database may have changed, without any privilege there: one tiny statement asks which transactions
 * have ended. If the answer is the one of the last time, no transaction that could have written has ended in between, in
 * this database or any other of its server, so no query over tables can answer anything else. Writes of this process are
 * known as soon as they are committed. Where the database records which tables and keys are written (runtime/database/record), those
 * are told as well.
 *
 * Results that do not follow from tables (the time, foreign tables, activity views) change without any of this.
 */
import { createRecordReader, type Recorded, type RecordSource } from './record/recorded.ts';
import { TransactionAges } from './transaction-ages.ts';

/** Something may have changed. */
export interface Change {
  /** Tables that this process wrote, as `"schema"."name"`; undefined: any may be. */
  readonly tables: ReadonlySet<string> | undefined;
  /** The database's record of writes, if there is one. For a write of this process: only the tables that are recorded. */
  readonly recorded: Recorded | undefined;
  /** This process wrote, and its statements do not name what. */
  readonly isOwn?: true;
  /** Views or partitions were defined otherwise. */
  readonly redefined?: boolean;
}

export interface Changes {
  /**
   * Calls back after every change, until the returned function is called. Data that are read after the first call back
   * are current; what was read before may have changed unnoticed, so a first call back always comes.
   */
  readonly listen: (listener: (change: Change) => void) => () => void;
  /** A write of this process was committed. @param tables that its statements name, as `"schema"."name"`; empty: any may be written */
  readonly wrote: (tables: readonly string[]) => void;
  /**
   * The number of a transaction: those below began at least so many milliseconds ago. While nothing listens, and at first,
   * it is `0`.
   */
  readonly begunBefore: (milliseconds: number) => string;
  readonly stop: () => void;
}

/** Milliseconds between two looks at the database, while anybody listens. */
export const LOOK_INTERVAL = 100;
/** The same for a second after writes were recorded, which concern few live queries. */
const BUSY_INTERVAL = 10;
/** Milliseconds from a write of this process to the look that reads what was recorded of it; others join in. */
const OWN_DELAY = 1;

/** On a standby no transactions run; what it has replayed is what has changed. */
const LOOK = `select case when pg_is_in_recovery() then pg_last_wal_replay_lsn()::text
  else pg_current_snapshot()::text end`;

const ANYTHING: Change = { tables: undefined, recorded: undefined };

/** The last look: a snapshot, or a position of a standby. */
interface Seen {
  readonly state: string;
  /** By performance.now(). */
  readonly at: number;
}

export function createChanges(source: RecordSource): Changes {
  const listeners = new Set<(change: Change) => void>();
  /** Those who have not been called back by a look yet. */
  const fresh = new Set<(change: Change) => void>();
  const reader = createRecordReader(source);
  const ages = new TransactionAges();
  let seen: Seen | undefined;
  /** Tables whose writes are recorded, since the last look. */
  let complete: ReadonlySet<string> | undefined;
  let next: { readonly at: number; readonly timer: NodeJS.Timeout } | undefined;
  let looking = false;
  /** A write of this process was committed during the look. */
  let again = false;
  let busyUntil = 0;
  let stopped = false;

  const tell = (change: Change) => {
    for (const listener of [...listeners]) listener(change);
  };
  /** Changes since the last look; undefined: none. @throws what the connection throws */
  const compare = async (): Promise<Change | undefined> => {
    const before = seen;
    const at = performance.now();
    await reader.announce();
    const state = (await source.poll(LOOK, []))[0]?.[0] ?? '';
    seen = { state, at };
    ages.note(state, at);
    if (!before) return ANYTHING;
    if (state === before.state && !reader.isBehind()) return undefined;
    const read = await reader.read(before.state, at - before.at);
    const recorded = read?.recorded;
    complete = recorded?.complete;
    // Transactions may have ended between the look and the read.
    seen = { state: read?.snapshot ?? state, at };
    if (!recorded) return seen.state === before.state ? undefined : ANYTHING;
    if (recorded.written.size > 0) busyUntil = at + 1000;
    const { redefined } = recorded;
    return { tables: undefined, recorded, ...(redefined && { redefined }) };
  };
  const look = async () => {
    next = undefined;
    looking = true;
    again = false;
    const waiting = [...fresh];
    let change: Change | undefined;
    let isLost = false;
    try {
      change = await compare();
    } catch {
      // Whatever it is, those who listen find out themselves, and nothing is known to be unchanged.
      isLost = true;
      change = ANYTHING;
      seen = undefined;
      complete = undefined;
      reader.reset();
    }
    looking = false;
    if (stopped || listeners.size === 0) {
      seen = undefined;
      return;
    }
    for (const listener of waiting) if (fresh.delete(listener) && change !== ANYTHING) listener(ANYTHING);
    if (change) tell(change);
    const interval = performance.now() < busyUntil ? BUSY_INTERVAL : LOOK_INTERVAL;
    lookIn(isLost ? 10 * LOOK_INTERVAL : again ? OWN_DELAY : interval);
  };
  const lookIn = (milliseconds: number) => {
    const at = performance.now() + milliseconds;
    if (next && next.at <= at) return;
    clearTimeout(next?.timer);
    next = { at, timer: setTimeout(look, milliseconds).unref() };
  };
  return {
    listen: (listener) => {
      listeners.add(listener);
      fresh.add(listener);
      if (listeners.size === 1 && !looking) lookIn(0);
      return () => {
        listeners.delete(listener);
        fresh.delete(listener);
        if (listeners.size > 0) return;
        clearTimeout(next?.timer);
        next = undefined;
      };
    },
    wrote: (tables) => {
      if (listeners.size === 0) return;
      const recorded = complete && { complete, written: NOTHING, redefined: false };
      // Those of functions, triggers and cascades are found by the next look.
      tell(
        tables.length > 0
          ? { tables: new Set(tables), recorded }
          : { tables: undefined, recorded, isOwn: true },
      );
      if (!recorded) return;
      if (looking) again = true;
      else lookIn(OWN_DELAY);
    },
    begunBefore: (milliseconds) => ages.begunBefore(milliseconds, performance.now()),
    stop: () => {
      stopped = true;
      clearTimeout(next?.timer);
      listeners.clear();
    },
  };
}

const NOTHING: Recorded['written'] = new Map();
