/**
 * Connections to one database. Single statements share a few pipelined connections: several are on their way on each, which
 * saves round trips and system calls; those that write keep to themselves while they can, for they wait for the disk. What
 * could keep others waiting has a connection to itself: transactions, statements known to be slow, the first execution of
 * a statement of which nothing is known, and writes that had to wait for a lock.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import {
  type ConnectionConfiguration,
  openConnection,
  type PooledConnection,
  type TextRequest,
} from './connection.ts';
import {
  CommitFailedError,
  ConnectionFailedError,
  connectionLost,
  OtherDefaultsError,
  PoolClosedError,
  PoolTimeoutError,
  statementLost,
  waitedForLock,
} from './failures.ts';
import { statementName } from './statements.ts';
import type { Surroundings, TextRow } from './text-query.ts';

export interface PoolSettings {
  /** Most connections at any time. */
  readonly maxConnections: number;
  /** Seconds that a connection may stay idle. */
  readonly idleTimeout: number;
  /** Further attempts when connecting fails. */
  readonly retries: number;
  /** Seconds to wait for a connection; undefined = forever. */
  readonly poolTimeout?: number | undefined;
  /** Seconds until a connection is replaced; 0 = never. */
  readonly connectionLifetime: number;
  /** Most statements prepared on each connection; 0 = none. */
  readonly preparedStatements: number;
}

/** Milliseconds of expected work in flight on one connection before the next connection is used as well. */
const SHARE = 2;
/**
 * Connections that Postgres is trusted to work for at the same time. Beyond it a long time is taken for waiting for each
 * other: without that, every connection more would make statements look longer and call for the next connection.
 */
const PARALLEL = 2;
/** Milliseconds that the shortest statement counts for, and any other until it has been measured. */
const LEAST_WORK = 0.05;
/** The same of writes: not many, for one behind the other they commit one by one. */
const LEAST_WRITE = 0.4;
/** Milliseconds: a connection whose oldest query takes longer gets no further ones if another can be had. */
const STUCK = 50;
/** Milliseconds: statements that are expected to take longer are not pipelined with others. */
const SLOW = 10;
/**
 * Goes ahead of a write whose connection is shared, and fails it rather than let others wait for a lock behind it. What
 * failed has done nothing, and runs again by itself.
 */
const LIMIT_WAITING = `select set_config('lock_timeout', '20ms', true)`;
const LIMIT_WAITING_NAME = statementName(LIMIT_WAITING);
/** Milliseconds that a write runs by itself after one like it had to wait for a lock. */
const CONTENDED = 1000;
/** Statements whose duration is remembered. */
const REMEMBERED = 5000;
/** Milliseconds between attempts to connect. */
const RETRY_DELAY = 200;

interface Statement {
  readonly name: string;
  /** Milliseconds that Postgres works on it, undefined until measured. */
  work: number | undefined;
  /** It runs for the first time, or has run. */
  known: boolean;
  /** Until when it runs by itself because it had to wait for a lock; on the clock of `performance.now()`. */
  aloneUntil: number;
}

interface Task {
  /** Isolation level and access mode of the transaction that it is, as SQL has them; undefined: it only reads. */
  readonly writes: string | undefined;
  readonly request: TextRequest;
  readonly statement: Statement;
  readonly resolve: (row: TextRow) => void;
  readonly reject: (error: Error) => void;
  retried: boolean;
  unnamed: boolean;
  /** It had to wait for a lock. */
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
}

/** See the head of this file. */
export class Pool {
  readonly #settings: PoolSettings;
  readonly #configuration: () => ConnectionConfiguration | Promise<ConnectionConfiguration>;
  readonly #statements = new LRUCache<string, Statement>({ max: REMEMBERED });
  readonly #connections: PooledConnection[] = [];
  /** Milliseconds that the way to the database and back takes: the least that an empty query or a read took. */
  #roundTrip = Number.POSITIVE_INFINITY;
  #opening = 0;
  readonly #waiters: Waiter[] = [];
  /** Connections with statements in flight. */
  #busy = 0;
  readonly #sweeper: NodeJS.Timeout;
  #ended = false;
  #allClosed: (() => void) | undefined;

  constructor(
    configuration: () => ConnectionConfiguration | Promise<ConnectionConfiguration>,
    settings: PoolSettings,
  ) {
    this.#configuration = configuration;
    this.#settings = settings;
    this.#sweeper = setInterval(() => this.#sweep(), 1000);
    this.#sweeper.unref();
  }

  /** Connections that are open or being opened. */
  get size(): number {
    return this.#connections.length + this.#opening;
  }

  /** Runs a statement that yields one row of texts. It must only read: it runs again when its connection breaks. */
  read(text: string, values: TextRow): Promise<TextRow> {
    return this.#run(text, values, undefined);
  }

  /**
   * Runs a statement as a transaction of its own; yields its row of texts. Nothing else on its connection waits for long
   * where it waits for a lock.
   * @param kind isolation level and access mode, as SQL has them
   * @throws OtherDefaultsError, and nothing has run, unless that is what the session does by default
   */
  write(text: string, values: TextRow, kind: string): Promise<TextRow> {
    return this.#run(text, values, kind);
  }

  #run(text: string, values: TextRow, writes: string | undefined): Promise<TextRow> {
    return new Promise((resolve, reject) => {
      const statement = this.#statement(text);
      const request = { text, name: statement.name, values };
      this.#start({
        request,
        statement,
        writes,
        resolve,
        reject,
        retried: false,
        unnamed: false,
        alone: false,
      });
    });
  }

  /** Gives a connection to `use` alone. Mark it as `retiring` where its state is in doubt, and it is closed afterwards. */
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

  /** Name of a statement's prepared form. */
  statementName(text: string): string {
    return this.#statement(text).name;
  }

  #statement(text: string): Statement {
    let statement = this.#statements.get(text);
    if (!statement) {
      statement = { name: statementName(text), work: undefined, known: false, aloneUntil: 0 };
      this.#statements.set(text, statement);
    }
    return statement;
  }

  #start(task: Task): void {
    const { statement } = task;
    const writes = task.writes !== undefined;
    const work = Math.max(statement.work ?? 0, writes ? LEAST_WRITE : LEAST_WORK);
    const alone =
      task.alone || work > SLOW || !statement.known || (writes && performance.now() < statement.aloneUntil);
    // While the first execution is under way, others of the same statement are taken for short.
    statement.known = true;
    const connection = alone || this.#waiters.length > 0 ? undefined : this.#shared(work, writes);
    const take = (taken: PooledConnection) => this.#send(taken, task, work);
    if (connection) take(connection);
    else this.#acquire({ alone, work, writes, take, fail: task.reject });
  }

  #send(connection: PooledConnection, task: Task, work: number): void {
    const { writes } = task;
    if (writes !== undefined && writes !== connection.defaults) {
      task.reject(new OtherDefaultsError());
      if (connection.state === 'taken') this.#release(connection);
      return;
    }
    const wasIdle = connection.inFlight === 0;
    if (wasIdle) this.#busy += 1;
    connection.writes = writes !== undefined;
    connection.send(
      task.request,
      work,
      task.unnamed,
      (error, row, time) => {
        if (row) this.#measured(task, time, wasIdle);
        if (connection.inFlight === 0) this.#busy -= 1;
        if (row && !error) task.resolve(row);
        else this.#failed(connection, task, row ? new CommitFailedError(error) : error!);
        if (connection.state === 'taken') this.#release(connection);
        else if (connection.state !== 'shared' || this.#waiters.length > 0) this.#answered(connection);
      },
      writes !== undefined && connection.state === 'shared' ? limitWaiting(connection) : undefined,
    );
  }

  /**
   * Takes into account how long a statement was at the head of its connection. Behind others that is what Postgres worked
   * on it; alone it is the way there and back as well.
   */
  #measured({ statement, writes }: Task, time: number, wasIdle: boolean): void {
    if (wasIdle && writes === undefined) this.#roundTrip = Math.min(time, this.#roundTrip * 1.001);
    const worked = Math.max(0, wasIdle ? time - this.#roundTrip : time);
    // Writes that are one behind the other wait for the disk each, and could do so at the same time.
    const isAmongWrites = writes !== undefined && !wasIdle;
    const work = isAmongWrites ? worked : worked * Math.min(1, PARALLEL / this.#busy);
    const { work: before } = statement;
    // Much else may have caused a long time, and answers that arrive together share the time of the first.
    statement.work = before === undefined ? work : before + (Math.min(work, 2 * before + 1) - before) / 16;
  }

  #failed(connection: PooledConnection, task: Task, error: Error): void {
    const cause = error instanceof CommitFailedError ? error.cause : error;
    const lost = connectionLost(cause);
    const unprepared = statementLost(cause);
    const { statement } = task;
    const gaveWay = task.writes !== undefined && !task.alone && waitedForLock(cause);
    if (lost) this.#remove(connection);
    if (unprepared) {
      connection.statements.forget(task.request.text);
      connection.statements.forget(LIMIT_WAITING);
    }
    if (statement.work === undefined) statement.known = false;
    const lostRead = lost && task.writes === undefined;
    if (!gaveWay && (task.retried || !(lostRead || unprepared))) {
      task.reject(error);
      return;
    }
    if (gaveWay) {
      statement.aloneUntil = performance.now() + CONTENDED;
      task.alone = true;
    } else task.retried = true;
    // Behind a pooler the next backend may not have the statement either; the unnamed one always works.
    task.unnamed = unprepared;
    this.#start(task);
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

  /** A connection that nobody uses. The last ones first: the first ones are what reads share. */
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
    if (this.#settings.poolTimeout !== undefined) {
      waiter.timer = setTimeout(() => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        waiter.fail(new PoolTimeoutError());
      }, this.#settings.poolTimeout * 1000);
    }
    if (this.#opening < this.#wanted()) this.#open();
    if (waiter.alone && this.size >= this.#settings.maxConnections) this.#reserve();
  }

  /** Gives connections to those who wait, in their order as far as each can be served. */
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

  /** Where no more connections can be opened, a shared one is drained for whoever needs one to himself. */
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
    for (let attempt = 0; ; attempt++) {
      try {
        const configuration = await this.#configuration();
        const { preparedStatements } = this.#settings;
        const connection = await openConnection(configuration, preparedStatements, (closed) =>
          this.#remove(closed),
        );
        this.#roundTrip = Math.min(this.#roundTrip, connection.roundTrip);
        return connection;
      } catch (error) {
        if (attempt >= this.#settings.retries || this.#ended) throw error;
        await delay(RETRY_DELAY);
      }
    }
  }

  #expired(connection: PooledConnection): boolean {
    const { connectionLifetime } = this.#settings;
    return connectionLifetime > 0 && performance.now() - connection.openedAt > connectionLifetime * 1000;
  }

  /** Closes what is too old or has been idle for too long. */
  #sweep(): void {
    const idleSince = performance.now() - this.#settings.idleTimeout * 1000;
    for (const connection of [...this.#connections]) {
      if (connection.state !== 'shared') continue;
      const idle = connection.inFlight === 0 && connection.headSince < idleSince;
      if (idle || this.#expired(connection)) this.#retire(connection);
    }
  }

  /** Closes the connection as soon as nobody uses it. */
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

function limitWaiting({ statements }: PooledConnection): Surroundings {
  const preparation = statements.prepare(LIMIT_WAITING, LIMIT_WAITING_NAME);
  return { first: { text: LIMIT_WAITING, preparation } };
}
