/** Documents that leave for a remote schema are valid by its schema, whatever is left of a selection and whatever rows hold. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RemoteServer, startRemoteServer } from '../../../harness/remote-server.ts';
import { send, serve, type TestServer } from '../../../harness/server.ts';

const SDL = `
  type Query {
    pets: [Pet!]!
    pet(id: ID): Pet
    being: Being
    things: [Thing!]
    list(ids: [Int!], texts: [String], moods: [Mood!], any: Any, of: [Where!], deep: [[Int!]]): String
    must(ids: [Int!]!): String
    one(by: By!): String
    old(id: Int, gone: Int @deprecated(reason: "use id")): String
  }
  type Mutation { adopt(id: ID!): Pet }
  interface Being { id: ID! name: String }
  type Pet implements Being { id: ID! name: String owner: Owner friends: [Being!]! }
  type Owner implements Being { id: ID! name: String pets: [Pet!]! }
  union Thing = Pet | Owner
  enum Mood { GOOD BAD @deprecated }
  scalar Any @specifiedBy(url: "https://any.example")
  input Where { id: Int!, name: String = "x", old: Int @deprecated }
  input By @oneOf { id: Int, name: String, ids: [Int!] }
`;

const owner = { __typename: 'Owner', id: '9', name: 'Ann', pets: [] };
const pet = (id: string) => ({ __typename: 'Pet', id, name: `pet ${id}`, owner, friends: [owner] });

const echo = (given: object) => JSON.stringify(given);

let remote: RemoteServer;
let server: TestServer;

async function metadata(type: string, args: object, status = 200): Promise<string> {
  const answer = await send(server, '/v1/metadata', { body: { type, args } });
  expect([type, answer.status, answer.text]).toEqual([type, status, expect.any(String)]);
  return answer.text;
}

async function ask(query: string, variables?: object): Promise<unknown> {
  remote.calls.length = 0;
  return (await send(server, '/v1/graphql', { body: { query, variables } })).json;
}

const joinTo = (lhs_fields: string[], remote_field: object) => ({
  to_remote_schema: { remote_schema: 'pets', lhs_fields, remote_field },
});
const listed = (lhs_fields: string[], args: object) => joinTo(lhs_fields, { list: { arguments: args } });

const RELATIONSHIPS = {
  pet: joinTo(['id'], { pet: { arguments: { id: '$id' } } }),
  fixed: joinTo([], { pet: { arguments: { id: 'fixed' } } }),
  all: joinTo([], { pets: { arguments: {} } }),
  by_ints: listed(['ints'], { ids: '$ints' }),
  by_texts: listed(['texts'], { texts: '$texts' }),
  by_moods: listed(['moods'], { moods: '$moods' }),
  by_json_ints: listed(['j'], { ids: '$j' }),
  by_inputs: listed(['o'], { of: '$o' }),
  by_deep: listed(['deep'], { deep: '$deep' }),
  by_must: joinTo(['ints'], { must: { arguments: { ids: '$ints' } } }),
  by_one: joinTo(['id'], { one: { arguments: { by: { id: '$id' } } } }),
  by_one_list: joinTo(['ints'], { one: { arguments: { by: { ids: '$ints' } } } }),
};

beforeAll(async () => {
  remote = await startRemoteServer(SDL, {
    pets: [pet('1'), pet('2')],
    pet: ({ id }: { id?: string }) => (id === '3' ? null : pet(id ?? '0')),
    being: owner,
    things: [pet('1'), owner],
    list: echo,
    must: echo,
    one: echo,
    old: echo,
    adopt: ({ id }: { id: string }) => pet(id),
  });
  server = await serve({
    sql: `
      create type mood as enum ('GOOD', 'BAD', 'ODD');
      create table item (id integer primary key, ints int[], texts text[], moods mood[], j jsonb, o jsonb, deep int[][]);
      insert into item values
        (1, '{1,2}', '{a,NULL}', '{GOOD,BAD}', '[1, "2"]', '[{"id": 1, "name": "n"}, {"id": 2}]', '{{1,2},{3,4}}'),
        (2, '{}', '{}', '{}', '[]', '{"id": 3}', '{}'),
        (3, '{1,NULL}', null, '{ODD}', '[1.5]', '[{"name": "n"}]', null),
        (4, null, '{"quote \\" \\\\"}', null, '{"a": 1}', '[{"id": 1, "else": 2}]', null),
        (5, '{{1},{2}}', '{x}', null, '3000000000', '"text"', null);
    `,
    options: { ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true' },
  });
  await metadata('pg_track_table', { table: 'item' });
  await metadata('add_remote_schema', { name: 'pets', definition: { url: remote.url } });
  for (const [name, definition] of Object.entries(RELATIONSHIPS))
    await metadata('pg_create_remote_relationship', { table: 'item', name, definition });
  const to_source = {
    source: 'default',
    table: 'item',
    relationship_type: 'object',
    field_mapping: { id: 'id' },
  };
  for (const [type_name, name, definition] of [
    ['Pet', 'item', { to_source }],
    ['Owner', 'same', joinTo(['id'], { pet: { arguments: { id: '$id' } } })],
    ['Pet', 'fixed', joinTo([], { pet: { arguments: { id: 'fixed' } } })],
  ] as const)
    await metadata('create_remote_schema_remote_relationship', {
      remote_schema: 'pets',
      type_name,
      name,
      definition,
    });
});

afterAll(async () => {
  await server?.stop();
  await remote?.stop();
});

const NOTHING: readonly (readonly [query: string, data: unknown])[] = [
  ['{ pets { ...P @include(if: false) } } fragment P on Pet { id }', { pets: [{}, {}] }],
  ['{ pet { id @skip(if: true) } }', { pet: {} }],
  ['{ pet(id: 3) { id @skip(if: true) } }', { pet: null }],
  ['query ($no: Boolean! = false) { pet { id @include(if: $no) } }', { pet: {} }],
  ['{ pet { ... @skip(if: true) { id } } }', { pet: {} }],
  ['{ pet { ... on Owner { id } } }', { pet: {} }],
  ['{ being { ... on Pet { id } } }', { being: {} }],
  ['{ being { ... on Owner { id @skip(if: true) } } }', { being: {} }],
  ['{ things { ... on Pet { id } } }', { things: [{ id: '1' }, {}] }],
  ['{ things { ... on Pet { id @skip(if: true) } ... on Owner { id } } }', { things: [{}, { id: '9' }] }],
  ['{ things { ... on Being { id @skip(if: true) } } }', { things: [{}, {}] }],
  ['{ pet { owner { id @skip(if: true) } } }', { pet: { owner: {} } }],
  [
    '{ pet { owner { ... on Being @include(if: false) { id } } name } }',
    { pet: { owner: {}, name: 'pet 0' } },
  ],
  ['{ pet { friends { ... on Pet { id } } } }', { pet: { friends: [{}] } }],
  ['{ pet { item @skip(if: true) { id } } }', { pet: {} }],
  ['{ pet(id: 1) { item { id @skip(if: true) } } }', { pet: { item: {} } }],
  ['{ pet(id: 1) { item { id } } }', { pet: { item: { id: 1 } } }],
  ['{ pet { owner { same { id @skip(if: true) } } } }', { pet: { owner: { same: {} } } }],
  ['{ pet { fixed { id @skip(if: true) } } }', { pet: { fixed: {} } }],
  ['{ item(where: {id: {_eq: 1}}) { pet { id @skip(if: true) } } }', { item: [{ pet: {} }] }],
  ['{ item(where: {id: {_eq: 3}}) { pet { id @skip(if: true) } } }', { item: [{ pet: null }] }],
  ['{ item(where: {id: {_eq: 1}}) { all { ... on Owner { id } } } }', { item: [{ all: [{}, {}] }] }],
  [
    '{ item(where: {id: {_eq: 1}}) { id @skip(if: true) } pet { __typename } }',
    { item: [{}], pet: { __typename: 'Pet' } },
  ],
  ['mutation { adopt(id: 4) { id @skip(if: true) } }', { adopt: {} }],
  [
    '{ a: pet { id @skip(if: true) } b: pet { id } item(limit: 1) { id } }',
    { a: {}, b: { id: '0' }, item: [{ id: 1 }] },
  ],
];

test.each(NOTHING)('nothing is left of a selection: %s', async (query, data) => {
  expect(await ask(query)).toEqual({ data });
});

test('a relationship without values of the row', async () => {
  expect(await ask('{ item(limit: 2, order_by: {id: asc}) { id fixed { id } all { name } } }')).toEqual({
    data: {
      item: [1, 2].map((id) => ({ id, fixed: { id: 'fixed' }, all: [{ name: 'pet 1' }, { name: 'pet 2' }] })),
    },
  });
  expect(remote.calls).toHaveLength(1);
  expect(await ask('{ pets { id fixed { name } } }')).toEqual({
    data: { pets: ['1', '2'].map((id) => ({ id, fixed: { name: 'pet fixed' } })) },
  });
});

test('fragments for several types select one relationship', async () => {
  const query =
    '{ things { ... on Being { ... on Owner { same { id } } } ... on Owner { same { name } } ... on Pet { item { id } } } }';
  expect(await ask(query)).toEqual({
    data: { things: [{ item: { id: 1 } }, { same: { id: '9', name: 'pet 9' } }] },
  });
});

test.each([
  ['ints', ['{"ids":[1,2]}', '{"ids":[]}', null, null, null]],
  [
    'texts',
    ['{"texts":["a",null]}', '{"texts":[]}', null, '{"texts":["quote \\" \\\\"]}', '{"texts":["x"]}'],
  ],
  ['moods', ['{"moods":["GOOD","BAD"]}', '{"moods":[]}', null, null, null]],
  ['json_ints', ['{"ids":[1,2]}', '{"ids":[]}', null, null, null]],
  [
    'inputs',
    ['{"of":[{"id":1,"name":"n"},{"id":2,"name":"x"}]}', '{"of":[{"id":3,"name":"x"}]}', null, null, null],
  ],
  ['deep', ['{"deep":[[1,2],[3,4]]}', '{"deep":[]}', null, null, null]],
  ['must', ['{"ids":[1,2]}', '{"ids":[]}', null, null, null]],
  ['one', [1, 2, 3, 4, 5].map((id) => `{"by":{"id":${id}}}`)],
  ['one_list', ['{"by":{"ids":[1,2]}}', '{"by":{"ids":[]}}', null, null, null]],
])('values of rows feed an argument as its type takes them: %s', async (name, expected) => {
  const answer = (await ask(`{ item(order_by: {id: asc}) { by_${name} } }`)) as {
    data: { item: Record<string, string | null>[] };
  };
  expect(answer.data.item.map((row) => row[`by_${name}`])).toEqual(expected);
});

test.each([
  ['{ one(by: {id: 1, name: "x"}) }', {}],
  ['{ one(by: {}) }', {}],
  ['{ one(by: {id: null}) }', {}],
  ['query ($by: By!) { one(by: $by) }', { by: { id: 1, name: 'x' } }],
  ['query ($id: Int) { one(by: {id: $id}) }', { id: null }],
])('a one-of input takes one field: %s', async (query, variables) => {
  expect(await ask(query, variables)).toMatchObject({
    errors: [{ extensions: { code: 'validation-failed' } }],
  });
  expect(remote.calls).toHaveLength(0);
});

test('values that a scalar does not take are refused here, also where a plan is known', async () => {
  const query = 'query ($ids: [Int!], $id: Int) { list(ids: $ids) old(id: $id) item(limit: 1) { id } }';
  expect(await ask(query, { ids: [1], id: 1 })).toMatchObject({ data: { list: '{"ids":[1]}' } });
  for (const variables of [
    { ids: ['x'] },
    { ids: [1.5] },
    { ids: [true] },
    { id: 'x' },
    { id: 3e9 },
    { id: true },
  ]) {
    expect(await ask(query, variables)).toMatchObject({
      errors: [{ extensions: { code: 'validation-failed' } }],
    });
    expect(remote.calls).toHaveLength(0);
  }
});

test.each([
  '{ being { x: id ... on Owner { x: name } } }',
  '{ things { ... on Pet { x: id } ... on Owner { x: name } } }',
  '{ pet { __join_0_Pet_item: id } }',
])('selections that cannot be merged are refused here: %s', async (query) => {
  expect(await ask(query)).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] });
  expect(remote.calls).toHaveLength(0);
});

test('facts of the remote schema are served', async () => {
  const query = `{
    by: __type(name: "By") { isOneOf }
    any: __type(name: "Any") { specifiedByURL }
    where: __type(name: "Where") { isOneOf inputFields { name } all: inputFields(includeDeprecated: true) { name isDeprecated deprecationReason } }
    mood: __type(name: "Mood") { enumValues(includeDeprecated: true) { name isDeprecated } }
    query: __type(name: "query_root") { fields { name args { name } all: args(includeDeprecated: true) { name deprecationReason } } }
  }`;
  const { data } = (await ask(query)) as { data: { query: { fields: { name: string }[] } } };
  expect(data).toMatchObject({
    by: { isOneOf: true },
    any: { specifiedByURL: 'https://any.example' },
    where: {
      isOneOf: false,
      inputFields: [{ name: 'id' }, { name: 'name' }],
      all: [
        { name: 'id', isDeprecated: false },
        { name: 'name', isDeprecated: false },
        { name: 'old', isDeprecated: true, deprecationReason: 'No longer supported' },
      ],
    },
    mood: {
      enumValues: [
        { name: 'BAD', isDeprecated: true },
        { name: 'GOOD', isDeprecated: false },
      ],
    },
  });
  expect(data.query.fields.find(({ name }) => name === 'old')).toEqual({
    name: 'old',
    args: [{ name: 'id' }],
    all: [
      { name: 'gone', deprecationReason: 'use id' },
      { name: 'id', deprecationReason: null },
    ],
  });
  expect(await ask('{ old(gone: 1) }')).toEqual({ data: { old: '{"gone":1}' } });
});
