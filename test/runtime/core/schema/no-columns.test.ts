/** Roles whose permissions leave types without fields: their schema is valid, and what they may do still works. */
import {
  buildClientSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  parse,
  printSchema,
  validateSchema,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type InProcess, serveInProcess } from '../../../harness/in-process.ts';
import { createTestDatabase } from '../../../harness/postgres.ts';

const schema = `
  create table author (id serial primary key, name text);
  create table article (id serial primary key, author_id int not null references author, title text, owner text not null default '');
  create function author_title(author_row author) returns text stable language sql as $$ select 'Dr ' || author_row.name $$;
  insert into author (name) values ('Ann'), ('Bob');
  insert into article (author_id, title) values (1, 'a'), (1, 'b'), (2, 'c');
`;

/** Permissions of each role: for select, insert, update and delete of author, then of article. */
const ROLES: Readonly<Record<string, Partial<Record<'author' | 'article', object>>>> = {
  nothing: { author: { select: { columns: [], filter: {} } } },
  counts: { author: { select: { columns: [], filter: {}, allow_aggregations: true } } },
  computes: { author: { select: { columns: [], computed_fields: ['title'], filter: {} } } },
  both: {
    author: { select: { columns: [], filter: {} } },
    article: { select: { columns: [], filter: {}, allow_aggregations: true } },
  },
  follows: {
    author: { select: { columns: [], filter: {} } },
    article: { select: { columns: ['title'], filter: {} } },
  },
  writes: {
    author: {
      select: { columns: [], filter: {} },
      insert: { columns: [], check: {}, set: { name: 'preset' } },
      update: { columns: [], filter: {}, set: { name: 'preset' } },
      delete: { filter: {} },
    },
  },
  'writes only': {
    article: { insert: { columns: [], check: {}, set: { author_id: 1, title: 'X-Engine-Title' } } },
    author: { insert: { columns: ['name'], check: {} } },
  },
  updates: {
    article: {
      insert: { columns: ['title', 'author_id'], check: {} },
      update: { columns: [], filter: {}, set: { owner: 'me' } },
    },
  },
};

const OPERATIONS = ['select', 'insert', 'update', 'delete'] as const;

function permissionsOf(table: 'author' | 'article'): object {
  return Object.fromEntries(
    OPERATIONS.map((operation) => [
      `${operation}_permissions`,
      Object.entries(ROLES).flatMap(([role, tables]) => {
        const permission = (tables[table] as Record<string, object> | undefined)?.[operation];
        return permission ? [{ role, permission }] : [];
      }),
    ]),
  );
}

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
            { name: 'title', definition: { function: { schema: 'public', name: 'author_title' } } },
          ],
          ...permissionsOf('author'),
        },
        {
          table: { schema: 'public', name: 'article' },
          object_relationships: [{ name: 'author', using: { foreign_key_constraint_on: 'author_id' } }],
          ...permissionsOf('article'),
        },
      ],
    },
  ],
};

let served: InProcess;

beforeAll(async () => {
  const database = await createTestDatabase(schema);
  served = await serveInProcess(database.url, metadata);
});
afterAll(() => served?.end());

describe('the schema is valid, and can be printed and read back', () => {
  test.each(Object.keys(ROLES))('%s', async (role) => {
    const text = await served.answer({ query: getIntrospectionQuery() }, role);
    const { data } = JSON.parse(text) as { data: IntrospectionQuery };
    const client = buildClientSchema(data);
    expect(validateSchema(client)).toEqual([]);
    expect(() => parse(printSchema(client))).not.toThrow();
  });
});

test.each<[string, string, unknown]>([
  ['nothing', '{ author { __typename } }', { author: [{ __typename: 'author' }, { __typename: 'author' }] }],
  [
    'counts',
    '{ author_aggregate { aggregate { count } nodes { __typename } } }',
    expect.objectContaining({}),
  ],
  [
    'computes',
    '{ author(order_by: {title: asc}) { title } }',
    { author: [{ title: 'Dr Ann' }, { title: 'Dr Bob' }] },
  ],
  [
    'both',
    '{ author(limit: 1) { articles_aggregate { aggregate { count } } } }',
    expect.objectContaining({}),
  ],
  [
    'follows',
    '{ author(limit: 1) { articles(order_by: {title: asc}) { title } } }',
    { author: [{ articles: [{ title: 'a' }, { title: 'b' }] }] },
  ],
  [
    'writes',
    'mutation { insert_author_one(object: {}) { __typename } }',
    { insert_author_one: { __typename: 'author' } },
  ],
  [
    'writes',
    'mutation { insert_author(objects: [{}, {}]) { affected_rows returning { __typename } } }',
    expect.objectContaining({}),
  ],
  [
    'writes only',
    'mutation { insert_article(objects: [{}]) { affected_rows } }',
    { insert_article: { affected_rows: 1 } },
  ],
  [
    'writes only',
    'mutation { insert_author(objects: [{name: "n", articles: {data: [{}]}}]) { affected_rows } }',
    expect.anything(),
  ],
  [
    'updates',
    'mutation { insert_article(objects: [{title: "t", author_id: 1}]) { affected_rows } }',
    expect.anything(),
  ],
])('%s: %s', async (role, query, expected) => {
  const text = await served.answer({ query }, role, { 'x-engine-title': 'from the session' });
  expect((JSON.parse(text) as { data: unknown }).data).toEqual(expected);
});

test('the field that stands in for none is not served', async () => {
  const { errors } = await served
    .answer({ query: '{ author { _PLACEHOLDER } }' }, 'nothing')
    .then((text) => JSON.parse(text) as { errors: unknown })
    .catch((error: Error) => ({ errors: error.message }));
  expect(errors).toContain(`'_PLACEHOLDER' not found in type: 'author'`);
});
