import { afterEach, describe, expect, test } from 'vitest';
import { connectSource, type SourceConnection } from '../../../runtime/database/source.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';

/**
 * `kind`: every value once, but for "frequent". Without statistics of its own, "frequent" is what a generic plan does not expect.
 */
const schema = `
  create table event (id int primary key, kind text not null);
  insert into event select n, case when n <= 50000 then 'frequent' else 'kind ' || n end from generate_series(1, 100000) n;
  create index on event (kind);
  create table detail (event int not null, n int not null);
  insert into detail select n, n from generate_series(1, 100000) n;
  create index on detail (event);
  analyze;
`;
const MODE = `current_setting('plan_cache_mode')`;
/** Its generic plan looks more expensive than it is: Postgres expects a tenth of the rows, whatever the limit. */
const limited = {
  text: `select (select json_agg(id) from (select id from event order by id limit ($1)::int) as "first")::text, ${MODE}`,
};
const optional = {
  text: `select count(*)::text, ${MODE} from event where ($1)::int is null or id = ($1)::int`,
};
const byKind = {
  text: `select sum(detail.n)::text, ${MODE} from event join detail on detail.event = event.id where kind = ($1)::text`,
};
const mode = { text: `select ${MODE}` };

const open: SourceConnection[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((source) => source.end()));
});

function connect(database: TestDatabase): SourceConnection {
  const source = connectSource(() => ({ connectionString: database.url }), {
    maxConnections: 2,
    idleTimeout: 180,
    retries: 0,
    connectionLifetime: 600,
    preparedStatements: 500,
    isolationLevel: 'read-committed',
  });
  open.push(source);
  return source;
}

async function run(
  source: SourceConnection,
  { text }: { readonly text: string },
  value: (n: number) => string,
) {
  for (let n = 0; n < 25; n++) await source.readTexts({ text }, [value(n)]);
}

function expectPlans(source: SourceConnection, { text }: { readonly text: string }) {
  return expect.poll(() => source.plansOf(text)?.plans, { timeout: 10_000 });
}

describe('a read that has run often', () => {
  test('has a generic plan where that takes less, and nothing else has', async () => {
    const source = connect(await createTestDatabase(schema));
    expect(await source.readTexts(limited, ['2'])).toEqual(['[1, 2]', 'auto']);
    await run(source, limited, (n) => String(1 + (n % 5)));
    await expectPlans(source, limited).toBe('generic');
    const generic = ['[1, 2]', 'force_generic_plan'];
    const reads = await Promise.all(
      Array.from({ length: 9 }, (_, n) => source.readTexts(n % 3 ? limited : mode, n % 3 ? ['2'] : [])),
    );
    expect(reads).toEqual(reads.map((_, n) => (n % 3 ? generic : ['auto'])));
    expect(await source.writeTexts([{ ...mode, values: [] }])).toEqual([['auto']]);
    expect(await source.readTexts(limited, ['2'])).toEqual(generic);
  });

  test('keeps it after a failure and after the session was discarded', async () => {
    const source = connect(await createTestDatabase(schema));
    await run(source, limited, (n) => String(1 + (n % 5)));
    await expectPlans(source, limited).toBe('generic');
    // The switch to the other plans comes with what fails.
    await source.readTexts(mode, []);
    await expect(source.readTexts(limited, ['-1'])).rejects.toThrow('LIMIT must not be negative');
    expect(await source.readTexts(mode, [])).toEqual(['auto']);
    expect((await source.readTexts(limited, ['1']))[1]).toBe('force_generic_plan');
    await source.query('select 1');
    expect((await source.readTexts(limited, ['1']))[1]).toBe('force_generic_plan');
    expect(await source.readTexts(mode, [])).toEqual(['auto']);
  });

  test('keeps its custom plans where a generic one takes longer', async () => {
    const source = connect(await createTestDatabase(schema));
    await run(source, optional, String);
    await expectPlans(source, optional).toBe('custom');
    expect(await source.readTexts(optional, ['7'])).toEqual(['1', 'auto']);
  });

  test('loses its generic plan when a value comes that is much more frequent', async () => {
    const source = connect(await createTestDatabase(schema));
    await run(source, byKind, (n) => `kind ${60_000 + n}`);
    await expectPlans(source, byKind).toBe('generic');
    expect((await source.readTexts(byKind, ['frequent']))[0]).toBe('1250025000');
    await expectPlans(source, byKind).toBe('custom');
    expect((await source.readTexts(byKind, ['frequent']))[1]).toBe('auto');
  });
});

test('nothing is measured and nothing set where the database says which plans', async () => {
  const database = await createTestDatabase(schema);
  await database.query(
    `do $$ begin execute format('alter database %I set plan_cache_mode = force_custom_plan', current_database()); end $$`,
  );
  const source = connect(database);
  await run(source, limited, (n) => String(1 + (n % 5)));
  expect((await source.readTexts(limited, ['1']))[1]).toBe('force_custom_plan');
  expect(source.plansOf(limited.text)).toBeUndefined();
});
