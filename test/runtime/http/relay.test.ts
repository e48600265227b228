/** The relay API over HTTP and sockets: who sees which nodes, what is refused, and how. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { metadataOf } from '../../harness/metadata.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { send, serve, type TestServer } from '../../harness/server.ts';
import { openSocket } from '../../harness/socket.ts';

let server: TestServer;
let database: TestDatabase;

const select = (role: string, columns: readonly string[], filter: object = {}, more: object = {}) => ({
  role,
  permission: { columns, filter, ...more },
});

const TABLES = [
  {
    table: 'author',
    array_relationships: [
      { name: 'books', using: { foreign_key_constraint_on: { table: 'book', column: 'author_id' } } },
    ],
    select_permissions: [
      select('user', ['id', 'name'], { tenant: { _eq: 'X-Engine-Tenant' } }),
      select('guest', ['name']),
      select('lister', ['id', 'name'], {}, { query_root_fields: ['select'] }),
    ],
    insert_permissions: [{ role: 'user', permission: { columns: ['id', 'name', 'tenant'], check: {} } }],
  },
  { table: 'book', select_permissions: [select('user', ['id', 'title', 'author_id'])] },
  { table: 'memo', select_permissions: [select('user', ['id', 'text'])] },
];

beforeAll(async () => {
  database = await createTestDatabase(`
    create table author (id int primary key, name text, tenant int);
    create table book (id uuid primary key, title text, author_id int references author);
    create table memo (id int, text text);
    insert into author values (1, 'Ann', 1), (2, 'Bea', 2), (3, 'Cyd', 1);
    insert into book values ('00000000-0000-4000-8000-000000000001', 'One', 1)`);
  const actions = [
    {
      name: 'act',
      definition: { handler: 'http://127.0.0.1:1/', type: 'query', arguments: [], output_type: 'Out' },
    },
  ];
  const custom_types = { objects: [{ name: 'Out', fields: [{ name: 'a', type: 'Int' }] }] };
  server = await serve({ database, metadata: metadataOf(TABLES, { actions, custom_types }) });
});
afterAll(() => server?.stop());

interface Result {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of any form
  readonly json: any;
}

function ask(query: string, role = 'user', variables: object = {}, path = '/v1beta1/relay'): Promise<Result> {
  const headers = { 'x-engine-role': role, 'x-engine-tenant': '1' };
  return send(server, path, { headers, body: { query, variables } });
}

async function failure(query: string, role = 'user', variables: object = {}) {
  const { status, json } = await ask(query, role, variables);
  const [{ message, extensions }] = json.errors;
  return [status, extensions.code, extensions.path, message];
}

const base64 = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');
const NODE =
  'query ($id: ID!) { node(id: $id) { id __typename ... on author { name } ... on book { title } } }';

async function idOf(name: string, role = 'admin'): Promise<string> {
  const { json } = await ask(
    `{ author_connection(where: {name: {_eq: "${name}"}}) { edges { node { id } } } }`,
    role,
  );
  return json.data.author_connection.edges[0].node.id;
}

test('the roots are connections and node, of tables with a key that the role sees, and nothing else', async () => {
  const fields =
    '{ __schema { queryType { fields { name } } subscriptionType { fields { name } } mutationType { fields { name } } } }';
  const named = async (role: string) => {
    const { json } = await ask(fields, role);
    const { queryType, subscriptionType, mutationType } = json.data.__schema;
    const names = (type: { fields: { name: string }[] } | null) => type?.fields.map(({ name }) => name) ?? [];
    return [names(queryType), names(subscriptionType), names(mutationType)];
  };
  const own = ['author_connection', 'book_connection', 'node'];
  expect(await named('user')).toEqual([own, own, ['insert_author', 'insert_author_one']]);
  expect((await named('admin'))[0]).toEqual(own);
  // Without the key there is no place for a cursor.
  expect((await named('guest'))[0]).toEqual(['no_queries_available']);
  expect((await named('lister'))[0]).toEqual(['author_connection', 'node']);
  const { json } = await ask(
    '{ author: __type(name: "author") { interfaces { name } fields { name type { kind ofType { name } } } } memo: __type(name: "memo") { name } }',
  );
  expect(json.data.author.interfaces).toEqual([{ name: 'Node' }]);
  expect(json.data.author.fields.find(({ name }: { name: string }) => name === 'id').type).toEqual({
    kind: 'NON_NULL',
    ofType: { name: 'ID' },
  });
  expect(json.data.author.fields.map(({ name }: { name: string }) => name)).toContain('books_connection');
  expect(json.data.memo).toBeNull();
  // The other API is as it was.
  const plain = await ask('{ author_by_pk(id: 1) { id } author { id } }', 'user', {}, '/v1/graphql');
  expect(plain.json).toEqual({ data: { author_by_pk: { id: 1 }, author: [{ id: 1 }, { id: 3 }] } });
});

test('node finds what the role may look up, whoever made the id', async () => {
  const [ann, bea] = [await idOf('Ann'), await idOf('Bea')];
  expect(Buffer.from(ann, 'base64').toString()).toBe('[1, "public", "author", 1]');
  expect((await ask(NODE, 'user', { id: ann })).json).toEqual({
    data: { node: { id: ann, __typename: 'author', name: 'Ann' } },
  });
  // The same plan, and a row that the rule hides.
  expect((await ask(NODE, 'user', { id: bea })).json).toEqual({ data: { node: null } });
  expect((await ask(NODE, 'admin', { id: bea })).json.data.node.name).toBe('Bea');
  expect((await ask(NODE, 'user', { id: base64([1, 'public', 'author', 77]) })).json).toEqual({
    data: { node: null },
  });
  const book = base64([1, 'public', 'book', '00000000-0000-4000-8000-000000000001']);
  expect((await ask(NODE, 'user', { id: book })).json.data.node).toMatchObject({
    __typename: 'book',
    title: 'One',
  });
  const only = `query ($id: ID!) { node(id: $id) { ... on book { title } ... on Node { again: id } } }`;
  expect((await ask(only, 'user', { id: ann })).json.data.node).toEqual({ again: ann });
});

test('ids that name nothing are refused, and tell nothing', async () => {
  const place = [200, 'validation-failed', '$.selectionSet.node.args.id'];
  const foreign = 'it is not made by this server';
  for (const id of [
    '',
    'x',
    'é',
    base64('{'),
    base64({}),
    base64([]),
    base64([1]),
    base64([1, 'public', 'author']),
    base64([3, 'public', 'author', 1]),
    base64([1, 'public', 7, 1]),
    5,
  ])
    expect(await failure(NODE, 'user', { id }), String(id)).toEqual([
      ...place,
      `invalid node id: ${foreign}`,
    ]);
  for (const [name, role] of [
    ['nothing', 'user'],
    ['memo', 'user'],
    ['book', 'lister'],
    ['author', 'guest'],
    ['author', 'lister'],
  ] as const) {
    const [status, , path, message] = await failure(NODE, role, { id: base64([1, 'public', name, 1]) });
    expect([status, path]).toEqual([200, role === 'guest' ? '$.selectionSet.node' : place[2]]);
    if (role !== 'guest') expect(message).toBe(`invalid node id: no node is of the table public.${name}`);
  }
  for (const key of ['1 or true', '1', null, 1.5, true, [1], {}])
    expect(await failure(NODE, 'user', { id: base64([1, 'public', 'author', key]) }), String(key)).toEqual([
      ...place,
      'invalid node id: its values are not of the types of the key',
    ]);
  const [, code] = await failure(NODE, 'user', { id: base64([1, 'public', 'book', "' or true --"]) });
  expect(code).toBe('data-exception');
});

test('arguments that exclude each other, and cursors that do not fit', async () => {
  const page = (args: string, variables: object = {}, role = 'user') =>
    failure(`query ($c: String) { author_connection(${args}) { edges { cursor } } }`, role, variables);
  const place = '$.selectionSet.author_connection.args';
  const refused = (message: string) => [200, 'validation-failed', place, message];
  expect(await page('first: 1, last: 1')).toEqual(refused('"first" and "last" are not allowed at once'));
  expect(await page('after: "a", before: "b"')).toEqual(
    refused('"after" and "before" are not allowed at once'),
  );
  const invalid = refused('the "after" or "before" cursor is invalid');
  for (const cursor of [
    ' ',
    'x',
    base64('{'),
    base64([1]),
    base64({}),
    base64({ id: '1' }),
    base64({ id: '1 or true' }),
    base64({ id: {} }),
    base64({ id: 99999999999 }),
    base64({ name: 'x' }),
  ])
    for (const argument of ['after', 'before'])
      expect(await page(`${argument}: $c`, { c: cursor }), cursor).toEqual(invalid);
  // A cursor of another order.
  expect(await page('after: $c, order_by: {name: asc}', { c: base64({ id: 1 }) })).toEqual(invalid);
  expect((await page('first: -1'))[1]).toBe('validation-failed');
});

test('a cursor moves within what the role sees', async () => {
  const query =
    'query ($c: String) { author_connection(after: $c) { edges { node { name } } pageInfo { hasPreviousPage hasNextPage } } }';
  const after = (id: number, role: string) => ask(query, role, { c: base64({ id }) });
  const info = (hasPreviousPage: boolean) => ({ hasPreviousPage, hasNextPage: false });
  // Bea comes between: nothing of a page tells it.
  expect((await after(1, 'user')).json.data.author_connection).toEqual({
    edges: [{ node: { name: 'Cyd' } }],
    pageInfo: info(true),
  });
  expect((await after(2, 'user')).json.data.author_connection.pageInfo).toEqual(info(true));
  expect((await after(0, 'user')).json.data.author_connection.pageInfo).toEqual(info(false));
  expect((await after(9, 'admin')).json.data.author_connection).toEqual({ edges: [], pageInfo: info(true) });
});

test('mutations answer with nodes', async () => {
  const { json } = await ask(
    'mutation { insert_author_one(object: {id: 9, name: "New", tenant: 1}) { id name } }',
  );
  expect(json.data.insert_author_one).toEqual({ id: base64('[1, "public", "author", 9]'), name: 'New' });
  await database.query('delete from author where id = 9');
});

test('live connections and nodes over a socket', async () => {
  const socket = await openSocket(server, { path: '/v1beta1/relay' });
  const payload = { headers: { 'x-engine-role': 'user', 'x-engine-tenant': '1' } };
  socket.send({ type: 'connection_init', payload });
  await socket.next();
  const query =
    'subscription ($n: Int) { author_connection(first: $n) { edges { node { id name } } pageInfo { hasNextPage } } }';
  socket.send({ type: 'subscribe', id: '1', payload: { query, variables: { n: 1 } } });
  const { payload: first } = await socket.next();
  expect(first).toEqual({
    data: {
      author_connection: {
        edges: [{ node: { id: await idOf('Ann'), name: 'Ann' } }],
        pageInfo: { hasNextPage: true },
      },
    },
  });
  socket.send({ type: 'complete', id: '1' });
  socket.send({
    type: 'subscribe',
    id: '2',
    payload: { query: NODE.replace('query', 'subscription'), variables: { id: await idOf('Cyd') } },
  });
  const { payload: node } = await socket.next();
  expect(node).toMatchObject({ data: { node: { name: 'Cyd' } } });
  await socket.close();
});

test('explained for administrators, and off where the server says so', async () => {
  const explained = await send(server, '/v1/graphql/explain', {
    body: { query: { query: '{ author_connection(first: 1) { edges { node { id } } } }' }, is_relay: true },
  });
  expect(explained.json).toMatchObject([
    { field: 'author_connection', sql: expect.stringContaining('limit') },
  ]);
  const off = await serve({ database, options: { ENABLE_RELAY: 'false' } });
  const { status, json } = await send(off, '/v1beta1/relay', { body: { query: '{ __typename }' } });
  expect([status, json]).toEqual([400, { path: '$', error: 'relay is not enabled', code: 'not-supported' }]);
  await off.stop();
});

test('variables that an operation does not declare are ignored, over sockets as well, and refused at the other endpoint', async () => {
  const variables = { name: 'Ann', connections: ['client:root:x'], idle: 1 };
  const query =
    'query ($name: String, $idle: Int) { author_connection(where: {name: {_eq: $name}}) { edges { node { name } } } }';
  const data = { author_connection: { edges: [{ node: { name: 'Ann' } }] } };
  expect(await ask(query, 'user', variables)).toMatchObject({ status: 200, json: { data } });
  const headers = { 'x-engine-role': 'user', 'x-engine-tenant': '1' };
  const socket = await openSocket(server, { path: '/v1beta1/relay', headers });
  socket.send({ type: 'connection_init', payload: { headers } });
  await socket.next();
  socket.send({
    type: 'subscribe',
    id: '1',
    payload: { query: query.replace('query', 'subscription'), variables },
  });
  expect(await socket.next()).toMatchObject({ payload: { data } });
  await socket.close();
  const plain = await ask(
    'query ($name: String) { author(where: {name: {_eq: $name}}) { name } }',
    'user',
    variables,
    '/v1/graphql',
  );
  expect(plain.json.errors[0].message).toBe('unexpected variables in variableValues: connections, idle');
  expect(
    await failure(
      'query ($name: String!) { author_connection(where: {name: {_eq: $name}}) { edges { cursor } } }',
    ),
  ).toContain('expecting a value for non-nullable variable: "name"');
});
