/** How reading a catalog grows with the tables of a database, which were made a moment ago. */
import pg from 'pg';
import { startEmbeddedPostgres } from '../../../compiler/offline/embedded.ts';
import { introspectDatabase } from '../../../runtime/catalog/index.ts';
import { median } from '../results.ts';
import { type Growth, growthOf } from './measure.ts';

const SIZES = [100, 1_000, 10_000] as const;
const ROUNDS = 3;

/** Measures on a separate embedded PostgreSQL, where nothing is analyzed; by the clock, because PostgreSQL does the work. */
export async function benchCatalogGrowth(progress: (text: string) => void): Promise<Growth> {
  const postgres = await startEmbeddedPostgres();
  const client = new pg.Client({ connectionString: postgres.url });
  try {
    await client.connect();
    let made = 0;
    const readWith = async (tables: number) => {
      progress(`reading a catalog of ${tables} tables`);
      while (made < tables) {
        const names = Array.from({ length: 100 }, (_, index) => `bench_${made + index}`);
        await client.query(
          names.map((name) => `create table ${name} (id serial primary key, a text)`).join(';'),
        );
        made += names.length;
      }
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const start = performance.now();
        await introspectDatabase((sql) => client.query(sql));
        times.push(performance.now() - start);
      }
      return median(times);
    };
    await client.query('alter system set autovacuum = off');
    await client.query('select pg_reload_conf()');
    const times: number[] = [];
    for (const size of SIZES) times.push(await readWith(size));
    return growthOf({ name: 'catalog: reading it (elapsed)', unit: 'tables', sizes: SIZES }, times);
  } finally {
    await client.end();
    await postgres.stop();
  }
}
