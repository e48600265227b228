/** A client's text that looks like a session variable stays a text, wherever it stands. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerTo, send, serve, type TestServer } from '../../harness/server.ts';

/** Written as variables are in metadata; the session gives it another value. */
const LITERAL = 'X-Engine-User-Id';
const VALUE = '1';

let server: TestServer;

beforeAll(async () => {
  server = await serve({
    sql: `
    create table item (key text primary key, body jsonb not null default '{}', tags text[] not null default '{}', owner text);
    create function find_item(wanted text) returns setof item language sql stable as
      $$ select * from item where key = wanted $$;
    create table line (id serial primary key, item_key text references item);
  `,
  });
  const all = { columns: '*', filter: {} };
  const permit = (kind: string, table: string, permission: object) => ({
    type: `pg_create_${kind}_permission`,
    args: { table, role: 'user', permission },
  });
  const args = [
    ...['item', 'line'].map((table) => ({ type: 'pg_track_table', args: { table } })),
    { type: 'pg_track_function', args: { function: 'find_item' } },
    {
      type: 'pg_create_object_relationship',
      args: { table: 'line', name: 'item', using: { foreign_key_constraint_on: 'item_key' } },
    },
    permit('select', 'item', { ...all, allow_aggregations: true }),
    permit('insert', 'item', { columns: '*', check: {} }),
    permit('update', 'item', { ...all }),
    permit('delete', 'item', { filter: {} }),
    permit('select', 'line', all),
    permit('insert', 'line', { columns: '*', check: {} }),
  ];
  const { status, text } = await send(server, '/v1/metadata', { body: { type: 'bulk', args } });
  if (status !== 200) throw new Error(text);
});

afterAll(() => server?.stop());

const graphql = (query: string, variables: object = {}) =>
  answerTo(server, query, { role: 'user', headers: { 'x-engine-user-id': VALUE }, variables });

/** One row whose values are the text itself, one whose values are what the variable stands for. */
async function reset(): Promise<void> {
  await server.database.query('truncate item, line restart identity');
  for (const text of [LITERAL, VALUE]) {
    await server.database.query('insert into item values ($1, $2, $3, $1)', [
      text,
      JSON.stringify({ [text]: text }),
      [text],
    ]);
    await server.database.query('insert into line (item_key) values ($1)', [text]);
  }
}

const found = { data: { item: [{ key: LITERAL }] } };

describe('in conditions', () => {
  beforeAll(reset);

  test.each([
    `key: {_eq: "${LITERAL}"}`,
    `key: {_in: ["${LITERAL}"]}`,
    `key: {_nin: ["${VALUE}"]}`,
    `key: {_neq: "${VALUE}"}`,
    `key: {_like: "${LITERAL}"}`,
    `key: {_ilike: "${LITERAL}"}`,
    `key: {_similar: "${LITERAL}"}`,
    `key: {_regex: "^${LITERAL}$"}`,
    `key: {_gte: "${LITERAL}"}`,
    `_and: [{_not: {_not: {owner: {_eq: "${LITERAL}"}}}}]`,
    `_or: [{key: {_eq: "${LITERAL}"}}]`,
    `body: {_has_key: "${LITERAL}"}`,
    `body: {_has_keys_any: ["${LITERAL}"]}`,
    `body: {_has_keys_all: ["${LITERAL}"]}`,
    `tags: {_contains: ["${LITERAL}"]}`,
    `tags: {_contained_in: ["${LITERAL}"]}`,
    `tags: {_eq: ["${LITERAL}"]}`,
  ])('%s', async (condition) => {
    expect(await graphql(`{ item(where: {${condition}}) { key } }`)).toEqual(found);
  });

  test.each<[string, string, unknown]>([
    ['String!', 'key: {_eq: $v}', LITERAL],
    ['[String!]!', 'key: {_in: $v}', [LITERAL]],
    ['jsonb!', 'body: {_eq: $v}', { [LITERAL]: LITERAL }],
    ['jsonb!', 'body: {_contains: $v}', { [LITERAL]: LITERAL }],
    ['[String!]!', 'tags: {_eq: $v}', [LITERAL]],
    ['String_comparison_exp!', 'key: $v', { _eq: LITERAL }],
  ])('a variable of type %s in %s', async (type, condition, value) => {
    expect(
      await graphql(`query ($v: ${type}) { item(where: {${condition}}) { key } }`, { v: value }),
    ).toEqual(found);
  });

  test('whole conditions and defaults of variables', async () => {
    expect(
      await graphql('query ($v: item_bool_exp!) { item(where: $v) { key } }', {
        v: { key: { _eq: LITERAL } },
      }),
    ).toEqual(found);
    expect(
      await graphql(`query ($v: String! = "${LITERAL}") { item(where: {key: {_eq: $v}}) { key } }`),
    ).toEqual(found);
  });

  test('keys, arguments of functions, relationships, aggregates', async () => {
    expect(await graphql(`{ item_by_pk(key: "${LITERAL}") { key } }`)).toEqual({
      data: { item_by_pk: { key: LITERAL } },
    });
    expect(await graphql(`{ find_item(args: {wanted: "${LITERAL}"}) { key } }`)).toEqual({
      data: { find_item: [{ key: LITERAL }] },
    });
    expect(await graphql(`{ line(where: {item: {key: {_eq: "${LITERAL}"}}}) { item_key } }`)).toEqual({
      data: { line: [{ item_key: LITERAL }] },
    });
    expect(await graphql(`{ item_aggregate(where: {key: {_eq: "${LITERAL}"}}) { nodes { key } } }`)).toEqual({
      data: { item_aggregate: { nodes: [{ key: LITERAL }] } },
    });
  });
});

describe('in writes', () => {
  test('values of inserted rows, nested ones, and of conflicts', async () => {
    await server.database.query('truncate item, line restart identity');
    expect(
      await graphql(
        `mutation ($o: [item_insert_input!]!) { insert_item(objects: $o) { returning { key body tags owner } } }`,
        {
          o: [{ key: LITERAL, body: { a: LITERAL, [LITERAL]: [LITERAL] }, tags: [LITERAL], owner: LITERAL }],
        },
      ),
    ).toEqual({
      data: {
        insert_item: {
          returning: [
            { key: LITERAL, body: { a: LITERAL, [LITERAL]: [LITERAL] }, tags: [LITERAL], owner: LITERAL },
          ],
        },
      },
    });
    expect(
      await graphql(
        `mutation { insert_item_one(object: {key: "${LITERAL}", owner: "new"}, on_conflict: {constraint: item_pkey, update_columns: [owner], where: {owner: {_eq: "${LITERAL}"}}}) { owner } }`,
      ),
    ).toEqual({ data: { insert_item_one: { owner: 'new' } } });
    expect(
      await graphql(
        `mutation { insert_line_one(object: {item: {data: {key: "x-engine-role", owner: "${LITERAL}"}}}) { item { key owner } } }`,
      ),
    ).toEqual({ data: { insert_line_one: { item: { key: 'x-engine-role', owner: LITERAL } } } });
  });

  test('values and conditions of updates and deletions', async () => {
    await reset();
    expect(
      await graphql(
        `mutation { update_item(where: {key: {_eq: "${LITERAL}"}}, _set: {owner: "x-engine-role"}, _append: {body: "${LITERAL}"}) { returning { key owner body } } }`,
      ),
    ).toEqual({
      data: {
        update_item: {
          returning: [{ key: LITERAL, owner: 'x-engine-role', body: [{ [LITERAL]: LITERAL }, LITERAL] }],
        },
      },
    });
    expect(
      await graphql(
        `mutation { update_item_by_pk(pk_columns: {key: "${LITERAL}"}, _set: {owner: "${LITERAL}"}) { owner } }`,
      ),
    ).toEqual({ data: { update_item_by_pk: { owner: LITERAL } } });
    await server.database.query('truncate line');
    expect(
      await graphql(`mutation { delete_item(where: {owner: {_eq: "${LITERAL}"}}) { returning { key } } }`),
    ).toEqual({ data: { delete_item: { returning: [{ key: LITERAL }] } } });
    expect(await server.database.query('select key from item')).toEqual([{ key: VALUE }]);
  });
});

test('in the legacy API', async () => {
  await reset();
  const { json } = await send(server, '/v1/query', {
    headers: { 'x-engine-role': 'user', 'x-engine-user-id': VALUE },
    body: { type: 'select', args: { table: 'item', columns: ['key'], where: { key: LITERAL } } },
  });
  expect(json).toEqual([{ key: LITERAL }]);
});
