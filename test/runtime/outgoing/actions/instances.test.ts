/** Several instances on one log of asynchronous actions, and what each does on the database. */
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { answering, Handler } from '../../../harness/handler.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/postgres.ts';
import { replaceMetadata, send, startTestServer, type TestServer } from '../../../harness/server.ts';

const handler = new Handler();
let database: TestDatabase;
/** Stores calls and makes none. */
let front: TestServer;

const action = (name: string, definition: object = {}) => ({
  name,
  definition: {
    kind: 'asynchronous',
    handler: `{{HANDLER}}/${name}`,
    output_type: 'Int',
    arguments: [{ name: 'n', type: 'Int' }],
    ...definition,
  },
});
const METADATA = {
  version: 3,
  sources: [],
  actions: [action('job'), action('forwarding', { forward_client_headers: true })],
};

const start = (options: Readonly<Record<string, string>>) =>
  startTestServer(database, options, { HANDLER: handler.url });

beforeAll(async () => {
  await handler.listen();
  database = await createTestDatabase();
  front = await start({ ASYNC_ACTIONS_FETCH_INTERVAL: '0' });
  await replaceMetadata(front, METADATA);
});

beforeEach(() => {
  handler.calls = [];
  handler.answer = answering('1');
});

afterAll(async () => {
  await front?.stop();
  handler.close();
});

async function ask(query: string, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const { json } = await send(front, '/v1/graphql', { headers, body: { query } });
  return Object.values((json as { readonly data: object }).data)[0];
}
const row = async (id: unknown) =>
  (await database.query('select * from engine_catalog.action_log where id = $1', [id]))[0]!;

describe('a call that is stored by an instance without room', () => {
  test('wakes the others at once, not when they look the next time', async () => {
    const back = await start({ ASYNC_ACTIONS_FETCH_INTERVAL: '3600000' });
    // It has looked once, and listens.
    const listening = () =>
      database.query(
        `select from pg_stat_activity where datname = current_database() and query = 'listen engine_actions'`,
      );
    await expect.poll(listening).toHaveLength(1);
    const id = await ask('mutation { job(n: 1) }');
    await expect.poll(() => ask(`{ job(id: "${id}") }`)).toBe(1);
    expect(handler.calls).toHaveLength(1);
    await back.stop();
  });

  test('is made in the order of storing, its result is a scalar as declared', async () => {
    for (const n of [3, 1, 2]) await ask(`mutation { job(n: ${n}) }`);
    await database.query(`update engine_catalog.action_log
      set created_at = created_at + (input_payload->>'n')::int * interval '1 hour' where status = 'created'`);
    const waiting: (() => void)[] = [];
    handler.answer = (call, response) => void waiting.push(() => answering('1')(call, response));
    const back = await start({ ASYNC_ACTIONS_FETCH_BATCH_SIZE: '1' });
    // A batch is not waited for: the next calls are made beside one that hangs.
    await expect.poll(() => waiting).toHaveLength(3);
    expect(handler.calls.map(({ json }) => (json as { input: { n: number } }).input.n)).toEqual([1, 2, 3]);
    for (const answer of waiting) answer();
    await back.stop();
  });

  test('keeps those headers of the client that will be forwarded, and no others', async () => {
    const headers = {
      authorization: 'Bearer a',
      'x-own': 'b',
      accept: 'text/html',
      'x-engine-user-id': '1',
      cookie: 'c=d',
    };
    expect((await row(await ask('mutation { job }', headers))).request_headers).toEqual({});
    expect((await row(await ask('mutation { forwarding }', headers))).request_headers).toEqual({
      authorization: 'Bearer a',
      cookie: 'c=d',
      'x-own': 'b',
      'X-Forwarded-Host': '127.0.0.1',
    });
  });

  test('keeps the message and the code of an error, not its extensions', async () => {
    const id = await ask('mutation { job }');
    handler.answer = answering({ message: 'no', code: 'mine', extensions: { own: 1 } }, 400);
    const back = await start({});
    await expect.poll(async () => (await row(id)).status).toBe('error');
    expect((await row(id)).errors).toMatchObject({ error: 'no', path: '$', code: 'mine' });
    expect((await row(id)).errors).not.toHaveProperty('extensions');
    await back.stop();
  });
});

test('without asynchronous actions, no instance looks for calls', async () => {
  const back = await start({ ASYNC_ACTIONS_FETCH_INTERVAL: '10' });
  const query = vi.spyOn(pg.Pool.prototype, 'query');
  const looks = async () => {
    query.mockClear();
    await new Promise((resolve) => setTimeout(resolve, 200));
    return query.mock.calls.filter(([text]) => String(text).includes('skip locked')).length;
  };
  await expect.poll(looks).toBeGreaterThan(0);
  await replaceMetadata(back, { version: 3, sources: [] });
  await expect.poll(looks).toBe(0);
  query.mockRestore();
  await back.stop();
});
