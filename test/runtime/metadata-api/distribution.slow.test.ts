/** A server follows how a cluster spreads its tables: by functions in `run_sql`, and by whatever others do. Plain PostgreSQL, with stand-ins. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CITUS, PLACES } from '../../harness/citus.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { leaks, send, startTestServer, type TestServer } from '../../harness/server.ts';

/** Functions of a cluster that spread a table otherwise. */
const FUNCTIONS = [
  'create_distributed_table',
  'create_distributed_table_concurrently',
  'create_reference_table',
  'upgrade_to_reference_table',
  'undistribute_table',
  'alter_distributed_table',
  'update_distributed_table_colocation',
  'mark_tables_colocated',
  'master_create_distributed_table',
  'citus_schema_distribute',
  'citus_schema_undistribute',
  'citus_add_local_table_to_metadata',
  'remove_local_tables_from_metadata',
  'remove_local_tables',
];

/** Each stand-in, and one whose name says nothing, moves `doc` to the shards, and back. */
const STAND_INS = [...FUNCTIONS, 'move']
  .map(
    (name) => `create function ${name}(regclass) returns void language plpgsql as $$
      begin
        delete from pg_dist_partition where logicalrelid = $1;
        if not found then insert into pg_dist_partition values ($1, 'h', 'tenant_id', 1, 's'); end if;
      end $$;`,
  )
  .join('\n');

/** A read of it fails as on a cluster that distributes it otherwise than the statement expects. */
const FAILING = `
  create function fail() returns integer language plpgsql as $$
    begin raise 'complex joins are only supported when all distributed tables are co-located' using errcode = '0A000'; end $$;
  create view broken as select fail() as id;`;

let database: TestDatabase;
let server: TestServer;
beforeAll(async () => {
  database = await createTestDatabase(PLACES + CITUS + STAND_INS + FAILING);
  server = await startTestServer(database, { ENABLED_APIS: 'graphql,metadata' });
  await metadata('pg_track_table', { table: 'doc' });
  await metadata('pg_track_table', { table: 'broken' });
  await metadata('pg_create_select_permission', {
    table: 'doc',
    role: 'user',
    permission: { columns: '*', filter: {} },
  });
});
afterAll(async () => {
  await server?.stop();
  expect(leaks()).toEqual([]);
});

async function metadata(type: string, args: object): Promise<void> {
  const answer = await send(server, '/v1/metadata', { body: { type, args } });
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
}

interface Exported {
  readonly sources: readonly { readonly tables: readonly { readonly table: { readonly name: string } }[] }[];
}

async function exported(): Promise<Exported> {
  const { json } = await send(server, '/v1/metadata', { body: { type: 'export_metadata', args: {} } });
  return json as unknown as Exported;
}

async function runSql(sql: string, more: object = {}): Promise<void> {
  const answer = await send(server, '/v2/query', { body: { type: 'run_sql', args: { sql, ...more } } });
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
}

/** Whether a list of all rows is sent as shards need it. */
async function isSpread(): Promise<boolean> {
  const body = { query: { query: '{ doc(order_by: {id: asc}) { id } }' }, user: { 'x-engine-role': 'user' } };
  const { status, json } = await send(server, '/v1/graphql/explain', { body });
  expect(status).toBe(200);
  return JSON.stringify(json).includes('offset 0');
}

test('when a request fails as on a cluster, the next one is planned for what the cluster has', async () => {
  const before = await isSpread();
  await database.query(`select move('doc')`);
  const body = { query: '{ broken { id } }' };
  const headers = { 'x-engine-role': 'admin' };
  expect((await send(server, '/v1/graphql', { headers, body })).json).toHaveProperty('errors');
  expect(await isSpread()).toBe(!before);
});

test.each(FUNCTIONS)('run_sql reads the catalog again after %s', async (name) => {
  const before = await isSpread();
  await runSql(`select ${name}('doc')`);
  expect(await isSpread()).toBe(!before);
});

test.each<[string, string, object?]>([
  ['in capitals', `SELECT CITUS_SCHEMA_DISTRIBUTE('doc')`],
  ['in another statement than the first', `select 1; select "undistribute_table"('public.doc')`],
  ['that is qualified', `select public.create_reference_table('doc')`],
  ['in DO', `do $$ begin perform create_distributed_table('doc'); end $$`],
  ['outside a transaction', `select undistribute_table('doc')`, { no_transaction: true }],
])('run_sql reads the catalog again after a function %s', async (_, sql, more) => {
  const before = await isSpread();
  await runSql(sql, more);
  expect(await isSpread()).toBe(!before);
});

test.each<[string, () => Promise<unknown>]>([
  ['by another client', () => database.query(`select move('doc')`)],
  ['by a function of another name in run_sql', () => runSql(`select move('doc')`)],
  [
    'by run_sql that is told to check nothing',
    () => runSql(`select undistribute_table('doc')`, { check_metadata_consistency: false }),
  ],
  [
    'by its schema',
    () =>
      database.query(
        "create schema there; alter table doc set schema there; alter table there.doc set schema public; select move('doc')",
      ),
  ],
])('a table that is moved %s is followed', async (_, move) => {
  const before = await isSpread();
  await move();
  await expect.poll(isSpread, { timeout: 30_000, interval: 200 }).toBe(!before);
});

describe('an event trigger on a table that is spread', () => {
  const REFUSED = 'is on public.doc, where a Citus cluster refuses database triggers';
  const trigger = (name: string) => ({
    name,
    definition: { enable_manual: false, insert: { columns: '*' } },
    retry_conf: { num_retries: 0, interval_sec: 10, timeout_sec: 60 },
    webhook: 'http://localhost',
  });

  test('is refused with its reason, and leaves nothing behind', async () => {
    if (!(await isSpread())) await runSql(`select undistribute_table('doc')`);
    const args = {
      source: 'default',
      name: 'told',
      table: 'doc',
      webhook: 'http://localhost',
      insert: { columns: '*' },
    };
    const { status, text } = await send(server, '/v1/metadata', {
      body: { type: 'pg_create_event_trigger', args },
    });
    expect([status, text]).toEqual([400, expect.stringContaining(REFUSED)]);
    expect(JSON.stringify(await exported())).not.toContain('told');
  });

  test('is an inconsistent object of metadata whose other objects are served', async () => {
    const { sources, ...rest } = await exported();
    const tables = sources[0]!.tables.map((table) =>
      table.table.name === 'doc' ? { ...table, event_triggers: [trigger('told')] } : table,
    );
    const metadata = { ...rest, sources: [{ ...sources[0], tables }] };
    const { status, json } = await send(server, '/v1/metadata', {
      body: { type: 'replace_metadata', version: 2, args: { metadata, allow_inconsistent_metadata: true } },
    });
    expect([status, json]).toMatchObject([
      200,
      { inconsistent_objects: [{ type: 'event_trigger', reason: expect.stringContaining(REFUSED) }] },
    ]);
    expect(await isSpread()).toBe(true);
  });
});
