import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readMetadata } from '../../../../compiler/phases/1-read/index.ts';
import { formatPath } from '../../../../runtime/core/diagnostics/path.ts';

const configuration = { connection_info: { database_url: { from_env: 'DATABASE' } } };

function withTable(entry: object): unknown {
  return {
    version: 3,
    sources: [{ name: 'default', configuration, tables: [{ table: 'article', ...entry }] }],
  };
}

const TABLE = 'sources[0].tables[0]';

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

interface Misfit {
  readonly what: string;
  readonly metadata?: unknown;
  readonly table?: object;
  readonly permission?: unknown;
  readonly says: readonly string[];
}

const MISFITS = new URL('../../../cases/metadata/misfits.yaml', import.meta.url);

describe('what does not fit is reported where it stands', () => {
  const select = (permission: unknown) => withTable({ select_permissions: [{ role: 'user', permission }] });

  test.each(parse(readFileSync(MISFITS, 'utf8')) as Misfit[])('$what', (misfit) => {
    const { metadata, table, permission, says } = misfit;
    const input = table ? withTable(table) : permission ? select(permission) : metadata;
    const place = permission ? `${TABLE}.select_permissions[0].permission` : table ? TABLE : '';
    const inPlace = (complaint: string) =>
      complaint.startsWith(place) ? complaint.slice(place.length).replace(/^\./, '') : complaint;
    expect(complaints(input).map(inPlace)).toEqual(says);
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
