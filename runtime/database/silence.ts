/**
 * Finds connections that are dead without having been closed: the host went away, or something between drops packets.
 * Nothing tells; TCP gives up after some fifteen minutes. So what is not answered for a while is looked up in the database,
 * through a connection of its own: a backend that does nothing, or is not there, will not answer any more.
 */

import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { PooledConnection } from './connection.ts';

/** Milliseconds without an answer before a connection is looked up, and between two looks. */
export const SILENT = 5_000;
/** Milliseconds that the database has for that; longer, and it does not answer. */
const ANSWER = 5_000;
/** Looks in a row that find a connection dead before it is closed: its answer may be on its way in the first. */
const LOOKS = 2;

const BUSY = `select pid::text from pg_stat_activity
  where pid = any ($1::integer[]) and (state like 'idle%') is not true`;

/** See the head of this file. */
export class Silence {
  readonly #open: () => Promise<PooledConnection>;
  /** Queries that were found without a backend that works on them, and how often. */
  readonly #found = new WeakMap<object, number>();
  readonly #foundDead: () => void;
  /** Connections to be looked up, with the queries that are not answered. */
  readonly #silent = new Map<PooledConnection, object>();
  #isLooking = false;

  /**
   * @param open opens a connection that no pool has
   * @param found called before dead connections are closed: idle ones may be dead as well
   */
  constructor(open: () => Promise<PooledConnection>, found: () => void) {
    this.#open = open;
    this.#foundDead = found;
  }

  /** Closes those of the connections that are dead. They have not answered for a while. */
  async look(silent: readonly PooledConnection[]): Promise<void> {
    for (const connection of silent) {
      const query = activeQuery(connection);
      if (query) this.#silent.set(connection, query);
    }
    // What becomes silent meanwhile is in the next look: a look takes as long as a connection has until it counts as silent.
    if (this.#isLooking) return;
    this.#isLooking = true;
    while (this.#silent.size > 0) {
      const asked = [...this.#silent];
      this.#silent.clear();
      await this.#closeDead(asked);
    }
    this.#isLooking = false;
  }

  async #closeDead(asked: readonly (readonly [PooledConnection, object])[]): Promise<void> {
    const busy = await this.#busy(asked.map(([connection]) => connection));
    const dead = asked.filter(([connection, query]) => {
      // A pooler gives its own process ids: only a database that cannot be reached tells something.
      const isDead =
        busy === 'unreachable' || (busy && connection.isDirect && !busy.has(connection.processId));
      if (!isDead || activeQuery(connection) !== query) return false;
      const found = (this.#found.get(query) ?? 0) + 1;
      this.#found.set(query, found);
      return found >= LOOKS;
    });
    if (dead.length === 0) return;
    this.#foundDead();
    for (const [connection] of dead) streamOf(connection).destroy();
  }

  /** Looks after a connection while one caller has it. */
  async during<Result>(connection: PooledConnection, use: () => Promise<Result>): Promise<Result> {
    let last: object | undefined;
    const timer = setInterval(() => {
      const query = activeQuery(connection);
      if (query && query === last) void this.look([connection]);
      last = query;
    }, SILENT).unref();
    try {
      return await use();
    } finally {
      clearInterval(timer);
    }
  }

  /** Process ids of the backends that do something; undefined: not known. */
  async #busy(
    connections: readonly PooledConnection[],
  ): Promise<ReadonlySet<number> | 'unreachable' | undefined> {
    const asking = this.#ask(connections.map(({ processId }) => processId)).catch((error: unknown) =>
      // Too many connections, for instance: it answers.
      error instanceof pg.DatabaseError ? undefined : ('unreachable' as const),
    );
    const late = delay(ANSWER, 'unreachable' as const, { ref: false });
    return Promise.race([asking, late]);
  }

  async #ask(processes: readonly number[]): Promise<ReadonlySet<number>> {
    const connection = await this.#open();
    const timer = setTimeout(() => streamOf(connection).destroy(), ANSWER).unref();
    try {
      const { rows } = await connection.client.query<{ pid: string }>(BUSY, [`{${processes.join()}}`]);
      return new Set(rows.map(({ pid }) => Number(pid)));
    } finally {
      clearTimeout(timer);
      connection.client.end().catch(() => {});
    }
  }
}

/** The query that the backend works on, or should. */
function activeQuery({ client }: PooledConnection): object | undefined {
  return (client as unknown as { readonly _activeQuery: object | null })._activeQuery ?? undefined;
}

function streamOf({ client }: PooledConnection): Socket {
  return (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;
}
