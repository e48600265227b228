/** Cookies of the handshake of a socket, which a browser attaches whatever page opens it: where they count. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestDatabase } from '../../harness/postgres.ts';
import { readRequestProject } from '../../harness/request-project.ts';
import { confidential, leaks, send, serve, startTestServer, type TestServer } from '../../harness/server.ts';
import { openSocket } from '../../harness/socket.ts';
import { startWebhook, type WebhookReceiver } from '../../harness/webhook.ts';
import { ADMIN, payload, signToken } from './setting.ts';

const KEY = 'a key of thirty-two characters!!!';
const JWT = JSON.stringify({ type: 'HS256', key: KEY, header: { type: 'Cookie', name: 'sid' } });
const FOREIGN = 'https://evil.example';
const APP = 'https://app.example';

let database: TestDatabase;
let webhook: WebhookReceiver;
let cookie: string;

beforeAll(async () => {
  confidential.add(ADMIN);
  const project = await readRequestProject('served/cookies');
  database = project.database;
  webhook = await startWebhook((_call, response) =>
    response.end(JSON.stringify({ 'X-Engine-Role': 'user', 'X-Engine-User-Id': '1' })),
  );
  const server = await serve({ database, metadata: project.metadata, options: { ADMIN_SECRET: ADMIN } });
  await server.stop();
  cookie = `sid=${signToken(payload(), { algorithm: 'HS256', key: KEY })}`;
});
afterAll(async () => {
  await webhook?.close();
  expect(leaks()).toEqual([]);
});

describe('a cookie of the handshake of a socket counts', () => {
  /** The headers of a handshake from each origin. */
  const ORIGINS = {
    absent: () => ({}),
    own: (server) => ({ origin: `http://127.0.0.1:${server.port}` }),
    'own by Sec-Fetch-Site': () => ({ origin: APP, 'sec-fetch-site': 'same-origin' }),
    named: () => ({ origin: APP }),
    'below a named one': () => ({ origin: 'https://a.app.example' }),
    foreign: () => ({ origin: FOREIGN }),
    'foreign, of the same site': () => ({ origin: FOREIGN, 'sec-fetch-site': 'same-site' }),
    'that begins with a named one': () => ({ origin: `${APP}.evil.example` }),
    'of another port': () => ({ origin: `${APP}:444` }),
    null: () => ({ origin: 'null' }),
  } satisfies Record<string, (server: TestServer) => Record<string, string>>;
  type Origin = keyof typeof ORIGINS;
  const UNNAMED = ['absent', 'own', 'own by Sec-Fetch-Site'] as const;

  /** Origins whose sockets have a session by the cookie, and those that may not open a socket, for each setting. */
  const SETTINGS: readonly (readonly [object, readonly Origin[] | 'all', readonly Origin[] | 'others'])[] = [
    [{ CORS_DOMAIN: '*' }, UNNAMED, []],
    [{ CORS_DOMAIN: APP }, ['absent', 'own by Sec-Fetch-Site', 'named'], 'others'],
    [{ CORS_DOMAIN: 'https://*.app.example' }, ['absent', 'below a named one'], 'others'],
    [{ DISABLE_CORS: 'true' }, [], []],
    [{ DISABLE_CORS: 'true', CORS_DOMAIN: APP }, [], []],
    [{ DISABLE_CORS: 'true', WS_READ_COOKIE: 'true' }, 'all', []],
  ];

  /** How a handshake ends: with a session, without one, or without a socket. */
  async function outcome(server: TestServer, headers: Record<string, string>): Promise<string> {
    const client = await openSocket(server, { headers }).catch(() => undefined);
    if (!client) return 'refused';
    client.send({ type: 'connection_init', payload: {} });
    const session = await Promise.race([
      client.next().then(({ type }) => type === 'connection_ack'),
      client.closed().then(() => false),
    ]);
    await client.close();
    return session ? 'session' : 'none';
  }

  test.each(SETTINGS)('with %j', async (options, counting, refused) => {
    const given = { ADMIN_SECRET: ADMIN, ...options };
    const byToken = await serve({ database, options: { ...given, JWT_SECRET: JWT } });
    const byHook = await serve({ database, options: { ...given, AUTH_HOOK: webhook.url } });
    const found: Record<string, string> = {};
    const expected: Record<string, string> = {};
    for (const [name, headersOf] of Object.entries(ORIGINS)) {
      const origin = name as Origin;
      const counts = counting === 'all' || counting.includes(origin);
      const isRefused = refused === 'others' ? !counts : refused.includes(origin);
      expected[origin] = isRefused ? 'refused' : counts ? 'session' : 'none';
      found[origin] = await outcome(byToken, { cookie, ...headersOf(byToken) });
      // A webhook is asked in any case, with the cookie or without.
      webhook.calls.length = 0;
      const hooked = await outcome(byHook, { cookie: 'session=x', ...headersOf(byHook) });
      expect([origin, hooked]).toEqual([origin, isRefused ? 'refused' : 'session']);
      const sent = webhook.calls.map(({ headers }) =>
        headers.some(([header]) => header.toLowerCase() === 'cookie'),
      );
      expect([origin, sent]).toEqual([origin, isRefused ? [] : [counts]]);
      // Reads over HTTP take it: the answer is for pages that CORS allows.
      for (const method of ['GET', 'POST']) {
        const query = '{ note { text } }';
        const path = method === 'GET' ? `/v1/graphql?query=${encodeURIComponent(query)}` : '/v1/graphql';
        const headers = { cookie, ...headersOf(byToken) };
        const { text } = await send(byToken, path, { method, headers, body: { query } });
        expect(text).toContain('"data"');
      }
    }
    expect(found).toEqual(expected);
    await byToken.stop();
    await byHook.stop();
  });

  test('in connection_init as well, where a page cannot have the browser attach it', async () => {
    const server = await serve({
      database,
      options: { ADMIN_SECRET: ADMIN, JWT_SECRET: JWT, DISABLE_CORS: 'true' },
    });
    const client = await openSocket(server, { headers: { origin: FOREIGN } });
    client.send({ type: 'connection_init', payload: { headers: { Cookie: cookie } } });
    expect(await client.next()).toEqual({ type: 'connection_ack' });
    await client.close();
    await server.stop();
  });

  test('never where every origin may read it and CORS is not disabled: ws-read-cookie stops the start', async () => {
    const options = { ADMIN_SECRET: ADMIN, WS_READ_COOKIE: 'true' };
    await expect(startTestServer(database, options)).rejects.toThrow('ws-read-cookie needs disable-cors');
  });
});
