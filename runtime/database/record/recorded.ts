/**
 * Reads which tables and keys were written, where a database records it (schema.ts). Each transaction's records are read once,
 * whatever the order of commits: they are those that the last snapshot did not see.
 */
import { READ_COMPLETE } from './schema.ts';

/** Values that a statement wrote, before and after, by column. */
type WrittenKeys = ReadonlyMap<string, readonly string[]>;

export interface Recorded {
  /** Tables, by oid, whose every write is recorded. */
  readonly complete: ReadonlySet<string>;
  /** Written keys by the table's oid; undefined: any row. */
  readonly written: ReadonlyMap<string, readonly WrittenKeys[] | undefined>;
  /** Views or partitions were defined since the last look at the triggers. */
  readonly redefined: boolean;
}

type Rows = readonly (readonly (string | null)[])[];

/** The connection to a database. */
export interface RecordSource {
  readonly poll: (sql: string, values: readonly string[]) => Promise<Rows>;
  /** For statements that write. */
  readonly maintain: (sql: string, values?: readonly string[]) => Promise<readonly Record<string, unknown>[]>;
}

export interface RecordReader {
  /** Listens from now on, if the database records anything; to be called often. */
  readonly announce: () => Promise<void>;
  /**
   * Reads the writes recorded since a snapshot, and the new snapshot. Without `recorded`, writes may be missing. Undefined
   * while nothing is known to be recorded.
   * @param age milliseconds since the snapshot
   * @throws what the connection throws
   */
  readonly read: (since: string, age: number) => Promise<RecordRead | undefined>;
  /** Another read is needed, also if no transaction ends: the last one did not look at the triggers in time, or was not certain. */
  readonly isBehind: () => boolean;
  /** Nothing is known to be recorded: the connection was lost, or too much time has passed. */
  readonly reset: () => void;
}

interface RecordRead {
  readonly snapshot: string;
  readonly recorded: Recorded | undefined;
}

/** Milliseconds between two announcements that a server listens. */
const ATTEND_INTERVAL = 10_000;
/** Milliseconds that an announcement holds in the database. */
const ANNOUNCEMENT_TTL = 40_000;
/** Milliseconds after which records that this server has not read may have been removed by another one. */
const TRUST_TTL = 25_000;
/** Milliseconds between two looks for databases that have begun to record, and between two removals of old records. */
const DISCOVERY_INTERVAL = 60_000;
/** Milliseconds between two looks at the triggers. */
const TRIGGERS_INTERVAL = 100;

const IS_INSTALLED = `select (to_regclass('engine_catalog.live_changes') is not null
  and to_regclass('engine_catalog.live_until') is not null and not pg_is_in_recovery())::text`;
/** The announcement holds: triggers record writes. They compare it in the same way (schema.ts). */
const HOLDS = '(select last_value from engine_catalog.live_until) >= extract(epoch from clock_timestamp())';
const ANNOUNCE = `setval('engine_catalog.live_until', ceil(extract(epoch from clock_timestamp()))::bigint + ${ANNOUNCEMENT_TTL / 1000})`;
/**
 * Name of the period in which every write has been recorded. It is a row of the record, with a transaction number that no
 * transaction has, so it ends with the record: a crash or a failover empties that. Several rows, of servers that began one
 * at the same time, are one period.
 */
const PERIOD =
  "(select string_agg(keys::text, ' ' order by keys) from engine_catalog.live_changes where xid = '0')";
/**
 * Only an announcement that holds is renewed, by this server or another. It may be set back by a server that is late by no more
 * than the announcements overlap.
 */
const RENEW = `select ${PERIOD} as period, ${ANNOUNCE} where ${HOLDS} and ${PERIOD} is not null`;
/** Before an announcement instead of one that does not hold: other servers, for whom nothing else has changed, see this. */
const BEGIN_PERIOD = `with ended as (delete from engine_catalog.live_changes where xid = '0')
  insert into engine_catalog.live_changes (xid, relation, keys) values ('0', 0, to_jsonb(gen_random_uuid()))`;
/** Transactions from this number on have seen the announcement. */
const NEXT_TRANSACTION = 'select pg_snapshot_xmax(pg_current_snapshot())::text as next';
/** The first row names the period as well, if the announcement still holds. */
const READ = `select pg_current_snapshot()::text, pg_snapshot_xmin(pg_current_snapshot())::text, case when ${HOLDS} then ${PERIOD} end
  union all select null, relation::text, keys::text from engine_catalog.live_changes
  where xid >= pg_snapshot_xmin($1::pg_snapshot) and not pg_visible_in_snapshot(xid, $1::pg_snapshot)`;
/** The row of relation 0 changes when views and partitions do. */
const READ_DEFINITIONS = `${READ_COMPLETE} union all
  select '0', count(*) || ' ' || coalesce(sum(hashtextextended(concat_ws(' ', kind, oid, version), 0)), 0) from (
    select 'rule', oid, xmin::text from pg_rewrite where oid >= 16384
    union all select 'heir', inhrelid, xmin::text from pg_inherits) as d (kind, oid, version)`;
const REMOVE =
  "delete from engine_catalog.live_changes where xid > '0' and pg_visible_in_snapshot(xid, $1::pg_snapshot)";

export function createRecordReader({ poll, maintain }: RecordSource): RecordReader {
  let attended = Number.NEGATIVE_INFINITY;
  let looked = Number.NEGATIVE_INFINITY;
  /** Number of the first transaction that has seen the announcement; undefined: it was not announced. */
  let from: bigint | undefined;
  /** Period of the announcement. */
  let period: string | undefined;
  /** Every transaction that had not seen it has ended. */
  let isCertain = false;
  let complete = new Map<string, string>();
  let completeRead = Number.NEGATIVE_INFINITY;
  let isBehind = false;
  /** A snapshot that all servers have read beyond, and when it was taken. */
  let old: { readonly snapshot: string; readonly at: number } | undefined;

  const reset = () => {
    from = undefined;
    period = undefined;
    isCertain = false;
    isBehind = false;
    attended = Number.NEGATIVE_INFINITY;
    looked = Number.NEGATIVE_INFINITY;
    complete = new Map();
    completeRead = Number.NEGATIVE_INFINITY;
  };
  /** @returns the period that goes on; undefined: none does */
  const renew = async () => (await maintain(RENEW))[0]?.period as string | undefined;
  const announce = async () => {
    const now = performance.now();
    if (from === undefined) {
      if (now - looked < DISCOVERY_INTERVAL) return;
      looked = now;
      if ((await poll(IS_INSTALLED, []))[0]?.[0] !== 'true') return;
    } else if (now - attended < ATTEND_INTERVAL) return;
    let renewed = await renew();
    if (renewed === undefined) {
      await maintain(BEGIN_PERIOD);
      await maintain(`select ${ANNOUNCE}`);
      renewed = await renew();
    }
    if (renewed !== period || from === undefined) {
      // After it is announced, so that the transactions from this number on are recorded as long as this is the period.
      const [row] = await maintain(NEXT_TRANSACTION);
      from = BigInt(String(row!.next));
      period = renewed;
      isCertain = false;
    }
    attended = now;
  };
  /** Tables whose triggers are not those of the last look may have been written while they were not. */
  const readComplete = async () => {
    const before = complete;
    const rows = await poll(READ_DEFINITIONS, []);
    complete = new Map(rows.map(([oid, version]) => [oid!, version!]));
    const same = [...complete].filter(([oid, version]) => before.get(oid) === version);
    return { tables: new Set(same.map(([oid]) => oid)), redefined: before.get('0') !== complete.get('0') };
  };
  const removeOld = (snapshot: string, now: number) => {
    if (old && now - old.at < DISCOVERY_INTERVAL) return;
    if (old) maintain(REMOVE, [old.snapshot]).catch(() => {});
    old = { snapshot, at: now };
  };

  return {
    reset,
    announce: async () => {
      try {
        await announce();
      } catch {
        // Without the rights, for instance. Looked at again later.
        reset();
        looked = performance.now();
      }
    },
    isBehind: () => from !== undefined && (isBehind || !isCertain),
    read: async (since, age) => {
      const now = performance.now();
      if (from === undefined) return undefined;
      if (age > TRUST_TTL) isCertain = false;
      let trusted: Awaited<ReturnType<typeof readComplete>> | undefined;
      if (now - completeRead > TRIGGERS_INTERVAL) {
        completeRead = now;
        trusted = await readComplete();
      }
      const [first, ...rows] = await poll(READ, [since]);
      const [snapshot, xmin, current] = first as [string, string, string | null];
      // A trigger may have missed a write that ended after the look at the triggers: only another look tells.
      isBehind = !trusted || snapshot !== since;
      if (current !== period) {
        // Not every write was recorded.
        reset();
        return { snapshot, recorded: undefined };
      }
      if (!isCertain) {
        // Writes that the last snapshot did not see may be older than the records: everything counts as changed once.
        isCertain = BigInt(xmin) >= from;
        return { snapshot, recorded: undefined };
      }
      removeOld(snapshot, now);
      const written = new Map<string, readonly WrittenKeys[] | undefined>();
      for (const [, relation, keys] of rows) {
        const earlier = written.get(relation!);
        if (keys === null || keys === undefined) written.set(relation!, undefined);
        else if (earlier || !written.has(relation!))
          written.set(relation!, [...(earlier ?? []), keysOf(keys)]);
      }
      const { tables = new Set(complete.keys()), redefined = false } = trusted ?? {};
      return { snapshot, recorded: { complete: tables, written, redefined } };
    },
  };
}

function keysOf(json: string): WrittenKeys {
  return new Map(Object.entries(JSON.parse(json) as Record<string, readonly string[]>));
}
