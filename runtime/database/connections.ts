/** The connections of a pool: opens them, and closes those that are too old, worn or idle. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Vocabulary } from '../core/vocabulary.ts';
import { openConnection } from './connection.ts';
import type { Sent, TaskConnection } from './task.ts';
import type { ConnectionConfiguration } from './ways.ts';

export type PoolEvent = 'opened' | 'failed' | 'waited' | 'unprepared';

export interface ConnectionSettings {
  /** The word in the names of the settings that say who writes. */
  readonly vocabulary: Vocabulary;
  /** Maximum number of connections. */
  readonly maxConnections: number;
  /** Seconds that a connection may stay idle. */
  readonly idleTimeout: number;
  /** Further attempts when connecting fails. */
  readonly retries: number;
  /** Seconds until a connection is replaced; 0 = never. */
  readonly connectionLifetime: number;
  /** Maximum number of statements prepared on each connection; 0 = none. */
  readonly preparedStatements: number;
  /**
   * Called when a connection was opened or could not be, when an operation had to wait for one, and once when statements
   * are found not to stay prepared. Times in seconds.
   */
  readonly report?: ((event: PoolEvent, seconds: number) => void) | undefined;
}

/** Called when the connections of a pool change. */
export interface ConnectionEvents {
  /** Before the connection is used. */
  readonly connected: (connection: TaskConnection) => void;
  /** A connection may be used. */
  readonly opened: () => void;
  /** No connection could be opened, and none is open. */
  readonly failed: (error: unknown) => void;
  readonly closed: () => void;
}

/** Milliseconds between attempts to connect. */
const RETRY_DELAY = 200;

/** See the head of this file. */
export class Connections {
  /** Those that are open. */
  readonly open: TaskConnection[] = [];
  /** How many are being opened. */
  opening = 0;
  readonly #configuration: () => ConnectionConfiguration | Promise<ConnectionConfiguration>;
  readonly #settings: ConnectionSettings;
  readonly #events: ConnectionEvents;
  /** Maximum number of statements prepared on each connection; 0 once a pooler was found to lose them. */
  #preparedStatements: number;
  #ended = false;
  #allClosed: (() => void) | undefined;

  /** @param configuration asked for each connection */
  constructor(
    configuration: () => ConnectionConfiguration | Promise<ConnectionConfiguration>,
    settings: ConnectionSettings,
    events: ConnectionEvents,
  ) {
    this.#configuration = configuration;
    this.#settings = settings;
    this.#events = events;
    this.#preparedStatements = settings.preparedStatements;
  }

  /** Connections that are open or being opened. */
  get size(): number {
    return this.open.length + this.opening;
  }

  /** Opens connections until so many are being opened, within the maximum. */
  openUpTo(wanted: number): void {
    while (this.opening < wanted && this.size < this.#settings.maxConnections && !this.#ended) this.#open();
  }

  /** Gives back a connection that one operation had. */
  release(connection: TaskConnection): void {
    if (connection.state === 'taken') connection.state = 'shared';
    if (connection.state === 'retiring' || this.#ended || this.#expired(connection)) this.#retire(connection);
  }

  /** A shared operation was answered: its connection may have become idle. */
  answered(connection: TaskConnection): void {
    if (connection.inFlight > 0) return;
    if (connection.state === 'retiring') this.#close(connection);
    if (connection.state === 'reserved') connection.state = 'shared';
  }

  /** The connection is closed, by either side. */
  remove(connection: TaskConnection): void {
    connection.state = 'closed';
    const index = this.open.indexOf(connection);
    if (index < 0) return;
    this.open.splice(index, 1);
    if (this.size === 0) this.#allClosed?.();
    this.#events.closed();
  }

  /**
   * Statements are lost only behind a pooler that gives each transaction another backend and does not keep track of them.
   * From now on no connection uses named statements.
   */
  prepareNoMore(): void {
    if (this.#preparedStatements === 0) return;
    this.#preparedStatements = 0;
    for (const { statements } of this.open) statements.disable();
    this.#settings.report?.('unprepared', 0);
  }

  /** Closes what is too old, worn, or has been idle for too long. */
  sweep(): void {
    const idleSince = performance.now() - this.#settings.idleTimeout * 1000;
    for (const connection of [...this.open]) {
      if (connection.state !== 'shared') continue;
      const idle = connection.inFlight === 0 && connection.headSince < idleSince;
      if (idle || this.#expired(connection)) this.#retire(connection);
    }
  }

  /** Closes what is idle: it may be dead without being known to be. */
  closeIdle(): void {
    for (const connection of [...this.open])
      if (connection.state === 'shared' && connection.inFlight === 0) this.#retire(connection);
  }

  /** Opens no more, and closes all when what runs there is done. */
  async end(): Promise<void> {
    this.#ended = true;
    for (const connection of [...this.open]) this.#retire(connection);
    if (this.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#allClosed = resolve;
    });
  }

  #open(): void {
    this.opening += 1;
    this.#connect().then(
      (connection) => {
        this.opening -= 1;
        this.open.push(connection);
        if (this.#ended) this.#retire(connection);
        this.#events.opened();
      },
      (error: unknown) => {
        this.opening -= 1;
        // Others may still be opened: where operations never stop coming, some always are, so nobody waits for their end.
        if (this.open.length === 0) this.#events.failed(error);
        if (this.size === 0) this.#allClosed?.();
      },
    );
  }

  async #connect(): Promise<TaskConnection> {
    const { report } = this.#settings;
    for (let attempt = 0; ; attempt++) {
      const start = performance.now();
      const took = () => (performance.now() - start) / 1000;
      try {
        const configuration = await this.#configuration();
        const connection = await openConnection<Sent>(
          configuration,
          { statementLimit: this.#preparedStatements, vocabulary: this.#settings.vocabulary },
          (closed) => this.remove(closed),
        );
        if (this.#preparedStatements === 0) connection.statements.disable();
        this.#events.connected(connection);
        report?.('opened', took());
        return connection;
      } catch (error) {
        report?.('failed', took());
        if (attempt >= this.#settings.retries || this.#ended) throw error;
        await delay(RETRY_DELAY);
      }
    }
  }

  #expired(connection: TaskConnection): boolean {
    const { connectionLifetime } = this.#settings;
    if (connection.isWorn) return true;
    return connectionLifetime > 0 && performance.now() - connection.openedAt > connectionLifetime * 1000;
  }

  /** Closes the connection once it is idle. */
  #retire(connection: TaskConnection): void {
    if (connection.state === 'taken' || connection.state === 'closed') return;
    connection.state = 'retiring';
    if (connection.inFlight === 0) this.#close(connection);
  }

  #close(connection: TaskConnection): void {
    this.remove(connection);
    connection.client.end().catch(() => {});
  }
}
