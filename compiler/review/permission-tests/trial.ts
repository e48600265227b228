/**
 * A database in which nothing lasts: whatever a trial writes is rolled back when it ends, so that each begins with the same
 * rows. Requests run on it as on any source.
 */

import type pg from 'pg';
import { DatabaseClient } from '../../../runtime/database/client.ts';
import { StatementFailedError } from '../../../runtime/database/failures.ts';
import { inTransaction } from '../../../runtime/database/query-client.ts';
import type { SourceConnection } from '../../../runtime/database/source.ts';
import type { TextRow } from '../../../runtime/database/text-query.ts';
import type { ConnectionConfiguration } from '../../../runtime/database/ways.ts';

export interface Trial {
  /** Execution of requests in the trial. */
  readonly connection: SourceConnection;
  /** Runs SQL; without values several statements are allowed. @throws pg.DatabaseError, and the trial goes on */
  readonly run: <Row extends pg.QueryResultRow>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;
  /** Undoes what `use` did to the database if it throws. */
  readonly attempt: <Result>(use: () => Promise<Result>) => Promise<Result>;
  /** Undoes what `use` did to the database. */
  readonly undone: <Result>(use: () => Promise<Result>) => Promise<Result>;
  /** Number of another row that is made in the database for a rule: each is like no other. */
  readonly nextRow: () => number;
}

export interface TrialDatabase {
  /** Gives `use` the database; what it wrote is undone. */
  trial<Result>(use: (trial: Trial) => Promise<Result>): Promise<Result>;
  /** Like `trial`, but the written rows stay. */
  prepare<Result>(use: (trial: Trial) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** Constraints are checked at the end of each statement, or a trial would never see them fail. */
const BEGIN = 'begin; set constraints all immediate';

/** Opens one connection, on which trials follow each other. */
export async function openTrialDatabase(configuration: ConnectionConfiguration): Promise<TrialDatabase> {
  const client = new DatabaseClient(configuration);
  await client.connect();
  const trial = createTrial(client);
  return {
    trial: async (use) => {
      await client.query(BEGIN);
      try {
        return await use(trial);
      } finally {
        await client.query('rollback');
      }
    },
    prepare: (use) => inTransaction(client, BEGIN, () => use(trial)),
    close: () => client.end(),
  };
}

function createTrial(client: pg.Client): Trial {
  let savepoints = 0;
  // Tables are filled with a few rows first, which have the numbers from 0.
  let rows = 1000;
  const nest = async <Result>(part: () => Promise<Result>, end: 'keep' | 'undo'): Promise<Result> => {
    savepoints += 1;
    const name = `trial_${savepoints}`;
    const undo = () => client.query(`rollback to savepoint ${name}; release savepoint ${name}`);
    await client.query(`savepoint ${name}`);
    try {
      const result = await part();
      await (end === 'undo' ? undo() : client.query(`release savepoint ${name}`));
      return result;
    } catch (error) {
      await undo();
      throw error;
    }
  };
  const attempt = <Result>(part: () => Promise<Result>) => nest(part, 'keep');
  const read = async ({ text }: { readonly text: string }, values: TextRow): Promise<TextRow> => {
    const { rows } = await client.query({ text, values: [...values], rowMode: 'array' });
    return (rows[0] as TextRow | undefined) ?? [];
  };
  const run: Trial['run'] = (sql, values) =>
    attempt(async () => (await client.query(sql, values ? [...values] : undefined)).rows);
  const readTexts: SourceConnection['readTexts'] = (statement, values) =>
    attempt(() => read(statement, values));
  const writeTexts: SourceConnection['writeTexts'] = (statements) =>
    attempt(async () => {
      const rows: TextRow[] = [];
      for (const [index, { text, values }] of statements.entries()) {
        rows.push(
          await read({ text }, values).catch((error) => {
            throw new StatementFailedError(error, index);
          }),
        );
      }
      return rows;
    });
  const refuse = () => {
    throw new Error('a trial has one connection, and it is taken');
  };
  return {
    run,
    attempt,
    undone: (use) => nest(use, 'undo'),
    nextRow: () => {
      rows += 1;
      return rows;
    },
    connection: {
      readTexts,
      writeTexts,
      readTogether: (statements) => writeTexts(statements),
      query: refuse,
      poll: refuse,
      changes: { listen: refuse, wrote: () => {}, begunBefore: () => '0', stop: () => {} },
      maintain: refuse,
      withClient: refuse,
      address: '',
      isCluster: () => false,
      state: () => ({ connections: 1, waiting: 0 }),
      end: async () => {},
    },
  };
}
