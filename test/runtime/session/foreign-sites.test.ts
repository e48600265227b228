/** Requests that a page of a foreign site has a browser send, with credentials that the browser attaches: they write nothing. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestDatabase } from '../../harness/postgres.ts';
import { readRequestProject } from '../../harness/request-project.ts';
import { type Answer, confidential, leaks, send, serve, type TestServer } from '../../harness/server.ts';
import { startWebhook, type WebhookReceiver } from '../../harness/webhook.ts';
import { ADMIN, payload, signToken } from './setting.ts';

const KEY = 'a key of thirty-two characters!!!';
const JWT = JSON.stringify({ type: 'HS256', key: KEY, header: { type: 'Cookie', name: 'sid' } });
const MUTATION = 'mutation { insert_note_one(object: {text: "written"}) { text } }';
/** Of a function that writes. */
const QUERY = 'query { add_note { text } }';
const FOREIGN = 'https://evil.example';
const APP = 'https://app.example';

let database: TestDatabase;
let webhook: WebhookReceiver;
/** By a token in a cookie, where every origin may call; where one may; by a webhook. */
let open: TestServer;
let strict: TestServer;
let hooked: TestServer;
let cookie: string;

beforeAll(async () => {
  confidential.add(ADMIN);
  const project = await readRequestProject('served/cookies');
  database = project.database;
  webhook = await startWebhook((_call, response) =>
    response.end(JSON.stringify({ 'X-Engine-Role': 'user', 'X-Engine-User-Id': '1' })),
  );
  const JWT_SECRET = JWT;
  open = await serve({ database, metadata: project.metadata, options: { ADMIN_SECRET: ADMIN, JWT_SECRET } });
  strict = await serve({ database, options: { ADMIN_SECRET: ADMIN, JWT_SECRET, CORS_DOMAIN: APP } });
  hooked = await serve({ database, options: { ADMIN_SECRET: ADMIN, AUTH_HOOK: webhook.url } });
  const roles = { 'x-engine-allowed-roles': ['user', 'admin'] };
  cookie = `sid=${signToken(payload(roles), { algorithm: 'HS256', key: KEY })}`;
});
afterAll(async () => {
  for (const server of [open, strict, hooked]) await server?.stop();
  await webhook?.close();
  expect(leaks()).toEqual([]);
});
beforeEach(() => database.query('truncate note'));

async function notes(): Promise<number> {
  const [row] = await database.query<{ count: number }>('select count(*)::int from note');
  return row!.count;
}

type Sent = (server: TestServer, headers: Record<string, string>) => Promise<Answer>;

const graphql: Sent = (server, headers) =>
  send(server, '/v1/graphql', { headers, body: { query: MUTATION } });

/** What a page can have a browser send without asking first. */
const SIMPLE: Readonly<Record<string, Sent>> = {
  'a body of text': (server, headers) => graphql(server, { ...headers, 'content-type': 'text/plain' }),
  'a body of text that speaks of JSON': (server, headers) =>
    graphql(server, { ...headers, 'content-type': 'text/plain; charset=application/json' }),
  'a form': (server, headers) =>
    graphql(server, { ...headers, 'content-type': 'application/x-www-form-urlencoded' }),
  'a form with parts': (server, headers) =>
    graphql(server, { ...headers, 'content-type': 'multipart/form-data; boundary=x' }),
  'a body without a type': graphql,
  'a query of a function that writes': (server, headers) =>
    send(server, '/v1/graphql', { headers, body: { query: QUERY } }),
  'a query of such a function by GET': (server, headers) =>
    send(server, `/v1/graphql?query=${encodeURIComponent(QUERY)}`, { method: 'GET', headers }),
  'a batch': (server, headers) =>
    send(server, '/v1/graphql', {
      headers: { ...headers, 'content-type': 'text/plain' },
      body: [{ query: MUTATION }],
    }),
  'the other path': (server, headers) =>
    send(server, '/v1alpha1/graphql', { headers, body: { query: MUTATION } }),
  'a saved operation': (server, headers) =>
    send(server, '/v1/graphql', { headers, body: { documentId: 'Add' } }),
  'a REST endpoint by GET': (server, headers) => send(server, '/api/rest/add', { method: 'GET', headers }),
  'a REST endpoint by a form': (server, headers) =>
    send(server, '/api/rest/add', {
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    }),
};

describe('with credentials from a cookie, nothing is written by', () => {
  test.each(Object.entries(SIMPLE))('%s', async (_, sent) => {
    for (const [server, credentials] of [
      [open, cookie],
      [strict, cookie],
      [hooked, 'session=x'],
    ] as const)
      for (const origin of [{}, { origin: FOREIGN }, { origin: 'null' }]) {
        const { text } = await sent(server, { ...origin, cookie: credentials });
        expect(text).toMatch(
          /"code":"access-denied"|only queries can be run|cannot be run with GET|files are not uploaded/,
        );
      }
    expect(await notes()).toBe(0);
  });

  test('JSON from another origin, where CORS names none', async () => {
    const json = { cookie, origin: FOREIGN, 'content-type': 'application/json' };
    expect((await graphql(open, json)).text).toContain('accepted from origins that cors-domain names');
    expect((await graphql(hooked, json)).text).toContain('accepted from origins that cors-domain names');
    expect(await notes()).toBe(0);
  });

  test('the interfaces of administrators', async () => {
    const body = { type: 'run_sql', args: { sql: `insert into note (text) values ('sql')` } };
    for (const path of ['/v1/query', '/v2/query', '/v1/metadata']) {
      const headers = { cookie, 'content-type': 'text/plain' };
      const { json } = await send(strict, path, { headers, body });
      expect(json).toMatchObject({ code: 'access-denied' });
    }
    expect(await notes()).toBe(0);
  });

  test('passwords that a browser attaches to a webhook mode', async () => {
    const headers = { authorization: 'Basic YTpi', 'content-type': 'text/plain' };
    expect((await graphql(hooked, headers)).text).toContain('access-denied');
    expect(await notes()).toBe(0);
  });
});

describe('what a page of the own site sends is written:', () => {
  test.each<[string, Sent]>([
    ['JSON', (server, headers) => graphql(server, { ...headers, 'content-type': 'application/json' })],
    [
      'JSON with a charset',
      (server, headers) => graphql(server, { ...headers, 'content-type': 'Application/JSON; charset=utf-8' }),
    ],
    ['a header of its own', (server, headers) => graphql(server, { ...headers, 'x-requested-with': 'app' })],
    ['PUT', (server, headers) => send(server, '/api/rest/add', { method: 'PUT', headers })],
    [
      'GET with a header of its own',
      (server, headers) =>
        send(server, '/api/rest/add', { method: 'GET', headers: { ...headers, 'x-requested-with': 'app' } }),
    ],
  ])('%s', async (_, sent) => {
    const cases = [
      [open, { cookie, origin: `http://127.0.0.1` }],
      [open, { cookie, origin: FOREIGN, 'sec-fetch-site': 'same-origin' }],
      [open, { cookie }],
      [strict, { cookie, origin: APP }],
      [hooked, { cookie: 'session=x' }],
    ] as const;
    for (const [server, headers] of cases) expect((await sent(server, headers)).text).toContain('"written"');
    expect(await notes()).toBe(cases.length);
  });

  test('anything with other credentials, and reads with a cookie', async () => {
    const form = { 'content-type': 'text/plain', origin: FOREIGN };
    for (const headers of [{ 'x-engine-admin-secret': ADMIN, cookie: 'a=b' }])
      expect((await graphql(open, { ...form, ...headers })).text).toContain('"written"');
    expect((await graphql(hooked, { ...form, authorization: 'Bearer x' })).text).toContain('"written"');
    const query = { query: '{ note { text } }' };
    expect((await send(open, '/v1/graphql', { headers: { ...form, cookie }, body: query })).text).toContain(
      '"data"',
    );
  });
});
