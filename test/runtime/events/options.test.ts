/** Options of triggers that change no default: signatures, retries, order, pauses, circuit breakers. */
import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openEventsTest } from '../../harness/events.ts';
import type { WebhookReceiver } from '../../harness/webhook.ts';

const [first, second] = ['first secret of the test', 'second secret of the test'].map((text) =>
  Buffer.from(text).toString('base64'),
) as [string, string];

const events = openEventsTest(
  'create table item (id serial primary key, customer integer, name text)',
  {},
  { HOOK_SECRET: `whsec_${first}`, HOOK_SECRET_NEXT: second, HOOK_NOT_BASE64: 'not base64!' },
);

const insert = { columns: '*', payload: ['name'] };
type Call = WebhookReceiver['calls'][number];
const headers = ({ headers: list }: Call) =>
  Object.fromEntries(list.map(([name, value]) => [name.toLowerCase(), value]));
const nameOf = ({ body }: Call) =>
  (body as { event: { data: { new: { name: string } } } }).event.data.new.name;

const triggerOf = ({ body }: Call) => (body as { trigger: { name: string } }).trigger.name;

/** Answers 500 unless `isFine`. */
function failUnless(isFine: (call: Call) => boolean): void {
  events.webhook.respond = (call, response) => {
    response.statusCode = isFine(call) ? 200 : 500;
    response.end();
  };
}

async function stateOf(trigger: string): Promise<string[]> {
  const rows = await events.database.query<{ state: string }>(
    `select case when delivered then 'delivered' when error then 'error' else 'waits' end as state
     from engine_catalog.event_log where trigger_name = $1 order by seq`,
    [trigger],
  );
  return rows.map(({ state }) => state);
}

/**
 * Writes rows until their events of one trigger have arrived, and no call is for another trigger. The events of all triggers are claimed
 * together, so when the second event of one has arrived, the first of another would have.
 */
async function whileOthersArrive(names: readonly string[], trigger: string): Promise<void> {
  for (const [index, name] of names.entries()) {
    await events.database.query('insert into item (name) values ($1)', [name]);
    await events.received(index + 1);
  }
  expect(events.webhook.calls.map(triggerOf)).toEqual(names.map(() => trigger));
}

test('calls are signed with every secret, over what is sent', async () => {
  const signing = { secrets_from_env: ['HOOK_SECRET_NEXT', 'HOOK_SECRET'] };
  const request_transform = {
    version: 2,
    body: { action: 'transform', template: '{"n": {{$body.event.data.new.name}}}' },
  };
  await events.trigger('signed', { insert, signing, request_transform }, async () => {
    await events.database.query("insert into item (name) values ('a')");
    const [call] = await events.received(1);
    expect(call!.text).toBe('{"n":"a"}');
    const sent = headers(call!);
    expect(Math.abs(Number(sent['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(60);
    const expected = [second, first].map(
      (secret) =>
        `v1,${createHmac('sha256', Buffer.from(secret, 'base64')).update(`${sent['webhook-id']}.${sent['webhook-timestamp']}.${call!.text}`).digest('base64')}`,
    );
    expect(sent['webhook-signature']).toBe(expected.join(' '));
    const [{ id }] = (await events.database.query(
      "select id from engine_catalog.event_log where trigger_name = 'signed'",
    )) as [{ id: string }];
    expect(sent['webhook-id']).toBe(id);
    // The secrets are nowhere but in the environment.
    const stored = await events.database.query('select i::text from engine_catalog.event_invocation_logs i');
    const exported = await events.metadata('export_metadata', {});
    for (const secret of [first, second]) expect(JSON.stringify([stored, exported])).not.toContain(secret);
  });
});

test('a trigger without its secret waits, and one with a wrong secret too', async () => {
  const missing = await events.request('pg_create_event_trigger', {
    name: 'unsigned',
    table: 'item',
    webhook: events.webhook.url,
    insert,
    signing: { secrets_from_env: ['HOOK_NOT_SET'] },
  });
  expect(missing.json).toMatchObject({ error: expect.stringContaining('HOOK_NOT_SET') });
  await events.trigger('wrong', { insert, signing: { secrets_from_env: ['HOOK_NOT_BASE64'] } }, () =>
    events.trigger('right', { insert }, async () => {
      await whileOthersArrive(['v', 'w'], 'right');
      expect(await stateOf('wrong')).toEqual(['waits', 'waits']);
    }),
  );
});

test('retry_on: other outcomes fail at once', async () => {
  const retry_conf = { num_retries: 1, interval_sec: 0, retry_on: ['5xx', 429] };
  events.webhook.respond = ({ text }, response) => {
    response.statusCode = text.includes('"gone"') ? 404 : 503;
    response.end();
  };
  await events.trigger('picky', { insert, retry_conf }, async () => {
    await events.database.query("insert into item (name) values ('gone')");
    await expect.poll(() => stateOf('picky')).toEqual(['error']);
    await events.database.query("insert into item (name) values ('busy')");
    await expect.poll(() => stateOf('picky')).toEqual(['error', 'error']);
    expect(events.webhook.calls.map(nameOf)).toEqual(['gone', 'busy', 'busy']);
  });
});

test('backoff: Retry-After counts as a retry', async () => {
  const backoff = { factor: 2, max_interval_sec: 1, jitter: false };
  const retry_conf = { num_retries: 1, interval_sec: 0, backoff };
  events.webhook.respond = (_call, response) => {
    response.writeHead(503, { 'retry-after': '1' });
    response.end();
  };
  await events.trigger('growing', { insert, retry_conf }, async () => {
    await events.database.query("insert into item (name) values ('b')");
    await expect.poll(() => stateOf('growing')).toEqual(['error']);
    expect(events.webhook.calls).toHaveLength(2);
  });
});

describe('order_by_key', () => {
  const retry_conf = { num_retries: 1, interval_sec: 1 };
  const write = () =>
    events.database.query(
      "insert into item (customer, name) values (1, 'a1'), (2, 'b1'), (1, 'a2'), (1, 'a3'), (2, 'b2')",
    );

  test('an event waits for earlier ones of its key only, and one that failed blocks them', async () => {
    let isBroken = true;
    failUnless((call) => !isBroken || nameOf(call) !== 'a1');
    await events.trigger(
      'ordered',
      { insert, retry_conf, order_by_key: { columns: ['customer'] } },
      async () => {
        await write();
        const states = ['error', 'delivered', 'waits', 'waits', 'delivered'];
        await expect.poll(() => stateOf('ordered')).toEqual(states);
        isBroken = false;
        expect(await events.metadata('pg_redeliver_events', { name: 'ordered' })).toEqual({
          message: 'success',
          events: 1,
        });
        await expect.poll(() => stateOf('ordered')).toEqual(states.map(() => 'delivered'));
        const names = events.webhook.calls.map(nameOf);
        expect(names.filter((name) => name.startsWith('a'))).toEqual(['a1', 'a1', 'a1', 'a2', 'a3']);
        expect(names.filter((name) => name.startsWith('b'))).toEqual(['b1', 'b2']);
      },
    );
  });

  test('or is skipped', async () => {
    failUnless((call) => nameOf(call) !== 'a1');
    const order_by_key = { columns: ['customer'], on_error: 'skip' };
    await events.trigger('skipping', { insert, retry_conf, order_by_key }, async () => {
      await write();
      await expect
        .poll(() => stateOf('skipping'))
        .toEqual(['error', 'delivered', 'delivered', 'delivered', 'delivered']);
      const names = events.webhook.calls.map(nameOf).filter((name) => name.startsWith('a'));
      expect(names).toEqual(['a1', 'a1', 'a2', 'a3']);
    });
  });

  test('needs columns of the table', async () => {
    const args = { name: 'x', table: 'item', webhook: events.webhook.url, insert };
    const answer = await events.request('pg_create_event_trigger', {
      ...args,
      order_by_key: { columns: ['nope'] },
    });
    expect(answer.json).toMatchObject({ code: 'not-exists', error: '"nope" does not exist' });
  });
});

test('a paused trigger captures and delivers nothing until it is resumed', async () => {
  await events.trigger('paused', { insert }, () =>
    events.trigger('running', { insert }, async () => {
      await events.metadata('pg_pause_event_trigger', { name: 'paused' });
      await events.metadata('pg_pause_event_trigger', { name: 'paused' });
      await whileOthersArrive(['p', 'q', 'r'], 'running');
      await events.metadata('pg_resume_event_trigger', { name: 'paused' });
      const names = () => events.webhook.calls.filter((call) => triggerOf(call) === 'paused').map(nameOf);
      await expect.poll(() => names().sort()).toEqual(['p', 'q', 'r']);
    }),
  );
  events.webhook.calls.length = 0;
  // A deleted trigger's pause does not hold for a later one of the same name.
  await events.trigger('paused', { insert }, () =>
    events.metadata('pg_pause_event_trigger', { name: 'paused' }),
  );
  await events.trigger('paused', { insert }, async () => {
    await events.database.query("insert into item (name) values ('again')");
    await events.received(1);
  });
});

test('bulk redelivery is spread over time, and limited', async () => {
  await events.trigger('bulk', { insert }, async () => {
    failUnless(() => false);
    await events.database.query("insert into item (name) select 'n' || n from generate_series(1, 5) n");
    await expect.poll(() => stateOf('bulk')).toEqual(['error', 'error', 'error', 'error', 'error']);
    events.webhook.calls.length = 0;
    events.webhook.respond = (_call, response) => response.end();
    // Paused, so that the times can be read before the first of them.
    await events.metadata('pg_pause_event_trigger', { name: 'bulk' });
    const since = new Date(Date.now() + 3600_000).toISOString();
    const none = await events.metadata('pg_redeliver_events', { name: 'bulk', since });
    expect(none.events).toBe(0);
    const args = { name: 'bulk', limit: 3, per_second: 2 };
    expect((await events.metadata('pg_redeliver_events', args)).events).toBe(3);
    const times = await events.database.query(
      `select extract(epoch from next_retry_at - min(next_retry_at) over ())::float8 as seconds
       from engine_catalog.event_log where trigger_name = 'bulk' order by seq`,
    );
    expect(times.map(({ seconds }) => seconds)).toEqual([0, 0.5, 1, null, null]);
    await events.metadata('pg_resume_event_trigger', { name: 'bulk' });
    await expect
      .poll(() => stateOf('bulk'))
      .toEqual(['delivered', 'delivered', 'delivered', 'error', 'error']);
    expect(events.webhook.calls.map(nameOf).sort()).toEqual(['n1', 'n2', 'n3']);
  });
});

test('a circuit breaker: after failures without an answer one event is tried per interval', async () => {
  let isBroken = true;
  events.webhook.respond = (_call, response, request) => {
    if (isBroken) request.socket.destroy();
    else response.end();
  };
  const retry_conf = {
    num_retries: 100,
    interval_sec: 0,
    circuit_breaker: { failures: 3, probe_interval_sec: 1 },
  };
  await events.trigger('breaking', { insert, retry_conf }, async () => {
    await events.database.query("insert into item (name) values ('c')");
    await events.received(3);
    const opened = performance.now();
    const calls = await events.received(5);
    // A rate, which holds at any speed. Without the breaker it would be tried again at once, hundreds of times.
    expect(calls.length - 3).toBeLessThanOrEqual(1 + (performance.now() - opened) / 1000);
    isBroken = false;
    await expect.poll(() => stateOf('breaking')).toEqual(['delivered']);
  });
});
