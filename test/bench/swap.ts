/**
 * `npm run bench -- swap`: how long a change of one permission takes from its request to the first answer of the new
 * schema, and what it costs those who are served meanwhile. 1,000 tables and 20 roles, one permission in five.
 */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { readConfiguration } from '../../runtime/configuration.ts';
import { startEmbeddedPostgres } from '../../runtime/database/embedded.ts';
import { startServer } from '../../runtime/main.ts';
import { createLogger } from '../../runtime/observe.ts';

const ROLES = 20;
const ONE_IN = 5;

export interface SwapResult {
  readonly tables: number;
  readonly swaps: number;
  /** Milliseconds. */
  readonly replaceTime: number;
  readonly replaceStall: number;
  readonly p50: number;
  readonly p99: number;
  readonly swapStall: number;
  /** Megabytes, of the serving thread, after a forced collection where `--expose-gc` is given. */
  readonly heapAfter10: number;
  readonly heapAfterAll: number;
  /** Megabytes, of the process. */
  readonly peakMemory: number;
  readonly requests: number;
  readonly failed: number;
}

/** Runs the benchmark on a Postgres of its own. */
export async function benchSwap(tables: number, swaps: number): Promise<SwapResult> {
  const postgres = await startEmbeddedPostgres();
  try {
    const databaseUrl = await postgres.createDatabase('swap');
    await createTables(databaseUrl, tables);
    const environment = { ENGINE_GRAPHQL_DATABASE_URL: databaseUrl, ENGINE_GRAPHQL_SERVER_PORT: '0' };
    const configuration = readConfiguration({}, environment);
    const observe = createLogger(configuration, { write: () => {} });
    const server = await startServer({ configuration, environment, observe });
    try {
      return await measure(`http://127.0.0.1:${server.port}`, tables, swaps);
    } finally {
      await server.stop();
    }
  } finally {
    await postgres.stop();
  }
}

async function measure(address: string, tables: number, swaps: number): Promise<SwapResult> {
  const loop = monitorEventLoopDelay({ resolution: 5 });
  loop.enable();
  const begin = performance.now();
  const source = await exported(address);
  await change(address, 'replace_metadata', {
    version: 3,
    sources: [{ ...source, tables: Array.from({ length: tables }, (_, index) => tableEntry(index, tables)) }],
  });
  const replaceTime = performance.now() - begin;
  const replaceStall = loop.max / 1e6;
  const load = keepAsking(address);
  loop.reset();
  const times: number[] = [];
  let heapAfter10 = 0;
  for (let swap = 0; swap < swaps; swap += 1) {
    times.push(await timeSwap(address, swap));
    if (swap === 9) heapAfter10 = heapUsed();
  }
  const swapStall = loop.max / 1e6;
  const { requests, failed } = await load.stop();
  times.sort((left, right) => left - right);
  const quantile = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!;
  return {
    tables,
    swaps,
    replaceTime,
    replaceStall,
    p50: quantile(0.5),
    p99: quantile(0.99),
    swapStall,
    heapAfter10,
    heapAfterAll: heapUsed(),
    peakMemory: process.resourceUsage().maxRSS / 1024,
    requests,
    failed,
  };
}

/** From the request until a first answer of the new schema: the role's limit decides how many rows it gets. */
async function timeSwap(address: string, swap: number): Promise<number> {
  const limit = 1 + (swap % 2);
  const begin = performance.now();
  const table = { schema: 'public', name: tableName(0) };
  const role = 'role_0';
  await change(address, 'bulk', [
    { type: 'pg_drop_select_permission', args: { table, role } },
    { type: 'pg_create_select_permission', args: { table, role, permission: { ...selectRule(), limit } } },
  ]);
  const answer = await post(`${address}/v1/graphql`, { query: `{ ${tableName(0)} { id } }` }, role);
  const { data } = (await answer.json()) as { data?: Record<string, unknown[]> };
  if (data?.[tableName(0)]?.length !== limit) throw new Error('the answer is not of the new schema');
  return performance.now() - begin;
}

/** Constant load by a role that the changes do not concern. */
function keepAsking(address: string): { stop(): Promise<{ requests: number; failed: number }> } {
  let running = true;
  let requests = 0;
  let failed = 0;
  const ask = async () => {
    while (running) {
      requests += 1;
      const answer = await post(`${address}/v1/graphql`, { query: `{ ${tableName(1)} { id } }` });
      const { errors } = (await answer.json()) as { errors?: unknown };
      if (!answer.ok || errors !== undefined) failed += 1;
      await delay(10);
    }
  };
  const asking = Promise.all([ask(), ask()]);
  return {
    stop: async () => {
      running = false;
      await asking;
      return { requests, failed };
    },
  };
}

function heapUsed(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

async function createTables(databaseUrl: string, tables: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  for (let index = 0; index < tables; index += 1) {
    const name = tableName(index);
    await client.query(
      `create table ${name} (id int primary key, owner_id int, parent_id int, kind text, note text, created_at timestamptz)`,
    );
  }
  for (const index of [0, 1])
    await client.query(`insert into ${tableName(index)} select n, 1, 1, 'a' from generate_series(1, 5) n`);
  await client.end();
}

function tableName(index: number): string {
  return `t_${String(index).padStart(4, '0')}`;
}

const columns = ['id', 'owner_id', 'parent_id', 'kind', 'note', 'created_at'];

function selectRule(): object {
  return { columns, filter: { _not: { owner_id: { _eq: 0 } } }, limit: 100, allow_aggregations: true };
}

function tableEntry(index: number, tables: number): object {
  const filter = { owner_id: { _eq: 'X-Engine-User-Id' }, parent: { kind: { _eq: 'a' } } };
  const roles = Array.from({ length: ROLES }, (_, role) => role).filter(
    (role) => (index + role) % ONE_IN === 0,
  );
  const permissions = (permission: object) => roles.map((role) => ({ role: `role_${role}`, permission }));
  return {
    table: { schema: 'public', name: tableName(index) },
    object_relationships: [
      {
        name: 'parent',
        using: {
          manual_configuration: {
            remote_table: { schema: 'public', name: tableName((index + 1) % tables) },
            column_mapping: { parent_id: 'id' },
          },
        },
      },
    ],
    select_permissions: permissions(selectRule()),
    insert_permissions: permissions({ columns, check: filter }),
    update_permissions: permissions({ columns: ['kind', 'note'], filter, check: filter }),
    delete_permissions: permissions({ filter }),
  };
}

async function exported(address: string): Promise<object> {
  const answer = await change(address, 'export_metadata', {});
  return (answer as { sources: [object] }).sources[0];
}

async function change(address: string, type: string, args: unknown): Promise<unknown> {
  const answer = await post(`${address}/v1/metadata`, { type, args });
  const body: unknown = await answer.json();
  if (!answer.ok) throw new Error(`${type}: ${JSON.stringify(body).slice(0, 500)}`);
  return body;
}

function post(url: string, body: object, role = 'admin'): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'x-engine-role': role };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
}
