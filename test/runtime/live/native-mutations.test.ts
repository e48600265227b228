/** What native mutations write reaches live queries and kept answers; and allow-lists hold for them. No poll at an interval can be what brings a result. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../../runtime/metadata/metadata.ts';
import type { TestDatabase } from '../../harness/postgres.ts';
import { readRequestProject } from '../../harness/request-project.ts';
import { leaks, replaceMetadata, send, serve, type TestServer } from '../../harness/server.ts';
import { connect } from '../../harness/socket.ts';

let database: TestDatabase;
let server: TestServer;
let metadata: JsonObject;

const CLERK = { 'x-engine-role': 'clerk', 'x-engine-owner': 'ada' };
const SAVED = 'mutation Deposit($n: numeric!) { deposit(args: { amount: $n }) { id } }';
const query = { collection_name: 'saved', query_name: 'Deposit' };

/** With a table into which the role may insert. */
function sourcesOf({ sources }: JsonObject): JsonObject['sources'] {
  const [source] = sources as readonly [{ readonly tables: readonly { readonly table: string }[] }];
  const insert_permissions = [{ role: 'clerk', permission: { columns: ['note'], check: {} } }];
  const tables = source.tables.map((entry) =>
    entry.table === 'log' ? { ...entry, insert_permissions } : entry,
  );
  return [{ ...source, tables }] as unknown as JsonObject['sources'];
}

beforeAll(async () => {
  const project = await readRequestProject('native-writing');
  ({ database } = project);
  metadata = {
    ...project.metadata,
    sources: sourcesOf(project.metadata),
    query_collections: [{ name: 'saved', definition: { queries: [{ name: 'Deposit', query: SAVED }] } }],
    rest_endpoints: [{ name: 'Deposit', url: 'deposit', methods: ['POST'], definition: { query } }],
    allowlist: [{ collection: 'saved', scope: { global: true } }],
  };
  await database.query(`insert into account (id, owner, balance) values (100, 'ada', 0), (101, 'bob', 0)`);
  const settings = { RESPONSE_CACHE: '8', LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '3600000' };
  server = await serve({ database, metadata, options: settings });
});
afterAll(async () => {
  await server.stop();
  expect(leaks()).toEqual([]);
});

async function ask(text: string, headers: object = CLERK) {
  const answer = await send(server, '/v1/graphql', { body: { query: text }, headers: { ...headers } });
  return { text: answer.text, kept: answer.headers['cache-control'] };
}

const BALANCE = '{ account_by_pk(id: 100) { balance } }';
const balance = (value: number) => `{"data":{"account_by_pk":{"balance":${value}}}}`;
const deposit = 'mutation { deposit(args: { amount: 1 }) { id } }';

test('a live query is read again after a native mutation, alone, beside another one, and of a socket', async () => {
  const socket = await connect(server, { headers: CLERK });
  await database.query('update account set balance = 0');
  socket.send({ type: 'subscribe', id: '1', payload: { query: `subscription ${BALANCE}` } });
  const next = async () => {
    for (;;) {
      const message = await socket.next();
      if (message.id === '1') return message;
    }
  };
  const shows = (value: number) => ({ payload: { data: { account_by_pk: { balance: value } } } });
  expect(await next()).toMatchObject(shows(0));
  await ask(deposit);
  expect(await next()).toMatchObject(shows(1));
  await ask('mutation { note(args: { account: 1, note: "n" }) { id } deposit(args: { amount: 2 }) { id } }');
  expect(await next()).toMatchObject(shows(3));
  socket.send({ type: 'subscribe', id: 'm', payload: { query: deposit } });
  expect(await next()).toMatchObject(shows(4));
  await socket.close();
});

test.each([false, true])(
  'a client reads what a native mutation wrote, not a kept answer; writes recorded: %s',
  async (record_writes) => {
    const own = { database_url: { from_env: 'DATABASE_URL' } };
    const live_queries = { record_writes };
    await send(server, '/v1/metadata', {
      body: {
        type: 'pg_update_source',
        args: { name: 'default', configuration: { connection_info: own, live_queries } },
      },
    });
    await database.query('update account set balance = 0');
    const kept = `query kept${record_writes} @cached ${BALANCE}`;
    const writes = [
      deposit,
      'mutation { b: note(args: { account: 1, note: "n" }) { id } deposit(args: { amount: 1 }) { id } }',
      // The other statement of the request names another table.
      'mutation { insert_log(objects: [{ note: "n" }]) { affected_rows } deposit(args: { amount: 1 }) { id } }',
    ];
    for (let round = 0; round < 9; round += 1) {
      await expect.poll(async () => (await ask(kept)).kept).toMatch(/^max-age=/);
      const written = await ask(writes[round % writes.length]!);
      expect(written.text).toContain('"data"');
      expect((await ask(kept)).text).toBe(balance(round + 1));
    }
  },
);

test('what native queries read is not known: no answer with one is kept', async () => {
  const kept = 'query closed @cached { account { closings { id } } }';
  for (let round = 0; round < 3; round += 1) expect((await ask(kept)).kept).toBeUndefined();
});

test('REST endpoints run it by POST, and live queries and kept answers follow', async () => {
  await database.query('update account set balance = 0');
  const kept = `query rest @cached ${BALANCE}`;
  await expect.poll(async () => (await ask(kept)).kept).toMatch(/^max-age=/);
  const answer = await send(server, '/api/rest/deposit', { body: { n: 5 }, headers: CLERK });
  expect(answer.text).toContain('"deposit":[');
  expect((await ask(kept)).text).toBe(balance(5));
  const get = await send(server, '/api/rest/deposit?n=5', { method: 'GET', headers: CLERK });
  expect(get.status).toBe(405);
  const direct = await send(server, `/v1/graphql?query=${encodeURIComponent(deposit)}`, {
    method: 'GET',
    headers: CLERK,
  });
  expect(direct.text).toContain('error');
  expect((await ask(BALANCE)).text).toBe(balance(5));
});

test('an allow-list admits the saved text of a native mutation, and no other', async () => {
  const listed = await serve({ database, options: { ENABLE_ALLOWLIST: 'true' } });
  try {
    await replaceMetadata(listed, metadata);
    await database.query('update account set balance = 0');
    const sendTo = async (body: object) => (await send(listed, '/v1/graphql', { body, headers: CLERK })).text;
    expect(await sendTo({ query: SAVED, variables: { n: 1 } })).toContain('"deposit":[');
    for (const other of [
      deposit,
      SAVED.replace('{ id }', '{ id owner }'),
      SAVED.replace('amount: $n', 'amount: $n, owner: "bob"'),
      SAVED.replace('deposit(', 'x: deposit('),
      `${SAVED} query Q { account { id } }`,
    ])
      expect(await sendTo({ query: other, variables: { n: 1 }, operationName: 'Deposit' })).toContain(
        'not allowed',
      );
    expect(await database.query('select balance::int from account where id = 101')).toEqual([{ balance: 1 }]);
  } finally {
    await listed.stop();
  }
});
