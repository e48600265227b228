import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { answering, Handler } from '../../../harness/handler.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/postgres.ts';
import { confidential, leaks, send, startTestServer, type TestServer } from '../../../harness/server.ts';
import { connect, type TestSocket } from '../../../harness/socket.ts';

const ADMIN = 'the-admin-secret-of-asynchronous-actions';
const handler = new Handler();
let database: TestDatabase;
let server: TestServer;

async function graphql(query: string, headers: Record<string, string> = {}, to = server) {
  const { json } = await send(to, '/v1/graphql', {
    headers: { 'x-engine-admin-secret': ADMIN, 'x-engine-role': 'user', 'x-engine-user-id': '1', ...headers },
    body: { query },
  });
  return json as { data: Record<string, unknown>; errors?: readonly { message: string }[] };
}

const begin = async (headers: Record<string, string> = {}) => {
  const { data, errors } = await graphql('mutation { job(name: "a", big: 12345678901234567) }', headers);
  expect(errors).toBeUndefined();
  return data.job as string;
};
const RESULT = 'id created_at errors output { id user { name } }';
const result = async (id: string, headers: Record<string, string> = {}) => {
  const { data } = await graphql(`{ job(id: "${id}") { ${RESULT} } }`, headers);
  return data.job as { output: unknown; errors: unknown; created_at: string; id: string } | null;
};
const ended = (id: string) =>
  expect
    .poll(() => database.query('select status from engine_catalog.action_log where id = $1', [id]), {
      interval: 20,
    })
    .toEqual([{ status: 'completed' }]);
const finished = (id: string, headers: Record<string, string> = {}) =>
  vi.waitFor(
    async () => {
      const found = await result(id, headers);
      expect(found?.output ?? found?.errors).toBeTruthy();
      return found!;
    },
    { timeout: 30_000, interval: 20 },
  );

beforeAll(async () => {
  confidential.add(ADMIN);
  await handler.listen();
  database = await createTestDatabase(`
    create table users (id int primary key, name text not null);
    insert into users values (1, 'one'), (2, 'two');
  `);
  server = await startTestServer(database, { ADMIN_SECRET: ADMIN }, { HANDLER: handler.url });
  const { status, text } = await send(server, '/v1/metadata', {
    headers: { 'x-engine-admin-secret': ADMIN },
    body: {
      type: 'bulk',
      args: [
        { type: 'pg_track_table', args: { table: 'users' } },
        {
          type: 'pg_create_select_permission',
          args: { table: 'users', role: 'user', permission: { columns: ['id', 'name'], filter: {} } },
        },
        {
          type: 'set_custom_types',
          args: {
            objects: [
              {
                name: 'Done',
                fields: [
                  { name: 'id', type: 'Int!' },
                  { name: 'note', type: 'String' },
                ],
                relationships: [
                  { name: 'user', type: 'object', remote_table: 'users', field_mapping: { id: 'id' } },
                ],
              },
            ],
          },
        },
        {
          type: 'create_action',
          args: {
            name: 'job',
            definition: {
              kind: 'asynchronous',
              handler: '{{HANDLER}}/job',
              output_type: 'Done!',
              forward_client_headers: true,
              arguments: [
                { name: 'name', type: 'String!' },
                { name: 'big', type: 'bigint' },
              ],
            },
          },
        },
        { type: 'create_action_permission', args: { action: 'job', role: 'user' } },
        {
          type: 'create_action',
          args: {
            name: 'other',
            definition: { kind: 'asynchronous', handler: '{{HANDLER}}/other', output_type: 'Done!' },
          },
        },
        { type: 'create_action_permission', args: { action: 'other', role: 'user' } },
      ],
    },
  });
  expect(status, text).toBe(200);
  expect(text).not.toContain('not-served');
  // The log is made in the background.
  await vi.waitFor(
    async () => {
      const [row] = await database.query(`select to_regclass('engine_catalog.action_log') as log`);
      expect(row!.log).not.toBeNull();
    },
    { timeout: 30_000 },
  );
});

beforeEach(() => {
  handler.calls = [];
  handler.answer = answering({ id: 2, note: 'n', more: 1 });
});

afterAll(async () => {
  await server?.stop();
  handler.close();
  expect(leaks()).toEqual([]);
});

describe('an asynchronous action', () => {
  test('answers an id at once, is called, and its result has relationships', async () => {
    let answer = () => {};
    handler.answer = (call, response) => {
      answer = () => answering({ id: 2 })(call, response);
    };
    const id = await begin({ authorization: 'Bearer credential' });
    expect(id).toMatch(/^[\da-f-]{36}$/);
    await expect.poll(() => handler.calls).toHaveLength(1);
    expect(await result(id)).toEqual({ id, created_at: expect.any(String), errors: null, output: null });
    answer();
    const { created_at, ...found } = await finished(id);
    expect(found).toEqual({ id, errors: null, output: { id: 2, user: { name: 'two' } } });
    expect(Math.abs(Date.parse(created_at) - Date.now())).toBeLessThan(60_000);
    const [call] = handler.calls;
    expect(call!.json).toMatchObject({
      action: { name: 'job' },
      session_variables: { 'x-engine-role': 'user', 'x-engine-user-id': '1' },
      request_query: null,
    });
    expect(call!.body).toContain('12345678901234567');
    expect(call!.headers.authorization).toBe('Bearer credential');
    const [row] = await database.query('select * from engine_catalog.action_log where id = $1', [id]);
    expect(row).toMatchObject({
      status: 'completed',
      request_headers: {},
      response_payload: { id: 2, note: null },
      errors: null,
    });
    expect(row!.response_received_at).toBeTruthy();
    expect(JSON.stringify(row)).not.toContain(ADMIN);
  });

  test.each([
    ['a NUL character', '{"id": 2, "note": "\\u0000"}'],
    ['half of a surrogate pair', '{"id": 2, "note": "\\ud800"}'],
  ])(
    'whose handler answers %s that cannot be stored ends with an error, and others go on',
    async (_, answer) => {
      handler.answer = answering(answer);
      const id = await begin();
      const { errors } = await finished(id);
      expect(errors).toMatchObject({
        code: 'data-exception',
        error: expect.stringContaining('cannot be stored'),
      });
      handler.answer = answering({ id: 2, note: 'n' });
      expect((await finished(await begin())).output).toMatchObject({ id: 2 });
    },
  );

  test('keeps the error of its handler; details are for administrators', async () => {
    handler.answer = answering({ message: 'no', code: 'mine' }, 400);
    const id = await begin();
    expect((await finished(id)).errors).toEqual({ error: 'no', path: '$', code: 'mine' });
    expect((await result(id, { 'x-engine-role': 'admin' }))!.errors).toMatchObject({
      code: 'mine',
      internal: { request: { url: '{{HANDLER}}/job' }, response: { status: 400 } },
    });
    expect(handler.calls).toHaveLength(1);
  });

  test('shows a result to its own session and to administrators only', async () => {
    const id = await begin();
    await finished(id);
    expect(await result(id, { 'x-engine-user-id': '2' })).toBeNull();
    expect(await result(id, { 'x-engine-more': '2' })).toBeNull();
    expect(await result(id, { 'x-engine-role': 'admin' })).not.toBeNull();
    expect(await result('11111111-1111-1111-1111-111111111111')).toBeNull();
    const { errors } = await graphql('{ job(id: "no id") { id } }');
    expect(errors).toHaveLength(1);
  });

  test('reads many results with one statement', async () => {
    const ids = [await begin(), await begin(), await begin()];
    for (const id of ids) await finished(id);
    const query = vi.spyOn(pg.Pool.prototype, 'query');
    const fields = ids.map((id, index) => `r${index}: job(id: "${id}") { id }`).join(' ');
    const { data } = await graphql(`{ ${fields} }`);
    expect(Object.keys(data)).toEqual(['r0', 'r1', 'r2']);
    const reads = query.mock.calls.filter(([text]) =>
      /select[^;]*from engine_catalog\.action_log where id/.test(String(text)),
    );
    query.mockRestore();
    expect(reads).toHaveLength(1);
  });

  test('refuses arguments before anything is stored', async () => {
    const count = async () =>
      (await database.query('select count(*)::int from engine_catalog.action_log'))[0];
    const before = await count();
    expect((await graphql('mutation { job(name: 5) }')).errors).toHaveLength(1);
    expect((await graphql('mutation { a: job(name: "a") b: job(name: "b", big: "x") }')).errors).toHaveLength(
      1,
    );
    expect(await count()).toEqual(before);
  });

  test('that a dead instance worked on is taken over once its lease is over, that of a living one is not', async () => {
    const insert = (name: string, owner: string) =>
      database.query(
        `insert into engine_catalog.action_log
           (action_name, input_payload, request_headers, session_variables, status, owner)
         values ('job', '{"name": "${name}"}', '{}', '{"x-engine-role": "user", "x-engine-user-id": "1"}', 'processing', $1)
         returning id`,
        [owner],
      ) as Promise<{ id: string }[]>;
    const [alive, dead] = [randomUUID(), randomUUID()];
    await database.query(
      `insert into engine_catalog.instances values ($1, now()), ($2, now() - interval '31 seconds')`,
      [alive, dead],
    );
    const [held] = await insert('held', alive);
    const [lost] = await insert('lost', dead);
    expect((await finished(lost!.id)).output).toEqual({ id: 2, user: { name: 'two' } });
    expect((await result(held!.id))!.output).toBeNull();
    expect(handler.calls.map(({ json }) => (json as { input: unknown }).input)).toEqual([{ name: 'lost' }]);
    await database.query('delete from engine_catalog.action_log where id = $1', [held!.id]);
  });

  test('whose handler hangs does not hold up other actions, nor more calls than there is room for', async () => {
    const answers: (() => void)[] = [];
    handler.answer = (call, response) => {
      const answer = () => answering({ id: 1 })(call, response);
      if (call.url === '/job') answers.push(answer);
      else answer();
    };
    const ids = await Promise.all(Array.from({ length: 120 }, () => begin()));
    await expect.poll(() => answers.length).toBeGreaterThanOrEqual(50);
    const { data } = await graphql('mutation { other }');
    await expect.poll(() => handler.calls.map(({ url }) => url)).toContain('/other');
    expect(answers.length).toBeLessThanOrEqual(100);
    handler.answer = answering({ id: 1 });
    for (const answer of answers) answer();
    await Promise.all([data.other as string, ...ids].map((id) => ended(id)));
    expect(handler.calls.filter(({ url }) => url === '/job')).toHaveLength(120);
  });

  test('is absent for roles without a permission', async () => {
    expect((await graphql('mutation { job(name: "a") }', { 'x-engine-role': 'other' })).errors).toHaveLength(
      1,
    );
    expect((await graphql('{ job(id: "x") { id } }', { 'x-engine-role': 'other' })).errors).toHaveLength(1);
  });

  test('shows its types', async () => {
    const { data } = await graphql(`{
      __type(name: "job") { description fields { name type { kind name ofType { kind name } } } }
    }`);
    expect(data.__type).toEqual({
      description: 'fields of action: "job"',
      fields: [
        {
          name: 'created_at',
          type: { kind: 'NON_NULL', name: null, ofType: { kind: 'SCALAR', name: 'timestamptz' } },
        },
        { name: 'errors', type: { kind: 'SCALAR', name: 'json', ofType: null } },
        { name: 'id', type: { kind: 'NON_NULL', name: null, ofType: { kind: 'SCALAR', name: 'uuid' } } },
        { name: 'output', type: { kind: 'NON_NULL', name: null, ofType: { kind: 'OBJECT', name: 'Done' } } },
      ],
    });
  });
});

/** The id of a call that ended some time ago. */
const insertEnded = async (action: string, ended: string) => {
  const [row] = await database.query(
    `insert into engine_catalog.action_log
       (action_name, input_payload, request_headers, session_variables, status, response_received_at)
     values ($1, '{}', '{}', '{}', 'completed', now() - $2::interval) returning id`,
    [action, ended],
  );
  return row!.id as string;
};
/** Those of some calls that the log still has. */
const kept = async (ids: readonly string[]) => {
  const rows = await database.query('select id from engine_catalog.action_log where id = any ($1)', [ids]);
  return ids.filter((id) => rows.some((row) => row.id === id));
};

describe('the log', () => {
  test('loses the calls of a dropped action, unless clear_data is false', async () => {
    const metadata = async (type: string, args: object) =>
      (
        await send(server, '/v1/metadata', {
          headers: { 'x-engine-admin-secret': ADMIN },
          body: { type, args },
        })
      ).json;
    const create = (name: string) =>
      metadata('create_action', {
        name,
        definition: { kind: 'asynchronous', handler: '{{HANDLER}}/x', output_type: 'Done', arguments: [] },
      });
    await create('kept');
    await create('cleared');
    const [one, two] = [await insertEnded('kept', '1 hour'), await insertEnded('cleared', '1 hour')];
    await metadata('drop_action', { name: 'kept', clear_data: false });
    expect(await kept([one!, two!])).toEqual([one, two]);
    // A bulk that fails in the end drops nothing.
    await metadata('bulk', [
      { type: 'drop_action', args: { name: 'cleared' } },
      { type: 'drop_action', args: { name: 'absent' } },
    ] as unknown as object);
    expect(await kept([two!])).toEqual([two]);
    await metadata('drop_action', { name: 'cleared' });
    expect(await kept([one!, two!])).toEqual([one]);
  });
});

describe('another instance', () => {
  let second: TestServer;
  let old: string;
  let young: string;
  beforeAll(async () => {
    [old, young] = [await insertEnded('job', '49 hours'), await insertEnded('job', '47 hours')];
    second = await startTestServer(
      database,
      {
        ADMIN_SECRET: ADMIN,
        GRACEFUL_SHUTDOWN_TIMEOUT: '0',
        ASYNC_ACTIONS_FETCH_INTERVAL: '100',
        ASYNC_ACTIONS_RETENTION: '2',
      },
      { HANDLER: handler.url },
    );
  });

  test('forgets calls that ended before the configured number of days', async () => {
    await expect.poll(() => kept([old, young])).toEqual([young]);
  });

  test('gives a call back when it stops in the middle, and the other one calls', async () => {
    handler.answer = () => {};
    const { data } = await graphql('mutation { job(name: "stopped") }', {}, second);
    await expect.poll(() => handler.calls.length).toBeGreaterThan(0);
    handler.answer = answering({ id: 1 });
    await second.stop();
    expect((await finished(data.job as string)).output).toEqual({ id: 1, user: { name: 'one' } });
  });
});

describe('a subscription to results', () => {
  let client: TestSocket;
  const session = (own: Record<string, string> = {}) => ({
    'x-engine-admin-secret': ADMIN,
    'x-engine-role': 'user',
    'x-engine-user-id': '1',
    ...own,
  });
  const subscribe = (id: string, query: string, to = client) =>
    to.send({ type: 'subscribe', id, payload: { query } });

  beforeEach(async () => {
    client = await connect(server, { session: session() });
  });
  afterEach(async () => {
    await client.close();
  });

  test('shows the state, then the result, and completes', async () => {
    let answer = () => {};
    handler.answer = (call, response) => {
      answer = () => answering({ id: 2 })(call, response);
    };
    const id = await begin();
    await expect.poll(() => handler.calls).toHaveLength(1);
    subscribe('s', `subscription { job(id: "${id}") { id output { id user { name } } } }`);
    expect(await client.next()).toEqual({
      id: 's',
      type: 'next',
      payload: { data: { job: { id, output: null } } },
    });
    answer();
    expect(await client.next()).toEqual({
      id: 's',
      type: 'next',
      payload: { data: { job: { id, output: { id: 2, user: { name: 'two' } } } } },
    });
    expect(await client.next()).toEqual({ id: 's', type: 'complete' });
    // One that has ended already.
    subscribe('t', `subscription { job(id: "${id.replaceAll('-', '').toUpperCase()}") { errors } }`);
    expect((await client.next()).payload).toEqual({ data: { job: { errors: null } } });
    expect(await client.next()).toEqual({ id: 't', type: 'complete' });
  });

  test('tells a stranger nothing, not even when the call ends', async () => {
    let answer = () => {};
    handler.answer = (call, response) => {
      answer = () => answering({ id: 2 })(call, response);
    };
    const id = await begin();
    await expect.poll(() => handler.calls).toHaveLength(1);
    const stranger = await connect(server, { session: session({ 'x-engine-user-id': '2' }) });
    subscribe('s', `subscription { job(id: "${id}") { id } }`, stranger);
    expect((await stranger.next()).payload).toEqual({ data: { job: null } });
    expect(await stranger.next()).toEqual({ id: 's', type: 'complete' });
    answer();
    await ended(id);
    subscribe('t', `subscription { job(id: "${id}") { id } }`, stranger);
    expect(await stranger.next()).toMatchObject({ id: 't', payload: { data: { job: null } } });
    expect(await stranger.next()).toEqual({ id: 't', type: 'complete' });
    await stranger.close();
  });

  test('refuses what cannot be watched together, and a missing permission', async () => {
    const message = async (query: string, to = client) => {
      subscribe('s', query, to);
      for (;;) {
        const { type, payload } = await to.next();
        if (type === 'error') return JSON.stringify(payload);
      }
    };
    const id = randomUUID();
    expect(
      await message(`subscription @_multiple_top_level_fields { job(id: "${id}") { id } users { id } }`),
    ).toContain('fields of asynchronous actions and of tables');
    expect(await message('subscription { job(id: "x") { id } }')).toContain('invalid input syntax');
    const other = await connect(server, { session: session({ 'x-engine-role': 'other' }) });
    expect(await message(`subscription { job(id: "${id}") { id } }`, other)).toContain('validation-failed');
    await other.close();
  });

  test('looks at many calls of other instances with one statement, and ends with the action', async () => {
    const idle = await startTestServer(
      database,
      {
        ADMIN_SECRET: ADMIN,
        ASYNC_ACTIONS_FETCH_INTERVAL: '0',
        LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '50',
      },
      { HANDLER: handler.url },
    );
    const watching = await connect(idle, { session: session() });
    const owner = randomUUID();
    await database.query('insert into engine_catalog.instances values ($1)', [owner]);
    const rows = (await database.query(
      `insert into engine_catalog.action_log
         (action_name, input_payload, request_headers, session_variables, status, owner)
       select 'job', '{}', '{}', '{"x-engine-role": "user", "x-engine-user-id": "1"}', 'processing', $1
       from generate_series(1, 200) returning id`,
      [owner],
    )) as { id: string }[];
    const spied = vi.spyOn(pg.Pool.prototype, 'query');
    rows.forEach(({ id }, index) => {
      subscribe(String(index), `subscription { job(id: "${id}") { id output { note } } }`, watching);
    });
    for (const _ of rows) await watching.next();
    const looks = () =>
      spied.mock.calls.flatMap(([text, values]) =>
        String(text).includes("status in ('created', 'processing')") && /^\s*select/.test(String(text))
          ? [(values as unknown as [string[]])[0].length]
          : [],
      );
    const first = looks().length;
    await expect.poll(() => looks().length).toBeGreaterThan(first + 2);
    expect(looks().slice(-2)).toEqual([rows.length, rows.length]);
    spied.mockRestore();
    const [done, ...others] = rows;
    await database.query(
      `update engine_catalog.action_log set status = 'completed', response_payload = '{"note": "n"}' where id = $1`,
      [done!.id],
    );
    expect(await watching.next()).toMatchObject({
      id: '0',
      payload: { data: { job: { output: { note: 'n' } } } },
    });
    expect(await watching.next()).toEqual({ id: '0', type: 'complete' });
    await database.query('delete from engine_catalog.action_log where id = any ($1)', [
      others.map(({ id }) => id),
    ]);
    const ends = new Set<string>();
    while (ends.size < others.length) {
      const { id, type } = await watching.next();
      if (type === 'complete') ends.add(id!);
    }
    await watching.close();
    await idle.stop();
  });
});
