/**
 * Connections to one database. Reads share a few pipelined connections: several queries are on their way on each, which
 * saves round trips and system calls. What could keep others waiting has a connection to itself: transactions,
 * statements known to be slow, and the first execution of a statement of which nothing is known.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import {
  type ConnectionConfiguration,
  openConnection,
  type PooledConnection,
  type TextRequest,
} from './connection.ts';
import { statementName } from './statements.ts';
import type { TextRow } from './text-query.ts';

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

/** No connection could be opened; `cause` is what `pg` reported. */
export class ConnectionFailedError extends Error {
  constructor(cause: unknown) {
    super('cannot connect to the database', { cause });
  }
}

/** No connection became free within the pool's timeout. */
export class PoolTimeoutError extends Error {
  constructor() {
    super('no connection to the database became free in time');
  }
}

/** The pool was ended. */
class PoolClosedError extends Error {
  constructor() {
    super('the connections to the database are closed');
  }
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
/** Milliseconds: a connection whose oldest query takes longer gets no further ones if another can be had. */
const STUCK = 50;
/** Milliseconds: statements that are expected to take longer are not pipelined with others. */
const SLOW = 10;
/** Statements whose duration is remembered. */
const REMEMBERED = 5000;
/** Milliseconds between attempts to connect. */
const RETRY_DELAY = 200;

interface Statement {
  readonly name: string;
  /** Milliseconds that Postgres works on it, undefined until measured. */
  work: number | undefined;
  runs: number;
}

interface Read {
  readonly request: TextRequest;
  readonly statement: Statement;
  readonly resolve: (row: TextRow) => void;
  readonly reject: (error: Error) => void;
  retried: boolean;
  unnamed: boolean;
}

interface Waiter {
  /** Wants a connection to itself. */
  readonly alone: boolean;
  /** Milliseconds of work that it will put on the connection it gets. */
  readonly work: number;
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
  /** Milliseconds that the way to the database and back takes: the least that anything took from end to end. */
  #roundTrip = Number.POSITIVE_INFINITY;
  #opening = 0;
  readonly #waiters: Waiter[] = [];
  /** Connections with reads in flight. */
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
    return new Promise((resolve, reject) => {
      const statement = this.#statement(text);
      const request = { text, name: statement.name, values };
      this.#start({ request, statement, resolve, reject, retried: false, unnamed: false });
    });
  }

  /** Gives a connection to `use` alone. Mark it as `retiring` where its state is in doubt, and it is closed afterwards. */
  async exclusively<Result>(use: (connection: PooledConnection) => Promise<Result>): Promise<Result> {
    const connection = await new Promise<PooledConnection>((take, fail) =>
      this.#acquire(true, 0, take, fail),
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
      statement = { name: statementName(text), work: undefined, runs: 0 };
      this.#statements.set(text, statement);
    }
    return statement;
  }

  #start(read: Read): void {
    const { statement } = read;
    statement.runs += 1;
    const work = Math.max(statement.work ?? 0, LEAST_WORK);
    // While the first execution is under way, others of the same statement are taken for short.
    const alone = work > SLOW || (statement.work === undefined && statement.runs === 1);
    const connection = alone || this.#waiters.length > 0 ? undefined : this.#shared(work);
    if (connection) this.#send(connection, read, work);
    else this.#acquire(alone, work, (acquired) => this.#send(acquired, read, work), read.reject);
  }

  #send(connection: PooledConnection, read: Read, work: number): void {
    const wasIdle = connection.inFlight === 0;
    if (wasIdle) this.#busy += 1;
    connection.send(read.request, work, read.unnamed, (error, row, time) => {
      if (row) this.#measured(read.statement, time, wasIdle);
      if (connection.inFlight === 0) this.#busy -= 1;
      if (row) read.resolve(row);
      else this.#failed(connection, read, error!);
      if (connection.state === 'taken') this.#release(connection);
      else if (connection.state !== 'shared' || this.#waiters.length > 0) this.#answered(connection);
    });
  }

  /**
   * Takes into account how long a statement was at the head of its connection. Behind others that is what Postgres worked
   * on it; alone it is the way there and back as well.
   */
  #measured(statement: Statement, time: number, wasIdle: boolean): void {
    if (wasIdle) this.#roundTrip = Math.min(time, this.#roundTrip * 1.001);
    const worked = wasIdle ? time - this.#roundTrip : time;
    const work = worked * Math.min(1, PARALLEL / this.#busy);
    const { work: before } = statement;
    // Much else may have caused a long time, and answers that arrive together share the time of the first.
    statement.work = before === undefined ? work : before + (Math.min(work, 2 * before + 1) - before) / 16;
  }

  #failed(connection: PooledConnection, read: Read, error: Error): void {
    const lost = connectionLost(error);
    const unprepared = statementLost(error);
    if (lost) this.#remove(connection);
    if (unprepared) connection.statements.forget(read.request.text);
    if (read.statement.work === undefined) read.statement.runs = 0;
    if (read.retried || !(lost || unprepared)) {
      read.reject(error);
      return;
    }
    read.retried = true;
    // Behind a pooler the next backend may not have the statement either; the unnamed one always works.
    read.unnamed = unprepared;
    this.#start(read);
  }

  /** The connection for one more fast read, if one can be had at once. */
  #shared(work: number): PooledConnection | undefined {
    const now = performance.now();
    let least: PooledConnection | undefined;
    for (const connection of this.#connections) {
      if (connection.state !== 'shared') continue;
      if (connection.inFlight > 0 && now - connection.headSince > STUCK) continue;
      // The first connections are filled before others are used: answers arrive in larger portions, and connections
      // that the load does not need become idle and are closed.
      if (connection.inFlight === 0 || connection.load + work <= SHARE) return connection;
      if (!least || connection.load < least.load) least = connection;
    }
    if (least && this.#opening === 0) this.#open();
    return least;
  }

  /** A connection that nobody uses. The last ones first: the first ones are what reads share. */
  #idle(): PooledConnection | undefined {
    return this.#connections.findLast(
      ({ state, inFlight }) => inFlight === 0 && (state === 'shared' || state === 'reserved'),
    );
  }

  #acquire(alone: boolean, work: number, take: Waiter['take'], reject: Waiter['fail']): void {
    if (this.#ended) {
      reject(new PoolClosedError());
      return;
    }
    const waiter: Waiter = { alone, work, take, fail: reject };
    this.#waiters.push(waiter);
    this.#serve();
    if (!this.#waiters.includes(waiter)) return;
    if (this.#settings.poolTimeout !== undefined) {
      waiter.timer = setTimeout(() => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(new PoolTimeoutError());
      }, this.#settings.poolTimeout * 1000);
    }
    if (this.#opening < this.#wanted()) this.#open();
    if (alone && this.size >= this.#settings.maxConnections) this.#reserve();
  }

  /** Gives connections to those who wait, in their order as far as each can be served. */
  #serve(): void {
    for (let index = 0; index < this.#waiters.length; ) {
      const waiter = this.#waiters[index]!;
      const connection = waiter.alone ? this.#idle() : this.#shared(waiter.work);
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

  /** How many more connections those who wait could use; reads share them. */
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

/** The connection broke, as opposed to the statement having failed. */
export function connectionLost(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(08|57P0[123])/.test(error.code ?? '');
  return error instanceof Error;
}

/** The statement is not prepared there (it was closed, or a pooler switched backends), or its plan no longer holds. */
export function statementLost(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  return (
    error.code === '26000' ||
    error.code === '42P05' ||
    (error.code === '0A000' && error.message.startsWith('cached plan must not change'))
  );
}
