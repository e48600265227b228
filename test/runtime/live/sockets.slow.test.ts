import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import jwt from 'jsonwebtoken';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { confidential, leaks, send, startTestServer, type TestServer } from '../../harness/server.ts';
import { connect, LEGACY, openSocket, refusedUpgrade, TRANSPORT } from '../../harness/socket.ts';

const ADMIN = 'the-admin-secret-of-the-sockets';
const KEY = 'the-token-key-of-the-sockets-0123456789';
const admin = { 'X-Engine-Admin-Secret': ADMIN };
let database: TestDatabase;
let server: TestServer;
const servers: TestServer[] = [];

async function start(options: Record<string, string> = {}): Promise<TestServer> {
  const started = await startTestServer(database, options);
  servers.push(started);
  return started;
}

/** Runs an operation of the metadata API. */
async function metadata(on: TestServer, type: string, args: object): Promise<void> {
  const answer = await send(on, '/v1/metadata', { headers: admin, body: { type, args } });
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
}

beforeAll(async () => {
  confidential.add(ADMIN).add(KEY);
  database = await createTestDatabase(`
    create table note (id serial primary key, owner text not null, body text not null default '', share int);
    insert into note (owner, body, share) values ('ann', 'one', 1), ('bob', 'two', 2);
  `);
  server = await start({ ADMIN_SECRET: ADMIN, UNAUTHORIZED_ROLE: 'anonymous' });
  await metadata(server, 'pg_track_table', { table: 'note' });
  await metadata(server, 'pg_create_select_permission', {
    table: 'note',
    role: 'user',
    permission: { columns: '*', filter: { owner: 'x-engine-user-id' } },
  });
});

afterAll(async () => {
  for (const each of servers) await each.stop();
  expect(leaks()).toEqual([]);
});

const QUERY = '{ note(order_by: {id: asc}) { body } }';
const asUser = (user: string) => ({ ...admin, 'X-Engine-Role': 'user', 'X-Engine-User-Id': user });

describe('opening a socket', () => {
  test('paths that have none', async () => {
    expect(await refusedUpgrade(server, '/v1/query')).toMatchObject({
      status: 404,
      body: {
        path: '$',
        code: 'not-found',
        error: "only '/v1/graphql', '/v1alpha1/graphql' and '/v1beta1/relay' are supported on websockets",
      },
    });
  });

  test('the answer names a protocol only if the client offered it', async () => {
    expect((await openSocket(server, { protocol: [] })).socket.protocol).toBe('');
    expect((await openSocket(server, { protocol: LEGACY })).socket.protocol).toBe(LEGACY);
    const several = await openSocket(server, { protocol: ['soap', TRANSPORT, LEGACY] });
    expect(several.socket.protocol).toBe(TRANSPORT);
  });

  test('origins that CORS does not allow', async () => {
    const strict = await start({ ADMIN_SECRET: ADMIN, CORS_DOMAIN: 'https://good.example' });
    expect(await refusedUpgrade(strict, '/v1/graphql', { Origin: 'https://evil.example' })).toMatchObject({
      status: 400,
      body: {
        code: 'access-denied',
        error: 'received origin header does not match configured CORS domains',
      },
    });
    const good = await openSocket(strict, { headers: { Origin: 'https://good.example' } });
    await good.close();
  });
});

describe('connection_init', () => {
  test.each([TRANSPORT, LEGACY])(
    'is answered with connection_ack before anything else, %s',
    async (protocol) => {
      const socket = await connect(server, { protocol, session: admin });
      await socket.close();
    },
  );

  test('without a payload, or with null, headers of the upgrade count', async () => {
    for (const message of [{ type: 'connection_init' }, { type: 'connection_init', payload: null }]) {
      const socket = await openSocket(server, { headers: asUser('bob') });
      socket.send(message);
      expect(await socket.next()).toEqual({ type: 'connection_ack' });
      socket.send({ type: 'subscribe', id: '1', payload: { query: QUERY } });
      expect(await socket.next()).toEqual({
        type: 'next',
        id: '1',
        payload: { data: { note: [{ body: 'two' }] } },
      });
    }
  });

  test('headers of the payload win over those of the upgrade', async () => {
    const socket = await connect(server, { headers: asUser('bob'), session: { 'x-engine-user-id': 'ann' } });
    socket.send({ type: 'subscribe', id: '1', payload: { query: QUERY } });
    expect(await socket.next()).toMatchObject({ payload: { data: { note: [{ body: 'one' }] } } });
  });

  test('that is refused closes the socket: 4403', async () => {
    const socket = await openSocket(server);
    socket.send({ type: 'connection_init', payload: { headers: { 'x-engine-admin-secret': 'wrong' } } });
    expect(await socket.closed()).toEqual({ code: 4403, reason: '{"server_error_msg":"4403: Forbidden"}' });
    expect(socket.messages).toEqual([]);
  });

  test('that is refused in the older protocol: connection_error with a text, then 4400', async () => {
    const socket = await openSocket(server, { protocol: LEGACY });
    socket.send({ type: 'connection_init', payload: { headers: { 'x-engine-admin-secret': 'wrong' } } });
    socket.send({ type: 'start', id: '1', payload: { query: QUERY } });
    const { code, reason } = await socket.closed();
    expect(code).toBe(4400);
    expect(reason).toMatch(/^\{"server_error_msg":"4400: Connection initialization failed: invalid/);
    expect(socket.messages).toEqual([
      { type: 'connection_error', payload: expect.stringMatching(/^invalid/) },
    ]);
  });

  test('what follows it waits for a slow webhook, and is not answered when the webhook refuses', async () => {
    let refuse = false;
    const hook = await listen((_body, answer) =>
      setTimeout(
        () => answer(refuse ? 401 : 200, { 'X-Engine-Role': 'user', 'X-Engine-User-Id': 'ann' }),
        200,
      ),
    );
    const slow = await start({ ADMIN_SECRET: ADMIN, AUTH_HOOK: hook.url });
    const socket = await openSocket(slow, { protocol: LEGACY });
    socket.send({ type: 'connection_init' });
    socket.send({ type: 'start', id: '1', payload: { query: QUERY } });
    expect(await socket.next()).toEqual({ type: 'connection_ack' });
    expect(await socket.next()).toMatchObject({ type: 'data', id: '1' });
    expect(await socket.next()).toEqual({ type: 'complete', id: '1' });
    refuse = true;
    const refused = await openSocket(slow, { protocol: LEGACY });
    refused.send({ type: 'connection_init' });
    refused.send({ type: 'start', id: '1', payload: { query: QUERY } });
    await refused.closed();
    expect(refused.messages).toEqual([
      { type: 'connection_error', payload: 'Authentication hook unauthorized this request' },
    ]);
    hook.server.close();
  });

  test('a second one: 4429, or in the older protocol another session', async () => {
    const socket = await connect(server, { session: admin });
    socket.send({ type: 'connection_init' });
    expect(await socket.closed()).toEqual({ code: 4429, reason: 'Too many initialisation requests' });
    const old = await connect(server, { protocol: LEGACY, headers: asUser('bob') });
    old.send({ type: 'connection_init', payload: { headers: asUser('ann') } });
    old.send({ type: 'start', id: '1', payload: { query: QUERY } });
    expect(await old.next()).toEqual({ type: 'connection_ack' });
    expect(await old.next()).toMatchObject({ payload: { data: { note: [{ body: 'one' }] } } });
  });

  test('that does not come closes the socket: 4408, or 1011', async () => {
    const impatient = await start({ ADMIN_SECRET: ADMIN, WEBSOCKET_CONNECTION_INIT_TIMEOUT: '1' });
    const reason = 'Connection initialisation timed out';
    expect(await (await openSocket(impatient)).closed()).toEqual({ code: 4408, reason });
    expect(await (await openSocket(impatient, { protocol: LEGACY })).closed()).toEqual({
      code: 1011,
      reason,
    });
  });

  test('the socket ends with the token, and one with a token for a month stays', async () => {
    const tokens = await start({
      ADMIN_SECRET: ADMIN,
      JWT_SECRET: JSON.stringify({ type: 'HS256', key: KEY }),
    });
    const token = (seconds: number) =>
      jwt.sign(
        {
          exp: Math.floor(Date.now() / 1000) + seconds,
          'https://engine.io/jwt/claims': {
            'x-engine-allowed-roles': ['user'],
            'x-engine-default-role': 'user',
            'x-engine-user-id': 'ann',
          },
        },
        KEY,
      );
    const headers = (seconds: number) => ({ Authorization: `Bearer ${token(seconds)}` });
    const month = await connect(tokens, { session: headers(40 * 24 * 3600) });
    const short = await openSocket(tokens);
    // Signed when the socket is open: it has to be read before it ends.
    short.send({ type: 'connection_init', payload: { headers: headers(4) } });
    expect(await short.next()).toEqual({ type: 'connection_ack' });
    expect(await short.closed()).toMatchObject({ code: 4403 });
    await month.silence(100);
    expect(month.socket.readyState).toBe(month.socket.OPEN);
  });
});

describe('messages', () => {
  test('what cannot be read closes the socket: 4400', async () => {
    for (const text of ['nonsense', '{"type":"test"}', '{"type":"complete"}', '[]']) {
      const socket = await connect(server, { session: admin });
      socket.send(text);
      const { code, reason } = await socket.closed();
      expect(code).toBe(4400);
      expect(reason).toMatch(
        /^\{"server_error_msg":"4400: Parsing client message failed: parsing ClientMessage failed: /,
      );
      expect(Buffer.byteLength(reason)).toBeLessThanOrEqual(123);
    }
  });

  test('in the older protocol it is answered, and the socket stays', async () => {
    const socket = await connect(server, { protocol: LEGACY, session: admin });
    socket.send({ type: 'test' });
    expect(await socket.next()).toEqual({
      type: 'connection_error',
      payload: 'parsing ClientMessage failed: Error in $: unexpected type for ClientMessage: test',
    });
    socket.send({ type: 'start', id: 'ä', payload: { query: '{ __typename }' } });
    expect(await socket.next()).toEqual({
      type: 'data',
      id: 'ä',
      payload: { data: { __typename: 'query_root' } },
    });
  });

  test('a ping is answered with its payload', async () => {
    const socket = await connect(server, { session: admin });
    socket.send('{"type":"ping","payload":{"b":1,"a":[2]}}');
    expect(await socket.next()).toEqual({ type: 'pong', payload: { b: 1, a: [2] } });
    socket.send({ type: 'ping' });
    expect(await socket.next()).toEqual({ type: 'pong' });
  });

  test('stopping what does not run is not answered', async () => {
    const socket = await connect(server, { session: admin });
    socket.send({ type: 'complete', id: 'unknown' });
    socket.send({ type: 'stop', id: 'unknown' });
    await socket.silence(300);
  });

  test('an operation before connection_init: 4401, or an error', async () => {
    const socket = await openSocket(server);
    socket.send({ type: 'subscribe', id: '1', payload: { query: QUERY } });
    expect(await socket.closed()).toEqual({ code: 4401, reason: 'Unauthorized' });
    const message = 'start received before the connection is initialised';
    const old = await openSocket(server, { protocol: LEGACY });
    old.send({ type: 'start', id: '1', payload: { query: QUERY } });
    expect(await old.next()).toEqual({
      type: 'error',
      id: '1',
      payload: { message, extensions: { path: '$', code: 'start-failed' } },
    });
    const alpha = await openSocket(server, { protocol: LEGACY, path: '/v1alpha1/graphql' });
    alpha.send({ type: 'start', id: '1', payload: { query: QUERY } });
    expect(await alpha.next()).toEqual({
      type: 'error',
      id: '1',
      payload: { path: '$', error: message, code: 'start-failed' },
    });
  });

  test('connection_terminate closes: 1000', async () => {
    const socket = await connect(server, { protocol: LEGACY, session: admin });
    socket.send({ type: 'connection_terminate' });
    expect((await socket.closed()).code).toBe(1000);
  });

  test('one that is too long closes: 1009', async () => {
    const socket = await connect(server, { session: admin });
    socket.socket.send('x'.repeat(17 * 1024 * 1024));
    expect((await socket.closed()).code).toBe(1009);
  });

  test('keep-alive messages come after the acknowledgement and then again and again', async () => {
    const lively = await start({ ADMIN_SECRET: ADMIN, WEBSOCKET_KEEPALIVE: '1' });
    for (const [protocol, expected] of [
      [TRANSPORT, '{"type":"ping","payload":{"message":"keepalive"}}'],
      [LEGACY, '{"type":"ka"}'],
    ] as const) {
      const socket = await openSocket(lively, { protocol });
      const texts: string[] = [];
      socket.socket.on('message', (data) => texts.push(String(data)));
      socket.send({ type: 'connection_init', payload: { headers: admin } });
      await expect.poll(() => texts.length).toBeGreaterThan(2);
      expect(texts.slice(0, 3)).toEqual(['{"type":"connection_ack"}', expected, expected]);
    }
  });
});

describe('queries and mutations', () => {
  test('members of messages have their order', async () => {
    const socket = await connect(server, { session: asUser('ann') });
    socket.send({ type: 'subscribe', id: '1', payload: { query: QUERY } });
    await socket.next();
    await socket.next();
    expect(socket.texts.slice(1)).toEqual([
      '{"type":"next","id":"1","payload":{"data":{"note":[{"body":"one"}]}}}',
      '{"type":"complete","id":"1"}',
    ]);
  });

  test('errors before execution, by protocol and path', async () => {
    const payloads: unknown[] = [];
    for (const path of ['/v1/graphql', '/v1alpha1/graphql'])
      for (const protocol of [TRANSPORT, LEGACY]) {
        const socket = await connect(server, { path, protocol, session: admin });
        socket.send({ type: 'start', id: '1', payload: { query: '{ nothing }' } });
        const { type, payload } = await socket.next();
        payloads.push([type, payload]);
        expect(await socket.next()).toEqual({ type: 'complete', id: '1' });
      }
    const error = "field 'nothing' not found in type: 'query_root'";
    const at = { path: '$.selectionSet.nothing', code: 'validation-failed' };
    expect(payloads).toEqual([
      ['error', [{ message: error, extensions: at }]],
      ['error', { errors: [{ message: error, extensions: at }] }],
      ['error', { error, ...at }],
      ['error', { error, ...at }],
    ]);
  });

  test('errors while executing, by protocol and path', async () => {
    const payloads: unknown[] = [];
    const mutation = 'mutation { insert_note(objects: [{id: 1, owner: "x"}]) { affected_rows } }';
    for (const path of ['/v1/graphql', '/v1alpha1/graphql'])
      for (const protocol of [TRANSPORT, LEGACY]) {
        const socket = await connect(server, { path, protocol, session: admin });
        socket.send({ type: 'start', id: '1', payload: { query: mutation } });
        const { type, payload } = await socket.next();
        payloads.push([type, payload]);
        expect(await socket.next()).toEqual({ type: 'complete', id: '1' });
      }
    const error = expect.stringMatching(/^Uniqueness violation/);
    const at = { path: expect.any(String), code: 'constraint-violation' };
    expect(payloads).toEqual([
      ['error', [{ message: error, extensions: at }]],
      ['data', { data: null, errors: [{ message: error, extensions: at }] }],
      ['error', [{ error, ...at }]],
      ['data', { data: null, errors: [{ error, ...at }] }],
    ]);
  });

  test('a payload that is no request is an error of its operation', async () => {
    const socket = await connect(server, { session: admin });
    socket.send({ type: 'subscribe', id: '1', payload: { query: 5 } });
    expect(await socket.next()).toMatchObject({
      type: 'error',
      id: '1',
      payload: [{ extensions: { code: 'parse-failed' } }],
    });
  });

  test('a subscription over HTTP is told to use a socket', async () => {
    const answer = await send(server, '/v1/graphql', {
      headers: admin,
      body: { query: 'subscription { note { id } }' },
    });
    expect(answer.json).toEqual({
      errors: [
        {
          message: 'subscriptions are not supported over HTTP, use websockets instead',
          extensions: { path: '$', code: 'unexpected-payload' },
        },
      ],
    });
  });
});

describe('stopping the server', () => {
  test('sockets are closed with 1012 and a reason', async () => {
    const ending = await startTestServer(database, { ADMIN_SECRET: ADMIN });
    const socket = await connect(ending, { session: admin });
    const stopped = ending.stop();
    expect(await socket.closed()).toEqual({ code: 1012, reason: 'shutting server down' });
    await stopped;
  });
});

async function listen(
  respond: (body: string, answer: (status: number, body: object) => void) => void,
): Promise<{ server: Server; url: string }> {
  const hook = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () =>
      respond(text, (status, body) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      }),
    );
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  return { server: hook, url: `http://127.0.0.1:${(hook.address() as AddressInfo).port}` };
}
