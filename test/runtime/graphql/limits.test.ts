import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { chooseOperation, parseDocument } from '../../../runtime/core/request/document.ts';
import { operationSize } from '../../../runtime/core/request/size.ts';
import { createRateCounter } from '../../../runtime/graphql/limits.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { send, startTestServer, type TestServer } from '../../harness/server.ts';

let database: TestDatabase;
let server: TestServer;

const asRole = (role: string, body: object, headers: Record<string, string> = {}) =>
  send(server, '/v1/graphql', { headers: { 'x-engine-role': role, ...headers }, body });
const nodes = (query: string) => ({ query });

async function metadata(type: string, args: object): Promise<void> {
  const { status, text } = await send(server, '/v1/metadata', { body: { type, args } });
  expect(status, text).toBe(200);
}
const setLimits = (limits: object) => metadata('set_api_limits', { disabled: false, ...limits });

beforeAll(async () => {
  database = await createTestDatabase(`
    create table node (id int primary key, parent_id int references node);
    insert into node values (1, null), (2, 1);
    create view slow as select 1 as id, pg_sleep(20)::text as waited;
    create table waiter (id int primary key);
    create sequence waits;
    create function wait() returns trigger language plpgsql as
      $$ begin perform nextval('waits'), pg_sleep(20); return new; end $$;
    create trigger wait before insert on waiter for each row execute function wait();
  `);
  server = await startTestServer(database);
  const permission = { columns: ['id'], filter: {} };
  const permit = (table: string, role: string) => ({
    type: 'pg_create_select_permission',
    args: { table, role, permission },
  });
  await metadata('bulk', [
    ...['node', 'slow', 'waiter'].map((table) => ({ type: 'pg_track_table', args: { table } })),
    {
      type: 'pg_create_array_relationship',
      args: {
        table: 'node',
        name: 'children',
        using: { foreign_key_constraint_on: { table: 'node', column: 'parent_id' } },
      },
    },
    permit('node', 'user'),
    permit('node', 'free'),
    permit('slow', 'user'),
    {
      type: 'pg_create_insert_permission',
      args: { table: 'waiter', role: 'user', permission: { columns: ['id'], check: {} } },
    },
  ] as never);
});

beforeEach(() => metadata('remove_api_limits', {}));

afterAll(() => server?.stop());

const failure = (message: string | RegExp, code = 'validation-failed') => ({
  errors: [
    {
      message: typeof message === 'string' ? message : expect.stringMatching(message),
      extensions: { path: '$', code },
    },
  ],
});

describe('limits', () => {
  const deep = nodes('{ node { children { children { id } } } }');

  test('of depth, per role, never for administrators', async () => {
    await setLimits({ depth_limit: { global: 2, per_role: { free: 3 } } });
    expect((await asRole('user', deep)).json).toEqual(
      failure('depth limit exceeded: 3 where at most 2 are allowed'),
    );
    expect((await asRole('user', nodes('{ node { children { id } } }'))).json).toHaveProperty('data');
    expect((await asRole('free', deep)).json).toHaveProperty('data');
    expect((await asRole('admin', deep)).json).toHaveProperty('data');
    await metadata('remove_api_limits', {});
    expect((await asRole('user', deep)).json).toHaveProperty('data');
  });

  test('of nodes, whatever fragments they hide in', async () => {
    await setLimits({ node_limit: { global: 2, per_role: {} } });
    const hidden = nodes(
      'fragment a on node { children { id } } { x: node { ...a } y: node { ... { ...a } } }',
    );
    expect((await asRole('user', hidden)).json).toEqual(
      failure('node limit exceeded: 4 where at most 2 are allowed'),
    );
    // Known to be fine for one role is not fine for another that sees the same.
    expect((await asRole('admin', hidden)).json).toHaveProperty('data');
    expect((await asRole('stranger', hidden)).json).toEqual(
      failure('node limit exceeded: 4 where at most 2 are allowed'),
    );
  });

  test('leave introspection out, and have no effect when they are disabled', async () => {
    await setLimits({ depth_limit: { global: 1, per_role: {} } });
    const [flat, nested] = [
      nodes('{ a: node { id } b: node { id } }'),
      nodes('{ node { children { id } } }'),
    ];
    expect((await asRole('user', flat)).json).toHaveProperty('data');
    expect((await asRole('user', nested)).text).toContain('depth limit exceeded: 2 where at most 1');
    const introspection = nodes('{ __schema { types { fields { type { name } } } } }');
    expect((await asRole('user', introspection)).json).toHaveProperty('data');
    await setLimits({ disabled: true, depth_limit: { global: 1, per_role: {} } });
    expect((await asRole('user', deep)).json).toHaveProperty('data');
  });

  test('that nobody sets end operations whose fragments multiply', async () => {
    const fragments = Array.from(
      { length: 40 },
      (_, index) =>
        `fragment f${index} on node { a: children { ...f${index + 1} } b: children { ...f${index + 1} } }`,
    );
    const query = nodes(`{ node { ...f0 } } ${fragments.join(' ')} fragment f40 on node { id }`);
    for (const role of ['user', 'admin'])
      expect((await asRole(role, query)).json).toEqual(
        failure(/^node limit exceeded: \d+ where at most 10000/),
      );
  });

  test('of batches', async () => {
    await setLimits({ batch_limit: { global: 2, per_role: {} } });
    const one = nodes('{ __typename }');
    expect((await asRole('user', [one, one, one])).json).toEqual(
      failure('batch limit exceeded: 3 where at most 2 are allowed'),
    );
    expect((await asRole('user', [one, one])).json).toHaveLength(2);
    expect((await asRole('admin', [one, one, one])).json).toHaveLength(3);
  });

  test('hold inside batches, for each member alone', async () => {
    await setLimits({ depth_limit: { global: 2, per_role: {} } });
    expect((await asRole('user', [deep, nodes('{ node { id } }')])).json).toEqual([
      failure(/^depth limit/),
      { data: { node: [{ id: 1 }, { id: 2 }] } },
    ]);
  });

  test('of requests per minute, by role, variable or address', async () => {
    const one = nodes('{ __typename }');
    await setLimits({ rate_limit: { global: { max_reqs_per_min: 2 }, per_role: {} } });
    for (const expected of [200, 200, 429, 429]) expect((await asRole('by_role', one)).status).toBe(expected);
    expect((await asRole('by_role', one)).json).toEqual(
      failure('rate limit exceeded: at most 2 requests per minute are allowed', 'busy'),
    );
    expect((await asRole('admin', one)).status).toBe(200);
    expect(
      (await send(server, '/v1alpha1/graphql', { headers: { 'x-engine-role': 'by_role' } })).status,
    ).toBe(429);
    // Setting the limits anew does not start the minute anew.
    await setLimits({ rate_limit: { global: { max_reqs_per_min: 2, unique_params: null }, per_role: {} } });
    expect((await asRole('by_role', one)).status).toBe(429);

    await setLimits({
      rate_limit: { global: { max_reqs_per_min: 1, unique_params: ['x-engine-user-id'] }, per_role: {} },
    });
    const as = (id: string) => asRole('by_user', one, { 'X-Engine-User-Id': id });
    expect((await as('1')).status).toBe(200);
    expect((await as('2')).status).toBe(200);
    expect((await as('1')).status).toBe(429);

    await setLimits({ rate_limit: { global: { max_reqs_per_min: 1, unique_params: 'IP' }, per_role: {} } });
    expect((await asRole('by_address', one)).status).toBe(200);
    expect((await asRole('by_address', one)).status).toBe(429);
  });

  test('of requests per minute take all clients without credentials for one user', async () => {
    await setLimits({
      rate_limit: { global: { max_reqs_per_min: 2, unique_params: ['x-engine-user-id'] }, per_role: {} },
    });
    const open = await startTestServer(database, { ADMIN_SECRET: 'hush', UNAUTHORIZED_ROLE: 'visitor' });
    const as = async (headers: Record<string, string>) =>
      (await send(open, '/v1/graphql', { headers, body: nodes('{ __typename }') })).status;
    expect(await as({})).toBe(200);
    expect(await as({ 'X-Engine-User-Id': '1' })).toBe(200);
    expect(await as({ 'X-Engine-User-Id': '2' })).toBe(429);
    const user = { 'x-engine-admin-secret': 'hush', 'x-engine-role': 'visitor', 'x-engine-user-id': '2' };
    expect(await as(user)).toBe(200);
    await open.stop();
  });

  test('of requests per minute count every member of a batch', async () => {
    await setLimits({ rate_limit: { global: { max_reqs_per_min: 2 }, per_role: {} } });
    const one = nodes('{ __typename }');
    expect((await asRole('in_batches', [one, one, one])).json).toEqual([
      { data: { __typename: 'query_root' } },
      { data: { __typename: 'query_root' } },
      failure(/^rate limit exceeded/, 'busy'),
    ]);
  });

  test('of time end the statement in the database', async () => {
    await setLimits({ time_limit: { global: 0.2, per_role: {} } });
    expect((await asRole('user', nodes('{ slow { id } }'))).json).toEqual(
      failure('the operation took longer than 0.2 seconds', 'timeout'),
    );
    const write = nodes('mutation { insert_waiter(objects: [{id: 1}]) { affected_rows } }');
    expect((await asRole('user', write)).json).toMatchObject({
      errors: [{ extensions: { code: 'timeout' } }],
    });
    expect(await database.query('select * from waiter')).toEqual([]);
    expect(await database.query('select last_value::int as n from waits')).toEqual([{ n: 1 }]);
    const running = await database.query(
      `select query from pg_stat_activity where datname = current_database() and state = 'active' and query like '%pg_sleep%' and pid <> pg_backend_pid()`,
    );
    expect(running).toEqual([]);
    // The connection goes back without the limit.
    await metadata('remove_api_limits', {});
    const [setting] = await database.query<{ n: number }>('select count(*)::int as n from node');
    expect(setting).toEqual({ n: 2 });
    expect((await asRole('user', nodes('{ node { id } }'))).json).toHaveProperty('data');
  });
});

describe('the size of an operation', () => {
  const sizeOf = (query: string) => operationSize(chooseOperation(parseDocument(query), undefined));

  test.each<[string, { depth: number; nodes: number }]>([
    ['{ a { b { c } } }', { depth: 2, nodes: 2 }],
    ['{ a b c }', { depth: 0, nodes: 0 }],
    ['{ a { x } b { c { x } } }', { depth: 2, nodes: 3 }],
    ['{ __schema { types { name } } __type(name: "a") { name } a { x } }', { depth: 1, nodes: 1 }],
    ['{ a { ...f } } fragment f on t { b { ...g } } fragment g on t { c { x } }', { depth: 3, nodes: 3 }],
    ['{ a { ...f ...f } } fragment f on t { b { x } }', { depth: 2, nodes: 3 }],
    ['{ a { ...f } } fragment f on t { b { ...f } }', { depth: 2, nodes: 2 }],
    ['{ a { ...missing } }', { depth: 1, nodes: 1 }],
  ])('%s', (query, expected) => {
    expect(sizeOf(query)).toEqual(expected);
  });

  test('is found in one look at each of fragments that multiply', () => {
    const count = 90;
    const fragments = Array.from({ length: count }, (_, index) =>
      index + 1 < count
        ? `fragment f${index} on t { a { ...f${index + 1} } b { ...f${index + 1} } }`
        : `fragment f${index} on t { x }`,
    );
    const { depth, nodes: found } = sizeOf(`{ r { ...f0 } } ${fragments.join(' ')}`);
    expect(depth).toBe(count);
    expect(found).toBeGreaterThan(2 ** 89);
  });
});

test('a minute of the rate begins with its first request', () => {
  let now = 0;
  const counter = createRateCounter(() => now);
  expect([counter.count('a'), counter.count('a'), counter.count('b')]).toEqual([1, 2, 1]);
  now = 59_999;
  expect(counter.count('a')).toBe(3);
  now = 60_000;
  expect(counter.count('a')).toBe(1);
});

describe('introspection', () => {
  test('can be disabled for a role', async () => {
    await metadata('set_graphql_schema_introspection_options', {
      disabled_for_roles: ['user', 'unheard_of'],
    });
    const schema = nodes('{ __schema { queryType { name } } }');
    for (const role of ['user', 'unheard_of']) {
      expect((await asRole(role, schema)).json).toMatchObject({
        errors: [{ message: "field '__schema' not found in type: 'query_root'" }],
      });
      expect((await asRole(role, nodes('{ __type(name: "node") { name } }'))).json).toHaveProperty('errors');
      expect((await asRole(role, nodes('{ __typename }'))).json).toEqual({
        data: { __typename: 'query_root' },
      });
    }
    expect((await asRole('free', schema)).json).toHaveProperty('data');
    expect((await asRole('stranger', schema)).json).toHaveProperty('data');
    await metadata('set_graphql_schema_introspection_options', { disabled_for_roles: ['admin'] });
    expect((await asRole('admin', schema)).json).toHaveProperty('errors');
    expect((await asRole('user', schema)).json).toHaveProperty('data');
    await metadata('set_graphql_schema_introspection_options', { disabled_for_roles: [] });
    expect((await asRole('admin', schema)).json).toHaveProperty('data');
  });
});
