/** What administrators see of live queries and of kept plans; and what the allow-list lets through. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { send, serve, type TestServer } from '../../harness/server.ts';
import { connect } from '../../harness/socket.ts';

let server: TestServer;

async function metadata(type: string, args: object): Promise<void> {
  const answer = await send(server, '/v1/metadata', { body: { type, args } });
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
}

const ALLOWED = 'subscription { note { id } }';

beforeAll(async () => {
  server = await serve({
    sql: "create table note (id int primary key, owner text); insert into note values (1, 'a')",
    options: { ENABLED_APIS: 'metadata,graphql,developer', ENABLE_ALLOWLIST: 'true' },
  });
  await metadata('pg_track_table', { table: 'note' });
  const permission = { columns: '*', filter: { owner: { _eq: 'X-Engine-User-Id' } } };
  await metadata('pg_create_select_permission', { table: 'note', role: 'user', permission });
  const definition = { queries: [{ name: 'notes', query: ALLOWED }] };
  await metadata('create_query_collection', { name: 'app', definition });
  await metadata('add_collection_to_allowlist', { collection: 'app' });
});

afterAll(() => server.stop());

test('/dev/plan_cache lists operations with the SQL of their plans, for administrators', async () => {
  const ask = (query: string, headers = {}, variables = {}) =>
    send(server, '/v1/graphql', { headers, body: { query, variables } });
  const text = 'query Notes($where: note_bool_exp) { note(where: $where) { id } }';
  await ask(text, {}, { where: { id: { _eq: 1 } } });
  await ask(text, {}, { where: { id: { _eq: 2 } } });
  await ask(text, {}, { where: { owner: { _like: 'a%' } } });
  await ask('mutation { delete_note(where: {id: {_eq: 9}}) { affected_rows } }');
  const list = (headers = {}) => send(server, '/dev/plan_cache', { method: 'GET', headers });
  const { operations } = (await list()).json as { operations: { query: string }[] };
  const statements = (sql: string) => [{ source: 'default', sql: expect.stringContaining(sql) }];
  const owner = { role: 'admin', backend_only: expect.any(Boolean), relay: false };
  expect(operations.filter(({ query }) => query === text)).toEqual([
    {
      ...owner,
      operation_name: 'Notes',
      query: text,
      plans: [
        { kind: 'query', statements: statements('"id" = ($1)') },
        { kind: 'query', statements: statements('"owner" like ($1)') },
      ],
    },
  ]);
  expect(operations.filter(({ query }) => query.startsWith('mutation'))).toMatchObject([
    { operation_name: null, plans: [{ kind: 'mutation', statements: statements('delete from') }] },
  ]);
  const denied = await list({ 'x-engine-role': 'user' });
  expect([denied.status, denied.json]).toEqual([400, expect.objectContaining({ code: 'access-denied' })]);
});

/** What /dev/subscriptions says. */
const list = async (path = '', headers = {}) =>
  (await send(server, `/dev/subscriptions${path}`, { method: 'GET', headers })).json as Record<
    string,
    Record<string, unknown>[]
  >;

test('/dev/subscriptions lists what is read, for administrators', async () => {
  const socket = await connect(server, { session: { 'x-engine-role': 'user', 'x-engine-user-id': 'a' } });
  socket.send({ type: 'subscribe', id: '1', payload: { query: ALLOWED } });
  socket.send({ type: 'subscribe', id: '2', payload: { query: ALLOWED } });
  await socket.next();
  await socket.next();
  const admin = await connect(server);
  admin.send({
    type: 'subscribe',
    id: '1',
    payload: {
      query: 'subscription { note_stream(batch_size: 5, cursor: {initial_value: {id: 0}}) { id } }',
    },
  });
  await admin.next();
  // What a query reads is found out after its first result.
  await expect
    .poll(() => list())
    .toMatchObject({
      options: { batch_size: 100, refetch_delay: 1 },
      live_queries_map: [
        { source: 'default', role: 'user', cohorts: null, cohort_count: 1, polled_because: null },
      ],
      stream_queries_map: [{ role: 'admin' }],
      stream_queries_options: { batch_size: 100, refetch_delay: 1 },
    });
  expect((await list('/extended')).live_queries_map![0]!.cohorts).toMatchObject([
    { variables: { session: { 'x-engine-user-id': 'a' } }, cohort: { current_ops: 2, new_ops: 0 } },
  ]);
  expect(await list('', { 'x-engine-role': 'user' })).toMatchObject({ code: 'access-denied' });
  socket.send({ type: 'complete', id: '1' });
  socket.send({ type: 'complete', id: '2' });
  await expect.poll(async () => (await list()).live_queries_map).toEqual([]);
  await socket.close();
  await admin.close();
});

test('a subscription that is on no allow-list is refused', async () => {
  const socket = await connect(server, { session: { 'x-engine-role': 'user', 'x-engine-user-id': 'a' } });
  socket.send({ type: 'subscribe', id: '1', payload: { query: 'subscription { note { id owner } }' } });
  expect(await socket.next()).toMatchObject({
    type: 'error',
    payload: [{ message: 'query is not allowed', extensions: { code: 'validation-failed' } }],
  });
  expect((await socket.next()).type).toBe('complete');
  socket.send({ type: 'subscribe', id: '2', payload: { query: ALLOWED } });
  expect(await socket.next()).toMatchObject({ type: 'next', payload: { data: { note: [{ id: 1 }] } } });
  await socket.close();
});

test('a saved subscription is read by its generated statement', async () => {
  const socket = await connect(server, { session: { 'x-engine-role': 'user', 'x-engine-user-id': 'a' } });
  socket.send({ type: 'subscribe', id: '1', payload: { documentId: 'notes' } });
  expect(await socket.next()).toMatchObject({ type: 'next', payload: { data: { note: [{ id: 1 }] } } });
  // Laid out over lines, as in generated/saved; those of sockets that were closed end soon.
  const text = expect.stringMatching(/\n +from "public"."note" as "note#1"/);
  await expect.poll(async () => (await list()).live_queries_map).toMatchObject([{ multiplexed_query: text }]);
  await server.database.query("insert into note values (2, 'a'), (3, 'b')");
  expect(await socket.next()).toMatchObject({ payload: { data: { note: [{ id: 1 }, { id: 2 }] } } });
  await socket.close();
});
