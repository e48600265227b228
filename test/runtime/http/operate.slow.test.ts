/** What an operator's probes and Prometheus ask for, on a real server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { confidential, leaks, send, startTestServer, type TestServer } from '../../harness/server.ts';

const ADMIN = 'the-admin-secret-of-the-operator';
const METRICS = 'the-metrics-secret-of-the-operator';

let database: TestDatabase;
const servers: TestServer[] = [];

async function start(options: Record<string, string> = {}): Promise<TestServer> {
  const server = await startTestServer(database, { ADMIN_SECRET: ADMIN, ...options });
  servers.push(server);
  return server;
}

const admin = { 'x-engine-admin-secret': ADMIN };
const get = (server: TestServer, path: string, headers: Record<string, string> = {}) =>
  send(server, path, { method: 'GET', headers });
const graphql = (server: TestServer, query: string, more: object = {}) =>
  send(server, '/v1/graphql', { headers: admin, body: { query, ...more } });
const metadata = (server: TestServer, type: string, args: object) =>
  send(server, '/v1/metadata', { headers: admin, body: { type, args } });

beforeAll(async () => {
  confidential.add(ADMIN).add(METRICS);
  database = await createTestDatabase();
  await database.query('create table note (id integer primary key, text text)');
});

afterAll(async () => {
  for (const server of servers) await server.stop();
  expect(leaks()).toEqual([]);
});

describe('probes', () => {
  test('a server that serves is alive and ready', async () => {
    const server = await start();
    expect(await get(server, '/livez')).toMatchObject({ status: 200, json: { status: 'ok' } });
    expect(await get(server, '/readyz')).toMatchObject({ status: 200, json: { status: 'ok' } });
  });

  test('a required source that does not answer makes it unready, an optional one does not', async () => {
    const optional = await start();
    const required = await start({ REQUIRED_SOURCES: 'default,missing' });
    for (const server of [optional, required]) {
      await metadata(server, 'pg_add_source', {
        name: 'missing',
        configuration: { connection_info: { database_url: `${database.url}_missing` } },
        replace_configuration: true,
      });
    }
    expect((await get(optional, '/readyz')).status).toBe(200);
    expect(await get(required, '/readyz')).toMatchObject({
      status: 503,
      json: { status: 'not ready', reasons: ['source:missing'] },
    });
    expect((await get(required, '/livez')).status).toBe(200);
  });

  test('every source is asked for its health, for administrators', async () => {
    const server = await start();
    expect((await get(server, '/healthz/sources')).status).toBe(401);
    expect((await get(server, '/healthz/sources', admin)).json).toMatchObject({
      default: { status: 'OK', timestamp: expect.stringMatching(/^\d{4}-.*Z$/) },
    });
  });

  test('a source is asked as its health_check says, and tried again before it counts as unwell', async () => {
    const server = await start({ REQUIRED_SOURCES: 'checked' });
    await database.query('create table health (state text); insert into health values ($$fine$$)');
    const check = (more: object) =>
      metadata(server, 'pg_add_source', {
        name: 'checked',
        configuration: { connection_info: { database_url: database.url } },
        replace_configuration: true,
        health_check: { interval: 1, retries: 0, retry_interval: 0, ...more },
      });
    const state = async () => {
      const { json } = await get(server, '/healthz/sources', admin);
      return (json as { checked: { status: string; error?: string } }).checked;
    };
    const test = {
      sql: `do $$ begin if (select state from health) = 'slow' then perform pg_sleep(60); end if;
        if (select state from health) = 'broken' then raise exception 'out of order'; end if; end $$`,
    };
    await check({ test, timeout: 1 });
    await expect.poll(state).toMatchObject({ status: 'OK' });
    await database.query(`update health set state = 'broken'`);
    await expect.poll(state).toMatchObject({ status: 'ERROR', error: 'out of order' });
    expect(await get(server, '/readyz')).toMatchObject({ json: { reasons: ['source:checked'] } });
    await database.query(`update health set state = 'slow'`);
    await expect.poll(state).toMatchObject({ status: 'TIMEOUT', error: 'no answer within 1 seconds' });
    await database.query(`update health set state = 'fine'`);
    await expect.poll(state).toMatchObject({ status: 'OK' });
    // What fails once only is never reported.
    await database.query('create sequence tried');
    const flaky = {
      sql: `do $$ begin if nextval('tried') % 2 = 0 then raise exception 'now and then'; end if; end $$`,
    };
    await check({ test: flaky, retries: 1, timeout: 10 });
    const seen = new Set<string>();
    const tried = async () => {
      seen.add((await state()).status);
      return Number((await database.query('select last_value as n from tried'))[0]!.n);
    };
    await expect.poll(tried).toBeGreaterThan(4);
    expect([...seen]).toEqual(['OK']);
    await metadata(server, 'pg_drop_source', { name: 'checked', cascade: true });
    expect(Object.keys((await get(server, '/healthz/sources', admin)).json as object)).not.toContain(
      'checked',
    );
    const refused = await metadata(server, 'pg_add_source', {
      name: 'checked',
      configuration: { connection_info: { database_url: database.url } },
      health_check: { test: {}, interval: 0 },
    });
    expect(refused.json).toMatchObject({ path: expect.stringContaining('health_check') });
  });

  test('a server that is to stop reports draining, answers on, and asks clients to leave', async () => {
    const server = await startTestServer(database, { ADMIN_SECRET: ADMIN, SHUTDOWN_DELAY: '1' });
    const stopped = server.stop();
    expect(await get(server, '/readyz')).toMatchObject({
      status: 503,
      json: { status: 'not ready', reasons: ['draining'] },
    });
    const answer = await graphql(server, '{ __typename }');
    expect(answer).toMatchObject({ status: 200, headers: { connection: 'close' } });
    expect((await get(server, '/livez')).status).toBe(200);
    await stopped;
    await expect(get(server, '/livez')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('metrics', () => {
  const read = async (server: TestServer, headers: Record<string, string> = admin) => {
    const { text } = await get(server, '/v1/metrics', headers);
    return (line: string) =>
      Number(
        text
          .split('\n')
          .find((each) => each.startsWith(`${line} `))
          ?.slice(line.length + 1) ?? Number.NaN,
      );
  };

  test('are served where the API is enabled, to the holder of the secret or else to administrators', async () => {
    expect((await get(await start(), '/v1/metrics', admin)).status).toBe(404);
    const open = await start({ ENABLED_APIS: 'graphql,metadata,metrics' });
    expect((await get(open, '/v1/metrics')).status).toBe(401);
    expect((await get(open, '/v1/metrics', admin)).status).toBe(200);
    const secured = await start({ ENABLED_APIS: 'graphql,metadata,metrics', METRICS_SECRET: METRICS });
    for (const authorization of ['', `Bearer ${ADMIN}`, METRICS, `Bearer ${METRICS}x`])
      expect((await get(secured, '/v1/metrics', { ...admin, authorization })).status).toBe(401);
    const answer = await get(secured, '/v1/metrics', { authorization: `Bearer ${METRICS}` });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
  });

  test('count operations by kind and outcome, their time, bytes and connections', async () => {
    const server = await start({ ENABLED_APIS: 'graphql,metadata,metrics' });
    await metadata(server, 'pg_track_table', { table: { schema: 'public', name: 'note' } });
    await graphql(server, '{ note { id } }');
    await graphql(server, 'mutation { insert_note_one(object: { id: 1, text: "a" }) { id } }');
    await graphql(server, 'mutation { insert_note_one(object: { id: 1, text: "a" }) { id } }');
    await graphql(server, '{ no_such_field }');
    const value = await read(server);
    const requests = (type: string, status: string) =>
      value(`engine_graphql_requests_total{operation_type="${type}",response_status="${status}"}`);
    expect([requests('query', 'success'), requests('mutation', 'success')]).toEqual([1, 1]);
    expect([requests('mutation', 'failed'), requests('unknown', 'failed')]).toEqual([1, 1]);
    expect(value('engine_graphql_execution_time_seconds_count{operation_type="query"}')).toBe(1);
    expect(value('engine_http_request_bytes_total')).toBeGreaterThan(100);
    const pool = `{source_name="default",conn_info="ENGINE_GRAPHQL_DATABASE_URL",role="primary"}`;
    expect(value(`engine_postgres_connections${pool}`)).toBeGreaterThan(0);
    expect(value(`engine_postgres_connection_init_time_count${pool}`)).toBeGreaterThan(0);
    expect(value('engine_http_connections')).toBeGreaterThan(0);
  });

  test('name operations only where that is asked for', async () => {
    const options = { ENABLED_APIS: 'graphql,metrics' };
    const query = 'query Named { __typename }';
    const quiet = await start(options);
    await graphql(quiet, query, { operationName: 'Named' });
    expect((await get(quiet, '/v1/metrics', admin)).text).not.toContain('Named');
    const named = await start({ ...options, METRICS_ENABLE_HIGH_CARDINALITY_LABELS: 'true' });
    await graphql(named, query, { operationName: 'Named' });
    expect((await get(named, '/v1/metrics', admin)).text).toMatch(
      /operation_name="Named",parameterized_query_hash="[0-9a-f]{40}"/,
    );
  });

  test('name a database without its credentials', async () => {
    const server = await start({ ENABLED_APIS: 'graphql,metadata,metrics' });
    const address = new URL(database.url);
    await metadata(server, 'pg_add_source', {
      name: 'written_out',
      configuration: { connection_info: { database_url: address.href } },
    });
    await get(server, '/healthz/sources', admin);
    const { text } = await get(server, '/v1/metrics', admin);
    expect(text).toContain(`source_name="written_out",conn_info="${address.host}${address.pathname}"`);
    expect(text).not.toContain(`:${address.password}@`);
  });
});
