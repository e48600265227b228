/**
 * Subscriptions to tables of a cluster, on plain PostgreSQL with stand-ins of its catalogs, and with a snapshot that never moves: that of
 * a coordinator does not move when one shard is written.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CITUS, PLACES, SPREAD } from '../../harness/citus.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { leaks, send, startTestServer, type TestServer } from '../../harness/server.ts';
import { connect, type TestSocket } from '../../harness/socket.ts';

let database: TestDatabase;
let server: TestServer;

const STILL = `
  create schema still;
  create function still.pg_current_snapshot() returns text language sql as $$ select '100:100:' $$;
  grant usage on schema still to public;
  do $$ begin execute format('alter database %I set search_path = still, pg_catalog, public', current_database()); end $$;
`;

async function metadata(type: string, args: object): Promise<void> {
  const answer = await send(server, '/v1/metadata', { body: { type, args } });
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
}

beforeAll(async () => {
  database = await createTestDatabase(PLACES + CITUS + SPREAD + STILL);
  server = await startTestServer(database, {
    LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '100',
    STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '100',
    ENABLED_APIS: 'graphql,metadata,developer',
    MAX_SUBSCRIPTIONS_PER_ROLE: '6',
  });
  const rules = { doc: { tenant_id: 'x-engine-tenant' }, plan: {}, note: {} };
  for (const [table, filter] of Object.entries(rules)) {
    await metadata('pg_track_table', { table });
    const permission = { columns: '*', filter, allow_aggregations: true };
    await metadata('pg_create_select_permission', { table, role: 'user', permission });
  }
  await metadata('pg_create_array_relationship', {
    table: 'doc',
    name: 'peers',
    using: {
      manual_configuration: { remote_table: 'doc', column_mapping: { tenant_id: 'tenant_id' } },
    },
  });
});

afterAll(async () => {
  await server?.stop();
  expect(leaks()).toEqual([]);
});

async function begin(tenant?: number): Promise<TestSocket> {
  await database.query('truncate doc; truncate plan cascade; truncate note');
  return open(tenant);
}

const open = (tenant?: number) =>
  connect(server, {
    session: tenant === undefined ? {} : { 'x-engine-role': 'user', 'x-engine-tenant': String(tenant) },
  });

function subscribe(socket: TestSocket, query: string, id = '1', variables?: object): void {
  socket.send({ type: 'subscribe', id, payload: { query: `subscription ${query}`, variables } });
}

/** The next result: data, or the message of an error. */
async function result(socket: TestSocket): Promise<unknown> {
  const { payload } = await socket.next();
  if (Array.isArray(payload)) return (payload[0] as { message: string }).message;
  const { data, errors } = payload as { data?: unknown; errors?: [{ message: string }] };
  return errors?.[0].message ?? data;
}

interface Reported {
  readonly multiplexed_query: string;
  readonly polled_because: string | null;
  readonly cohort_count: number;
}

async function reported(): Promise<Reported[]> {
  const { json } = await send(server, '/dev/subscriptions', { method: 'GET' });
  const { live_queries_map, stream_queries_map } = json as Record<string, Reported[]>;
  return [...live_queries_map!, ...stream_queries_map!];
}

const doc = (id: number, tenant = 1) => `insert into doc values (${id}, ${tenant}, 'doc ${id}')`;

describe('a live query', () => {
  test.each<[string, number | undefined, string, readonly (readonly [string, unknown])[]]>([
    [
      'of one tenant',
      1,
      '{ doc(order_by: {id: asc}) { id } }',
      [
        ['select 1', { doc: [] }],
        [doc(1), { doc: [{ id: 1 }] }],
        [`${doc(2, 2)}; ${doc(3)}`, { doc: [{ id: 1 }, { id: 3 }] }],
        ['delete from doc', { doc: [] }],
      ],
    ],
    [
      'by key',
      1,
      '{ doc_by_pk(tenant_id: 1, id: 7) { body } }',
      [
        ['select 1', { doc_by_pk: null }],
        [doc(7), { doc_by_pk: { body: 'doc 7' } }],
        [`update doc set body = 'new'`, { doc_by_pk: { body: 'new' } }],
      ],
    ],
    [
      'of all shards',
      undefined,
      '{ doc(order_by: {id: asc}) { id tenant_id } }',
      [
        [doc(1), { doc: [{ id: 1, tenant_id: 1 }] }],
        [
          doc(2, 2),
          {
            doc: [
              { id: 1, tenant_id: 1 },
              { id: 2, tenant_id: 2 },
            ],
          },
        ],
      ],
    ],
    [
      'of an aggregate with its nodes',
      1,
      '{ doc_aggregate(order_by: {id: asc}) { aggregate { count } nodes { id } } }',
      [
        ['select 1', { doc_aggregate: { aggregate: { count: 0 }, nodes: [] } }],
        [doc(1), { doc_aggregate: { aggregate: { count: 1 }, nodes: [{ id: 1 }] } }],
      ],
    ],
    [
      'of a reference table',
      1,
      '{ plan { value } }',
      [
        ['select 1', { plan: [] }],
        [`insert into plan values ('a')`, { plan: [{ value: 'a' }] }],
      ],
    ],
    [
      'of several fields',
      1,
      'both @_multiple_top_level_fields { doc { id } plan { value } }',
      [
        ['select 1', { doc: [], plan: [] }],
        [`insert into plan values ('a')`, { doc: [], plan: [{ value: 'a' }] }],
        [doc(1), { doc: [{ id: 1 }], plan: [{ value: 'a' }] }],
      ],
    ],
  ])('%s sees what another client writes', async (_, tenant, query, steps) => {
    const socket = await begin(tenant);
    for (const [index, [write, expected]] of steps.entries()) {
      await database.query(write);
      if (index === 0) subscribe(socket, query);
      expect(await result(socket)).toEqual(expected);
    }
    await socket.close();
  });

  test('reads each set of values of shards by a statement of its own, and what the coordinator has by one', async () => {
    const [one, two] = [await begin(1), await open(2)];
    const list = '{ doc { id } }';
    for (const socket of [one, two]) {
      subscribe(socket, list);
      expect(await result(socket)).toEqual({ doc: [] });
      subscribe(socket, '{ plan { value } }', '2');
      expect(await result(socket)).toEqual({ plan: [] });
    }
    const because = 'tables of a cluster, whose writes the coordinator does not always see';
    const sorted = async () => (await reported()).sort((a, b) => b.cohort_count - a.cohort_count);
    await expect.poll(sorted).toMatchObject([
      {
        cohort_count: 2,
        polled_because: because,
        multiplexed_query: expect.stringContaining('= ($1)::integer'),
      },
      { cohort_count: 1, polled_because: because, multiplexed_query: expect.stringContaining('"_cohort"') },
    ]);
    await database.query(`${doc(1, 1)}; ${doc(2, 2)}`);
    expect([await result(one), await result(two)]).toEqual([{ doc: [{ id: 1 }] }, { doc: [{ id: 2 }] }]);
    await Promise.all([one.close(), two.close()]);
  });

  test('of a table of the coordinator is read after changes, as on plain PostgreSQL', async () => {
    const socket = await begin(1);
    subscribe(socket, '{ note { id } }');
    expect(await result(socket)).toEqual({ note: [] });
    await expect.poll(async () => (await reported()).map((each) => each.polled_because)).toEqual([null]);
    await socket.close();
  });

  test('ends where its values fail, and goes on where the data fail', async () => {
    const socket = await begin(1);
    subscribe(socket, '{ doc(where: {body: {_regex: "["}}) { id } }');
    await database.query(doc(1));
    expect(await result(socket)).toContain('invalid regular expression');
    subscribe(socket, '($id: Int!) { doc(where: {id: {_eq: $id}}) { id } }', '2', { id: 1 });
    const sent = socket.messages.map(({ type, id }) => [type, id]);
    await expect.poll(() => socket.messages.at(-1)).toMatchObject({ type: 'next', id: '2' });
    expect(sent).toContainEqual(['error', '1']);
    await socket.close();
  });

  test('counts for the limit of its role', async () => {
    const socket = await begin(1);
    for (let id = 1; id <= 7; id++) subscribe(socket, '{ doc { id } }', String(id));
    await expect.poll(() => socket.messages.find(({ type }) => type === 'error')).toMatchObject({ id: '7' });
    await socket.close();
  });

  test('is refused with the reason of the query', async () => {
    const socket = await begin();
    subscribe(socket, '{ doc { peers { id } note: __typename } }');
    expect(await result(socket)).toEqual({ doc: [] });
    subscribe(
      socket,
      'both @_multiple_top_level_fields { doc { id } doc_stream(batch_size: 1, cursor: {initial_value: {id: 0}}) { id } }',
      '2',
    );
    expect(await result(socket)).toContain('streaming and livequery');
    await socket.close();
  });
});

describe('a stream', () => {
  const stream = (initial: string, more = '') =>
    `{ doc_stream(batch_size: 2, cursor: {initial_value: ${initial}}${more}) { id } }`;

  test.each<[string, number | undefined, string, readonly (readonly [string, readonly number[]])[]]>([
    [
      'of one tenant',
      1,
      stream('{id: 0}'),
      [
        [`${doc(1)}; ${doc(2)}; ${doc(3)}`, [1, 2]],
        ['select 1', [3]],
        [doc(9), [9]],
      ],
    ],
    [
      'that begins at the end',
      1,
      stream('{id: 5}'),
      [
        [doc(3), []],
        [doc(6), [6]],
        [doc(7), [7]],
      ],
    ],
    [
      'downwards',
      1,
      stream('{id: 10}, ordering: DESC'),
      [
        [`${doc(4)}; ${doc(8)}`, [8, 4]],
        [doc(2), [2]],
      ],
    ],
    [
      'whose argument names the tenant',
      undefined,
      stream('{id: 0}', ', where: {tenant_id: {_eq: 2}}'),
      [
        [`${doc(1, 2)}; ${doc(2, 1)}`, [1]],
        [doc(5, 2), [5]],
      ],
    ],
  ])('%s goes on from where it is', async (_, tenant, query, steps) => {
    const socket = await begin(tenant);
    for (const [index, [write, ids]] of steps.entries()) {
      await database.query(write);
      if (index === 0) subscribe(socket, query);
      if (ids.length > 0) expect(await result(socket)).toEqual({ doc_stream: ids.map((id) => ({ id })) });
    }
    await socket.close();
  });

  test('of all shards is refused, with what to name', async () => {
    const socket = await begin();
    subscribe(socket, stream('{id: 0}'));
    expect(await result(socket)).toBe(
      'the distributed tables of source "default" cannot serve this: a stream reads rows of one value of the distribution column: ' +
        'a connection of the Relay API, or an object that is made of rows of public.doc, needs one node to answer, and no rule or argument fixes them to one value of the distribution column',
    );
    await socket.close();
  });

  test('of a reference table is read for all clients at once', async () => {
    const socket = await begin(1);
    subscribe(socket, '{ plan_stream(batch_size: 5, cursor: {initial_value: {value: ""}}) { value } }');
    await database.query(`insert into plan values ('a')`);
    expect(await result(socket)).toEqual({ plan_stream: [{ value: 'a' }] });
    await socket.close();
  });
});

test('explain shows the statement that reads the shards', async () => {
  const body = {
    query: { query: 'subscription { doc(where: {id: {_gt: 3}}) { id } }' },
    user: { 'x-engine-role': 'user', 'x-engine-tenant': '1' },
  };
  const { status, json } = await send(server, '/v1/graphql/explain', { body });
  expect([status, json]).toEqual([
    200,
    expect.objectContaining({
      sql: expect.stringMatching(/^select .*"tenant_id" = \('1'\)::integer/),
      variables: expect.objectContaining({ session: { 'x-engine-tenant': '1' }, synthetic: ['3'] }),
    }),
  ]);
});
