/** Conditions that fail for no row stay where Postgres finds indexes for them, beside a row rule and behind relationships. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../harness/postgres.ts';
import { send, startTestServer, type TestServer } from '../../../harness/server.ts';

let server: TestServer;

beforeAll(async () => {
  const database = await createTestDatabase(`
    create extension pg_trgm;
    create table folder (id int primary key, owner int not null, name text not null);
    create table note (
      id int primary key, folder_id int not null references folder, owner int not null, title text not null,
      facts jsonb not null, tags text[] not null);
    create index by_title on note using gin (title gin_trgm_ops);
    create index by_facts on note using gin (facts);
    create index by_tags on note using gin (tags);
    create index by_folder on note (folder_id);
  `);
  await database.query(`alter database "${database.name}" set enable_seqscan = off`);
  server = await startTestServer(database);
  const permit = (table: string) => ({
    type: 'pg_create_select_permission',
    args: {
      table,
      role: 'user',
      permission: { columns: '*', filter: { owner: { _eq: 'X-Engine-User-Id' } } },
    },
  });
  const notes = { foreign_key_constraint_on: { table: 'note', column: 'folder_id' } };
  const args = [
    ...['folder', 'note'].map((table) => ({ type: 'pg_track_table', args: { table } })),
    { type: 'pg_create_array_relationship', args: { table: 'folder', name: 'notes', using: notes } },
    permit('folder'),
    permit('note'),
  ];
  const { status, text } = await send(server, '/v1/metadata', { body: { type: 'bulk', args } });
  expect([status, text]).toEqual([200, expect.anything()]);
});
afterAll(() => server?.stop());

/** The indexes that the plan of a query uses, without those of primary keys. */
async function indexes(query: string): Promise<readonly string[]> {
  const user = { 'x-engine-role': 'user', 'x-engine-user-id': '1' };
  const { json } = await send(server, '/v1/graphql/explain', { body: { query: { query }, user } });
  const [{ plan }] = json as [{ readonly plan: readonly string[] }];
  return plan.flatMap((line) => /Scan (?:using|on) (by_\w+)/.exec(line)?.[1] ?? []);
}

test.each([
  ['title: {_like: "%needle%"}', 'by_title'],
  ['title: {_ilike: "%needle%"}', 'by_title'],
  ['facts: {_contains: {a: 1}}', 'by_facts'],
  ['facts: {_has_key: "a"}', 'by_facts'],
  ['tags: {_contains: ["a", "b"]}', 'by_tags'],
])('%s uses the index', async (condition, index) => {
  expect(await indexes(`{ note(where: {${condition}}) { id } }`)).toEqual([index]);
  expect(await indexes(`{ folder(where: {notes: {${condition}}}) { id } }`)).toContain(index);
});

test('a regular expression can fail for a row, so it uses none behind the rule', async () => {
  const regex = 'title: {_regex: "needle"}';
  expect(await indexes(`{ note(where: {${regex}}) { id } }`)).toEqual([]);
  // What is beside it finds the rows.
  expect(await indexes(`{ note(where: {folder_id: {_eq: 1}, ${regex}}) { id } }`)).toEqual(['by_folder']);
});
