/** Functions that write: called once, whatever is asked of the rows that they answer with. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type InProcess, serveInProcess } from '../../../harness/in-process.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/postgres.ts';

const schema = `
  create table team (id serial primary key, name text not null);
  create table player (id serial primary key, team_id int references team);
  create function join_team(name text) returns setof player language sql as $$
    with made as (insert into team (name) values (name) returning id)
    insert into player (team_id) select id from made returning * $$;
`;

const metadata = {
  version: 3,
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      configuration: { connection_info: { database_url: { from_env: 'DATABASE_URL' } } },
      tables: [
        { table: 'team' },
        {
          table: 'player',
          object_relationships: [{ name: 'team', using: { foreign_key_constraint_on: 'team_id' } }],
          select_permissions: [
            { role: 'user', permission: { columns: '*', filter: { team: { name: { _eq: 'mine' } } } } },
          ],
        },
      ],
      functions: [{ function: 'join_team', permissions: [{ role: 'user' }] }],
    },
  ],
};

let database: TestDatabase;
let served: InProcess;
beforeAll(async () => {
  database = await createTestDatabase(schema);
  served = await serveInProcess(database.url, metadata);
});
afterAll(() => served.end());

async function call(args: string, role: string): Promise<unknown> {
  const text = await served.answer({ query: `mutation { join_team(${args}) { team_id } }` }, role);
  return (JSON.parse(text) as { data: { join_team: unknown } }).data.join_team;
}

test('it is called even if no row is wanted', async () => {
  expect(await call('args: {name: "a"}, limit: 0', 'admin')).toEqual([]);
  expect(await call('args: {name: "a"}, where: {_or: []}', 'admin')).toEqual([]);
  expect(await database.query('select count(*)::int from player')).toEqual([{ count: 2 }]);
});

test("the role's rule is asked of what it wrote, where that is to be seen", async () => {
  expect(await call('args: {name: "mine"}', 'user')).toEqual([{ team_id: 3 }]);
  expect(await call('args: {name: "theirs"}', 'user')).toEqual([]);
});
