/** The option of a source that has servers install what records writes. */
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { captureStatus } from '../../../runtime/database/record/install.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { leaks, send, startTestServer, type TestServer } from '../../harness/server.ts';

let database: TestDatabase;
let client: pg.Client;
let server: TestServer;
const role = `engine_test_recorder_${process.pid}`;

beforeAll(async () => {
  database = await createTestDatabase(`
    create table item (id int primary key); create table late (id int primary key);
    create table other (id int primary key);`);
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  server = await startTestServer(database);
});

afterAll(async () => {
  await server.stop();
  await client.end();
  expect(leaks()).toEqual([]);
});

async function metadata(type: string, args: object): Promise<void> {
  const answer = await send(server, '/v1/metadata', { body: { type, args } });
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
}

/** Tables whose writes are recorded. */
async function recorded(): Promise<readonly string[]> {
  const tables = ['item', 'late', 'other'].map((name) => ({ schema: 'public', name }));
  const status = await captureStatus(client, tables).catch(() => []);
  return status.flatMap(({ name, complete }) => (complete ? [name] : []));
}

const own = { database_url: { from_env: 'ENGINE_GRAPHQL_DATABASE_URL' } };

test('has them record the tables that are tracked, now and later, and removes nothing', async () => {
  await metadata('pg_track_table', { table: 'item' });
  expect(await recorded()).toEqual([]);
  const live_queries = { record_writes: true };
  await metadata('pg_update_source', {
    name: 'default',
    configuration: { connection_info: own, live_queries },
  });
  await expect.poll(recorded).toEqual(['item']);
  await metadata('pg_track_table', { table: 'late' });
  await expect.poll(recorded).toEqual(['item', 'late']);
  await metadata('pg_update_source', { name: 'default', configuration: { connection_info: own } });
  await metadata('pg_track_table', { table: 'other' });
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await recorded()).toEqual(['item', 'late']);
});

test('without the rights, a warning says so and the source is served', async () => {
  const poor = await createTestDatabase('create table other (id int primary key)');
  await poor.query(`create role ${role} login password 'x'; grant select on other to ${role}`);
  const url = new URL(poor.url);
  url.username = role;
  url.password = 'x';
  await metadata('pg_add_source', {
    name: 'poor',
    configuration: { connection_info: { database_url: url.href }, live_queries: { record_writes: true } },
    customization: { root_fields: { prefix: 'poor_' }, type_names: { prefix: 'poor_' } },
  });
  await metadata('pg_track_table', { source: 'poor', table: 'other' });
  await expect
    .poll(server.output)
    .toMatch(/Source \\"poor\\": the triggers for live queries cannot be installed.*permission denied/);
  const { text } = await send(server, '/v1/graphql', { body: { query: '{ poor_other { id } }' } });
  expect(text).toBe('{"data":{"poor_other":[]}}');
  await metadata('pg_drop_source', { name: 'poor', cascade: true });
  await poor.query(`revoke all on other from ${role}; drop role ${role}`);
});
