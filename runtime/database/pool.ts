/**
 * Connections to one database. lanes.ts decides which operation gets which; docs/connections.md says why. Quick operations
 * share pipelined connections: several are on their way on each, which saves round trips and system calls. All others have a
 * connection to themselves.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { MemoryBudget } from '../core/memory/budget.ts';
import {
  type BoundStatement,
  type ConnectionConfiguration,
  openConnection,
  type PooledConnection,
  type TextRequest,
} from './connection.ts';
import {
  ConnectionFailedError,
  connectionLost,
  LockWaitError,
  lostByPooler,
  PoolClosedError,
  PoolTimeoutError,
  statementLost,
  statementsFailed,
  tookTooLong,
} from './failures.ts';
import { History, type Known } from './history.ts';
import { LANES, type Lane, Lanes, LONG, WEIGHT } from './lanes.ts';
import { LockWaits } from './lock-waits.ts';
import { commandBytes, type Surroundings, type TextRow } from './text-query.ts';
import { settingsAhead, type Writer } from './writer.ts';

export interface PoolSettings {
  /** Maximum number of connections. */
  readonly maxConnections: number;
  /** Seconds that a connection may stay idle. */
  readonly idleTimeout: number;
  /** Further attempts when connecting fails. */
  readonly retries: number;
  /** Seconds to wait for a connection; undefined = forever. */
  readonly poolTimeout?: number | undefined;
  /** Seconds until a connection is replaced; 0 = never. */
  readonly connectionLifetime: number;
  /** Maximum number of statements prepared on each connection; 0 = none. */
  readonly preparedStatements: number;
  /** Limits what is remembered of statements. */
  readonly memory?: MemoryBudget | undefined;
  /** Only `exclusively` is used, so that no connections are kept for shared operations. */
  readonly isExclusive?: boolean;
  /**
   * Called when a connection was opened or could not be, when an operation had to wait for one, and once when statements
   * are found not to stay prepared. Times in seconds.
   */
  readonly report?: ((event: PoolEvent, seconds: number) => void) | undefined;
}

export type PoolEvent = 'opened' | 'failed' | 'waited' | 'unprepared';

/** What a pool holds at this moment. */
export interface PoolState {
  /** Connections that are open or being opened. */
  readonly connections: number;
  /** Operations that wait for a connection. */
  readonly waiting: number;
}

/**
 * `shared`: a write of one row by one statement. `alone`: any other. `once`: one that may do what a transaction does not
 * undo, so it must not be undone and run again, whatever it waits for.
 */
export type WriteManner = 'shared' | 'alone' | 'once';

/**
 * Milliseconds between looks at the connections in use. Time is counted in looks, because a process that did not run for
 * a while has then missed looks as well as answers.
 */
const TICK = 50;
/** Seconds that a write, whose wait for a lock was ended, waits for a place where it may wait for the lock. */
const LOCK_PATIENCE = 5;
const COMMIT = commandBytes('commit');
/** Milliseconds between attempts to connect. */
const RETRY_DELAY = 200;

interface Task {
  /** Isolation level and access mode of the transaction that it is, as SQL has them; undefined: it only reads. */
  readonly writes: string | undefined;
  readonly manner: WriteManner;
  readonly requests: readonly TextRequest[];
  readonly writer: Writer | undefined;
  readonly known: Known;
  readonly resolve: (rows: readonly TextRow[]) => void;
  readonly reject: (error: Error) => void;
  /** Counts sendings and the end: the answer to an earlier sending is ignored. */
  turn: number;
  retried: boolean;
  unnamed: boolean;
  /** It needs a BEGIN, because the session's transactions are others by default. */
  begins: boolean;
  /** `ending`: its wait for a lock is being ended. `ended`: it was, which undid it. */
  wait: 'ending' | 'ended' | undefined;
}

/** A task on a connection. It is stale when the task was sent again, or is done. */
interface Sent {
  readonly task: Task;
  readonly turn: number;
}

interface Waiter {
  readonly take: (connection: PooledConnection<Sent>) => void;
  readonly fail: (error: Error) => void;
  isServed?: true;
  timer?: NodeJS.Timeout;
  /** performance.now() when the waiting began; absent where a connection was free. */
  since?: number;
}

/** See the head of this file. */
export class Pool {
  readonly #settings: PoolSettings;
  readonly #configuration: () => ConnectionConfiguration | Promise<ConnectionConfiguration>;
  readonly #history: History;
  readonly #connections: PooledConnection<Sent>[] = [];
  readonly #lanes: Lanes<PooledConnection<Sent>>;
  readonly #waiters: Readonly<Record<Lane, Waiter[]>> = {
    quick: [],
    write: [],
    read: [],
    alone: [],
    slow: [],
  };
  readonly #lockWaits: LockWaits;
  #opening = 0;
  /** Waits for locks are being ended. */
  #isEnding = false;
  readonly #sweeper: NodeJS.Timeout;
  #ticker: NodeJS.Timeout | undefined;
  /** Maximum number of statements prepared on each connection; 0 once a pooler was found to lose them. */
  #preparedStatements: number;
  #ended = false;
  #allClosed: (() => void) | undefined;

  constructor(
    configuration: () => ConnectionConfiguration | Promise<ConnectionConfiguration>,
    settings: PoolSettings,
  ) {
    this.#configuration = configuration;
    this.#settings = settings;
    this.#preparedStatements = settings.preparedStatements;
    this.#history = new History(settings.memory ?? new MemoryBudget());
    this.#lanes = new Lanes(this.#connections, settings.maxConnections, !settings.isExclusive);
    this.#lockWaits = new LockWaits(async () => openConnection(await configuration(), 0, () => {}));
    this.#sweeper = setInterval(() => this.#sweep(), 1000);
    this.#sweeper.unref();
  }

  /** Connections that are open or being opened. */
  get size(): number {
    return this.#connections.length + this.#opening;
  }

  get state(): PoolState {
    const waiting = LANES.reduce((sum, lane) => sum + this.#waiters[lane].length, 0);
    return { connections: this.size, waiting };
  }

  /** Runs a statement that yields one row of texts. It must only read: it runs again when its connection breaks. */
  async read(statement: BoundStatement): Promise<TextRow> {
    const [row] = await this.#run([statement], undefined, 'shared', undefined);
    return row!;
  }

  /**
   * Runs statements as a transaction of their own; yields a row of texts for each.
   * @param kind isolation level and access mode, as SQL has them
   * @param writer what the settings of the transaction say
   * @throws StatementFailedError, CommitFailedError or LockWaitError, and nothing is written
   */
  write(
    statements: readonly BoundStatement[],
    kind: string,
    manner: WriteManner,
    writer?: Writer,
  ): Promise<readonly TextRow[]> {
    return this.#run(statements, kind, manner, writer);
  }

  #run(
    statements: readonly BoundStatement[],
    writes: string | undefined,
    manner: WriteManner,
    writer: Writer | undefined,
  ): Promise<readonly TextRow[]> {
    return new Promise((resolve, reject) => {
      const requests = statements.map((statement) => ({
        name: this.#history.of(statement.text).name,
        statement,
      }));
      this.#start({
        writes,
        manner,
        requests,
        writer,
        known: this.#history.of(statements.at(-1)!.text),
        resolve,
        reject,
        turn: 0,
        retried: false,
        unnamed: false,
        begins: false,
        wait: undefined,
      });
    });
  }

  /** Gives `use` a dedicated connection. If its state is in doubt afterwards, mark it `retiring`, and it is closed. */
  async exclusively<Result>(use: (connection: PooledConnection) => Promise<Result>): Promise<Result> {
    const connection = await new Promise<PooledConnection<Sent>>((resolve, fail) =>
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
      return await use(connection);
    } finally {
      this.#release(connection);
    }
  }

  /** Refuses new work, waits for what runs, and closes every connection. */
  async end(): Promise<void> {
    this.#ended = true;
    clearInterval(this.#sweeper);
    this.#failWaiters(new PoolClosedError());
    for (const connection of [...this.#connections]) this.#retire(connection);
    if (this.size > 0) {
      await new Promise<void>((resolve) => {
        this.#allClosed = resolve;
      });
    }
    clearInterval(this.#ticker);
    this.#lockWaits.close();
  }

  #start(task: Task): void {
    const lane = this.#laneOf(task);
    const take = (connection: PooledConnection<Sent>) => {
      // Something may have become known while it waited.
      if (this.#laneOf(task) === lane) this.#send(connection, task, lane);
      else this.#start(task);
    };
    const connection = this.#waiters[lane].length > 0 || this.#ended ? undefined : this.#lanes.find(lane);
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

  #send(connection: PooledConnection<Sent>, task: Task, lane: Lane): void {
    const { requests, known } = task;
    const writes = task.writes !== undefined;
    task.begins = writes && task.writes !== connection.defaults;
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
    const ahead = writes ? settingsAhead(task.writer) : [];
    const finish = (error: Error | undefined, rows: readonly TextRow[], isCurrent: boolean) => {
      if (error && connectionLost(error)) this.#remove(connection);
      // First, because an operation that runs again may get this very connection.
      if (isShared) this.#answered(connection);
      else this.#release(connection);
      if (!isCurrent) return;
      if (error) this.#failed(task, error, rows.length);
      else {
        task.turn += 1;
        task.resolve(rows);
      }
    };
    const settle = (error: Error | undefined, all: readonly TextRow[], idle: number) => {
      const heldFor = connection.ticks;
      connection.ticks = 0;
      connection.load -= weight;
      if (lane === 'read') connection.reads -= 1;
      connection.sent.shift();
      const isCurrent = turn === task.turn;
      if (isCurrent && !(error && connectionLost(error))) {
        if (wasIdle) this.#history.took(known, idle);
        // What holds a connection for long while it writes may wait for a lock: the look at the locks tells.
        if (!writes) known.isSlow = heldFor >= LONG;
        else if (heldFor === 0) known.isSlow = false;
      }
      const rows = ahead.length > 0 ? all.slice(ahead.length) : all;
      if (error && task.begins) void rollBack(connection).then(() => finish(error, rows, isCurrent));
      else finish(error, rows, isCurrent);
    };
    const surroundings = task.begins ? transaction(task.writes!) : undefined;
    connection.send([...ahead, ...requests], task.unnamed, settle, surroundings);
    this.#ticker ??= setInterval(() => setImmediate(() => this.#tick()), TICK).unref();
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
    if (unprepared) this.#prepareNoMore(error);
    // The unnamed statement always works.
    task.unnamed ||= unprepared;
    this.#start(task);
  }

  /**
   * Statements are lost only behind a pooler that gives each transaction another backend and does not keep track of them.
   * From now on no connection of this pool uses named statements.
   */
  #prepareNoMore(error: Error): void {
    if (!lostByPooler(error) || this.#preparedStatements === 0) return;
    this.#preparedStatements = 0;
    for (const { statements } of this.#connections) statements.disable();
    this.#settings.report?.('unprepared', 0);
  }

  /** Looks for operations that hold their connections for long. */
  #tick(): void {
    let isIdle = true;
    const held: PooledConnection<Sent>[] = [];
    for (const connection of this.#connections) {
      if (connection.sent.length === 0) continue;
      isIdle = false;
      connection.ticks += 1;
      if (connection.ticks >= LONG) held.push(connection);
    }
    if (isIdle) {
      clearInterval(this.#ticker);
      this.#ticker = undefined;
      return;
    }
    for (const { state, sent, ticks } of held) {
      const { task: head } = sent[0]!;
      if (head.writes === undefined) head.known.isSlow = true;
      if (state === 'taken' || ticks > LONG) continue;
      // Reads behind it run elsewhere; when their turn comes here, nothing waits for the answers any more.
      for (const { task, turn } of sent.slice(1)) {
        if (task.writes !== undefined || turn !== task.turn) continue;
        task.turn += 1;
        this.#start(task);
      }
    }
    void this.#endWaits(held);
    this.#serve();
    this.#openWanted();
  }

  /**
   * Ends what is at the head of connections in vain: reads that run elsewhere by now; and writes that wait for locks while
   * others are behind them, or that hold more connections than slow operations may. Writes run again where they may wait.
   */
  async #endWaits(held: readonly PooledConnection<Sent>[]): Promise<void> {
    // A pooler gives its own process ids, which may be those of other backends.
    const direct = held.filter(({ isDirect }) => isDirect);
    const stale = direct.filter(({ sent: [head] }) => head!.turn !== head!.task.turn);
    const undoable = direct.filter((connection) => mayBeUndone(connection.sent[0]!.task));
    const blocking = undoable.filter(({ sent }) => sent.length > 1);
    const excess = Math.max(0, -this.#lanes.slowRoom() - blocking.length);
    const waits = [...blocking, ...undoable.filter(({ sent }) => sent.length === 1).slice(0, excess)];
    const asked = [...stale, ...waits];
    if (asked.length === 0 || this.#isEnding) return;
    this.#isEnding = true;
    const heads = asked.map(({ sent: [head] }) => head!.task);
    // Those behind, and those that are sent now, may be hit instead if the head ends by itself; they are undone as well.
    for (const connection of asked) {
      connection.isEnding = true;
      for (const { task } of connection.sent) task.wait ??= 'ending';
    }
    let ended: ReadonlySet<number> = new Set();
    try {
      ended = await this.#lockWaits.end(processes(waits), processes(stale));
    } catch {
      // The database does not answer: nothing can be done about locks, either.
    }
    this.#isEnding = false;
    asked.forEach((connection, index) => {
      connection.isEnding = false;
      if (ended.has(connection.processId)) return;
      for (const { task } of connection.sent) if (task.wait === 'ending') task.wait = undefined;
      // It works, so others of its kind had better be alone.
      const head = heads[index]!;
      if (connection.state !== 'taken' && connection.sent[0]?.task === head) head.known.isSlow = true;
    });
  }

  #acquire(lane: Lane, waiter: Waiter, waitsForLock = false): void {
    if (this.#ended) {
      waiter.fail(new PoolClosedError());
      return;
    }
    const queue = this.#waiters[lane];
    queue.push(waiter);
    this.#serve();
    if (waiter.isServed) return;
    waiter.since = performance.now();
    const { poolTimeout = Number.POSITIVE_INFINITY } = this.#settings;
    const seconds = waitsForLock ? Math.min(LOCK_PATIENCE, poolTimeout) : poolTimeout;
    if (Number.isFinite(seconds)) {
      waiter.timer = setTimeout(() => {
        queue.splice(queue.indexOf(waiter), 1);
        waiter.fail(waitsForLock ? new LockWaitError() : new PoolTimeoutError());
      }, seconds * 1000);
    }
    this.#openWanted();
  }

  /** Gives waiting operations the connections that are free for them. */
  #serve(): void {
    for (const lane of LANES) {
      const queue = this.#waiters[lane];
      while (queue.length > 0) {
        const connection = this.#lanes.find(lane);
        if (!connection) break;
        const waiter = queue.shift()!;
        waiter.isServed = true;
        clearTimeout(waiter.timer);
        if (waiter.since !== undefined)
          this.#settings.report?.('waited', (performance.now() - waiter.since) / 1000);
        waiter.take(connection);
      }
    }
  }

  /** Opens connections for those who wait; at the maximum, empties one for those who need it for themselves. */
  #openWanted(): void {
    let wanted = 0;
    let alone = 0;
    for (const lane of LANES) {
      const connections = this.#lanes.wanted(lane, this.#waiters[lane].length);
      wanted += connections;
      if (WEIGHT[lane] === WEIGHT.alone) alone += connections;
    }
    while (this.#opening < wanted && this.size < this.#settings.maxConnections && !this.#ended) this.#open();
    if (this.size < this.#settings.maxConnections) return;
    const reserved = this.#connections.filter(({ state }) => state === 'reserved').length;
    if (reserved >= alone - this.#opening) return;
    const least = this.#lanes.leastBusy();
    if (least) least.state = 'reserved';
  }

  /** A query was answered, and there may be something to be done about its connection or for those who wait. */
  #answered(connection: PooledConnection<Sent>): void {
    if (connection.inFlight === 0) {
      if (connection.state === 'retiring') this.#close(connection);
      if (connection.state === 'reserved') connection.state = 'shared';
    }
    this.#serve();
  }

  #release(connection: PooledConnection<Sent>): void {
    if (connection.state === 'taken') connection.state = 'shared';
    if (connection.state === 'retiring' || this.#ended || this.#expired(connection)) this.#retire(connection);
    this.#serve();
  }

  #open(): void {
    this.#opening += 1;
    this.#connect().then(
      (connection) => {
        this.#opening -= 1;
        this.#connections.push(connection);
        if (this.#ended) this.#retire(connection);
        this.#serve();
      },
      (error: unknown) => {
        this.#opening -= 1;
        if (this.size > 0) return;
        this.#failWaiters(new ConnectionFailedError(error));
        this.#allClosed?.();
      },
    );
  }

  async #connect(): Promise<PooledConnection<Sent>> {
    const { report } = this.#settings;
    for (let attempt = 0; ; attempt++) {
      const start = performance.now();
      const took = () => (performance.now() - start) / 1000;
      try {
        const configuration = await this.#configuration();
        const connection = await openConnection<Sent>(configuration, this.#preparedStatements, (closed) =>
          this.#remove(closed),
        );
        if (this.#preparedStatements === 0) connection.statements.disable();
        this.#history.tookNothing(connection.roundTrip);
        report?.('opened', took());
        return connection;
      } catch (error) {
        report?.('failed', took());
        if (attempt >= this.#settings.retries || this.#ended) throw error;
        await delay(RETRY_DELAY);
      }
    }
  }

  #failWaiters(error: Error): void {
    for (const lane of LANES) {
      for (const waiter of this.#waiters[lane].splice(0)) {
        clearTimeout(waiter.timer);
        waiter.fail(error);
      }
    }
  }

  #expired(connection: PooledConnection<Sent>): boolean {
    const { connectionLifetime } = this.#settings;
    if (connection.isWorn) return true;
    return connectionLifetime > 0 && performance.now() - connection.openedAt > connectionLifetime * 1000;
  }

  /** Closes what is too old, worn, or has been idle for too long. */
  #sweep(): void {
    const { idleTimeout } = this.#settings;
    const idleSince = performance.now() - idleTimeout * 1000;
    for (const connection of [...this.#connections]) {
      if (connection.state !== 'shared') continue;
      const idle = connection.inFlight === 0 && connection.headSince < idleSince;
      if (idle || this.#expired(connection)) this.#retire(connection);
    }
    this.#lockWaits.close(idleTimeout * 1000);
  }

  /** Closes the connection once it is idle. */
  #retire(connection: PooledConnection<Sent>): void {
    if (connection.state === 'taken' || connection.state === 'closed') return;
    connection.state = 'retiring';
    if (connection.inFlight === 0) this.#close(connection);
  }

  #close(connection: PooledConnection<Sent>): void {
    this.#remove(connection);
    connection.client.end().catch(() => {});
  }

  #remove(connection: PooledConnection<Sent>): void {
    connection.state = 'closed';
    const index = this.#connections.indexOf(connection);
    if (index < 0) return;
    this.#connections.splice(index, 1);
    if (this.size === 0) this.#allClosed?.();
    this.#openWanted();
  }
}

/** What waits for a lock and can be undone: `once` cannot, and what waited before has its place. */
function mayBeUndone({ writes, manner, wait }: Task): boolean {
  return writes !== undefined && manner !== 'once' && wait !== 'ended';
}

function processes(connections: readonly PooledConnection<Sent>[]): number[] {
  return connections.map(({ processId }) => processId);
}

function transaction(kind: string): Surroundings {
  return { before: [commandBytes(`begin isolation level ${kind}`)], after: COMMIT };
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
