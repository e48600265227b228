/**
 * One PostgreSQL for a whole test run: an embedded cluster, or the server that ENGINE_TEST_PG_URL names (its account
 * must be allowed to create databases). All databases of a run carry the run's prefix and are dropped at its end.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../runtime/database/embedded.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly postgresUrl: string;
    readonly databasePrefix: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const databasePrefix = `engine_test_${randomBytes(4).toString('hex')}_`;
  project.provide('databasePrefix', databasePrefix);
  const named = process.env.ENGINE_TEST_PG_URL;
  if (named) {
    project.provide('postgresUrl', named);
    return () => dropDatabases(named, databasePrefix);
  }
  const cluster = await startEmbeddedPostgres();
  project.provide('postgresUrl', cluster.url);
  return () => cluster.stop();
}

async function dropDatabases(url: string, prefix: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const found = await client.query<{ datname: string }>(
    'select datname from pg_database where starts_with(datname, $1)',
    [prefix],
  );
  for (const { datname } of found.rows) {
    await client.query(`drop database ${pg.escapeIdentifier(datname)} with (force)`);
  }
  await client.end();
}
