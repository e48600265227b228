/** Writes that a database did not record, or not as the server believes: live queries are read again all the same. */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  captureStatus,
  installCapture,
  installStatements,
  removeCapture,
  removeStatements,
} from '../../../runtime/database/record/install.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { leaks, send, startTestServer, type TestServer } from '../../harness/server.ts';
import { connect } from '../../harness/socket.ts';

const TABLES = ['item', 'mark'].map((name) => ({ schema: 'public', name }));

let database: TestDatabase;
let client: pg.Client;
let server: TestServer;
let socket: Awaited<ReturnType<typeof connect>>;

beforeAll(async () => {
  database = await createTestDatabase(`
    create table item (id int primary key, word text); insert into item values (1, 'first');
    create table mark (n int); insert into mark values (0);
  `);
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  server = await startTestServer(database);
  for (const { name } of TABLES) {
    const body = { type: 'pg_track_table', args: { table: name } };
    expect((await send(server, '/v1/metadata', { body })).status).toBe(200);
  }
  await server.stop();
});

beforeEach(async () => {
  await removeCapture(client);
  await client.query("update item set word = 'first'");
  await installCapture(client, await captureStatus(client, TABLES));
  server = await startTestServer(database, { LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '3600000' });
  socket = await connect(server);
});

afterEach(async () => {
  await socket.close();
  await server.stop();
});

afterAll(async () => {
  await client.end();
  expect(leaks()).toEqual([]);
});

async function subscribe(): Promise<void> {
  for (const [id, query] of [
    ['item', 'item_by_pk(id: 1) { word }'],
    ['mark', 'mark { n }'],
  ])
    socket.send({ type: 'subscribe', id, payload: { query: `subscription { ${query} }` } });
  expect([(await socket.next()).id, (await socket.next()).id].sort()).toEqual(['item', 'mark']);
}

const MARK = 'update mark set n = n + 1';

/** Returns when the server has looked at a write of `mark`. */
async function marked(): Promise<void> {
  expect((await socket.next()).id).toBe('mark');
}

/** Returns when the server relies on the record: writes of `mark` do not have `item` read. */
async function relied(): Promise<void> {
  const reads = () => server.output().split('"item_by_pk').length;
  for (let quiet = 0, before = reads(); quiet < 4; before = reads()) {
    await client.query(MARK);
    await marked();
    quiet = reads() === before ? quiet + 1 : 0;
  }
}

async function shown(word: string): Promise<void> {
  const message = await socket.next();
  expect(message).toMatchObject({ id: 'item', payload: { data: { item_by_pk: { word } } } });
}

test('the record is removed and installed again between two looks, and nothing was announced to the new one', async () => {
  await subscribe();
  await relied();
  const tables = await captureStatus(client, TABLES);
  await client.query(
    ['begin', ...removeStatements(tables), ...installStatements(tables), MARK, 'commit'].join(';\n'),
  );
  await marked();
  await client.query("update item set word = 'second'");
  await shown('second');
});

test('the record is emptied, as by a crash of the database', async () => {
  await subscribe();
  await relied();
  await client.query("begin; update item set word = 'second'; truncate engine_catalog.live_changes; commit");
  await shown('second');
});

test('the announcement lapses', async () => {
  await subscribe();
  await relied();
  await client.query("select setval('engine_catalog.live_until', 0); update item set word = 'second'");
  await shown('second');
});
