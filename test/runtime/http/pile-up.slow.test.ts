/** Seventy writers of one locked row, over HTTP: others are answered meanwhile, and those that wait are refused in time. */
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, send, serve, type TestServer } from '../../harness/server.ts';

const PILE = 70;
const CONNECTIONS = 12;
const role = 'user';

let server: TestServer;

beforeAll(async () => {
  const pool_settings = { max_connections: CONNECTIONS };
  const database_url = { from_env: 'ENGINE_GRAPHQL_DATABASE_URL' };
  const everything = { role, permission: { columns: '*', filter: {} } };
  const metadata = {
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        configuration: { connection_info: { database_url, pool_settings } },
        tables: [
          {
            table: { schema: 'public', name: 'item' },
            select_permissions: [everything],
            update_permissions: [everything],
          },
        ],
      },
    ],
  };
  server = await serve({
    sql: `
    create table item (id int primary key, n int not null, label text);
    insert into item select n, 0, 'item ' || n from generate_series(1, 100) n;
  `,
    metadata,
  });
});
afterAll(() => server?.stop());

function ask(query: string): Promise<Answer> {
  return send(server, '/v1/graphql', { headers: { 'x-engine-role': role }, body: { query } });
}

const WRITES = {
  'by key': (id: number) => `mutation { update_item_by_pk(pk_columns: {id: ${id}}, _inc: {n: 1}) { n } }`,
  'by a condition': (id: number) =>
    `mutation { update_item(where: {id: {_eq: ${id}}}, _inc: {n: 1}) { affected_rows } }`,
};

/** A read and a write of each kind, of other rows. */
async function askOthers(times: number): Promise<void> {
  for (let time = 0; time < times; time += 1)
    for (const query of [
      '{ item_by_pk(id: 2) { n } }',
      `{ item(where: {label: {_like: "%${time}"}}, limit: 3) { id } }`,
      WRITES['by key'](3),
      WRITES['by a condition'](4),
    ]) {
      const { json, status } = await ask(query);
      expect([status, json]).toEqual([200, { data: expect.anything() }]);
    }
}

test.each(Object.entries(WRITES))('writers %s', async (_, write) => {
  await askOthers(3);
  await server.database.query('update item set n = 0 where id = 50');
  const holder = new pg.Client(server.database.url);
  await holder.connect();
  try {
    await holder.query('begin; select from item where id = 50 for update');
    let settled = 0;
    const writers = Array.from({ length: PILE }, () => ask(write(50)).finally(() => (settled += 1)));
    await askOthers(1);
    expect((await send(server, '/healthz', { method: 'GET' })).status).toBe(200);
    expect(settled).toBe(0);
    // Those that find no place are refused; half of the connections go on waiting for the lock.
    await expect.poll(() => settled).toBe(PILE - CONNECTIONS / 2);
    await askOthers(10);
    expect(settled).toBe(PILE - CONNECTIONS / 2);
    await holder.query('commit');
    const answers = await Promise.all(writers);
    const refused = answers.filter(({ text }) => !text.startsWith('{"data"'));
    for (const { json } of refused)
      expect(json).toMatchObject({
        errors: [
          {
            message: 'too many writes wait for rows that others hold; nothing was written',
            extensions: { code: 'concurrent-update' },
          },
        ],
      });
    expect(refused).toHaveLength(PILE - CONNECTIONS / 2);
    expect(await server.database.query('select n from item where id = 50')).toEqual([{ n: CONNECTIONS / 2 }]);
  } finally {
    await holder.end();
  }
});
