/**
 * What a session has started ends with it: the state table of docs/subscriptions.md, over both protocols. A lock and a webhook of the test hold
 * what is under way, and the end of a session is awaited, so nothing here depends on how fast anything is.
 */
import { generateKeyPairSync } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestDatabase } from '../../harness/postgres.ts';
import { readRequestProject } from '../../harness/request-project.ts';
import {
  confidential,
  leaks,
  replaceMetadata,
  send,
  startTestServer,
  type TestServer,
} from '../../harness/server.ts';
import { connect, LEGACY, openSocket, type TestSocket, TRANSPORT } from '../../harness/socket.ts';
import { startWebhook, type WebhookReceiver } from '../../harness/webhook.ts';
import { ADMIN, bearer, payload, signToken } from '../session/setting.ts';

const KEY = 'the-token-key-of-the-sessions-0123456789';
const admin = { 'x-engine-admin-secret': ADMIN };
let database: TestDatabase;
let project: Awaited<ReturnType<typeof readRequestProject>>;
let server: TestServer;
let webhook: WebhookReceiver;
let lock: pg.Client;
/** Answers what the webhook has been asked so far. */
const answers: (() => void)[] = [];

beforeAll(async () => {
  confidential.add(ADMIN).add(KEY);
  project = await readRequestProject('served/sessions');
  database = project.database;
  webhook = await startWebhook((_call, response) => {
    answers.push(() => response.end('{"text":"done"}'));
  });
  const options = {
    ADMIN_SECRET: ADMIN,
    UNAUTHORIZED_ROLE: 'anonymous',
    JWT_SECRET: JSON.stringify({ type: 'HS256', key: KEY }),
    ASYNC_ACTIONS_FETCH_INTERVAL: '50',
  };
  server = await startTestServer(database, options, { HANDLER: webhook.url });
  await replaceMetadata(server, project.metadata, admin);
});
afterAll(async () => {
  await server?.stop();
  await webhook?.close();
  expect(leaks()).toEqual([]);
});
beforeEach(async () => {
  await database.query('truncate held, checked; delete from note where id > 2');
  lock = new pg.Client({ connectionString: database.url });
  await lock.connect();
  await lock.query('begin; lock table held in access exclusive mode');
});
afterEach(async () => {
  await lock.end();
  for (const answer of answers.splice(0)) answer();
});

/** The seconds since 1970 so many seconds from now. */
const soon = (seconds: number) => Date.now() / 1000 + seconds;
const token = (exp: number, user = '1') =>
  bearer(signToken(payload({ 'x-engine-user-id': user }, { exp }), { algorithm: 'HS256', key: KEY }));

const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 });

const START = { [TRANSPORT]: 'subscribe', [LEGACY]: 'start' } as Record<string, string>;
const begin = (socket: TestSocket, protocol: string, id: string, query: string) =>
  socket.send({ type: START[protocol]!, id, payload: { query } });

/** Messages for an id so far. */
const of = (socket: TestSocket, id: string) => socket.messages.filter((message) => message.id === id);
const some = (socket: TestSocket, id: string) =>
  expect.poll(() => of(socket, id).length, { interval: 5, timeout: 30_000 }).toBeGreaterThan(0);

const waiting = async () =>
  (
    await database.query<{ query: string }>(
      `select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
  ).map(({ query }) => query);

/** Starts one operation of each kind, and waits until each is under way. */
async function startAll(socket: TestSocket, protocol: string): Promise<void> {
  const start = (id: string, query: string) => begin(socket, protocol, id, query);
  const asked = webhook.calls.length;
  start('live', 'subscription { note { id owner_id } }');
  start('stream', 'subscription { note_stream(batch_size: 9, cursor: {initial_value: {id: 0}}) { id } }');
  start('begun', 'mutation { later }');
  await some(socket, 'begun');
  const { payload: answer } = of(socket, 'begun')[0] as { payload: { data: { later: string } } };
  start('result', `subscription { later(id: "${answer.data.later}") { output { text } } }`);
  start('query', '{ held { id } }');
  start('mutation', 'mutation { insert_held_one(object: {}) { id } }');
  start('call', '{ ask { text } }');
  start('validated', 'mutation { insert_checked_one(object: {}) { id } }');
  for (const id of ['live', 'stream', 'result']) await some(socket, id);
  const paths = () => webhook.calls.slice(asked).map(({ path }) => path);
  await expect
    .poll(paths, { timeout: 30_000 })
    .toEqual(expect.arrayContaining(['/ask', '/later', '/validate']));
  await expect.poll(async () => (await waiting()).length, { timeout: 30_000 }).toBe(2);
}

const KINDS = ['live', 'stream', 'result', 'query', 'mutation', 'call', 'validated'] as const;

/** The metadata without whatever is allowed to a role. */
const without = (role: string): unknown =>
  JSON.parse(JSON.stringify(project.metadata), (_, value) =>
    Array.isArray(value) ? value.filter((item) => item?.role !== role) : value,
  );

let next = 100;

/**
 * Lets everything that is held go on, and writes for the live queries.
 * @returns when another client has seen the write, and whatever would have come for the first one has come
 */
async function letGo(): Promise<void> {
  await lock.query('commit');
  for (const answer of answers.splice(0)) answer();
  next += 1;
  await database.query(`insert into note values (${next}, 1)`);
  const other = await connect(server, { session: { ...token(soon(3600)) } });
  for (const query of ['subscription { note { id } }', `subscription { later(id: "${NO_CALL}") { id } }`])
    begin(other, TRANSPORT, query, query);
  await expect.poll(() => JSON.stringify(other.messages), { timeout: 30_000 }).toContain(`"id":${next}`);
  await expect.poll(waiting, { timeout: 30_000 }).toEqual([]);
  // A mutation that asks the webhook after those that wait for it.
  const count = webhook.calls.length;
  const query = 'mutation { insert_checked_one(object: {}) { id } }';
  const inserted = send(server, '/v1/graphql', { headers: token(soon(3600)), body: { query } });
  await expect.poll(() => webhook.calls.length).toBeGreaterThan(count);
  for (const answer of answers.splice(0)) answer();
  expect((await inserted).text).toContain('"data"');
  next += 1;
  await database.query(`insert into note values (${next}, 1)`);
  await expect.poll(() => JSON.stringify(other.messages), { timeout: 30_000 }).toContain(`"id":${next}`);
  await other.close();
}

/** Rows that what was under way has written. */
async function written(table: 'held' | 'checked'): Promise<number> {
  const [row] = await database.query<{ count: number }>(`select count(*)::int from ${table}`);
  // One is of `letGo`.
  return row!.count - (table === 'checked' ? 1 : 0);
}

const NO_CALL = '00000000-0000-0000-0000-000000000000';

const EXPIRED = {
  message: 'the session that asked for this has expired',
  extensions: { path: '$', code: 'access-denied' },
};

/** Every operation has ended with the error that says why, and nothing comes for it afterwards. */
async function expectAllEnded(socket: TestSocket): Promise<void> {
  for (const id of KINDS)
    await expect
      .poll(() => of(socket, id).slice(-2), { interval: 5, timeout: 30_000 })
      .toEqual([
        { type: 'error', id, payload: { errors: [EXPIRED] } },
        { type: 'complete', id },
      ]);
  const before = socket.messages.length;
  await letGo();
  expect(socket.messages.slice(before)).toEqual([]);
}

/** The socket is closed, and nothing was sent in place of what was under way. */
async function expectClosed(socket: TestSocket, code: number): Promise<void> {
  const before = socket.messages.length;
  expect((await socket.closed()).code).toBe(code);
  await letGo();
  const sent = socket.messages.slice(before).filter(({ type }) => type !== 'connection_error');
  expect(sent).toEqual([]);
}

async function renew(socket: TestSocket, headers: Record<string, string>): Promise<void> {
  const acknowledged = () => socket.messages.filter(({ type }) => type === 'connection_ack').length;
  const before = acknowledged();
  socket.send({ type: 'connection_init', payload: { headers } });
  await expect.poll(acknowledged, { interval: 5 }).toBe(before + 1);
}

/** What works on the socket's newest session. */
async function expectServed(socket: TestSocket, protocol: string, ids: number[]): Promise<void> {
  begin(socket, protocol, 'new', '{ note(where: {id: {_lt: 100}}, order_by: {id: asc}) { id } }');
  await some(socket, 'new');
  expect(of(socket, 'new')[0]).toMatchObject({ payload: { data: { note: ids.map((id) => ({ id })) } } });
}

describe.each([TRANSPORT, LEGACY])('%s: what a session has started ends', (protocol) => {
  test('when its token expires', async () => {
    const socket = await connect(server, { protocol, session: token(soon(2)) });
    await startAll(socket, protocol);
    await expectClosed(socket, 4403);
    // What was sent to the database before is not taken back; what waited for the webhook is not written.
    expect(await written('checked')).toBe(0);
    expect(await written('held')).toBe(1);
  });

  test('when the client closes the socket; its mutations are finished', async () => {
    const socket = await connect(server, { protocol, session: token(soon(3600)) });
    await startAll(socket, protocol);
    await socket.close();
    await expectClosed(socket, 1000);
  });

  test('when the server closes the socket, whether or not the client answers', async () => {
    const socket = await connect(server, { protocol, session: token(soon(3600)) });
    begin(socket, protocol, 'live', 'subscription { note { id } }');
    await some(socket, 'live');
    socket.socket.pause();
    socket.send({ type: 'connection_terminate' });
    await expect.poll(() => server.output()).toMatch(/"type":"closed"/);
    socket.socket.resume();
    await socket.closed();
  });

  test('when the server stops; with another admin secret it knows the former one no more', async () => {
    const start = (ADMIN_SECRET: string) =>
      startTestServer(
        database,
        {
          ADMIN_SECRET,
          JWT_SECRET: JSON.stringify({ type: 'HS256', key: KEY }),
          UNAUTHORIZED_ROLE: 'anonymous',
        },
        { HANDLER: webhook.url },
      );
    const stopping = await start(ADMIN);
    const socket = await connect(stopping, { protocol, session: token(soon(3600)) });
    await startAll(socket, protocol);
    const administrator = await connect(stopping, { protocol, session: admin });
    begin(administrator, protocol, 'live', 'subscription { note { id } }');
    await some(administrator, 'live');
    const stopped = stopping.stop();
    expect((await administrator.closed()).code).toBe(1012);
    await expectClosed(socket, 1012);
    await stopped;
    // The server waits for what it has begun.
    expect([await written('held'), await written('checked')]).toEqual([1, 1]);
    const next = await start('another-admin-secret');
    const refused = await openSocket(next, { protocol });
    refused.send({ type: 'connection_init', payload: { headers: admin } });
    begin(refused, protocol, 'behind', '{ note { id } }');
    expect((await refused.closed()).code).toBe(protocol === LEGACY ? 4400 : 4403);
    expect(of(refused, 'behind')).toEqual([]);
    await next.stop();
  });

  test('when metadata take its rights away; what runs once is answered', async () => {
    const socket = await connect(server, { protocol, session: token(soon(3600)) });
    await startAll(socket, protocol);
    await replaceMetadata(server, without('user'), admin);
    for (const id of ['live', 'stream', 'result'])
      await expect
        .poll(() => of(socket, id).slice(-2))
        .toMatchObject([{ type: 'error' }, { type: 'complete' }]);
    begin(socket, protocol, 'refused', '{ note { id } }');
    await expect.poll(() => of(socket, 'refused')[0]).toMatchObject({ type: 'error' });
    await replaceMetadata(server, project.metadata, admin);
    const before = socket.messages.length;
    await letGo();
    const sent = () => socket.messages.slice(before);
    await expect.poll(() => sent().length).toBe(8);
    expect(new Set(sent().map(({ id }) => id))).toEqual(new Set(['query', 'mutation', 'call', 'validated']));
    expect(JSON.stringify(sent())).not.toContain('"errors"');
    await socket.close();
  });

  test('when it has no role any more', async () => {
    const session = { ...admin, 'x-engine-role': 'leaving' };
    const socket = await connect(server, { protocol, session });
    begin(socket, protocol, 'live', 'subscription { note { id } }');
    await some(socket, 'live');
    const permission = { table: 'note', role: 'leaving' };
    const change = (type: string, more = {}) =>
      send(server, '/v1/metadata', { headers: admin, body: { type, args: { ...permission, ...more } } });
    expect((await change('pg_drop_select_permission')).status).toBe(200);
    await expect
      .poll(() => of(socket, 'live').slice(-2))
      .toMatchObject([{ type: 'error' }, { type: 'complete' }]);
    await change('pg_create_select_permission', { permission: { columns: ['id'], filter: {} } });
    await socket.close();
  });
});

describe(`${TRANSPORT}: a second connection_init`, () => {
  test.each([
    ['of the same user', () => token(soon(3600))],
    ['of nobody', () => ({})],
  ])('%s ends everything: 4429', async (_, headers) => {
    const socket = await connect(server, { protocol: TRANSPORT, session: token(soon(3600)) });
    await startAll(socket, TRANSPORT);
    socket.send({ type: 'connection_init', payload: { headers: headers() } });
    await expectClosed(socket, 4429);
  });
});

describe(`${LEGACY}: a second connection_init`, () => {
  test.each<[string, () => Record<string, string>, number[]]>([
    ['of the same user, for longer', () => token(soon(3600)), [1]],
    ['of another user', () => token(soon(3600), '2'), [2]],
    ['of nobody', () => ({}), [1, 2]],
    ['of an administrator', () => admin, [1, 2]],
  ])('%s leaves the end of the first session as it was', async (_, headers, ids) => {
    const socket = await connect(server, { protocol: LEGACY, session: token(soon(2.5)) });
    await startAll(socket, LEGACY);
    await renew(socket, headers());
    await expectAllEnded(socket);
    await expectServed(socket, LEGACY, ids);
    await socket.close();
  });

  test.each([
    ['for as long', (exp: number) => token(exp)],
    ['for a shorter time', () => token(soon(0.5))],
  ])('%s: the socket ends with the session that it has', async (_, headers) => {
    const exp = soon(2.5);
    const socket = await connect(server, { protocol: LEGACY, session: token(exp) });
    await startAll(socket, LEGACY);
    await renew(socket, headers(exp));
    await expectClosed(socket, 4403);
  });

  test('gives its rights to what was sent behind it', async () => {
    const socket = await connect(server, { protocol: LEGACY, session: token(soon(3600)) });
    for (const user of ['2', '3']) {
      socket.send({ type: 'connection_init', payload: { headers: token(soon(3600), user) } });
      begin(socket, LEGACY, user, '{ note { owner_id } }');
    }
    for (const user of ['2', '3']) await some(socket, user);
    expect(of(socket, '2')[0]).toMatchObject({ payload: { data: { note: [{ owner_id: 2 }] } } });
    expect(of(socket, '3')[0]).toMatchObject({ payload: { data: { note: [] } } });
    await socket.close();
  });

  test.each<[string, unknown]>([
    ['refused', { headers: bearer('nonsense') }],
    ['without a token where one was', { headers: { authorization: null } }],
    ['a list', []],
    ['without an object of headers', { headers: 'none' }],
  ])('that is %s ends everything, and runs nothing that comes behind it', async (_, payload) => {
    const socket = await connect(server, { protocol: LEGACY, session: token(soon(3600)) });
    await startAll(socket, LEGACY);
    socket.send({ type: 'connection_init', payload });
    begin(socket, LEGACY, 'behind', '{ note { id } }');
    await Promise.race([socket.closed(), some(socket, 'behind')]);
    expect(of(socket, 'behind')).toEqual([]);
    await expectClosed(socket, 4400);
  });
});

describe('the end of a session', () => {
  /** A server whose webhook gives sessions of one second, and answers when the test lets it. */
  async function startHooked(): Promise<{ hooked: TestServer; hook: WebhookReceiver; held: (() => void)[] }> {
    const held: (() => void)[] = [];
    const hook = await startWebhook((call, response) => {
      const [, age = ''] = call.headers.find(([name]) => name.toLowerCase() === 'x-age') ?? [];
      const answer = () =>
        response.end(
          JSON.stringify({
            'X-Engine-Role': 'anonymous',
            ...(age !== 'none' && { 'Cache-Control': `max-age=${age}` }),
          }),
        );
      if (call.headers.some(([name]) => name.toLowerCase() === 'x-hold')) held.push(answer);
      else answer();
    });
    const hooked = await startTestServer(
      database,
      { ADMIN_SECRET: ADMIN, AUTH_HOOK: hook.url },
      { HANDLER: webhook.url },
    );
    return { hooked, hook, held };
  }

  test('comes while the next one is being authenticated: the socket is closed, and stays so', async () => {
    const { hooked, hook, held } = await startHooked();
    const socket = await connect(hooked, { protocol: LEGACY, session: { 'x-age': '1' } });
    begin(socket, LEGACY, 'live', 'subscription { note { id } }');
    await some(socket, 'live');
    socket.send({ type: 'connection_init', payload: { headers: { 'x-age': '3600', 'x-hold': '1' } } });
    begin(socket, LEGACY, 'early', '{ note { id } }');
    await expect.poll(() => held.length).toBe(1);
    const before = socket.messages.length;
    expect((await socket.closed()).code).toBe(4403);
    held[0]!();
    expect(socket.messages.slice(before)).toEqual([]);
    await hooked.stop();
    await hook.close();
  });

  test.each([TRANSPORT, LEGACY])(
    'is over before it began: what was sent with it is not run, %s',
    async (protocol) => {
      const { hooked, hook } = await startHooked();
      const socket = await openSocket(hooked, { protocol });
      socket.send({ type: 'connection_init', payload: { headers: { 'x-age': '0' } } });
      begin(socket, protocol, 'early', '{ note { id } }');
      expect((await socket.closed()).code).toBe(protocol === LEGACY ? 4400 : 4403);
      expect(of(socket, 'early')).toEqual([]);
      // A request is asked for again, so its session has no end of its own.
      const body = { query: '{ note { id } }' };
      expect((await send(hooked, '/v1/graphql', { headers: { 'x-age': '0' }, body })).text).toContain(
        '"data"',
      );
      await hooked.stop();
      await hook.close();
    },
  );

  test.each(['99999999999999999999', '9'.repeat(400), 'none'])(
    'is too far away for a timer or a date: max-age=%s',
    async (age) => {
      const { hooked, hook } = await startHooked();
      const socket = await connect(hooked, { session: { 'x-age': age } });
      begin(socket, TRANSPORT, 'live', 'subscription { note { id } }');
      await some(socket, 'live');
      expect(hooked.output()).toContain('"token_expiry":null');
      await socket.close();
      await hooked.stop();
      await hook.close();
    },
  );

  test('in a token that never ends, or ends after the last date', async () => {
    const socket = await connect(server, { session: token(1e300) });
    begin(socket, TRANSPORT, 'live', 'subscription { note { id } }');
    await some(socket, 'live');
    await socket.close();
  });

  test.each([TRANSPORT, LEGACY])(
    'cuts off a client that is slow: nothing that waits for it is sent, %s',
    async (protocol) => {
      await database.query(`create table if not exists big (id int primary key, body text)`);
      await database.query(`insert into big values (1, '') on conflict (id) do update set body = ''`);
      const track = { type: 'pg_track_table', args: { table: 'big' } };
      await send(server, '/v1/metadata', { headers: admin, body: track });
      const permission = { table: 'big', role: 'user', permission: { columns: '*', filter: {} } };
      const allow = { type: 'pg_create_select_permission', args: permission };
      await send(server, '/v1/metadata', { headers: admin, body: allow });
      const exp = soon(6);
      const socket = await connect(server, { protocol, session: token(exp) });
      begin(socket, protocol, 'live', 'subscription { big { body } }');
      await some(socket, 'live');
      if (protocol === LEGACY) await renew(socket, token(soon(3600)));
      socket.socket.pause();
      const reading = await connect(server, { session: token(soon(3600)) });
      begin(reading, TRANSPORT, 'live', 'subscription { big { body } }');
      const write = async (text: string) => {
        await database.query(`update big set body = $1 || repeat('x', 2000000) where id = 1`, [text]);
        const read = () => reading.texts.at(-1)?.includes(text);
        await expect.poll(read, { timeout: 30_000, interval: 5 }).toBe(true);
      };
      // More than the buffers of the connection hold.
      for (let count = 1; count <= 10; count += 1) await write(`<${count}>`);
      await expect.poll(() => soon(0) > exp, { timeout: 30_000 }).toBe(true);
      await write('<after>');
      socket.socket.resume();
      expect((await socket.closed()).code).toBe(1006);
      expect(socket.texts.join()).not.toContain('<after>');
      expect(socket.texts.join()).not.toContain('<10>');
      await reading.close();
    },
  );

  test.each([TRANSPORT, LEGACY])(
    'is that of its token, though the key that signed it is not known any more, %s',
    async (protocol) => {
      const pairs = [rsa(), rsa()];
      let shown = 0;
      const jwks = await startWebhook((_call, response) =>
        response.end(
          JSON.stringify({
            keys: [{ ...pairs[shown]!.publicKey.export({ format: 'jwk' }), kid: String(shown) }],
          }),
        ),
      );
      const JWT_SECRET = JSON.stringify({ jwk_url: jwks.url });
      const rotating = await startTestServer(
        database,
        { ADMIN_SECRET: ADMIN, JWT_SECRET },
        { HANDLER: webhook.url },
      );
      const signed = (exp: number) =>
        bearer(
          signToken(
            payload({}, { exp }),
            { algorithm: 'RS256', key: pairs[shown]!.privateKey },
            { kid: String(shown) },
          ),
        );
      const old = signed(soon(4));
      const socket = await connect(rotating, { protocol, session: old });
      begin(socket, protocol, 'live', 'subscription { note(where: {id: {_lt: 100}}) { id } }');
      await some(socket, 'live');
      shown = 1;
      // An unknown key has the keys fetched.
      const other = await connect(rotating, { session: signed(soon(3600)) });
      const refused = await send(rotating, '/v1/graphql', {
        headers: old,
        body: { query: '{ note { id } }' },
      });
      expect(refused.text).toContain('invalid-jwt');
      begin(socket, protocol, 'again', '{ note(where: {id: {_lt: 100}}) { id } }');
      await some(socket, 'again');
      expect((await socket.closed()).code).toBe(4403);
      await other.close();
      await rotating.stop();
      await jwks.close();
    },
  );
});
