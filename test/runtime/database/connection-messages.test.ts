/** Why a database cannot be used: host, port and remedy, never the password; and where `/` leads. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { send, serve, type TestServer } from '../../harness/server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await serve({ sql: '', variables: { AWAY: '127.0.0.1:1' } });
});
afterAll(() => server?.stop());

const here = () => new URL(server.database.url);
const CASES: readonly (readonly [string, () => unknown, string])[] = [
  ['no listener', () => 'postgres://u:hush@127.0.0.1:1/x', 'connection refused (127.0.0.1:1)'],
  ['no listener, in pieces', () => 'postgres://u:hush@{{AWAY}}/x', 'connection refused (127.0.0.1:1)'],
  [
    'no such host',
    () => 'postgres://u:hush@nowhere.invalid/x',
    'the host name could not be resolved (nowhere.invalid:5432)',
  ],
  [
    'unset variables',
    () => 'postgres://{{U}}:{{P}}@127.0.0.1/x',
    'Value for environment variables not found: U, P',
  ],
  [
    'unset variables, each piece one',
    () => 'postgres://{{U}}:hush@{{AWAY}}:{{PORT}}/{{D}}',
    'Value for environment variables not found: U, PORT, D',
  ],
  [
    'unset variables, keywords',
    () => 'host={{H}} port={{PORT}} user={{U}} password=hush',
    'Value for environment variables not found: H, PORT, U',
  ],
  [
    'no password',
    () => `postgres://someone@${here().host}/x`,
    'the database asks for a password (SCRAM), and the address has none',
  ],
  [
    'TLS',
    () => `${server.database.url}?sslmode=require`,
    'the address asks for TLS (sslmode), and the database does not offer it: switch ssl on there, or use sslmode=prefer',
  ],
  [
    'wrong password',
    () => `postgres://someone:hush@${here().host}/x`,
    'password authentication failed for user "someone"',
  ],
];

test.each(CASES)('%s', async (_, address, message) => {
  const args = { name: 's', configuration: { connection_info: { database_url: address() } } };
  const { json, text } = await send(server, '/v1/metadata', { body: { type: 'pg_add_source', args } });
  expect(json).toMatchObject({ internal: [{ message: expect.stringContaining(message) }] });
  expect(text).not.toContain('hush');
});

test('/ names what there is, and is no error', async () => {
  const html = await send(server, '/', { method: 'GET', headers: { accept: 'text/html' } });
  expect([html.status, html.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(html.text).toContain('<a href="/v1/graphql">');
  const { status, json } = await send(server, '/', { method: 'GET' });
  expect([status, json]).toEqual([
    200,
    {
      '/v1/graphql': 'GraphQL, by POST',
      '/healthz': 'whether the server works',
      hint: 'No page is served here; --enable-console serves a console with a query page.',
    },
  ]);
  const withConsole = await serve({ database: server.database, options: { ENABLE_CONSOLE: 'true' } });
  const redirect = await send(withConsole, '/', { method: 'GET' });
  expect([redirect.status, redirect.headers.location]).toEqual([302, '/console']);
  await withConsole.stop();
});
