/** The SQL that explain shows is what answers the operation, whatever its values are: run unchanged, it reads the same rows. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { leaks, send, startTestServer, type TestServer } from '../../harness/server.ts';

let database: TestDatabase;
let server: TestServer;

const NAME = '_cohort" ($1)';

/** Values that look like parts of a statement. */
const VALUES = [
  '$1',
  '($1)::integer',
  '$12',
  "'",
  "''",
  "it's $1",
  '\\',
  "\\'",
  '"',
  ' as "_cohort"',
  '("_result"."text", ($3)::bigint',
  '{a,"b"}',
  '{0}',
  'null',
  '',
  '$$ $1 $$',
  '-- $1',
  '/* $1 */',
  "E'\\x'",
  'json_agg(',
  'one\ntwo\t$1',
  'é€😀',
  ':x ?',
  '%s',
];

beforeAll(async () => {
  database = await createTestDatabase(`
    create table note (id integer primary key, value text, "${NAME.replaceAll('"', '""')}" text);
    -- By its name alone, it would be called in place of PostgreSQL's.
    create function json_agg(record) returns json language plpgsql as $$ begin return '["of a user"]'; end $$;
  `);
  for (const [index, value] of VALUES.entries())
    await database.query('insert into note values ($1, $2, $2)', [index, value]);
  server = await startTestServer(database);
  const configuration = { custom_column_names: { [NAME]: 'odd' } };
  for (const [type, args] of [
    ['pg_track_table', { table: 'note', configuration }],
    [
      'pg_create_select_permission',
      { table: 'note', role: 'user', permission: { columns: '*', filter: { value: 'x-engine-value' } } },
    ],
  ] as const) {
    const { status, text } = await send(server, '/v1/metadata', { body: { type, args } });
    expect([status, text]).toEqual([200, expect.anything()]);
  }
});

afterAll(async () => {
  await server?.stop();
  expect(leaks()).toEqual([]);
});

interface Asked {
  readonly query: string;
  readonly variables?: object;
  readonly user?: Readonly<Record<string, string>>;
}

interface Shown {
  readonly sql: string;
}

async function explained<Answer = Shown>({ query, variables, user }: Asked): Promise<Answer> {
  const body = { query: { query, variables }, ...(user && { user }) };
  const { status, json } = await send(server, '/v1/graphql/explain', { body });
  expect([status, json]).toEqual([200, expect.anything()]);
  return json as Answer;
}

async function rowsOf(sql: string): Promise<unknown[][]> {
  return (await database.query(sql)).map((row) => Object.values(row as object));
}

/** The forms in which a value comes: of a document, of a variable, of a session. */
const asked = (value: string, kind: 'query' | 'subscription'): readonly Asked[] => [
  {
    query: `${kind} { note(where: { value: { _eq: ${JSON.stringify(value)} }, odd: { _neq: "$2" } }) { id odd } }`,
  },
  {
    query: `${kind} ($value: String!) { note(where: { odd: { _eq: $value } }, limit: 1) { id odd } }`,
    variables: { value },
  },
  { query: `${kind} { note { id odd } }`, user: { 'x-engine-role': 'user', 'x-engine-value': value } },
];

test.each(VALUES.map((value, id) => [value, id] as const))('%j in a query', async (value, id) => {
  for (const each of asked(value, 'query')) {
    const [{ sql }] = await explained<[Shown]>(each);
    const rows = await rowsOf(sql);
    expect(JSON.parse(String(rows[0]![0]))).toEqual([{ id, odd: value }]);
  }
});

test.each(VALUES.map((value, id) => [value, id] as const))('%j in a subscription', async (value, id) => {
  for (const each of asked(value, 'subscription')) {
    const { sql } = await explained(each);
    const rows = await rowsOf(sql);
    expect(rows).toEqual([[0, expect.anything(), expect.anything()]]);
    expect(JSON.parse(String(rows[0]![2]))).toEqual({
      note: [{ id, odd: value }],
    });
  }
});

test('a stream', async () => {
  const query = 'subscription { note_stream(batch_size: 5, cursor: { initial_value: { id: 3 } }) { id } }';
  const [row] = await rowsOf((await explained({ query })).sql);
  expect(row?.slice(0, 2)).toEqual([0, '8']);
  expect(JSON.parse(String(row![2]))).toEqual({ note_stream: [4, 5, 6, 7, 8].map((id) => ({ id })) });
});
