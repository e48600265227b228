import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { confidential, leaks, send, startTestServer, type TestServer } from '../../harness/server.ts';

const ADMIN = 'the-admin-secret-of-the-report';
const KEY = 'the-token-key-of-the-report-0123456789';
const get = (server: TestServer, headers: Record<string, string> = {}) =>
  send(server, '/v1alpha1/config', { method: 'GET', headers });

let database: TestDatabase;
const servers: TestServer[] = [];

async function start(options: Record<string, string> = {}): Promise<TestServer> {
  const server = await startTestServer(database, options);
  servers.push(server);
  return server;
}

beforeAll(async () => {
  confidential.add(ADMIN).add(KEY);
  database = await createTestDatabase();
});

afterAll(async () => {
  for (const server of servers) await server.stop();
  expect(leaks()).toEqual([]);
});

describe('the config report', () => {
  test('of a server without any options', async () => {
    expect((await get(await start())).json).toEqual({
      version: expect.stringMatching(/^v\d/),
      is_function_permissions_inferred: true,
      is_remote_schema_permissions_enabled: false,
      is_admin_secret_set: false,
      is_auth_hook_set: false,
      is_jwt_set: false,
      jwt: null,
      is_allow_list_enabled: false,
      live_queries: { batch_size: 100, refetch_delay: 1 },
      streaming_queries: { batch_size: 100, refetch_delay: 1 },
      console_assets_dir: null,
      experimental_features: [],
      is_prometheus_metrics_enabled: false,
      default_naming_convention: 'engine-default',
      feature_flags: [],
      is_apollo_federation_enabled: false,
    });
  });

  test('of a server with many', async () => {
    const server = await start({
      ADMIN_SECRETS: JSON.stringify([ADMIN, 'another']),
      JWT_SECRET: JSON.stringify({
        type: 'HS256',
        key: KEY,
        claims_namespace_path: '$.a',
        claims_format: 'stringified_json',
      }),
      INFER_FUNCTION_PERMISSIONS: 'false',
      ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true',
      ENABLE_ALLOWLIST: 'true',
      LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '1500',
      LIVE_QUERIES_MULTIPLEXED_BATCH_SIZE: '7',
      STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '250',
      EXPERIMENTAL_FEATURES: 'naming_convention,apollo_federation',
      ENABLED_APIS: 'config,metrics',
    });
    expect((await get(server, { 'x-engine-admin-secret': 'another' })).json).toMatchObject({
      is_function_permissions_inferred: false,
      is_remote_schema_permissions_enabled: true,
      is_admin_secret_set: true,
      is_auth_hook_set: false,
      is_jwt_set: true,
      jwt: { claims_namespace: '$.a', claims_format: 'stringified_json', claims_map: null },
      is_allow_list_enabled: true,
      live_queries: { batch_size: 7, refetch_delay: 1.5 },
      streaming_queries: { batch_size: 100, refetch_delay: 0.25 },
      experimental_features: ['naming_convention', 'apollo_federation'],
      is_prometheus_metrics_enabled: true,
      is_apollo_federation_enabled: true,
    });
  });

  test('lists token configurations when there are several', async () => {
    const map = { 'x-engine-allowed-roles': ['a'], 'x-engine-default-role': 'a' };
    const secrets = [
      { type: 'HS256', key: KEY },
      { type: 'HS256', key: KEY, claims_map: map },
    ];
    const server = await start({ ADMIN_SECRET: ADMIN, JWT_SECRETS: JSON.stringify(secrets) });
    expect((await get(server, { 'x-engine-admin-secret': ADMIN })).json).toMatchObject({
      jwt: [
        { claims_namespace: 'https://engine.io/jwt/claims', claims_format: 'json', claims_map: null },
        { claims_namespace: 'https://engine.io/jwt/claims', claims_format: 'json', claims_map: map },
      ],
    });
  });

  test('is for administrators', async () => {
    const open = await start({ AUTH_HOOK: '' });
    expect(await get(open, { 'x-engine-role': 'user' })).toMatchObject({
      status: 400,
      json: {
        path: '$',
        error: 'You have to be an admin to access this endpoint',
        code: 'access-denied',
      },
    });
    const secured = await start({ ADMIN_SECRET: ADMIN });
    expect((await get(secured)).status).toBe(401);
    expect((await get(secured, { 'x-engine-admin-secret': `${ADMIN}x` })).status).toBe(401);
    expect((await get(secured, { 'x-engine-admin-secret': ADMIN, 'x-engine-role': 'user' })).status).toBe(
      400,
    );
  });
});

test('every endpoint of administrators refuses everybody else, before it reads what was sent', async () => {
  const options = {
    ENABLED_APIS: 'graphql,metadata,config,developer,metrics',
    ENABLE_CONSOLE: 'true',
    RESPONSE_CACHE: '8',
    ADMIN_SECRET: ADMIN,
  };
  const server = await start(options);
  for (const [method, path] of [
    ['GET', '/v1alpha1/config'],
    ['GET', '/healthz/sources'],
    ['GET', '/v1/metrics'],
    ['GET', '/api/openapi.json'],
    ['GET', '/api/swagger/json'],
    ['POST', '/v1/graphql/explain'],
    ['POST', '/v1alpha1/graphql/explain'],
    ...['ekg', 'plan_cache', 'cache', 'subscriptions', 'subscriptions/extended'].map(
      (name) => ['GET', `/dev/${name}`] as const,
    ),
    ...['state', 'access', 'detail', 'variables', 'times', 'places', 'matrix', 'who', 'operations'].map(
      (name) => ['GET', `/engine/console/${name}`] as const,
    ),
    ...['operation', 'metadata', 'inconsistencies', 'queues', 'calls', 'remotes', 'remote'].map(
      (name) => ['GET', `/engine/console/${name}`] as const,
    ),
    ...['difference', 'proposal', 'table', 'why'].map((name) => ['POST', `/engine/console/${name}`] as const),
  ] as const) {
    const ask = (headers: Record<string, string>) =>
      send(server, path, { method, headers, ...(method === 'POST' && { body: '{' }) });
    expect((await ask({})).status, path).toBe(401);
    expect((await ask({ 'x-engine-admin-secret': ADMIN, 'x-engine-role': 'user' })).json, path).toMatchObject(
      {
        error: 'You have to be an admin to access this endpoint',
      },
    );
  }
});

test('a disabled API is not found, before anybody is asked who he is', async () => {
  const server = await start({ ADMIN_SECRET: ADMIN, ENABLED_APIS: 'pgdump' });
  const notFound = { path: '$', error: 'resource does not exist', code: 'not-found' };
  for (const [method, path] of [
    ['GET', '/v1alpha1/config'],
    ['POST', '/v1/metadata'],
    ['POST', '/v2/query'],
    ['POST', '/v1/query'],
    ['POST', '/v1/graphql'],
    ['POST', '/v1alpha1/graphql'],
    ['POST', '/v1/graphql/explain'],
  ] as const) {
    expect(await send(server, path, { method, body: '{}' }), path).toMatchObject({
      status: 404,
      json: notFound,
    });
  }
  expect((await send(server, '/healthz', { method: 'GET' })).status).toBe(200);
});
