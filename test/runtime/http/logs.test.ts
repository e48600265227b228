import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import {
  confidential,
  leaks,
  type RequestOptions,
  send,
  startTestServer,
  type TestServer,
} from '../../harness/server.ts';

interface Line {
  readonly timestamp: string;
  readonly level: string;
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: Each type of line has a shape of its own.
  readonly detail: any;
  readonly trace_id?: string;
  readonly span_id?: string;
}

const ADMIN = 'the-admin-secret-of-the-logs';
const MASKED = 'the value that no log shows';

let database: TestDatabase;
let everything: TestServer;
let usual: TestServer;
let onError: TestServer;

beforeAll(async () => {
  confidential.add(ADMIN);
  database = await createTestDatabase(`
    create table account (id int primary key, name text unique);
    insert into account values (1, 'one');
  `);
  everything = await startTestServer(database, {
    ADMIN_SECRET: ADMIN,
    LOG_MASKED_VARIABLES: 'password,profile',
    ENABLE_METADATA_QUERY_LOGGING: 'true',
  });
  const answer = await post(everything, '/v1/metadata', {
    type: 'bulk',
    args: [
      { type: 'pg_track_table', args: { source: 'default', table: 'account' } },
      {
        type: 'create_query_collection',
        args: {
          name: 'rest',
          definition: {
            queries: [
              {
                name: 'named',
                query: 'query named($password: String) { account(where: {name: {_eq: $password}}) { id } }',
              },
            ],
          },
        },
      },
      {
        type: 'create_rest_endpoint',
        args: {
          name: 'named',
          url: 'named/:password',
          methods: ['GET'],
          definition: { query: { collection_name: 'rest', query_name: 'named' } },
        },
      },
    ],
  });
  expect(answer.status).toBe(200);
  usual = await startTestServer(database, {
    ADMIN_SECRET: ADMIN,
    ENABLED_LOG_TYPES: 'startup,http-log',
    LOG_LEVEL: 'info',
    SLOW_QUERY_THRESHOLD: '0.2',
  });
  onError = await startTestServer(database, {
    ADMIN_SECRET: ADMIN,
    ENABLED_LOG_TYPES: 'http-log',
    HTTP_LOG_QUERY_ONLY_ON_ERROR: 'true',
    SLOW_QUERY_THRESHOLD: '3600',
  });
});

afterAll(async () => {
  for (const server of [everything, usual, onError]) await server?.stop();
  expect(leaks()).toEqual([]);
});

let requests = 0;

function post(server: TestServer, path: string, body: object, headers: object = {}, method = 'POST') {
  const options: RequestOptions = {
    method,
    headers: { 'x-engine-admin-secret': ADMIN, 'x-request-id': `log ${requests}`, ...headers },
    body: method === 'GET' ? '' : body,
  };
  return send(server, path, options);
}

/** The lines of a request, by type, once its http-log is there. */
async function linesOf(
  server: TestServer,
  body: object,
  {
    path = '/v1/graphql',
    headers = {},
    method = 'POST',
  }: { path?: string; headers?: object; method?: string } = {},
): Promise<ReadonlyMap<string, Line>> {
  requests += 1;
  const id = `log ${requests}`;
  await post(server, path, body, headers, method);
  const find = () =>
    server
      .output()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Line)
      .filter(({ detail }) => detail.request_id === id);
  await expect.poll(() => find().some(({ type }) => type === 'http-log')).toBe(true);
  return new Map(find().map((line) => [line.type, line]));
}

const BY_ID = 'query byId($id: Int!) { account(where: {id: {_eq: $id}}) { name } }';

describe('a line', () => {
  test('is JSON of its own with level, type, time and trace', async () => {
    const lines = await linesOf(usual, { query: BY_ID, operationName: 'byId', variables: { id: 1 } });
    for (const type of ['query-log', 'execution-log']) expect(lines.has(type)).toBe(false);
    const line = lines.get('http-log')!;
    expect(line).toMatchObject({ level: 'info', type: 'http-log' });
    expect(line.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$/);
    expect(line.trace_id).toMatch(/^[0-9a-f]{32}$/);
    expect(line.span_id).toMatch(/^[0-9a-f]{16}$/);
    expect(line.detail.http_info).toMatchObject({
      status: 200,
      method: 'POST',
      url: '/v1/graphql',
      http_version: 'HTTP/1.1',
    });
    expect(line.detail.operation).toMatchObject({
      user_vars: { 'x-engine-role': 'admin' },
      request_mode: 'single',
      request_read_time: expect.any(Number),
      query_execution_time: expect.any(Number),
    });
    expect(line.detail.operation.query).toBeUndefined();
  });

  test('of a failed request has the level error', async () => {
    const lines = await linesOf(usual, { query: '{ nonsense }' });
    expect(lines.get('http-log')).toMatchObject({
      level: 'error',
      detail: {
        operation: {
          request_mode: 'error',
          error: { code: 'validation-failed', path: '$.selectionSet.nonsense' },
        },
      },
    });
  });

  test('has no query of the address', async () => {
    const lines = await linesOf(
      usual,
      {},
      { path: `/v1/graphql?query=%7B__typename%7D&token=${encodeURIComponent(MASKED)}`, method: 'GET' },
    );
    expect(lines.get('http-log')!.detail.http_info).toMatchObject({ url: '/v1/graphql', status: 200 });
  });
});

describe('a trace', () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const spanId = 'b7ad6b7169203331';

  test.each([
    ['B3', { 'x-b3-traceid': traceId, 'x-b3-spanid': spanId }],
    ['the trace context', { traceparent: `00-${traceId}-${spanId}-01` }],
  ])('is continued from %s', async (_name, headers) => {
    const line = (await linesOf(usual, { query: '{ __typename }' }, { headers })).get('http-log')!;
    expect(line.trace_id).toBe(traceId);
    expect(line.span_id).toMatch(/^[0-9a-f]{16}$/);
    expect(line.span_id).not.toBe(spanId);
  });

  test.each([{ 'x-b3-traceid': 'nonsense"}' }, { traceparent: '00-xyz-b7ad6b7169203331-01' }])(
    'is a new one where the header is malformed: %j',
    async (headers) => {
      const line = (await linesOf(usual, { query: '{ __typename }' }, { headers })).get('http-log')!;
      expect(line.trace_id).toMatch(/^[0-9a-f]{32}$/);
    },
  );
});

describe('query-log', () => {
  test('has the query, its variables and the SQL', async () => {
    const lines = await linesOf(everything, { query: BY_ID, operationName: 'byId', variables: { id: 1 } });
    const query = { operationName: 'byId', query: BY_ID, variables: { id: 1 } };
    const { detail } = lines.get('query-log')!;
    expect(detail).toMatchObject({ query, kind: 'database' });
    expect(detail.generated_sql.default.query).toContain('"public"."account"');
    expect(detail.generated_sql.default.prepared_arguments).toEqual(['1']);
    expect(lines.get('http-log')!.detail.operation.query).toEqual(query);
    expect(lines.get('execution-log')!.detail).toMatchObject({
      operation_name: 'byId',
      execution_time: expect.any(Number),
      statements: [{ source: 'default', execution_time: expect.any(Number) }],
    });
  });

  test('of introspection has no SQL', async () => {
    const { detail } = (await linesOf(everything, { query: '{ __typename }' })).get('query-log')!;
    expect(detail).toMatchObject({ kind: 'introspection', generated_sql: null });
  });

  test('of a mutation has every statement', async () => {
    const query = 'mutation { insert_account(objects: [{id: 7, name: "seven"}]) { affected_rows } }';
    const { detail } = (await linesOf(everything, { query })).get('query-log')!;
    expect(detail.generated_sql.default.query).toContain('insert into');
  });

  test('of a limited operation has its own statements, not what limits them', async () => {
    const permission = { columns: ['id', 'name'], filter: {} };
    const table = { source: 'default', table: 'account' };
    const metadata = async (type: string, args: object) =>
      expect((await post(everything, '/v1/metadata', { type, args })).json).toEqual({ message: 'success' });
    await metadata('pg_create_select_permission', { ...table, role: 'limited', permission });
    await metadata('set_api_limits', { disabled: false, time_limit: { global: 10, per_role: {} } });
    const lines = await linesOf(
      everything,
      { query: BY_ID, variables: { id: 1 } },
      { headers: { 'x-engine-role': 'limited' } },
    );
    expect(lines.get('query-log')!.detail.generated_sql.default).toEqual({
      query: expect.stringContaining('"public"."account"'),
      prepared_arguments: ['1'],
    });
    await metadata('remove_api_limits', {});
    await metadata('pg_drop_select_permission', { ...table, role: 'limited' });
  });

  test('of the metadata API has no passwords', async () => {
    const lines = await linesOf(
      everything,
      {
        type: 'pg_add_source',
        args: {
          name: 'other',
          configuration: {
            connection_info: {
              database_url: `postgres://someone:${encodeURIComponent(MASKED)}@nowhere.invalid/x`,
            },
          },
          headers: [{ name: 'X-Key', value: MASKED }],
        },
      },
      { path: '/v1/metadata' },
    );
    const { query } = lines.get('http-log')!.detail.operation;
    expect(query.type).toBe('pg_add_source');
    expect(query.args.configuration.connection_info.database_url).toBe(
      'postgres://someone:[REDACTED]@nowhere.invalid/x',
    );
    expect(query.args.headers).toEqual([{ name: 'X-Key', value: '[REDACTED]' }]);
  });

  test('of a refused metadata request says what was asked for', async () => {
    const request = { type: 'export_metadata', args: {} };
    for (const headers of [{ 'x-engine-admin-secret': 'wrong' }, { 'x-engine-role': 'user' }]) {
      const lines = await linesOf(everything, request, { path: '/v1/metadata', headers });
      const { query, error } = lines.get('http-log')!.detail.operation;
      expect({ query, code: error.code }).toEqual({ query: request, code: 'access-denied' });
    }
  });

  test('of somebody who is not authenticated has the text alone', async () => {
    const lines = await linesOf(
      everything,
      { query: BY_ID, variables: { id: 5 } },
      { headers: { 'x-engine-admin-secret': 'wrong' } },
    );
    const { operation } = lines.get('http-log')!.detail;
    expect(operation.raw_query).toBe(BY_ID);
    expect(operation.user_vars).toBeUndefined();
    expect(lines.has('query-log')).toBe(false);
  });
});

describe('a masked variable', () => {
  const insert =
    'mutation($password: String) { insert_account_one(object: {id: 2, name: $password}) { id } }';
  const insertProfile =
    'mutation($profile: account_insert_input!) { insert_account_one(object: $profile) { id } }';

  test('is in no line: not in the query, its SQL, or what Postgres says of it', async () => {
    const written = await linesOf(everything, { query: insert, variables: { password: MASKED } });
    const { detail } = written.get('query-log')!;
    expect(detail.query.variables).toEqual({ password: '[MASKED]' });
    expect(JSON.stringify(detail.generated_sql)).toContain('[MASKED]');
    const again = await linesOf(everything, {
      query: insertProfile,
      variables: { profile: { id: 3, name: MASKED } },
    });
    const { error } = again.get('http-log')!.detail.operation;
    expect(error.code).toBe('constraint-violation');
    expect(JSON.stringify(error)).toContain('[MASKED]');
    expect(everything.output()).not.toContain(MASKED);
  });

  test('is in no address either', async () => {
    const path = `/api/rest/named/${encodeURIComponent('one')}`;
    const lines = await linesOf(everything, {}, { path, method: 'GET' });
    expect(lines.get('http-log')!.detail.http_info).toMatchObject({
      url: '/api/rest/named/[MASKED]',
      status: 200,
    });
  });
});

describe('http-log-query-only-on-error', () => {
  test('has the name of an operation that succeeds, and all of one that fails', async () => {
    const good = await linesOf(onError, { query: BY_ID, operationName: 'byId', variables: { id: 1 } });
    expect(good.get('http-log')!.detail.operation.query).toEqual({ operationName: 'byId' });
    const bad = await linesOf(onError, { query: BY_ID, operationName: 'byId', variables: { id: 'x' } });
    expect(bad.get('http-log')!.detail.operation.query).toEqual({
      operationName: 'byId',
      query: BY_ID,
      variables: { id: 'x' },
    });
    expect(onError.output()).not.toContain('"startup"');
  });
});

test('an operation that takes longer than the threshold is logged with its SQL', async () => {
  await database.query(`create function wait(hours int) returns setof account language sql stable as
    'select account.* from account, (select pg_sleep(0.3)) as waited'`);
  const tracked = await post(usual, '/v1/metadata', {
    type: 'pg_track_function',
    args: { function: 'wait' },
  });
  expect(tracked.text).toContain('success');
  const slow = await linesOf(usual, { query: 'query slow { wait(args: {hours: 1}) { id } }' });
  expect(slow.get('slow-query')).toMatchObject({
    level: 'warn',
    detail: { threshold: 0.2, query: { query: 'query slow { wait(args: {hours: 1}) { id } }' } },
  });
  expect(slow.get('slow-query')!.detail.execution_time).toBeGreaterThan(0.2);
  expect(slow.get('slow-query')!.detail.generated_sql.default.query).toContain('wait');
  const fast = await linesOf(onError, { query: '{ __typename }' });
  expect(fast.has('slow-query')).toBe(false);
});
