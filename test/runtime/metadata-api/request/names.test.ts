/** Names that the schema has already: after every change it is valid, and what it costs is reported with the reason. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../harness/postgres.ts';
import { send, startTestServer, type TestServer } from '../../../harness/server.ts';
import { servedProblems } from '../../../harness/valid-schema.ts';

interface Inconsistent {
  readonly name: string;
  readonly reason: string;
}

const TYPES = `
  create schema other;
  create schema third;
  create type other.mood as enum ('low');
  create type third.mood as enum ('high');
  create type other."my type" as enum ('a');
  create type other."Int" as enum ('a');
  create type other.query_root as enum ('a');
  create type other."__hidden" as enum ('a');
  create table thing (id int primary key, at date, t time, i interval, u uuid, n numeric, j jsonb, m other.mood, o third.mood, "my" other."my type", h other."__hidden");
`;

let database: TestDatabase;
let server: TestServer;

async function metadata(body: object) {
  const { status, json } = await send(server, '/v1/metadata', { body });
  return { status, answer: json as { error?: string; internal?: unknown } & Record<string, unknown> };
}

async function sql(text: string): Promise<void> {
  const { status, text: answer } = await send(server, '/v2/query', {
    body: { type: 'run_sql', args: { source: 'default', sql: text } },
  });
  expect(status, answer).toBe(200);
}

const inconsistencies = async () => {
  const { answer } = await metadata({ type: 'get_inconsistent_metadata', args: {} });
  return answer as unknown as readonly Inconsistent[];
};

beforeAll(async () => {
  database = await createTestDatabase(TYPES);
  server = await startTestServer(database, { EXPERIMENTAL_FEATURES: 'naming_convention', LOG_LEVEL: 'warn' });
  expect((await metadata({ type: 'pg_track_table', args: 'thing' })).status).toBe(200);
}, 60_000);

afterAll(() => server.stop());

const valid = async () =>
  expect(await servedProblems(`http://127.0.0.1:${server.port}`, 'admin')).toEqual([]);

/** Names of tables, with what has the name already; those without are served. */
const TABLES: readonly (readonly [table: string, taken?: string])[] = [
  ['query_root', 'the API'],
  ['mutation_root', 'the API'],
  ['subscription_root', 'the API'],
  ['Mutation_root'],
  ...['Int', 'String', 'Boolean', 'Float', 'ID', 'Node', 'PageInfo', '_Entity', '_Any', '_Service'].map(
    (name) => [name, 'the API'] as const,
  ),
  ['date', 'column "at" of table "thing"'],
  ['time', 'column "t" of table "thing"'],
  ['interval', 'column "i" of table "thing"'],
  ['uuid', 'column "u" of table "thing"'],
  ['numeric', 'column "n" of table "thing"'],
  ['jsonb', 'column "j" of table "thing"'],
  ['jsonb_cast_exp', 'column "j" of table "thing"'],
  ['my_type', 'column "my" of table "thing"'],
  ['_hidden', 'column "h" of table "thing"'],
  ['macaddr'],
  ['order_by', 'the API'],
  ['cursor_ordering', 'the API'],
  ['Int_comparison_exp', 'the API'],
  ['String_comparison_exp', 'column "j" of table "thing"'],
  ['mood', 'column "m" of table "thing"'],
  ['thing_bool_exp', 'table "thing"'],
  ['thing_updates', 'table "thing"'],
  ['thing_constraint', 'table "thing"'],
  ['thing_mutation_response', 'table "thing"'],
  ['thing_delete_at_path_input', 'table "thing"'],
  ['thing_aggregate', 'table thing in source default'],
  ['thing_stream', 'table thing in source default'],
  ['thing_sum_fields', 'table "thing"'],
  ['thing_aggregate_bool_exp_count', 'table "thing"'],
  ['thingConnection', 'table "thing"'],
  ['thingEdge', 'table "thing"'],
  ['node'],
  ['__x'],
  ['_service', "'_service'"],
  ['no_queries_available'],
];

describe('a table whose name is taken', () => {
  test.each(TABLES)('%s', async (table, taken) => {
    await sql(
      `create table if not exists public."${table}" (id int constraint "key_${table}" primary key, note macaddr8)`,
    );
    const { status, answer } = await metadata({ type: 'pg_track_table', args: { table } });
    await valid();
    if (taken === undefined) {
      expect(answer).toEqual({ message: 'success' });
      await metadata({ type: 'pg_untrack_table', args: { table } });
    } else {
      expect(status).not.toBe(200);
      expect(JSON.stringify(answer)).toContain(JSON.stringify(taken).slice(1, -1));
    }
  });

  test('is listed with the reason, and the rest is served', async () => {
    const tables = ['thing', ...TABLES.map(([table]) => table)].map((name) => ({
      table: { schema: 'public', name },
    }));
    const { answer: exported } = await metadata({ type: 'export_metadata', args: {} });
    const [source] = exported.sources as [object];
    const { status, answer } = await metadata({
      type: 'replace_metadata',
      args: { allow_inconsistent_metadata: true, metadata: { version: 3, sources: [{ ...source, tables }] } },
    });
    expect(status).toBe(200);
    expect(answer.is_consistent).toBe(false);
    await valid();
    const listed = await inconsistencies();
    const expected = TABLES.filter(([, taken]) => taken).map(([table]) => `table ${table} in source default`);
    expect(new Set(listed.map(({ name }) => name))).toEqual(new Set(expected));
    for (const { reason } of listed) expect(reason).toMatch(/taken by|conflicting definitions/);
    expect((await metadata({ type: 'drop_inconsistent_metadata', args: {} })).status).toBe(200);
    expect(await inconsistencies()).toEqual([]);
    await valid();
  });
});

const source = (tables: readonly object[], more: object = {}) => ({
  name: 'default',
  kind: 'postgres',
  configuration: { connection_info: { database_url: database.url } },
  tables,
  ...more,
});

const table = (name: string, more: object = {}) => ({ table: { schema: 'public', name }, ...more });

/** Replaces the metadata, and gives what is inconsistent, by name; the schema is valid. */
async function replaced(given: object): Promise<Readonly<Record<string, string>>> {
  const { status, answer } = await metadata({
    type: 'replace_metadata',
    args: { allow_inconsistent_metadata: true, metadata: { version: 3, ...given } },
  });
  expect(status, JSON.stringify(answer)).toBe(200);
  await valid();
  const listed = (await inconsistencies()) as readonly (Inconsistent & {
    objects?: readonly Inconsistent[];
  })[];
  return Object.fromEntries(
    listed.flatMap(({ name, reason, objects = [] }) =>
      (name === undefined ? objects.map((each) => each.name) : [name]).map((each) => [each, reason]),
    ),
  );
}

const shown = async (type: string): Promise<readonly string[]> => {
  const query = `{ __type(name: "${type}") { fields { name } inputFields { name } enumValues { name } } }`;
  const { json } = await send(server, '/v1/graphql', { body: { query } });
  const found = (json as { data: { __type: Record<string, { name: string }[] | null> | null } }).data.__type;
  return Object.values(found ?? {}).flatMap((list) => (list ?? []).map(({ name }) => name));
};

describe('other names', () => {
  beforeAll(() =>
    sql(`
      create table parent (id int primary key, a_b int, "true" int, "null" int, "__x" int, _and int, children_aggregate int);
      create table child (id int primary key, parent_id int references parent, "aB" int, "a_b" int);
      create table typed (id int primary key, i other."Int");
      create table typed_root (id int primary key, q other.query_root);
      create table kinds ("true" text primary key); insert into kinds values ('a'), ('A');
      create table reserved (id text primary key); insert into reserved values ('__a'), ('true');
      create function child_of(p parent, "date" jsonb default null) returns setof child language sql stable as 'select * from child';
      create function thing_bool_exp_f() returns setof thing language sql stable as 'select * from thing';
      create function thing(q text) returns setof thing language sql stable as 'select * from thing';
      create function odd("__a" int) returns setof thing language sql stable as 'select * from thing';
      create table child_args_like (id int primary key);
    `),
  );

  test('columns that no field and no enum can be called are left out, unless they have another name', async () => {
    expect(await replaced({ sources: [source([table('parent')])] })).toEqual({});
    expect(await shown('parent')).toEqual(['a_b', 'children_aggregate', 'id']);
    const renamed = { configuration: { column_config: { true: { custom_name: 'yes' } } } };
    expect(await replaced({ sources: [source([table('parent', renamed)])] })).toEqual({});
    expect(await shown('parent_select_column')).toContain('yes');
    for (const custom_name of ['true', '__y', '_or']) {
      const wrong = { configuration: { column_config: { id: { custom_name } } } };
      expect(await replaced({ sources: [source([table('parent', wrong)])] })).toEqual({
        'table parent in source default': expect.stringContaining(`"${custom_name}"`),
      });
    }
  });

  test('types of columns', async () => {
    expect(
      await replaced({ sources: [source([table('thing'), table('typed'), table('typed_root')])] }),
    ).toEqual({
      'table typed in source default': expect.stringContaining(
        '"Int" of column "i" of table "typed" is taken by the API',
      ),
      'table typed_root in source default': expect.stringContaining('"query_root" of column "q"'),
    });
  });

  test('values of enum tables', async () => {
    const enums = [table('kinds', { is_enum: true }), table('reserved', { is_enum: true })];
    expect(await replaced({ sources: [source(enums)] })).toEqual({
      'table reserved in source default': expect.stringMatching(/"__a".*\n.*"true"/),
    });
    const camel = { customization: { naming_convention: 'graphql-default' } };
    expect(await replaced({ sources: [source(enums, camel)] })).toMatchObject({
      'table kinds in source default': expect.stringContaining(
        'the values "A" and "a" are both shown as "A"',
      ),
    });
  });

  test('relationships and computed fields', async () => {
    const children = { foreign_key_constraint_on: { table: 'child', column: 'parent_id' } };
    const computed = (name: string) => ({ name, definition: { function: 'child_of' } });
    const given = (array: string, fields: readonly string[]) => ({
      sources: [
        source([
          table('parent', {
            array_relationships: [{ name: array, using: children }],
            computed_fields: fields.map(computed),
          }),
          table('child'),
        ]),
      ],
    });
    const conflicts = /conflict/;
    expect(await replaced(given('children', []))).toEqual({
      'array_relation children in table parent in source default': expect.stringMatching(conflicts),
    });
    expect(await replaced(given('_and', []))).toEqual({
      'array_relation _and in table parent in source default': expect.stringContaining('"_and"'),
    });
    expect(await replaced(given('__r', ['__c']))).toEqual({
      'array_relation __r in table parent in source default': expect.stringContaining('"__r"'),
      'computed_field __c in table parent in source default': expect.stringContaining('"__c"'),
    });
    expect(Object.values(await replaced(given('list', ['list_aggregate'])))).toEqual([
      expect.stringMatching(conflicts),
    ]);
    expect(await replaced(given('list', ['other']))).toEqual({});
  });

  test('functions', async () => {
    const functions = ['thing', 'odd', 'thing_bool_exp_f'].map((name) => ({
      function: { schema: 'public', name },
      ...(name === 'thing_bool_exp_f' && { configuration: { custom_name: 'thing_aggregate' } }),
    }));
    expect(await replaced({ sources: [source([table('thing')], { functions })] })).toEqual({
      'function odd in source default': expect.stringContaining('__a'),
      'function thing in source default': expect.stringContaining('table thing in source default'),
      'function thing_bool_exp_f in source default': expect.stringContaining("'thing_aggregate'"),
    });
  });

  test('root fields of one table', async () => {
    const custom_root_fields = { select_by_pk: 'child_aggregate' };
    expect(
      await replaced({ sources: [source([table('child', { configuration: { custom_root_fields } })])] }),
    ).toEqual({
      'table child in source default': expect.stringContaining("'child_aggregate'"),
    });
  });

  test('a convention that makes one name of two', async () => {
    await sql(
      'create table if not exists "a_c" (id int primary key); create table if not exists "aC" (id int primary key)',
    );
    const camel = { customization: { naming_convention: 'graphql-default' } };
    expect(await replaced({ sources: [source([table('child'), table('a_c'), table('aC')], camel)] })).toEqual(
      {
        'table child in source default': expect.stringContaining('"aB"'),
        'table a_c in source default': expect.stringContaining('"AC" of table "a_c" is taken by table "aC"'),
      },
    );
  });

  test('prefixes and namespaces of sources', async () => {
    for (const customization of [
      { root_fields: { prefix: '__' } },
      { type_names: { prefix: '__' } },
      { root_fields: { namespace: '__n' } },
      { root_fields: { namespace: 'query' }, type_names: { prefix: '__' } },
    ]) {
      const found = await replaced({ sources: [source([table('child')], { customization })] });
      expect(Object.values(found)).toEqual([expect.stringContaining('__')]);
    }
    const named = (name: string, customization: object) => ({
      ...source([table('child')], { customization }),
      name,
    });
    const namespace = { root_fields: { namespace: 'ns' } };
    const both = [
      named('default', { ...namespace, type_names: { prefix: 'a_' } }),
      named('second', { ...namespace, type_names: { prefix: 'b_' } }),
    ];
    expect(await replaced({ sources: both })).toEqual({
      'source second': expect.stringContaining(
        "'ns' defined in [namespace of source default, namespace of source second]",
      ),
    });
    const clash = [
      named('default', {}),
      named('second', { root_fields: { namespace: 'child' }, type_names: { prefix: 'b_' } }),
    ];
    expect(await replaced({ sources: clash })).toEqual({
      'table child in source default': expect.stringContaining('namespace of source second'),
    });
  });

  test('custom types and actions', async () => {
    const given = (custom_types: object, definition: object = {}, name = 'act') => ({
      sources: [source([table('thing')])],
      custom_types,
      actions: [
        {
          name,
          definition: {
            kind: 'synchronous',
            handler: 'http://127.0.0.1:1/',
            arguments: [],
            output_type: 'String',
            ...definition,
          },
        },
      ],
    });
    const field = (type: string, name = 'f') => [{ name, type }];
    for (const [types, reason] of [
      [{ objects: [{ name: 'thing', fields: field('Int') }] }, '"thing" is taken by table "thing"'],
      [{ objects: [{ name: 'thing_updates', fields: field('Int') }] }, '"thing_updates" is taken by'],
      [{ objects: [{ name: 'uuid', fields: field('Int') }] }, '"uuid" is taken by column "u"'],
      [{ input_objects: [{ name: '__i', fields: field('Int') }] }, '"__i" is not a valid GraphQL name'],
      [{ input_objects: [{ name: 'i', fields: field('Int', '__f') }] }, '"__f" is not a valid GraphQL name'],
      [{ enums: [{ name: 'e', values: [{ value: 'true' }] }] }, '"true" of the enum type "e"'],
    ] as const)
      expect(await replaced(given(types))).toMatchObject({
        'custom_types custom_types': expect.stringContaining(reason),
      });
    expect(
      await replaced(
        given(
          { scalars: [{ name: 'uuid' }], objects: [{ name: 'o', fields: field('date') }] },
          { output_type: 'o' },
        ),
      ),
    ).toEqual({});
    const asynchronous = { kind: 'asynchronous' };
    for (const name of ['thing_updates', 'thing_stream', 'Int', '__act'])
      expect(Object.keys(await replaced(given({}, asynchronous, name))), name).toEqual([`action ${name}`]);
    expect(await replaced(given({}, { arguments: [{ name: '__a', type: 'Int' }] }))).toEqual({
      'action act': expect.stringContaining('"__a"'),
    });
  });
});
