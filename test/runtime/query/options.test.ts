/** Switches of the server that change what is read, and how requests are understood. */
import { afterAll, expect, test } from 'vitest';
import { EngineError } from '../../../runtime/core/errors.ts';
import type { JsonObject } from '../../../runtime/metadata/metadata.ts';
import { type InProcess, serveInProcess } from '../../harness/in-process.ts';
import { createTestDatabase } from '../../harness/postgres.ts';

const sql = `
  create table author (id int primary key, name text not null, tags text[] not null default '{}');
  create table article (id int primary key, author_id int not null references author, published boolean);
  insert into author values (1, 'Ada', '{poet,"a, b"}'), (2, 'Grace', '{}');
  insert into article values (1, 1, true), (2, 1, false), (3, 2, true);
`;

const metadata: JsonObject = {
  version: 3,
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      configuration: { connection_info: { database_url: { from_env: 'DATABASE_URL' } } },
      tables: [
        {
          table: 'author',
          array_relationships: [
            {
              name: 'articles',
              using: { foreign_key_constraint_on: { table: 'article', column: 'author_id' } },
            },
          ],
        },
        { table: 'article' },
      ],
    },
  ],
};

const opened: InProcess[] = [];
afterAll(() => Promise.all(opened.map((served) => served.end())));

async function serve(options: Parameters<typeof serveInProcess>[3]): Promise<InProcess> {
  const { url } = await createTestDatabase(sql);
  const served = await serveInProcess(url, metadata, undefined, options);
  opened.push(served);
  return served;
}

async function ask(served: InProcess, query: string, variables: JsonObject = {}, role = 'admin') {
  try {
    return JSON.parse(await served.answer({ query, variables }, role)).data;
  } catch (error) {
    if (error instanceof EngineError) return `${error.code} ${error.path}: ${error.message}`;
    throw error;
  }
}

const byName = 'query ($name: String) { author(where: {name: {_eq: $name}}, order_by: {id: asc}) { id } }';

test('a variable that is left out counts as null, or as not written', async () => {
  expect(await ask(await serve({}), byName)).toBe(
    "validation-failed $.selectionSet.author.args.where.name._eq: unexpected null value for type 'String'",
  );
  const served = await serve({ omitUnboundVariables: true });
  const everyone = { author: [{ id: 1 }, { id: 2 }] };
  // In this order: a plan made without the variable must not serve a request that gives it.
  expect(await ask(served, byName)).toEqual(everyone);
  expect(await ask(served, byName, { name: 'Ada' })).toEqual({ author: [{ id: 1 }] });
  expect(await ask(served, byName, { name: null })).toContain("unexpected null value for type 'String'");
  expect(await ask(served, byName)).toEqual(everyone);
  const limited =
    'query ($limit: Int, $where: author_bool_exp) { author(limit: $limit, where: $where) { id } }';
  expect(await ask(served, limited)).toEqual(everyone);
  expect(await ask(served, limited, { limit: 1, where: { id: { _gt: 1 } } })).toEqual({
    author: [{ id: 2 }],
  });
});

test('a default is a value', async () => {
  const served = await serve({ omitUnboundVariables: true });
  const query = byName.replace('String)', 'String = "Grace")');
  expect(await ask(served, query)).toEqual({ author: [{ id: 2 }] });
});

test('null for a variable that is never null is refused, or left to the place where it stands', async () => {
  const query = 'query ($limit: Int!) { author(limit: $limit) { id } }';
  expect(await ask(await serve({}), query, { limit: null })).toBe(
    'validation-failed $: null value found for non-nullable type: "Int!"',
  );
  const served = await serve({ lenientNulls: true });
  expect(await ask(served, query, { limit: null })).toEqual({ author: [{ id: 1 }, { id: 2 }] });
  expect(await ask(served, query)).toBe(
    'validation-failed $: expecting a value for non-nullable variable: "limit"',
  );
});

test('a null operand is refused, or vanishes', async () => {
  const query = '{ author(where: {id: {_gt: null}, name: {_eq: "Ada"}}) { id } }';
  expect(await ask(await serve({}), query)).toContain("unexpected null value for type 'Int'");
  expect(await ask(await serve({ collapseNulls: true }), query)).toEqual({ author: [{ id: 1 }] });
});

test('conditions on aggregates are offered, or not', async () => {
  const query = '{ author(where: {articles_aggregate: {count: {predicate: {_gt: 1}}}}) { id } }';
  expect(await ask(await serve({}), query)).toEqual({ author: [{ id: 1 }] });
  const served = await serve({ hideAggregationPredicates: true });
  expect(await ask(served, query)).toBe(
    "validation-failed $.selectionSet.author.args.where.articles_aggregate: field 'articles_aggregate' not found in type: 'author_bool_exp'",
  );
  const types = '{ __schema { types { name } } }';
  const names = JSON.stringify(await ask(served, types));
  expect(names).not.toContain('aggregate_bool_exp');
  // The aggregate itself stays.
  expect(
    await ask(served, '{ author(where: {id: {_eq: 1}}) { articles_aggregate { aggregate { count } } } }'),
  ).toEqual({ author: [{ articles_aggregate: { aggregate: { count: 2 } } }] });
});

test('many updates at once are offered, or not', async () => {
  const query = '{ __type(name: "mutation_root") { fields { name } } }';
  expect(JSON.stringify(await ask(await serve({}), query))).toContain('update_author_many');
  const served = await serve({ hideUpdateMany: true });
  const names = JSON.stringify(await ask(served, query));
  expect(names).not.toContain('_many');
  expect(names).toContain('update_author_by_pk');
});

test('arrays are lists, or scalars that take the text of an array', async () => {
  const query = '{ author(where: {tags: {_eq: "{poet,\\"a, b\\"}"}}) { tags } }';
  const type = `{ __type(name: "author") { fields { name type { ofType { name kind } } } } }`;
  const ofTags = (answer: { __type: { fields: { name: string; type: unknown }[] } }) =>
    answer.__type.fields.find(({ name }) => name === 'tags')?.type;
  const lists = await serve({});
  expect(ofTags(await ask(lists, type))).toEqual({ ofType: { name: null, kind: 'LIST' } });
  const scalars = await serve({ naming: { arraysAsScalars: true } });
  expect(ofTags(await ask(scalars, type))).toEqual({ ofType: { name: '_text', kind: 'SCALAR' } });
  for (const served of [lists, scalars])
    expect(await ask(served, query)).toEqual({ author: [{ tags: ['poet', 'a, b'] }] });
  expect(await ask(scalars, '{ author(where: {tags: {_contains: ["poet"]}}) { id } }')).toContain(
    "field '_contains' not found in type: '_text_comparison_exp'",
  );
  expect(await ask(scalars, '{ author(where: {tags: {_eq: ["poet"]}}) { id } }')).toBe(
    'parse-failed $.selectionSet.author.args.where.tags._eq: A string is expected for type: _text',
  );
});

test('statements carry a comment that says where they come from', async () => {
  const query = 'query Everyone { author { id } others: author_aggregate { aggregate { count } } }';
  expect((await serve({})).sql({ query }, 'admin')).not.toContain('/*');
  const served = await serve({ queryTags: true });
  expect(served.sql({ query }, 'admin')).toMatch(
    / \/\* field_name='author%2Cauthor_aggregate',operation_name='Everyone',role='admin' \*\/$/,
  );
  expect(await ask(served, query)).toEqual({
    author: [{ id: 1 }, { id: 2 }],
    others: { aggregate: { count: 2 } },
  });
});
