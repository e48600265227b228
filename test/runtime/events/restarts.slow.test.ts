/** PostgreSQL restarts under load, several instances, and clocks that go wrong. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { startEmbeddedPostgres } from '../../../compiler/offline/embedded.ts';
import { type ServerProcess, startServerProcess } from '../../bench/server.ts';
import { freePort } from '../../harness/free-port.ts';
import { createTestDatabase } from '../../harness/postgres.ts';
import { startWebhook, type WebhookReceiver } from '../../harness/webhook.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function serve(...args: Parameters<typeof startServerProcess>): Promise<ServerProcess> {
  const server = await startServerProcess(...args);
  ends.push(() => server.child.kill('SIGKILL'));
  return server;
}

async function receive(): Promise<WebhookReceiver> {
  const webhook = await startWebhook();
  ends.push(() => webhook.close());
  return webhook;
}

async function metadata({ port }: ServerProcess, type: string, args: object): Promise<void> {
  const body = JSON.stringify({ type, args });
  const answer = await fetch(`http://127.0.0.1:${port}/v1/metadata`, { method: 'POST', body });
  expect(await answer.text()).not.toContain('"error"');
}

test('PostgreSQL restarts twice while events are written and delivered: all arrive', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'engine-restart-'));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const port = await freePort();
  let postgres = await startEmbeddedPostgres({ dataDirectory: folder, port });
  ends.push(() => postgres.stop());
  const { url } = postgres;
  const query = async (sql: string, values: unknown[] = []) => {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(sql, values)).rows;
    } finally {
      await client.end().catch(() => {});
    }
  };
  await query('create table item (id int primary key)');
  const webhook = await receive();
  webhook.respond = (_call, response) => setTimeout(() => response.end(), 20);
  const server = await serve(url);
  await metadata(server, 'pg_track_table', { table: 'item' });
  await metadata(server, 'pg_create_event_trigger', {
    name: 'kept',
    table: 'item',
    webhook: webhook.url,
    insert: { columns: '*' },
  });
  let hasEnded = false;
  let next = 0;
  const writing = (async () => {
    for (; !hasEnded; next += 20) {
      // A write fails while PostgreSQL is down; whether it was committed decides the table below.
      await query('insert into item select n from generate_series($1::int, $1 + 19) n', [next]).catch(
        () => {},
      );
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  for (let restart = 1; restart <= 2; restart += 1) {
    const before = webhook.calls.length;
    await expect.poll(() => webhook.calls.length, { timeout: 60_000 }).toBeGreaterThan(before + 100);
    await expect.poll(() => webhook.open(), { interval: 1 }).toBeGreaterThan(0);
    await postgres.stop();
    postgres = await startEmbeddedPostgres({ dataDirectory: folder, port });
  }
  const after = webhook.calls.length;
  await expect.poll(() => webhook.calls.length, { timeout: 60_000 }).toBeGreaterThan(after + 100);
  hasEnded = true;
  await writing;
  const unfinished = async () =>
    (await query('select count(*)::int as count from engine_catalog.event_log where not delivered'))[0].count;
  await expect.poll(unfinished, { timeout: 90_000 }).toBe(0);
  const rows = (await query('select id from item')) as { id: number }[];
  const received = new Set(
    webhook.calls.map(({ body }) => (body as { event: { data: { new: { id: number } } } }).event.data.new.id),
  );
  expect(rows.length).toBeGreaterThan(300);
  expect([...received].sort((a, b) => a - b)).toEqual(rows.map(({ id }) => id).sort((a, b) => a - b));
  // No rejection that nothing handled ended it.
  expect(server.child.exitCode).toBeNull();
}, 300_000);

/** The library that skews the clock of a program; loaded by hand, because the command stays in between as a process. */
const library = /^LD_PRELOAD=(.*)$/m.exec(
  spawnSync('faketime', ['-f', '+1m', 'env']).stdout?.toString(),
)?.[1];
if (!library) console.log('faketime is not installed (Debian: faketime): skewed clocks are not tested');

test.skipIf(!library)(
  'three instances, two of them with clocks five minutes off: each occurrence once, none early or dead',
  async () => {
    const database = await createTestDatabase('select 1');
    const webhook = await receive();
    const skewed = (skew: string) => {
      // Timers of Node.js follow the monotonic clock, which no time service sets.
      const variables = [`LD_PRELOAD=${library}`, `FAKETIME=${skew}`, 'FAKETIME_DONT_FAKE_MONOTONIC=1'];
      return serve(database.url, [], { wrapper: ['env', ...variables] });
    };
    const servers = [await serve(database.url), await skewed('+5m'), await skewed('-5m')];
    const skewOf = async ({ port }: ServerProcess) =>
      Date.parse((await fetch(`http://127.0.0.1:${port}/healthz`)).headers.get('date')!) - Date.now();
    expect(await skewOf(servers[1]!)).toBeGreaterThan(240_000);
    expect(await skewOf(servers[2]!)).toBeLessThan(-240_000);
    // Each instance hears of a trigger that another one was given.
    for (const [index, server] of servers.entries())
      await metadata(server, 'create_cron_trigger', {
        name: `every_minute_${index}`,
        webhook: `${webhook.url}/cron`,
        schedule: '* * * * *',
        include_in_metadata: true,
        retry_conf: { tolerance_seconds: 60 },
      });
    const made = () =>
      database.query<{ trigger_name: string; count: number; distinct: number; first: number }>(
        `select trigger_name, count(*)::int as count, count(distinct scheduled_time)::int as distinct,
           extract(epoch from min(scheduled_time) - now())::float8 as first
         from engine_catalog.cron_events where status = 'scheduled' group by 1 order by 1`,
      );
    await expect.poll(async () => (await made()).length).toBe(3);
    for (const { count, distinct, first } of await made()) {
      expect(distinct).toBe(count);
      expect(count).toBeGreaterThanOrEqual(99);
      // By the database's clock: a clock five minutes ahead would begin later, one behind minutes ago. The first may just be due.
      expect(first).toBeGreaterThan(-60);
      expect(first).toBeLessThanOrEqual(60);
    }
    // The time of an event that is due in three seconds, by the database's clock.
    const [{ at }] = (await database.query<{ at: Date }>(`select now() + interval '3 seconds' as at`)) as [
      { at: Date },
    ];
    for (const server of servers)
      await metadata(server, 'create_scheduled_event', {
        webhook: `${webhook.url}/one-off`,
        schedule_at: at.toISOString(),
        retry_conf: { tolerance_seconds: 60 },
      });
    await expect.poll(() => webhook.calls.filter(({ path }) => path === '/one-off').length).toBe(3);
    for (const { path, at: called } of webhook.calls)
      if (path === '/one-off') expect(called).toBeGreaterThanOrEqual(at.getTime() - 1);

    // A whole minute passes for the cron triggers.
    await expect
      .poll(() => webhook.calls.filter(({ path }) => path === '/cron').length, {
        timeout: 90_000,
        interval: 200,
      })
      .toBeGreaterThanOrEqual(3);
    const finished = await database.query<{ events: number; dead: number }>(
      `select count(*)::int as events, count(*) filter (where status = 'dead')::int as dead
       from engine_catalog.cron_events where status <> 'scheduled'`,
    );
    expect(finished[0]!.dead).toBe(0);
    const occurrences = webhook.calls
      .filter(({ path }) => path === '/cron')
      .map(({ body }) => {
        const { name, scheduled_time } = body as { name: string; scheduled_time: string };
        return `${name} ${scheduled_time}`;
      });
    expect(new Set(occurrences).size).toBe(occurrences.length);
  },
  300_000,
);
