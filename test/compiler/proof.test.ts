/** Every text that is generated is prepared by Postgres; what it refuses is told in the metadata's terms. */
import { expect, test } from 'vitest';
import { compile } from '../../compiler/index.ts';
import { provePlan } from '../../compiler/offline/proof.ts';
import { readMetadata } from '../../compiler/phases/1-read/index.ts';
import { catalogsOf } from '../harness/compile.ts';
import { defaultSource } from '../harness/metadata.ts';
import { createTestDatabase } from '../harness/postgres.ts';

const SQL = `
  create table account (id int primary key, number text, balance numeric);
  create table entry (id int primary key, account text, amount numeric, meta jsonb, due date);
  create function worth(entry) returns numeric language sql stable as 'select $1.amount';
  create function entries_above(minimum numeric) returns setof entry language sql stable as
    'select * from entry where amount > minimum';
`;

/** Metadata of the two tables, with more keys for the entry of each. */
function metadata(entry: object = {}, more: object = {}, account: object = {}): object {
  return {
    version: 3,
    sources: [
      defaultSource(
        {
          tables: [
            { table: 'account', ...account },
            { table: 'entry', ...entry },
          ],
          functions: [{ function: 'entries_above' }],
          ...more,
        },
        'postgres://nowhere',
      ),
    ],
  };
}

async function prove(json: object, change = '') {
  const database = await createTestDatabase(SQL);
  const read = readMetadata(json);
  const catalogs = await catalogsOf(read.value, database.url);
  const result = compile({ metadata: read.value, catalogs });
  expect([...read.diagnostics, ...result.diagnostics].filter(({ severity }) => severity === 'error')).toEqual(
    [],
  );
  // What a database becomes after the compile shows each kind of statement refused.
  if (change !== '') await database.query(change);
  const databases = new Map([['default', { connectionString: database.url }]]);
  const origin = { locate: () => undefined, describe: () => '' };
  return provePlan(result.state.plan, databases, read.value, origin);
}

const select = (filter: object, role = 'user') => ({
  role,
  permission: { columns: ['id'], filter, computed_fields: [] },
});
const computed = { computed_fields: [{ name: 'worth', definition: { function: 'worth' } }] };

test('what Postgres accepts is counted, a text that roles share once', async () => {
  const permissions = [
    select({ amount: { _gt: 'X-Engine-Limit' } }),
    select({ amount: { _gt: 'X-Engine-Limit' } }, 'b'),
  ];
  const { count, diagnostics } = await prove(
    metadata({
      ...computed,
      select_permissions: permissions,
      insert_permissions: [
        {
          role: 'user',
          permission: {
            check: { meta: { _has_key: 'x' } },
            set: { account: 'x-engine-account' },
            columns: ['id'],
          },
        },
      ],
      update_permissions: [
        {
          role: 'user',
          permission: { filter: {}, check: { amount: { _gt: 0 } }, set: { amount: 3 }, columns: ['id'] },
        },
      ],
    }),
  );
  expect(diagnostics).toEqual([]);
  // Columns of two tables, a computed field, a function, one shared rule, check and preset of the insert, three of the update.
  expect(count).toBe(2 + 1 + 1 + 1 + 2 + 3);
});

test('a rule that Postgres cannot read is told at the comparison, for every role that has it', async () => {
  const filter = {
    _or: [{ id: { _eq: 1 } }, { _and: [{ account: { _is_null: false } }, { due: { _eq: 'one' } }] }],
  };
  const { diagnostics } = await prove(
    metadata({ select_permissions: [select(filter), select(filter, 'other')] }),
  );
  expect(diagnostics.map(({ path }) => path)).toEqual(
    [0, 1].map((index) => [
      ...['sources', 0, 'tables', 1, 'select_permissions', index, 'permission', 'filter'],
      ...['_or', 1, '_and', 1, 'due'],
    ]),
  );
  expect(diagnostics[0]).toMatchObject({
    code: 'sql-refused',
    message:
      'PostgreSQL refuses the row rule of role "user" for select on public.entry: invalid input syntax for type date: "one".',
    details: [
      expect.stringContaining(`"due" = 'one'::date`),
      'A server lists the object as consistent, and every request that needs the text fails.',
    ],
  });
});

test('a rule that follows a relationship between two types is an error as well', async () => {
  const using = { manual_configuration: { remote_table: 'account', column_mapping: { account: 'id' } } };
  const { diagnostics } = await prove(
    metadata({
      object_relationships: [{ name: 'of_account', using }],
      select_permissions: [select({ of_account: { number: { _eq: 'x-engine-number' } } })],
    }),
  );
  const [join, rule] = diagnostics;
  expect(join).toMatchObject({
    message: expect.stringContaining('the join of the relationship "of_account"'),
    path: ['sources', 0, 'tables', 1, 'object_relationships', 0],
  });
  expect(rule).toMatchObject({
    message:
      'PostgreSQL refuses the row rule of role "user" for select on public.entry: operator does not exist: integer = text.',
    path: expect.arrayContaining(['select_permissions', 'filter']),
  });
  expect(diagnostics).toHaveLength(2);
});

test('a database that is not the one that was compiled is noticed in every kind of statement', async () => {
  const { diagnostics } = await prove(
    metadata({
      ...computed,
      insert_permissions: [
        { role: 'user', permission: { check: {}, set: { account: 'x' }, columns: ['id'] } },
      ],
    }),
    'drop function worth; drop function entries_above; alter table entry drop column account;',
  );
  expect(diagnostics.map(({ path }) => path.slice(2).join('.')).sort()).toEqual([
    'functions.0',
    'tables.1',
    'tables.1.computed_fields.0',
    'tables.1.insert_permissions.0.permission.set.account',
  ]);
});
