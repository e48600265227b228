/** A source's database, as the rest of the runtime uses it. */

import type pg from 'pg';
import type { Vocabulary } from '../core/vocabulary.ts';
import { type Changes, createChanges } from './changes.ts';
import { lookingAtErrors } from './cluster-errors.ts';
import { type BoundStatement, type PooledConnection, prepareSession } from './connection.ts';
import { OWN_SESSION } from './own-tables.ts';
import { Pool, type PoolSettings, type PoolState } from './pool.ts';
import type { Replicas } from './replicas.ts';
import type { IsWanted, WriteManner } from './task.ts';
import { columnTexts, type ReadRow, type TextRow } from './text-query.ts';
import type { ConnectionConfiguration } from './ways.ts';
import type { Writer } from './writer.ts';

type IsolationLevel = 'read-committed' | 'repeatable-read' | 'serializable';

interface Statement {
  readonly text: string;
}

/** The text of a value, or those of an array. */
type PollValue = string | null | readonly (string | null)[];

/** Maximum connections of live queries to one source, beside those of its pool. */
const POLL_CONNECTIONS = 4;
/** One claims jobs while the other records outcomes. */
const MAINTENANCE_CONNECTIONS = 2;

interface WriteOptions {
  /** How they share connections; `alone` by default. */
  readonly manner?: WriteManner;
  /** Session settings of the transaction; absent: none. */
  readonly writer?: Writer;
  /** Send BEGIN, these commands, and COMMIT around them, also where the defaults of the session would do. */
  readonly begins?: readonly string[];
  /** Asked before it is sent; what was sent is not ended. Absent: always wanted. */
  readonly isWanted?: IsWanted | undefined;
}

export interface SourceConnection {
  /**
   * Runs one prepared statement that yields one row of text columns, or none, outside a transaction; long texts are bytes.
   * It may run again when its connection breaks, so it must only read. Once its client has left, it is not sent, or ended if it takes long.
   * @throws ClientGoneError when its client has left; pg.DatabaseError as Postgres reports it; see errors.ts for what a client gets to see
   */
  readTexts(statement: Statement, values: TextRow, isWanted?: IsWanted): Promise<ReadRow>;
  /**
   * Runs prepared statements that may write, in one read-write transaction at the source's isolation level and in one round
   * trip: each yields one row of text columns, or none. They do not run again where they may have written.
   * @throws StatementFailedError, CommitFailedError, LockWaitError or ClientGoneError, and nothing is written
   */
  writeTexts(statements: readonly BoundStatement[], options?: WriteOptions): Promise<readonly TextRow[]>;
  /**
   * Runs statements that only read, in one transaction; otherwise like writeTexts.
   * @throws StatementFailedError, CommitFailedError, LockWaitError or ClientGoneError
   */
  readTogether(statements: readonly BoundStatement[], isWanted?: IsWanted): Promise<readonly ReadRow[]>;
  /**
   * Runs a statement that only reads, for live queries: on a few connections apart from those of requests, so that neither
   * waits for the other. It is planned for its values each time. Arrays are values as well. Yields rows of texts.
   */
  poll(sql: string, values: readonly PollValue[]): Promise<readonly TextRow[]>;
  /** When data of the database may have changed; see changes.ts. */
  readonly changes: Changes;
  /** An ordinary query on a connection of its own; without values several statements are allowed. */
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(
    sql: string,
    values?: readonly unknown[],
  ): Promise<pg.QueryResult<Row>>;
  /**
   * A statement on Engine's own tables (events, for instance), at read committed: on two connections apart from those of
   * requests, so that neither waits for the other.
   */
  maintain(sql: string, values?: readonly unknown[]): Promise<readonly pg.QueryResultRow[]>;
  /** Gives `use` a connection of its own. Whatever it leaves behind there is undone. */
  withClient<Result>(use: (client: pg.Client) => Promise<Result>): Promise<Result>;
  /** Names the database without credentials. */
  readonly address: string;
  /** Standbys that answer its reads; absent: it has none. */
  readonly replicas?: Replicas;
  /** Whether it is known that the database has the extension Citus. */
  isCluster(): boolean;
  /** The pool at this moment. */
  state(): PoolState;
  /** Waits for what runs and closes the connections. */
  end(): Promise<void>;
}

/** The databases of a program, by source name. */
export type SourceConnections = ReadonlyMap<string, SourceConnection>;

export interface SourceOptions extends PoolSettings {
  /** Names the database without credentials, for metrics. */
  readonly address?: string;
  readonly isolationLevel: IsolationLevel;
  /** It is a standby. */
  readonly isReplica?: boolean;
  /** Looks whether the cluster distributes tables otherwise than is known; see cluster-errors.ts. Absent: errors are only thrown. */
  readonly look?: (() => Promise<void>) | undefined;
}

/** Creates the pool of a database. Connections are opened on demand. */
export function connectSource(
  configuration: () => ConnectionConfiguration | Promise<ConnectionConfiguration>,
  options: SourceOptions,
): SourceConnection {
  const pool = new Pool(configuration, options);
  // Opens none before something is polled.
  const polling = new Pool(configuration, {
    ...options,
    maxConnections: POLL_CONNECTIONS,
    maxWaiting: 0,
    isExclusive: true,
  });
  const poll: SourceConnection['poll'] = (sql, values) =>
    polling.exclusively(async ({ client }) => {
      const { rows } = await client.query<(string | null)[], unknown[]>({
        text: sql,
        values: values.map((value) => (Array.isArray(value) ? [...value] : value)),
        rowMode: 'array',
        types: TEXTS,
      });
      return rows;
    });
  // Opens none before it is used.
  const maintaining = new Pool(configuration, {
    ...options,
    maxConnections: MAINTENANCE_CONNECTIONS,
    maxWaiting: 0,
    isExclusive: true,
  });
  const prepared = new WeakSet<pg.Client>();
  const maintain: SourceConnection['maintain'] = (sql, values = []) =>
    maintaining.exclusively(async ({ client }) => {
      if (!prepared.has(client)) {
        await client.query(OWN_SESSION);
        prepared.add(client);
      }
      return (await client.query(sql, [...values])).rows;
    });
  const changes = createChanges({ poll, maintain });
  const kind = transactionKind(options);

  const withClient = <Result>(use: (client: pg.Client) => Promise<Result>) =>
    pool.exclusively(async (connection) => {
      try {
        return await use(connection.client);
      } finally {
        await discardSession(connection, options.vocabulary);
      }
    });

  const connection: SourceConnection = {
    readTexts: ({ text }, values, isWanted) => pool.read({ text, values }, isWanted),
    writeTexts: async (statements, { manner = 'alone', writer, begins, isWanted } = {}) => {
      const rows = await pool.write(statements, kind, manner, writer, begins, isWanted);
      changes.wrote(statements.flatMap(({ writes = [] }) => writes));
      return rows.map(columnTexts);
    },
    readTogether: (statements, isWanted) =>
      pool.write(statements, kind, 'alone', undefined, undefined, isWanted),
    changes,
    query: (sql, values) =>
      withClient((client) => client.query(sql, values === undefined ? undefined : [...values])),
    poll,
    maintain,
    withClient,
    address: options.address ?? '',
    isCluster: () => pool.isCluster || polling.isCluster,
    state: () => pool.state,
    end: async () => {
      changes.stop();
      await Promise.all([pool.end(), polling.end(), maintaining.end()]);
    },
  };
  return options.look ? lookingAtErrors(connection, options.look) : connection;
}

/** A standby has neither transactions that write nor serializable ones. */
function transactionKind({ isolationLevel, isReplica }: SourceOptions): string {
  if (!isReplica) return `${isolationLevel.replace('-', ' ')} read write`;
  return isolationLevel === 'read-committed' ? 'read committed read only' : 'repeatable read read only';
}

/** Leaves every value as the text that Postgres sends. */
const TEXTS = { getTypeParser: () => String } as unknown as pg.CustomTypesConfig;

/** Undoes what SQL from outside may have left behind: settings, temporary tables, prepared statements, a transaction. */
async function discardSession(connection: PooledConnection, vocabulary: Vocabulary): Promise<void> {
  if (connection.state === 'closed') return;
  try {
    await connection.client.query('discard all');
    await connection.client.query(prepareSession(vocabulary));
    connection.wasDiscarded();
  } catch {
    // An open transaction, for instance: it ends with the connection.
    if (connection.state === 'taken') connection.state = 'retiring';
  }
}
