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
  create sequence calls;
  create function count_calls(wait float8) returns setof player language plpgsql as $$ begin
    perform nextval('calls'), pg_sleep(wait);
    return query select * from player where id = 1; end $$;
  create table sheet (id serial primary key, title text);
  create table line (id serial primary key, sheet_id int not null references sheet);
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
          table: 'sheet',
          array_relationships: [
            { name: 'lines', using: { foreign_key_constraint_on: { table: 'line', column: 'sheet_id' } } },
          ],
        },
        { table: 'line' },
        {
          table: 'player',
          object_relationships: [{ name: 'team', using: { foreign_key_constraint_on: 'team_id' } }],
          select_permissions: [
            { role: 'user', permission: { columns: '*', filter: { team: { name: { _eq: 'mine' } } } } },
          ],
        },
      ],
      functions: [{ function: 'join_team', permissions: [{ role: 'user' }] }, { function: 'count_calls' }],
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

test('it is called once, however long it takes', async () => {
  for (const wait of [0, 0.3])
    await served.answer({ query: `mutation { count_calls(args: {wait: ${wait}}) { id } }` }, 'admin');
  expect(await database.query('select last_value::int as n from calls')).toEqual([{ n: 2 }]);
});

test('it is called once, even where rows next to it can only be inserted one by one', async () => {
  // Nobody has told the server.
  await database.query(`create function skip() returns trigger language plpgsql as
      $$ begin return case when new.title <> 'skip' then new end; end $$;
    create trigger skip before insert on sheet for each row execute function skip();
    select setval('calls', 1);`);
  const sheet = (title: string, lines: number) => ({ title, lines: { data: Array(lines).fill({}) } });
  const query = `mutation ($sheets: [sheet_insert_input!]!) {
    count_calls(args: {wait: 0}) { id }
    insert_sheet(objects: $sheets) { affected_rows }
  }`;
  const variables = { sheets: [sheet('skip', 0), sheet('a', 1), sheet('b', 1)] };
  expect(JSON.parse(await served.answer({ query, variables }, 'admin'))).toMatchObject({
    data: { insert_sheet: { affected_rows: 4 } },
  });
  expect(await database.query('select last_value::int as n from calls')).toEqual([{ n: 2 }]);
});
