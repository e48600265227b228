/** Cron triggers and one-off events, from the metadata API to the webhook. */

import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { scheduleAhead } from '../../../runtime/events/cron-events.ts';
import { send, serve, type TestServer } from '../../harness/server.ts';
import { startWebhook, type WebhookReceiver } from '../../harness/webhook.ts';

const secret = Buffer.from('a secret of the cron trigger').toString('base64');
let server: TestServer;
let second: TestServer;
let webhook: WebhookReceiver;

beforeAll(async () => {
  webhook = await startWebhook();
  server = await serve({ sql: 'select 1', variables: { CRON_SECRET: `whsec_${secret}` } });
  // Another instance on the same metadata: nothing may be sent twice.
  second = await serve({ database: server.database, variables: { CRON_SECRET: `whsec_${secret}` } });
});

afterAll(async () => {
  await server?.stop();
  await second?.stop();
  await webhook?.close();
});

beforeEach(() => {
  webhook.calls.length = 0;
  webhook.respond = (_call, response) => response.end('{}');
});

async function metadata(type: string, args: object): Promise<{ [key: string]: unknown }> {
  const { status, json } = await send(server, '/v1/metadata', { body: { type, args } });
  expect(json, type).not.toHaveProperty('error');
  expect(status).toBe(200);
  return json as { [key: string]: unknown };
}

async function refused(type: string, args: object): Promise<unknown> {
  const { status, json } = await send(server, '/v1/metadata', { body: { type, args } });
  expect(status).toBe(400);
  return json;
}

async function received(count: number): Promise<WebhookReceiver['calls']> {
  await expect.poll(() => webhook.calls.length).toBeGreaterThanOrEqual(count);
  return webhook.calls;
}

async function oneOff(args: object): Promise<string> {
  const { event_id } = await metadata('create_scheduled_event', {
    webhook: webhook.url,
    schedule_at: '2020-01-01T00:00:00Z',
    retry_conf: { tolerance_seconds: 1e9 },
    ...args,
  });
  return event_id as string;
}

async function eventOf(id: string): Promise<object | undefined> {
  const { events } = await metadata('get_scheduled_events', { type: 'one_off', limit: 1000 });
  return (events as { id: string }[]).find((event) => event.id === id);
}

test('a one-off event: body, log, reads, deletion', async () => {
  const at = new Date(Date.now() + 1500).toISOString();
  const id = await oneOff({
    schedule_at: at,
    payload: { n: 1 },
    comment: 'once',
    headers: [{ name: 'X-A', value: 'b' }],
  });
  const [call] = await received(1);
  expect(call!.at).toBeGreaterThanOrEqual(Date.parse(at) - 50);
  expect(call!.headers).toContainEqual(['X-A', 'b']);
  expect(call!.body).toEqual({
    id,
    scheduled_time: at.replace(/\.?0+Z$/, 'Z'),
    created_at: expect.stringMatching(/^[\d-]+T[\d:.]+Z$/),
    payload: { n: 1 },
    comment: 'once',
  });
  await expect
    .poll(() => eventOf(id))
    .toMatchObject({ status: 'delivered', tries: 1, webhook_conf: webhook.url });
  expect(
    await metadata('get_scheduled_event_invocations', {
      type: 'one_off',
      event_id: id,
      get_rows_count: true,
    }),
  ).toMatchObject({
    invocations: [
      {
        event_id: id,
        status: 200,
        request: { version: '1', payload: call!.body },
        response: { type: 'webhook_response' },
      },
    ],
    count: 1,
  });
  expect(await metadata('delete_scheduled_event', { type: 'one_off', event_id: id })).toEqual({
    message: 'success',
  });
  expect(await refused('delete_scheduled_event', { type: 'one_off', event_id: id })).toMatchObject({
    code: 'not-exists',
  });
});

test('retries, tolerance, missing variables', async () => {
  webhook.respond = (_call, response) => {
    response.statusCode = 500;
    response.end();
  };
  const failing = await oneOff({
    retry_conf: { num_retries: 1, retry_interval_seconds: 1, tolerance_seconds: 1e9 },
  });
  const late = await oneOff({ retry_conf: { tolerance_seconds: 10 } });
  const lost = await oneOff({ webhook: '{{NO_SUCH_VARIABLE}}' });
  await expect.poll(() => eventOf(failing)).toMatchObject({ status: 'error', tries: 2 });
  await expect.poll(() => eventOf(late)).toMatchObject({ status: 'dead', tries: 0 });
  await expect.poll(() => eventOf(lost)).toMatchObject({ status: 'error', tries: 1 });
  expect(
    await metadata('get_scheduled_event_invocations', { type: 'one_off', event_id: lost }),
  ).toMatchObject({
    invocations: [{ request: { error: expect.stringContaining('NO_SUCH_VARIABLE') }, status: null }],
  });
  expect(webhook.calls).toHaveLength(2);
});

test('times need a zone', async () => {
  for (const schedule_at of [
    'tomorrow',
    '2024-05-01T10:00:00',
    '2024-13-01T10:00:00Z',
    '2023-02-29T10:00:00Z',
    '0000-01-01T00:00:00Z',
    '2024-05-01T10:00:00+16:00',
  ])
    expect(await refused('create_scheduled_event', { webhook: 'http://x', schedule_at })).toMatchObject({
      code: 'parse-failed',
      path: '$.args.schedule_at',
    });
});

test('a cron trigger: a hundred events ahead, replaced, delivered once by two instances, deleted', async () => {
  const trigger = {
    name: 'often',
    webhook: webhook.url,
    schedule: '* * * * *',
    include_in_metadata: true,
    payload: { p: 1 },
    comment: 'c',
  };
  await metadata('create_cron_trigger', { ...trigger, schedule: '@hourly' });
  const events = async () =>
    (
      await metadata('get_scheduled_events', {
        type: 'cron',
        trigger_name: 'often',
        limit: 1000,
        status: ['scheduled'],
      })
    ).events as { scheduled_time: string }[];
  // The first one may be due already; then an instance that looks makes a hundred more.
  const isHundred = (count: number) => count >= 99 && count <= 201;
  expect((await events()).length).toSatisfy(isHundred);
  await metadata('create_cron_trigger', { ...trigger, replace: true });
  const minutely = await events();
  expect(minutely.length).toSatisfy(isHundred);
  const [first, next] = minutely.map(({ scheduled_time }) => Date.parse(scheduled_time));
  expect(next! - first!).toBe(60_000);
  expect(await metadata('get_cron_triggers', {})).toMatchObject({
    cron_triggers: [{ name: 'often', schedule: '* * * * *', retry_conf: { num_retries: 0 } }],
  });
  // An instance that still has the earlier schedule makes no events, even where they are missing.
  await server.database.query(
    "delete from engine_catalog.cron_events where trigger_name = 'often' and scheduled_time > now() + interval '10 minutes'",
  );
  await scheduleAhead(
    (text, values = []) => server.database.query(text, [...values]),
    [{ name: 'often', schedule: '@hourly' }],
  );
  // The servers may make the missing ones meanwhile, some hundred minutes ahead and not a hundred hours.
  const latest = (await events()).map(({ scheduled_time }) => Date.parse(scheduled_time)).at(-1)!;
  expect(latest).toBeLessThan(Date.now() + 10 * 3_600_000);
  // The next minute, now.
  await server.database.query(
    "update engine_catalog.cron_events set scheduled_time = now() where trigger_name = 'often' and scheduled_time = (select min(scheduled_time) from engine_catalog.cron_events where status = 'scheduled')",
  );
  const [call] = await received(1);
  expect(call!.body).toEqual({
    id: expect.any(String),
    name: 'often',
    scheduled_time: expect.stringMatching(/Z$/),
    payload: { p: 1 },
    comment: 'c',
  });
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  const ids = webhook.calls.map(({ body }) => (body as { id: string }).id);
  expect(new Set(ids).size).toBe(ids.length);
  await metadata('delete_cron_trigger', { name: 'often' });
  const [{ waiting }] = (await server.database.query(
    "select count(*)::integer as waiting from engine_catalog.cron_events where status = 'scheduled'",
  )) as [{ waiting: number }];
  expect(waiting).toBe(0);
});

/** Creates a cron trigger that is not due by itself, and events of it that were, so many hours ago. */
async function missed(name: string, hours: readonly number[], definition: object): Promise<void> {
  await metadata('create_cron_trigger', {
    name,
    webhook: `${webhook.url}/${name}`,
    schedule: '0 0 1 1 *',
    include_in_metadata: true,
    ...definition,
  });
  // One statement, so that none of them is claimed before the others are there.
  await server.database.query(
    `insert into engine_catalog.cron_events (trigger_name, scheduled_time)
     select $1, now() - h * interval '1 hour' from unnest($2::float8[]) h`,
    [name, hours],
  );
}

async function statesOf(name: string): Promise<string[]> {
  const rows = await server.database.query<{ status: string }>(
    `select status from engine_catalog.cron_events
     where trigger_name = $1 and scheduled_time < now() order by scheduled_time`,
    [name],
  );
  return rows.map(({ status }) => status);
}

test.each([
  ['all', undefined, ['dead', 'delivered', 'delivered', 'delivered']],
  ['all_named', 'all', ['dead', 'delivered', 'delivered', 'delivered']],
  ['one', 'one', ['dead', 'dead', 'dead', 'delivered']],
  ['skip', 'skip', ['dead', 'dead', 'dead', 'dead']],
])('events that were due while no server ran: %s', async (name, value, expected) => {
  // The tolerance of six hours is before all.
  await missed(`missed_${name}`, [7, 3, 2, 1], value === undefined ? {} : { missed: value });
  await expect.poll(() => statesOf(`missed_${name}`)).toEqual(expected);
  expect(webhook.calls.filter(({ path }) => path === `/missed_${name}`).length).toBe(
    expected.filter((state) => state === 'delivered').length,
  );
  await metadata('delete_cron_trigger', { name: `missed_${name}` });
});

test('a retry is not missed, however late', async () => {
  let calls = 0;
  webhook.respond = (_call, response) => {
    calls += 1;
    response.statusCode = calls === 1 ? 500 : 200;
    response.end();
  };
  await missed('late_retry', [1 / 120], {
    missed: 'skip',
    retry_conf: { num_retries: 1, retry_interval_seconds: 1 },
  });
  await expect.poll(() => statesOf('late_retry')).toEqual(['delivered']);
  await server.database.query(
    `update engine_catalog.cron_events set status = 'scheduled', next_retry_at = now(), scheduled_time = now() - interval '1 hour'
     where trigger_name = 'late_retry' and status = 'delivered'`,
  );
  await expect.poll(() => calls).toBe(3);
  await metadata('delete_cron_trigger', { name: 'late_retry' });
});

test('cron triggers sign their calls', async () => {
  await missed('signed_cron', [0], { signing: { secrets_from_env: ['CRON_SECRET'] } });
  const [call] = await received(1);
  const sent = Object.fromEntries(call!.headers.map(([name, value]) => [name.toLowerCase(), value]));
  const signature = createHmac('sha256', Buffer.from(secret, 'base64'))
    .update(`${sent['webhook-id']}.${sent['webhook-timestamp']}.${call!.text}`)
    .digest('base64');
  expect(sent['webhook-signature']).toBe(`v1,${signature}`);
  expect(sent['webhook-id']).toBe((call!.body as { id: string }).id);
  await metadata('delete_cron_trigger', { name: 'signed_cron' });
});
