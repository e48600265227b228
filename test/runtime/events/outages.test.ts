/** A webhook that is down, a pool without a free connection, a server that stops: events wait, and are delivered. */
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openEventsTest } from '../../harness/events.ts';
import { freePort } from '../../harness/free-port.ts';
import { send, startTestServer, type TestServer } from '../../harness/server.ts';

// Another server delivers, so that a test may stop it.
const events = openEventsTest('create table item (id serial primary key, name text)', {
  DISABLE_EVENTING: 'true',
});

async function delivering(
  options: Readonly<Record<string, string>>,
  use: (server: TestServer) => Promise<void>,
): Promise<void> {
  const server = await startTestServer(events.database, { EVENTS_FETCH_INTERVAL: '100', ...options });
  try {
    await use(server);
  } finally {
    await server.stop();
  }
}

const insert = { columns: '*', payload: ['name'] };

interface State {
  readonly delivered: number;
  readonly waiting: number;
  readonly locked: number;
}

async function stateOf(trigger: string): Promise<State> {
  const [row] = await events.database.query<State>(
    `select count(*) filter (where delivered)::integer as delivered,
       count(*) filter (where not delivered and not error)::integer as waiting,
       count(*) filter (where locked is not null)::integer as locked
     from engine_catalog.event_log where trigger_name = $1`,
    [trigger],
  );
  return row!;
}

test('a webhook that refuses connections for a while loses nothing', async () => {
  const received = new Set<string>();
  const receiver = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      received.add(JSON.parse(text).id);
      response.end();
    });
  });
  const port = await freePort();
  const listen = () => new Promise<void>((resolve) => receiver.listen(port, '127.0.0.1', resolve));
  await listen();
  const close = async () => {
    const closed = new Promise((resolve) => receiver.close(resolve));
    receiver.closeAllConnections();
    await closed;
  };
  const retry_conf = { num_retries: 1000, interval_sec: 1 };
  const trigger = { insert, retry_conf, webhook: `http://127.0.0.1:${port}` };
  const use = async () => {
    await close();
    await events.database.query("insert into item (name) select 'd' from generate_series(1, 30)");
    await expect
      .poll(() =>
        events.database.query('select from engine_catalog.event_invocation_logs where status is null'),
      )
      .not.toEqual([]);
    expect((await stateOf('refused')).delivered).toBe(0);
    await listen();
    await expect.poll(() => stateOf('refused')).toEqual({ delivered: 30, waiting: 0, locked: 0 });
    expect(received.size).toBe(30);
    await close();
  };
  await events.trigger('refused', trigger, () => delivering({}, use));
});

test('requests that take every connection of the pool delay events, and lose none', async () => {
  await events.database.query(
    `create function slow() returns setof item language sql stable as
     $$ select * from item where pg_sleep(1) is not null limit 1 $$`,
  );
  await events.metadata('pg_track_function', { function: 'slow' });
  await events.trigger('crowded', { insert }, () =>
    delivering({ PG_CONNECTIONS: '2' }, async (server) => {
      const slow = Array.from({ length: 4 }, () =>
        send(server, '/v1/graphql', { body: { query: '{ slow { id } }' } }),
      );
      await delay(200);
      await events.database.query("insert into item (name) select 'p' from generate_series(1, 50)");
      await expect.poll(() => stateOf('crowded')).toEqual({ delivered: 50, waiting: 0, locked: 0 });
      for (const { json } of await Promise.all(slow)) expect(json).not.toHaveProperty('errors');
      const ids = events.webhook.calls.map(({ body }) => (body as { id: string }).id);
      expect(new Set(ids).size).toBe(50);
      expect(ids).toHaveLength(50);
    }),
  );
});

test('a server without events to deliver writes nothing, and one that has some is seen alive', async () => {
  const instances = () =>
    events.database.query(
      "select seen_at > now() - interval '5 seconds' as fresh from engine_catalog.instances",
    );
  await events.trigger('seen', { insert }, async () => {
    await delivering({ EVENTS_FETCH_INTERVAL: '20' }, async () => {
      // Its worker looks some fifty times at queues that are empty.
      await delay(1000);
      expect(await instances()).toEqual([]);
      await events.database.query("insert into item (name) values ('seen')");
      await expect.poll(() => events.webhook.calls.length).toBe(1);
      expect(await instances()).toEqual([{ fresh: true }]);
    });
    expect(await instances()).toEqual([]);
  });
});

test('a server that stops ends its calls, and leaves locked only what others hold', async () => {
  events.webhook.respond = (_call, response) => setTimeout(() => response.end(), 700);
  await events.trigger('stopped', { insert }, async () => {
    const other = '00000000-0000-0000-0000-000000000002';
    await delivering({ EVENTS_HTTP_POOL_SIZE: '3' }, async () => {
      await events.database.query('insert into engine_catalog.instances (id) values ($1)', [other]);
      await events.database.query(
        `insert into engine_catalog.event_log (schema_name, table_name, trigger_name, payload, locked, owner)
         values ('public', 'item', 'stopped', '{}', now(), $1)`,
        [other],
      );
      await events.database.query("insert into item (name) select 's' from generate_series(1, 40)");
      await expect.poll(() => events.webhook.open(), { interval: 5 }).toBe(3);
    });
    const state = await stateOf('stopped');
    expect(state.locked).toBe(1);
    expect(state.delivered).toBe(events.webhook.calls.length);
    expect(state.delivered).toBeLessThan(10);
    expect(state.delivered + state.waiting).toBe(41);
    expect(await events.database.query('select id from engine_catalog.instances')).toEqual([{ id: other }]);
  });
});
