import { afterAll, beforeAll, expect, it } from 'vitest';
import { type InProcess, serveInProcess } from '../../harness/in-process.ts';
import { createTestDatabase } from '../../harness/postgres.ts';

const sql = `
  create table author (id int primary key);
  create table article (id int primary key, author_id int references author);
  insert into author values (1), (2), (3);
  insert into article values (1, 1), (2, 1), (3, 2);
`;

let served: InProcess;

beforeAll(async () => {
  const database = await createTestDatabase(sql);
  const articles = {
    name: 'articles',
    using: { foreign_key_constraint_on: { table: 'article', column: 'author_id' } },
  };
  served = await serveInProcess(database.url, {
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        configuration: { connection_info: { database_url: { from_env: 'DATABASE_URL' } } },
        tables: [{ table: 'author', array_relationships: [articles] }, { table: 'article' }],
      },
    ],
  });
});
afterAll(() => served.end());

it.each([
  ['{count: {predicate: {}}}', [1, 2, 3]],
  ['{count: {predicate: {_gt: 1}}}', [1]],
  ['{count: {predicate: {_eq: 0}, filter: {id: {_gt: 2}}}}', [1, 3]],
])('keeps the rows whose articles satisfy %s', async (predicate, ids) => {
  const query = `{ author(where: {articles_aggregate: ${predicate}}, order_by: {id: asc}) { id } }`;
  expect(JSON.parse(await served.answer({ query }, 'admin')).data.author).toEqual(ids.map((id) => ({ id })));
});
