/** Several processes at one port, as clients and operators see them. */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { type Answer, type RequestOptions, send } from '../../harness/server.ts';
import { connect, type TestSocket } from '../../harness/socket.ts';
import { startWebhook, type WebhookReceiver } from '../../harness/webhook.ts';
import { startWorkers, type Workers } from '../../harness/workers.ts';

const WORKERS = 3;
const SECRET = 'of-the-administrator';
const ADMIN = { 'x-engine-admin-secret': SECRET };
const USER = { ...ADMIN, 'x-engine-role': 'user' };
const CONNECTIONS = 7;
const SUBSCRIPTIONS = 4;

let database: TestDatabase;
let server: Workers;
let webhook: WebhookReceiver;
let requests = 0;

beforeAll(async () => {
  database = await createTestDatabase(
    'create table item (id int primary key); insert into item values (1); create table job (id int primary key)',
  );
  webhook = await startWebhook();
  server = await startWorkers(database, WORKERS, {
    ADMIN_SECRET: SECRET,
    PG_CONNECTIONS: String(CONNECTIONS),
    ENABLED_APIS: 'metadata,graphql,metrics,developer',
    MAX_SUBSCRIPTIONS_PER_ROLE: String(SUBSCRIPTIONS),
    GRACEFUL_SHUTDOWN_TIMEOUT: '20',
  });
  for (const table of ['item', 'job']) await server.metadata('pg_track_table', { table });
  for (const role of ['user', 'limited'])
    await server.metadata('pg_create_select_permission', {
      table: 'item',
      role,
      permission: { columns: '*', filter: {} },
    });
}, 180_000);
afterAll(async () => {
  await server?.stop();
  await webhook?.close();
});

/** Each request has a separate connection, which goes to the next worker. @returns the answer, and its number in the log */
async function ask(
  body: object,
  headers: Readonly<Record<string, string>> = ADMIN,
  path = '/v1/graphql',
  method: RequestOptions['method'] = 'POST',
): Promise<Answer & { readonly id: string }> {
  requests += 1;
  const id = `own-${requests}`;
  const options = { method, headers: { ...headers, 'x-request-id': id }, ...(method === 'POST' && { body }) };
  return { ...(await send(server, path, options)), id };
}

/** The workers that answered these requests. */
async function workersOf(ids: ReadonlySet<string>): Promise<ReadonlySet<number | undefined>> {
  const lines = () =>
    server.lines().filter(({ type, detail }) => type === 'http-log' && ids.has(detail.request_id));
  await expect.poll(() => lines().length).toBe(ids.size);
  return new Set(lines().map(({ worker }) => worker));
}

async function metrics(): Promise<string> {
  return (await ask({}, ADMIN, '/v1/metrics', 'GET')).text;
}

test('every answer after the acknowledgement of a change is of the new program, on every worker', async () => {
  let name = 'item';
  let isChanging = false;
  let isDone = false;
  const wrong: string[] = [];
  const ids = new Set<string>();
  const check = async (wanted: string) => {
    const { text, id } = await ask({ query: `{ ${wanted} { id } }` });
    ids.add(id);
    return { text, isRight: text === `{"data":{"${wanted}":[{"id":1}]}}` };
  };
  const clients = Array.from({ length: 6 }, async () => {
    while (!isDone) {
      const wanted = name;
      const { text, isRight } = await check(wanted);
      // One that was sent before a change may meet the next program.
      if (!isRight && wanted === name && !isChanging) wrong.push(text);
    }
  });
  for (let change = 0; change < 20; change += 1) {
    const next = change === 19 ? 'item' : `item_${change}`;
    isChanging = true;
    await server.metadata('pg_set_table_customization', {
      table: 'item',
      configuration: { custom_name: next },
    });
    name = next;
    isChanging = false;
    const answers = await Promise.all(Array.from({ length: 2 * WORKERS }, () => check(next)));
    for (const { text, isRight } of answers) if (!isRight) wrong.push(`after the acknowledgement: ${text}`);
  }
  isDone = true;
  await Promise.all(clients);
  expect(wrong).toEqual([]);
  expect((await workersOf(ids)).size).toBe(WORKERS);
});

test('metrics are the sum, asked of any worker, and the processes are told apart', async () => {
  const value = (text: string, series: string) => {
    const found = text.split('\n').filter((line) => line.startsWith(series) && !line.startsWith('#'));
    return found.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  };
  const series = 'engine_graphql_requests_total{';
  const before = value(await metrics(), series);
  for (let each = 0; each < 2 * WORKERS; each += 1) await ask({ query: '{ item { id } }' });
  for (let each = 0; each < WORKERS; each += 1)
    expect(value(await metrics(), series)).toBe(before + 2 * WORKERS);
  const text = await metrics();
  const processes = [...text.matchAll(/engine_process_resident_memory_bytes\{worker="(\w+)"\}/g)].map(
    ([, worker]) => worker,
  );
  expect(processes.sort()).toEqual(['1', '2', '3', 'primary']);
  expect(text).toMatch(/^engine_metadata_resource_version [1-9]/m);
  const report = (await ask({}, ADMIN, '/dev/ekg', 'GET')).json as Record<string, { values: unknown[] }>;
  expect(report.engine_graphql_requests_total!.values.length).toBeGreaterThan(0);
});

test('a rate limit holds over all workers, for requests, batches and sockets', async () => {
  const limit = 10;
  await server.metadata('set_api_limits', {
    disabled: false,
    rate_limit: { global: { max_reqs_per_min: 1000 }, per_role: { limited: { max_reqs_per_min: limit } } },
  });
  const limited = { ...ADMIN, 'x-engine-role': 'limited' };
  const query = '{ item { id } }';
  const answers = await Promise.all(Array.from({ length: 4 * WORKERS }, () => ask({ query }, limited)));
  expect(answers.filter(({ text }) => text.includes('"data"')).length).toBe(limit);
  expect(answers.filter(({ text }) => text.includes('rate limit exceeded')).length).toBe(4 * WORKERS - limit);
  const { text } = await ask([{ query }, { query }], limited);
  expect(text).toContain('rate limit exceeded');
  const socket = await connect(server, { session: limited });
  socket.send({ id: '1', type: 'subscribe', payload: { query } });
  expect(JSON.stringify(await socket.next())).toContain('rate limit exceeded');
  await socket.close();
  // A role that is not limited as much is answered on a socket, and one that stops before it is counted hears nothing.
  const other = await connect(server, { session: USER });
  other.send({ id: '1', type: 'subscribe', payload: { query } });
  other.send({ id: '2', type: 'subscribe', payload: { query: 'subscription { item { id } }' } });
  other.send({ id: '2', type: 'complete' });
  other.send({ id: '3', type: 'subscribe', payload: { query: 'subscription { item { no } }' } });
  const heard = () => other.messages.map(({ type, id }) => `${type} ${id}`);
  await expect.poll(heard).toEqual(expect.arrayContaining(['next 1', 'complete 1', 'error 3']));
  expect(heard().filter((each) => each.endsWith('2'))).toEqual([]);
  await other.close();
  await server.metadata('remove_api_limits', {});
});

const LIVE = { type: 'subscribe', payload: { query: 'subscription { item(order_by: {id: asc}) { id } }' } };

async function openLive(count: number): Promise<TestSocket[]> {
  const sockets: TestSocket[] = [];
  for (let each = 0; each < count; each += 1) {
    const socket = await connect(server, { session: USER });
    socket.send({ id: '1', ...LIVE });
    sockets.push(socket);
  }
  return sockets;
}

test('sockets of all workers get live updates, and the subscriptions of a role are counted over all', async () => {
  const sockets = await openLive(SUBSCRIPTIONS);
  for (const socket of sockets)
    expect((await socket.next()).payload).toEqual({ data: { item: [{ id: 1 }] } });
  const [beyond] = await openLive(1);
  // Its first result may come before the answer of the process that counts.
  const refused = () => beyond!.messages.some(({ type }) => type === 'error');
  await expect.poll(refused).toBe(true);
  await ask({ query: 'mutation { insert_item_one(object: {id: 2}) { id } }' });
  for (const socket of sockets)
    expect((await socket.next()).payload).toEqual({ data: { item: [{ id: 1 }, { id: 2 }] } });
  await sockets.pop()!.close();
  const allowed = async () => {
    const [socket] = await openLive(1);
    const first = await socket!.next();
    await delay(100);
    const isAllowed = first.type === 'next' && !socket!.messages.some(({ type }) => type === 'error');
    if (isAllowed) sockets.push(socket!);
    else await socket!.close();
    return isAllowed;
  };
  await expect.poll(allowed).toBe(true);
  await Promise.all([beyond!, ...sockets].map((socket) => socket.close()));
});

test('pools share the connections of the source', async () => {
  await Promise.all(Array.from({ length: 60 }, () => ask({ query: '{ item { id } }' })));
  const sum = [...(await metrics()).matchAll(/engine_postgres_connections\{.*\} (\d+)/g)].reduce(
    (total, [, count]) => total + Number(count),
    0,
  );
  expect(sum).toBeGreaterThanOrEqual(WORKERS);
  expect(sum).toBeLessThanOrEqual(CONNECTIONS);
});

test('events are delivered once, by one worker; another one takes over when it is killed', async () => {
  await server.metadata('pg_create_event_trigger', {
    name: 'made',
    table: 'job',
    webhook: webhook.url,
    insert: { columns: '*' },
  });
  const delivered = () =>
    webhook.calls.map(({ body }) => (body as { event: { data: { new: { id: number } } } }).event.data.new.id);
  const insert = (id: number) => ask({ query: `mutation { insert_job_one(object: {id: ${id}}) { id } }` });
  for (let id = 0; id < 9; id += 1) await insert(id);
  await expect.poll(() => delivered().length).toBe(9);
  const leader = server.leader();
  const invoking = () => server.lines().filter(({ type }) => type === 'event-trigger');
  await expect.poll(() => invoking().length).toBe(9);
  expect(new Set(invoking().map(({ worker }) => worker))).toEqual(new Set([leader]));
  const counted = /engine_graphql_requests_total\{.*\} (\d+)/g;
  const sum = (text: string) => [...text.matchAll(counted)].reduce((all, [, each]) => all + Number(each), 0);
  const before = sum(await metrics());
  process.kill(server.processes().get(leader)!, 'SIGKILL');
  await server.said(`worker ${leader} has ended by SIGKILL and is replaced`);
  expect(server.leader()).not.toBe(leader);
  for (let id = 9; id < 18; id += 1) await insert(id);
  await expect.poll(() => delivered().length).toBe(18);
  expect([...delivered()].sort((left, right) => left - right)).toEqual(
    Array.from({ length: 18 }, (_, id) => id),
  );
  // Counters do not fall by a process that has ended.
  expect(sum(await metrics())).toBeGreaterThanOrEqual(before + 9);
  await expect
    .poll(async () => (await metrics()).match(/resident_memory_bytes\{/g)!.length)
    .toBe(WORKERS + 1);
});

test('SIGHUP replaces the workers one after the other, and requests are answered all along', async () => {
  const before = new Set(server.processes().keys());
  let isDone = false;
  const failures: string[] = [];
  const clients = Array.from({ length: 4 }, async () => {
    while (!isDone) {
      const answer = await ask({ query: '{ __typename }' }).catch((error: unknown) => ({
        text: String(error),
      }));
      if (answer.text !== '{"data":{"__typename":"query_root"}}') failures.push(answer.text);
    }
  });
  server.child.kill('SIGHUP');
  await server.said('the workers have been restarted');
  // What is served now is what was changed.
  const ids = new Set<string>();
  for (let each = 0; each < WORKERS; each += 1) {
    const { text, id } = await ask({ query: '{ item(limit: 1) { id } }' });
    expect(text).toBe('{"data":{"item":[{"id":1}]}}');
    ids.add(id);
  }
  isDone = true;
  await Promise.all(clients);
  expect(failures).toEqual([]);
  for (const worker of await workersOf(ids)) expect(before).not.toContain(worker);
});

test('SIGTERM lets all workers finish what runs', async () => {
  await database.query(
    `create function slow() returns setof item language sql volatile as $$ select pg_sleep(2); select * from item where id = 1 $$`,
  );
  await server.metadata('pg_track_function', { function: 'slow' });
  const answers = Array.from({ length: 2 * WORKERS }, () => ask({ query: 'mutation { slow { id } }' }));
  await expect
    .poll(async () => {
      const [row] = await database.query<{ count: number }>(
        `select count(*)::int from pg_stat_activity where datname = current_database() and query like '%slow%' and state = 'active' and pid <> pg_backend_pid()`,
      );
      return row!.count;
    })
    .toBeGreaterThan(0);
  const ended = once(server.child, 'exit');
  server.child.kill('SIGTERM');
  for (const { text } of await Promise.all(answers)) expect(text).toBe('{"data":{"slow":[{"id":1}]}}');
  expect(await ended).toEqual([0, null]);
  for (const pid of server.processes().values()) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});
