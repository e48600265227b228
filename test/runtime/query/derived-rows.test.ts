/** Cases that the property tests found: where rows pass through a derived table, or a cell is computed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../runtime/metadata/metadata.ts';
import { type InProcess, serveInProcess } from '../../harness/in-process.ts';
import { createTestDatabase } from '../../harness/postgres.ts';

const sql = `
  create table article (id int primary key, author int not null, title text not null);
  insert into article values (1, 7, 'one'), (2, 7, 'two'), (3, 5, 'three'), (4, 5, 'four');
  create function article_shout(a article) returns text language sql stable as $$ select upper(a.title) $$;
`;

const permission = (role: string, rule: JsonObject): JsonObject => ({
  role,
  permission: { columns: ['id', 'author'], filter: {}, allow_aggregations: true, ...rule },
});

const metadata: JsonObject = {
  version: 3,
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      configuration: { connection_info: { database_url: { from_env: 'DATABASE_URL' } } },
      tables: [
        {
          table: 'article',
          computed_fields: [{ name: 'shout', definition: { function: 'article_shout' } }],
          select_permissions: [
            permission('reader', {}),
            permission('author', { filter: { author: 7 }, computed_fields: ['shout'] }),
            permission('loud', { filter: { shout: { _neq: 'ONE' } }, columns: ['id', 'title'] }),
            permission('cautious', {
              filter: { _not: { _exists: { _table: 'article', _where: { author: 9 } } } },
              columns: ['id', 'title'],
            }),
            permission('capped', { columns: '*', computed_fields: ['shout'], limit: 2 }),
          ],
          update_permissions: [
            { role: 'loud', permission: { columns: ['author'], filter: {} } },
            { role: 'reader', permission: { columns: ['author'], filter: {} } },
            { role: 'cautious', permission: { columns: ['author'], filter: {} } },
          ],
        },
      ],
    },
  ],
  inherited_roles: [
    { role_name: 'reading_author', role_set: ['reader', 'author'] },
    { role_name: 'loud_reader', role_set: ['loud', 'reader'] },
    { role_name: 'cautious_reader', role_set: ['cautious', 'reader'] },
  ],
};

let served: InProcess;
const answer = async (query: string, role: string) => JSON.parse(await served.answer({ query }, role)).data;

beforeAll(async () => {
  const database = await createTestDatabase(sql);
  served = await serveInProcess(database.url, metadata);
});
afterAll(() => served.end());

describe('a computed field that one parent of an inherited role lacks', () => {
  it('is shown in the rows of the other parent only', async () => {
    expect(await answer('{ article(order_by: {id: asc}) { id shout } }', 'reading_author')).toEqual({
      article: [
        { id: 1, shout: 'ONE' },
        { id: 2, shout: 'TWO' },
        { id: 3, shout: null },
        { id: 4, shout: null },
      ],
    });
  });

  it('neither filters, sorts nor aggregates by what is not shown', async () => {
    const query = `{
      article(where: {shout: {_in: ["ONE", "THREE"]}}) { id }
      sorted: article(order_by: [{shout: asc_nulls_first}, {id: asc}]) { id }
      article_aggregate { aggregate { max { shout } min { shout } } }
    }`;
    expect(await answer(query, 'reading_author')).toEqual({
      article: [{ id: 1 }],
      sorted: [{ id: 3 }, { id: 4 }, { id: 1 }, { id: 2 }],
      article_aggregate: { aggregate: { max: { shout: 'TWO' }, min: { shout: 'ONE' } } },
    });
  });
});

it('evaluates masks that call functions behind a limit, too', async () => {
  const query =
    '{ article_aggregate(limit: 2, order_by: {id: asc}) { nodes { id title } aggregate { max { title } } } }';
  expect(await answer(query, 'loud_reader')).toEqual({
    article_aggregate: {
      nodes: [
        { id: 1, title: null },
        { id: 2, title: 'two' },
      ],
      aggregate: { max: { title: 'two' } },
    },
  });
});

it('evaluates masks that call functions on rows that a mutation returns', async () => {
  const mutation =
    'mutation { update_article(where: {id: {_lte: 2}}, _set: {author: 7}) { affected_rows returning { id title } } }';
  expect(await answer(mutation, 'loud_reader')).toEqual({
    update_article: {
      affected_rows: 2,
      returning: [
        { id: 1, title: null },
        { id: 2, title: 'two' },
      ],
    },
  });
});

it('evaluates masks that look at other rows on what a mutation leaves', async () => {
  const update = async (author: number) => {
    const mutation = `mutation { update_article_by_pk(pk_columns: {id: 4}, _set: {author: ${author}}) { id title } }`;
    return (await answer(mutation, 'cautious_reader')).update_article_by_pk;
  };
  expect(await update(9)).toEqual({ id: 4, title: null });
  expect(await update(5)).toEqual({ id: 4, title: 'four' });
});

it('computes fields of the rows that the role’s limit leaves', async () => {
  const query = '{ article_aggregate(order_by: {id: desc}) { nodes { shout } aggregate { count } } }';
  expect(await answer(query, 'capped')).toEqual({
    article_aggregate: { nodes: [{ shout: 'FOUR' }, { shout: 'THREE' }], aggregate: { count: 4 } },
  });
});

it('keeps the order of nodes beside a distinct count, for which Postgres sorts', async () => {
  const query = `{ article_aggregate(order_by: {id: desc}) {
    nodes { id } aggregate { count(columns: author, distinct: true) }
  } }`;
  expect(await answer(query, 'reader')).toEqual({
    article_aggregate: { nodes: [{ id: 4 }, { id: 3 }, { id: 2 }, { id: 1 }], aggregate: { count: 2 } },
  });
});

it.each([
  ['{ article_aggregate { __typename } }', { article_aggregate: { __typename: 'article_aggregate' } }],
  [
    '{ article_aggregate(where: {id: {_lt: 0}}) { aggregate { __typename } } }',
    { article_aggregate: { aggregate: { __typename: 'article_aggregate_fields' } } },
  ],
])('answers once when nothing but type names is asked: %s', async (query, expected) => {
  expect(await answer(query, 'reader')).toEqual(expected);
});
