/** Event triggers from the metadata API to the webhook: what is captured, what is sent, what becomes of failures. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { send, startTestServer, type TestServer } from '../../harness/server.ts';
import { startWebhook, type WebhookReceiver } from '../../harness/webhook.ts';

let database: TestDatabase;
let server: TestServer;
let webhook: WebhookReceiver;

beforeAll(async () => {
  database = await createTestDatabase(`
    create table person (id serial primary key, name text, age integer, big bigint, note json);
    create table parted (id integer, part integer) partition by list (part);
    create table parted_1 partition of parted for values in (1);
  `);
  webhook = await startWebhook();
  server = await startTestServer(database, { EVENTS_FETCH_INTERVAL: '100' });
  for (const table of ['person', 'parted', 'parted_1']) await metadata('pg_track_table', { table });
});

afterAll(async () => {
  await server?.stop();
  await webhook?.close();
});

beforeEach(() => {
  webhook.calls.length = 0;
  webhook.respond = (_call, response) => response.end('{}');
});

async function request(type: string, args: object, headers: Record<string, string> = {}) {
  return send(server, '/v1/metadata', { body: { type, args }, headers });
}

async function metadata(type: string, args: object): Promise<unknown> {
  const { status, json } = await request(type, args);
  expect(json, type).not.toHaveProperty('error');
  expect(status).toBe(200);
  return json;
}

async function graphql(query: string, headers: Record<string, string> = {}): Promise<unknown> {
  const { json } = await send(server, '/v1/graphql', { body: { query }, headers });
  expect(json).not.toHaveProperty('errors');
  return json;
}

async function trigger(name: string, definition: object, use: () => Promise<void>): Promise<void> {
  const args = { name, table: 'person', webhook: webhook.url, ...definition };
  await metadata('pg_create_event_trigger', args);
  try {
    await use();
  } finally {
    await metadata('pg_delete_event_trigger', { name });
  }
}

async function received(count: number): Promise<WebhookReceiver['calls']> {
  await expect.poll(() => webhook.calls.length).toBeGreaterThanOrEqual(count);
  return webhook.calls;
}

function dataOf({ body }: WebhookReceiver['calls'][number]): unknown {
  return (body as { event: { data: unknown } }).event.data;
}

test('an insert through GraphQL: the whole body, session variables, headers', async () => {
  const headers = [
    { name: 'X-Secret', value: 'abc' },
    { name: 'content-type', value: 'text/plain' },
  ];
  await trigger(
    'inserted',
    { insert: { columns: '*' }, headers, retry_conf: { num_retries: 3, interval_sec: 1 } },
    async () => {
      await graphql(
        'mutation { insert_person_one(object: { name: "Ann", age: 30, big: 12345678901234567 }) { id } }',
        {
          'x-engine-role': 'admin',
          'X-Engine-User-Id': '7',
          'x-b3-traceid': '463ac35c9f6413ad48485a3953bb6124',
          'x-b3-spanid': 'a2fb4a1d1a96d312',
        },
      );
      const [call] = await received(1);
      expect(call!.method).toBe('POST');
      const names = call!.headers.map(([name]) => name.toLowerCase());
      expect(call!.headers).toContainEqual(['Content-Type', 'application/json']);
      expect(names.filter((name) => name === 'content-type')).toHaveLength(1);
      expect(call!.headers).toContainEqual(['X-Secret', 'abc']);
      expect(call!.headers).toContainEqual(['x-b3-traceid', '463ac35c9f6413ad48485a3953bb6124']);
      for (const name of ['accept', 'accept-encoding', 'sec-fetch-mode']) expect(names).not.toContain(name);
      expect(call!.text).toContain('12345678901234567');
      expect(call!.body).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+$/),
        table: { schema: 'public', name: 'person' },
        trigger: { name: 'inserted' },
        event: {
          op: 'INSERT',
          data: {
            old: null,
            new: { id: expect.any(Number), name: 'Ann', age: 30, big: 12345678901234568, note: null },
          },
          session_variables: { 'x-engine-role': 'admin', 'x-engine-user-id': '7' },
          trace_context: {
            trace_id: '463ac35c9f6413ad48485a3953bb6124',
            span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
          },
        },
        delivery_info: { current_retry: 0, max_retries: 3 },
      });
      const { id } = call!.body as { id: string };
      const logged = async () =>
        metadata('pg_get_event_by_id', { event_id: id }) as Promise<{ event: object; invocations: object[] }>;
      await expect
        .poll(async () => (await logged()).event)
        .toMatchObject({ delivered: true, error: false, tries: 1, locked: null });
      expect((await logged()).invocations).toMatchObject([
        {
          trigger_name: 'inserted',
          http_status: 200,
          request: { version: '2', payload: call!.body },
          response: { type: 'webhook_response', version: '2', data: { status: 200, body: '{}' } },
        },
      ]);
    },
  );
});

describe('what is captured', () => {
  test('statements of SQL, rows of one statement as an event each', async () => {
    await trigger(
      'sql',
      { insert: { columns: '*', payload: ['name'] }, delete: { columns: '*', payload: ['name', 'age'] } },
      async () => {
        await database.query("insert into person (name) select 'p' || n from generate_series(1, 3) n");
        const inserted = (await received(3)).map(dataOf);
        // They are sent at once.
        expect(inserted).toHaveLength(3);
        expect(inserted).toEqual(
          expect.arrayContaining([1, 2, 3].map((n) => ({ old: null, new: { name: `p${n}` } }))),
        );
        expect((webhook.calls[0]!.body as { event: object }).event).toMatchObject({
          session_variables: null,
          trace_context: null,
        });
        await database.query("delete from person where name like 'p%'");
        await received(6);
        expect(webhook.calls.slice(3).map(dataOf)).toContainEqual({
          old: { name: 'p1', age: null },
          new: null,
        });
      },
    );
  });

  test('updates of the columns listened to, by value', async () => {
    await database.query("insert into person (id, name, age, note) values (100, 'a', 1, '{}')");
    await trigger('updated', { update: { columns: ['age', 'note'], payload: ['id', 'age'] } }, async () => {
      await database.query("update person set name = 'b' where id = 100");
      await database.query('update person set age = 1 where id = 100');
      await database.query("update person set note = '{}' where id = 100");
      // The triggers of the database capture events with the write.
      expect(
        await database.query("select from engine_catalog.event_log where trigger_name = 'updated'"),
      ).toEqual([]);
      await database.query('update person set age = null where id = 100');
      expect((await received(1)).map(dataOf)).toEqual([
        { old: { id: 100, age: 1 }, new: { id: 100, age: null } },
      ]);
      await database.query('update person set note = \'{"a":1}\' where id = 100');
      await received(2);
    });
  });

  test('upserts fire by what happened', async () => {
    await trigger(
      'upserted',
      { insert: { columns: '*', payload: ['id'] }, update: { columns: '*', payload: ['id'] } },
      async () => {
        await database.query(
          "insert into person (id, name) values (100, 'c'), (101, 'd') on conflict (id) do update set name = excluded.name",
        );
        const operations = (await received(2)).map(
          ({ body }) => (body as { event: { op: string } }).event.op,
        );
        expect(operations.sort()).toEqual(['INSERT', 'UPDATE']);
      },
    );
  });

  test('rows of partitions, written through the parent or directly', async () => {
    await trigger('parted', { table: 'parted', insert: { columns: '*' } }, async () => {
      await database.query('insert into parted values (1, 1)');
      await database.query('insert into parted_1 values (2, 1)');
      const tables = (await received(2)).map(({ body }) => (body as { table: object }).table);
      expect(tables).toEqual([
        { schema: 'public', name: 'parted' },
        { schema: 'public', name: 'parted' },
      ]);
    });
  });

  test('writes of a role without any right on engine_catalog', async () => {
    await trigger(
      'unprivileged',
      { insert: { columns: '*', payload: ['name'] }, update: { columns: '*' } },
      async () => {
        await database.query(`
        create role writer_of_events;
        grant insert, update, select on person to writer_of_events;
        grant usage on sequence person_id_seq to writer_of_events;
      `);
        await database.query(
          "begin; set local role writer_of_events; insert into person (name) values ('w'); update person set age = 5 where name = 'w'; commit",
        );
        await received(2);
        await database.query('drop owned by writer_of_events; drop role writer_of_events');
      },
    );
  });

  test('columns that are added, and the trigger follows a rename', async () => {
    await trigger(
      'follows',
      { insert: { columns: '*' }, update: { columns: ['age'], payload: ['id'] } },
      async () => {
        await send(server, '/v2/query', {
          body: {
            type: 'run_sql',
            args: {
              sql: 'alter table person add column extra integer default 5; alter table person rename column age to years',
            },
          },
        });
        await database.query("insert into person (id, name) values (200, 'x')");
        expect(dataOf((await received(1))[0]!)).toMatchObject({ new: { id: 200, extra: 5, years: null } });
        await database.query('update person set years = 3 where id = 200');
        await received(2);
        await send(server, '/v2/query', {
          body: {
            type: 'run_sql',
            args: {
              sql: 'alter table person drop column extra; alter table person rename column years to age',
            },
          },
        });
      },
    );
  });
});

describe('delivery', () => {
  test('retries, then gives up; a redelivery begins anew', async () => {
    webhook.respond = (_call, response) => {
      response.statusCode = 500;
      response.end('sorry\u0000');
    };
    const retry_conf = { num_retries: 2, interval_sec: 1, timeout_sec: 5 };
    await trigger('failing', { insert: { columns: '*', payload: ['name'] }, retry_conf }, async () => {
      await database.query("insert into person (name) values ('f')");
      const calls = await received(3);
      expect(calls.map(({ body }) => (body as { delivery_info: object }).delivery_info)).toEqual(
        [0, 1, 2].map((current_retry) => ({ current_retry, max_retries: 2 })),
      );
      const { id } = calls[0]!.body as { id: string };
      const event = async () =>
        ((await metadata('pg_get_event_by_id', { event_id: id })) as { event: object }).event;
      await expect
        .poll(event)
        .toMatchObject({ error: true, delivered: false, tries: 3, next_retry_at: null });
      expect(await metadata('pg_get_event_invocation_logs', { name: 'failing' })).toMatchObject([
        { http_status: 500, response: { type: 'client_error', data: { message: 'sorry\ufffd' } } },
        {},
        {},
      ]);
      expect(await metadata('pg_get_event_logs', { name: 'failing', status: 'error' })).toHaveLength(1);
      webhook.respond = (_call, response) => response.end();
      await metadata('pg_redeliver_event', { event_id: id });
      await received(4);
      await expect.poll(event).toMatchObject({ error: false, delivered: true, tries: 1 });
    });
  });

  test('a receiver that asks to wait decides the time, without retries left as well', async () => {
    webhook.respond = (_call, response) => {
      response.writeHead(503, { 'retry-after': '1' });
      response.end();
    };
    await trigger('patient', { insert: { columns: '*', payload: ['name'] } }, async () => {
      await database.query("insert into person (name) values ('r')");
      const calls = await received(2);
      expect(calls[1]!.at - calls[0]!.at).toBeGreaterThan(900);
    });
  });

  test('deadlines cover the whole attempt; redirects are answers', async () => {
    webhook.respond = ({ path }, response) => {
      if (path === '/drip') {
        response.writeHead(200);
        const timer = setInterval(() => response.write('x'), 50);
        response.on('close', () => clearInterval(timer));
      } else if (path === '/redirect') {
        response.writeHead(302, { location: '/elsewhere' });
        response.end();
      }
    };
    const timeout = {
      http_status: null,
      response: { data: { message: expect.stringContaining('Response timeout') } },
    };
    for (const [path, timeout_sec, expected] of [
      ['/drip', 1, timeout],
      ['/hang', 1, timeout],
      ['/redirect', 60, { http_status: 302, response: { type: 'client_error' } }],
    ] as const) {
      const name = `slow_${path.slice(1)}`;
      const retry_conf = { num_retries: 0, interval_sec: 1, timeout_sec };
      await trigger(
        name,
        { insert: { columns: '*', payload: ['name'] }, webhook: webhook.url + path, retry_conf },
        async () => {
          await database.query("insert into person (name) values ('s')");
          const invocations = () => metadata('pg_get_event_invocation_logs', { name });
          await expect.poll(invocations).toMatchObject([expected]);
        },
      );
    }
  });

  test('an answer without end counts by its status', async () => {
    webhook.respond = (_call, response) => {
      response.writeHead(200);
      const chunk = 'y'.repeat(65536);
      const push = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', push);
      push();
    };
    await trigger('flooding', { insert: { columns: '*', payload: ['name'] } }, async () => {
      await database.query("insert into person (name) values ('l')");
      const invocations = () =>
        metadata('pg_get_event_invocation_logs', { name: 'flooding' }) as Promise<
          { response: { data: { body: string } } }[]
        >;
      await expect.poll(invocations).toMatchObject([{ http_status: 200 }]);
      expect((await invocations())[0]!.response.data.body.length).toBe(65536);
    });
  });

  test('transforms', async () => {
    const request_transform = {
      version: 2,
      url: '{{$base_url}}/t',
      method: 'PUT',
      query_params: { foo: 'bar' },
      body: {
        action: 'transform',
        template:
          '{"who": {{$body.event.data.new.name}}, "role": {{$session_variables?.x-engine-role ?? "none"}}, "big": {{$body.event.data.new.big}}}',
      },
      request_headers: { remove_headers: ['user-agent'], add_headers: { 'X-Op': '{{$body.event.op}}' } },
    };
    await trigger(
      'transformed',
      { insert: { columns: '*', payload: ['name', 'big'] }, request_transform },
      async () => {
        await database.query("insert into person (name, big) values ('t', 12345678901234567)");
        const [call] = await received(1);
        expect(call).toMatchObject({
          path: '/t?foo=bar',
          method: 'PUT',
          text: '{"who":"t","role":"none","big":12345678901234567}',
        });
        expect(call!.headers).toContainEqual(['X-Op', 'INSERT']);
        expect(call!.headers.map(([name]) => name.toLowerCase())).not.toContain('user-agent');
      },
    );
  });

  test('by hand', async () => {
    await trigger('manual', { enable_manual: true }, async () => {
      const answer = await metadata('pg_invoke_event_trigger', { name: 'manual', payload: { a: 1 } });
      const [call] = await received(1);
      expect(answer).toEqual({ event_id: (call!.body as { id: string }).id });
      expect((call!.body as { event: object }).event).toMatchObject({
        op: 'MANUAL',
        data: { old: null, new: { a: 1 } },
        session_variables: { 'x-engine-role': 'admin' },
      });
      // A manual trigger has no functions; its events are archived all the same.
      webhook.respond = (_call, response) => {
        response.statusCode = 500;
        response.end();
      };
      await metadata('pg_invoke_event_trigger', { name: 'manual', payload: null });
    });
    const [{ archived }] = (await database.query(
      "select bool_and(archived) as archived from engine_catalog.event_log where trigger_name = 'manual'",
    )) as [{ archived: boolean }];
    expect(archived).toBe(true);
  });
});
