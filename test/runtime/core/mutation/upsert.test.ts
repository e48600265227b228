/** Which of the two checks an upserted row must pass, on plain and on partitioned tables. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type InProcess, serveInProcess } from '../../../harness/in-process.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/postgres.ts';

/** The second partition has another layout than its table, so that its rows are converted and lose their system columns. */
const schema = `
  create table plain (id int, part int, state text not null, primary key (id, part));
  create table parted (id int, part int, state text not null, primary key (id, part)) partition by list (part);
  create table parted_1 partition of parted for values in (1);
  create table parted_2 (gone int, state text not null, part int, id int);
  alter table parted_2 drop column gone;
  alter table parted_2 alter column part set not null, alter column id set not null;
  alter table parted attach partition parted_2 for values in (2);
`;

const table = (name: string) => ({
  table: name,
  select_permissions: [{ role: 'user', permission: { columns: '*', filter: {} } }],
  insert_permissions: [{ role: 'user', permission: { columns: '*', check: { state: { _eq: 'new' } } } }],
  update_permissions: [
    {
      role: 'user',
      permission: {
        columns: ['state'],
        filter: { state: { _neq: 'locked' } },
        check: { state: { _neq: 'new' } },
      },
    },
  ],
});

let database: TestDatabase;
let served: InProcess;
beforeAll(async () => {
  database = await createTestDatabase(schema);
  served = await serveInProcess(database.url, {
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        configuration: { connection_info: { database_url: { from_env: 'DATABASE_URL' } } },
        tables: [table('plain'), table('parted')],
      },
    ],
  });
});
afterAll(() => served.end());

describe.each(['plain', 'parted'])('%s', (name) => {
  beforeEach(() =>
    database.query(
      `truncate ${name}; insert into ${name} values (1, 1, 'old'), (1, 2, 'old'), (2, 2, 'locked')`,
    ),
  );

  const upsert = async (objects: readonly object[]) => {
    const query = `mutation ($objects: [${name}_insert_input!]!) {
      insert_${name}(objects: $objects, on_conflict: {constraint: ${name}_pkey, update_columns: [state]}) {
        affected_rows returning { id part state }
      }
    }`;
    const text = await served.answer({ query, variables: { objects } }, 'user');
    return (JSON.parse(text) as { data: Record<string, unknown> }).data[`insert_${name}`];
  };
  const refused = { code: 'permission-error', path: `$.selectionSet.insert_${name}.args.objects` };
  const stored = () => database.query(`select id, part, state from ${name} order by id, part`);

  test.each([1, 2])('new and changed rows in partition %i each pass their own check', async (part) => {
    const added = { id: 3, part, state: 'new' };
    const changed = { id: 1, part, state: 'changed' };
    expect(await upsert([added, changed])).toEqual({ affected_rows: 2, returning: [added, changed] });
  });

  test.each([1, 2])(
    'a new row in partition %i cannot hide behind the check of changed ones',
    async (part) => {
      const before = await stored();
      await expect(upsert([{ id: 3, part, state: 'changed' }])).rejects.toMatchObject(refused);
      await expect(upsert([{ id: 1, part, state: 'new' }])).rejects.toMatchObject(refused);
      expect(await stored()).toEqual(before);
    },
  );

  test('a row that the role may not change stays as it is', async () => {
    expect(await upsert([{ id: 2, part: 2, state: 'changed' }])).toEqual({ affected_rows: 0, returning: [] });
    expect(await stored()).toContainEqual({ id: 2, part: 2, state: 'locked' });
  });
});
