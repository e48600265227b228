/** Requests over HTTP whose session ends while they wait: nothing begins for them any more. */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TestDatabase } from '../../harness/postgres.ts';
import { readRequestProject } from '../../harness/request-project.ts';
import { confidential, leaks, send, serve, type TestServer } from '../../harness/server.ts';
import { startWebhook, type WebhookReceiver } from '../../harness/webhook.ts';
import { ADMIN, bearer, payload, signToken } from './setting.ts';

const KEY = 'the-token-key-of-the-requests-012345678';
const admin = { 'x-engine-admin-secret': ADMIN };
let database: TestDatabase;
/** It has one connection to the database. */
let server: TestServer;
let webhook: WebhookReceiver;
let lock: pg.Client;
const answers: (() => void)[] = [];

beforeAll(async () => {
  confidential.add(ADMIN).add(KEY);
  const project = await readRequestProject('served/sessions');
  database = project.database;
  webhook = await startWebhook((_call, response) => {
    answers.push(() => response.end('{"text":"done"}'));
  });
  const options = {
    ADMIN_SECRET: ADMIN,
    JWT_SECRET: JSON.stringify({ type: 'HS256', key: KEY }),
    PG_CONNECTIONS: '1',
  };
  server = await serve({
    database,
    metadata: project.metadata,
    options,
    variables: { HANDLER: webhook.url },
  });
});
afterAll(async () => {
  await server?.stop();
  await webhook?.close();
  expect(leaks()).toEqual([]);
});
beforeEach(async () => {
  await database.query('truncate held, checked');
  lock = new pg.Client({ connectionString: database.url });
  await lock.connect();
  await lock.query('begin; lock table held in access exclusive mode');
});
afterEach(() => lock.end());

const HELD = 'mutation { insert_held_one(object: {}) { id } }';
const ANSWER =
  /^\{"errors":\[\{"message":"the session that asked for this has expired","extensions":\{"path":"\$","code":"access-denied"\}\}\]\}$/;

async function graphql(body: object, headers: Record<string, string>): Promise<string> {
  return (await send(server, '/v1/graphql', { headers, body })).text;
}
/** A session that ends in a second and a half, and what waits for that. */
function shortSession() {
  const exp = Date.now() / 1000 + 1.5;
  const headers = bearer(signToken(payload({}, { exp }), { algorithm: 'HS256', key: KEY }));
  const over = () => expect.poll(() => Date.now() / 1000 > exp, { timeout: 30_000 }).toBe(true);
  return { headers, over };
}
const waiting = (count: number) =>
  expect
    .poll(
      async () =>
        (
          await database.query(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          )
        ).length,
      { timeout: 30_000 },
    )
    .toBe(count);
const written = async (table: string) => (await database.query(`select from ${table}`)).length;

test('what waits for a connection to the database is not sent', async () => {
  const first = graphql({ query: HELD }, { ...admin, 'x-engine-role': 'user', 'x-engine-user-id': '1' });
  await waiting(1);
  const { headers, over } = shortSession();
  const waits = [
    graphql({ query: '{ note { id } }' }, headers),
    graphql({ query: HELD }, headers),
    graphql({ query: '{ note { id } held { id } }' }, headers),
  ];
  await over();
  await lock.query('commit');
  expect(await first).toContain('"data"');
  for (const text of await Promise.all(waits)) expect(text).toMatch(ANSWER);
  expect(await written('held')).toBe(1);
});

test('a read that was sent ends with its session, a write does not', async () => {
  const read = shortSession();
  expect(await graphql({ query: '{ held { id } }' }, read.headers)).toMatch(ANSWER);
  await read.over();
  const write = shortSession();
  const answer = graphql({ query: HELD }, write.headers);
  await write.over();
  await lock.query('commit');
  expect(await answer).toContain('"data"');
  expect(await written('held')).toBe(1);
});

test('members of a batch that did not begin are refused, each by itself', async () => {
  const { headers, over } = shortSession();
  const checked = { query: 'mutation { insert_checked_one(object: {}) { id } }' };
  const members = [{ query: HELD }, { query: '{ note { id } }' }, { query: HELD }, checked];
  const asked = webhook.calls.length;
  const answer = graphql(members, headers);
  await waiting(1);
  await over();
  await lock.query('commit');
  const parts = JSON.parse(await answer) as unknown[];
  expect(parts[0]).toHaveProperty('data');
  expect(parts).toHaveLength(4);
  for (const part of parts.slice(1)) expect(JSON.stringify(part)).toMatch(ANSWER);
  expect(webhook.calls).toHaveLength(asked);
  expect(await written('held')).toBe(1);
});

test('a mutation whose webhook answers later writes nothing, a call of a query is ended', async () => {
  await lock.query('commit');
  const { headers, over } = shortSession();
  const mutation = graphql({ query: 'mutation { insert_checked_one(object: {}) { id } }' }, headers);
  const call = graphql({ query: '{ ask { text } }' }, headers);
  expect(await call).toMatch(ANSWER);
  await over();
  expect(answers).toHaveLength(2);
  for (const answer of answers.splice(0)) answer();
  expect(await mutation).toMatch(ANSWER);
  expect(await written('checked')).toBe(0);
});
