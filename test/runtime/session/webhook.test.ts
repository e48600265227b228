import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readConfiguration } from '../../../runtime/configuration/configuration.ts';
import { CANONICAL } from '../../../runtime/core/vocabulary.ts';
import { createOutgoing } from '../../../runtime/outgoing/outgoing.ts';
import { webhookMode } from '../../../runtime/session/webhook.ts';
import type { TestDatabase } from '../../harness/postgres.ts';
import { storeRequestProject } from '../../harness/request-project.ts';
import { confidential, leaks, send, startTestServer, type TestServer } from '../../harness/server.ts';
import { ADMIN, noteIds } from './setting.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A web server that does as it is told, and remembers what it was asked. */
class Hook {
  handler: Handler = () => {};
  calls: { headers: IncomingMessage['headers']; method: string; body: string }[] = [];
  readonly #server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      this.calls.push({ headers: request.headers, method: request.method!, body });
      this.handler(request, response);
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const answering =
  (answer: unknown, status = 200, headers: Record<string, string | string[]> = {}): Handler =>
  (_request, response) => {
    response.writeHead(status, headers).end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  };

const BAD = 'unexpected: Invalid response from authorization hook';
const NONE = 'unexpected: webhook authentication request failed';
const SECRET_OF_USER = 'a-credential-that-only-the-hook-may-see';

const hook = new Hook();
const elsewhere = new Hook();
let database: TestDatabase;
let url: string;
let get: TestServer;
let hasty: TestServer;
let post: TestServer;
let silent: TestServer;

beforeAll(async () => {
  confidential.add(ADMIN).add(SECRET_OF_USER).add('key-in-the-query');
  database = await storeRequestProject('served/notes');
  url = await hook.listen();
  const start = (options: Record<string, string>) =>
    startTestServer(database, {
      ADMIN_SECRET: ADMIN,
      AUTH_HOOK: `${url}/who?k=key-in-the-query`,
      ...options,
    });
  get = await start({ PRESERVE_401_ERRORS: 'true' });
  hasty = await start({ AUTH_HOOK_TIMEOUT: '0.3' });
  post = await start({ AUTH_HOOK_MODE: 'POST' });
  silent = await start({ AUTH_HOOK_MODE: 'POST', AUTH_HOOK_SEND_REQUEST_BODY: 'false' });
});

beforeEach(() => {
  hook.calls = [];
  hook.handler = answering({ 'X-Engine-Role': 'user', 'X-Engine-User-Id': '1' });
});

afterAll(async () => {
  for (const server of [get, hasty, post, silent]) await server?.stop();
  hook.close();
  elsewhere.close();
  expect(leaks()).toEqual([]);
});

describe('a webhook', () => {
  test('says who is asking; what the client says of itself does not count', async () => {
    expect(await noteIds(get, { 'x-engine-role': 'admin', 'x-engine-user-id': '2' })).toEqual([1, 3]);
    expect(hook.calls).toHaveLength(1);
    await noteIds(get, {});
    expect(hook.calls).toHaveLength(2);
  });

  test('is not asked when an admin secret was sent', async () => {
    expect(await noteIds(get, { 'x-engine-admin-secret': ADMIN })).toEqual([1, 2, 3]);
    expect(await noteIds(get, { 'x-engine-admin-secret': 'wrong' })).toMatch(/^access-denied: invalid/);
    expect(hook.calls).toEqual([]);
  });

  test('called by GET sees the headers of the client but those of its connection', async () => {
    const headers = {
      authorization: `Bearer ${SECRET_OF_USER}`,
      cookie: 'a=b',
      'X-Anything': 'c',
      origin: 'https://app.example',
      'user-agent': 'browser',
      dnt: '1',
      'x-request-id': 'the-id',
    };
    await noteIds(get, headers);
    const [call] = hook.calls;
    expect(call).toMatchObject({
      method: 'GET',
      body: '',
      headers: {
        authorization: `Bearer ${SECRET_OF_USER}`,
        cookie: 'a=b',
        'x-anything': 'c',
        'x-request-id': 'the-id',
      },
    });
    expect(call!.headers).not.toHaveProperty('origin');
    expect(call!.headers).not.toHaveProperty('dnt');
    expect(call!.headers['user-agent']).not.toBe('browser');
    expect(call!.headers).not.toHaveProperty('content-length');
  });

  test('called by POST sees headers as they were written, and the request', async () => {
    await send(post, '/v1/graphql', {
      headers: ['Authorization', SECRET_OF_USER, 'X-Twice', 'a', 'x-twice', 'b'],
      body: { query: '{ note { id } }', variables: { a: 1 }, operationName: null, extensions: {} },
    });
    expect(JSON.parse(hook.calls[0]!.body)).toEqual({
      headers: expect.objectContaining({ Authorization: SECRET_OF_USER, 'X-Twice': 'a, b' }),
      request: { query: '{ note { id } }', variables: { a: 1 }, operationName: null },
    });
    await send(post, '/v1/graphql', { body: [{ query: '{a}' }, { query: '{b}' }] });
    expect(JSON.parse(hook.calls[1]!.body)).toMatchObject({ request: [{ query: '{a}' }, { query: '{b}' }] });
    for (const [server, path, body] of [
      [post, '/v1/graphql', '{'],
      [post, '/v1/metadata', '{"type": "export_metadata", "args": {}}'],
      [silent, '/v1/graphql', '{"query": "{a}"}'],
    ] as const) {
      hook.calls = [];
      await send(server, path, { body });
      expect(JSON.parse(hook.calls[0]!.body)).toMatchObject({ request: null });
    }
  });

  test('has its cookies passed on', async () => {
    hook.handler = answering({ 'x-engine-role': 'user', 'x-engine-user-id': '1' }, 200, {
      'set-cookie': ['a=1; HttpOnly', 'b=2'],
    });
    const answer = await send(get, '/v1/graphql', { body: { query: '{ note { id } }' } });
    expect(answer.headers['set-cookie']).toEqual(['b=2', 'a=1; HttpOnly']);
  });

  test.each([
    [401, '{}', 'access-denied'],
    [200, '{"x-engine-user-id":"1"}', 'invalid-params'],
    [200, 'nonsense', 'unexpected'],
    [503, '{}', 'unexpected'],
  ])('that refuses with %i %s has its cookies passed on as well', async (status, answer, code) => {
    const cookies = ['session=; Max-Age=0', 'b=2'];
    hook.handler = answering(answer, status, { 'set-cookie': cookies });
    const body = { query: '{ note { id } }' };
    const requests = [
      ['/v1/graphql', { body }],
      ['/v1/graphql', { body, headers: { origin: 'https://app.example' } }],
      ['/v1/graphql', { body: [body, body] }],
      ['/v1/graphql?query={note{id}}', { method: 'GET' }],
      ['/v1alpha1/graphql', { body }],
      ['/api/rest/everything', { method: 'GET' }],
      ['/v1/metadata', { body: { type: 'export_metadata', args: {} } }],
    ] as const;
    for (const [path, options] of requests) {
      const { headers, text } = await send(get, path, options);
      expect([path, text]).toEqual([path, expect.stringContaining(code)]);
      expect(headers['set-cookie']).toEqual(cookies.toReversed());
    }
  });

  test.each<[string, Handler, number[] | string]>([
    ['401', answering('no', 401), 'access-denied: Authentication hook unauthorized this request'],
    ['403', answering('no', 403), BAD],
    ['500', answering({ 'x-engine-role': 'admin' }, 500), BAD],
    ['201', answering({ 'x-engine-role': 'admin' }, 201), BAD],
    ['no JSON', answering('x-engine-role: admin'), BAD],
    ['a list', answering(['x-engine-role']), BAD],
    ['null', answering('null'), BAD],
    ['a variable that is a list', answering({ 'x-engine-role': 'user', 'x-engine-user-id': ['1'] }), BAD],
    ['a role that is an object', answering({ 'x-engine-role': { toString: 'admin' } }), BAD],
    [
      'a role in two cases',
      answering('{"x-engine-role": "user", "X-Engine-Role": "admin", "x-engine-user-id": "1"}'),
      BAD,
    ],
    [
      'no role',
      answering({ 'x-engine-user-id': '1', role: 'admin' }),
      'invalid-params: x-engine-role not found in session variables',
    ],
    [
      'an empty role',
      answering({ 'x-engine-role': '' }),
      'invalid-params: x-engine-role not found in session variables',
    ],
    ['other keys of any type', answering({ 'x-engine-role': 'user', 'X-ENGINE-USER-ID': '2', n: 1 }), [2]],
    ['a closed connection', (_request, response) => response.destroy(), NONE],
    ['more than a megabyte', answering({ 'x-engine-role': 'admin', more: 'x'.repeat(2_000_000) }), NONE],
  ])('that answers %s', async (_name, handler, expected) => {
    hook.handler = handler;
    expect(await noteIds(get, {})).toEqual(expected);
  });

  test('that refuses is answered 401 where statuses are kept', async () => {
    hook.handler = answering('no', 401);
    expect((await send(get, '/v1/graphql', { body: { query: '{ note { id } }' } })).status).toBe(401);
    expect((await send(get, '/v1/metadata', { body: {} })).status).toBe(401);
  });

  test('that is slow is given up, and the server goes on', async () => {
    hook.handler = () => {};
    expect(await noteIds(hasty, {})).toBe(NONE);
    hook.handler = (_request, response) => {
      // Headers in time, the rest never.
      response.writeHead(200).write('{"x-engine-role":');
    };
    expect(await noteIds(hasty, {})).toBe(NONE);
    expect(await noteIds(hasty, { 'x-engine-admin-secret': ADMIN })).toEqual([1, 2, 3]);
  });

  test('that redirects is not followed: credentials stay here', async () => {
    elsewhere.handler = answering({ 'x-engine-role': 'admin' });
    const target = await elsewhere.listen();
    for (const status of [301, 302, 303, 307, 308]) {
      hook.handler = answering('', status, { location: target });
      expect(await noteIds(get, { authorization: SECRET_OF_USER })).toBe(BAD);
      expect(await noteIds(post, { authorization: SECRET_OF_USER })).toBe(BAD);
    }
    expect(elsewhere.calls).toEqual([]);
  });

  test('may not give secrets as variables, nor backend-only permissions', async () => {
    hook.handler = answering({
      'x-engine-role': 'guest',
      'x-engine-admin-secret': ADMIN,
      'x-engine-use-backend-only-permissions': 'true',
    });
    const body = { query: 'mutation { insert_note(objects: []) { affected_rows } }' };
    expect((await send(get, '/v1/graphql', { body })).json).toMatchObject({
      errors: [{ extensions: { code: 'validation-failed' } }],
    });
  });

  test('that is gone is an error of the server, not a way in', async () => {
    const gone = await startTestServer(database, { ADMIN_SECRET: ADMIN, AUTH_HOOK: 'http://127.0.0.1:1/' });
    try {
      expect(await noteIds(gone, {})).toBe(NONE);
      expect(gone.output()).toContain('"type":"webhook-log"');
    } finally {
      await gone.stop();
    }
  });
});

describe('the life of a session', () => {
  const session = async (answer: object) => {
    hook.handler = answering({ 'x-engine-role': 'user', ...answer });
    const observe = Object.assign(() => {}, { flush: async () => {} });
    const authenticate = webhookMode({
      vocabulary: CANONICAL,
      url,
      method: 'GET',
      sendBody: false,
      timeout: 10,
      outgoing: createOutgoing(),
      observe,
    });
    const incoming = {
      headers: {},
      rawHeaders: [],
      requestId: 'a',
      trace: { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) },
      body: undefined,
      isKept: true,
      setCookies: () => {},
    };
    return authenticate(incoming);
  };

  test('ends as the answer says, for sockets', async () => {
    const before = Date.now();
    const { expiresAt } = await session({ 'Cache-Control': 'max-age=100', Expires: 'unreadable' });
    expect(expiresAt).toBeGreaterThanOrEqual(before + 100_000);
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + 100_000);
    expect((await session({ Expires: 'Wed, 01 Jan 2031 00:00:00 GMT' })).expiresAt).toBe(
      Date.UTC(2031, 0, 1),
    );
    expect((await session({ Expires: 'soon' })).expiresAt).toBeUndefined();
    // Objects that do not become a text.
    const odd = { toString: 'x', valueOf: null };
    expect((await session({ Expires: odd, 'Cache-Control': [odd] })).expiresAt).toBeUndefined();
    expect((await session({})).expiresAt).toBeUndefined();
  });
});

describe('configurations that stop the start', () => {
  const secret = { ENGINE_GRAPHQL_ADMIN_SECRET: ADMIN };
  const address = { ENGINE_GRAPHQL_AUTH_HOOK: 'http://hook.example' };
  const token = { ENGINE_GRAPHQL_JWT_SECRET: JSON.stringify({ type: 'HS256', key: 'k'.repeat(32) }) };
  const role = { ENGINE_GRAPHQL_UNAUTHORIZED_ROLE: 'guest' };

  test.each<[string, Record<string, string>]>([
    ['auth-hook needs an admin-secret', address],
    ['auth-hook and jwt-secret exclude each other', { ...secret, ...address, ...token }],
    ['unauthorized-role and auth-hook exclude each other', { ...secret, ...address, ...role }],
    ['unauthorized-role needs an admin-secret', role],
    ['expected an http or https address', { ...secret, ENGINE_GRAPHQL_AUTH_HOOK: 'file:///etc/passwd' }],
    ['expected an http or https address', { ...secret, ENGINE_GRAPHQL_AUTH_HOOK: 'http://u:p@hook.example' }],
    ['expected one of GET, POST', { ...secret, ...address, ENGINE_GRAPHQL_AUTH_HOOK_MODE: 'PUT' }],
  ])('%s', (reason, environment) => {
    expect(() => readConfiguration({}, environment)).toThrow(reason);
  });
});
