/** Servers on one metadata database: a change on one is served by the other, whoever writes, and nothing is lost. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerTo, send, serve, type TestServer } from '../../../harness/server.ts';

const TABLES = Array.from({ length: 12 }, (_, index) => `item_${index}`);

let servers: readonly [TestServer, TestServer];

beforeAll(async () => {
  const first = await serve({
    sql: TABLES.map(
      (name) => `create table ${name} (id int primary key); insert into ${name} values (1);`,
    ).join('\n'),
  });
  servers = [first, await serve({ database: first.database })];
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
});

const change = (server: TestServer, type: string, args: object) =>
  send(server, '/v1/metadata', { body: { type, args } });
const track = (server: TestServer, name: string) => change(server, 'pg_track_table', { table: name });

/** Asks until the answer is there; the test's timeout ends it otherwise. */
async function eventually(server: TestServer, text: string, expected: unknown): Promise<void> {
  for (;;) {
    const answer = await answerTo(server, text);
    if (JSON.stringify(answer) === JSON.stringify(expected)) return;
    await delay(20);
  }
}

describe('servers on one metadata database', () => {
  test('serve a change once it is answered, and the other follows', async () => {
    const [first, second] = servers;
    const answer = { data: { item_0: [{ id: 1 }] } };
    expect((await track(first, 'item_0')).status).toBe(200);
    expect(await answerTo(first, '{ item_0 { id } }')).toEqual(answer);
    await eventually(second, '{ item_0 { id } }', answer);
  });

  test('refuse one of two writers of the same version, and lose nothing', async () => {
    const rest = TABLES.slice(1);
    const outcomes = await Promise.all(
      rest.map(async (name, index) => {
        // As a client does: again, as long as another writer was faster.
        for (;;) {
          const { status } = await track(servers[index % 2]!, name);
          if (status !== 409) return status;
        }
      }),
    );
    expect(outcomes).toEqual(rest.map(() => 200));
    const all = `{ ${TABLES.map((name) => `${name} { id }`).join(' ')} }`;
    const expected = { data: Object.fromEntries(TABLES.map((name) => [name, [{ id: 1 }]])) };
    await Promise.all(servers.map((server) => eventually(server, all, expected)));
  });

  test('refuse a change that refers to another version', async () => {
    const body = { type: 'pg_untrack_table', args: { table: 'item_1' }, resource_version: 1 };
    expect(await send(servers[0], '/v1/metadata', { body })).toMatchObject({
      status: 409,
      json: { code: 'conflict', path: '$' },
    });
  });

  test('keep what they serve when a change cannot be made', async () => {
    const { status, json } = await change(servers[0], 'pg_create_select_permission', {
      table: 'item_0',
      role: 'user',
      permission: { columns: ['absent'], filter: {} },
    });
    expect({ status, json }).toMatchObject({ status: 400, json: { code: 'invalid-configuration' } });
    expect(await answerTo(servers[0], '{ item_0 { id } }')).toEqual({ data: { item_0: [{ id: 1 }] } });
  });

  test('run the operations on data of the legacy API', async () => {
    const body = { type: 'select', args: { table: 'item_0', columns: ['id'] } };
    expect((await send(servers[1], '/v1/query', { body })).json).toEqual([{ id: 1 }]);
  });
});

test('a metadata thread that ends is started again; requests are answered meanwhile', async () => {
  const workers: Worker[] = [];
  const note = (worker: Worker) => workers.push(worker);
  process.on('worker', note);
  const server = await serve({ sql: 'create table one (id int); create table two (id int)' });
  try {
    await change(server, 'pg_track_table', { table: 'one' });
    for (let round = 0; round < 2; round += 1) {
      await workers.at(-1)!.terminate();
      expect(await answerTo(server, '{ one { id } }')).toEqual({ data: { one: [] } });
      for (;;) {
        const { status, json } = await change(server, 'export_metadata', {});
        if ((json as { code?: string }).code !== 'unexpected') break;
        expect({ status, json }).toMatchObject({
          status: 503,
          json: { error: expect.stringContaining('is started again') },
        });
      }
    }
    await change(server, 'pg_track_table', { table: 'two' });
    expect(await answerTo(server, '{ one { id } two { id } }')).toEqual({ data: { one: [], two: [] } });
    expect(workers).toHaveLength(3);
  } finally {
    process.off('worker', note);
    await server.stop();
  }
});
