import { afterEach, describe, expect, test } from 'vitest';
import type { SourceConnection } from '../../../runtime/database/source.ts';
import { startPooler } from '../../harness/pooler.ts';
import { createTestDatabase } from '../../harness/postgres.ts';
import { openSource } from '../../harness/source.ts';

const schema = `
  create table item (id int primary key, name text not null);
  insert into item select n, 'item ' || n from generate_series(1, 100) n;
`;

const open: SourceConnection[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((source) => source.end()));
});

describe('behind a pooler in transaction mode that loses prepared statements', () => {
  test('statements are found to be lost once, and every read and write is answered once', async () => {
    const database = await createTestDatabase(schema);
    const { url } = await startPooler(database.url);
    const events: string[] = [];
    const source = openSource(url, { report: (event) => events.push(event) });
    open.push(source);
    const byKey = [1, 2, 3].map((n) => ({ text: `select name, ${n}::text from item where id = ($1)::int` }));
    const insert = { text: 'insert into item values (($1)::int, ($2)::text) returning id::text' };
    for (let round = 0; round < 20; round++) {
      const reads = byKey.map(async (statement, index) =>
        expect(await source.readTexts(statement, [String(round + 1)])).toEqual([
          `item ${round + 1}`,
          String(index + 1),
        ]),
      );
      const writes = [1000, 2000].map(async (base) => {
        const id = String(base + round);
        expect(await source.writeTexts([{ ...insert, values: [id, 'new'] }])).toEqual([[id]]);
      });
      await Promise.all([...reads, ...writes]);
    }
    expect(events.filter((event) => event === 'unprepared')).toHaveLength(1);
    expect(await database.query('select count(*)::int as n from item')).toEqual([{ n: 140 }]);
  });
});
