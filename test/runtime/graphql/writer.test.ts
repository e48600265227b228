/** Triggers and policies see who writes, whatever the way in; reads and neighbours on the connection never do. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestDatabase } from '../../harness/postgres.ts';
import { readRequestProject } from '../../harness/request-project.ts';
import { send, serve, type TestServer } from '../../harness/server.ts';

let database: TestDatabase;
let server: TestServer;

beforeAll(async () => {
  const project = await readRequestProject('served/writer');
  database = project.database;
  server = await serve({ database, metadata: project.metadata });
});
afterAll(() => server?.stop());
beforeEach(() =>
  database.query(`
    select set_config('engine.user', '', true), set_config('engine.tracecontext', '', true);
    truncate note; insert into note values (1, 'a'), (2, 'b'); truncate seen`),
);

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

function as(user: string): Record<string, string> {
  return {
    'x-engine-role': 'user',
    'X-Engine-User-Id': user,
    traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
    cookie: 'a=b',
  };
}

function session(user: string): object {
  return { 'x-engine-role': 'user', 'x-engine-user-id': user };
}

async function post(path: string, user: string, body: object): Promise<unknown> {
  const { json, status } = await send(server, path, { headers: as(user), body });
  expect([status, json]).toEqual([200, json]);
  return json;
}

async function graphql(query: string, user: string, body: object = {}): Promise<Record<string, never>> {
  const json = await post('/v1/graphql', user, { query, ...body });
  expect(json).not.toHaveProperty('errors');
  return (json as { data: Record<string, never> }).data;
}

async function seen(): Promise<unknown[]> {
  const rows = await database.query<{ user: string; trace: string }>('select "user", trace from seen');
  for (const { trace } of rows) expect(JSON.parse(trace)).toMatchObject({ trace_id: TRACE });
  return rows.map(({ user }) => JSON.parse(user));
}

async function expectReadsSeeNothing(): Promise<void> {
  const { reader } = await graphql('{ reader { user trace } }', 'reading');
  expect(reader).toEqual([{ user: '', trace: '' }]);
}

describe('a trigger sees session and trace of', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['an insert', () => graphql('mutation { insert_note_one(object: {id: 3, text: "c"}) { id } }', '7')],
    [
      'an update',
      () =>
        graphql('mutation { update_note(where: {id: {_eq: 1}}, _set: {text: "x"}) { affected_rows } }', '7'),
    ],
    ['a mutation function', () => graphql('mutation { rename(args: {new_text: "y"}) { id } }', '7')],
    [
      'a saved operation',
      () => post('/v1/graphql', '7', { documentId: 'Rename', variables: { id: 1, text: 'z' } }),
    ],
    ['a query function', () => graphql('{ touch(args: {new_text: "q"}) { id } reader { pid } }', '7')],
    ['a saved query', () => post('/v1/graphql', '7', { documentId: 'Touch', variables: { text: 'z' } })],
    ['a REST endpoint', () => post('/api/rest/notes/1', '7', { text: 'rest' })],
    [
      'a legacy insert',
      () =>
        post('/v1/query', '7', {
          type: 'insert',
          args: { table: 'note', objects: [{ id: 9, text: 'old' }] },
        }),
    ],
    [
      'a legacy update',
      () =>
        post('/v1/query', '7', {
          type: 'bulk',
          args: [{ type: 'update', args: { table: 'note', where: { id: 1 }, $set: { text: 'old' } } }],
        }),
    ],
  ])('%s', async (_, write) => {
    for (let run = 0; run < 3; run += 1) {
      await database.query('delete from note where id > 2');
      await write();
      await expectReadsSeeNothing();
    }
    expect(await seen()).toEqual([session('7'), session('7'), session('7')]);
  });

  test.each([false, true])('SQL of an administrator, no_transaction %s', async (no_transaction) => {
    const { status } = await send(server, '/v2/query', {
      headers: { traceparent: as('1').traceparent! },
      body: { type: 'run_sql', args: { sql: `update note set text = 'sql' where id = 1`, no_transaction } },
    });
    expect(status).toBe(200);
    expect(await seen()).toEqual([{ 'x-engine-role': 'admin' }]);
    await expectReadsSeeNothing();
  });
});

test('a read before any write finds the settings empty, not undefined', async () => {
  const fresh = await serve({ database });
  try {
    const { text } = await send(fresh, '/v1/graphql', {
      headers: as('1'),
      body: { query: '{ reader { user trace } }' },
    });
    expect(text).toBe('{"data":{"reader":[{"user":"","trace":""}]}}');
  } finally {
    await fresh.stop();
  }
});

test('writers and readers on one connection at a time each see their own', async () => {
  const ids = Array.from({ length: 60 }, (_, index) => index + 10);
  await Promise.all(
    ids.flatMap((id) => [
      graphql(`mutation { insert_note_one(object: {id: ${id}, text: "t"}) { id } }`, String(id)),
      expectReadsSeeNothing(),
    ]),
  );
  const rows = await database.query<{ note_id: number; user: string }>('select note_id, "user" from seen');
  expect(
    rows.map(({ note_id, user }) => [note_id, JSON.parse(user)]).sort(([a], [b]) => Number(a) - Number(b)),
  ).toEqual(ids.map((id) => [id, session(String(id))]));
});

test('a write that fails, or is moved to its own connection, leaves nothing behind', async () => {
  const { json } = await send(server, '/v1/graphql', {
    headers: as('8'),
    body: { query: 'mutation { insert_note_one(object: {id: 1, text: "twice"}) { id } }' },
  });
  expect(json).toHaveProperty('errors');
  await expectReadsSeeNothing();
  const update = (text: string) =>
    graphql(`mutation { update_note_by_pk(pk_columns: {id: 2}, _set: {text: "${text}"}) { id } }`, '9');
  await update('quick');
  await Promise.all([update('slow'), expectReadsSeeNothing()]);
  await expectReadsSeeNothing();
  expect(await seen()).toEqual([session('9'), session('9')]);
});
