/** With `refuse-foreign-pages` a server without an admin secret answers no page of another site that a browser on this machine has open. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createTestDatabase } from '../../harness/postgres.ts';
import { startTestServer, type TestServer } from '../../harness/server.ts';

let open: TestServer;
let named: TestServer;
let permissive: TestServer;
let secured: TestServer;
beforeAll(async () => {
  const database = await createTestDatabase('');
  open = await startTestServer(database, { REFUSE_FOREIGN_PAGES: 'true' });
  named = await startTestServer(database, {
    REFUSE_FOREIGN_PAGES: 'true',
    CORS_DOMAIN: 'https://*.example.com, http://intranet',
  });
  permissive = await startTestServer(database);
  secured = await startTestServer(database, { ADMIN_SECRET: 'hidden', REFUSE_FOREIGN_PAGES: 'true' });
});
afterAll(async () => {
  for (const server of [open, named, permissive, secured]) await server?.stop();
});

type Headers = Readonly<Record<string, string>>;

/** A request as its bytes say: `fetch` would not send the host or the origin of others. */
function ask(
  server: TestServer,
  method: string,
  path: string,
  headers: Headers,
  body?: string,
): Promise<{ status: number; text: string; allowed: string | undefined }> {
  return new Promise((resolve, reject) => {
    const sent = request(`http://127.0.0.1:${server.port}${path}`, { method, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          text,
          allowed: response.headers['access-control-allow-origin'],
        }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const query = (server: TestServer, headers: Headers) =>
  ask(
    server,
    'POST',
    '/v1/graphql',
    { 'content-type': 'text/plain', ...headers },
    '{"query":"{ __typename }"}',
  );

/** A browser's headers of a request, and whether a server without a secret answers it. */
const SENT: readonly (readonly [headers: Headers, answered: boolean])[] = [
  [{}, true],
  [{ origin: 'http://localhost:3000' }, true],
  [{ origin: 'https://localhost' }, true],
  [{ origin: 'http://app.localhost:5173' }, true],
  [{ origin: 'http://127.0.0.1:3000' }, true],
  [{ origin: 'http://127.9.9.9' }, true],
  [{ origin: 'http://[::1]:3000' }, true],
  [{ 'sec-fetch-site': 'same-site' }, true],
  [{ 'sec-fetch-site': 'same-origin' }, true],
  [{ 'sec-fetch-site': 'none' }, true],
  [{ host: 'localhost' }, true],
  [{ host: 'LOCALHOST:8080' }, true],
  [{ host: '[::1]:8080' }, true],
  [{ host: '192.168.1.7:8080' }, true],
  [{ origin: 'https://evil.example' }, false],
  [{ origin: 'null' }, false],
  [{ origin: '' }, false],
  [{ origin: 'http://localhost.evil.example' }, false],
  [{ origin: 'http://127.0.0.1.evil.example' }, false],
  [{ origin: 'http://evil.example/localhost' }, false],
  [{ origin: 'http://localhost@evil.example' }, false],
  [{ origin: 'http://192.168.1.7' }, false],
  [{ origin: 'http://[fe80::1]' }, false],
  [{ origin: 'chrome-extension://abcdefgh' }, false],
  [{ origin: 'file://' }, false],
  [{ origin: 'HTTPS://EVIL.EXAMPLE' }, false],
  [{ origin: 'https://evil.example', host: 'evil.example' }, false],
  [{ host: 'evil.example' }, false],
  [{ host: 'evil.example:8080' }, false],
  [{ host: 'localhost.evil.example' }, false],
  [{ host: '127.0.0.1.evil.example' }, false],
  [{ origin: 'http://evil.example:8080', host: 'evil.example:8080', 'sec-fetch-site': 'same-origin' }, false],
  [{ 'sec-fetch-site': 'cross-site' }, false],
  [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }, false],
  [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, false],
];

describe.each(SENT)('a request with %j', (headers, answered) => {
  test(`${answered ? 'is' : 'is not'} answered without a secret`, async () => {
    const { text, allowed } = await query(open, headers);
    if (answered) expect(JSON.parse(text)).toEqual({ data: { __typename: 'query_root' } });
    else {
      expect(text).toContain('access-denied');
      expect(text).toContain('ENGINE_GRAPHQL_ADMIN_SECRET');
      expect(allowed).toBeUndefined();
    }
    const metadata = await ask(
      open,
      'POST',
      '/v1/metadata',
      headers,
      '{"type":"export_metadata","version":2,"args":{}}',
    );
    expect(metadata.status === 200).toBe(answered);
    const rest = await ask(open, 'GET', '/api/rest/none', headers);
    expect(rest.text.includes('access-denied')).toBe(!answered);
  });

  test('is answered without the option, and where a secret protects it', async () => {
    expect((await query(permissive, headers)).text).toContain('query_root');
    expect((await query(secured, { ...headers, 'x-engine-admin-secret': 'hidden' })).text).toContain(
      'query_root',
    );
  });

  test(`${answered ? 'opens' : 'does not open'} a socket`, async () => {
    const { host, ...others } = headers;
    const socket = new WebSocket(`ws://127.0.0.1:${open.port}/v1/graphql`, 'graphql-transport-ws', {
      headers: { ...others, ...(host !== undefined && { host }) },
    });
    const opened = await new Promise<boolean>((resolve) => {
      socket.on('open', () => resolve(true));
      socket.on('error', () => resolve(false));
    });
    socket.close();
    expect(opened).toBe(answered);
  });
});

test('a page that cors-domain names is answered', async () => {
  for (const origin of ['https://app.example.com', 'http://intranet'])
    expect(await query(named, { origin })).toMatchObject({
      text: expect.stringContaining('query_root'),
      allowed: origin,
    });
  for (const origin of ['https://evil.example', 'http://app.example.com'])
    expect((await query(named, { origin })).text).toContain('access-denied');
});

test('the browser of a page of another site gets no leave in advance', async () => {
  const preflight = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
  expect((await ask(open, 'OPTIONS', '/v1/graphql', preflight)).allowed).toBeUndefined();
  const own = { ...preflight, origin: 'http://localhost:3000' };
  expect((await ask(open, 'OPTIONS', '/v1/graphql', own)).allowed).toBe('http://localhost:3000');
});

test('a link of another site leads to the pages for people only', async () => {
  const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
  for (const path of ['/', '/?a', '/console', '/console/access', '/graphiql', '/graphiql?query=x'])
    expect((await ask(open, 'GET', path, link)).text).not.toContain('access-denied');
  for (const path of [
    '/v1/version',
    '/api/rest/none',
    '/consoles',
    '/graphiqlx',
    '//console',
    '/v1/graphql?query={a}',
  ])
    expect((await ask(open, 'GET', path, link)).text).toContain('access-denied');
});
