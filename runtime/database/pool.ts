/**
 * Connections to one database. lanes.ts decides which operation gets which; docs/connections.md says why. Quick operations
 * share pipelined connections: several are on their way on each, which saves round trips and system calls. All others have a
 * connection to themselves.
 */
import { MemoryBudget } from '../core/memory/budget.ts';
import { type BoundStatement, openConnection, type PooledConnection } from './connection.ts';
import { type ConnectionSettings, Connections } from './connections.ts';
import {
  ConnectionFailedError,
  connectionLost,
  isReadOnly,
  lostByPooler,
  PoolClosedError,
  statementLost,
  statementsFailed,
  tookTooLong,
} from './failures.ts';
import { HeldOperations } from './held.ts';
import { History, type Known } from './history.ts';
import { LANES, type Lane, Lanes, LONG, WEIGHT } from './lanes.ts';
import { LockWaits } from './lock-waits.ts';
import { Silence } from './silence.ts';
import { cancelUnwanted, type IsWanted, type Task, type TaskConnection, type WriteManner } from './task.ts';
import { type CommandsAround, commandBytes, type ReadRow } from './text-query.ts';
import { type Waiter, type WaiterSettings, Waiters } from './waiters.ts';
import type { ConnectionConfiguration } from './ways.ts';
import { createSettingsAhead, type SettingsAhead, type Writer } from './writer.ts';

export interface PoolSettings extends ConnectionSettings, WaiterSettings {
  /** Limits what is remembered of statements. */
  readonly memory?: MemoryBudget | undefined;
  /** Only `exclusively` is used, so that no connections are kept for shared operations. */
  readonly isExclusive?: boolean;
}

/** Number of connections and waiting operations at this moment. */
export interface PoolState {
  /** Connections that are open or being opened. */
  readonly connections: number;
  /** Operations that wait for a connection. */
  readonly waiting: number;
}

const COMMIT = commandBytes('commit');

/** See the head of this file. */
export class Pool {
  readonly #settings: PoolSettings;
  readonly #settingsAhead: SettingsAhead;
  readonly #history: History;
  readonly #connections: Connections;
  readonly #lanes: Lanes<TaskConnection>;
  readonly #waiters: Waiters;
  readonly #lockWaits: LockWaits;
  readonly #silence: Silence;
  readonly #held: HeldOperations;
  readonly #sweeper: NodeJS.Timeout;
  #ended = false;

  constructor(
    configuration: () => ConnectionConfiguration | Promise<ConnectionConfiguration>,
    settings: PoolSettings,
  ) {
    this.#settings = settings;
    const { vocabulary } = settings;
    this.#settingsAhead = createSettingsAhead(vocabulary);
    this.#history = new History(settings.memory ?? new MemoryBudget());
    this.#connections = new Connections(configuration, settings, {
      connected: ({ roundTrip, isCluster }) => {
        this.#history.tookNothing(roundTrip);
        if (isCluster) this.#history.isCluster = true;
      },
      opened: () => this.#waiters.serve(),
      failed: (error) => this.#waiters.fail(new ConnectionFailedError(error)),
      closed: () => this.#openWanted(),
    });
    this.#lanes = new Lanes(this.#connections.open, settings.maxConnections, !settings.isExclusive);
    this.#waiters = new Waiters(this.#lanes, settings);
    const open = async () =>
      openConnection(await configuration(), { statementLimit: 0, vocabulary }, () => {});
    this.#lockWaits = new LockWaits(open);
    this.#silence = new Silence(open, () => this.#connections.closeIdle());
    this.#held = new HeldOperations({
      connections: this.#connections.open,
      lanes: this.#lanes,
      lockWaits: this.#lockWaits,
      silence: this.#silence,
      start: (task) => this.#start(task),
      looked: () => {
        this.#waiters.serve();
        this.#openWanted();
      },
    });
    this.#sweeper = setInterval(() => {
      this.#connections.sweep();
      this.#lockWaits.close(settings.idleTimeout * 1000);
    }, 1000).unref();
  }

  /** Whether the extension Citus was there when one of its connections was opened. */
  get isCluster(): boolean {
    return this.#history.isCluster;
  }

  get state(): PoolState {
    return { connections: this.#connections.size, waiting: this.#waiters.size };
  }

  /**
   * Runs a statement that yields one row of texts. It must only read: it runs again when its connection breaks.
   * @param isWanted a read whose client has left is not sent, or ended if it takes long
   * @throws ClientGoneError when it was not wanted any more
   */
  read(statement: BoundStatement, isWanted?: IsWanted): Promise<ReadRow> {
    return new Promise((resolve, reject) => {
      this.#run([statement], undefined, 'shared', undefined, (rows) => resolve(rows[0]!), reject, isWanted);
    });
  }

  /**
   * Runs statements as a transaction of their own; yields a row of texts for each.
   * @param kind isolation level and access mode, as SQL has them
   * @param writer what the settings of the transaction say
   * @param begins commands to be sent behind BEGIN, which is sent in any case then
   * @param isWanted a transaction that is not wanted any more is not sent
   * @throws StatementFailedError, CommitFailedError, LockWaitError or ClientGoneError, and nothing is written
   */
  write(
    statements: readonly BoundStatement[],
    kind: string,
    manner: WriteManner,
    writer?: Writer,
    begins?: readonly string[],
    isWanted?: IsWanted,
  ): Promise<readonly ReadRow[]> {
    return new Promise((resolve, reject) => {
      this.#run(statements, kind, manner, writer, resolve, reject, isWanted, begins);
    });
  }

  #run(
    statements: readonly BoundStatement[],
    writes: string | undefined,
    manner: WriteManner,
    writer: Writer | undefined,
    resolve: Task['resolve'],
    reject: Task['reject'],
    isWanted?: IsWanted,
    begins?: readonly string[],
  ): void {
    let known!: Known;
    const requests = statements.map((statement) => {
      known = this.#history.of(statement.text);
      return { name: known.name, statement };
    });
    this.#start({
      writes,
      manner,
      requests,
      writer,
      known,
      resolve,
      reject,
      isWanted,
      turn: 0,
      retried: false,
      unnamed: false,
      commands: begins,
      begins: begins !== undefined,
      wait: undefined,
    });
  }

  /** Gives `use` a dedicated connection. If its state is in doubt afterwards, mark it `retiring`, and it is closed. */
  async exclusively<Result>(use: (connection: PooledConnection) => Promise<Result>): Promise<Result> {
    const connection = await new Promise<TaskConnection>((resolve, fail) =>
      this.#acquire('alone', {
        take: (taken) => {
          taken.state = 'taken';
          taken.isSlow = false;
          resolve(taken);
        },
        fail,
      }),
    );
    try {
      return await this.#silence.during(connection, () => use(connection));
    } finally {
      this.#connections.release(connection);
      this.#waiters.serve();
    }
  }

  /** Refuses new work, waits for what runs, and closes every connection. */
  async end(): Promise<void> {
    this.#ended = true;
    clearInterval(this.#sweeper);
    this.#waiters.fail(new PoolClosedError());
    await this.#connections.end();
    this.#held.end();
    this.#lockWaits.close();
  }

  #start(task: Task): void {
    const lane = this.#laneOf(task);
    const take = (connection: TaskConnection) => {
      if (cancelUnwanted(task)) return;
      // Something may have become known while it waited.
      if (this.#laneOf(task) === lane) this.#send(connection, task, lane);
      else this.#start(task);
    };
    const connection = this.#waiters.sizeOf(lane) > 0 || this.#ended ? undefined : this.#lanes.find(lane);
    if (connection) take(connection);
    else this.#acquire(lane, { take, fail: task.reject }, task.wait === 'ended');
  }

  #laneOf({ writes, manner, known, begins, wait }: Task): Lane {
    if (known.isSlow || wait === 'ended') return 'slow';
    if (writes === undefined && known.time === undefined && known.isRunning) return 'slow';
    if (manner !== 'shared' || begins || known.time === undefined) return 'alone';
    if (writes !== undefined) return 'write';
    return this.#history.isQuick(known) ? 'quick' : 'read';
  }

  #send(connection: TaskConnection, task: Task, lane: Lane): void {
    const { requests, known } = task;
    const writes = task.writes !== undefined;
    task.begins = task.commands !== undefined || (writes && task.writes !== connection.defaults);
    const isShared = lane === 'quick' || lane === 'write' || lane === 'read';
    // The end of a transaction that failed takes a round trip, which nothing else may use.
    if (task.begins && isShared) {
      this.#start(task);
      return;
    }
    if (known.time === undefined) known.isRunning = true;
    if (!isShared) {
      connection.state = 'taken';
      connection.isSlow = lane === 'slow';
    }
    const wasIdle = connection.inFlight === 0;
    const weight = WEIGHT[lane];
    connection.load += weight;
    if (lane === 'read') connection.reads += 1;
    connection.writes = writes;
    task.turn += 1;
    const { turn } = task;
    if (connection.isEnding) task.wait ??= 'ending';
    connection.sent.push({ task, turn });
    const ahead = this.#settingsAhead(writes ? task.writer : undefined, connection.isDirect);
    const finish = (error: Error | undefined, rows: readonly ReadRow[], isCurrent: boolean) => {
      if (error && connectionLost(error)) this.#connections.remove(connection);
      // After a failover the address may lead to another server.
      else if (error && isReadOnly(error)) connection.state = 'retiring';
      // First, because an operation that runs again may get this very connection.
      if (isShared) this.#connections.answered(connection);
      else this.#connections.release(connection);
      this.#waiters.serve();
      if (!isCurrent) return;
      if (error) this.#failed(task, error, rows.length);
      else {
        task.turn += 1;
        task.resolve(rows);
      }
    };
    const settle = (error: Error | undefined, all: readonly ReadRow[], elapsed: number, idle: number) => {
      const heldFor = connection.ticks;
      connection.ticks = 0;
      connection.load -= weight;
      if (lane === 'read') connection.reads -= 1;
      connection.sent.shift();
      const isCurrent = turn === task.turn;
      if (isCurrent && !(error && connectionLost(error))) {
        if (wasIdle) this.#history.took(known, elapsed, idle);
        // A write that holds a connection for long may wait for a lock: the look at the locks tells.
        if (!writes) known.isSlow = heldFor >= LONG;
        else if (heldFor === 0) known.isSlow = false;
      }
      const rows = ahead.length > 0 ? all.slice(ahead.length) : all;
      if (error && task.begins) void rollBack(connection).then(() => finish(error, rows, isCurrent));
      else finish(error, rows, isCurrent);
    };
    const around = task.begins ? transaction(task.writes!, task.commands) : undefined;
    connection.send([...ahead, ...requests], task.unnamed, settle, around);
    this.#held.watch();
  }

  /** @param well statements that did not fail */
  #failed(task: Task, error: Error, well: number): void {
    const lost = connectionLost(error);
    const { requests } = task;
    const reads = task.writes === undefined;
    const unprepared = statementLost(error);
    const waited = task.wait === 'ending' && tookTooLong(error);
    task.wait = waited && !reads ? 'ended' : undefined;
    if (!waited && (task.retried || !((lost && reads) || unprepared))) {
      task.reject(reads ? error : statementsFailed(error, requests.length, Math.max(0, well)));
      return;
    }
    if (!waited) task.retried = true;
    if (lostByPooler(error)) this.#connections.prepareNoMore();
    // The unnamed statement always works.
    task.unnamed ||= unprepared;
    this.#start(task);
  }

  /** @param waitsForLock it waited for a lock already, which was ended */
  #acquire(lane: Lane, waiter: Waiter, waitsForLock = false): void {
    if (this.#ended) {
      waiter.fail(new PoolClosedError());
      return;
    }
    this.#waiters.add(lane, waiter, waitsForLock);
    if (!waiter.isServed) this.#openWanted();
  }

  /** Opens connections for those who wait; at the maximum, empties one for those who need it for themselves. */
  #openWanted(): void {
    let wanted = 0;
    let alone = 0;
    for (const lane of LANES) {
      const connections = this.#lanes.wanted(lane, this.#waiters.sizeOf(lane));
      wanted += connections;
      if (WEIGHT[lane] === WEIGHT.alone) alone += connections;
    }
    this.#connections.openUpTo(wanted);
    if (this.#connections.size < this.#settings.maxConnections) return;
    const reserved = this.#connections.open.filter(({ state }) => state === 'reserved').length;
    if (reserved >= alone - this.#connections.opening) return;
    const least = this.#lanes.leastBusy();
    if (least) least.state = 'reserved';
  }
}

function transaction(kind: string, commands: readonly string[] = []): CommandsAround {
  return { before: [`begin isolation level ${kind}`, ...commands].map(commandBytes), after: COMMIT };
}

/** Ends a transaction that failed. */
async function rollBack(connection: PooledConnection): Promise<void> {
  try {
    await connection.client.query('rollback');
  } catch {
    // The state is unknown, so the connection is not reused. A lost one has been removed already.
    if (connection.state === 'taken') connection.state = 'retiring';
  }
}
