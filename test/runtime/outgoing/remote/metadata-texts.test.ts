/** Answers of the operations on remote schemas, right and wrong: status, code and text. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { upstreamProblems } from '../../../../compiler/phases/3-resolve/remote-upstream.ts';
import { readRemoteDocument } from '../../../../runtime/core/remotes/document.ts';
import { type RemoteServer, startRemoteServer } from '../../../harness/remote-server.ts';
import { answerTo, send, serve, type TestServer } from '../../../harness/server.ts';

let server: TestServer;
const remotes: Record<string, RemoteServer> = {};

const SCHEMAS: Readonly<Record<string, string>> = {
  one: 'type Query { hello: String, code: Int, hero(ep: Int): Droid } interface Character { name: String } type Droid implements Character { name: String primaryFunction: String }',
  same: 'type Query { hello: String }',
  root: 'type Query { usr(a: Int): String }',
  type: 'type Query { thing: usr } type usr { a: Int }',
  derived: 'type Query { thing: usr_bool_exp } type usr_bool_exp { a: Int }',
  owned: 'type Query { mine(owner: String): Int }',
};

beforeAll(async () => {
  for (const [name, sdl] of Object.entries(SCHEMAS))
    remotes[name] = await startRemoteServer(sdl, { hello: name, code: 1, hero: { name: 'R2' } });
  server = await serve({
    sql: 'create table usr (id integer primary key); create table hello (id integer primary key); create table other (id integer primary key)',
    options: { ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true' },
    variables: { NO_ADDRESS: 'nonsense' },
  });
  await run('pg_track_table', { table: 'usr' });
  await run('add_remote_schema', { name: 'one', definition: { url: remotes.one!.url } });
});

afterAll(async () => {
  await server.stop();
  await Promise.all(Object.values(remotes).map((remote) => remote.stop()));
});

beforeEach(() => {
  remotes.one!.answer = undefined;
  remotes.same!.answer = undefined;
});

async function run(type: string, args: object): Promise<[number, string?, string?]> {
  const { status, json } = await send(server, '/v1/metadata', { body: { type, args } });
  if (status === 200) return [200];
  const { code, error } = json as { code: string; error: string };
  return [status, code, error];
}

const ask = (query: string, role = 'admin', variables: object = {}) =>
  answerTo(server, query, { role, variables });

const add = (name: string, definition: object) => run('add_remote_schema', { name, definition });
const permit = (schema: string, role = 'reader', remote_schema = 'one') =>
  run('add_remote_schema_permissions', { remote_schema, role, definition: { schema } });

test.each([
  [
    'type Query { a: O } type O implements I { f: Int }',
    `Could not find interface 'I' implemented by Object type 'O'`,
  ],
  [
    'type Query { a: O } type O implements I { g: Int } interface I { f: Int }',
    `Interface field 'I'."f" expected, but 'O' does not provide it`,
  ],
  [
    'type Query { a: O } type O implements I { f: String! } interface I { f: ID! }',
    `The type of Object field 'O'."f" (String!) is not the same type/sub type of Interface field 'I'."f" (ID!)`,
  ],
  [
    'type Query { a: O } type O implements I { f: Int } interface I { f(a: Int!): Int }',
    `Interface field argument 'I'."f"("a":) required, but Object field 'O'."f" does not provide it`,
  ],
  [
    'type Query { a: O } type O implements I { f(a: String!): Int } interface I { f(a: Int!): Int }',
    `Interface field argument 'I'."f"("a":) expects type Int!, but 'O'."f"("a":) has type String!`,
  ],
  [
    'type Query { a: O } type O implements I { f(a: Int!): Int } interface I { f: Int }',
    `Object field argument 'O'."f"("a":) is of required type Int!, but is not provided by Interface field 'I'."f"`,
  ],
  ['type Query { a: Int } interface I', `List of fields cannot be empty for interface 'I'`],
  [
    'type Query { a: U } union U = T',
    `Could not find type 'T', which is defined as a member type of Union 'U'`,
  ],
  [
    'type Query { a: U } union U = I interface I { a: Int }',
    `Union type 'U' can only include object types. It cannot include 'I'`,
  ],
  ['type Query { a: U } union U', `List of member types cannot be empty for union type 'U'`],
  ['type Query { a: T }', 'Could not find type with name "T"'],
])('a server whose schema breaks a rule: %s', (sdl, problem) => {
  expect(upstreamProblems(readRemoteDocument(sdl))).toEqual([problem]);
});

test('addresses', async () => {
  const refused = [400, 'invalid-params'];
  expect(await add('x', {})).toEqual([...refused, "both `url` and `url_from_env` can't be empty"]);
  expect(await add('x', { url: 'http://x', url_from_env: 'A' })).toEqual([
    ...refused,
    "both `url` and `url_from_env` can't be present",
  ]);
  expect(await add('x', { url: 'nonsense' })).toEqual([
    ...refused,
    'not a valid URI generated from the template: nonsense',
  ]);
  expect(await add('x', { url_from_env: 'NOPE' })).toEqual([
    ...refused,
    "environment variable 'NOPE' not set",
  ]);
  expect(await add('x', { url_from_env: 'NO_ADDRESS' })).toEqual([
    ...refused,
    'not a valid URI in environment variable: NO_ADDRESS',
  ]);
});

test('names that something else has', async () => {
  expect(await add('same', { url: remotes.same!.url })).toEqual([
    400,
    'unexpected',
    'cannot continue due to new inconsistent metadata',
  ]);
  expect(await add('root', { url: remotes.root!.url })).toEqual([
    400,
    'invalid-configuration',
    "Inconsistent object: Duplicate remote field 'usr'",
  ]);
  for (const [name, type] of [
    ['type', 'usr'],
    ['derived', 'usr_bool_exp'],
  ] as const)
    expect(await add(name, { url: remotes[name]!.url })).toEqual([
      400,
      'invalid-configuration',
      `Inconsistent object: Found conflicting definitions for "${type}": table public.usr in source default defines it otherwise`,
    ]);
  const conflict = 'node hello already exists in current graphql schema';
  expect(await run('pg_track_table', { table: 'hello' })).toEqual([400, 'remote-schema-conflicts', conflict]);
  const many = { allow_warnings: true, tables: [{ table: 'hello' }, { table: 'other' }] };
  const tracked = await send(server, '/v1/metadata', { body: { type: 'pg_track_tables', args: many } });
  expect(tracked.json).toMatchObject({ warnings: [{ code: 'track-table-failed', message: conflict }] });
  const action = {
    kind: 'synchronous',
    type: 'query',
    handler: 'http://x/',
    output_type: 'String',
    arguments: [],
  };
  expect(await run('create_action', { name: 'hello', definition: action })).toEqual([
    400,
    'remote-schema-conflicts',
    conflict,
  ]);
  // A prefix keeps types apart.
  const customization = { type_names: { prefix: 'T_' } };
  expect(await add('type', { url: remotes.type!.url, customization })).toEqual([200]);
  expect(await ask('{ thing { __typename } }')).toEqual({ data: { thing: null } });
  expect(await run('remove_remote_schema', { name: 'type' })).toEqual([200]);
});

test('customization', async () => {
  const customized = (customization: object, name = 'c') =>
    add(name, { url: remotes.one!.url, customization: { root_fields_namespace: 'ns', ...customization } });
  const twice = { mapping: { Droid: 'Foo', Character: 'Foo' } };
  const distinct = 'Type name mappings are not distinct; the following types appear more than once: "Foo"';
  expect(await customized({ root_fields_namespace: '__ns' })).toEqual([
    400,
    'invalid-params',
    expect.stringContaining('reserved'),
  ]);
  expect(await customized({ type_names: { prefix: '__x' } })).toEqual([
    400,
    'invalid-params',
    expect.stringContaining('reserved'),
  ]);
  expect(await customized({ type_names: { mapping: { Droid: '__x' } } })).toEqual([
    400,
    'invalid-params',
    expect.stringContaining('reserved'),
  ]);
  expect(await customized({ type_names: twice })).toEqual([400, 'remote-schema-error', distinct]);
  const droid = (mapping: object) => ({ field_names: [{ parent_type: 'Droid', mapping }] });
  expect(await customized(droid({ name: 'a', primaryFunction: 'a' }))).toEqual([
    400,
    'remote-schema-error',
    'Field name mappings for object type "Droid" are not distinct; the following fields appear more than once: "a"',
  ]);
  expect(await customized(droid({ name: 'a' }))).toEqual([
    400,
    'remote-schema-error',
    'Remote schema customization inconsistency: field name mapping for field "name" of interface "Character" is inconsistent with mapping for type "Droid". Interface field name maps to "name". Type field name maps to "a".',
  ]);
  expect(await customized(droid({ __typename: 'a' }))).toEqual([
    400,
    'invalid-params',
    'attempt to customize reserved field name "__typename"',
  ]);
  expect(
    await customized({ type_names: { prefix: 'C_', mapping: { String: 'MyString', Int: 'MyInt' } } }),
  ).toEqual([200]);
  expect(await ask('query ($ep: Int!) { ns { hero(ep: $ep) { name } } }', 'admin', { ep: 1 })).toMatchObject({
    errors: [{ message: "variable 'ep' is declared as 'Int!', but used where 'MyInt' is expected" }],
  });
  expect(
    await ask('query ($ep: MyInt!) { ns { hero(ep: $ep) { name __typename } } }', 'admin', { ep: 1 }),
  ).toEqual({
    data: { ns: { hero: { name: 'R2', __typename: 'C_Droid' } } },
  });
  const changed = {
    url: remotes.one!.url,
    customization: { root_fields_namespace: 'ns', type_names: twice },
  };
  expect(await run('update_remote_schema', { name: 'c', definition: changed })).toEqual([
    400,
    'remote-schema-error',
    `Inconsistent object: ${distinct}`,
  ]);
  expect(await run('remove_remote_schema', { name: 'c' })).toEqual([200]);
});

test('remote schemas and permissions that are missing, or there already', async () => {
  expect(await run('remove_remote_schema', { name: 'x' })).toEqual([
    400,
    'not-exists',
    'no such remote schema',
  ]);
  expect(await run('reload_remote_schema', { name: 'x' })).toEqual([
    400,
    'not-exists',
    'remote schema with name "x" does not exist',
  ]);
  expect(await run('update_remote_schema', { name: 'x', definition: { url: 'http://x' } })).toEqual([
    400,
    'not-exists',
    'remote schema with name "x" doesn\'t exist',
  ]);
  expect(await run('introspect_remote_schema', { name: 'x' })).toEqual([
    400,
    'not-exists',
    'remote schema: "x" not found',
  ]);
  expect(await add('one', { url: remotes.one!.url })).toEqual([
    400,
    'already-exists',
    'remote schema with name "one" already exists',
  ]);
  const part = 'type Query { hello: String }';
  expect(await permit(part, 'reader', 'x')).toEqual([400, 'not-exists', 'remote schema "x" doesn\'t exist']);
  expect(await permit(part, 'admin')).toEqual([
    400,
    'constraint-violation',
    'cannot define permission for admin role',
  ]);
  expect(await permit('type Query { hello String }')).toEqual([
    400,
    'parse-failed',
    expect.stringMatching(/^the schema is not GraphQL: .* at line \d+, column \d+$/),
  ]);
  expect(await permit('type X { a: Int }')).toEqual([400, 'unexpected', '"Query" has to be an object type']);
  expect(await permit(part)).toEqual([200]);
  expect(await permit(part)).toEqual([
    400,
    'already-exists',
    'permissions for role: "reader" for remote schema:"one" already exists',
  ]);
  expect(await run('drop_remote_schema_permissions', { remote_schema: 'one', role: 'x' })).toEqual([
    400,
    'not-exists',
    'permissions for role: "x" for remote schema:"one" doesn\'t exist',
  ]);
});

test('inherited roles have what their parents agree on', async () => {
  await permit('type Query { hello: String }');
  expect(await permit('type Query {\n  hello: String\n}', 'same_as_reader')).toEqual([200]);
  expect(await permit('type Query { code: Int }', 'other')).toEqual([200]);
  const inherit = (role_name: string, role_set: string[]) =>
    run('add_inherited_role', { role_name, role_set });
  expect(await inherit('agreed', ['reader', 'same_as_reader'])).toEqual([200]);
  expect(await ask('{ hello }', 'agreed')).toEqual({ data: { hello: 'one' } });
  // A parent without a permission takes nothing away.
  const permission = { columns: ['id'], filter: {} };
  await run('pg_create_select_permission', { table: 'usr', role: 'without', permission });
  expect(await inherit('heir', ['reader', 'without'])).toEqual([200]);
  expect(await ask('{ hello }', 'heir')).toEqual({ data: { hello: 'one' } });
  expect(await inherit('torn', ['reader', 'other'])).toEqual([200]);
  expect(await ask('{ hello }', 'torn')).toMatchObject({ errors: [{}] });
  const { json } = await send(server, '/v1/metadata', {
    body: { type: 'get_inconsistent_metadata', args: {} },
  });
  expect(json).toEqual([
    {
      type: 'inherited role permission inconsistency',
      name: 'torn',
      reason: "Could not inherit permission for the role 'torn' for the entity: 'remote schema: 'one''",
      entity: { remote_schema: 'one' },
    },
  ]);
  expect(await run('drop_inherited_role', { role_name: 'torn' })).toEqual([200]);
});

test('answers with errors, by endpoint', async () => {
  const queries = [{ name: 'h', query: 'query h { hello }' }];
  await run('create_query_collection', { name: 'col', definition: { queries } });
  const query = { collection_name: 'col', query_name: 'h' };
  await run('create_rest_endpoint', { name: 'h', url: 'h', methods: ['GET'], definition: { query } });
  const errors = '[{"message":"bad","extensions":{"code":7}}]';
  remotes.one!.answer = () => `{"errors":${errors}}`;
  const post = (path: string) => send(server, path, { body: { query: '{ hello }' } });
  const whole = `{"data":null,"errors":${errors}}`;
  expect((await post('/v1/graphql')).text).toBe(whole);
  expect((await post('/v1alpha1/graphql')).text).toBe(whole);
  expect((await send(server, '/api/rest/h', { method: 'GET' })).text).toBe(errors);
  remotes.one!.answer = () => '{"data":{"hello":"x"},"extensions":{"a":1}}';
  expect((await post('/v1/graphql')).text).toBe('{"data":{"hello":"x"}}');
});

test.each([
  [
    '{"data":{"__schema":{"queryType":{"name":"Query"},"types":[{"kind":"OBJECT","name":"Query","fields":[]},{"kind":"UNION","name":"U","possibleTypes":[{"name":null}]}]}}}',
    'Error in $.types[1].possibleTypes[0].name: parsing Name failed, expected String, but encountered Null',
  ],
  [
    '{"data":{"__schema":cut',
    'the answer to the introspection query is not JSON: unexpected "c" at position 20; it answered with status 200 and 23 bytes of application/json',
  ],
  [
    '{"data":{}}',
    'not a GraphQL server, or introspection is off: Error in $.__schema: parsing record failed, expected Object, but encountered Null',
  ],
  [
    '<html>',
    'the answer to the introspection query is not JSON: unexpected "<" at position 0; it answered with status 200 and a page instead of JSON; is this the address of its GraphQL endpoint?',
  ],
])('a server that is no GraphQL server: %s', async (text, message) => {
  remotes.same!.answer = () => text;
  expect(await add('lying', { url: remotes.same!.url })).toEqual([400, 'remote-schema-error', message]);
});

test('a preset with a session variable of another word warns, a static one does not', async () => {
  expect(await add('owned', { url: remotes.owned!.url })).toEqual([200]);
  const warned = async (preset: string) => {
    const [role, schema] = ['ruled', `type Query { mine(owner: String @preset(value: ${preset})): Int }`];
    const { json } = await send(server, '/v1/metadata', {
      body: {
        type: 'add_remote_schema_permissions',
        args: { remote_schema: 'owned', role, definition: { schema } },
      },
    });
    expect(json).toMatchObject({ message: 'success' });
    await run('drop_remote_schema_permissions', { remote_schema: 'owned', role });
    return (json as { warnings?: { code: string; name: string }[] }).warnings;
  };
  expect(await warned('"X-Acme-User-Id"')).toMatchObject([
    {
      code: 'literal-like-session-variable',
      name: expect.stringContaining('ruled permission in remote schema owned'),
    },
  ]);
  expect(await warned('"X-Acme-User-Id", static: true')).toBeUndefined();
  expect(await warned('"X-Engine-User-Id"')).toBeUndefined();
});
