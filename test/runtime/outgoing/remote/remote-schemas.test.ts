/** Remote schemas served over HTTP: root fields, permissions, errors, and the requests that leave. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type RemoteServer, startRemoteServer } from '../../../harness/remote-server.ts';
import { send, serve, type TestServer } from '../../../harness/server.ts';

const SDL = `
  type Query {
    user(id: ID!): User
    users(filter: Filter, limit: Int = 10): [User!]!
    search(text: String!): [Hit!]!
    node(id: ID!): Node
    big: Big
    broken: String
  }
  type Mutation { rename(id: ID!, name: String!): User }
  type Subscription { renamed: User }
  scalar Big
  enum Level { LOW HIGH }
  input Filter { name: String, level: Level, tenant: String, inner: Filter }
  interface Node { id: ID! }
  type User implements Node { id: ID!, name: String, level: Level, secret: String, friend: User }
  type Post implements Node { id: ID!, title: String }
  union Hit = User | Post
`;

const users: Readonly<Record<string, object>> = {
  1: {
    __typename: 'User',
    id: '1',
    name: 'Ann',
    level: 'HIGH',
    secret: 's1',
    friend: { id: '2', name: 'Bob' },
  },
  2: { __typename: 'User', id: '2', name: 'Bob', level: 'LOW', secret: 's2' },
};

let remote: RemoteServer;
let server: TestServer;

beforeAll(async () => {
  remote = await startRemoteServer(SDL, {
    user: ({ id }: { id: string }) => users[id],
    users: () => Object.values(users),
    search: () => [users[1], { __typename: 'Post', id: '9', title: 'News' }],
    node: ({ id }: { id: string }) => users[id],
    big: null,
    broken: () => {
      throw new Error('it is broken');
    },
    rename: ({ id, name }: { id: string; name: string }) => ({ ...users[id], name }),
  });
  server = await serve({
    sql: 'create table item (id integer primary key, name text); insert into item values (1, $$one$$)',
    options: { ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true' },
  });
  await metadata('pg_track_table', { table: 'item' });
  await metadata('add_remote_schema', {
    name: 'people',
    definition: {
      url: remote.url,
      forward_client_headers: true,
      headers: [{ name: 'X-Fixed', value: 'ours' }],
    },
  });
  await metadata('add_remote_schema_permissions', {
    remote_schema: 'people',
    role: 'reader',
    definition: {
      schema: `
        schema { query: Query }
        type Query { user(id: ID!): User users(filter: Filter, limit: Int = 10 @preset(value: 5)): [User!]! }
        type User { id: ID! name: String friend: User }
        input Filter { name: String tenant: String @preset(value: "x-engine-tenant") inner: Filter }
      `,
    },
  });
});

afterAll(async () => {
  await server?.stop();
  await remote?.stop();
});

beforeEach(() => {
  remote.calls.length = 0;
  remote.answer = undefined;
});

async function metadata(type: string, args: object, status = 200): Promise<unknown> {
  const answer = await send(server, '/v1/metadata', { body: { type, args } });
  expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
  return answer.json;
}

async function ask(query: string, headers: Readonly<Record<string, string>> = {}, variables?: object) {
  return send(server, '/v1/graphql', {
    headers: { 'content-type': 'application/json', ...headers },
    body: { query, variables },
  });
}

const reader = { 'x-engine-role': 'reader', 'x-engine-tenant': 't1' };

test('root fields of one remote travel together, beside rows of tables, in the order of the document', async () => {
  const answer = await ask('{ a: user(id: 1) { name } item { name } b: users { id } __typename }');
  expect(answer.text).toBe(
    '{"data":{"a":{"name":"Ann"},"item":[{"name":"one"}],"b":[{"id":"1"},{"id":"2"}],"__typename":"query_root"}}',
  );
  expect(remote.calls.map(({ query }) => query)).toEqual([
    'query  { a: user(id: 1) { name  } b: users { id  } }',
  ]);
});

test('variables travel as variables of the places where they stand', async () => {
  const query =
    'query Find($id: ID!, $f: Filter) { user(id: $id) { id friend { name } } users(filter: $f) { id } }';
  const variables = { id: '2', f: { name: 'x', level: 'LOW', inner: { name: null } } };
  const answer = await send(server, '/v1/graphql', { body: { query, variables, operationName: 'Find' } });
  expect(answer.json).toEqual({
    data: { user: { id: '2', friend: null }, users: [{ id: '1' }, { id: '2' }] },
  });
  expect(remote.calls[0]).toMatchObject({
    query:
      'query Find($id: ID!, $f_name: String) { user(id: $id) { id  friend { name  } } users(filter: {name: $f_name, level: LOW, inner: {name: null}}) { id  } }',
    variables: { id: '2', f_name: 'x' },
    operationName: 'Find',
  });
});

test('interfaces, unions and fragments', async () => {
  const answer = await ask(`
    query {
      search(text: "a") { __typename ... on Node { id } ...Named ... on Post { title } }
      node(id: 1) { id ... on User { name } }
    }
    fragment Named on User { label: name }
  `);
  expect(answer.text).toBe(
    '{"data":{"search":[{"__typename":"User","id":"1","label":"Ann"},{"__typename":"Post","id":"9","title":"News"}],"node":{"id":"1","name":"Ann"}}}',
  );
});

test('the bytes of an answer pass through', async () => {
  remote.answer = () => '{"data": {"big": {"n": 12345678901234567890, "f": 1.50, "\\u0061": [ ]}}}';
  const answer = await ask('{ big }');
  expect(answer.text).toBe('{"data":{"big":{"n": 12345678901234567890, "f": 1.50, "\\u0061": [ ]}}}');
});

test('a role sees the part that its permission names, and presets are its own', async () => {
  const denied = async (query: string) => {
    const answer = await ask(query, reader);
    expect(answer.json).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] });
  };
  await denied('{ user(id: 1) { secret } }');
  await denied('{ search(text: "a") { __typename } }');
  await denied('{ users(limit: 100) { id } }');
  await denied('{ users(filter: {tenant: "t2"}) { id } }');
  await denied('{ users(filter: {inner: {tenant: "t2"}}) { id } }');
  await denied('mutation { rename(id: 1, name: "x") { id } }');
  expect(
    (await ask('query ($f: Filter) { users(filter: $f) { id } }', reader, { f: { tenant: 't2' } })).json,
  ).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] });
  expect(remote.calls).toEqual([]);
  const allowed = await ask('query ($f: Filter) { users(filter: $f) { id } }', reader, {
    f: { name: 'n', inner: {} },
  });
  expect(allowed.json).toEqual({ data: { users: [{ id: '1' }, { id: '2' }] } });
  expect(remote.calls[0]).toMatchObject({
    query:
      'query ($f_name: String, $x_engine_tenant: String) { users(filter: {name: $f_name, inner: {tenant: $x_engine_tenant}, tenant: $x_engine_tenant}, limit: 5) { id  } }',
    variables: { f_name: 'n', x_engine_tenant: 't1' },
  });
  const missing = await ask('{ users(filter: {}) { id } }', { 'x-engine-role': 'reader' });
  expect(missing.json).toMatchObject({
    errors: [
      {
        message: '"x-engine-tenant" session variable expected, but not found',
        extensions: { code: 'not-found' },
      },
    ],
  });
  const other = await ask('{ user(id: 1) { id } }', { 'x-engine-role': 'other' });
  expect(other.json).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] });
});

test('introspection shows what the role has', async () => {
  const query =
    '{ __type(name: "Filter") { inputFields { name } } __schema { queryType { fields { name args { name defaultValue } } } mutationType { name } } }';
  const answer = (await ask(query, reader)).json as {
    data: { __schema: { queryType: { fields: unknown[] } } };
  };
  expect(answer.data).toEqual({
    __type: { inputFields: [{ name: 'inner' }, { name: 'name' }] },
    __schema: {
      queryType: {
        fields: [
          { name: 'user', args: [{ name: 'id', defaultValue: null }] },
          { name: 'users', args: [{ name: 'filter', defaultValue: null }] },
        ],
      },
      mutationType: null,
    },
  });
});

test('headers: configured ones, session variables, then those of the client', async () => {
  await ask('{ user(id: 1) { id } }', {
    'X-Fixed': 'theirs',
    'X-Client': 'sent',
    Authorization: 'Bearer t',
    'x-engine-user-id': '7',
  });
  expect(remote.calls[0]!.headers).toMatchObject({
    'x-fixed': 'ours',
    'x-client': 'sent',
    authorization: 'Bearer t',
    'x-engine-role': 'admin',
    'x-engine-user-id': '7',
    'content-type': 'application/json',
    'x-forwarded-host': '127.0.0.1',
  });
});

test('errors of the remote reach the client as they are', async () => {
  const answer = await ask('{ broken }');
  expect(answer.status).toBe(200);
  expect(answer.json).toEqual({
    data: null,
    errors: [{ message: 'it is broken', locations: expect.any(Array), path: ['broken'] }],
  });
});

test.each([
  ['{"data":null}', 'Received null "data" field with no errors in response from remote'],
  ['{}', 'Missing "data" field with no errors in response from remote'],
  ['{"errors":[]}', 'Empty "errors" field in response from remote'],
  ['{"errors":{"a":1}}', 'Invalid "errors" field in response from remote'],
  ['{"data":{}}', 'expecting key big'],
])('the answer %s is refused', async (text, message) => {
  remote.answer = () => text;
  const answer = await ask('{ big }');
  expect(answer.json).toEqual({
    errors: [{ message, extensions: { path: '$', code: 'remote-schema-error' } }],
  });
});

test('an answer that is cut off is an error', async () => {
  remote.answer = () => '{"data":{"big":[1,2';
  expect((await ask('{ big }')).json).toMatchObject({
    errors: [{ extensions: { code: 'remote-schema-error' } }],
  });
});

test('mutations run in order, one call each', async () => {
  const answer = await ask(
    'mutation { a: rename(id: 1, name: "x") { name } b: rename(id: 2, name: "y") { name } }',
  );
  expect(answer.text).toBe('{"data":{"a":{"name":"x"},"b":{"name":"y"}}}');
  expect(remote.calls).toHaveLength(2);
});

test('cookies of the remote reach the client', async () => {
  remote.answer = (_call, response) => {
    response.setHeader('set-cookie', ['a=1', 'b=2']);
    return undefined;
  };
  expect((await ask('{ user(id: 1) { id } }')).headers['set-cookie']).toEqual(['a=1', 'b=2']);
});

test('operations of the metadata API', async () => {
  const other = { name: 'other', definition: { url: remote.url } };
  expect(await metadata('add_remote_schema', { ...other, name: 'people' }, 400)).toMatchObject({
    code: 'already-exists',
  });
  expect(
    await metadata('add_remote_schema', { name: 'down', definition: { url: 'http://127.0.0.1:1/' } }, 400),
  ).toMatchObject({
    code: 'remote-schema-error',
    error: 'HTTP exception occurred while sending the request to "http://127.0.0.1:1/"',
  });
  // The same roots again.
  expect(await metadata('add_remote_schema', other, 400)).toMatchObject({ code: expect.any(String) });
  await metadata('add_remote_schema', {
    ...other,
    definition: {
      ...other.definition,
      customization: { root_fields_namespace: 'ns', type_names: { prefix: 'O_' } },
    },
  });
  const named = await ask('{ ns { user(id: 1) { __typename name } __typename } }');
  expect(named.json).toEqual({
    data: { ns: { user: { __typename: 'O_User', name: 'Ann' }, __typename: 'nsQuery' } },
  });
  await metadata('reload_remote_schema', { name: 'other' });
  expect(await metadata('introspect_remote_schema', { name: 'other' })).toMatchObject({
    data: { __schema: {} },
  });
  await metadata('remove_remote_schema', { name: 'other' });
  expect((await ask('{ ns { user(id: 1) { name } } }')).json).toMatchObject({ errors: [{}] });
  expect(
    await metadata(
      'add_remote_schema_permissions',
      {
        remote_schema: 'people',
        role: 'wrong',
        definition: {
          schema:
            'type Query { user: User, nothing: Int } type User { id: ID name: String } type Extra { a: Int }',
        },
      },
      400,
    ),
  ).toMatchObject({
    code: 'validation-failed',
    error: [
      'validation for the given role-based schema failed for the following reasons:',
      ' • field: "user" expects the following non nullable arguments to be present: "id"',
      ' • field "nothing" does not exist in the "Object": "Query"',
      ' • expected type of "id"("Object field") to be ID! but received ID',
      ' • "Object": "Extra" does not exist in the upstream remote schema',
      '',
    ].join('\n'),
  });
});

// Node joins the values of a header that comes twice.
test('headers through /v1alpha1/graphql: one of each name, and the configured one', async () => {
  const headers = {
    'x-engine-role': 'admin',
    'X-Fixed': 'theirs',
    'x-engine-user-id': '7',
    Authorization: 'Bearer t',
    origin: 'http://o',
  };
  await send(server, '/v1alpha1/graphql', { headers, body: { query: '{ user(id: 1) { id } }' } });
  expect(remote.calls[0]!.headers).toMatchObject({
    'x-fixed': 'ours',
    'x-engine-role': 'admin',
    'x-engine-user-id': '7',
    authorization: 'Bearer t',
    'content-type': 'application/json',
    'x-forwarded-host': expect.any(String),
    'x-forwarded-origin': 'http://o',
  });
});
