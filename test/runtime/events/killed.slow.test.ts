/** Servers that are killed while events are delivered: nothing is lost, and only calls under way are made again. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { type ServerProcess, startServerProcess } from '../../bench/server.ts';
import { Random } from '../../fuzz/random.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { startWebhook, type WebhookReceiver } from '../../harness/webhook.ts';

const running = new Set<ServerProcess>();
let webhook: WebhookReceiver | undefined;

afterEach(async () => {
  for (const { child } of running) child.kill('SIGKILL');
  running.clear();
  await webhook?.close();
});

const BATCH = 10;
const CALLS = 5;
const KILLS = 3;
/** Deliveries between two kills. */
const BETWEEN = 60;

/** Seconds until what a killed server held is free, and for looks of the others after that, on a busy machine too. */
const FREE_AFTER = 30 + 30;

async function startServer(database: TestDatabase): Promise<ServerProcess> {
  const server = await startServerProcess(database.url, [], {
    environment: { EVENTS_HTTP_POOL_SIZE: String(CALLS), EVENTS_FETCH_BATCH_SIZE: String(BATCH) },
  });
  running.add(server);
  return server;
}

test.each([1, 2])(
  'three servers, killed and cut off at random moments (seed %i)',
  async (seed) => {
    const random = new Random(seed);
    const database = await createTestDatabase(
      'create table item (id int primary key, customer int not null)',
    );
    // Answers take a while, and some calls fail first.
    const answered: { trigger: string; customer: number; item: number }[] = [];
    webhook = await startWebhook(({ text, body }, response) => {
      const { trigger, event } = body as {
        trigger: { name: string };
        event: { data: { new: { id: number; customer: number } } };
      };
      const { id: item, customer } = event.data.new;
      response.statusCode = random.chance(0.1) ? 500 : 200;
      if (response.statusCode === 200) answered.push({ trigger: trigger.name, customer, item });
      setTimeout(() => response.end(), text.length % 40);
    });
    const { calls } = webhook;
    const first = await startServer(database);
    const metadata = async (type: string, args: object) => {
      const body = JSON.stringify({ type, args });
      const answer = await fetch(`http://127.0.0.1:${first.port}/v1/metadata`, { method: 'POST', body });
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
    await metadata('pg_create_event_trigger', {
      name: 'ordered',
      table: 'item',
      webhook: webhook.url,
      insert: { columns: '*' },
      retry_conf: { num_retries: 20, interval_sec: 0 },
      order_by_key: { columns: ['customer'] },
    });
    const servers = [first, await startServer(database), await startServer(database)];

    let rows = 0;
    let kills = 0;
    const writing = (async () => {
      for (; kills < KILLS; rows += 10) {
        await database.query('insert into item select n, n % 7 from generate_series($1::int, $1 + 9) n', [
          rows,
        ]);
        await delay(100 + random.below(200));
      }
    })();
    while (kills < KILLS) {
      const wanted = calls.length + BETWEEN;
      await expect.poll(() => calls.length, { timeout: 120_000, interval: 5 }).toBeGreaterThan(wanted);
      const index = random.below(3);
      // Killed while it holds events: otherwise this proves nothing.
      await expect.poll(() => webhook!.open(), { timeout: 60_000, interval: 1 }).toBeGreaterThan(0);
      servers[index]!.child.kill('SIGKILL');
      running.delete(servers[index]!);
      // The other ones lose their connections at the same time.
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
    const oldestLock = async () => {
      const [row] = await database.query<{ age: number | null }>(
        'select max(extract(epoch from now() - locked))::float8 as age from engine_catalog.event_log where locked is not null',
      );
      return row!.age ?? 0;
    };
    // What a killed server held is free once its lease has ended; calls take less than a second.
    const ages: number[] = [];
    const watching = setInterval(() => void oldestLock().then((age) => ages.push(age)), 500);
    await expect.poll(unfinished, { timeout: 120_000, interval: 250 }).toBe(0);
    clearInterval(watching);
    expect(Math.max(...ages)).toBeLessThan(FREE_AFTER);

    const [{ events }] = (await database.query<{ events: number }>(
      'select count(*)::integer as events from engine_catalog.event_log',
    )) as [{ events: number }];
    expect(events).toBe(2 * rows);
    const received = new Map<string, number>();
    for (const { body } of calls) {
      const { id } = body as { id: string };
      received.set(id, (received.get(id) ?? 0) + 1);
    }
    expect(received.size).toBe(2 * rows);
    // Every call that is recorded was made; those that are not were under way when their server was killed.
    const [{ recorded }] = (await database.query<{ recorded: number }>(
      'select count(*)::integer as recorded from engine_catalog.event_invocation_logs',
    )) as [{ recorded: number }];
    expect(calls.length).toBeGreaterThanOrEqual(recorded);
    expect(calls.length - recorded).toBeLessThanOrEqual(kills * (3 * BATCH + CALLS));

    // Of one key, each event was called with success before a later one was called at all; a call may be made twice.
    const last = new Map<number, number>();
    for (const { trigger, customer, item } of answered) {
      if (trigger !== 'ordered') continue;
      const before = last.get(customer) ?? -1;
      if (item !== before) expect(item, `customer ${customer}`).toBeGreaterThan(before);
      last.set(customer, item);
    }
    expect(last.size).toBe(7);
  },
  300_000,
);
