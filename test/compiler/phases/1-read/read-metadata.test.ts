import { describe, expect, test } from 'vitest';
import { readMetadata } from '../../../../compiler/phases/1-read/index.ts';
import { formatPath } from '../../../../runtime/diagnostics/path.ts';

const configuration = { connection_info: { database_url: { from_env: 'DATABASE' } } };

function withTable(entry: object): unknown {
  return {
    version: 3,
    sources: [{ name: 'default', configuration, tables: [{ table: 'article', ...entry }] }],
  };
}

/** `path: message` of everything that reading reports. */
function complaints(input: unknown): string[] {
  return readMetadata(input).diagnostics.map(({ path, message }) => `${formatPath(path)}: ${message}`);
}

function readTable(entry: object) {
  const { value, diagnostics } = readMetadata(withTable(entry));
  expect(diagnostics).toEqual([]);
  return value.sources[0]!.tables[0]!;
}

describe('normalised forms', () => {
  test('names are qualified, absent lists are empty, null is absent', () => {
    const table = readTable({ select_permissions: null, configuration: { custom_name: null } });
    expect(table).toMatchObject({
      table: { schema: 'public', name: 'article' },
      is_enum: false,
      configuration: { column_config: {}, custom_root_fields: {} },
      select_permissions: [],
      path: ['sources', 0, 'tables', 0],
    });
    expect(table.configuration).not.toHaveProperty('custom_name');
  });

  test('the old column names lie beneath column_config, identifier is custom_name', () => {
    const { configuration: read } = readTable({
      configuration: {
        identifier: 'Article',
        custom_column_names: { a: 'old', b: 'bee' },
        column_config: { a: { custom_name: 'new' }, b: { comment: 'B' }, c: { comment: '' } },
        custom_root_fields: { select: 'articles', insert: { name: null, comment: 'Adds.' }, delete: null },
      },
    });
    expect(read).toEqual({
      custom_name: 'Article',
      column_config: {
        a: { custom_name: 'new' },
        b: { custom_name: 'bee', comment: 'B' },
        c: { comment: '' },
      },
      custom_root_fields: { select: { name: 'articles' }, insert: { comment: 'Adds.' } },
    });
  });

  test('the five ways to write a relationship', () => {
    const object = (using: object) => ({ name: JSON.stringify(using), using });
    const { object_relationships } = readTable({
      object_relationships: [
        object({ foreign_key_constraint_on: 'author_id' }),
        object({ foreign_key_constraint_on: ['a', 'b'] }),
        object({ foreign_key_constraint_on: { table: 'note', column: 'article_id' } }),
        object({ foreign_key_constraint_on: { table: { schema: 's', name: 'note' }, columns: ['a', 'b'] } }),
        object({
          manual_configuration: { remote_table: 'note', column_mapping: { a: 'b' }, insertion_order: null },
        }),
      ],
    });
    expect(object_relationships.map(({ using }) => using)).toEqual([
      { kind: 'foreign_key_on_this_table', columns: ['author_id'] },
      { kind: 'foreign_key_on_this_table', columns: ['a', 'b'] },
      {
        kind: 'foreign_key_on_other_table',
        table: { schema: 'public', name: 'note' },
        columns: ['article_id'],
      },
      { kind: 'foreign_key_on_other_table', table: { schema: 's', name: 'note' }, columns: ['a', 'b'] },
      { kind: 'manual', remote_table: { schema: 'public', name: 'note' }, column_mapping: { a: 'b' } },
    ]);
  });

  test('versions 1 and 2 are one source called default', () => {
    const { value, diagnostics } = readMetadata({
      tables: [{ table: 'article' }],
      functions: [
        'search',
        { schema: 's', name: 'find' },
        { function: 'seek', configuration: { exposed_as: 'query' } },
      ],
    });
    expect(diagnostics).toEqual([]);
    expect(value.sources).toMatchObject([
      { name: 'default', tables: [{ table: { name: 'article' }, path: ['tables', 0] }] },
    ]);
    expect(value.sources[0]!.functions.map((entry) => entry.function)).toEqual([
      { schema: 'public', name: 'search' },
      { schema: 's', name: 'find' },
      { schema: 'public', name: 'seek' },
    ]);
  });
});

describe('what does not fit is reported where it stands', () => {
  const select = (permission: unknown) => withTable({ select_permissions: [{ role: 'user', permission }] });
  const relationship = (kind: string, using: unknown) => withTable({ [kind]: [{ name: 'r', using }] });
  const place = 'sources[0].tables[0]';

  test.each<[string, unknown, string[]]>([
    ['no object', 'text', [': parsing Object failed, expected Object, but encountered String']],
    ['a null', null, [': parsing Object failed, expected Object, but encountered Null']],
    [
      'a version of the future',
      { version: 4 },
      ['version: Metadata of version 4 cannot be read here; version 3 can.'],
    ],
    ['no sources', { version: 3 }, [': key "sources" not found']],
    [
      'sources that are no list',
      { version: 3, sources: {} },
      ['sources: parsing [] failed, expected Array, but encountered Object'],
    ],
    [
      'a source without name and tables',
      { version: 3, sources: [{ configuration }] },
      ['sources[0]: key "name" not found', 'sources[0]: key "tables" not found'],
    ],
    [
      'an empty name',
      withTable({ object_relationships: [{ name: '', using: { foreign_key_constraint_on: 'a' } }] }),
      [`${place}.object_relationships[0].name: empty string not allowed`],
    ],
    [
      'a filter that is no object',
      select({ columns: '*', filter: 'x' }),
      [
        `${place}.select_permissions[0].permission.filter: parsing Object failed, expected Object, but encountered String`,
      ],
    ],
    [
      'no filter',
      select({ columns: '*' }),
      [`${place}.select_permissions[0].permission: key "filter" not found`],
    ],
    [
      'columns that are a name',
      select({ columns: 'id', filter: {} }),
      [
        `${place}.select_permissions[0].permission.columns: parsing [] failed, expected Array, but encountered String`,
      ],
    ],
    [
      'a negative limit',
      select({ columns: [], filter: {}, limit: -1 }),
      [`${place}.select_permissions[0].permission.limit: unexpected negative value`],
    ],
    [
      'a foreign key in the wrong place',
      relationship('array_relationships', { foreign_key_constraint_on: 'a' }),
      [
        `${place}.array_relationships[0].using.foreign_key_constraint_on: Expecting object { table, columns }.`,
      ],
    ],
    [
      'both ways to relate',
      relationship('object_relationships', {
        foreign_key_constraint_on: 'a',
        manual_configuration: { remote_table: 't', column_mapping: {} },
      }),
      [
        `${place}.object_relationships[0].using: only one of foreign_key_constraint_on/manual_configuration should be present`,
      ],
    ],
    [
      'no way to relate',
      relationship('object_relationships', {}),
      [
        `${place}.object_relationships[0].using: atleast one of foreign_key_constraint_on/manual_configuration should be present`,
      ],
    ],
    [
      'root fields of one name',
      withTable({
        configuration: { custom_root_fields: { select: 'a', insert: 'a', update: 'b', delete: 'b' } },
      }),
      [
        `${place}.configuration.custom_root_fields: the following custom root field names are duplicated: a and b`,
      ],
    ],
    [
      'a name that is not GraphQL',
      withTable({ configuration: { custom_name: '1st' } }),
      [`${place}.configuration.custom_name: "1st" is not valid GraphQL name`],
    ],
    [
      'a misspelt key of a table',
      withTable({ select_permision: [] }),
      [`${place}.select_permision: unexpected keys when parsing TableMetadata: ["select_permision"]`],
    ],
    [
      'a misspelt key elsewhere',
      select({ columns: '*', filter: {}, limitt: 3 }),
      [`${place}.select_permissions[0].permission.limitt: Unknown key "limitt" is ignored.`],
    ],
    [
      'a misspelt key in a form among several',
      relationship('object_relationships', {
        manual_configuration: { remote_table: { name: 't', shema: 's' }, column_mapping: {} },
      }),
      [
        `${place}.object_relationships[0].using.manual_configuration.remote_table.shema: Unknown key "shema" is ignored.`,
      ],
    ],
    [
      'an unknown kind of source',
      { version: 3, sources: [{ name: 's', kind: 'other', configuration, tables: [] }] },
      ['sources[0].kind: Source "s" is of kind "other"; only "postgres" can be served.'],
    ],
    [
      'relationships of one name',
      withTable({
        object_relationships: ['r', 'r', 'q', 'q', 'q'].map((name) => ({
          name,
          using: { foreign_key_constraint_on: 'a' },
        })),
      }),
      [
        `${place}.object_relationships[1]: multiple declarations exist for the following object relationships: r, q`,
      ],
    ],
    [
      'permissions of one role',
      withTable({
        delete_permissions: [1, 2].map(() => ({ role: 'user', permission: { filter: {} } })),
      }),
      [
        `${place}.delete_permissions[1]: multiple declarations exist for the following delete permissions: user`,
      ],
    ],
    [
      'a server variable as a header',
      {
        version: 3,
        sources: [],
        cron_triggers: [
          {
            name: 'c',
            webhook: 'w',
            schedule: '* * * * *',
            include_in_metadata: true,
            headers: [{ name: 'h', value_from_env: 'ENGINE_GRAPHQL_ADMIN_SECRET' }],
          },
        ],
      },
      [
        'cron_triggers[0].headers[0]: env variables starting with "ENGINE_GRAPHQL_" are not allowed in value_from_env: ENGINE_GRAPHQL_ADMIN_SECRET',
      ],
    ],
    [
      'roles of a global scope',
      { version: 3, sources: [], allowlist: [{ collection: 'c', scope: { global: true, roles: ['r'] } }] },
      ['allowlist[0].scope: roles are not allowed when global is true'],
    ],
    [
      'repeated roles of a scope',
      {
        version: 3,
        sources: [],
        allowlist: [{ collection: 'c', scope: { global: false, roles: ['r', 'r'] } }],
      },
      ['allowlist[0].scope: duplicate roles are not allowed'],
    ],
  ])('%s', (_, input, expected) => {
    expect(complaints(input)).toEqual(expected);
  });

  test('the unknown key of a permission is named beside the key that it should have been', () => {
    const [missing, unknown] = readMetadata(select({ columns: '*', filtr: {} })).diagnostics;
    expect(missing).toMatchObject({ severity: 'error', message: 'key "filter" not found' });
    expect(unknown).toMatchObject({ severity: 'warning', details: ['Did you mean "filter"?'] });
  });
});

test('a bad object costs only itself, and the paths of its neighbours stay', () => {
  const good = { role: 'good', permission: { columns: '*', filter: {} } };
  const { value, diagnostics } = readMetadata({
    version: 3,
    sources: [
      { name: 'broken' },
      {
        name: 'default',
        configuration,
        tables: [
          { table: 3 },
          { table: 'article', select_permissions: [{ role: 'bad' }, good, { ...good, extra: 1 }] },
        ],
      },
    ],
    actions: [{ name: 'broken' }],
  });
  const tables = value.sources[0]!.tables;
  expect(value.sources.map(({ name }) => name)).toEqual(['default']);
  expect(tables.map(({ path }) => path)).toEqual([['sources', 1, 'tables', 1]]);
  expect(tables[0]!.select_permissions).toEqual([
    {
      ...good,
      permission: { ...good.permission, computed_fields: [], allow_aggregations: false },
      path: [...tables[0]!.path, 'select_permissions', 1],
    },
  ]);
  expect(value.actions).toEqual([]);
  expect(diagnostics.map(({ path }) => formatPath(path))).toEqual([
    'sources[0]',
    'sources[0]',
    'sources[1].tables[0].table',
    'sources[1].tables[1].select_permissions[0]',
    'sources[1].tables[1].select_permissions[2].extra',
    'sources[1].tables[1].select_permissions[2]',
    'actions[0]',
  ]);
});
