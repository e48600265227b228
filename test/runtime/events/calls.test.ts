/** What a webhook is sent, what the log says of it, and answers that break. */
import { expect, test } from 'vitest';
import { openEventsTest } from '../../harness/events.ts';
import { confidential, send } from '../../harness/server.ts';
import type { WebhookReceiver } from '../../harness/webhook.ts';

const SECRET = 'open-sesame';
confidential.add(SECRET);
const events = openEventsTest(
  'create table item (id serial primary key, name text)',
  {},
  { CALL_SECRET: SECRET },
);
const insert = { columns: '*', payload: ['name'] };
type Call = WebhookReceiver['calls'][number];

const headersOf = ({ headers }: Call) =>
  Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));

/** Log lines of a type about an event. */
function linesOf(type: string, id: string): { level: string; detail: { [key: string]: unknown } }[] {
  return events.server
    .output()
    .split('\n')
    .filter((line) => line.includes(`"type":"${type}"`) && line.includes(id))
    .map((line) => JSON.parse(line));
}

async function stateOf(trigger: string): Promise<object[]> {
  return events.database.query(
    'select delivered, error, tries, locked from engine_catalog.event_log where trigger_name = $1 order by seq',
    [trigger],
  );
}

test('headers: fixed ones win, logs have names of variables and no secrets', async () => {
  const headers = [
    { name: 'user-agent', value: 'mine' },
    { name: 'Content-Type', value: 'text/plain' },
    { name: 'X-Secret', value_from_env: 'CALL_SECRET' },
    { name: 'X-Text', value: 'is {{CALL_SECRET}}' },
    { name: 'Authorization', value: 'literal' },
  ];
  await events.trigger(
    'headers',
    { insert, headers, webhook: `${events.webhook.url}/h?s={{CALL_SECRET}}` },
    async () => {
      await events.database.query("insert into item (name) values ('h')");
      const [call] = await events.received(1);
      expect(call!.path).toBe(`/h?s=${SECRET}`);
      const sent = headersOf(call!);
      expect(sent).toMatchObject({ 'x-secret': SECRET, 'x-text': `is ${SECRET}`, authorization: 'literal' });
      expect(sent['user-agent']).toMatch(/^engine\//);
      expect(call!.headers.filter(([name]) => /^(user-agent|content-type)$/i.test(name))).toHaveLength(2);
      const { id } = call!.body as { id: string };
      const invocations = () => events.metadata('pg_get_event_invocation_logs', { name: 'headers' });
      await expect.poll(async () => (await invocations()).length).toBe(1);
      const [{ request }] = await invocations();
      const logged = [
        { name: 'X-Secret', value_from_env: 'CALL_SECRET' },
        { name: 'X-Text', value: 'is {{CALL_SECRET}}' },
        { name: 'Authorization', value: '<redacted>' },
      ];
      expect(request.headers).toEqual([
        { name: 'Content-Type', value: 'application/json' },
        { name: 'User-Agent', value: sent['user-agent'] },
        ...logged,
      ]);
      const url = `${events.webhook.url}/h?s={{CALL_SECRET}}`;
      expect(linesOf('event-trigger', id)).toMatchObject([
        {
          level: 'info',
          detail: {
            event_id: id,
            event_name: 'headers',
            source: 'default',
            tries: 1,
            request: { url, headers: logged, size: Buffer.byteLength(call!.text) },
            response: { status: 200, size: 2 },
          },
        },
      ]);
    },
  );
});

test('calls continue the trace of the request, with its decision, and begin one otherwise', async () => {
  await events.trigger('traced', { insert }, async () => {
    const traceId = '463ac35c9f6413ad48485a3953bb6124';
    await send(events.server, '/v1/graphql', {
      headers: { 'x-b3-traceid': traceId, 'x-b3-spanid': 'a2fb4a1d1a96d312', 'x-b3-sampled': '0' },
      body: { query: 'mutation { insert_item_one(object: { name: "t" }) { id } }' },
    });
    await events.received(1);
    await events.database.query("insert into item (name) values ('u')");
    const [first, second] = (await events.received(2)) as [Call, Call];
    const { trace_context } = (first.body as { event: { trace_context: { span_id: string } } }).event;
    expect(trace_context).toEqual({ trace_id: traceId, span_id: trace_context.span_id, sampling_state: '0' });
    expect(headersOf(first)).toMatchObject({
      'x-b3-traceid': traceId,
      'x-b3-parentspanid': trace_context.span_id,
      'x-b3-sampled': '0',
      'x-b3-spanid': expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(headersOf(second)['x-b3-traceid']).toMatch(/^[0-9a-f]{32}$/);
    expect(headersOf(second)['x-b3-traceid']).not.toBe(traceId);
    expect(headersOf(second)).not.toHaveProperty('x-b3-parentspanid');
  });
});

test('an answer that breaks off is a failure; redirects are not followed', async () => {
  events.webhook.respond = ({ path }, response) => {
    const made = events.webhook.calls.filter((call) => call.path === path).length;
    if (path === '/reset' && made === 1) {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    } else if (path === '/moved') {
      response.writeHead(307, { location: `${events.webhook.url}/elsewhere` });
      response.end();
    } else response.end();
  };
  const retry_conf = { num_retries: 1, interval_sec: 0 };
  const webhook = (path: string) => ({ insert, retry_conf, webhook: `${events.webhook.url}${path}` });
  await events.trigger('broken', webhook('/reset'), () =>
    events.trigger('moved', webhook('/moved'), async () => {
      await events.database.query("insert into item (name) values ('r')");
      await expect
        .poll(() => stateOf('broken'))
        .toEqual([{ delivered: true, error: false, tries: 2, locked: null }]);
      await expect
        .poll(() => stateOf('moved'))
        .toEqual([{ delivered: false, error: true, tries: 2, locked: null }]);
      expect(new Set(events.webhook.calls.map(({ path }) => path))).toEqual(new Set(['/reset', '/moved']));
      const { id } = events.webhook.calls.find(({ path }) => path === '/reset')!.body as { id: string };
      expect(linesOf('event-trigger', id)).toMatchObject([
        { level: 'warn', detail: { tries: 1, response: { type: 'client', status: null } } },
        { level: 'info', detail: { tries: 2, response: { status: 200 } } },
      ]);
      const { id: moved } = events.webhook.calls.find(({ path }) => path === '/moved')!.body as {
        id: string;
      };
      expect(linesOf('event-trigger', moved)[1]).toMatchObject({
        level: 'warn',
        detail: { response: { type: 'status', status: 307, size: 0 } },
      });
    }),
  );
});

test('an event that cannot be sent fails, and holds up no other', async () => {
  const request_transform = { version: 2, request_headers: { add_headers: { 'X-A': 'b' } } };
  await events.trigger('poisoned', { insert, request_transform }, async () => {
    // Nothing that this server writes.
    await events.database.query(
      `insert into engine_catalog.event_log (schema_name, table_name, trigger_name, payload)
       values ('public', 'item', 'poisoned', 'null'), ('public', 'item', 'poisoned', '{"trace_context": 5}')`,
    );
    await events.database.query("insert into item (name) values ('after')");
    await expect
      .poll(() => stateOf('poisoned'))
      .toEqual([
        { delivered: false, error: true, tries: 1, locked: null },
        { delivered: true, error: false, tries: 1, locked: null },
        { delivered: true, error: false, tries: 1, locked: null },
      ]);
    expect(
      await events.metadata('pg_get_event_invocation_logs', { name: 'poisoned', offset: 0 }),
    ).toContainEqual(
      expect.objectContaining({
        http_status: null,
        response: expect.objectContaining({
          data: { message: '{"type":"internal","message":"internal error"}' },
        }),
      }),
    );
  });
});

test('one-off events: trace and log line, without their variables too', async () => {
  const create = async (webhook: string) =>
    (await events.metadata('create_scheduled_event', { webhook, schedule_at: new Date().toISOString() }))
      .event_id as string;
  const [sent, unsent] = [await create(`${events.webhook.url}/{{CALL_SECRET}}`), await create('{{NO_SUCH}}')];
  const [call] = await events.received(1);
  expect(headersOf(call!)['x-b3-traceid']).toMatch(/^[0-9a-f]{32}$/);
  await expect
    .poll(() => linesOf('scheduled-trigger', sent))
    .toMatchObject([
      {
        level: 'info',
        detail: {
          tries: 1,
          request: { url: `${events.webhook.url}/{{CALL_SECRET}}` },
          response: { status: 200 },
        },
      },
    ]);
  await expect
    .poll(() => linesOf('scheduled-trigger', unsent))
    .toMatchObject([
      { level: 'warn', detail: { request: { url: '{{NO_SUCH}}' }, response: { type: 'internal' } } },
    ]);
  const [row] = (
    await events.metadata('get_scheduled_events', { type: 'one_off', order_by: [{ column: 'created_at' }] })
  ).events;
  expect(row.retry_conf).toEqual({
    num_retries: 0,
    retry_interval_seconds: 10,
    timeout_seconds: 60,
    tolerance_seconds: 21600,
  });
});
