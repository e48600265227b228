/** One connection of a pool: a pipelined `pg` client, the statements prepared there, and how busy it is. */
import type { Socket } from 'node:net';
import pg from 'pg';
import { PreparedStatements } from './statements.ts';
import { type Preparation, TextQuery, type TextRow } from './text-query.ts';

const UNNAMED: Preparation = { name: '', parse: true, close: [] };

/** How to reach the database: `pg`'s configuration. Resolved anew for every connection, for addresses may change. */
export type ConnectionConfiguration = Pick<
  pg.ClientConfig,
  'connectionString' | 'host' | 'port' | 'user' | 'password' | 'database' | 'ssl'
>;

export interface TextRequest {
  readonly text: string;
  /** Name of the prepared statement; see statementName. */
  readonly name: string;
  readonly values: TextRow;
}

type Settle = (error: Error | undefined, row: TextRow | undefined) => void;

/** A connection that is open. */
export class PooledConnection {
  readonly client: pg.Client;
  readonly statements: PreparedStatements;
  /** Queries sent and not yet answered. */
  inFlight = 0;
  /** Milliseconds that they are expected to take together. */
  load = 0;
  /**
   * `shared`: takes reads from everyone. `reserved`: takes no more, and goes to one user once its queries are answered.
   * `taken`: belongs to one user. `retiring`: closes once its queries are answered. `closed`: never to be used again.
   */
  state: 'shared' | 'reserved' | 'taken' | 'retiring' | 'closed' = 'shared';
  #collecting = false;
  readonly openedAt = performance.now();
  /** Since when the oldest query in flight has had the backend to itself; the end of the last one when idle. */
  headSince = performance.now();

  constructor(client: pg.Client, statementLimit: number) {
    this.client = client;
    this.statements = new PreparedStatements(statementLimit);
  }

  /** Sends a query behind those in flight, expected to take `work` milliseconds. */
  send(request: TextRequest, work: number, unnamed: boolean, settle: Settle): void {
    if (this.inFlight === 0) this.headSince = performance.now();
    this.inFlight += 1;
    this.load += work;
    const preparation = unnamed ? UNNAMED : this.statements.prepare(request.text, request.name);
    const query = new TextQuery(request.text, request.values, preparation, (error, row) => {
      this.headSince = performance.now();
      this.inFlight -= 1;
      // Sums of fractions drift; an idle connection has no load.
      this.load = this.inFlight === 0 ? 0 : this.load - work;
      settle(error, row);
    });
    this.#collectWrites();
    this.client.query(query as unknown as pg.Submittable);
  }

  /** Holds what is written back until the events at hand are dealt with: one system call for the queries of all of them. */
  #collectWrites(): void {
    if (this.#collecting) return;
    this.#collecting = true;
    const { stream } = (this.client as unknown as { connection: { stream: Socket } }).connection;
    stream.cork();
    setImmediate(() => {
      this.#collecting = false;
      stream.uncork();
    });
  }
}

/**
 * Opens a connection. `onClosed` is called, possibly more than once, when its socket is gone.
 * @throws what `pg` reports; messages hold no password
 */
export async function openConnection(
  configuration: ConnectionConfiguration,
  statementLimit: number,
  onClosed: (connection: PooledConnection) => void,
): Promise<PooledConnection> {
  const client = new pg.Client({
    application_name: 'engine',
    keepAlive: true,
    ...configuration,
    pipeline: true,
  } as pg.ClientConfig);
  // Before anything else: an error without a listener would end the process.
  client.on('error', () => {});
  await client.connect();
  const connection = new PooledConnection(client, statementLimit);
  client.on('error', () => onClosed(connection));
  client.on('end', () => onClosed(connection));
  return connection;
}
