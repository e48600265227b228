/** Processes of a server with workers are killed under load: only requests that they answer fail, and no event is lost. */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { freePort } from '../harness/free-port.ts';
import { createTestDatabase } from '../harness/postgres.ts';
import { send } from '../harness/server.ts';
import { startWebhook, type WebhookReceiver } from '../harness/webhook.ts';
import { startWorkers, type Workers } from '../harness/workers.ts';

const WORKERS = 2;
let running: Workers | undefined;
let webhook: WebhookReceiver | undefined;

afterEach(async () => {
  await running?.stop();
  await webhook?.close();
});

test('a worker, the one that delivers events and the primary process are killed in turn', async () => {
  const database = await createTestDatabase('create table item (id int primary key)');
  webhook = await startWebhook((_call, response) => setTimeout(() => response.end(), 20));
  const { calls } = webhook;
  const port = await freePort();
  const start = () => startWorkers(database, WORKERS, { SERVER_PORT: String(port), LOG_LEVEL: 'info' });
  const server = await start();
  running = server;
  await server.metadata('pg_track_table', { table: 'item' });
  await server.metadata('pg_create_event_trigger', {
    name: 'made',
    table: 'item',
    webhook: webhook.url,
    insert: { columns: '*' },
    retry_conf: { num_retries: 20, interval_sec: 0 },
  });

  let next = 0;
  let isDone = false;
  const written = new Set<number>();
  /** By request: when it failed. */
  const failures = new Map<string, string>();
  const client = async () => {
    while (!isDone) {
      const id = next++;
      const body = { query: `mutation { insert_item_one(object: {id: ${id}}) { id } }` };
      const headers = { 'x-request-id': `own-${id}` };
      try {
        const { text } = await send(server, '/v1/graphql', { headers, body });
        if (text === `{"data":{"insert_item_one":{"id":${id}}}}`) written.add(id);
        else failures.set(headers['x-request-id'], text);
      } catch (error) {
        failures.set(headers['x-request-id'], String(error));
      }
      await delay(5);
    }
  };
  const clients = Array.from({ length: 6 }, client);
  const flowing = async () => {
    const before = written.size;
    await expect.poll(() => written.size).toBeGreaterThan(before + 30);
  };
  await flowing();

  let kills = 0;
  const kill = async (worker: number) => {
    const before = failures.size;
    process.kill(server.processes().get(worker)!, 'SIGKILL');
    await server.said(`worker ${worker} has ended by SIGKILL and is replaced`);
    await flowing();
    // At most what ran there: each client asks one thing at a time.
    expect(failures.size - before).toBeLessThanOrEqual(6);
    for (const reason of failures.values()) expect(reason).toMatch(/ECONNRESET|socket hang up/);
    kills += 1;
    await server.said('the server listens', WORKERS + kills);
  };
  const other = [...server.processes().keys()].find((worker) => worker !== server.leader())!;
  await kill(other);
  // It holds events, or this proves nothing.
  await expect.poll(() => webhook!.open(), { interval: 1 }).toBeGreaterThan(0);
  const leader = server.leader();
  await kill(leader);
  expect(server.leader()).not.toBe(leader);

  // What runs in the workers while the primary process is killed is answered.
  await database.query(
    'create function slow() returns setof item language sql volatile as $$ select pg_sleep(2); select * from item where id = 0 $$',
  );
  await server.metadata('pg_track_function', { function: 'slow' });
  const slow = Array.from({ length: WORKERS }, () =>
    send(server, '/v1/graphql', { body: { query: 'mutation { slow { id } }' } }),
  );
  await expect
    .poll(async () => {
      const [row] = await database.query<{ count: number }>(
        `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
      );
      return row!.count;
    })
    .toBe(WORKERS);
  const processes = [...server.processes().values()];
  const ended = once(server.child, 'exit');
  server.child.kill('SIGKILL');
  await ended;
  for (const { text } of await Promise.all(slow)) expect(text).toBe('{"data":{"slow":[{"id":0}]}}');
  const isRunning = (pid: number) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  await expect.poll(() => processes.filter(isRunning)).toEqual([]);
  isDone = true;
  await Promise.all(clients);

  running = await start();
  const rows = await database.query<{ id: number }>('select id from item');
  const stored = new Set(rows.map(({ id }) => id));
  for (const id of written) expect(stored).toContain(id);
  const delivered = () =>
    new Set(
      calls.map(({ body }) => (body as { event: { data: { new: { id: number } } } }).event.data.new.id),
    );
  // What a killed process held is free when its lease has ended.
  await expect.poll(() => delivered().size, { timeout: 90_000 }).toBe(stored.size);
  const open = () =>
    database.query('select id from engine_catalog.event_log where not delivered or locked is not null');
  await expect.poll(open, { timeout: 90_000 }).toEqual([]);
}, 300_000);

test('a metadata operation that lasts does not hold up the stop', async () => {
  const database = await createTestDatabase('create table item (id int primary key)');
  const server = await startWorkers(database, WORKERS, { GRACEFUL_SHUTDOWN_TIMEOUT: '1' });
  running = server;
  const sql = 'select pg_sleep(600)';
  const body = { type: 'run_sql', args: { source: 'default', sql } };
  send(server, '/v2/query', { body }).catch(() => {});
  const waits = `select 1 from pg_stat_activity where datname = current_database() and query = '${sql}'`;
  await expect.poll(async () => (await database.query(waits)).length).toBe(1);
  server.child.kill('SIGTERM');
  const [status] = await once(server.child, 'exit');
  expect(status).toBe(0);
});
