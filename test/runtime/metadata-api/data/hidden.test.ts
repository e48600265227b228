/** To a role, what it may not see and what does not exist are the same: answers differ in nothing but the name that was sent. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../harness/postgres.ts';
import { send, startTestServer, type TestServer } from '../../../harness/server.ts';

const ADMIN = 'the-admin-secret-of-hidden-names';
const admin = { 'x-engine-admin-secret': ADMIN };
let server: TestServer;

beforeAll(async () => {
  const database = await createTestDatabase(`
    create table hidden_table (id int primary key, note_id int unique);
    create table untracked_table (id int primary key);
    create table note (id int primary key, hidden_column int, hidden_key int unique,
      hidden_id int references hidden_table (id), parent int references note (id));
    create view hidden_view as select count(*) as number from note;
    create function hidden_number(of_note note) returns int language sql stable as 'select 1';
    create function hidden_rows(of_note note) returns setof hidden_table language sql stable as 'select * from hidden_table';
    create function hidden_function() returns setof hidden_table language sql stable as 'select * from hidden_table';
    create function hidden_setter() returns setof hidden_table language sql volatile as 'select * from hidden_table';
  `);
  server = await startTestServer(database, { ADMIN_SECRET: ADMIN });
  const track = ['hidden_table', 'note', 'hidden_view'].map((table) => ({
    type: 'pg_track_table',
    args: table,
  }));
  const relationship = (name: string, using: object) => ({
    type: 'pg_create_object_relationship',
    args: { table: 'note', name, using },
  });
  const computed = (name: string) => ({
    type: 'pg_add_computed_field',
    args: { table: 'note', name, definition: { function: name } },
  });
  const permission = (kind: string, body: object) => ({
    type: `pg_create_${kind}_permission`,
    args: { table: 'note', role: 'user', permission: body },
  });
  const body = {
    type: 'bulk',
    args: [
      ...track,
      relationship('hidden_relationship', { foreign_key_constraint_on: 'hidden_id' }),
      relationship('up', { foreign_key_constraint_on: 'parent' }),
      computed('hidden_number'),
      computed('hidden_rows'),
      { type: 'pg_track_function', args: { function: 'hidden_function' } },
      {
        type: 'pg_track_function',
        args: { function: 'hidden_setter', configuration: { exposed_as: 'mutation' } },
      },
      permission('select', { columns: ['id', 'parent'], filter: {} }),
      permission('insert', { columns: ['id', 'parent'], check: {} }),
      permission('update', { columns: ['parent'], filter: {} }),
      permission('delete', { filter: {} }),
    ],
  };
  const { status, text } = await send(server, '/v1/metadata', { headers: admin, body });
  expect([status, text]).toEqual([200, expect.stringContaining('success')]);
});
afterAll(() => server?.stop());

const MISSING = 'missing_name';
const TABLES = ['hidden_table', 'hidden_view', 'untracked_table'];
const FIELDS = ['hidden_column', 'hidden_id', 'hidden_relationship', 'hidden_number', 'hidden_rows'];

type Request = (name: string) => object;
const of = (type: string, args: object): object => ({ type, args });
const select = (args: object) => of('select', { table: 'note', columns: ['id'], ...args });

/** Data operations that name a table. */
const BY_TABLE: Readonly<Record<string, Request>> = {
  select: (table) => of('select', { table, columns: ['*'] }),
  'select of a schema': (name) => of('select', { table: { schema: 'public', name }, columns: ['id'] }),
  count: (table) => of('count', { table }),
  insert: (table) => of('insert', { table, objects: [{ id: 1 }], returning: ['id'] }),
  update: (table) => of('update', { table, where: { id: 1 }, $set: { id: 2 } }),
  delete: (table) => of('delete', { table, where: { id: 1 } }),
  _exists: (_table) => select({ where: { _exists: { _table, _where: {} } } }),
  'a step of a bulk': (table) => of('bulk', [select({}), of('select', { table, columns: ['id'] })]),
};

/** Data operations that name a field of a table. */
const BY_FIELD: Readonly<Record<string, Request>> = {
  columns: (name) => select({ columns: [name] }),
  'columns of a relationship': (name) => select({ columns: [{ name, columns: ['id'] }] }),
  'columns behind a relationship': (name) => select({ columns: [{ name: 'up', columns: [name] }] }),
  where: (name) => select({ where: { [name]: 1 } }),
  'where behind it': (name) => select({ where: { [name]: { id: 1 } } }),
  'where behind a relationship': (name) => select({ where: { up: { [name]: 1 } } }),
  'a column to compare with': (name) => select({ where: { id: { $ceq: name } } }),
  order_by: (name) => select({ order_by: `+${name}` }),
  'order_by behind it': (name) => select({ order_by: `-${name}.id` }),
  'order_by behind a relationship': (name) => select({ order_by: { column: `up.${name}`, type: 'asc' } }),
  distinct: (name) => of('count', { table: 'note', distinct: [name] }),
  insert: (name) => of('insert', { table: 'note', objects: [{ [name]: 1 }] }),
  returning: (name) => of('insert', { table: 'note', objects: [], returning: [name] }),
  set: (name) => of('update', { table: 'note', where: {}, $set: { [name]: 1 } }),
  increment: (name) => of('update', { table: 'note', where: {}, $inc: { [name]: 1 } }),
  default: (name) => of('update', { table: 'note', where: {}, $default: [name] }),
  delete: (name) => of('delete', { table: 'note', where: { [name]: 1 } }),
  constraint_on: (name) =>
    of('insert', {
      table: 'note',
      objects: [{ id: 1 }],
      on_conflict: { action: 'ignore', constraint_on: [name] },
    }),
};

/** GraphQL, where `name` is a root field, a field, an argument or a type. */
const GRAPHQL: Readonly<Record<string, (name: string) => string>> = {
  query: (name) => `{ ${name} { id } }`,
  'query with arguments': (name) => `{ ${name}(limit: 1, where: {id: {_eq: 1}}) { id } }`,
  mutation: (name) => `mutation { ${name}(objects: []) { affected_rows } }`,
  field: (name) => `{ note { ${name} } }`,
  'field with a selection': (name) => `{ note { ${name} { id } } }`,
  where: (name) => `{ note(where: {${name}: {}}) { id } }`,
  order_by: (name) => `{ note(order_by: {${name}: asc}) { id } }`,
  distinct_on: (name) => `{ note(distinct_on: ${name}) { id } }`,
  insert: (name) => `mutation { insert_note(objects: {${name}: 1}) { affected_rows } }`,
  set: (name) => `mutation { update_note(where: {}, _set: {${name}: 1}) { affected_rows } }`,
  fragment: (name) => `{ note { ... on ${name} { id } } }`,
  variable: (name) => `query ($v: ${name}) { note { id } }`,
  __type: (name) => `{ __type(name: "${name}") { name } }`,
};
const NAMES = [
  ...[
    'hidden_table',
    'hidden_table_by_pk',
    'hidden_table_aggregate',
    'hidden_view',
    'hidden_function',
    'hidden_setter',
  ],
  ...[
    'insert_hidden_table',
    'update_hidden_table',
    'delete_hidden_table',
    'hidden_table_bool_exp',
    'untracked_table',
  ],
  ...FIELDS,
];

const user = { ...admin, 'x-engine-role': 'user' };

async function answer(path: string, body: object, name: string): Promise<string> {
  const { status, text } = await send(server, path, { headers: user, body });
  return `${status} ${text.replaceAll(name, 'THE_NAME')}`;
}

const cases = [
  ...Object.entries(BY_TABLE).map(([what, request]) => ['a table', what, request, TABLES] as const),
  ...Object.entries(BY_FIELD).map(([what, request]) => ['a field', what, request, FIELDS] as const),
];

test.each(cases)('a data operation that names %s: %s', async (_, _what, request, names) => {
  for (const path of ['/v1/query', '/v2/query']) {
    const expected = await answer(path, request(MISSING), MISSING);
    expect(expected).toMatch(/^400 /);
    for (const name of names)
      expect([name, await answer(path, request(name), name)]).toEqual([name, expected]);
  }
});

test.each(Object.entries(GRAPHQL))('GraphQL: %s', async (_, document) => {
  for (const path of ['/v1/graphql', '/v1alpha1/graphql']) {
    const expected = await answer(path, { query: document(MISSING) }, MISSING);
    expect(expected).toMatch(/error|null|note/);
    for (const name of NAMES)
      expect([name, await answer(path, { query: document(name) }, name)]).toEqual([name, expected]);
  }
});

test.each([
  'pg_track_table',
  'pg_untrack_table',
  'pg_drop_select_permission',
  'pg_table_size',
  'pg_get_viewdef',
])('an operation of administrators: %s', async (type) => {
  for (const path of ['/v1/metadata', '/v2/query', '/v1/query']) {
    const request = (table: string) => ({ type, args: { table, role: 'user' } });
    const expected = await answer(path, request(MISSING), MISSING);
    for (const name of TABLES)
      expect([name, await answer(path, request(name), name)]).toEqual([name, expected]);
  }
});

test('an administrator is told what is missing', async () => {
  const { text } = await send(server, '/v1/query', { headers: admin, body: BY_TABLE.select!(MISSING) });
  expect(text).toBe(
    '{"path":"$.args.table","error":"table \\"missing_name\\" does not exist","code":"not-exists"}',
  );
});
