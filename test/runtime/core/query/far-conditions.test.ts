/** An error that a condition raises for a visible row tells nothing of hidden rows that another condition looks at. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../harness/postgres.ts';
import { send, startTestServer, type TestServer } from '../../../harness/server.ts';

let server: TestServer;
let database: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  database = await createTestDatabase(`
    create table team (id int primary key, owner int not null, area box);
    create table item (id int primary key, team_id int not null references team, title text not null);
    create table note (id int primary key, item_id int not null references item, area box, title text);
    create index on item (title); create index on item (team_id); create index on note (item_id);
    create function loud(note) returns text language plpgsql stable cost 0.1 as
      $$ begin raise exception 'a note'; end $$;
    insert into team select id, 2, '(1,1),(0,0)' from generate_series(1, 20) id;
    insert into item select id, 1 + id % 20, 'of team ' || id from generate_series(1, 400) id;
    insert into note select id, 1 + id % 400, '(1,1),(0,0)', 'note ' || id from generate_series(1, 4000) id;
    analyze;
  `);
  await database.query(`alter database "${database.name}" set plan_cache_mode = force_custom_plan`);
  await database.query(`alter database "${database.name}" set enable_hashjoin = off`);
  server = await startTestServer(database);
  const permit = (table: string, filter: object) => {
    const computed = table === 'note' ? { computed_fields: ['loud'] } : {};
    const rule = { columns: '*', filter, allow_aggregations: true, ...computed };
    return [
      { type: 'pg_create_select_permission', args: { table, role: 'user', permission: rule } },
      { type: 'pg_create_delete_permission', args: { table, role: 'user', permission: { filter } } },
    ];
  };
  const args = [
    ...['team', 'item', 'note'].map((table) => ({ type: 'pg_track_table', args: { table } })),
    {
      type: 'pg_add_computed_field',
      args: { table: 'note', name: 'loud', definition: { function: 'loud' } },
    },
    ...[
      ['item', 'team', 'team_id'],
      ['note', 'item', 'item_id'],
    ].map(([table, name, column]) => ({
      type: 'pg_create_object_relationship',
      args: { table, name, using: { foreign_key_constraint_on: column } },
    })),
    {
      type: 'pg_create_array_relationship',
      args: {
        table: 'team',
        name: 'items',
        using: { foreign_key_constraint_on: { table: 'item', column: 'team_id' } },
      },
    },
    ...permit('team', {}),
    ...permit('item', { team: { owner: { _eq: 'X-Engine-User-Id' } } }),
    ...permit('note', {}),
  ];
  const { status, text } = await send(server, '/v1/metadata', { body: { type: 'bulk', args } });
  expect([status, text]).toEqual([200, expect.anything()]);
});
afterAll(() => server?.stop());

const HUGE = '"(1e200,1e200),(0,0)"';
const SECRET = 'title: {_eq: "secret"}';

test.each([
  `{ note(where: {item: {${SECRET}}, area: {_gt: ${HUGE}}}) { id } }`,
  `{ note(where: {_and: [{area: {_gt: ${HUGE}}}, {_and: [{item: {${SECRET}}}]}]}) { id } }`,
  `{ note(where: {item: {${SECRET}}, loud: {_eq: "A"}}, limit: 1) { id } }`,
  `{ note_aggregate(where: {item: {${SECRET}}, area: {_gt: ${HUGE}}}) { aggregate { count } } }`,
  `{ team(where: {items: {${SECRET}}, area: {_gt: ${HUGE}}}) { id } }`,
  `{ team(where: {items: {${SECRET}}, _not: {area: {_gt: ${HUGE}}}}) { id } }`,
  `{ note(where: {item: {team: {items: {${SECRET}}}}, area: {_gt: ${HUGE}}}) { id } }`,
  `mutation { delete_note(where: {item: {${SECRET}}, area: {_gt: ${HUGE}}}) { affected_rows } }`,
])('%s', async (query) => {
  const answers = [];
  for (const title of ['another', 'secret']) {
    await database.query(`update item set title = '${title}' where id = 7`);
    const headers = { 'x-engine-role': 'user', 'x-engine-user-id': '1' };
    answers.push((await send(server, '/v1/graphql', { body: { query }, headers })).text);
  }
  expect(answers[1]).toBe(answers[0]);
  expect(answers[0]).not.toContain('errors');
});
