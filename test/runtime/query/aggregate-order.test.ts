/** Ordering by aggregates of related rows: for every role that may select them, over what it sees of them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SavedOptions } from '../../../runtime/core/saved.ts';
import { type InProcess, serveInProcess } from '../../harness/in-process.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';

const schema = `
  create table author (id int primary key, name text);
  create table article (id int primary key, author_id int not null references author, words int, secret int, public boolean not null);
  create function latest(author_row author) returns setof article stable language sql as $$
    select * from article where author_id = author_row.id
  $$;
  insert into author values (1, 'Ann'), (2, 'Bob'), (3, 'Cid');
  -- Hidden articles and hidden columns would order the other way round.
  insert into article values (1, 1, 10, 1, true), (2, 2, 20, 0, true), (3, 2, 30, 0, true),
    (4, 1, 99, 9, false), (5, 1, 99, 9, false), (6, 3, 99, 9, false);
`;

const select = (permission: object) => ({
  select_permissions: [{ role: 'user', permission: { filter: {}, ...permission } }],
});

const metadata = {
  version: 3,
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      configuration: { connection_info: { database_url: 'postgres://ignored' } },
      tables: [
        {
          table: { schema: 'public', name: 'author' },
          array_relationships: [
            {
              name: 'articles',
              using: {
                foreign_key_constraint_on: {
                  table: { schema: 'public', name: 'article' },
                  column: 'author_id',
                },
              },
            },
          ],
          computed_fields: [
            { name: 'latest', definition: { function: { schema: 'public', name: 'latest' } } },
          ],
          ...select({ columns: ['id', 'name'] }),
        },
        {
          table: { schema: 'public', name: 'article' },
          ...select({ columns: ['id', 'words'], filter: { public: true } }),
        },
      ],
    },
  ],
};

let database: TestDatabase;
const open: InProcess[] = [];

beforeAll(async () => {
  database = await createTestDatabase(schema);
});
afterAll(() => Promise.all(open.map((served) => served.end())));

async function serve(options: Partial<SavedOptions> = {}): Promise<(order: string) => Promise<unknown>> {
  const served = await serveInProcess(database.url, metadata, undefined, options);
  open.push(served);
  return async (order) => {
    const query = `{ author(order_by: ${order}) { id } }`;
    const text = await served.answer({ query }, 'user').catch((error: Error) => error.message);
    if (!text.startsWith('{')) return text;
    return (JSON.parse(text) as { data: { author: { id: number }[] } }).data.author.map(({ id }) => id);
  };
}

test.each([
  ['{articles_aggregate: {count: desc}}', [2, 1, 3]],
  ['{articles_aggregate: {max: {words: desc_nulls_last}}}', [2, 1, 3]],
  ['{latest_aggregate: {count: desc}}', [2, 1, 3]],
  ['{articles_aggregate: {max: {secret: desc}}}', expect.stringContaining("field 'secret' not found")],
])('%s without allow_aggregations', async (order, expected) => {
  const ask = await serve();
  expect(await ask(order)).toEqual(expected);
  const restricted = await serve({ restrictAggregateOrder: true });
  expect(await restricted(order)).toMatch(
    /field '(articles|latest)_aggregate' not found in type: 'author_order_by'/,
  );
});

test('rows are not selected by aggregates where the role may not aggregate', async () => {
  const ask = await serve();
  expect(await ask('{id: asc}, where: {articles_aggregate: {count: {predicate: {_gt: 1}}}}')).toContain(
    "field 'articles_aggregate' not found in type: 'author_bool_exp'",
  );
});
