/** `GET /engine/console/queues` and a database whose logs cannot be counted in time. */
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CallsAnswer, QueuesAnswer } from '../../../runtime/console/operator-questions.ts';
import { metadataOf } from '../../harness/metadata.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { leaks, send, serve, type TestServer } from '../../harness/server.ts';

const METADATA = metadataOf(
  [
    {
      table: 'item',
      event_triggers: [
        {
          name: 'item_made',
          definition: { enable_manual: false, insert: { columns: '*' } },
          retry_conf: { num_retries: 0, interval_sec: 10, timeout_sec: 60 },
          webhook: 'http://127.0.0.1:1',
        },
      ],
    },
  ],
  {
    actions: [
      {
        name: 'pay',
        definition: {
          kind: 'asynchronous',
          type: 'mutation',
          output_type: 'Paid',
          handler: 'http://127.0.0.1:1',
          arguments: [{ name: 'note', type: 'String' }],
        },
      },
    ],
    custom_types: { objects: [{ name: 'Paid', fields: [{ name: 'id', type: 'Int!' }] }] },
  },
);

let metadataDatabase: TestDatabase;
let server: TestServer;
beforeAll(async () => {
  metadataDatabase = await createTestDatabase();
  const options = { ENABLE_CONSOLE: 'true', METADATA_DATABASE_URL: metadataDatabase.url };
  server = await serve({ sql: 'create table item (id serial primary key)', metadata: METADATA, options });
});
afterAll(async () => {
  await server?.stop();
  expect(leaks()).toEqual([]);
});

async function queues(): Promise<QueuesAnswer> {
  const { json } = await send(server, '/engine/console/queues', { method: 'GET' });
  return json as QueuesAnswer;
}

test('what was never called has no calls', async () => {
  const { triggers, actions, unread } = await queues();
  expect(unread).toEqual([]);
  expect(triggers).toMatchObject([{ name: 'item_made', pending: 0 }]);
  expect(actions).toEqual([{ name: 'pay', pending: 0, failed: 0 }]);
});

test('of a failed call with a large input the answer has what failed', async () => {
  const query = 'mutation ($note: String) { pay(note: $note) }';
  for (const note of ['short', 'x'.repeat(500_000)])
    await send(server, '/v1/graphql', { body: { query, variables: { note } } });
  const calls = async () => {
    const { json } = await send(server, '/engine/console/calls?action=pay', { method: 'GET' });
    return (json as CallsAnswer).calls.map(({ errors }) => errors);
  };
  await expect.poll(calls).toEqual([
    {
      code: 'unexpected',
      error: 'http exception when calling webhook',
      internal: {
        error: expect.any(String),
        cut: 'longer than 20000 characters; a query of the action gives it whole',
      },
    },
    expect.objectContaining({ internal: expect.objectContaining({ request: expect.anything() }) }),
  ]);
});

test.each([
  ['default', 'event_log'],
  ['metadata', 'cron_events'],
])('figures of %s that take too long are missing, and others have connections', async (name, table) => {
  const other = new pg.Client(name === 'metadata' ? metadataDatabase.url : server.database.url);
  await other.connect();
  await other.query(`begin; lock table engine_catalog.${table} in access exclusive mode`);
  const visits = await Promise.all(Array.from({ length: 6 }, queues));
  for (const { triggers, actions, unread } of visits) {
    expect(unread).toEqual([{ database: name, reason: 'canceling statement due to statement timeout' }]);
    if (name === 'metadata') expect(actions).toEqual([{ name: 'pay' }]);
    else expect(triggers).toEqual([{ source: 'default', table: 'public.item', name: 'item_made' }]);
  }
  await other.end();
});
