/**
 * Connections to one database. Single statements share a few pipelined connections: several are on their way on each, which
 * saves round trips and system calls; those that write keep to themselves while they can, for they wait for the disk. What
 * could keep others waiting has a connection to itself: transactions, statements known to be slow, the first execution of
 * a statement of which nothing is known, and writes that had to wait for a lock.
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
import { Durations, type Known } from './durations.ts';
import {
  ConnectionFailedError,
  connectionLost,
  lostByPooler,
  PoolClosedError,
  PoolTimeoutError,
  statementLost,
  statementsFailed,
  tookTooLong,
} from './failures.ts';
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

/** Milliseconds of expected work in flight on one connection before the next connection is used as well. */
const SHARE = 2;
/** Milliseconds: a connection whose oldest query takes longer gets no further ones if another can be had. */
const STUCK = 50;
/** Milliseconds: statements that are expected to take longer are not pipelined with others. */
const SLOW = 10;
/** How long a statement gets dedicated connections after it blocked a shared one (ms). */
const CONTENDED = 1000;
const COMMIT = commandBytes('commit');
/** Milliseconds between attempts to connect. */
const RETRY_DELAY = 200;

interface Task {
  /** Isolation level and access mode of the transaction that it is, as SQL has them; undefined: it only reads. */
  readonly writes: string | undefined;
  readonly requests: readonly TextRequest[];
  readonly writer: Writer | undefined;
  /** Measurements of the statements together. */
  readonly known: Known;
  readonly resolve: (rows: readonly TextRow[]) => void;
  readonly reject: (error: Error) => void;
  retried: boolean;
  unnamed: boolean;
  /** It is not for a shared connection. */
  alone: boolean;
}

interface Waiter {
  /** Wants a connection to itself. */
  readonly alone: boolean;
  /** Milliseconds of work that it will put on the connection it gets. */
  readonly work: number;
  readonly writes: boolean;
  readonly take: (connection: PooledConnection) => void;
  readonly fail: (error: Error) => void;
  timer?: NodeJS.Timeout;
  /** performance.now() when the waiting began; absent where a connection was free. */
  since?: number;
}

/** See the head of this file. */
export class Pool {
  readonly #settings: PoolSettings;
  readonly #configuration: () => ConnectionConfiguration | Promise<ConnectionConfiguration>;
  readonly #durations: Durations;
  readonly #connections: PooledConnection[] = [];
  #opening = 0;
  readonly #waiters: Waiter[] = [];
  /** Connections with statements in flight. */
  #busy = 0;
  readonly #sweeper: NodeJS.Timeout;
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
    this.#durations = new Durations(settings.memory ?? new MemoryBudget());
    this.#sweeper = setInterval(() => this.#sweep(), 1000);
    this.#sweeper.unref();
  }

  /** Connections that are open or being opened. */
  get size(): number {
    return this.#connections.length + this.#opening;
  }

  get state(): PoolState {
    return { connections: this.size, waiting: this.#waiters.length };
  }

  /** Runs a statement that yields one row of texts. It must only read: it runs again when its connection breaks. */
  async read(statement: BoundStatement): Promise<TextRow> {
    const [row] = await this.#run([statement], undefined, false, undefined);
    return row!;
  }

  /**
   * Runs statements as a transaction of their own; yields a row of texts for each. Nothing else on their connection waits for
   * long where they wait for a lock.
   * @param kind isolation level and access mode, as SQL has them
   * @param alone run on a dedicated connection
   * @param writer what the settings of the transaction say
   * @throws StatementFailedError or CommitFailedError, and nothing is written
   */
  write(
    statements: readonly BoundStatement[],
    kind: string,
    alone: boolean,
    writer?: Writer,
  ): Promise<readonly TextRow[]> {
    return this.#run(statements, kind, alone, writer);
  }

  #run(
    statements: readonly BoundStatement[],
    writes: string | undefined,
    alone: boolean,
    writer: Writer | undefined,
  ): Promise<readonly TextRow[]> {
    return new Promise((resolve, reject) => {
      this.#start({
        requests: statements.map((statement) => ({
          name: this.#durations.statement(statement.text).name,
          statement,
        })),
        known: this.#durations.together(statements.map(({ text }) => text)),
        writes,
        writer,
        resolve,
        reject,
        retried: false,
        unnamed: false,
        alone,
      });
    });
  }

  /** Gives `use` a dedicated connection. If its state is in doubt afterwards, mark it `retiring`, and it is closed. */
  async exclusively<Result>(use: (connection: PooledConnection) => Promise<Result>): Promise<Result> {
    const connection = await new Promise<PooledConnection>((take, fail) =>
      this.#acquire({ alone: true, work: 0, writes: false, take, fail }),
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
    for (const waiter of this.#waiters.splice(0)) fail(waiter, new PoolClosedError());
    for (const connection of [...this.#connections]) this.#retire(connection);
    if (this.size > 0) {
      await new Promise<void>((resolve) => {
        this.#allClosed = resolve;
      });
    }
  }

  #start(task: Task): void {
    const { known } = task;
    const writes = task.writes !== undefined;
    const work = this.#durations.expected(known, writes);
    const alone =
      task.alone || work > SLOW || !known.hasRun || (writes && performance.now() < known.aloneUntil);
    // While the first execution is under way, others of the same statements are taken for short.
    known.hasRun = true;
    const connection = alone || this.#waiters.length > 0 ? undefined : this.#shared(work, writes);
    const take = (taken: PooledConnection) => this.#send(taken, task, work);
    if (connection) take(connection);
    else this.#acquire({ alone, work, writes, take, fail: task.reject });
  }

  #send(connection: PooledConnection, task: Task, work: number): void {
    const { requests, known } = task;
    const writes = task.writes !== undefined;
    const isShared = connection.state === 'shared';
    // Without a BEGIN, statements run in the session's default mode.
    const begins = writes && task.writes !== connection.defaults;
    if (begins && isShared) {
      task.alone = true;
      this.#start(task);
      return;
    }
    const wasIdle = connection.inFlight === 0;
    if (wasIdle) this.#busy += 1;
    connection.writes = writes;
    const ahead = writes ? settingsAhead(task.writer, isShared) : [];
    const settle = async (error: Error | undefined, all: readonly TextRow[], time: number) => {
      const rows = all.slice(ahead.length);
      if (rows.length === requests.length) this.#durations.measured(known, time, writes, wasIdle, this.#busy);
      if (connection.inFlight === 0) this.#busy -= 1;
      if (error && begins) await rollBack(connection);
      if (error) this.#failed(connection, task, error, rows.length, isShared);
      else task.resolve(rows);
      if (connection.state === 'taken') this.#release(connection);
      else if (connection.state !== 'shared' || this.#waiters.length > 0) this.#answered(connection);
    };
    const surroundings = begins ? transaction(task.writes) : undefined;
    connection.send([...ahead, ...requests], work, task.unnamed, settle, surroundings);
  }

  /** @param well statements that did not fail */
  #failed(connection: PooledConnection, task: Task, error: Error, well: number, wasShared: boolean): void {
    const { known, requests } = task;
    const reads = task.writes === undefined;
    const lost = connectionLost(error);
    const unprepared = statementLost(error);
    const gaveWay = !reads && wasShared && tookTooLong(error);
    if (lost) this.#remove(connection);
    if (known.work === undefined) known.hasRun = false;
    if (!gaveWay && (task.retried || !((lost && reads) || unprepared))) {
      task.reject(reads ? error : statementsFailed(error, requests.length, well));
      return;
    }
    if (gaveWay) {
      known.aloneUntil = performance.now() + CONTENDED;
      task.alone = true;
    } else task.retried = true;
    if (unprepared) this.#prepareNoMore(error);
    // The unnamed statement always works.
    task.unnamed = unprepared;
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

  /** The connection for one more fast statement, if one can be had at once. */
  #shared(work: number, writes: boolean): PooledConnection | undefined {
    const now = performance.now();
    let least: PooledConnection | undefined;
    let other: PooledConnection | undefined;
    for (const connection of this.#connections) {
      const { state, inFlight, load } = connection;
      if (state !== 'shared') continue;
      if (inFlight === 0) return connection;
      if (now - connection.headSince > STUCK) continue;
      if (connection.writes !== writes) {
        if (!other || load < other.load) other = connection;
        continue;
      }
      // The first connections are filled before others are used: answers arrive in larger portions, and connections
      // that the load does not need become idle and are closed.
      if (load + work <= SHARE) return connection;
      if (!least || load < least.load) least = connection;
    }
    if (least && this.#opening === 0) this.#open();
    return least ?? (this.size < this.#settings.maxConnections ? undefined : other);
  }

  /** An idle connection. Searches from the end, because reads share the first ones. */
  #idle(): PooledConnection | undefined {
    return this.#connections.findLast(
      ({ state, inFlight }) => inFlight === 0 && (state === 'shared' || state === 'reserved'),
    );
  }

  #acquire(waiter: Waiter): void {
    if (this.#ended) {
      waiter.fail(new PoolClosedError());
      return;
    }
    this.#waiters.push(waiter);
    this.#serve();
    if (!this.#waiters.includes(waiter)) return;
    waiter.since = performance.now();
    if (this.#settings.poolTimeout !== undefined) {
      waiter.timer = setTimeout(() => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        waiter.fail(new PoolTimeoutError());
      }, this.#settings.poolTimeout * 1000);
    }
    if (this.#opening < this.#wanted()) this.#open();
    if (waiter.alone && this.size >= this.#settings.maxConnections) this.#reserve();
  }

  /** Serves waiting operations in order; skips those for which no connection is free. */
  #serve(): void {
    for (let index = 0; index < this.#waiters.length; ) {
      const waiter = this.#waiters[index]!;
      const connection = waiter.alone ? this.#idle() : this.#shared(waiter.work, waiter.writes);
      if (!connection) {
        index += 1;
        continue;
      }
      this.#waiters.splice(index, 1);
      clearTimeout(waiter.timer);
      if (waiter.since !== undefined)
        this.#settings.report?.('waited', (performance.now() - waiter.since) / 1000);
      if (waiter.alone) connection.state = 'taken';
      waiter.take(connection);
    }
  }

  /** How many more connections those who wait could use. */
  #wanted(): number {
    let connections = 0;
    let shared = 0;
    for (const { alone, work } of this.#waiters) {
      if (alone) connections += 1;
      else shared += work;
    }
    return connections + Math.ceil(shared / SHARE);
  }

  /** At the maximum of connections, drains a shared one for an operation that needs a dedicated one. */
  #reserve(): void {
    const wanted = this.#waiters.filter(({ alone }) => alone).length;
    const reserved = this.#connections.filter(({ state }) => state === 'reserved').length;
    if (reserved >= wanted) return;
    let least: PooledConnection | undefined;
    for (const connection of this.#connections) {
      if (connection.state === 'shared' && (!least || connection.inFlight < least.inFlight))
        least = connection;
    }
    if (least) least.state = 'reserved';
  }

  /** A query was answered, and there is something to be done about its connection or for those who wait. */
  #answered(connection: PooledConnection): void {
    if (connection.inFlight === 0) {
      if (connection.state === 'retiring') this.#close(connection);
      if (connection.state === 'reserved' && !this.#waiters.some(({ alone }) => alone))
        connection.state = 'shared';
    }
    this.#serve();
  }

  #release(connection: PooledConnection): void {
    if (connection.state === 'taken') connection.state = 'shared';
    if (connection.state === 'retiring' || this.#ended || this.#expired(connection)) this.#retire(connection);
    this.#serve();
  }

  #open(): void {
    if (this.size >= this.#settings.maxConnections || this.#ended) return;
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
        if (this.size === 0) {
          for (const waiter of this.#waiters.splice(0)) fail(waiter, new ConnectionFailedError(error));
          this.#allClosed?.();
        } else this.#reserve();
      },
    );
  }

  async #connect(): Promise<PooledConnection> {
    const { report } = this.#settings;
    for (let attempt = 0; ; attempt++) {
      const start = performance.now();
      const took = () => (performance.now() - start) / 1000;
      try {
        const configuration = await this.#configuration();
        const connection = await openConnection(configuration, this.#preparedStatements, (closed) =>
          this.#remove(closed),
        );
        if (this.#preparedStatements === 0) connection.statements.disable();
        this.#durations.tookNothing(connection.roundTrip);
        report?.('opened', took());
        return connection;
      } catch (error) {
        report?.('failed', took());
        if (attempt >= this.#settings.retries || this.#ended) throw error;
        await delay(RETRY_DELAY);
      }
    }
  }

  #expired(connection: PooledConnection): boolean {
    const { connectionLifetime } = this.#settings;
    if (connection.isWorn) return true;
    return connectionLifetime > 0 && performance.now() - connection.openedAt > connectionLifetime * 1000;
  }

  /** Closes what is too old, worn, or has been idle for too long. */
  #sweep(): void {
    const idleSince = performance.now() - this.#settings.idleTimeout * 1000;
    for (const connection of [...this.#connections]) {
      if (connection.state !== 'shared') continue;
      const idle = connection.inFlight === 0 && connection.headSince < idleSince;
      if (idle || this.#expired(connection)) this.#retire(connection);
    }
  }

  /** Closes the connection once it is idle. */
  #retire(connection: PooledConnection): void {
    if (connection.state === 'taken' || connection.state === 'closed') return;
    connection.state = 'retiring';
    if (connection.inFlight === 0) this.#close(connection);
  }

  #close(connection: PooledConnection): void {
    this.#remove(connection);
    connection.client.end().catch(() => {});
  }

  #remove(connection: PooledConnection): void {
    connection.state = 'closed';
    const index = this.#connections.indexOf(connection);
    if (index < 0) return;
    this.#connections.splice(index, 1);
    if (this.size === 0) this.#allClosed?.();
    if (this.#opening < this.#wanted()) this.#open();
  }
}

function fail(waiter: Waiter, error: Error): void {
  clearTimeout(waiter.timer);
  waiter.fail(error);
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
