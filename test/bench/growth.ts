/** How the time to read a catalog grows: for each table of a database of 10,000 beside one of 1,000, both made a moment ago. */
import pg from 'pg';
import { startEmbeddedPostgres } from '../../compiler/offline/embedded.ts';
import { introspectDatabase } from '../../runtime/catalog/index.ts';
import { alignedTable, median } from './results.ts';

const FEW = 1_000;
const MANY = 10_000;
const ROUNDS = 3;

export interface CatalogGrowth {
  /** Milliseconds. */
  readonly few: number;
  readonly many: number;
  /** Time for each table with many, as a multiple of that with few: 1 is flat, 10 is quadratic. */
  readonly ratio: number;
}

/** Measures on an embedded PostgreSQL of its own, where nothing is analyzed. */
export async function benchCatalogGrowth(progress: (text: string) => void): Promise<CatalogGrowth> {
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
    const few = await readWith(FEW);
    const many = await readWith(MANY);
    return { few, many, ratio: many / MANY / (few / FEW) };
  } finally {
    await client.end();
    await postgres.stop();
  }
}

export function growthTable({ few, many, ratio }: CatalogGrowth): string {
  return alignedTable([
    ['reading a catalog', `${FEW} tables`, `${MANY} tables`, 'each table, ratio'],
    ['', `${few.toFixed(0)} ms`, `${many.toFixed(0)} ms`, ratio.toFixed(2)],
  ]);
}
