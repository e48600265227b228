/** Headers are UTF-8 at every entrance and exit of a running server; what cannot be sent is refused by name. */

import jwt from 'jsonwebtoken';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { answering, Handler, type HandlerCall } from '../../harness/handler.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { type RemoteServer, startRemoteServer } from '../../harness/remote-server.ts';
import { send, startTestServer, type TestServer } from '../../harness/server.ts';
import { openSocket } from '../../harness/socket.ts';

const TEXTS = ['Teståå', 'Łukasz', '田中', 'grün 🦊', 'a\tb', 'ÿ', 'é'.repeat(4096)];
/** A value, and what its message says of it. */
const UNSENDABLE = [
  ['two\nlines', 'the control character U+000A at position 4'],
  ['a\r\nx-engine-role: admin', 'the control character U+000D at position 2'],
  ['nul\0', 'the control character U+0000 at position 4'],
  ['\u001b[31m', 'the control character U+001B at position 1'],
  ['rub\u007fout', 'the control character U+007F at position 4'],
  ['half \ud83e', 'half of a character, U+D83E at position 6'],
] as const;

/** As HTTP clients of the platform take and give bytes. */
const bytes = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
const text = (value: unknown) => Buffer.from(String(value), 'latin1').toString('utf8');
// A text would be written together with the headers, in its encoding.
const withHeader =
  (name: string, value: string): Handler['answer'] =>
  (_, response) =>
    response.writeHead(200, { [name]: bytes(value) }).end(Buffer.from('{"ok":"yes"}'));
const SECRET = 'Geheimnis-der-Straße-田中';
const KEY = 'k'.repeat(32);
const CONFIGURED = 'Wörter 田中';

let database: TestDatabase;
let handler: Handler;
let hook: Handler;
let remote: RemoteServer;
let server: TestServer;
let hooked: TestServer;
let hookedByPost: TestServer;

const named = (name: string, role = 'user') => ({ 'x-engine-role': role, 'x-engine-name': bytes(name) });
const trusted = { 'x-engine-admin-secret': bytes(SECRET) };

async function metadata(type: string, args: object): Promise<unknown> {
  const { json } = await send(server, '/v1/metadata', { body: { type, args }, headers: trusted });
  expect(json, type).not.toHaveProperty('error');
  return json;
}

async function graphql(query: string, headers: Record<string, string>, at = server): Promise<unknown> {
  return (await send(at, '/v1/graphql', { body: { query }, headers: { ...trusted, ...headers } })).json;
}

const lastCall = (path: string): HandlerCall | undefined => handler.calls.findLast(({ url }) => url === path);

beforeAll(async () => {
  database = await createTestDatabase(`
    create table note (id serial primary key, name text, body text);
    insert into note (name, body) select name, 'of ' || length(name) from unnest(array[${TEXTS.map((each) => `'${each}'`)}]) name`);
  handler = await new Handler().listen();
  hook = await new Handler().listen();
  remote = await startRemoteServer('type Query { ping: String }', { ping: 'pong' });
  const options = { ADMIN_SECRET: SECRET, JWT_SECRET: JSON.stringify({ type: 'HS256', key: KEY }) };
  const bad = UNSENDABLE.map(([value], index) => [`BAD_${index}`, value] as const);
  const variables = { NAMED: CONFIGURED, ...Object.fromEntries(bad) };
  server = await startTestServer(database, { ...options, EVENTS_FETCH_INTERVAL: '100' }, variables);
  const table = 'note';
  await metadata('pg_track_table', { table });
  const filter = { name: { _eq: 'X-Engine-Name' } };
  await metadata('pg_create_select_permission', {
    table,
    role: 'user',
    permission: { columns: ['name', 'body'], filter },
  });
  await metadata('pg_create_insert_permission', {
    table,
    role: 'user',
    permission: { columns: ['body'], check: {}, set: { name: 'x-engine-name' } },
  });
  await metadata('set_custom_types', {
    objects: [{ name: 'Out', fields: [{ name: 'ok', type: 'String' }] }],
  });
  for (const [name, value_from_env] of [
    ['act', 'NAMED'],
    ['broken', 'BAD_0'],
  ])
    await metadata('create_action', {
      name,
      definition: {
        kind: 'synchronous',
        type: 'mutation',
        handler: `${handler.url}/${name}`,
        output_type: 'Out',
        forward_client_headers: true,
        headers: [{ name: 'x-configured', value_from_env }],
      },
    });
  for (const name of ['act', 'broken'])
    await metadata('create_action_permission', { action: name, role: 'user' });
  await metadata('add_remote_schema', {
    name: 'far',
    definition: {
      url: remote.url,
      forward_client_headers: true,
      headers: [{ name: 'x-configured', value_from_env: 'NAMED' }],
    },
  });
  await metadata('create_query_collection', {
    name: 'all',
    definition: { queries: [{ name: 'notes', query: '{ note { body } }' }] },
  });
  await metadata('create_rest_endpoint', {
    name: 'notes',
    url: 'notes',
    methods: ['GET'],
    definition: { query: { collection_name: 'all', query_name: 'notes' } },
  });
  const hookOptions = { ADMIN_SECRET: SECRET, AUTH_HOOK: hook.url, DISABLE_EVENTING: 'true' };
  hooked = await startTestServer(database, hookOptions, variables);
  hookedByPost = await startTestServer(database, { ...hookOptions, AUTH_HOOK_MODE: 'POST' }, variables);
}, 120_000);

beforeEach(() => {
  handler.calls = [];
  handler.answer = answering({ ok: 'yes' });
  remote.calls.length = 0;
});

afterAll(async () => {
  await Promise.all([server, hooked, hookedByPost].map((each) => each?.stop()));
  await remote?.stop();
  handler?.close();
  hook?.close();
});

describe.each(TEXTS.map((each) => [each.slice(0, 12), each] as const))('%s', (_, name) => {
  const own = { data: { note: [{ body: `of ${name.length - (name.includes('🦊') ? 1 : 0)}` }] } };

  test('a request: rules, presets, REST, logs, and the id that comes back', async () => {
    const id = `id-${name.slice(0, 50)}`;
    const headers = { ...trusted, ...named(name), 'x-request-id': bytes(id) };
    const body = { query: '{ note { body } }' };
    const answer = await send(server, '/v1/graphql', { body, headers });
    expect(answer.json).toEqual(own);
    expect(text(answer.headers['x-request-id'])).toBe(id);
    // The way through Fastify.
    const slow = await send(server, '/v1/graphql', {
      body,
      headers: { ...headers, origin: 'http://a.test' },
    });
    expect(slow.json).toEqual(own);
    expect(text(slow.headers['x-request-id'])).toBe(id);
    expect((await send(server, '/api/rest/notes', { method: 'GET', headers })).json).toEqual(own.data);
    await graphql('mutation { insert_note_one(object: {body: "new"}) { name } }', named(name));
    expect(await database.query("delete from note where body = 'new' returning name")).toEqual([{ name }]);
    await expect.poll(() => server.output()).toContain(`"x-engine-name":${JSON.stringify(name)}`);
    expect(server.output()).toContain(`"request_id":${JSON.stringify(id)}`);
  });

  test('sockets: the handshake and connection_init', async () => {
    for (const [handshake, init] of [
      [{ ...trusted, ...named(name) }, {}],
      [{}, { 'x-engine-admin-secret': SECRET, 'x-engine-role': 'user', 'x-engine-name': name }],
    ] as const) {
      const socket = await openSocket(server, { headers: handshake });
      socket.send({ type: 'connection_init', payload: { headers: init } });
      expect(await socket.next()).toMatchObject({ type: 'connection_ack' });
      socket.send({ type: 'subscribe', id: '1', payload: { query: '{ note { body } }' } });
      expect((await socket.next()).payload).toEqual(own);
      if ('x-engine-name' in init) {
        socket.send({ type: 'subscribe', id: '2', payload: { query: '{ ping }' } });
        await expect.poll(() => remote.calls.length).toBe(1);
        expect(text(remote.calls[0]!.headers['x-engine-name'])).toBe(name);
      }
      await socket.close();
    }
  });

  test('a token: its claims reach rules and remote schemas', async () => {
    const claims = {
      'x-engine-allowed-roles': ['user'],
      'x-engine-default-role': 'user',
      'x-engine-name': name,
    };
    const authorization = `Bearer ${jwt.sign({ 'https://engine.io/jwt/claims': claims }, KEY)}`;
    const answer = (body: object) => send(server, '/v1/graphql', { body, headers: { authorization } });
    expect((await answer({ query: '{ note { body } }' })).json).toEqual(own);
    expect((await answer({ query: '{ ping }' })).json).toEqual({ data: { ping: 'pong' } });
    expect(text(remote.calls[0]!.headers['x-engine-name'])).toBe(name);
  });

  test('calls: what clients and metadata name reaches actions and remote schemas, cookies come back', async () => {
    handler.answer = withHeader('set-cookie', `who=${name}`);
    const headers = { ...trusted, ...named(name), 'x-own': bytes(name) };
    const body = { query: 'mutation { act { ok } }' };
    const answer = await send(server, '/v1/graphql', { body, headers });
    expect(answer.json).toEqual({ data: { act: { ok: 'yes' } } });
    expect((answer.headers['set-cookie'] as string[]).map(text)).toEqual([`who=${name}`]);
    const { headers: sent, body: payload } = lastCall('/act')!;
    expect([sent['x-own'], sent['x-configured']].map(text)).toEqual([name, CONFIGURED]);
    expect(JSON.parse(payload).session_variables['x-engine-name']).toBe(name);
    await graphql('{ ping }', { ...named(name), 'x-own': bytes(name) });
    const { headers: got } = remote.calls[0]!;
    expect([got['x-own'], got['x-configured'], got['x-engine-name']].map(text)).toEqual([
      name,
      CONFIGURED,
      name,
    ]);
  });

  test('an authentication hook, by GET and by POST', async () => {
    hook.answer = answering({ 'x-engine-role': 'user', 'x-engine-name': name });
    const ask = async (at: TestServer) =>
      (
        await send(at, '/v1/graphql', {
          body: { query: '{ note { body } }' },
          headers: { 'x-who': bytes(name) },
        })
      ).json;
    expect(await ask(hooked)).toEqual(own);
    expect(text(hook.calls.at(-1)!.headers['x-who'])).toBe(name);
    expect(await ask(hookedByPost)).toEqual(own);
    expect(JSON.parse(hook.calls.at(-1)!.body).headers['x-who']).toBe(name);
  });

  test('webhooks of event triggers, cron triggers and one-off events', async () => {
    const headers = [{ name: 'x-named', value: name }];
    handler.answer = withHeader('x-answer', name);
    await metadata('pg_create_event_trigger', {
      name: 'ev',
      table: 'note',
      insert: { columns: '*' },
      webhook: `${handler.url}/event`,
      headers,
      replace: false,
    });
    await graphql('mutation { insert_note_one(object: {body: "new"}) { name } }', named(name));
    await metadata('create_scheduled_event', {
      webhook: `${handler.url}/once`,
      schedule_at: '2020-01-01T00:00:00Z',
      retry_conf: { tolerance_seconds: 1e9 },
      payload: {},
      headers,
    });
    for (const path of ['/event', '/once']) {
      await expect.poll(() => lastCall(path), { timeout: 30_000 }).toBeDefined();
      expect(text(lastCall(path)!.headers['x-named'])).toBe(name);
    }
    const variables = lastCall('/event')!.json as { event: { session_variables: Record<string, string> } };
    expect(variables.event.session_variables['x-engine-name']).toBe(name);
    const logged = async () => JSON.stringify(await metadata('pg_get_event_invocation_logs', { name: 'ev' }));
    await expect.poll(logged).toContain(`{"name":"x-answer","value":${JSON.stringify(name)}}`);
    await metadata('pg_delete_event_trigger', { name: 'ev' });
    await database.query("delete from note where body = 'new'");
  });
});

test('bytes that are not UTF-8 are read as Latin-1', async () => {
  const headers = { 'x-engine-role': 'user', 'x-engine-name': '\xff' };
  expect(await graphql('{ note { name } }', headers)).toEqual({ data: { note: [{ name: 'ÿ' }] } });
});

describe.each(UNSENDABLE.map((each, index) => [...each, index] as const))(
  'a value that no header can have: %j',
  (name, reason, index) => {
    const cannot = (header: string) =>
      `the header "${header}" cannot be sent: its value has ${reason}. Headers are one line of text: remove the character where the value is set.`;

    async function overSocket(query: string, headers: Record<string, string>): Promise<unknown> {
      const socket = await openSocket(server);
      const init = { 'x-engine-admin-secret': SECRET, 'x-engine-role': 'user', ...headers };
      socket.send({ type: 'connection_init', payload: { headers: init } });
      await socket.next();
      socket.send({ type: 'subscribe', id: '1', payload: { query } });
      const { payload } = await socket.next();
      await socket.close();
      return payload;
    }

    test('is named by calls of remote schemas and actions', async () => {
      const refused = (header: string) => [
        { message: cannot(header), extensions: { path: '$', code: 'invalid-headers' } },
      ];
      expect(await overSocket('{ ping }', { 'x-engine-name': name })).toEqual(refused('x-engine-name'));
      expect(await overSocket('{ ping }', { 'x-own': name })).toEqual(refused('x-own'));
      expect(await overSocket('mutation { act { ok } }', { 'x-own': name })).toEqual(refused('x-own'));
      expect([remote.calls, handler.calls]).toEqual([[], []]);
    });

    test('is named by deliveries, which fail one by one', async () => {
      await metadata('pg_create_event_trigger', {
        name: `bad_${index}`,
        table: 'note',
        insert: { columns: '*' },
        webhook: `${handler.url}/event`,
        headers: [{ name: 'x-named', value_from_env: `BAD_${index}` }],
        retry_conf: { num_retries: 1, interval_sec: 0, timeout_sec: 60 },
      });
      await database.query("insert into note (body) values ('new')");
      const logs = async () =>
        (await metadata('pg_get_event_invocation_logs', { name: `bad_${index}` })) as {
          response: { data: { message: string } };
        }[];
      // Retried as any other delivery: the value may come from the environment or a template.
      await expect.poll(async () => (await logs()).length, { timeout: 30_000 }).toBe(2);
      for (const { response } of await logs())
        expect(JSON.parse(response.data.message)).toEqual({
          type: 'invalid_header',
          message: cannot('x-named'),
        });
      await metadata('pg_delete_event_trigger', { name: `bad_${index}` });
    });
  },
);

test('a configured value that cannot be sent is named, and so are names that no header can have', async () => {
  expect(await graphql('mutation { broken { ok } }', named('a'))).toEqual({
    errors: [
      {
        message:
          'the header "x-configured" cannot be sent: its value has the control character U+000A at position 4. Headers are one line of text: remove the character where the value is set.',
        extensions: { path: '$', code: 'invalid-headers' },
      },
    ],
  });
  const claims = {
    'x-engine-allowed-roles': ['user'],
    'x-engine-default-role': 'user',
    'x-engine-not a name': '1',
  };
  const headers = { authorization: `Bearer ${jwt.sign({ 'https://engine.io/jwt/claims': claims }, KEY)}` };
  const { json } = await send(server, '/v1/graphql', { body: { query: '{ ping }' }, headers });
  expect(json).toMatchObject({
    errors: [
      {
        message: expect.stringMatching(
          /^the header "x-engine-not a name" cannot be sent: its name may have letters/,
        ),
        extensions: { code: 'invalid-headers' },
      },
    ],
  });
});
