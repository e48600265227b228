/** Remote relationships in every direction, and how many requests and statements they take. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase } from '../../harness/postgres.ts';
import { type RemoteServer, startRemoteServer } from '../../harness/remote-server.ts';
import { send, startTestServer, type TestServer } from '../../harness/server.ts';
import { connect } from '../../harness/socket.ts';

const PEOPLE = `
  type Query { user(id: ID!): User, find(where: Where): [User!]!, group(name: String!): Group, level(of: Level): String }
  enum Level { LOW HIGH }
  input Where { id: ID, name: String, ids: [ID!] }
  type Group { members(limit: Int, of: Int): [User!]! }
  type User { id: ID!, name: String, cityId: Int, level: Level }
`;
const PLACES = `
  type Query { city(id: Int!): City, spot(key: String): Spot, spots: [Spot!]! }
  type City { id: Int!, name: String! }
  interface Spot { key: String! }
  type Cafe implements Spot { key: String!, cityId: Int }
  type Park implements Spot { key: String!, trees: Int }
`;

const people: Readonly<Record<string, { id: string; name: string; cityId: number | null; level: string }>> = {
  1: { id: '1', name: 'Ann', cityId: 10, level: 'HIGH' },
  2: { id: '2', name: 'Bob', cityId: 20, level: 'LOW' },
  3: { id: '3', name: 'Cid', cityId: null, level: 'LOW' },
};

let users: RemoteServer;
let places: RemoteServer;
let server: TestServer;

beforeAll(async () => {
  users = await startRemoteServer(PEOPLE, {
    user: ({ id }: { id: string }) => people[id],
    find: ({ where }: { where: { id?: string; name?: string; ids?: string[] } }) =>
      Object.values(people).filter(
        ({ id, name }) =>
          (where.id === undefined || where.id === id) &&
          (where.name === undefined || where.name === name) &&
          (where.ids?.includes(id) ?? true),
      ),
    group: ({ name }: { name: string }) =>
      name === 'none'
        ? null
        : { members: ({ of, limit }: { of: number; limit?: number }) => [people[of]].slice(0, limit) },
    level: ({ of }: { of: string }) => `level ${of}`,
  });
  places = await startRemoteServer(PLACES, {
    city: ({ id }: { id: number }) => ({ id, name: `city ${id}` }),
    spot: ({ key }: { key: string }) => ({ __typename: 'Park', key, trees: 3 }),
    spots: () => [
      { __typename: 'Cafe', key: 'c', cityId: 10 },
      { __typename: 'Park', key: 'p', trees: 3 },
    ],
  });
  const database = await createTestDatabase(`
    create table ticket (id integer primary key, owner integer, level text, note text);
    insert into ticket values (1, 1, 'HIGH', 'a'), (2, 1, 'LOW', 'b'), (3, 2, null, 'c'), (4, null, 'LOW', 'd'), (5, 77, 'LOW', 'e');
  `);
  const other = await createTestDatabase(`
    create table owner (id bigint primary key, name text, city integer, hidden boolean default false);
    insert into owner values (1, 'first', 10), (2, 'second', 20);
    create table payment (id integer primary key, ticket integer, cents integer);
    insert into payment values (1, 1, 10), (2, 1, 20), (3, 2, 30), (4, 9, 99);
    create index on payment (ticket);
  `);
  server = await startTestServer(database, { ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true' });
  await metadata('pg_add_source', {
    name: 'second',
    configuration: { connection_info: { database_url: other.url } },
  });
  await metadata('pg_track_table', { table: 'ticket' });
  for (const table of ['owner', 'payment']) await metadata('pg_track_table', { source: 'second', table });
  await metadata('add_remote_schema', { name: 'users', definition: { url: users.url } });
  await metadata('add_remote_schema', { name: 'places', definition: { url: places.url } });
  const toRemote = (name: string, lhs_fields: string[], remote_field: object) =>
    metadata('pg_create_remote_relationship', {
      source: 'default',
      table: 'ticket',
      name,
      definition: { to_remote_schema: { remote_schema: 'users', lhs_fields, remote_field } },
    });
  await toRemote('user', ['owner'], { user: { arguments: { id: '$owner' } } });
  await toRemote('found', ['owner'], { find: { arguments: { where: { id: '$owner' } } } });
  await toRemote('listed', ['owner'], { find: { arguments: { where: { ids: ['$owner'] } } } });
  await toRemote('member', ['note', 'owner'], {
    group: { arguments: { name: '$note' }, field: { members: { arguments: { of: '$owner' } } } },
  });
  await toRemote('levelled', ['level'], { level: { arguments: { of: '$level' } } });
  const toSource = (name: string, relationship_type: string, table: string, field_mapping: object) =>
    metadata('pg_create_remote_relationship', {
      source: 'default',
      table: 'ticket',
      name,
      definition: { to_source: { source: 'second', relationship_type, table, field_mapping } },
    });
  await toSource('holder', 'object', 'owner', { owner: 'id' });
  await toSource('payments', 'array', 'payment', { id: 'ticket' });
  await metadata('create_remote_schema_remote_relationship', {
    remote_schema: 'users',
    type_name: 'User',
    name: 'city',
    definition: {
      to_remote_schema: {
        remote_schema: 'places',
        lhs_fields: ['cityId'],
        remote_field: { city: { arguments: { id: '$cityId' } } },
      },
    },
  });
  await metadata('create_remote_schema_remote_relationship', {
    remote_schema: 'users',
    type_name: 'User',
    name: 'tickets',
    definition: {
      to_source: {
        source: 'default',
        relationship_type: 'array',
        table: 'ticket',
        field_mapping: { id: 'owner' },
      },
    },
  });
  await metadata('create_remote_schema_remote_relationship', {
    remote_schema: 'places',
    type_name: 'Cafe',
    name: 'owners',
    definition: {
      to_source: {
        source: 'second',
        relationship_type: 'array',
        table: 'owner',
        field_mapping: { cityId: 'city' },
      },
    },
  });
});

afterAll(async () => {
  await server?.stop();
  await Promise.all([users?.stop(), places?.stop()]);
});

beforeEach(() => {
  for (const remote of [users, places]) {
    remote.calls.length = 0;
    remote.answer = undefined;
  }
});

async function metadata(type: string, args: object, status = 200): Promise<unknown> {
  const answer = await send(server, '/v1/metadata', { body: { type, args } });
  expect([type, answer.status, answer.text]).toEqual([type, status, expect.any(String)]);
  return answer.json;
}

async function ask(query: string, role = 'admin', variables?: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json', 'x-engine-role': role };
  return (await send(server, '/v1/graphql', { headers, body: { query, variables } })).json;
}

const ROWS = 'ticket(order_by: {id: asc}, where: {id: {_lte: 4}})';

/** How many requests each remote schema got in this test. */
const requests = () => [users.calls.length, places.calls.length];

test('a field of a remote schema: one request for all rows, each value once', async () => {
  expect(await ask(`{ ${ROWS} { id user { name } } }`)).toEqual({
    data: {
      ticket: [
        { id: 1, user: { name: 'Ann' } },
        { id: 2, user: { name: 'Ann' } },
        { id: 3, user: { name: 'Bob' } },
        { id: 4, user: null },
      ],
    },
  });
  expect(users.calls.map(({ body }) => JSON.parse(body))).toEqual([
    { query: 'query  { f0: user(id: 1) { name  } f1: user(id: 2) { name  } }' },
  ]);
});

test('all joins of a level to one remote are one request, whatever the fields and aliases', async () => {
  expect(
    await ask(`{
      ${ROWS} { a: user { id } b: user { id } found(where: {name: "Ann"}) { name } listed(where: {ids: ["3"]}) { id } }
      ticket_by_pk(id: 1) { user { id } }
    }`),
  ).toEqual({
    data: {
      ticket: [
        { a: { id: '1' }, b: { id: '1' }, found: [{ name: 'Ann' }], listed: [{ id: '1' }, { id: '3' }] },
        { a: { id: '1' }, b: { id: '1' }, found: [{ name: 'Ann' }], listed: [{ id: '1' }, { id: '3' }] },
        { a: { id: '2' }, b: { id: '2' }, found: [], listed: [{ id: '2' }, { id: '3' }] },
        { a: null, b: null, found: null, listed: null },
      ],
      ticket_by_pk: { user: { id: '1' } },
    },
  });
  expect(users.calls).toHaveLength(1);
  expect(users.calls[0]!.query.match(/user\(/g)).toHaveLength(2);
});

test('paths into nested fields, with arguments of the client', async () => {
  expect(
    await ask(
      'query ($n: Int) { ticket(order_by: {id: asc}, where: {id: {_in: [1, 3]}}) { member(limit: $n) { name } } }',
      'admin',
      { n: 1 },
    ),
  ).toEqual({
    data: { ticket: [{ member: [{ name: 'Ann' }] }, { member: [{ name: 'Bob' }] }] },
  });
  expect(users.calls[0]).toMatchObject({
    query:
      'query ($n: Int) { f0: group(name: "a") { members(limit: $n, of: 1) { name  } } f1: group(name: "c") { members(limit: $n, of: 2) { name  } } }',
    variables: { n: 1 },
  });
  expect(requests()).toEqual([1, 0]);
});

test('enum arguments are fed by columns', async () => {
  expect(await ask(`{ ${ROWS} { levelled } }`)).toEqual({
    data: {
      ticket: [
        { levelled: 'level HIGH' },
        { levelled: 'level LOW' },
        { levelled: null },
        { levelled: 'level LOW' },
      ],
    },
  });
  expect(users.calls[0]).toMatchObject({ variables: { f0_0: 'HIGH', f1_0: 'LOW' } });
  expect(requests()).toEqual([1, 0]);
});

test('tables of another source', async () => {
  expect(
    await ask(`{ ${ROWS} {
      holder { name }
      payments(order_by: {id: desc}) { cents }
      first: payments(limit: 1, order_by: {id: asc}) { cents }
      some: payments(where: {cents: {_gt: 15}}) { id }
      payments_aggregate { aggregate { sum { cents } count } }
    } }`),
  ).toEqual({
    data: {
      ticket: [
        {
          holder: { name: 'first' },
          payments: [{ cents: 20 }, { cents: 10 }],
          first: [{ cents: 10 }],
          some: [{ id: 2 }],
          payments_aggregate: { aggregate: { sum: { cents: 30 }, count: 2 } },
        },
        {
          holder: { name: 'first' },
          payments: [{ cents: 30 }],
          first: [{ cents: 30 }],
          some: [{ id: 3 }],
          payments_aggregate: { aggregate: { sum: { cents: 30 }, count: 1 } },
        },
        {
          holder: { name: 'second' },
          payments: [],
          first: [],
          some: [],
          payments_aggregate: { aggregate: { sum: { cents: null }, count: 0 } },
        },
        {
          holder: null,
          payments: [],
          first: [],
          some: [],
          payments_aggregate: { aggregate: { sum: { cents: null }, count: 0 } },
        },
      ],
    },
  });
});

test('types of a remote schema lead to other remotes and to tables, to any depth', async () => {
  expect(
    await ask(
      '{ user(id: "1") { name home: city { name } tickets(order_by: {id: asc}) { id holder { name } user { city { id } } } } }',
    ),
  ).toEqual({
    data: {
      user: {
        name: 'Ann',
        home: { name: 'city 10' },
        tickets: [
          { id: 1, holder: { name: 'first' }, user: { city: { id: 10 } } },
          { id: 2, holder: { name: 'first' }, user: { city: { id: 10 } } },
        ],
      },
    },
  });
  // Levels: user; city and tickets; holder and user of tickets; city of those users.
  expect(users.calls).toHaveLength(2);
  expect(places.calls).toHaveLength(2);
  expect(users.calls[0]!.query).toBe(
    'query  { user(id: "1") { name  __join_0_User_home: cityId  __join_0_User_tickets: id  } }',
  );
});

test('a relationship to a type that leads back to itself', async () => {
  await metadata('create_remote_schema_remote_relationship', {
    remote_schema: 'users',
    type_name: 'User',
    name: 'again',
    definition: {
      to_remote_schema: {
        remote_schema: 'users',
        lhs_fields: ['id'],
        remote_field: { user: { arguments: { id: '$id' } } },
      },
    },
  });
  expect(await ask('{ user(id: "1") { again { name again { name } } } }')).toEqual({
    data: { user: { again: { name: 'Ann', again: { name: 'Ann' } } } },
  });
  expect(requests()).toEqual([3, 0]);
  await metadata('delete_remote_schema_remote_relationship', {
    remote_schema: 'users',
    type_name: 'User',
    name: 'again',
  });
});

test('hidden fields stay hidden on interfaces', async () => {
  expect(await ask('{ spots { key ... on Cafe { owners { name } } ... on Park { trees } } }')).toEqual({
    data: {
      spots: [
        { key: 'c', owners: [{ name: 'first' }] },
        { key: 'p', trees: 3 },
      ],
    },
  });
  expect(requests()).toEqual([0, 1]);
});

test('nothing to look up, no request', async () => {
  expect(await ask('{ ticket(where: {owner: {_is_null: true}}) { user { name } holder { name } } }')).toEqual(
    {
      data: { ticket: [{ user: null, holder: null }] },
    },
  );
  expect(users.calls).toEqual([]);
});

test('many values travel in chunks, as variables', async () => {
  const ids = Array.from({ length: 600 }, (_, index) => index + 100);
  const rows = ids.map((id) => ({ id, owner: id, note: 'many' }));
  await ask(
    'mutation ($rows: [ticket_insert_input!]!) { insert_ticket(objects: $rows) { affected_rows } }',
    'admin',
    { rows },
  );
  try {
    const answer = (await ask('{ ticket(where: {note: {_eq: "many"}}) { user { name } } }')) as {
      data: { ticket: unknown[] };
    };
    expect(answer.data.ticket).toHaveLength(600);
    expect(users.calls).toHaveLength(3);
    expect(Object.keys(users.calls[0]!.variables!)).toHaveLength(250);
  } finally {
    await ask('mutation { delete_ticket(where: {note: {_eq: "many"}}) { affected_rows } }');
  }
});

test('rows that a mutation returns are joined', async () => {
  expect(
    await ask(
      'mutation { update_ticket(where: {id: {_eq: 1}}, _set: {note: "a"}) { returning { id user { name } holder { name } } } }',
    ),
  ).toEqual({
    data: { update_ticket: { returning: [{ id: 1, user: { name: 'Ann' }, holder: { name: 'first' } }] } },
  });
  expect(requests()).toEqual([1, 0]);
});

test('aggregates have joins in their nodes', async () => {
  expect(
    await ask('{ ticket_aggregate(where: {id: {_eq: 3}}) { aggregate { count } nodes { user { name } } } }'),
  ).toEqual({
    data: { ticket_aggregate: { aggregate: { count: 1 }, nodes: [{ user: { name: 'Bob' } }] } },
  });
  expect(requests()).toEqual([1, 0]);
});

test('errors of a join fail the request', async () => {
  users.answer = () => '{"data":{"f0":null},"errors":[{"message":"no"}]}';
  expect(await ask('{ ticket_by_pk(id: 1) { user { name } } }')).toMatchObject({
    errors: [{ message: 'Errors from remote server', extensions: { code: 'unexpected', path: '$' } }],
  });
  users.answer = () => '{"data":{}}';
  expect(await ask('{ ticket_by_pk(id: 1) { user { name } } }')).toMatchObject({
    errors: [{ message: "failed to lookup key 'f0' in response" }],
  });
  expect(requests()).toEqual([2, 0]);
});

test('a role has a relationship when it has both sides', async () => {
  const select = (source: string, table: string, columns: string[]) =>
    metadata('pg_create_select_permission', {
      source,
      table,
      role: 'agent',
      permission: { columns, filter: {} },
    });
  const isOffered = async (field: string) => {
    const { data } = (await ask('{ __type(name: "ticket") { fields { name } } }', 'agent')) as {
      data: { __type: { fields: { name: string }[] } };
    };
    return data.__type.fields.some(({ name }) => name === field);
  };
  await select('default', 'ticket', ['id', 'owner']);
  expect([await isOffered('holder'), await isOffered('user'), await isOffered('levelled')]).toEqual([
    false,
    false,
    false,
  ]);
  await metadata('pg_create_select_permission', {
    source: 'second',
    table: 'owner',
    role: 'agent',
    permission: { columns: ['name'], filter: { name: { _eq: 'X-Engine-Name' } } },
  });
  await metadata('add_remote_schema_permissions', {
    remote_schema: 'users',
    role: 'agent',
    definition: {
      schema: 'type Query { user(id: ID! @preset(value: "2")): User } type User { name: String }',
    },
  });
  expect([await isOffered('holder'), await isOffered('user'), await isOffered('levelled')]).toEqual([
    true,
    true,
    false,
  ]);
  const headers = { 'content-type': 'application/json', 'x-engine-role': 'agent', 'x-engine-name': 'second' };
  const query =
    '{ ticket(order_by: {id: asc}, where: {id: {_in: [1, 3]}}) { holder { name } user { name } } user { name } }';
  // The relationship goes before the preset.
  expect((await send(server, '/v1/graphql', { headers, body: { query } })).json).toEqual({
    data: {
      ticket: [
        { holder: null, user: { name: 'Ann' } },
        { holder: { name: 'second' }, user: { name: 'Bob' } },
      ],
      user: { name: 'Bob' },
    },
  });
});

test('what a relationship names has to be there', async () => {
  const create = (definition: object) =>
    metadata(
      'pg_create_remote_relationship',
      { source: 'default', table: 'ticket', name: 'bad', definition },
      400,
    );
  const remote = (remote_field: object, lhs_fields = ['owner']) =>
    create({ to_remote_schema: { remote_schema: 'users', lhs_fields, remote_field } });
  const cases = [
    [await remote({ nothing: { arguments: {} } }), 'field with name "nothing" not found in remote schema'],
    [await remote({ user: { arguments: { x: 1 } } }), 'argument with name "x" not found in remote schema'],
    [await remote({ user: { arguments: { id: '$level' } } }), 'variable "level" is not found'],
    [await remote({ user: { arguments: { id: ['$owner'] } } }), 'type "ID"is not a list type'],
    [await remote({ user: { arguments: { id: null } } }), 'null is not allowed here'],
    [await remote({ level: { arguments: { of: 'LOW' } } }), 'enum value is not supported'],
    [
      await remote({ find: { arguments: { where: { x: 1 } } } }),
      'argument with name "x" not found in remote schema',
    ],
    [
      await remote({ user: { arguments: {} } }, ['zzz']),
      'field with name "zzz"is not provided by the lhs entity"ticket"',
    ],
    [
      await create({
        to_source: {
          source: 'x',
          relationship_type: 'object',
          table: 'owner',
          field_mapping: { owner: 'id' },
        },
      }),
      'source not found: "x"',
    ],
  ] as const;
  for (const [answer, text] of cases) expect((answer as { error: string }).error).toContain(text);
});

test('on_error: null keeps the rest of an answer, and lists the errors', async () => {
  const to_remote_schema = {
    remote_schema: 'users',
    lhs_fields: ['owner'],
    remote_field: { user: { arguments: { id: '$owner' } } },
    on_error: 'null',
  };
  const args = { source: 'default', table: 'ticket', name: 'maybe', definition: { to_remote_schema } };
  await metadata('pg_create_remote_relationship', args);
  const query = '{ ticket(order_by: {id: asc}, where: {id: {_in: [1, 3, 4]}}) { id maybe { name } } }';
  await metadata('create_query_collection', {
    name: 'saved',
    definition: { queries: [{ name: 'maybe', query: `query maybe ${query}` }] },
  });
  await metadata('create_rest_endpoint', {
    name: 'maybe',
    url: 'maybe',
    methods: ['GET'],
    definition: { query: { collection_name: 'saved', query_name: 'maybe' } },
  });
  const ask = (text: string) => send(server, '/v1/graphql', { body: { query: text } });
  const errorOf = (message: string) => ({
    message,
    extensions: { path: '$.selectionSet.ticket.selectionSet.maybe', code: 'remote-schema-error' },
  });
  const rows = (first: string | null, second: string | null) => ({
    ticket: [
      { id: 1, maybe: first && { name: first } },
      { id: 3, maybe: second && { name: second } },
      { id: 4, maybe: null },
    ],
  });
  expect((await ask(query)).json).toEqual({ data: rows('Ann', 'Bob') });
  users.answer = () =>
    '{"data":{"f0":null,"f1":{"name":"Bob"}},"errors":[{"message":"no such user","path":["f0"]}]}';
  expect((await ask(query)).json).toEqual({ data: rows(null, 'Bob'), errors: [errorOf('no such user')] });
  users.answer = () => '<html>';
  const notJson = [errorOf('Remote server response is not valid JSON: unexpected "<" at position 0')];
  expect((await ask(query)).json).toEqual({ data: rows(null, null), errors: notJson });
  const socket = await connect(server);
  socket.send({ id: '1', type: 'subscribe', payload: { query } });
  expect((await socket.next()).payload).toEqual({ data: rows(null, null), errors: notJson });
  await socket.close();
  // The answer of a REST endpoint has no place for errors; texts in other scripts fit into a header as well.
  users.answer = () =>
    '{"data":{"f0":{"name":"Ann"},"f1":null},"errors":[{"message":"nö 🙂","path":["f1"]}]}';
  const rest = await send(server, '/api/rest/maybe', { method: 'GET' });
  expect([rest.status, rest.json]).toEqual([200, rows('Ann', null)]);
  expect(JSON.parse(String(rest.headers['x-engine-errors']))).toEqual([errorOf('nö 🙂')]);
  // Errors that are not about an optional field fail the request, and so does a relationship that is not optional.
  users.answer = () => '{"data":{"f0":null,"f1":{"name":"Bob"}},"errors":[null]}';
  expect((await ask(query)).json).toEqual({
    data: rows(null, null),
    errors: [errorOf('Errors from remote server')],
  });
  users.answer = () =>
    '{"data":{"f0":null,"f1":null,"f2":null,"f3":null},"errors":[{"message":"x","path":["f2"]}]}';
  const both = query.replace('maybe', 'maybe { id } user { name } again: maybe');
  expect((await ask(both)).json).toMatchObject({ errors: [{ message: 'Errors from remote server' }] });
  users.answer = undefined;
  await metadata('drop_rest_endpoint', { name: 'maybe' });
  await metadata('drop_query_collection', { collection: 'saved', cascade: true });
  await metadata('pg_delete_remote_relationship', { source: 'default', table: 'ticket', name: 'maybe' });
});

test('subscriptions have no joins, neither to remote schemas nor to other sources', async () => {
  const socket = await connect(server);
  for (const field of ['user { name }', 'holder { name }', 'payments { id }']) {
    const query = `subscription { ticket { id ${field} } }`;
    socket.send({ id: field, type: 'subscribe', payload: { query } });
    const refused = JSON.stringify((await socket.next()).payload);
    expect(refused).toContain('Remote relationships are not allowed in subscriptions');
    expect(refused).toContain('not-supported');
    expect(await socket.next()).toMatchObject({ type: 'complete' });
  }
  await socket.close();
  expect(users.calls).toEqual([]);
});

test('digits of numbers survive joins', async () => {
  users.answer = () => '{"data":{"f0":{"name":12345678901234567890.10}}}';
  const query = '{ ticket(where: {id: {_eq: 1}}) { user { name } } }';
  const { text } = await send(server, '/v1/graphql', { body: { query } });
  users.answer = undefined;
  expect(text).toBe('{"data":{"ticket":[{"user":{"name":12345678901234567890.10}}]}}');
  expect(requests()).toEqual([1, 0]);
});
