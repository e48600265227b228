import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfiguration } from '../../../runtime/configuration/configuration.ts';
import { packageVersion } from '../../../runtime/configuration/package-version.ts';
import type { Observation } from '../../../runtime/observe/logs/observe.ts';
import { type RunningServer, startServer } from '../../../runtime/server/main.ts';
import { queryPages } from '../../../runtime/server/serve-command.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { bundledCompiler } from '../../harness/server.ts';

const schema = `
  create table note (id int primary key, owner_id int not null, text text not null);
  insert into note values (1, 1, 'one'), (2, 2, 'two'), (3, 1, repeat('long ', 300));
`;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly json: unknown;
}

/** A real request; `fetch` would decompress and add headers of its own. */
function send(
  server: RunningServer,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string | object } = {},
): Promise<Answer> {
  const { method = 'POST', headers = {}, body = '' } = options;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { port: server.port, host: '127.0.0.1', path, method, headers, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const content = Buffer.concat(chunks);
          let json: unknown;
          try {
            json = JSON.parse(content.toString());
          } catch {
            json = undefined;
          }
          resolve({ status: response.statusCode!, headers: response.headers, body: content, json });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
}

async function start(
  database: TestDatabase,
  environment: Record<string, string>,
): Promise<RunningServer & { observations: Observation[] }> {
  const observations: Observation[] = [];
  const all = { ENGINE_GRAPHQL_DATABASE_URL: database.url, ENGINE_GRAPHQL_SERVER_PORT: '0', ...environment };
  const observe = Object.assign((observation: Observation) => void observations.push(observation), {
    flush: async () => {},
  });
  const configuration = readConfiguration({}, all);
  const server = await startServer({
    configuration,
    environment: all,
    endpoints: queryPages(configuration),
    compiler: bundledCompiler(),
    observe,
  });
  return { ...server, observations };
}

const text = (id: number) => ({ query: `{ note_by_pk(id: ${id}) { text } }` });
const error = (message: string, code: string, path = '$') => ({
  errors: [{ message, extensions: { path, code } }],
});

let database: TestDatabase;
let open: Awaited<ReturnType<typeof start>>;
let secured: Awaited<ReturnType<typeof start>>;
let anonymous: Awaited<ReturnType<typeof start>>;

beforeAll(async () => {
  database = await createTestDatabase(schema);
  open = await start(database, { ENGINE_GRAPHQL_MAX_REQUEST_BODY_SIZE: '20000' });
  const table = { source: 'default', table: 'note' };
  const own = { owner_id: { _eq: 'X-Engine-User-Id' } };
  const setUp = await send(open, '/v1/metadata', {
    body: {
      type: 'bulk',
      args: [
        { type: 'pg_track_table', args: table },
        {
          type: 'pg_create_select_permission',
          args: { ...table, role: 'user', permission: { columns: ['id', 'text'], filter: own } },
        },
        {
          type: 'pg_create_select_permission',
          args: { ...table, role: 'guest', permission: { columns: ['id'], filter: {} } },
        },
      ],
    },
  });
  expect(setUp.status, setUp.body.toString()).toBe(200);
  secured = await start(database, { ENGINE_GRAPHQL_ADMIN_SECRETS: '["first-secret", "second-secret"]' });
  anonymous = await start(database, {
    ENGINE_GRAPHQL_ADMIN_SECRET: 'only-secret',
    ENGINE_GRAPHQL_UNAUTHORIZED_ROLE: 'guest',
    ENGINE_GRAPHQL_PRESERVE_401_ERRORS: 'true',
  });
});

afterAll(() => Promise.all([open, secured, anonymous].map((server) => server?.stop())));

describe('who is asking', () => {
  const user = { 'x-engine-role': 'user', 'X-Engine-User-Id': '1' };

  test('in open mode: whoever one says, an administrator by default', async () => {
    expect((await send(open, '/v1/graphql', { body: text(2) })).json).toEqual({
      data: { note_by_pk: { text: 'two' } },
    });
    const asUser = await send(open, '/v1/graphql', { body: { query: '{ note { id } }' }, headers: user });
    expect(asUser.json).toEqual({ data: { note: [{ id: 1 }, { id: 3 }] } });
    const emptyRole = await send(open, '/v1/graphql', { body: text(2), headers: { 'x-engine-role': '' } });
    expect(emptyRole.json).toEqual({ data: { note_by_pk: { text: 'two' } } });
  });

  test('with secrets: any of them is right', async () => {
    for (const secret of ['first-secret', 'second-secret']) {
      for (const header of ['x-engine-admin-secret', 'X-Engine-Access-Key']) {
        const answer = await send(secured, '/v1/graphql', { body: text(2), headers: { [header]: secret } });
        expect(answer.json).toEqual({ data: { note_by_pk: { text: 'two' } } });
      }
    }
    const asUser = await send(secured, '/v1/graphql', {
      body: text(2),
      headers: { ...user, 'x-engine-admin-secret': 'first-secret' },
    });
    expect(asUser.json).toEqual({ data: { note_by_pk: null } });
  });

  test('with secrets: a wrong one and none are refused', async () => {
    const wrong = await send(secured, '/v1/graphql', {
      body: text(2),
      headers: { 'x-engine-admin-secret': 'first-secre' },
    });
    expect(wrong).toMatchObject({
      status: 200,
      json: error('invalid x-engine-admin-secret/x-engine-access-key', 'access-denied'),
    });
    const none = await send(secured, '/v1/graphql', { body: text(2), headers: user });
    expect(none).toMatchObject({
      status: 200,
      json: error('x-engine-admin-secret/x-engine-access-key required, but not found', 'access-denied'),
    });
    expect((await send(secured, '/v1alpha1/graphql', { body: text(2) })).status).toBe(401);
    const metadata = await send(secured, '/v1/metadata', { body: { type: 'export_metadata', args: {} } });
    expect(metadata).toMatchObject({ status: 401, json: { code: 'access-denied', path: '$' } });
  });

  test('with an unauthorized role: that role whatever the header says, and 401 kept for a wrong secret', async () => {
    const guest = await send(anonymous, '/v1/graphql', { body: { query: '{ note { id } }' }, headers: user });
    expect(guest.json).toEqual({ data: { note: [{ id: 1 }, { id: 2 }, { id: 3 }] } });
    const hidden = await send(anonymous, '/v1/graphql', { body: text(1) });
    expect(hidden.json).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] });
    const wrong = await send(anonymous, '/v1/graphql', {
      body: text(1),
      headers: { 'x-engine-admin-secret': 'x' },
    });
    expect(wrong.status).toBe(401);
  });

  test('a bad boolean for backend-only permissions is refused where it would count', async () => {
    const headers = { 'x-engine-use-backend-only-permissions': 'perhaps' };
    expect((await send(open, '/v1/graphql', { body: text(1), headers })).json).toMatchObject({
      errors: [{ extensions: { code: 'bad-request' } }],
    });
    const guest = await send(anonymous, '/v1/graphql', { body: { query: '{ note { id } }' }, headers });
    expect(guest.json).toHaveProperty('data');
  });

  test('secrets are in no log line', () => {
    for (const server of [secured, anonymous]) {
      expect(server.observations.length).toBeGreaterThan(0);
      expect(JSON.stringify(server.observations)).not.toMatch(
        /first-secret|second-secret|only-secret|postgres(ql)?:/,
      );
    }
  });
});

describe('bodies', () => {
  test.each([
    ['empty', '', error('Error in $: not enough input', 'invalid-json')],
    ['without a query', '{}', error('key "query" not found', 'parse-failed')],
    [
      'with a query of another type',
      '{"query": 1}',
      error('parsing Text failed, expected String, but encountered Number', 'parse-failed', '$.query'),
    ],
    [
      'with variables of another type',
      '{"query": "{__typename}", "variables": []}',
      error('parsing HashMap failed, expected Object, but encountered Array', 'parse-failed', '$.variables'),
    ],
    [
      'that is no object',
      '"text"',
      error('parsing GraphQL request failed, expected Object, but encountered String', 'parse-failed'),
    ],
  ])('%s', async (_name, body, expected) => {
    expect(await send(open, '/v1/graphql', { body })).toMatchObject({ status: 200, json: expected });
    expect(await send(open, '/v1alpha1/graphql', { body })).toMatchObject({ status: 400, json: expected });
  });

  test('that are not JSON', async () => {
    for (const body of ['{', 'query { note }', '{"query": "{a}",}']) {
      const { status, json } = await send(open, '/v1/graphql', { body });
      expect(status).toBe(200);
      expect(json).toMatchObject({ errors: [{ extensions: { code: 'invalid-json', path: '$' } }] });
    }
  });

  test('of any content type', async () => {
    for (const type of ['application/json', 'text/plain', 'application/graphql-response+json']) {
      const { json } = await send(open, '/v1/graphql', { body: text(1), headers: { 'content-type': type } });
      expect(json).toEqual({ data: { note_by_pk: { text: 'one' } } });
    }
  });

  test('with null for what is optional', async () => {
    const body = { ...text(1), variables: null, operationName: null, extensions: null };
    expect((await send(open, '/v1/graphql', { body })).json).toEqual({
      data: { note_by_pk: { text: 'one' } },
    });
  });

  test('as batches: answered in order, each member alone', async () => {
    const body = [text(1), { query: '{ nothing }' }, 5, text(2)];
    const { status, json } = await send(open, '/v1/graphql', { body });
    expect(status).toBe(200);
    expect(json).toEqual([
      { data: { note_by_pk: { text: 'one' } } },
      error("field 'nothing' not found in type: 'query_root'", 'validation-failed', '$.selectionSet.nothing'),
      error('parsing GraphQL request failed, expected Object, but encountered Number', 'parse-failed'),
      { data: { note_by_pk: { text: 'two' } } },
    ]);
    expect((await send(open, '/v1/graphql', { body: [] })).json).toEqual([]);
  });

  test('that are too large are answered 413', async () => {
    const answer = await send(open, '/v1/graphql', { body: { query: 'x'.repeat(30_000) } });
    expect(answer.status).toBe(413);
    expect(answer.json).toMatchObject({
      errors: [{ message: 'the request body is larger than 20000 bytes' }],
    });
    expect((await send(open, '/v1/metadata', { body: 'x'.repeat(30_000) })).json).toMatchObject({
      path: '$',
    });
  });

  test('persisted queries are not supported', async () => {
    const body = {
      query: '{ __typename }',
      extensions: { persistedQuery: { version: 1, sha256Hash: 'abc' } },
    };
    // Clients of automatic persisted queries send plain texts after this answer.
    const expected = error('PersistedQueryNotSupported', 'PERSISTED_QUERY_NOT_SUPPORTED');
    expect((await send(open, '/v1/graphql', { body })).json).toEqual(expected);
    const hashOnly = { extensions: body.extensions };
    expect((await send(open, '/v1/graphql', { body: hashOnly })).json).toEqual(expected);
    expect((await send(open, '/v1/graphql', { method: 'GET' })).json).toEqual(
      error('Automatic Persisted Queries is not enabled', 'not-supported'),
    );
  });
});

describe('answers', () => {
  test('carry the request id of the client, or a new one', async () => {
    const given = await send(open, '/v1/graphql', { body: text(1), headers: { 'x-request-id': 'mine' } });
    expect(given.headers['x-request-id']).toBe('mine');
    const ids = await Promise.all(['/v1/graphql', '/nowhere', '/healthz'].map((path) => send(open, path)));
    for (const { headers } of ids) expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(given.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(given.body.length),
    });
  });

  test('are compressed when the client accepts it and they are large enough', async () => {
    const headers = { 'accept-encoding': 'deflate, gzip;q=0.5' };
    const large = await send(open, '/v1/graphql', { body: text(3), headers });
    expect(large.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(large.headers['content-length']).toBe(String(large.body.length));
    expect(JSON.parse(gunzipSync(large.body).toString())).toEqual({
      data: { note_by_pk: { text: 'long '.repeat(300) } },
    });
    const small = await send(open, '/v1/graphql', { body: text(1), headers });
    expect(small.headers['content-encoding']).toBeUndefined();
    const forced = await send(open, '/v1/graphql', {
      body: text(1),
      headers: { 'accept-encoding': 'gzip, identity;q=0' },
    });
    expect(JSON.parse(gunzipSync(forced.body).toString())).toEqual({ data: { note_by_pk: { text: 'one' } } });
    for (const accept of ['*', 'identity', 'gzip;q=0']) {
      const plain = await send(open, '/v1/graphql', {
        body: text(3),
        headers: { 'accept-encoding': accept },
      });
      expect(plain.headers['content-encoding']).toBeUndefined();
    }
  });

  test('of unknown paths and methods are 404 in the shape of the reference', async () => {
    const notFound = { path: '$', error: 'resource does not exist', code: 'not-found' };
    expect(await send(open, '/v1/nothing')).toMatchObject({ status: 404, json: notFound });
    expect(await send(open, '/v1/metadata', { method: 'GET' })).toMatchObject({
      status: 404,
      json: notFound,
    });
  });

  test('echo the origin, and preflights are answered', async () => {
    const headers = { origin: 'https://app.example.com', 'access-control-request-headers': 'X-Engine-Role' };
    const preflight = await send(open, '/v1/graphql', { method: 'OPTIONS', headers });
    expect(preflight).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': 'https://app.example.com',
        'access-control-allow-headers': 'X-Engine-Role',
        'access-control-max-age': '1728000',
        vary: 'Origin',
      },
    });
    const answer = await send(open, '/v1/graphql', { headers, body: text(1) });
    expect(answer.headers['access-control-allow-origin']).toBe('https://app.example.com');
  });

  test('show details of database errors to administrators only', async () => {
    const body = { query: '{ note(where: {id: {_eq: "x"}}) { id } }' };
    const admin = await send(open, '/v1/graphql', { body });
    expect(admin.json).toMatchObject({
      errors: [{ extensions: { code: 'data-exception', internal: { error: { status_code: '22P02' } } } }],
    });
    const user = await send(open, '/v1/graphql', { body, headers: { 'x-engine-role': 'guest' } });
    expect(user.json).toEqual(error('invalid input syntax for type integer: "x"', 'data-exception'));
  });

  test('health and version need no authentication', async () => {
    for (const path of ['/healthz', '/engine/healthz', '/healthz?strict=true']) {
      expect(await send(secured, path, { method: 'GET' })).toMatchObject({
        status: 200,
        body: Buffer.from('OK'),
      });
    }
    expect((await send(secured, '/v1/version', { method: 'GET' })).json).toMatchObject({
      server_type: 'ce',
      version: `v${packageVersion}`,
    });
  });
});

test('the query page is served where it is asked for, by default in development mode', async () => {
  const isServed = (environment: Record<string, string>) =>
    queryPages(readConfiguration({}, environment)).length > 0;
  expect(isServed({})).toBe(false);
  expect(isServed({ ENGINE_GRAPHQL_GRAPHIQL: 'true' })).toBe(true);
  expect(isServed({ ENGINE_GRAPHQL_DEV_MODE: 'true', ENGINE_GRAPHQL_GRAPHIQL: 'false' })).toBe(false);
  expect((await send(open, '/graphiql', { method: 'GET' })).status).toBe(404);
  const server = await start(database, { ENGINE_GRAPHQL_DEV_MODE: 'true' });
  expect((await send(server, '/graphiql', { method: 'GET' })).status).toBe(200);
  await server.stop();
});

test('the OpenAPI document without endpoints is empty', async () => {
  expect((await send(open, '/api/swagger/json', { method: 'GET' })).json).toEqual({
    openapi: '3.0.0',
    info: {
      title: 'Rest Endpoints',
      description: 'This OpenAPI specification is automatically generated by Engine.',
      version: '',
    },
    paths: {},
    components: {},
  });
});

test('a disabled API is not found', async () => {
  const server = await start(database, { ENGINE_GRAPHQL_ENABLED_APIS: 'metadata' });
  for (const path of ['/v1/graphql', '/v1beta1/relay'])
    expect((await send(server, path, { body: text(1) })).status, path).toBe(404);
  await server.stop();
});

test('stopping finishes the requests that run', async () => {
  const server = await start(database, {});
  await database.query('create view slow as select pg_advisory_xact_lock_shared(1)::text as done');
  await send(server, '/v1/metadata', {
    body: { type: 'pg_track_table', args: { source: 'default', table: 'slow' } },
  });
  const holder = new pg.Client(database.url);
  await holder.connect();
  await holder.query('select pg_advisory_lock(1)');
  const running = send(server, '/v1/graphql', { body: { query: '{ slow { done } }' } });
  const waiting = () =>
    database.query(
      `select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`,
    );
  await expect.poll(waiting).toHaveLength(1);
  const stopped = server.stop();
  await holder.end();
  await stopped;
  expect((await running).json).toEqual({ data: { slow: [{ done: '' }] } });
  await expect(send(server, '/healthz')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('a taken port is told, with what to do', async () => {
  const other = { ENGINE_GRAPHQL_SERVER_PORT: String(open.port) };
  await expect(start(database, other)).rejects.toThrow(`port ${open.port} is taken by another program`);
});

test('a metadata database that cannot be reached is told by host and port, without its password', async () => {
  const unreachable = {
    ENGINE_GRAPHQL_DATABASE_URL: 'postgres://u:hush@127.0.0.1:1/x',
    ENGINE_GRAPHQL_NO_OF_RETRIES: '0',
  };
  await expect(start(database, unreachable)).rejects.toThrow(
    /^the metadata database cannot be used: connection refused( \(127\.0\.0\.1:1\))?$/,
  );
});
