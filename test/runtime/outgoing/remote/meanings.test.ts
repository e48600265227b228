/** Schemas and permissions of remote schemas are compared by meaning, and what is served of them is always a valid schema. */
import { gzipSync } from 'node:zlib';
import { buildSchema, introspectionFromSchema, printSchema } from 'graphql';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type RemoteServer, startRemoteServer } from '../../../harness/remote-server.ts';
import { send, serve, type TestServer } from '../../../harness/server.ts';

const SDL = `
  type Query {
    node(id: ID, by: By, where: Where = {ratio: 1.0, mood: GOOD, tags: "one", text: """block"""}): Node
    thing(old: Int = 1 @deprecated(reason: "no more")): Thing
    price: Any
  }
  interface Named { name: String }
  interface Node implements Named { id: ID name: String }
  type Thing implements Node & Named { id: ID name: String size(of: Float = 1.0): Int }
  enum Mood { GOOD BAD @deprecated }
  scalar Any @specifiedBy(url: "https://any.example")
  input Where { ratio: Float = 2.50, mood: Mood, tags: [String], text: String, old: Int @deprecated(reason: "no") }
  input By @oneOf { id: ID name: String }
`;

/** The same, as people write it. */
const AGAIN = SDL.replace(
  '{ratio: 1.0, mood: GOOD, tags: "one", text: """block"""}',
  '{text: "block", tags: ["one"], mood: GOOD, ratio: 1}',
)
  .replace('Float = 1.0', 'Float = 1e0')
  .replace('Float = 2.50', 'Float = 2.5');

let remote: RemoteServer;
let server: TestServer;

async function run(type: string, args: object): Promise<string> {
  const { status, text } = await send(server, '/v1/metadata', { body: { type, args } });
  return status === 200 ? 'success' : (JSON.parse(text) as { error: string }).error;
}

const add = (customization?: object) =>
  run('add_remote_schema', {
    name: 'r',
    definition: { url: remote.url, ...(customization && { customization }) },
  });

const permit = (role: string, schema: string) =>
  run('add_remote_schema_permissions', { remote_schema: 'r', role, definition: { schema } });

beforeAll(async () => {
  remote = await startRemoteServer(SDL, {});
  server = await serve({
    sql: 'create table author (id integer primary key, name text, at timestamptz); create table "Thing" (id integer primary key)',
    options: { ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true' },
  });
  expect(await run('pg_track_table', { table: 'author' })).toBe('success');
});

afterEach(async () => {
  remote.answer = undefined;
  await run('remove_remote_schema', { name: 'r' });
});

afterAll(async () => {
  await server?.stop();
  await remote?.stop();
});

test.each([
  ['as graphql-js prints the schema', printSchema(buildSchema(SDL))],
  ['with defaults written otherwise', AGAIN],
])('a permission %s is accepted', async (_, schema) => {
  expect(await add()).toBe('success');
  expect(await permit('reader', schema)).toBe('success');
});

test.each([
  [AGAIN.replace('ratio: 1}', 'ratio: 1.5}'), 'expected default value of input value: "where"'],
  [SDL.replace('input By @oneOf', 'input By'), 'input object "By" is a one-of input: it needs @oneOf'],
  [
    SDL.replace('{ id: ID name: String }\n`', '').replace(
      'input By @oneOf { id: ID',
      'input By @oneOf { id: ID @preset(value: "1")',
    ),
    'input object "By" is a one-of input: a preset of one of its fields leaves no other field to be given',
  ],
  [
    SDL.replace('Named { id: ID name: String size', 'Named { id: ID size'),
    'Interface field Node.name expected but Thing does not provide it.',
  ],
  [SDL.replace('implements Node & Named', 'implements Node'), 'Type Thing must implement Named'],
])('a permission that makes another or an invalid schema is refused: %#', async (schema, reason) => {
  expect(await add()).toBe('success');
  expect(await permit('reader', schema)).toContain(reason);
});

test.each([
  [
    { field_names: [{ parent_type: 'Thing', mapping: { name: 'title' } }] },
    'field name mapping for field "name" of interface "N',
  ],
  [{ field_names: [{ parent_type: 'Named', mapping: { name: 'title' } }] }, '"name" of interface "Named"'],
  [
    {
      field_names: [
        { parent_type: 'Named', mapping: { name: 'title' } },
        { parent_type: 'Thing', mapping: { name: 'title' } },
      ],
    },
    '"name" of interface "Node"',
  ],
  [
    { field_names: [{ parent_type: 'Thing', mapping: { size: 'id' } }] },
    'fields of type "Thing" "id" and "size" would both be called "id"',
  ],
  [{ type_names: { mapping: { Thing: 'Named' } } }, 'types "Named" and "Thing" would both be called "Named"'],
  [{ type_names: { mapping: { Thing: 'Int' } } }, 'types "Int" and "Thing" would both be called "Int"'],
])('names that make an invalid schema are refused: %j', async (customization, reason) => {
  expect(await add(customization)).toContain(reason);
});

test('inherited permissions that mean the same are no conflict', async () => {
  await run('pg_create_select_permission', {
    table: 'author',
    role: 'nobody',
    permission: { columns: ['id'], filter: {} },
  });
  expect(await add()).toBe('success');
  const one =
    'type Query { node(id: ID, by: By): Node thing: Thing } interface Node { id: ID name: String } type Thing implements Node { name: String id: ID } input By @oneOf { id: ID name: String }';
  const two =
    '"other" input By @oneOf { name: String id: ID } type Thing implements Node { id: ID name: String } interface Node { name: String id: ID } schema { query: Query } type Query { thing: Thing node(by: By, id: ID): Node }';
  expect(await permit('one', one)).toBe('success');
  expect(await permit('two', two)).toBe('success');
  expect(await run('add_inherited_role', { role_name: 'both', role_set: ['one', 'two', 'nobody'] })).toBe(
    'success',
  );
  const headers = { 'content-type': 'application/json', 'x-engine-role': 'both' };
  const { json } = await send(server, '/v1/graphql', { headers, body: { query: '{ thing { name } }' } });
  expect(json).toEqual({ data: { thing: null } });
  const state = await send(server, '/v1/metadata', { body: { type: 'get_inconsistent_metadata', args: {} } });
  expect(state.json).toEqual([]);
  await run('drop_inherited_role', { role_name: 'both' });
});

test.each([
  ['type author { id: Int! name: String at: timestamptz }', 'success'],
  ['type author { at: timestamptz name: String id: Int! }', 'success'],
  ['type author { id: Int! name: String }', 'author'],
  ['type author { id: Int name: String at: timestamptz }', 'author'],
  ['input author { id: Int! }', 'author'],
])('a table shares its type with a remote schema that defines it alike: %s', async (type, expected) => {
  const field = type.startsWith('input') ? 'written(by: author): Int' : 'written: author';
  const other = await startRemoteServer(`type Query { ${field} } ${type} scalar timestamptz`, {
    written: { id: 1, name: 'a', at: null },
  });
  const answer = await run('add_remote_schema', { name: 'r', definition: { url: other.url } });
  if (expected === 'success') {
    expect(answer).toBe('success');
    const query = '{ written { id name } author { id } __type(name: "author") { fields { name } } }';
    expect((await send(server, '/v1/graphql', { body: { query } })).json).toMatchObject({
      data: { written: { id: 1, name: 'a' }, author: [] },
    });
  } else expect(answer).toContain(expected);
  await run('remove_remote_schema', { name: 'r' });
  await other.stop();
});

test('a server that knows less of introspection is asked for less', async () => {
  const asked: string[] = [];
  const { data } = { data: introspectionFromSchema(buildSchema('type Query { a: Int }')) };
  remote.answer = ({ query }) => {
    asked.push(query);
    return /isOneOf|includeDeprecated: true\) \{ \.\.\.InputValue/.test(query)
      ? JSON.stringify({ errors: [{ message: 'Cannot query field "isOneOf" on type "__Type".' }] })
      : JSON.stringify({ data });
  };
  expect(await add()).toBe('success');
  expect(asked).toHaveLength(4);
});

test.each([
  ['{"data": null}', 'not a GraphQL server, or introspection is off'],
  ['{}', 'not a GraphQL server, or introspection is off'],
  ['{"status": "ok"}', 'not a GraphQL server, or introspection is off'],
  ['{"data": {}}', 'not a GraphQL server, or introspection is off'],
  [
    '{"errors": [{"message": "GraphQL introspection is not allowed"}]}',
    'refuses to be introspected: introspection is off',
  ],
  ['', 'status 200 and nothing'],
  ['<html></html>', 'status 200 and a page instead of JSON; is this the address'],
])('an answer that is no introspection: %s', async (text, reason) => {
  remote.answer = () => text;
  expect(await add()).toContain(reason);
});

test.each([
  [502, '<html>Bad gateway</html>', 'it answered with status 502 and a page instead of JSON'],
  [307, '', 'it answered with status 307: redirects are not followed'],
  [200, '', 'it answered with status 200 and nothing'],
  [204, '', 'it answered with status 204 and nothing'],
  [503, 'overloaded', 'it answered with status 503 and 10 bytes of application/json'],
  [
    500,
    '{"message": "broken"}',
    'Missing "data" field with no errors in response from remote, which answered with status 500',
  ],
])('an answer with status %i and the body %j', async (status, text, reason) => {
  expect(await add()).toBe('success');
  remote.answer = (_, response) => {
    response.statusCode = status;
    return text;
  };
  const { text: answer } = await send(server, '/v1/graphql', { body: { query: '{ price }' } });
  expect(answer.replaceAll('\\"', '"')).toContain(reason);
});

test('a compressed answer is read', async () => {
  expect(await add()).toBe('success');
  remote.answer = (_, response) => {
    response.setHeader('content-encoding', 'gzip');
    return gzipSync('{"data": {"price": 1}}') as unknown as string;
  };
  expect((await send(server, '/v1/graphql', { body: { query: '{ price }' } })).json).toEqual({
    data: { price: 1 },
  });
});
