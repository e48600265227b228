/** Webhooks that hang beside others that answer: they hold up their own events only, whatever is waiting. */
import type { ServerResponse } from 'node:http';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { createEventStore } from '../../../runtime/events/event-store.ts';
import { openEventsTest } from '../../harness/events.ts';

const CALLS = 8;
const BATCH = 10;
const events = openEventsTest(
  `create table item (id int primary key);
   create table slow (id int primary key); create table slower (id int primary key);`,
  { EVENTS_HTTP_POOL_SIZE: String(CALLS), EVENTS_FETCH_BATCH_SIZE: String(BATCH) },
);

/** Answers that are held back until the test ends. */
const hanging: ServerResponse[] = [];
afterEach(() => {
  for (const response of hanging.splice(0)) response.end();
});

/** Calls of these paths get no answer. */
function hang(...paths: readonly string[]): void {
  events.webhook.respond = ({ path }, response) => {
    if (paths.includes(path)) hanging.push(response);
    else response.end();
  };
}

const callsOf = (path: string) => events.webhook.calls.filter((call) => call.path === path).length;
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

test('an event trigger beside two that hang, which were first', async () => {
  const { metadata, database, webhook, trigger } = events;
  hang('/slow', '/slower');
  for (const table of ['slow', 'slower']) {
    await metadata('pg_track_table', { table });
    await metadata('pg_create_event_trigger', {
      name: table,
      table,
      webhook: `${webhook.url}/${table}`,
      insert: { columns: '*' },
    });
  }
  await trigger('quick', { insert: { columns: '*' }, webhook: `${webhook.url}/quick` }, async () => {
    await database.query('insert into slow select generate_series(1, $1::int)', [5 * BATCH]);
    await expect.poll(() => callsOf('/slow')).toBe(CALLS / 2);
    await database.query('insert into slower select generate_series(1, $1::int)', [5 * BATCH]);
    await expect.poll(() => callsOf('/slower')).toBeGreaterThan(0);
    await database.query('insert into item select generate_series(1, $1::int)', [5 * BATCH]);
    await expect.poll(() => callsOf('/quick')).toBe(5 * BATCH);
    // Only now: while they hang, no answer made room.
    expect(hanging.length).toBeLessThan(CALLS);
    for (const table of ['slow', 'slower']) await metadata('pg_delete_event_trigger', { name: table });
  });
});

test('a single event trigger uses every connection, and holds two batches', async () => {
  hang('/all');
  const { database, webhook, trigger } = events;
  await trigger('all', { insert: { columns: '*' }, webhook: `${webhook.url}/all` }, async () => {
    await database.query('insert into item select generate_series(1001, $1::int)', [1000 + 5 * BATCH]);
    await expect.poll(() => callsOf('/all')).toBe(CALLS);
    const locked = async () => {
      const [row] = await database.query<{ count: number }>(
        'select count(*)::integer as count from engine_catalog.event_log where locked is not null',
      );
      return row!.count;
    };
    await expect.poll(locked).toBe(2 * BATCH);
    // No more of them after further looks at the queue, of which there is one each 100 ms.
    await pause(500);
    expect(await locked()).toBe(2 * BATCH);
    expect(webhook.calls.length).toBe(CALLS);
    for (const response of hanging.splice(0)) response.end();
    webhook.respond = (_call, response) => response.end();
    await expect.poll(() => callsOf('/all')).toBe(5 * BATCH);
  });
});

test('one-off events and cron triggers beside others that hang', async () => {
  const { metadata, database, webhook } = events;
  hang('/slow', '/slow-cron');
  const oneOff = (path: string) =>
    metadata('create_scheduled_event', {
      webhook: `${webhook.url}${path}`,
      schedule_at: new Date().toISOString(),
    });
  for (let count = 0; count < 3 * BATCH; count += 1) await oneOff('/slow');
  await expect.poll(() => callsOf('/slow')).toBe(CALLS / 2);
  await oneOff('/quick');
  await expect.poll(() => callsOf('/quick')).toBe(1);

  for (const name of ['slow-cron', 'quick-cron'])
    await metadata('create_cron_trigger', {
      name,
      webhook: `${webhook.url}/${name}`,
      schedule: '0 0 1 1 *',
      include_in_metadata: true,
    });
  const due = (name: string, count: number) =>
    database.query(
      `insert into engine_catalog.cron_events (trigger_name, scheduled_time)
       select $1, now() - n * interval '1 second' from generate_series(1, $2::int) n`,
      [name, count],
    );
  await due('slow-cron', 3 * BATCH);
  await expect.poll(() => callsOf('/slow-cron')).toBe(CALLS / 2);
  await due('quick-cron', 1);
  await expect.poll(() => callsOf('/quick-cron')).toBe(1);
  for (const name of ['slow-cron', 'quick-cron']) await metadata('delete_cron_trigger', { name });
});

test('retries that are due get a quarter of a batch, whatever else waits', async () => {
  const pool = new pg.Pool({ connectionString: events.database.url, max: 1 });
  const query = async (sql: string, values: readonly unknown[] = []) =>
    (await pool.query(sql, [...values])).rows;
  // Of a trigger that the server does not know: claimed by the test alone.
  await query(
    `insert into engine_catalog.event_log (schema_name, table_name, trigger_name, payload, tries, next_retry_at)
     select 'public', 'item', 'unserved', '{}', n / 51, case when n > 50 then localtimestamp - interval '1 minute' end
     from generate_series(1, 100) n`,
  );
  const owner = '00000000-0000-0000-0000-000000000001';
  await query('insert into engine_catalog.instances (id) values ($1)', [owner]);
  const store = createEventStore(query, { owner, end: async () => {} }, () => [
    { name: 'unserved', ordering: 'none' },
  ]);
  const { jobs, hasMore } = await store.claim(20, []);
  expect(jobs.length).toBe(20);
  expect(jobs.filter(({ tries }) => tries === 1).length).toBe(5);
  expect(hasMore).toBe(true);
  await pool.end();
});
