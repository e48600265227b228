/** How many subscriptions a role and a session may have, and which reads others wait for. */
import jwt from 'jsonwebtoken';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { confidential, leaks, send, serve, type TestServer } from '../../harness/server.ts';
import { connect, LEGACY, type TestSocket, TRANSPORT } from '../../harness/socket.ts';

const ADMIN = 'the-admin-secret-of-the-quota';
const KEY = 'the-token-key-of-the-quota-0123456789abc';
const PER_ROLE = 5;
const PER_SESSION = 3;
let server: TestServer;

async function metadata(type: string, args: object): Promise<void> {
  const answer = await send(server, '/v1/metadata', {
    headers: { 'X-Engine-Admin-Secret': ADMIN },
    body: { type, args },
  });
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
}

const permission = (role: string, columns: readonly string[] = ['id', 'body']) => ({
  table: 'note',
  role,
  permission: { columns, filter: {} },
});

beforeAll(async () => {
  confidential.add(ADMIN).add(KEY);
  server = await serve({
    sql: `create table note (id int primary key, body text not null, n int);
    insert into note values (1, 'one', 1);
    -- Waits while the test holds the lock.
    create function held(note) returns text language plpgsql stable as
      'begin perform pg_advisory_xact_lock_shared(7); return $1.body; end';`,
    options: {
      ADMIN_SECRET: ADMIN,
      JWT_SECRET: JSON.stringify({ type: 'HS256', key: KEY }),
      MAX_SUBSCRIPTIONS_PER_ROLE: String(PER_ROLE),
      MAX_SUBSCRIPTIONS_PER_SESSION: String(PER_SESSION),
    },
  });
  await metadata('pg_track_table', { table: 'note' });
  await metadata('pg_add_computed_field', { table: 'note', name: 'held', definition: { function: 'held' } });
  for (const role of ['user', 'other', 'watcher'])
    await metadata('pg_create_select_permission', permission(role));
});

afterAll(async () => {
  await server.stop();
  expect(leaks()).toEqual([]);
});

const QUERY = 'subscription { note { id } }';
const sessionOf = (role: string, user: string) => ({
  'x-engine-admin-secret': ADMIN,
  'x-engine-role': role,
  'x-engine-user-id': user,
});

function subscribe(socket: TestSocket, id: string, query = QUERY, variables?: object): void {
  socket.send({ type: 'subscribe', id, payload: { query, variables } });
}

/** Whether a subscription starts. */
async function starts(socket: TestSocket, id: string): Promise<boolean> {
  subscribe(socket, id);
  let first: (typeof socket.messages)[number] | undefined;
  await expect
    .poll(() => {
      first = socket.messages.findLast((message) => message.id === id);
      return first;
    })
    .toBeDefined();
  return first!.type === 'next' || first!.type === 'data';
}

describe('the maximum of subscriptions', () => {
  test.each([TRANSPORT, LEGACY])('of a session holds over its sockets, %s', async (protocol) => {
    const [session, other] = [sessionOf('user', 'ann'), sessionOf('user', 'bob')];
    const first = await connect(server, { session, protocol });
    const second = await connect(server, { session, protocol });
    expect([await starts(first, 'a'), await starts(first, 'b'), await starts(second, 'c')]).toEqual([
      true,
      true,
      true,
    ]);
    expect(await starts(second, 'd')).toBe(false);
    const refused = second.messages.filter(({ id }) => id === 'd');
    expect(JSON.stringify(refused[0]!.payload)).toContain(
      `at most ${PER_SESSION} subscriptions of one session run at once (option max-subscriptions-per-session)`,
    );
    expect(JSON.stringify(refused[0]!.payload)).toContain('"code":"overloaded"');
    await expect.poll(() => second.messages.at(-1)).toEqual({ type: 'complete', id: 'd' });
    // Queries still run, and other sessions are not concerned.
    second.send({ type: 'subscribe', id: 'q', payload: { query: '{ note { id } }' } });
    await expect.poll(() => second.messages.at(-1)).toEqual({ type: 'complete', id: 'q' });
    const third = await connect(server, { session: other, protocol });
    expect(await starts(third, 'e')).toBe(true);
    for (const socket of [first, second, third]) await socket.close();
  });

  test('of a role holds over its sessions, and not for another role', async () => {
    const sockets: TestSocket[] = [];
    for (let index = 0; index < PER_ROLE; index += 1) {
      const socket = await connect(server, { session: sessionOf('user', `user ${index}`) });
      sockets.push(socket);
      expect(await starts(socket, '1')).toBe(true);
    }
    const one = await connect(server, { session: sessionOf('user', 'one more') });
    expect(await starts(one, '1')).toBe(false);
    expect(JSON.stringify(one.messages.at(-2)!.payload)).toContain('option max-subscriptions-per-role');
    const other = await connect(server, { session: sessionOf('other', 'one more') });
    expect(await starts(other, '1')).toBe(true);
    await sockets[0]!.close();
    await expect.poll(async () => starts(one, String(Math.random())), { interval: 50 }).toBe(true);
    for (const socket of [...sockets.slice(1), one, other]) await socket.close();
  });

  /** Each fills the session, and ends what it began. */
  const endings: Readonly<Record<string, (socket: TestSocket) => Promise<unknown>>> = {
    'the client completes': async (socket) => {
      for (const id of ['a', 'b', 'c']) socket.send({ type: 'complete', id });
    },
    'the client closes': (socket) => socket.close(),
    'the connection is cut': async (socket) => socket.socket.terminate(),
    'they are not allowed any more': async () => {
      await metadata('pg_drop_select_permission', { table: 'note', role: 'user' });
      await metadata('pg_create_select_permission', permission('user'));
    },
  };
  test.each(Object.keys(endings))('is free again after %s', async (name) => {
    const session = sessionOf('user', name);
    const socket = await connect(server, { session });
    for (const id of ['a', 'b', 'c']) expect(await starts(socket, id)).toBe(true);
    const next = await connect(server, { session });
    expect(await starts(next, 'full')).toBe(false);
    await endings[name]!(socket);
    // The server may notice later that a connection was cut.
    await expect.poll(async () => starts(next, `retry ${Math.random()}`), { interval: 50 }).toBe(true);
    for (const id of ['x', 'y']) expect(await starts(next, id)).toBe(true);
    expect(await starts(next, 'z')).toBe(false);
    await socket.close();
    await next.close();
  });

  test('is free again after the session has expired', async () => {
    const token = (seconds: number) =>
      jwt.sign(
        {
          exp: Math.floor(Date.now() / 1000) + seconds,
          'https://engine.io/jwt/claims': {
            'x-engine-default-role': 'user',
            'x-engine-allowed-roles': ['user'],
            'x-engine-user-id': 'expiring',
          },
        },
        KEY,
      );
    const open = (seconds: number) =>
      connect(server, { session: { authorization: `Bearer ${token(seconds)}` } });
    const socket = await open(5);
    for (const id of ['a', 'b', 'c']) expect(await starts(socket, id)).toBe(true);
    const next = await open(600);
    expect(await starts(next, 'full')).toBe(false);
    expect((await socket.closed()).code).toBe(4403);
    await expect.poll(async () => starts(next, `retry ${Math.random()}`), { interval: 50 }).toBe(true);
    await next.close();
  });

  test('counts nothing that has failed', async () => {
    const socket = await connect(server, { session: sessionOf('user', 'failing') });
    const failing = [
      ['subscription { nothing { id } }', {}],
      ['subscription { note(where: {body: {_regex: "("}}) { id } }', {}],
      ['subscription ($v: Int!) { note(where: {id: {_eq: $v}}) { id } }', { v: 'x' }],
      ['subscription { note(where: {body: {_eq: "x-engine', {}],
    ] as const;
    for (let round = 0; round < 2; round += 1)
      for (const [index, [query, variables]] of failing.entries()) {
        const id = `${round} ${index}`;
        subscribe(socket, id, query, variables);
        await expect
          .poll(() => socket.messages.filter((message) => message.id === id).map(({ type }) => type))
          .toEqual(['error', 'complete']);
      }
    for (const id of ['a', 'b', 'c']) expect(await starts(socket, id)).toBe(true);
    expect(await starts(socket, 'd')).toBe(false);
    await socket.close();
  });
});

test.each([TRANSPORT, LEGACY])(
  'clients without credentials are one session, whatever variables they send, %s',
  async (protocol) => {
    const open = await serve({
      database: server.database,
      options: { ADMIN_SECRET: ADMIN, UNAUTHORIZED_ROLE: 'user', MAX_SUBSCRIPTIONS_PER_SESSION: '2' },
    });
    const sockets: TestSocket[] = [];
    const started: boolean[] = [];
    for (const session of [{}, { 'x-engine-user-id': '1' }, { 'X-Engine-Other': '2' }] as const) {
      const socket = await connect(open, { session, protocol });
      sockets.push(socket);
      started.push(await starts(socket, 'a'));
    }
    expect(started).toEqual([true, true, false]);
    for (const socket of sockets) await socket.close();
    await open.stop();
  },
);

test('reads that last leave a connection to those that are quick', async () => {
  const holder = new pg.Client({ connectionString: server.database.url });
  holder.on('error', () => {});
  await holder.connect();
  await holder.query('select pg_advisory_lock(7)');
  const watcher = await connect(server, { session: sessionOf('watcher', 'w') });
  subscribe(watcher, '1', 'subscription { note { body } }');
  await watcher.next();
  const admin = { 'x-engine-admin-secret': ADMIN };
  const slow = await connect(server, { session: admin });
  // Different statements.
  for (const id of ['a', 'b', 'c']) subscribe(slow, id, `subscription { note { ${id}: held } }`);
  const waiting = () =>
    server.database
      .query("select from pg_locks where locktype = 'advisory' and not granted")
      .then((rows) => (rows as unknown[]).length);
  await expect.poll(waiting).toBe(2);
  await server.database.query(`update note set body = 'two'`);
  expect(await watcher.next()).toMatchObject({ payload: { data: { note: [{ body: 'two' }] } } });
  expect(slow.messages.filter(({ type }) => type === 'next')).toEqual([]);
  await holder.end();
  // Each was read as of before the write, or of after it.
  const answered = () =>
    new Set(slow.messages.filter(({ type }) => type === 'next').map(({ id }) => id)).size;
  await expect.poll(answered).toBe(3);
  for (const socket of [watcher, slow]) await socket.close();
});
