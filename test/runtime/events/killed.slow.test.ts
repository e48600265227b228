/** Servers that are killed while events are delivered: nothing is lost, and only calls under way are made again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { Random } from '../../fuzz/random.ts';
import { freePort } from '../../harness/free-port.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { startWebhook, type WebhookReceiver } from '../../harness/webhook.ts';

const checkout = fileURLToPath(new URL('../../..', import.meta.url));
const children = new Set<ChildProcess>();
let webhook: WebhookReceiver | undefined;

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  await webhook?.close();
});

const BATCH = 10;
const CALLS = 5;
const KILLS = 3;
/** Deliveries between two kills. */
const BETWEEN = 60;

async function startServer(database: TestDatabase): Promise<{ child: ChildProcess; address: string }> {
  const port = await freePort();
  const child = spawn(process.execPath, ['compiler/cli/bin.mjs', 'serve', '--server-port', String(port)], {
    cwd: checkout,
    env: {
      ...process.env,
      ENGINE_GRAPHQL_DATABASE_URL: database.url,
      ENGINE_GRAPHQL_EVENTS_HTTP_POOL_SIZE: String(CALLS),
      ENGINE_GRAPHQL_EVENTS_FETCH_BATCH_SIZE: String(BATCH),
    },
    stdio: 'ignore',
  });
  children.add(child);
  const address = `http://127.0.0.1:${port}`;
  const isUp = async () => (await fetch(`${address}/healthz`).catch(() => undefined))?.status;
  await expect.poll(isUp, { timeout: 120_000, interval: 200 }).toBe(200);
  return { child, address };
}

test.each([1, 2])(
  'two servers, killed and cut off at random moments (seed %i)',
  async (seed) => {
    const random = new Random(seed);
    const database = await createTestDatabase('create table item (id int primary key)');
    // Answers take a while, and some calls fail first.
    webhook = await startWebhook(({ text }, response) => {
      response.statusCode = random.chance(0.1) ? 500 : 200;
      setTimeout(() => response.end(), text.length % 40);
    });
    const { calls } = webhook;
    const first = await startServer(database);
    const metadata = async (type: string, args: object) => {
      const body = JSON.stringify({ type, args });
      const answer = await fetch(`${first.address}/v1/metadata`, { method: 'POST', body });
      expect(await answer.text()).not.toContain('"error"');
    };
    await metadata('pg_track_table', { table: 'item' });
    await metadata('pg_create_event_trigger', {
      name: 'kept',
      table: 'item',
      webhook: webhook.url,
      insert: { columns: '*' },
      retry_conf: { num_retries: 20, interval_sec: 0 },
    });
    const servers = [first, await startServer(database)];

    let rows = 0;
    let kills = 0;
    const writing = (async () => {
      for (; kills < KILLS; rows += 10) {
        await database.query('insert into item select n from generate_series($1::int, $1 + 9) n', [rows]);
        await delay(100 + random.below(200));
      }
    })();
    while (kills < KILLS) {
      const wanted = calls.length + BETWEEN;
      await expect.poll(() => calls.length, { timeout: 120_000, interval: 5 }).toBeGreaterThan(wanted);
      const index = random.below(2);
      // Killed while it holds events: otherwise this proves nothing.
      await expect.poll(() => webhook!.open(), { timeout: 60_000, interval: 1 }).toBeGreaterThan(0);
      servers[index]!.child.kill('SIGKILL');
      children.delete(servers[index]!.child);
      // The other one loses its connections at the same time.
      await database
        .query(
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
        )
        .catch(() => {});
      servers[index] = await startServer(database);
      kills += 1;
    }
    await writing;

    const unfinished = async () => {
      const [row] = await database.query<{ count: number }>(
        'select count(*)::integer as count from engine_catalog.event_log where not delivered or locked is not null',
      );
      return row!.count;
    };
    // What a killed server held is free once its lease has ended.
    await expect.poll(unfinished, { timeout: 90_000, interval: 250 }).toBe(0);

    const [{ events }] = (await database.query<{ events: number }>(
      'select count(*)::integer as events from engine_catalog.event_log',
    )) as [{ events: number }];
    expect(events).toBe(rows);
    const received = new Map<string, number>();
    for (const { body } of calls) {
      const { id } = body as { id: string };
      received.set(id, (received.get(id) ?? 0) + 1);
    }
    expect(received.size).toBe(rows);
    // Every call that is recorded was made; those that are not were under way when their server was killed.
    const [{ recorded }] = (await database.query<{ recorded: number }>(
      'select count(*)::integer as recorded from engine_catalog.event_invocation_logs',
    )) as [{ recorded: number }];
    expect(calls.length).toBeGreaterThanOrEqual(recorded);
    expect(calls.length - recorded).toBeLessThanOrEqual(kills * (2 * BATCH + CALLS));
  },
  300_000,
);
