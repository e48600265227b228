/** A PostgreSQL server of its own, whose log says which statements a database has run. */
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../compiler/offline/embedded.ts';

export interface LoggedDatabase {
  readonly url: string;
  /** Several statements are allowed. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** Prepared statements that were run since the last call, in order. */
  statements(): string[];
  stop(): Promise<void>;
}

export async function startLoggedDatabase(schema: string): Promise<LoggedDatabase> {
  const cluster = await startEmbeddedPostgres();
  const url = await cluster.createDatabase('logged');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`alter database logged set log_statement = 'all';
    alter database logged set log_parameter_max_length = 0; ${schema}`);
  const log = openSync(join(cluster.dataDirectory, 'server.log'), 'r');
  return {
    url,
    query: async (sql) => {
      const result: unknown = await client.query(sql);
      // Of several statements, the last one's rows.
      return ([result].flat().at(-1) as pg.QueryResult).rows;
    },
    statements: () => {
      // From where the last call ended.
      const text = readFileSync(log, 'utf8');
      return [...text.matchAll(/ LOG: {2}execute [^:]+: ((?:.*(?:\n\t.*)*))/g)].map(
        ([, statement]) => statement!,
      );
    },
    stop: async () => {
      await client.end();
      closeSync(log);
      await cluster.stop();
    },
  };
}
