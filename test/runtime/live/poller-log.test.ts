/** Each read of a live query is logged once, also one that others end before, and the last one. */
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { send, startTestServer, type TestServer } from '../../harness/server.ts';
import { connect } from '../../harness/socket.ts';

let database: TestDatabase;
let server: TestServer;
/** Holds the locks that reads wait for. */
let holder: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase(`
    create table item (id int primary key);
    create function waits(number int) returns setof item language plpgsql stable as $$
    begin
      perform pg_advisory_lock_shared(number);
      perform pg_advisory_unlock_shared(number);
      return query select * from item where id <> 1 / number;
    end $$;
  `);
  holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  server = await startTestServer(database, { LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '500' });
  for (const [type, args] of [
    ['pg_track_table', { table: 'item' }],
    ['pg_track_function', { function: 'waits' }],
  ]) {
    const answer = await send(server, '/v1/metadata', { body: { type, args } });
    expect(answer.text).toContain('success');
  }
});

afterAll(async () => {
  await server?.stop();
  await holder?.end();
});

const QUERY = 'subscription ($n: Int!) { waits(args: {number: $n}) { id } }';

async function subscribe(n: number) {
  const socket = await connect(server);
  socket.send({ type: 'subscribe', id: '1', payload: { query: QUERY, variables: { n } } });
  return socket;
}

interface Detail {
  readonly read_count: number;
  readonly batches: readonly object[];
  readonly errors?: readonly { readonly detail: string }[];
}

const logged = (): Detail[] =>
  server
    .output()
    .split('\n')
    .filter((line) => line.includes('"type":"livequery-poller-log"'))
    .map((line) => JSON.parse(line).detail);

const readsWaiting = async () => {
  const { rows } = await holder.query(
    "select count(*)::int from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())",
  );
  return rows[0].count as number;
};

test('a read that began during a round and ends after it', async () => {
  await holder.query('select pg_advisory_lock(1), pg_advisory_lock(2)');
  const first = await subscribe(1);
  await expect.poll(readsWaiting).toBe(1);
  await holder.query('select pg_advisory_unlock(1)');
  expect(await first.next()).toMatchObject({ type: 'next' });
  await holder.query('select pg_advisory_lock(1)');
  await expect.poll(readsWaiting).toBe(1);
  const second = await subscribe(2);
  await expect.poll(readsWaiting).toBe(2);
  const before = logged().length;
  await holder.query('select pg_advisory_unlock(1)');
  await expect.poll(() => logged().length).toBeGreaterThan(before);
  // Later rounds wait, so that no other read is logged together with the second's.
  await holder.query('select pg_advisory_lock(1)');
  await first.close();
  const reads = () => logged().reduce((sum, { read_count }) => sum + read_count, 0);
  const known = reads();
  await holder.query('select pg_advisory_unlock(1), pg_advisory_unlock(2)');
  expect(await second.next()).toMatchObject({ type: 'next' });
  await second.close();
  await expect.poll(reads).toBeGreaterThan(known);
});

test('a read that ends the only subscription', async () => {
  const socket = await subscribe(0);
  expect(await socket.next()).toMatchObject({ type: 'error' });
  await expect.poll(() => logged().at(-1)?.errors).toEqual([{ batch_id: 1, detail: 'division by zero' }]);
  await socket.close();
});
