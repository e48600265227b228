/** The example's event trigger and cron trigger, from the committed folder to the receiver that `npm start` runs. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '../../examples/helpdesk/receiver.ts';
import { rating } from '../../examples/helpdesk/roles.ts';
import { fillDatabase } from '../../examples/prepare.ts';
import { readConfiguration } from '../../runtime/configuration/configuration.ts';
import { type RunningServer, startServer } from '../../runtime/server/main.ts';
import { engine } from '../harness/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../harness/postgres.ts';

const lines: string[] = [];
const servers: RunningServer[] = [];
let database: TestDatabase;
let receiver: Receiver;

beforeAll(async () => {
  database = await createTestDatabase('');
  await fillDatabase(database.url);
  receiver = await startReceiver('s3cret', (line) => lines.push(line));
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await receiver?.close();
});

async function start(secret = 's3cret'): Promise<RunningServer> {
  const environment = { HELPDESK_HOOKS: receiver.url, HELPDESK_HOOKS_SECRET: secret };
  const server = await startServer({
    configuration: readConfiguration({ databaseUrl: database.url }, { ENGINE_GRAPHQL_SERVER_PORT: '0' }),
    environment,
    generated: {
      directory: fileURLToPath(new URL('../../generated', import.meta.url)),
      sources: { default: database.url },
    },
    observe: Object.assign(() => {}, { flush: async () => {} }),
  });
  servers.push(server);
  return server;
}

const waiting = async () =>
  (
    await database.query<{ count: number }>(
      `select count(*)::integer as count from engine_catalog.cron_events
       where trigger_name = 'every_minute' and status = 'scheduled' and scheduled_time > now()`,
    )
  )[0]!.count;

test('the receiver refuses a caller without the secret', async () => {
  const call = (headers: Record<string, string>) =>
    fetch(`${receiver.url}/every-minute`, { method: 'POST', headers, body: '{"name":"x"}' });
  expect((await call({})).status).toBe(401);
  expect((await call({ 'x-helpdesk-secret': 's3cre' })).status).toBe(401);
  expect((await call({ 'x-helpdesk-secret': 's3cret' })).status).toBe(200);
  lines.length = 0;
});

test('a rating arrives as an event, and a second one as a change', async () => {
  const { port } = await start();
  const rate = async (query: string) => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/graphql`, {
      method: 'POST',
      headers: rating.headers,
      body: JSON.stringify({ query }),
    });
    expect(await response.json()).not.toHaveProperty('errors');
  };
  await rate(rating.query);
  await rate(rating.query.replace('true', 'false'));
  await expect
    .poll(() => lines)
    .toEqual([
      'event article_rated (INSERT): article 1 is helpful',
      'event article_rated (UPDATE): article 1 is not helpful',
    ]);
});

test('two instances make each event of the cron trigger once, and deliver one that is due', async () => {
  await start();
  await expect.poll(waiting).toBeGreaterThanOrEqual(99);
  lines.length = 0;
  const [{ late }] = (await database.query(
    `with late as (select date_trunc('minute', now()) - interval '1 hour' as time),
     made as (
       insert into engine_catalog.cron_events (trigger_name, scheduled_time)
       select 'every_minute', time from late union all select 'every_minute', '2001-01-01 00:00:00Z'
     )
     select to_char(time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as late from late`,
  )) as [{ late: string }];
  // Of two that are late, one is later than tolerated.
  await expect.poll(() => lines).toContain(`cron every_minute: planned for ${late}`);
  expect(lines.filter((line) => line.includes('2001'))).toEqual([]);
  const [row] = await database.query(
    "select status from engine_catalog.cron_events where scheduled_time = '2001-01-01 00:00:00Z'",
  );
  expect(row).toEqual({ status: 'dead' });
  expect(await waiting()).toBeGreaterThanOrEqual(99);
});

test('the schedule of the program that started last counts', async () => {
  await database.query("update engine_catalog.compiled_cron_triggers set schedule = '0 0 1 1 *'");
  const hours = async () =>
    database.query(
      "select distinct schedule from engine_catalog.compiled_cron_triggers where name = 'every_minute'",
    );
  await database.query("delete from engine_catalog.cron_events where status = 'scheduled'");
  await database.query(
    "insert into engine_catalog.cron_events (trigger_name, scheduled_time) values ('every_minute', '2100-01-01Z')",
  );
  await start();
  await expect.poll(hours).toEqual([{ schedule: '* * * * *' }]);
  await expect.poll(waiting).toBeGreaterThanOrEqual(99);
  expect(
    await database.query("select from engine_catalog.cron_events where scheduled_time = '2100-01-01Z'"),
  ).toEqual([]);
});

test('verify finds triggers that others changed; a start mends them', async () => {
  const folder = fileURLToPath(new URL('../../generated', import.meta.url));
  const verified = () => engine('verify', folder, '--source', `default=${database.url}`);
  expect(await verified()).toMatchObject({ status: 0, stdout: expect.stringMatching(/^same/) });
  const [{ table, name }] = (await database.query(
    `select tgrelid::regclass::text as table, tgname as name from pg_trigger
     where tgname like 'notify%INSERT' limit 1`,
  )) as [{ table: string; name: string }];
  for (const [change, found] of [
    [`alter table ${table} disable trigger "${name}"`, 'another trigger, or disabled'],
    [`drop function engine_catalog."${name}"() cascade`, 'not installed'],
  ] as const) {
    await database.query(change);
    const { status, stdout } = await verified();
    expect(status).toBe(1);
    expect(stdout).toContain(`event trigger ${name}: installed → ${found} (redefined)`);
    await start();
    expect((await verified()).status).toBe(0);
  }
});
