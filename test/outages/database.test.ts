/** A source's database that restarts, hangs, is slow or full: what clients see, and that all is well afterwards. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Cluster, createTestCluster } from '../harness/cluster.ts';
import { type FaultProxy, startFaultProxy } from '../harness/fault-proxy.ts';
import { createTestDatabase } from '../harness/postgres.ts';
import { send, startTestServer, type TestServer } from '../harness/server.ts';
import { ask, beginTraffic, type Outcome } from '../harness/traffic.ts';

let cluster: Cluster;
let proxy: FaultProxy;
let server: TestServer;

const READ = '{ item(limit: 3, order_by: { id: asc }) { id } }';
const SCHEMA = `
  create table item (id serial primary key, name text);
  insert into item (name) values ('a'), ('b'), ('c');
  create table other (id int primary key);
  insert into other values (1);
  create function slow_items(seconds float) returns setof item language sql stable
    as 'select item.* from item, pg_sleep(seconds)';`;

beforeAll(async () => {
  cluster = await createTestCluster();
  await cluster.start();
  await cluster.query(SCHEMA);
  proxy = await startFaultProxy(cluster.url);
  // The metadata, and a second source, are elsewhere.
  const metadata = await createTestDatabase(
    'create table other (id int primary key); insert into other values (1)',
  );
  server = await startTestServer(
    metadata,
    {
      DATABASE_URL: `${proxy.url}?connect_timeout=3`,
      METADATA_DATABASE_URL: metadata.url,
      REQUIRED_SOURCES: 'default',
      PG_CONNECTIONS: '20',
    },
    { OTHER_URL: metadata.url },
  );
  const track = async (type: string, args: object) => {
    const { json } = await send(server, '/v1/metadata', { body: { type, args } });
    expect(json).toEqual({ message: 'success' });
  };
  await track('pg_track_table', { table: 'item' });
  await track('pg_track_function', { function: 'slow_items' });
  await track('pg_add_source', {
    name: 'elsewhere',
    configuration: { connection_info: { database_url: { from_env: 'OTHER_URL' } } },
  });
  await track('pg_track_table', { source: 'elsewhere', table: 'other' });
});

afterEach(async () => {
  proxy.heal();
  await expect.poll(async () => (await ask(server, READ)).error, { timeout: 60_000 }).toBeUndefined();
});

afterAll(async () => {
  await server?.stop();
  await proxy?.close();
  await cluster?.remove();
});

let row = 0;
const write = () => {
  row += 1;
  return `mutation { insert_item_one(object: { name: "${row}" }) { id } }`;
};
const codes = (outcomes: readonly Outcome[]) =>
  new Set(outcomes.flatMap(({ error, status }) => (error ? [`${status} ${error.code}`] : [])));

/** Backends that run `slow_items`. */
const slowBackends = () =>
  cluster.query(
    `select pid from pg_stat_activity where query like '%slow_items%' and state = 'active' and pid <> pg_backend_pid()`,
  );

/** No operation waits for ever, and the pool opens no more connections than it may. */
async function expectHealthyPool(): Promise<void> {
  const all = await Promise.all(Array.from({ length: 60 }, () => ask(server, READ)));
  expect(all.filter(({ error }) => error)).toEqual([]);
  const [row] = await cluster.query(
    `select count(*)::int as count from pg_stat_activity where application_name = 'engine'`,
  );
  // Those of requests, of live queries, of events and of the metadata thread.
  expect(row!.count).toBeLessThanOrEqual(20 + 4 + 2 + 5 + 2);
}

test.each(['fast', 'immediate'] as const)('E-1: a database that restarts (%s) under load', async (mode) => {
  let next = 0;
  const traffic = beginTraffic(server, 8, () => {
    next += 1;
    return { text: next % 3 === 0 ? write() : READ };
  });
  await traffic.recovered();
  const before = performance.now();
  await cluster.stop(mode);
  await delay(500);
  await cluster.start();
  const took = await traffic.recovered();
  const after = performance.now();
  await delay(500);
  const outcomes = await traffic.stop();
  const failed = outcomes.filter(({ error }) => error);
  expect(failed.filter(({ ended, began }) => ended < before || began > after)).toEqual([]);
  expect([...codes(failed)].filter((code) => !/^(200|500|503) postgres-error$/.test(code))).toEqual([]);
  expect(failed.length).toBeGreaterThan(0);
  console.log(`E-1 ${mode}: first good answer ${took.toFixed(0)} ms after the database accepts`);
  await expectHealthyPool();
});

test('E-2: connections that are dead without a word are found, and requests end', async () => {
  await expectHealthyPool();
  proxy.swallow();
  const stuck = Promise.all([
    ask(server, READ),
    ask(server, write()),
    ask(server, '{ slow_items(args: { seconds: 0 }) { id } }'),
  ]);
  await delay(500);
  // What is connected anew passes: only the old connections are dead.
  proxy.heal();
  const [read, written] = await stuck;
  // The read was tried again; of the write nobody knows whether it happened.
  expect(read.error).toBeUndefined();
  expect(written.error).toMatchObject({ code: 'postgres-error' });
  console.log(`E-2: dead connections were found after ${((read.ended - read.began) / 1000).toFixed(1)} s`);
  await expectHealthyPool();
});

test('E-2: a database that swallows everything: requests end with an error, however many come, and it is used again afterwards', async () => {
  await expectHealthyPool();
  proxy.swallow();
  const requests: Promise<Outcome>[] = [];
  for (let count = 0; count < 60; count += 1) {
    requests.push(ask(server, count % 3 === 1 ? write() : READ));
    await delay(500);
  }
  // The last ones are still under way, and end as well, before the database answers again.
  const outcomes = await Promise.all(requests);
  for (const { error } of outcomes) expect(error).toMatchObject({ code: 'postgres-error' });
  const longest = Math.max(...outcomes.map(({ began, ended }) => ended - began));
  console.log(`E-2: requests to a silent database ended after ${(longest / 1000).toFixed(1)} s`);
  // Dead connections are found in 15 seconds; then the connection is tried three times for three seconds.
  expect(longest).toBeLessThan(40_000);
  proxy.heal();
  await expect.poll(async () => (await ask(server, READ)).error).toBeUndefined();
  await expectHealthyPool();
}, 120_000);

test('E-2: connections that are reset', async () => {
  const traffic = beginTraffic(server, 4, () => ({ text: READ }));
  await traffic.recovered();
  proxy.cut();
  await delay(300);
  proxy.heal();
  await traffic.recovered();
  const outcomes = await traffic.stop();
  expect([...codes(outcomes)].filter((code) => !/ postgres-error$/.test(code))).toEqual([]);
  await expectHealthyPool();
});

test('E-2: a backend that is stopped holds up no other request', async () => {
  const held = ask(server, '{ slow_items(args: { seconds: 5 }) { id } }');
  await expect.poll(slowBackends).toHaveLength(1);
  const [backend] = await slowBackends();
  process.kill(backend!.pid as number, 'SIGSTOP');
  try {
    const others = await Promise.all(Array.from({ length: 20 }, () => ask(server, READ)));
    expect(others.filter(({ error }) => error)).toEqual([]);
  } finally {
    process.kill(backend!.pid as number, 'SIGCONT');
  }
  expect((await held).error).toBeUndefined();
});

test('E-3: a slow database slows its own requests only', async () => {
  const elsewhere = '{ other { id } }';
  await ask(server, elsewhere);
  proxy.slow(500);
  let isDone = false;
  const slow = Promise.all(Array.from({ length: 40 }, () => ask(server, READ))).finally(() => {
    isDone = true;
  });
  let answered = 0;
  while (!isDone) {
    expect((await ask(server, elsewhere)).error).toBeUndefined();
    answered += 1;
  }
  expect((await slow).filter(({ error }) => error)).toEqual([]);
  // One round trip there and back takes a second; held up by it, the other source would answer one request in that time.
  expect(answered).toBeGreaterThan(1);
  const { json } = await send(server, '/healthz/sources', { method: 'GET' });
  expect(json).toMatchObject({ default: { status: 'OK' }, elsewhere: { status: 'OK' } });
});

test('readiness names the required source that is away, and recovers', async () => {
  proxy.cut();
  await expect
    .poll(async () => (await send(server, '/readyz', { method: 'GET' })).json)
    .toMatchObject({ reasons: ['source:default'] });
  expect((await send(server, '/livez', { method: 'GET' })).status).toBe(200);
  expect((await ask(server, '{ other { id } }')).error).toBeUndefined();
  proxy.heal();
  await expect.poll(async () => (await send(server, '/readyz', { method: 'GET' })).status).toBe(200);
});

test('E-4: a database without free connections', async () => {
  await cluster.stop('fast');
  await cluster.start({ max_connections: '8', superuser_reserved_connections: '0' });
  const slow = '{ slow_items(args: { seconds: 0.3 }) { id } }';
  const outcomes = await Promise.all(Array.from({ length: 30 }, () => ask(server, slow)));
  expect([...codes(outcomes)].filter((code) => !/ postgres-max-connections-error$/.test(code))).toEqual([]);
  // With all connections in other hands nothing can be opened, and that is what is said.
  await expect.poll(async () => (await ask(server, READ)).error).toBeUndefined();
  await cluster.stop('fast');
  await cluster.start();
  await expect.poll(async () => (await ask(server, READ)).error).toBeUndefined();
  await expectHealthyPool();
});

test('E-13: writes say that they write, so a default of the database does not stop them', async () => {
  await cluster.query('alter system set default_transaction_read_only = on');
  await cluster.query('select pg_reload_conf()');
  try {
    expect((await ask(server, READ)).error).toBeUndefined();
    // Connections from before find out with their first write.
    await expect.poll(async () => (await ask(server, write())).error).toBeUndefined();
  } finally {
    await cluster.query('alter system reset default_transaction_read_only');
    await cluster.query('select pg_reload_conf()');
  }
});

test('E-13: a write without room for its temporary files fails with the reason, and reads go on', async () => {
  await cluster.query(`create function no_room() returns trigger language plpgsql as
    $$ begin
      perform set_config('temp_file_limit', '0', true);
      perform count(*) from generate_series(1, 1000000);
      return new;
    end $$;
    create trigger no_room before insert on item for each row execute function no_room()`);
  const full = await ask(server, write());
  expect(full.error).toEqual({
    message: 'the statement reached a limit in the settings of the database; select less',
    code: 'postgres-error',
  });
  expect((await ask(server, READ)).error).toBeUndefined();
  await cluster.query('drop trigger no_room on item');
  expect((await ask(server, write())).error).toBeUndefined();
});

test('E-17: a client that leaves ends what it asked for', async () => {
  const leave = new AbortController();
  const asked = fetch(`http://127.0.0.1:${server.port}/v1/graphql`, {
    method: 'POST',
    body: JSON.stringify({ query: '{ slow_items(args: { seconds: 30 }) { id } }' }),
    signal: leave.signal,
  }).catch(() => undefined);
  await expect.poll(slowBackends).toHaveLength(1);
  leave.abort();
  await asked;
  await expect.poll(slowBackends).toEqual([]);
});
