/**
 * Standbys of a source that answer reads: how far each has replayed, and which server the reads of one operation go to.
 *
 * How late a replica is follows from positions in the log alone: the age of the oldest position of the primary, as seen from
 * here, that the replica has not replayed. So neither clocks of other machines nor an idle primary matter, and a replica gets
 * reads only after it has replayed a position that the primary was seen at. Whatever is not known goes to the primary.
 * @rule Which reads does a replica answer?
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { ClientGoneError, connectionLost, isReadOnly, PoolFullError, PoolTimeoutError } from './failures.ts';
import type { PoolState } from './pool.ts';
import type { SourceConnection } from './source.ts';

export interface ReplicaSettings {
  /** Seconds that a replica may be late. */
  readonly maxLag: number;
  /** Takes what an operator should know, in words. */
  readonly report: (message: string) => void;
}

/** A replica at this moment. */
interface ReplicaState {
  /** Names the database without credentials. */
  readonly address: string;
  readonly pool: PoolState;
  /** Seconds that it is late; undefined: not known. */
  readonly lag: number | undefined;
}

export interface Replicas {
  /**
   * The server for all reads of one operation: a replica at random among those that are not late, else the primary.
   * @param after a position that it has to have replayed, which is waited for a moment
   */
  readonly choose: (after?: bigint) => SourceConnection | Promise<SourceConnection>;
  /**
   * The server that a failed read goes to instead, where the failure may be its server's own: the primary after a replica, a
   * replica that is not late after a primary whose connection is lost. A replica that is unwell gets no reads until it was
   * looked at again.
   * @param text of the statement that failed
   * @param after as in `choose`
   */
  readonly instead: (
    failed: SourceConnection,
    text: string,
    error: unknown,
    after?: bigint,
  ) => SourceConnection | undefined;
  /** A position of the primary that comes after all that it has committed. @throws what the connection throws */
  readonly position: () => Promise<bigint>;
  readonly state: () => readonly ReplicaState[];
  readonly end: () => Promise<void>;
}

/** Milliseconds between two looks at the servers. */
const INTERVAL = 1000;
/** Milliseconds that what a look has found holds. */
const HOLDS = 3000;
/** Milliseconds that an operation waits for a replica to replay what its client has seen, and between two looks meanwhile. */
const REPLAY_TIMEOUT = 50;
const RETRY = 5;
/** Maximum number of statements that are known to write. */
const MAX_WRITING = 1000;

/** Standbys may have the flushed part only; the position of the next insertion can be beyond the header of a page. */
const PRIMARY = 'select pg_current_wal_flush_lsn()::text';
const INSERTED = 'select pg_current_wal_insert_lsn()::text';
const REPLAYED = 'select case when pg_is_in_recovery() then pg_last_wal_replay_lsn()::text end';

/** The number of a position such as `0/3000148`; undefined for any other text. */
export function parsePosition(text: string): bigint | undefined {
  const match = /^([0-9a-f]{1,8})\/([0-9a-f]{1,8})$/i.exec(text);
  return match ? (BigInt(`0x${match[1]}`) << 32n) | BigInt(`0x${match[2]}`) : undefined;
}

/** The text of a position. */
export function printPosition(position: bigint): string {
  const hex = (part: bigint) => part.toString(16).toUpperCase();
  return `${hex(position >> 32n)}/${hex(position & 0xffff_ffffn)}`;
}

/** Positions of the primary over time. */
export class PositionHistory {
  readonly #keep: number;
  #seen: { readonly at: number; readonly position: bigint }[] = [];

  /** @param keep maximum lag that can be measured (s) */
  constructor(keep: number) {
    this.#keep = keep;
  }

  /** @param now milliseconds, by one clock */
  add(position: bigint, now: number): void {
    const last = this.#seen.at(-1);
    // Another server is the primary now, with less of the log.
    if (last && position < last.position) this.#seen = [];
    else if (position === last?.position) return;
    this.#seen.push({ at: now, position });
    while (this.#seen.length > 1 && this.#seen[1]!.at < now - this.#keep * 1000) this.#seen.shift();
  }

  /** Seconds that a server at this position is late; Infinity: longer than is known. */
  lag(position: bigint, now: number): number {
    const [first] = this.#seen;
    if (!first || position < first.position) return Number.POSITIVE_INFINITY;
    const missing = this.#seen.find((seen) => seen.position > position);
    return missing ? (now - missing.at) / 1000 : 0;
  }
}

interface Replica {
  readonly connection: SourceConnection;
  /** Replayed up to here; undefined: not known, or it is no standby. */
  position: bigint | undefined;
  /** When that was known, by performance.now(). */
  at: number;
  looking: Promise<void> | undefined;
  isUsed: boolean;
}

/** A source whose reads its replicas may answer. @param replicas are ended with it */
export function withReplicas(
  primary: SourceConnection,
  connections: readonly SourceConnection[],
  settings: ReplicaSettings,
): SourceConnection {
  const replicas = createReplicas(primary, connections, settings);
  return {
    ...primary,
    replicas,
    end: async () => {
      await Promise.all([primary.end(), replicas.end()]);
    },
  };
}

function createReplicas(
  primary: SourceConnection,
  connections: readonly SourceConnection[],
  { maxLag, report }: ReplicaSettings,
): Replicas {
  const history = new PositionHistory(maxLag + 2 * (HOLDS / 1000));
  const replicas = connections.map(
    (connection): Replica => ({ connection, position: undefined, at: 0, looking: undefined, isUsed: true }),
  );
  /** Statements that write although they should not. */
  const writing = new Set<string>();

  const lagOf = ({ position, at }: Replica, now = performance.now()) =>
    position === undefined || now - at > HOLDS ? undefined : history.lag(position, now);
  const isCurrent = (replica: Replica) => (lagOf(replica) ?? Number.POSITIVE_INFINITY) <= maxLag;
  const look = (replica: Replica): Promise<void> => {
    replica.looking ??= positionOf(replica.connection, REPLAYED)
      .catch(() => undefined)
      .then((position) => {
        replica.position = position;
        replica.at = performance.now();
        replica.looking = undefined;
      });
    return replica.looking;
  };
  const lookAtPrimary = async () => {
    // While it is away, replicas are compared with where it was last: they have all that there is.
    const position = await positionOf(primary, PRIMARY).catch(() => undefined);
    if (position !== undefined) history.add(position, performance.now());
  };
  const tell = (replica: Replica) => {
    const isUsed = isCurrent(replica);
    if (isUsed === replica.isUsed) return;
    replica.isUsed = isUsed;
    report(
      isUsed
        ? `the replica ${replica.connection.address} answers reads`
        : `the replica ${replica.connection.address} gets no reads: it cannot be asked, is no standby, or is more than ${maxLag} seconds late`,
    );
  };
  const lookAtAll = async () => {
    await Promise.race([Promise.all([lookAtPrimary(), ...replicas.map(look)]), delay(HOLDS)]);
    if (!ended) for (const replica of replicas) tell(replica);
  };
  let ended = false;
  void lookAtAll();
  const timer = setInterval(lookAtAll, INTERVAL).unref();

  const among = (candidates: readonly Replica[], after: bigint | undefined) => {
    const able =
      after === undefined
        ? candidates
        : candidates.filter(({ position }) => position !== undefined && position >= after);
    return able[Math.floor(Math.random() * able.length)]?.connection;
  };
  const waitFor = async (after: bigint) => {
    const deadline = performance.now() + REPLAY_TIMEOUT;
    while (performance.now() < deadline) {
      await delay(RETRY);
      const current = replicas.filter(isCurrent);
      await Promise.race([Promise.all(current.map(look)), delay(REPLAY_TIMEOUT)]);
      const found = among(current.filter(isCurrent), after);
      if (found) return found;
    }
    return primary;
  };

  return {
    choose: (after) => {
      const current = replicas.filter(isCurrent);
      return (
        among(current, after) ?? (after === undefined || current.length === 0 ? primary : waitFor(after))
      );
    },
    instead: (failed, text, error, after) => {
      if (failed === primary) return isLost(error) ? among(replicas.filter(isCurrent), after) : undefined;
      if (!mayBeTheReplicas(error)) return undefined;
      const replica = replicas.find((each) => each.connection === failed);
      if (replica && isUnwell(error)) replica.position = undefined;
      if (isReadOnly(error) && !writing.has(text)) {
        if (writing.size < MAX_WRITING) writing.add(text);
        report(
          `a read wrote, so the primary of ${primary.address} answers it: a function that it calls has to be declared VOLATILE. Statement: ${text.slice(0, 500)}`,
        );
      }
      return primary;
    },
    position: async () => {
      const position = await positionOf(primary, INSERTED);
      if (position === undefined) throw new Error('the primary has no position');
      return position;
    },
    state: () =>
      replicas.map((replica) => ({
        address: replica.connection.address,
        pool: replica.connection.state(),
        lag: lagOf(replica),
      })),
    end: async () => {
      ended = true;
      clearInterval(timer);
      await Promise.all(connections.map((connection) => connection.end()));
    },
  };
}

async function positionOf({ poll }: SourceConnection, statement: string): Promise<bigint | undefined> {
  const [row] = await poll(statement, []);
  return parsePosition(row?.[0] ?? '');
}

/**
 * Whether the primary may answer what a replica did not. Class 40: conflicts with what is replayed; 42, 3D, 3F: names that the
 * replica does not have yet; 0A000: serializable transactions; 25006: writing; the others are of its machine.
 */
function mayBeTheReplicas(error: unknown): boolean {
  if (error instanceof pg.DatabaseError)
    return /^(08|0A000|25006|3D|3F|40|42|53|57P|58|XX)/.test(error.code ?? '');
  return isLost(error);
}

/** Whether the server may be away. A full pool is not that: its load would be the other server's as well. */
function isLost(error: unknown): boolean {
  const isOurs =
    error instanceof ClientGoneError || error instanceof PoolFullError || error instanceof PoolTimeoutError;
  return !isOurs && connectionLost(error);
}

function isUnwell(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || /^(08|40|53|57P|58|XX)/.test(error.code ?? '');
}
