import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { leaks, send, startTestServer, type TestServer } from '../../harness/server.ts';
import { connect, type TestSocket } from '../../harness/socket.ts';

let database: TestDatabase;
let server: TestServer;

async function metadata(type: string, args: object): Promise<void> {
  const answer = await send(server, '/v1/metadata', { body: { type, args } });
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
}

beforeAll(async () => {
  database = await createTestDatabase(`
    create table event (id serial primary key, rank int, word text, at timestamptz, price numeric, owner text);
    create view public_event as select * from event where owner is null;
  `);
  server = await startTestServer(database, { STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '200' });
  await metadata('pg_track_table', {
    table: 'event',
    configuration: { custom_column_names: { price: 'cost' } },
  });
  await metadata('pg_track_table', { table: 'public_event' });
  await metadata('pg_create_select_permission', {
    table: 'event',
    role: 'user',
    permission: { columns: ['id', 'rank'], filter: { owner: 'x-engine-user-id' }, limit: 2 },
  });
});

afterAll(async () => {
  await server.stop();
  expect(leaks()).toEqual([]);
});

async function begin(session: Record<string, string> = {}): Promise<TestSocket> {
  await database.query('truncate event restart identity');
  return connect(server, { session });
}

function stream(socket: TestSocket, query: string, variables?: object, id = '1'): void {
  socket.send({ type: 'subscribe', id, payload: { query: `subscription ${query}`, variables } });
}

/** The rows of the next batch. */
async function batch(socket: TestSocket): Promise<unknown> {
  const { payload } = await socket.next();
  const { data, errors } = payload as { data: Record<string, unknown>; errors?: unknown };
  return errors ?? Object.values(data)[0];
}

describe('a stream', () => {
  test('sends batches in order, keeps equal values together, and waits for more', async () => {
    const socket = await begin();
    await database.query('insert into event (rank) values (1), (2), (2), (2), (3), (4), (5)');
    stream(socket, '{ event_stream(batch_size: 2, cursor: {initial_value: {rank: 0}}) { rank } }');
    expect(await batch(socket)).toEqual([1, 2, 2, 2].map((rank) => ({ rank })));
    expect(await batch(socket)).toEqual([3, 4].map((rank) => ({ rank })));
    expect(await batch(socket)).toEqual([{ rank: 5 }]);
    await socket.silence(400);
    await database.query('insert into event (rank) values (6), (null), (0)');
    expect(await batch(socket)).toEqual([{ rank: 6 }]);
    await socket.silence(300);
    await socket.close();
  });

  test('sends equal batches again: they are other rows', async () => {
    const socket = await begin();
    stream(socket, '{ event_stream(batch_size: 5, cursor: {initial_value: {id: 0}}) { word } }');
    for (const _ of [1, 2, 3]) {
      await database.query(`insert into event (word) values ('same')`);
      expect(await batch(socket)).toEqual([{ word: 'same' }]);
    }
    await socket.close();
  });

  test('goes down, by a column with a name of its own, without losing digits', async () => {
    const socket = await begin();
    await database.query(
      'insert into event (price) values (0.10000000000000000001), (0.10000000000000000002), (12345678901234567890.5)',
    );
    stream(
      socket,
      '($from: numeric!) { event_stream(batch_size: 1, cursor: [{initial_value: {cost: $from}, ordering: DESC}, null]) { id } }',
      {
        from: '12345678901234567891',
      },
    );
    expect([await batch(socket), await batch(socket), await batch(socket)]).toEqual([
      [{ id: 3 }],
      [{ id: 2 }],
      [{ id: 1 }],
    ]);
    await socket.silence(200);
    await socket.close();
  });

  test('of texts and moments, and of a view', async () => {
    const socket = await begin();
    await database.query(
      `insert into event (word, at) values ('b', '2024-01-01T00:00:00.000001Z'), ('a', '2024-01-01T00:00:00.000002Z')`,
    );
    stream(socket, '{ event_stream(batch_size: 1, cursor: {initial_value: {at: "2000-01-01"}}) { word } }');
    expect([await batch(socket), await batch(socket)]).toEqual([[{ word: 'b' }], [{ word: 'a' }]]);
    stream(
      socket,
      '{ public_event_stream(batch_size: 1, cursor: {initial_value: {word: ""}}, where: {id: {_gt: 0}}) { word } }',
      undefined,
      '2',
    );
    expect([await batch(socket), await batch(socket)]).toEqual([[{ word: 'a' }], [{ word: 'b' }]]);
    await socket.close();
  });

  test('shows a role its rows, no more of them at a time than it may have', async () => {
    const socket = await begin({ 'x-engine-role': 'user', 'x-engine-user-id': 'ann' });
    await database.query(
      `insert into event (rank, owner) values (1, 'ann'), (2, 'bob'), (3, 'ann'), (4, 'ann')`,
    );
    stream(socket, '{ event_stream(batch_size: 10, cursor: {initial_value: {rank: 0}}) { rank } }');
    expect([await batch(socket), await batch(socket)]).toEqual([[{ rank: 1 }, { rank: 3 }], [{ rank: 4 }]]);
    stream(
      socket,
      '{ event_stream(batch_size: 10, cursor: {initial_value: {word: ""}}) { rank } }',
      undefined,
      '2',
    );
    expect(await socket.next()).toMatchObject({
      payload: [{ message: "field 'word' not found in type: 'event_stream_cursor_value_input'" }],
    });
    await socket.close();
  });

  test('many that began at different places get every row once', async () => {
    await database.query('truncate event restart identity');
    await database.query('insert into event (rank) select generate_series(1, 50)');
    const sockets = await Promise.all(
      [0, 10, 10, 25, 50].map(async (from) => ({ from, socket: await connect(server) })),
    );
    for (const { from, socket } of sockets)
      stream(
        socket,
        '($from: Int) { event_stream(batch_size: 7, cursor: {initial_value: {id: $from}}) { id } }',
        { from },
      );
    await database.query('insert into event (rank) select generate_series(51, 80)');
    for (const { from, socket } of sockets) {
      const rows = () =>
        socket.messages.flatMap(
          ({ payload }) =>
            (payload as { data: { event_stream: { id: number }[] } } | undefined)?.data.event_stream ?? [],
        );
      await expect.poll(() => rows().length).toBe(80 - from);
      expect(rows().map(({ id }) => id)).toEqual(
        Array.from({ length: 80 - from }, (_, index) => from + 1 + index),
      );
      await socket.close();
    }
  });

  test('goes on where it is after a change of the metadata', async () => {
    const socket = await begin({ 'x-engine-role': 'user', 'x-engine-user-id': 'ann' });
    await database.query(`insert into event (rank, owner) values (1, 'ann'), (2, 'bob')`);
    stream(socket, '{ event_stream(batch_size: 10, cursor: {initial_value: {rank: 0}}) { rank } }');
    expect(await batch(socket)).toEqual([{ rank: 1 }]);
    const change = async (filter: object) => {
      const permission = { columns: ['id', 'rank'], filter, limit: 2 };
      const answer = await send(server, '/v1/metadata', {
        body: {
          type: 'bulk',
          args: [
            { type: 'pg_drop_select_permission', args: { table: 'event', role: 'user' } },
            { type: 'pg_create_select_permission', args: { table: 'event', role: 'user', permission } },
          ],
        },
      });
      expect(answer.status).toBe(200);
    };
    await change({});
    expect(await batch(socket)).toEqual([{ rank: 2 }]);
    await change({ owner: 'x-engine-user-id' });
    await socket.silence(300);
    await socket.close();
  });

  test('refuses cursors of no column or of several, and other fields beside it', async () => {
    const socket = await begin();
    const errors: unknown[] = [];
    for (const query of [
      '{ event_stream(batch_size: 1, cursor: []) { id } }',
      '{ event_stream(batch_size: 1, cursor: [{initial_value: {}}]) { id } }',
      '{ event_stream(batch_size: 1, cursor: [{initial_value: {id: 1, rank: 1}}]) { id } }',
      '{ event_stream(batch_size: -1, cursor: [{initial_value: {id: 1}}]) { id } }',
      '@_multiple_top_level_fields { event { id } event_stream(batch_size: 1, cursor: {initial_value: {id: 1}}) { id } }',
      '@_multiple_top_level_fields { a: event_stream(batch_size: 1, cursor: {initial_value: {id: 1}}) { id } b: event_stream(batch_size: 1, cursor: {initial_value: {id: 1}}) { id } }',
    ]) {
      stream(socket, query);
      const { payload } = await socket.next();
      errors.push((payload as { message: string }[])[0]?.message);
      await socket.next();
    }
    expect(errors).toEqual([
      'one streaming column field is expected',
      'one streaming column field is expected',
      'multiple column cursors are not supported yet',
      expect.stringContaining('a non-negative 32-bit integer'),
      'streaming and livequery subscriptions cannot be executed in the same subscription',
      'exactly one root field is allowed for streaming subscriptions',
    ]);
    await socket.close();
  });
});

describe('a stream of a source whose streams wait for older transactions', () => {
  const MARK = 'an open transaction of the test of streams';

  beforeAll(async () => {
    await database.query('create table part (id int, n int) partition by range (id)');
    await database.query('create table part_1 partition of part for values from (0) to (1000)');
    await metadata('pg_track_table', { table: 'part' });
    await waitFor(20);
  });

  async function waitFor(seconds: number): Promise<void> {
    const live_queries = { stream_horizon: seconds };
    const connection_info = { database_url: { from_env: 'ENGINE_GRAPHQL_DATABASE_URL' } };
    await metadata('pg_update_source', { name: 'default', configuration: { connection_info, live_queries } });
  }

  async function transaction(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: database.url, application_name: MARK });
    await client.connect();
    await client.query('begin');
    // From here on it has a number.
    await client.query('select pg_current_xact_id()');
    return client;
  }

  test.each([
    ['event', 'rank'],
    ['part', 'id'],
  ])('sends no row of %s before one that is committed late', async (table, column) => {
    const socket = await begin();
    const insert = (client: { query(sql: string): unknown }, value: number) =>
      client.query(`insert into ${table} (${column}) values (${value})`);
    await insert(database, 1);
    stream(
      socket,
      `{ ${table}_stream(batch_size: 10, cursor: {initial_value: {${column}: 0}}) { n: ${column} } }`,
    );
    expect(await batch(socket)).toEqual([{ n: 1 }]);
    const older = await transaction();
    const late = await transaction();
    await insert(database, 3);
    // It waits for nothing itself, but for the row before it.
    await insert(older, 4);
    await older.query('commit');
    await older.end();
    await socket.silence(500);
    await insert(late, 2);
    await late.query('commit');
    await late.end();
    expect(await batch(socket)).toEqual([{ n: 2 }, { n: 3 }, { n: 4 }]);
    await socket.close();
  });

  test('goes on after so many seconds, and then misses the row', async () => {
    await waitFor(1);
    const socket = await begin();
    stream(socket, '{ event_stream(batch_size: 10, cursor: {initial_value: {rank: 0}}) { rank } }');
    const late = await transaction();
    await database.query('insert into event (rank) values (3)');
    expect(await batch(socket)).toEqual([{ rank: 3 }]);
    await late.query('insert into event (rank) values (2)');
    await late.query('commit');
    await late.end();
    await database.query('insert into event (rank) values (4)');
    expect(await batch(socket)).toEqual([{ rank: 4 }]);
    await socket.close();
  });
});
