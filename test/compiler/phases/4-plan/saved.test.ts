/** What the compiler says of saved operations that a role of the allow-list may not run: the field, and the rule. */
import { beforeAll, expect, test } from 'vitest';
import { compile } from '../../../../compiler/index.ts';
import { readMetadata } from '../../../../compiler/phases/1-read/index.ts';
import type { Extension } from '../../../../runtime/core/names.ts';
import type { Metadata } from '../../../../runtime/metadata/metadata.ts';
import { catalogsOf } from '../../../harness/compile.ts';
import { defaultSource } from '../../../harness/metadata.ts';
import { createTestDatabase } from '../../../harness/postgres.ts';

const metadata = (queries: readonly string[], scope: object): Metadata =>
  readMetadata({
    version: 3,
    sources: [
      defaultSource(
        {
          tables: [
            {
              table: 'note',
              object_relationships: [{ name: 'owner', using: { foreign_key_constraint_on: 'owner_id' } }],
              computed_fields: [{ name: 'shout', definition: { function: 'note_shout' } }],
              select_permissions: [
                {
                  role: 'user',
                  permission: {
                    columns: ['id', 'text'],
                    filter: {},
                    query_root_fields: ['select', 'select_by_pk'],
                  },
                },
                { role: 'reader', permission: { columns: ['text'], filter: {} } },
              ],
              insert_permissions: [
                { role: 'user', permission: { columns: ['text'], check: {} } },
                { role: 'job', permission: { columns: ['text'], check: {}, backend_only: true } },
              ],
              update_permissions: [
                { role: 'user', permission: { columns: ['text'], filter: {}, check: null } },
              ],
            },
            {
              table: 'person',
              array_relationships: [
                {
                  name: 'notes',
                  using: { foreign_key_constraint_on: { table: 'note', column: 'owner_id' } },
                },
              ],
              select_permissions: [{ role: 'guest', permission: { columns: ['id'], filter: {} } }],
            },
          ],
          functions: [{ function: 'all_notes' }],
        },
        'postgres://nowhere',
      ),
    ],
    inherited_roles: [{ role_name: 'both', role_set: ['reader', 'guest'] }],
    query_collections: [
      {
        name: 'c',
        definition: { queries: queries.map((query, index) => ({ name: `q${index + 1}`, query })) },
      },
    ],
    allowlist: [{ collection: 'c', scope }],
  }).value;

let catalogs: Awaited<ReturnType<typeof catalogsOf>>;

beforeAll(async () => {
  const { url } = await createTestDatabase(`
    create table person (id int primary key, name text);
    create table note (id int primary key, owner_id int references person, text text);
    create function note_shout(note note) returns text language sql stable as 'select upper(note.text)';
    create function all_notes() returns setof note language sql stable as 'select * from note';
  `);
  catalogs = await catalogsOf(metadata([], { global: true }), url);
});

const problems = (queries: readonly string[], scope: object) =>
  compile({ metadata: metadata(queries, scope), catalogs }).diagnostics;

const NOTE = 'sources.default.tables.public.note';

const lacks = (operation: string, role: string, column: string) =>
  `The permission does not list the column ${column} (${NOTE}.${operation}_permissions.${role}.permission.columns).`;
const none = (operation: string, role: string, table = 'note') =>
  `The role ${role} has no ${operation} permission on public.${table} (sources.default.tables.public.${table}.${operation}_permissions).`;
const insertOne = (field: string) => `mutation { insert_note_one(object: {${field}}) { id } }`;

test.each([
  ['{ note { id owner_id } }', 'user', lacks('select', 'user', 'owner_id')],
  ['{ note(where: {owner_id: {_eq: 1}}) { id } }', 'user', lacks('select', 'user', 'owner_id')],
  ['{ note(order_by: {owner_id: asc}) { id } }', 'user', lacks('select', 'user', 'owner_id')],
  ['{ note { owner { id } } }', 'user', none('select', 'user', 'person')],
  [
    '{ note { shout } }',
    'user',
    `The permission does not list the computed field shout (${NOTE}.select_permissions.user.permission.computed_fields).`,
  ],
  [
    '{ note_aggregate { aggregate { count } } }',
    'user',
    `The permission does not offer select_aggregate (${NOTE}.select_permissions.user.permission.query_root_fields).`,
  ],
  [
    '{ note_aggregate { aggregate { count } } }',
    'reader',
    `The permission allows no aggregations (${NOTE}.select_permissions.reader.permission.allow_aggregations).`,
  ],
  [
    '{ note_by_pk(id: 1) { text } }',
    'reader',
    `The permission does not cover the primary key: id (${NOTE}.select_permissions.reader.permission.columns).`,
  ],
  ['{ person { id } }', 'user', none('select', 'user', 'person')],
  ['{ person { notes { id } } }', 'guest', none('select', 'guest')],
  ['{ all_notes { id } }', 'guest', none('select', 'guest')],
  ['{ note { id } }', 'both', `The permission does not list the column id (${NOTE}.select_permissions).`],
  [insertOne('id: 1'), 'user', lacks('insert', 'user', 'id')],
  [
    'mutation { update_note(where: {}, _set: {id: 1}) { affected_rows } }',
    'user',
    lacks('update', 'user', 'id'),
  ],
  ['mutation { delete_note(where: {}) { affected_rows } }', 'user', none('delete', 'user')],
  ['mutation { insert_note(objects: []) { affected_rows } }', 'guest', none('insert', 'guest')],
  [insertOne('text: "x"'), 'job', none('select', 'job')],
])('%s is refused to %s: %s', (query, role, rule) => {
  const [problem, ...others] = problems([query], { global: false, roles: [role] });
  expect(others).toEqual([]);
  expect(problem).toMatchObject({ code: 'allowed-query-refused', path: ['allowlist', 0] });
  expect(problem!.message).toMatch(
    `The allow-list lets role "${role}" send the query "q1" of collection "c", but`,
  );
  expect(problem!.message.endsWith(`. ${rule}`)).toBe(true);
});

test('the error names the field as the metadata API does', () => {
  const [problem] = problems(['{ note { id owner_id } }'], { global: false, roles: ['user'] });
  expect(problem!.message).toContain("$.note.owner_id: field 'owner_id' not found in object 'note'");
});

test('what a role may do through a backend is not refused', () => {
  const query = 'mutation { insert_note(objects: {text: "x"}) { affected_rows } }';
  expect(problems([query], { global: false, roles: ['job', 'user'] })).toEqual([]);
});

test('a collection for every role has queries that some role may run', () => {
  const found = problems(['{ note { id } }', '{ note { owner_id } }'], { global: true });
  expect(found.map(({ code }) => code)).toEqual(['allowed-query-for-nobody']);
  expect(found[0]!.message).toContain('the query "q2" of collection "c", but no role may run it.');
});

test('an operation that is larger than a limit allows is reported with the roles that it is refused to', () => {
  const given = metadata(['{ note { id } }', '{ a: note { id } b: note { id } }'], { global: true });
  const limited = (per_role: Record<string, number>, disabled = false) =>
    compile({
      metadata: { ...given, api_limits: { disabled, node_limit: { global: 1, per_role } } },
      catalogs,
    }).diagnostics.filter(({ code }) => code === 'saved-query-too-large');
  const [found, ...others] = limited({ user: 2 });
  expect(others).toEqual([]);
  expect(found).toMatchObject({
    severity: 'warning',
    path: ['query_collections', 0, 'definition', 'queries', 1],
  });
  expect(found!.message).toContain('"q2" has the size 2, which api_limits.node_limit refuses to the roles');
  expect(found!.message).toContain('"guest"');
  expect(found!.message).not.toContain('"user"');
  expect(limited({}, true)).toEqual([]);
});

test('a depth limit of 1 allows flat operations, and reports nested ones', () => {
  const given = metadata(
    ['{ note { id } }', '{ a: note { id } b: note { id } }', '{ note_aggregate { aggregate { count } } }'],
    { global: true },
  );
  const { diagnostics } = compile({
    metadata: { ...given, api_limits: { disabled: false, depth_limit: { global: 1, per_role: {} } } },
    catalogs,
  });
  const found = diagnostics.filter(({ code }) => code === 'saved-query-too-large');
  expect(found.map(({ path }) => path.at(-1))).toEqual([2]);
  expect(found[0]!.message).toContain('"q3" has the size 2, which api_limits.depth_limit refuses');
});

test('limits count the related changes that a document itself asks for', () => {
  const related =
    '{ notes: { update: [{ where: {}, _set: { text: "a" } }, { where: {}, _set: { text: "b" } }] } }';
  const update = (value: string) => `update_person(where: {}, related: ${value}) { affected_rows }`;
  const given = metadata(
    [
      `mutation { ${update(related)} }`,
      `mutation ($related: person_related_update_input) { ${update('$related')} }`,
    ],
    { global: true },
  );
  const found = (extensions: readonly Extension[], limits: object, from = given) =>
    compile({
      metadata: { ...from, api_limits: { disabled: false, ...limits } },
      catalogs,
      naming: { enabled: false, default: 'engine-default', extensions },
    }).diagnostics.flatMap(({ code, message }) =>
      code === 'saved-query-too-large' ? [message.split(' refuses ')[0]] : [],
    );
  const nodes = { node_limit: { global: 2, per_role: {} } };
  expect(found(['nested_updates'], nodes)).toEqual([
    expect.stringContaining('"q1" has the size 3, which api_limits.node_limit'),
  ]);
  expect(found(['nested_updates'], { depth_limit: { global: 1, per_role: {} } })).toEqual([
    expect.stringContaining('"q1" has the size 2, which api_limits.depth_limit'),
  ]);
  expect(found([], nodes)).toEqual([]);
  const below = metadata([`mutation { db { ${update(related)} } }`], { global: true });
  const [source] = below.sources;
  const sources = [{ ...source!, customization: { root_fields: { namespace: 'db' } } }];
  const depth = { depth_limit: { global: 2, per_role: {} } };
  expect(found(['nested_updates'], depth, { ...below, sources })).toEqual([
    expect.stringContaining('"q1" has the size 3, which api_limits.depth_limit'),
  ]);
});

test('what is said and planned of an operation is kept until it or the tables change', () => {
  const operations = [
    '{ note { id } }',
    '{ nothing }',
    'mutation { delete_note(where: {}) { affected_rows } }',
  ];
  const first = compile({ metadata: metadata(operations, { global: true }), catalogs });
  const more = metadata([...operations, '{ person { id } }'], { global: false, roles: ['guest'] });
  const second = compile({ metadata: more, catalogs }, first);
  expect(second.state.plan.saved!.operations[0]).toBe(first.state.plan.saved!.operations[0]);
  expect(second.files).toEqual(compile({ metadata: more, catalogs }).files);
  expect(second.diagnostics.map(({ code }) => code)).toEqual(
    compile({ metadata: more, catalogs }).diagnostics.map(({ code }) => code),
  );
  const [source] = more.sources;
  const [note, ...tables] = source!.tables;
  const closed = {
    ...more,
    sources: [{ ...source!, tables: [{ ...note!, select_permissions: [] }, ...tables] }],
  };
  const third = compile({ metadata: closed, catalogs }, second);
  const rolesOf = ({ state }: typeof third) =>
    state.plan.saved!.operations[0]!.plans!.map(({ roles }) => roles);
  expect(rolesOf(second)).toEqual(
    [['admin', 'both', 'reader', 'user']].map(() => expect.arrayContaining(['user'])),
  );
  expect(rolesOf(third).flat()).toEqual(['admin']);
  expect(third.files).toEqual(compile({ metadata: closed, catalogs }).files);
});

test('what a role loses elsewhere leaves an operation as it is', () => {
  const before = metadata(['{ note { id } }', '{ person { id } }'], { global: true });
  const [source] = before.sources;
  const after = {
    ...before,
    sources: [
      {
        ...source!,
        tables: source!.tables.map((entry) =>
          entry.table.name === 'person' ? { ...entry, select_permissions: [] } : entry,
        ),
      },
    ],
  };
  const first = compile({ metadata: before, catalogs });
  const second = compile({ metadata: after, catalogs }, first);
  const operations = [first, second].map(({ state }) => state.plan.saved!.operations);
  expect(operations[1]![0]).toBe(operations[0]![0]);
  expect(operations[1]![1]).not.toEqual(operations[0]![1]);
  expect(second.files).toEqual(compile({ metadata: after, catalogs }).files);
});
