/** Read replicas: a real standby that lags, breaks and is promoted. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Cluster, createTestCluster } from '../harness/cluster.ts';
import { type FaultProxy, startFaultProxy } from '../harness/fault-proxy.ts';
import { createTestDatabase } from '../harness/postgres.ts';
import { type Answer, send, startTestServer, type TestServer } from '../harness/server.ts';
import { connect } from '../harness/socket.ts';
import { beginTraffic } from '../harness/traffic.ts';

const SCHEMA = `
  create table item (id serial primary key, name text);
  create view server as select current_setting('port') as port;
  create table patience (seconds float8); insert into patience values (0);
  create sequence visits;
  create function visit() returns setof item stable language plpgsql as
    $$ begin perform nextval('visits'); return query select * from item; end $$;
  create function slowly() returns setof item stable language plpgsql as
    $$ begin return query select * from item; perform pg_sleep(seconds) from patience; return query select * from item; end $$;
  create function volatile_port() returns setof server volatile language sql as 'select * from server'`;
const PORT = '{ server { port } }';
const NAMES = '{ item(order_by: { id: asc }) { name } }';
const MAX_LAG = 2;

let primary: Cluster;
let standby: Cluster;
let primaryProxy: FaultProxy;
let standbyProxy: FaultProxy;
/** Without and with read-your-writes. */
let server: TestServer;
let careful: TestServer;

const insert = (name: string) => `mutation { insert_item_one(object: { name: "${name}" }) { id } }`;

interface Json {
  readonly data?: Record<string, readonly Record<string, string>[]>;
  readonly errors?: readonly { readonly message: string }[];
}

async function ask(of: TestServer, query: string, headers: Readonly<Record<string, string>> = {}) {
  const answer = await send(of, '/v1/graphql', { body: { query }, headers });
  const { data, errors } = answer.json as Json;
  expect(errors).toBeUndefined();
  return { answer, data: data! };
}

/** The port of the server that answers. */
async function portOf(of: TestServer, query = PORT, headers: Readonly<Record<string, string>> = {}) {
  const { data } = await ask(of, query, headers);
  return Number(Object.values(data)[0]![0]!.port);
}

async function names(of: TestServer, headers: Readonly<Record<string, string>> = {}) {
  return (await ask(of, NAMES, headers)).data.item!.map(({ name }) => name);
}

const metadata = async (of: TestServer, type: string, args: object) => {
  const { json } = await send(of, '/v1/metadata', { body: { type, args } });
  expect(json).not.toHaveProperty('error');
};

function start(options: Readonly<Record<string, string>>): Promise<TestServer> {
  return createTestDatabase().then(async (stored) => {
    const started = await startTestServer(
      stored,
      {
        DATABASE_URL: primaryProxy.url,
        METADATA_DATABASE_URL: stored.url,
        REPLICA_MAX_LAG: String(MAX_LAG),
        ...options,
      },
      { REPLICA: standbyProxy.url },
    );
    const info = (url: object) => ({ database_url: url, isolation_level: 'serializable' });
    const configuration = {
      connection_info: info({ from_env: 'ENGINE_GRAPHQL_DATABASE_URL' }),
      read_replicas: [info({ from_env: 'REPLICA' }), info({ from_env: 'NOWHERE' })],
    };
    await metadata(started, 'pg_add_source', { name: 'default', configuration, replace_configuration: true });
    for (const table of ['item', 'server']) await metadata(started, 'pg_track_table', { table });
    for (const name of ['visit', 'slowly', 'volatile_port'])
      await metadata(started, 'pg_track_function', {
        function: name,
        configuration: { exposed_as: 'query' },
      });
    await metadata(started, 'pg_create_select_permission', {
      table: 'server',
      role: 'limited',
      permission: { columns: '*', filter: {} },
    });
    await metadata(started, 'set_api_limits', { disabled: false, time_limit: { global: 30, per_role: {} } });
    return started;
  });
}

const onReplica = async (of: TestServer = server) => expect.poll(() => portOf(of)).toBe(standby.port);
/** Seconds that a call of `slowly` takes that begins from now on, on either server. */
async function setPatience(seconds: number): Promise<void> {
  await primary.query('update patience set seconds = $1', [seconds]);
  await expect.poll(() => standby.query('select seconds from patience')).toEqual([{ seconds }]);
}
const pause = () => standby.query('select pg_wal_replay_pause()');
const resume = () => standby.query('select pg_wal_replay_resume()');

beforeAll(async () => {
  primary = await createTestCluster();
  await primary.start();
  await primary.query(SCHEMA);
  await primary.stop('fast');
  standby = await primary.standby();
  await primary.start();
  await standby.start({ max_standby_streaming_delay: '0', hot_standby_feedback: 'off' });
  primaryProxy = await startFaultProxy(primary.url);
  standbyProxy = await startFaultProxy(standby.url);
  server = await start({});
  careful = await start({ READ_YOUR_WRITES: 'header', REPLICA_MAX_LAG: '60' });
});

afterEach(async () => {
  await resume().catch(() => {});
});

afterAll(async () => {
  await server?.stop();
  await careful?.stop();
  await primaryProxy?.close();
  await standbyProxy?.close();
  await standby?.remove();
  await primary?.remove();
});

test('reads go to the replica, and what writes or may write to the primary', async () => {
  await onReplica();
  expect(await portOf(server, PORT, { 'x-engine-role': 'limited' })).toBe(standby.port);
  expect(await portOf(server, '{ volatile_port { port } }')).toBe(primary.port);
  await ask(server, insert('first'));
  await expect.poll(() => names(server)).toContain('first');
  expect(server.output()).toMatch(/read_replicas\[1\] is not used: environment variable 'NOWHERE' not set/);
});

test('live queries are read from the primary', async () => {
  const socket = await connect(server);
  socket.send({ type: 'subscribe', id: '1', payload: { query: `subscription ${PORT}` } });
  await expect
    .poll(() => JSON.stringify(socket.messages.findLast(({ type }) => type === 'next')?.payload))
    .toBe(JSON.stringify({ data: { server: [{ port: String(primary.port) }] } }));
  await socket.close();
});

test('a replica that is late gets no reads until it has caught up', async () => {
  await onReplica();
  await pause();
  await ask(server, insert('late'));
  // Older data, but committed, as long as it may be late.
  await expect.poll(() => portOf(server)).toBe(primary.port);
  expect(await names(server)).toContain('late');
  await expect.poll(() => /gets no reads: .* more than 2 seconds late/.test(server.output())).toBe(true);
  await resume();
  await onReplica();
  expect(await names(server)).toContain('late');
});

test('an idle primary makes no replica late', async () => {
  await onReplica();
  await delay(MAX_LAG * 1000 + 2000);
  expect(await portOf(server)).toBe(standby.port);
});

test('a client that brings back the position of its write reads it, wherever that is', async () => {
  await onReplica(careful);
  await pause();
  const { answer } = await ask(careful, insert('mine'));
  const lsn = String(answer.headers['x-engine-lsn']);
  expect(lsn).toMatch(/^default=[0-9A-F]+\/[0-9A-F]+$/);
  expect(await names(careful)).not.toContain('mine');
  expect(await names(careful, { 'x-engine-lsn': lsn })).toContain('mine');
  expect(await portOf(careful, PORT, { 'x-engine-lsn': lsn })).toBe(primary.port);
  // What cannot be read says nothing.
  expect(await portOf(careful, PORT, { 'x-engine-lsn': 'nonsense=,x' })).toBe(standby.port);
  await resume();
  await expect.poll(() => portOf(careful, PORT, { 'x-engine-lsn': lsn })).toBe(standby.port);
  expect(await names(careful, { 'x-engine-lsn': lsn })).toContain('mine');
});

test('members of a batch, and operations of a socket, see what those before them wrote', async () => {
  await onReplica(careful);
  await pause();
  const batch = [{ query: insert('batched') }, { query: NAMES }];
  const { text } = await send(careful, '/v1/graphql', { body: batch });
  expect(text).toContain('"batched"');
  const socket = await connect(careful);
  const run = async (id: string, query: string) => {
    socket.send({ type: 'subscribe', id, payload: { query } });
    await expect.poll(() => socket.messages.some((m) => m.id === id && m.type === 'complete')).toBe(true);
    return JSON.stringify(socket.messages.find((m) => m.id === id)?.payload);
  };
  await run('1', insert('by socket'));
  expect(await run('2', NAMES)).toContain('by socket');
  await socket.close();
});

test('browsers get the position as a cookie that is forgotten when every replica has it', async () => {
  const browsed = await start({ READ_YOUR_WRITES: 'cookie', REPLICA_MAX_LAG: '60' });
  try {
    await onReplica(browsed);
    await pause();
    const { answer } = await ask(browsed, insert('browsed'));
    const [cookie] = answer.headers['set-cookie'] as string[];
    expect(cookie).toMatch(/^engine-lsn=[^;]+; Path=\/; Max-Age=61; HttpOnly; SameSite=Lax$/);
    expect(await names(browsed)).not.toContain('browsed');
    expect(await names(browsed, { cookie: `a=b; ${cookie!.split(';')[0]}` })).toContain('browsed');
  } finally {
    await browsed.stop();
  }
});

test('a read that conflicts with what is replayed is answered by the primary', async () => {
  await onReplica();
  await primary.query('update item set name = name');
  await setPatience(20);
  await onReplica();
  const reading = ask(server, '{ slowly { id } }');
  await expect
    .poll(
      async () =>
        (await standby.query("select from pg_stat_activity where query ~ 'slowly' and state = 'active'"))
          .length,
    )
    .toBeGreaterThan(1);
  // It is answered at once when it runs again.
  await setPatience(0);
  await primary.query('delete from item where id = 1');
  await primary.query('vacuum item');
  await reading;
  const conflicts = async () =>
    (
      await standby.query(
        'select confl_snapshot::int as n from pg_stat_database_conflicts where datname = current_database()',
      )
    )[0]!.n;
  await expect.poll(conflicts).toBeGreaterThan(0);
});

test('a read that writes is answered by the primary, and reported', async () => {
  await onReplica();
  const before = (await primary.query('select last_value::int as n from visits'))[0]!.n as number;
  await ask(server, '{ visit { id } }');
  expect((await primary.query('select last_value::int as n, is_called from visits'))[0]).toEqual({
    n: before,
    is_called: true,
  });
  expect(server.output()).toMatch(/a read wrote, .* has to be declared VOLATILE/);
});

test('names that the replica does not have yet are read on the primary', async () => {
  await onReplica();
  await pause();
  await primary.query('alter table item add column if not exists colour text');
  await metadata(server, 'reload_metadata', { reload_sources: true });
  expect((await ask(server, '{ item { colour } }')).data).toHaveProperty('item');
});

test('nothing fails while the replica is away, and reads survive the primary on it', async () => {
  await onReplica();
  const traffic = beginTraffic(server, 4, () => ({ text: PORT }));
  await standby.stop('immediate');
  await expect.poll(() => portOf(server)).toBe(primary.port);
  await standby.start();
  await onReplica();
  standbyProxy.cut();
  await expect.poll(() => portOf(server)).toBe(primary.port);
  standbyProxy.heal();
  await onReplica();
  primaryProxy.cut();
  await delay(MAX_LAG * 1000 + 3000);
  expect(await portOf(server)).toBe(standby.port);
  primaryProxy.heal();
  const outcomes = await traffic.stop();
  expect(outcomes.filter(({ error }) => error)).toEqual([]);
  expect(new Set(outcomes.map(({ data }) => JSON.stringify(data))).size).toBe(2);
});

test('a read that loses the primary is answered by a replica', async () => {
  await onReplica();
  await setPatience(20);
  standbyProxy.cut();
  await expect.poll(() => portOf(server)).toBe(primary.port);
  const reading = ask(server, '{ slowly { id } }');
  await expect
    .poll(() => primary.query("select from pg_stat_activity where query ~ 'slowly' and state = 'active'"))
    .toHaveLength(2);
  standbyProxy.heal();
  await onReplica();
  await setPatience(0);
  primaryProxy.cut();
  await reading;
  primaryProxy.heal();
});

test('after a failover the promoted replica is the primary, and no replica', async () => {
  await onReplica();
  const reports = () => server.output().match(/gets no reads/g)?.length ?? 0;
  const before = reports();
  await primary.stop('immediate');
  await standby.query('select pg_promote()');
  primaryProxy.redirect(standby.url);
  primaryProxy.cut();
  primaryProxy.heal();
  const written = (): Promise<Answer> => send(server, '/v1/graphql', { body: { query: insert('after') } });
  await expect.poll(async () => (await written()).text).not.toContain('errors');
  expect(await names(server)).toContain('after');
  await expect.poll(reports).toBeGreaterThan(before);
  const { json } = await send(server, '/healthz/sources', { method: 'GET' });
  expect(json).toMatchObject({ default: { status: 'OK' } });
});
