/** What the rest of the runtime knows of a source's database. */
import type pg from 'pg';
import type { ConnectionConfiguration, PooledConnection } from './connection.ts';
import { OtherDefaultsError, statementLost } from './failures.ts';
import { Pool, type PoolSettings } from './pool.ts';
import type { TextRow } from './text-query.ts';
import { Transaction } from './transaction.ts';

type IsolationLevel = 'read-committed' | 'repeatable-read' | 'serializable';

export interface Statement {
  readonly text: string;
}

/** Inside a transaction. Statements run one after another, in the order of the calls. */
export interface SourceTransaction {
  /**
   * Runs one prepared statement that yields one row of text columns, or none.
   * @param isLast no statement follows: the transaction is committed on the way
   */
  readTexts(statement: Statement, values: TextRow, isLast?: boolean): Promise<TextRow>;
  /** Runs a part of the transaction behind a savepoint: when it fails, it alone is rolled back. */
  attempt<Result>(part: () => Promise<Result>): Promise<Result>;
}

export interface SourceConnection {
  /**
   * Runs one prepared statement that yields one row of text columns, or none, outside a transaction. It may run again
   * when its connection breaks, so it must only read.
   * @throws pg.DatabaseError as Postgres reports it; see errors.ts for what a client gets to see
   */
  readTexts(statement: Statement, values: TextRow): Promise<TextRow>;
  /**
   * As readTexts, of a statement that may write: it is a read-write transaction by itself, at the source's isolation level.
   * It does not run again where it may have written.
   * @throws CommitFailedError as well
   */
  writeTexts(statement: Statement, values: TextRow): Promise<TextRow>;
  /**
   * Runs a read-write transaction at the source's isolation level; it is rolled back when `run` fails. `run` is called a
   * second time, in a new transaction, when a prepared statement turns out to be gone: it must do nothing but SQL.
   */
  transaction<Result>(run: (transaction: SourceTransaction) => Promise<Result>): Promise<Result>;
  /** An ordinary query on a connection of its own; without values several statements are allowed. */
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(
    sql: string,
    values?: readonly unknown[],
  ): Promise<pg.QueryResult<Row>>;
  /** Gives `use` a connection of its own. Whatever it leaves behind there is undone. */
  withClient<Result>(use: (client: pg.Client) => Promise<Result>): Promise<Result>;
  /** Waits for what runs and closes the connections. */
  end(): Promise<void>;
}

/** The databases of a program, by source name. */
export type SourceConnections = ReadonlyMap<string, SourceConnection>;

export interface SourceOptions extends PoolSettings {
  readonly isolationLevel: IsolationLevel;
}

/** Makes the connections to a database; none is opened before it is needed. */
export function connectSource(
  configuration: () => ConnectionConfiguration | Promise<ConnectionConfiguration>,
  options: SourceOptions,
): SourceConnection {
  const pool = new Pool(configuration, options);
  const kind = `${options.isolationLevel.replace('-', ' ')} read write`;

  const attempt = <Result>(run: (transaction: SourceTransaction) => Promise<Result>, unnamed: boolean) =>
    pool.exclusively(async (connection) => {
      const transaction = new Transaction(connection, kind, (text) => pool.statementName(text), unnamed);
      try {
        const result = await run(transaction);
        await transaction.commit();
        return result;
      } catch (error) {
        await transaction.rollBack();
        throw error;
      }
    });

  const withClient = <Result>(use: (client: pg.Client) => Promise<Result>) =>
    pool.exclusively(async (connection) => {
      try {
        return await use(connection.client);
      } finally {
        await discardSession(connection);
      }
    });

  const transaction: SourceConnection['transaction'] = async (run) => {
    try {
      return await attempt(run, false);
    } catch (error) {
      // `run` may have put the error into words for the client already.
      if (!statementLost(error) && !statementLost((error as Error | undefined)?.cause)) throw error;
      return attempt(run, true);
    }
  };

  return {
    readTexts: ({ text }, values) => pool.read(text, values),
    writeTexts: async (statement, values) => {
      try {
        return await pool.write(statement.text, values, kind);
      } catch (error) {
        if (!(error instanceof OtherDefaultsError)) throw error;
        return transaction((alone) => alone.readTexts(statement, values, true));
      }
    },
    transaction,
    query: (sql, values) =>
      withClient((client) => client.query(sql, values === undefined ? undefined : [...values])),
    withClient,
    end: () => pool.end(),
  };
}

/** Undoes what SQL from outside may have left behind: settings, temporary tables, prepared statements, a transaction. */
async function discardSession(connection: PooledConnection): Promise<void> {
  if (connection.state === 'closed') return;
  try {
    await connection.client.query('discard all');
    connection.statements.clear();
  } catch {
    // An open transaction, for instance: it ends with the connection.
    if (connection.state === 'taken') connection.state = 'retiring';
  }
}
