/** A server with `--vocabulary acme`: every edge of the API has that word, and no other one counts. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { Vocabulary } from '../../runtime/core/vocabulary.ts';
import { engineIn } from '../harness/command-line.ts';
import { type RemoteServer, startRemoteServer } from '../harness/remote-server.ts';
import { send, serve, type TestServer } from '../harness/server.ts';
import { startWebhook, type WebhookReceiver } from '../harness/webhook.ts';

const SECRET = 'the-secret-of-the-test';
const ACME = new Vocabulary('acme');
const ADMIN = { 'x-acme-admin-secret': SECRET };

const TABLES = `
  create table note (id serial primary key, owner text, brand text default 'engine', wrote text);
  create function note_wrote() returns trigger language plpgsql as $$
    begin new.wrote = current_setting('acme.user', true); return new; end $$;
  create trigger wrote before insert on note for each row execute function note_wrote();
  create function of_session(wanted json) returns setof note language sql stable as $$
    select * from note where owner = wanted ->> 'x-acme-user-id' $$;
  insert into note (owner, brand) values ('ada', 'x-acme'), ('bob', 'engine and acme');`;

let hook: WebhookReceiver;
let remote: RemoteServer;
let server: TestServer;

beforeAll(async () => {
  hook = await startWebhook((call, response) =>
    response.end(
      call.path === '/who'
        ? JSON.stringify({ 'X-Acme-Role': 'user', 'x-engine-role': 'admin', 'x-acme-user-id': 'bob' })
        : '{"text":"done"}',
    ),
  );
  remote = await startRemoteServer('type Query { echo(who: String): String }', {
    echo: ({ who }: { who: string }) => who,
  });
  const options = {
    ADMIN_SECRET: SECRET,
    AUTH_HOOK: `${hook.url}/who`,
    ENABLED_APIS: 'metadata,graphql,config,metrics,developer',
    EXPERIMENTAL_FEATURES: 'naming_convention,apollo_federation',
    ENABLE_CONSOLE: 'true',
    DEV_MODE: 'true',
    ASYNC_ACTIONS_COMPLETION_URL: 'http://127.0.0.1:1',
    ASYNC_ACTIONS_FETCH_INTERVAL: '100',
    ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true',
  };
  const variables = { HANDLER: hook.url, REMOTE: remote.url };
  server = await serve({ sql: TABLES, metadata: METADATA, options, variables, vocabulary: ACME });
}, 120_000);
afterAll(async () => {
  await server?.stop();
  await hook?.close();
  await remote?.stop();
});

/** In the order and with the keys of an export, so that it comes back byte for byte. */
const METADATA = {
  version: 3,
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      tables: [
        {
          table: { name: 'note', schema: 'public' },
          insert_permissions: [
            {
              role: 'user',
              permission: { check: {}, set: { owner: 'X-ACME-User-Id' }, columns: ['brand'] },
            },
          ],
          select_permissions: [
            {
              role: 'user',
              permission: {
                columns: ['brand', 'id', 'owner', 'wrote'],
                filter: {
                  _or: [
                    { owner: { _eq: 'X-Acme-User-Id' } },
                    { brand: { _in: ['acme', 'x-acme', 'x_engine_mark', 'engine.user'] } },
                  ],
                },
                allow_aggregations: true,
              },
            },
          ],
          event_triggers: [
            {
              name: 'noted',
              definition: { enable_manual: false, insert: { columns: '*' } },
              retry_conf: { num_retries: 0, interval_sec: 10, timeout_sec: 60 },
              webhook: '{{HANDLER}}/noted',
              request_transform: {
                body: {
                  action: 'transform',
                  template:
                    '{"by": {{$session_variables[\'x-acme-user-id\']}}, "acme": {{$body.event.session_variables}} }',
                },
                template_engine: 'Kriti',
                version: 2,
              },
            },
          ],
        },
      ],
      functions: [
        {
          function: { name: 'of_session', schema: 'public' },
          configuration: { custom_name: 'acme_notes', session_argument: 'wanted' },
        },
      ],
      configuration: {
        connection_info: {
          database_url: { from_env: 'ACME_GRAPHQL_DATABASE_URL' },
          isolation_level: 'read-committed',
          use_prepared_statements: false,
        },
      },
      customization: { naming_convention: 'acme-default' },
    },
  ],
  remote_schemas: [
    {
      name: 'elsewhere',
      definition: {
        url: '{{REMOTE}}',
        timeout_seconds: 60,
        forward_client_headers: true,
      },
      permissions: [
        {
          role: 'user',
          definition: {
            schema:
              'schema { query: Query }\ntype Query { echo(who: String @preset(value: "X-Acme-User-Id")): String }',
          },
        },
      ],
    },
  ],
  actions: [
    {
      name: 'shout',
      definition: {
        handler: '{{HANDLER}}/shout',
        output_type: 'Shouted',
        forward_client_headers: true,
        type: 'query',
      },
      permissions: [{ role: 'user' }],
    },
    {
      name: 'shout_later',
      definition: {
        handler: '{{HANDLER}}/later',
        output_type: 'Shouted',
        type: 'mutation',
        kind: 'asynchronous',
      },
      permissions: [{ role: 'user' }],
    },
  ],
  custom_types: { objects: [{ name: 'Shouted', fields: [{ name: 'text', type: 'String' }] }] },
};

const graphql = (query: string, headers: Readonly<Record<string, string>> = {}) =>
  send(server, '/v1/graphql', { body: { query }, headers });
const get = (path: string) => send(server, path, { method: 'GET', headers: ADMIN });

test('headers, session variables and literals have their positions', async () => {
  const session = { ...ADMIN, 'X-Acme-Role': 'user', 'x-acme-user-id': 'ada' };
  expect((await graphql('{ note(order_by: {id: asc}) { owner brand } }', session)).json).toEqual({
    data: { note: [{ owner: 'ada', brand: 'x-acme' }] },
  });
  expect((await graphql('{ acme_notes { owner } }', session)).json).toEqual({
    data: { acme_notes: [{ owner: 'ada' }] },
  });
  const { json: missing } = await graphql('{ note { id } }', { ...ADMIN, 'x-acme-role': 'user' });
  expect(missing).toMatchObject({ errors: [{ message: 'missing session variable: "x-acme-user-id"' }] });
});

test('the hook answers in the vocabulary; other words in its answer do not count', async () => {
  expect((await graphql('{ note { owner } }', { authorization: 'Bearer any' })).json).toEqual({
    data: { note: [{ owner: 'ada' }, { owner: 'bob' }] },
  });
});

test.each([
  ['alone', { 'x-engine-role': 'admin' }],
  ['beside the same name in the vocabulary', { 'x-acme-role': 'user', 'X-Engine-Role': 'admin' }],
  ['as a secret', { 'x-engine-admin-secret': SECRET }],
  ['as programs without hyphens read it', { X_Engine_Role: 'admin' }],
])('a header of the word engine is refused: %s', async (_, headers) => {
  const { json } = await graphql('{ note { id } }', { ...ADMIN, ...headers });
  expect(json).toMatchObject({ errors: [{ extensions: { code: 'bad-request' } }] });
  const { status } = await send(server, '/v1/metadata', {
    body: { type: 'export_metadata', args: {} },
    headers: { ...ADMIN, ...headers },
  });
  expect(status).toBe(400);
});

test('the export has every byte of the spelling', async () => {
  const { json } = await send(server, '/v1/metadata', {
    body: { type: 'export_metadata', args: {} },
    headers: ADMIN,
  });
  expect(JSON.stringify(json)).toBe(JSON.stringify(METADATA));
});

test('a session variable of the word engine is no literal', async () => {
  const args = {
    table: 'note',
    role: 'other',
    permission: { columns: ['id'], filter: { owner: { _neq: 'X-Engine-User-Id' } } },
  };
  const { status, json } = await send(server, '/v1/metadata', {
    body: { type: 'pg_create_select_permission', args },
    headers: ADMIN,
  });
  expect(status).toBe(400);
  expect(JSON.stringify(json)).toContain('is a session variable of another vocabulary');
});

test('settings, payloads of events and templates', async () => {
  const session = { ...ADMIN, 'x-acme-role': 'user', 'x-acme-user-id': 'eve' };
  const { json } = await graphql(
    'mutation { insert_note_one(object: {brand: "new"}) { owner wrote } }',
    session,
  );
  const spoken = { 'x-acme-role': 'user', 'x-acme-user-id': 'eve' };
  const { owner, wrote } = (json as { data: { insert_note_one: { owner: string; wrote: string } } }).data
    .insert_note_one;
  expect([owner, JSON.parse(wrote)]).toEqual(['eve', spoken]);
  await expect
    .poll(() => hook.calls.find(({ path }) => path === '/noted')?.body)
    .toEqual({
      by: 'eve',
      acme: spoken,
    });
});

test('the payload of actions, and which headers go along', async () => {
  const spelt = { x_acme_user_id: 'bob', X_Acme_Role: 'admin' };
  const session = { ...ADMIN, 'x-acme-role': 'user', 'x-acme-user-id': 'ada', 'x-other': 'goes', ...spelt };
  expect((await graphql('{ shout { text } }', session)).json).toEqual({
    data: { shout: { text: 'done' } },
  });
  const call = hook.calls.find(({ path }) => path === '/shout')!;
  expect(call.body).toMatchObject({ session_variables: { 'x-acme-role': 'user', 'x-acme-user-id': 'ada' } });
  const names = call.headers.map(([name]) => name.toLowerCase());
  expect(names).toContain('x-other');
  expect(names.filter((name) => /^x.(acme|engine)/.test(name))).toEqual([]);
});

test('presets of remote schemas, and the names of the variables that they are sent in', async () => {
  const session = { ...ADMIN, 'x-acme-role': 'user', 'x-acme-user-id': 'ada', X_Acme_Role: 'admin' };
  expect((await graphql('{ echo }', session)).json).toEqual({ data: { echo: 'ada' } });
  expect(remote.calls[0]).toMatchObject({ variables: { x_acme_user_id: 'ada' } });
  const names = Object.keys(remote.calls[0]!.headers).filter((name) => /^x.(acme|engine)/.test(name));
  expect(names).toEqual(['x-acme-role', 'x-acme-user-id']);
  expect((await graphql('{ echo }', { ...ADMIN, 'x-acme-role': 'user' })).json).toMatchObject({
    errors: [{ message: '"x-acme-user-id" session variable expected, but not found' }],
  });
});

test('the header with the address where a call is completed', async () => {
  const session = { ...ADMIN, 'x-acme-role': 'user' };
  expect((await graphql('mutation { shout_later }', session)).json).toMatchObject({ data: {} });
  const call = () => hook.calls.find(({ path }) => path === '/later');
  await expect.poll(call).toBeDefined();
  const names = call()!.headers.map(([name]) => name);
  expect(names.filter((name) => /^x.(acme|engine)/i.test(name))).toEqual(['X-Acme-Completion-Url']);
});

test('endpoints, metrics, explanations and the log', async () => {
  expect((await send(server, '/acme/healthz', { method: 'GET' })).text).toBe('OK');
  expect((await send(server, '/engine/healthz', { method: 'GET' })).status).toBe(404);
  const { text: metrics } = await get('/v1/metrics');
  expect(metrics).toContain('\nacme_');
  expect(metrics).not.toMatch(/^engine_/m);
  const { json: config } = await get('/v1alpha1/config');
  expect(config).toMatchObject({ default_naming_convention: 'acme-default' });
  const explained = await send(server, '/v1/graphql/explain', {
    body: { query: { query: '{ note { id } }' }, user: { 'X-Acme-Role': 'user', 'x-acme-user-id': 'ada' } },
    headers: ADMIN,
  });
  expect(explained.status).toBe(200);
  const foreign = { query: { query: '{ note { id } }' }, user: { 'x-engine-role': 'user' } };
  expect((await send(server, '/v1/graphql/explain', { body: foreign, headers: ADMIN })).status).toBe(400);
  expect(server.output()).toContain('"x-acme-role":"user"');
  expect(server.output()).not.toMatch(/"x-engine-[a-z-]+":/);
});

test('the relay API, sockets and what administrators see of them', async () => {
  const session = { ...ADMIN, 'x-acme-role': 'user', 'x-acme-user-id': 'ada' };
  const query =
    'query ($id: ID!) { node(id: $id) { ... on note { owner } } note_connection(first: 1) { edges { node { owner } } } }';
  const node = async (key: number) => {
    const id = Buffer.from(JSON.stringify([1, 'public', 'note', key])).toString('base64');
    return (await send(server, '/v1beta1/relay', { body: { query, variables: { id } }, headers: session }))
      .json;
  };
  const edges = [{ node: { owner: 'ada' } }];
  expect(await node(1)).toEqual({ data: { node: { owner: 'ada' }, note_connection: { edges } } });
  expect(await node(2)).toEqual({ data: { node: null, note_connection: { edges } } });

  const socket = (headers: object) => {
    const client = new WebSocket(`ws://127.0.0.1:${server.port}/v1/graphql`, 'graphql-transport-ws');
    client.on('open', () => send({ type: 'connection_init', payload: { headers } }));
    const send = (message: object) => client.send(JSON.stringify(message));
    const next = () =>
      new Promise<unknown>((resolve) => {
        client.on('message', (data) => {
          const message = JSON.parse(String(data)) as { readonly type: string };
          if (message.type !== 'ping') resolve(message);
        });
        client.on('close', (code, reason) => resolve({ code, reason: String(reason) }));
      });
    return { send, next, close: () => client.close() };
  };
  const own = socket(session);
  expect(await own.next()).toMatchObject({ type: 'connection_ack' });
  own.send({ type: 'subscribe', id: '1', payload: { query: 'subscription { note { owner } }' } });
  expect(await own.next()).toMatchObject({ payload: { data: { note: [{ owner: 'ada' }] } } });
  const { json } = await get('/dev/subscriptions/extended');
  expect(json).toMatchObject({
    live_queries_map: [{ cohorts: [{ variables: { session: { 'x-acme-user-id': 'ada' } } }] }],
  });
  own.close();
  const foreign = socket({ ...session, 'X-Engine-Role': 'admin' });
  expect(await foreign.next()).toMatchObject({ code: 4403 });
});

test('the console shows rules in the words of the vocabulary', async () => {
  const place = 'kind=table&source=default&name=public.note';
  const { json } = await get(`/engine/console/detail?${place}`);
  const { permissions } = json as { permissions: { where?: string; presets?: object }[] };
  expect(permissions.map(({ where, presets }) => where ?? presets)).toEqual([
    "owner = X-Acme-User-Id\nor brand in ('acme', 'x-acme', 'x_engine_mark', 'engine.user')",
    { owner: 'X-Acme-User-Id' },
  ]);
});

test('metadata comes over by a command, as files in which its word stays, and goes into a server', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'engine-adopted-'));
  try {
    const engine = async (...args: readonly string[]) => {
      const environment = { ACME_GRAPHQL_ADMIN_SECRET: SECRET, REMOTE: remote.url };
      const { status, stdout, stderr } = await engineIn(environment, ...args, '--vocabulary', 'acme');
      return { status, output: stdout + stderr };
    };
    const metadata = join(folder, 'metadata');
    const over = ['--endpoint', `http://127.0.0.1:${server.port}`, '--metadata', metadata];
    expect(await engine('metadata', 'export', ...over)).toMatchObject({ status: 0 });
    expect(readFileSync(join(metadata, 'databases/default/tables/public_note.yaml'), 'utf8')).toContain(
      'owner: X-ACME-User-Id',
    );
    const out = join(folder, 'generated');
    const compiled = await engine(
      'compile',
      '--metadata',
      metadata,
      '--database-url',
      server.database.url,
      '--out',
      out,
    );
    expect(compiled).toMatchObject({ status: 0, output: expect.not.stringContaining('warning') });
    expect(await engine('verify', out, '--database-url', server.database.url)).toMatchObject({
      status: 0,
      output: expect.stringMatching(/^same/),
    });
    expect(await engine('metadata', 'apply', ...over)).toMatchObject({ status: 0 });
    expect((await engine('metadata', 'diff', ...over)).output).toBe('No difference.\n');
    // As a request of version 2 answers it.
    writeFileSync(`${metadata}.json`, JSON.stringify({ resource_version: 1, metadata: METADATA }));
    expect((await engine('metadata', 'diff', ...over.slice(0, 3), `${metadata}.json`)).output).toBe(
      'No difference.\n',
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 120_000);

test('the help of the server names headers and values as they are read', async () => {
  const { stdout } = await engineIn({}, 'serve', '--help', '--vocabulary', 'acme');
  expect(stdout).toContain('--default-naming-convention <acme-default|graphql-default>');
  expect(stdout).toContain('x-acme-admin-secret');
  expect(stdout).not.toContain('x-engine-');
});

test('an option that is set in the word engine stops the start', async () => {
  const other = { ENGINE_GRAPHQL_ADMIN_SECRET: SECRET };
  await expect(serve({ database: server.database, variables: other, vocabulary: ACME })).rejects.toThrow(
    'Environment variable ENGINE_GRAPHQL_ADMIN_SECRET is not read in the vocabulary "acme"; set ACME_GRAPHQL_ADMIN_SECRET',
  );
});

test('metadata that is stored in one vocabulary is not read in another', async () => {
  await expect(serve({ database: server.database, options: { NO_OF_RETRIES: '0' } })).rejects.toThrow(
    'its metadata is written in the vocabulary "acme"',
  );
});
