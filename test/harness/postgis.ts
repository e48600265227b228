/**
 * Databases with PostGIS for tests: on the run's server where it has the extension, else embedded ones, which have one session
 * and take seconds to start. There is no third way: a test that needs PostGIS fails without it.
 */
import pg from 'pg';
import { POSTGIS_PACKAGES, type Postgis, startPostgis } from '../../compiler/offline/postgis.ts';
import { createTestDatabase } from './postgres.ts';

export interface PostgisDatabase {
  /** Connection address. */
  readonly url: string;
  query(sql: string): Promise<pg.QueryResultRow[]>;
  end(): Promise<void>;
}

/** A database with the extension and the objects and rows of `sql`. */
export async function createPostgisDatabase(sql: string): Promise<PostgisDatabase> {
  const database = await createTestDatabase();
  const [found] = await database.query(`select 1 from pg_available_extensions where name = 'postgis'`);
  const postgis = found ? undefined : await embedded();
  const url = postgis ? await postgis.createDatabase('test') : database.url;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`create extension postgis; ${sql}`);
  return {
    url,
    query: async (text) => (await client.query(text)).rows as pg.QueryResultRow[],
    end: async () => {
      await client.end();
      await postgis?.stop();
    },
  };
}

async function embedded(): Promise<Postgis> {
  const postgis = await startPostgis();
  if (!postgis) throw new Error(`this test needs PostGIS: npm install, or npm install ${POSTGIS_PACKAGES}`);
  return postgis;
}
