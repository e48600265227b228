import { isObject, type Located } from '../../core/json/json.ts';
import type { QualifiedName } from '../../core/names.ts';
import { DECLARED_SCHEMA } from '../../core/names.ts';
import type { Codec, TypeOf } from '../codec.ts';
import {
  choose,
  convert,
  extension,
  key,
  nonEmptyList,
  object,
  optional,
  orNull,
  record,
  withNames,
} from '../combinators.ts';
import { keyedEntries } from '../entries.ts';
import type { Walk } from '../references.ts';
import { name, oneOf } from '../values.ts';
import { comment, qualifiedName } from './shared.ts';

/** The foreign key is on columns of this table. Object relationships only. */
export interface ForeignKeyOnThisTable {
  readonly kind: 'foreign_key_on_this_table';
  readonly columns: readonly string[];
}

/** The foreign key is on columns of the other table, and points here. */
export interface ForeignKeyOnOtherTable {
  readonly kind: 'foreign_key_on_other_table';
  readonly table: QualifiedName;
  readonly columns: readonly string[];
}

export interface ManualConfiguration {
  readonly kind: 'manual';
  /** In the schema of what is declared: a native query. */
  readonly remote_table: QualifiedName;
  /** Column of this table → column of the other. */
  readonly column_mapping: Readonly<Record<string, string>>;
  readonly insertion_order?: 'before_parent' | 'after_parent';
  /** Argument of the native query → column of this table. */
  readonly argument_mapping?: Readonly<Record<string, string>>;
}

export type ArrayRelationshipUsing = ForeignKeyOnOtherTable | ManualConfiguration;
export type RelationshipUsing = ForeignKeyOnThisTable | ArrayRelationshipUsing;

const oneColumn = convert(name, {
  read: (column): readonly string[] => [column],
  write: ([column]) => column ?? '',
});

/** Columns of a foreign key; one is written without its list. */
const foreignKeyColumns: Codec<readonly string[]> = choose(
  (input) => (typeof input === 'string' ? oneColumn : nonEmptyList(name)),
  (columns) => (columns.length === 1 ? oneColumn : nonEmptyList(name)),
);

const ownColumns: Codec<ForeignKeyOnThisTable> = convert(foreignKeyColumns, {
  read: (columns) => ({ kind: 'foreign_key_on_this_table', columns }),
  write: ({ columns }) => columns,
});

const otherColumns: Codec<ForeignKeyOnOtherTable> = convert(
  object(
    {
      column: key(
        'Column of the other table that refers here. This key or `columns` is required.',
        optional(name),
      ),
      columns: key('Columns of the other table, of a foreign key of several.', optional(foreignKeyColumns)),
      table: key('The other table.', qualifiedName),
    },
    { title: 'Foreign key of the other table' },
  ),
  {
    read: ({ table, column, columns }, fail) => {
      if (column === undefined && columns === undefined) fail('key "column" not found');
      if (column !== undefined && columns !== undefined) fail('only one of column/columns should be present');
      return { kind: 'foreign_key_on_other_table', table, columns: columns ?? [column ?? ''] };
    },
    write: ({ table, columns }) =>
      columns.length === 1 ? { column: columns[0]!, table } : { columns, table },
  },
);

const argumentMapping = extension(
  'Argument of the native query → column of this side that gives its value. Clients give the others.',
  optional(record(name)),
);

function mappedArguments(
  mapping: Readonly<Record<string, string>> | undefined,
  walk: Walk,
): { readonly argument_mapping?: Readonly<Record<string, string>> } {
  if (!mapping) return {};
  const columns = Object.entries(mapping).map(([argument, column]) => [argument, walk.column(column)]);
  return { argument_mapping: Object.fromEntries(columns) };
}

const manualConfiguration: Codec<ManualConfiguration> = convert(
  object(
    {
      column_mapping: key('Column of this table → column of the other.', record(name)),
      insertion_order: key(
        'Of object relationships: whether nested inserts write the other row before this one. Absent: before.',
        orNull(optional(oneOf('before_parent', 'after_parent'))),
      ),
      remote_native_query: key('A native query, in place of a table.', optional(name)),
      argument_mapping: argumentMapping,
      remote_table: key(
        'The other table. This key or `remote_native_query` is required.',
        optional(qualifiedName),
      ),
    },
    { title: 'Manual configuration' },
  ),
  {
    read: ({ remote_table, remote_native_query: query, ...raw }, fail) => {
      if (remote_table === undefined && query === undefined) fail('key "remote_table" not found');
      if (remote_table !== undefined && query !== undefined)
        fail('only one of remote_table/remote_native_query should be present');
      if (raw.argument_mapping && query === undefined) fail('argument_mapping needs remote_native_query');
      return {
        kind: 'manual',
        ...raw,
        remote_table: remote_table ?? { schema: DECLARED_SCHEMA, name: query ?? '' },
      };
    },
    write: ({ kind: _, remote_table, ...raw }) =>
      remote_table.schema === DECLARED_SCHEMA
        ? { ...raw, remote_native_query: remote_table.name }
        : { ...raw, remote_table },
  },
);

const expectingTableAndColumns = 'Expecting object { table, columns }.';

/** `foreign_key_constraint_on` of an object relationship: own column or columns, or those of another table. */
const objectForeignKey = choose<ForeignKeyOnThisTable | ForeignKeyOnOtherTable>(
  (input) => {
    if (typeof input === 'string' || Array.isArray(input)) return ownColumns;
    return isObject(input) ? otherColumns : expectingTableAndColumns;
  },
  ({ kind }) => (kind === 'foreign_key_on_this_table' ? ownColumns : otherColumns),
);

/** The foreign key of an array relationship is never on this table. */
const arrayForeignKey = choose<ForeignKeyOnOtherTable>(
  (input) => (isObject(input) ? otherColumns : expectingTableAndColumns),
  otherColumns,
);

function using<ForeignKey extends RelationshipUsing>(
  foreignKey: Codec<ForeignKey>,
): Codec<ForeignKey | ManualConfiguration> {
  type Using = ForeignKey | ManualConfiguration;
  const form: Codec<Using> = convert(
    object({
      foreign_key_constraint_on: key(
        'Columns of a foreign key: names of columns of this table, or an object for a key of the other table.',
        optional(foreignKey),
      ),
      manual_configuration: key(
        'Columns to compare, where there is no foreign key (views, for instance).',
        optional(manualConfiguration),
      ),
    }),
    {
      read: (raw) => (raw.manual_configuration ?? raw.foreign_key_constraint_on) as Using,
      write: (value) =>
        (value.kind === 'manual'
          ? { manual_configuration: value }
          : { foreign_key_constraint_on: value }) as never,
    },
  );
  const checked = choose<Using>((input) => {
    if (!isObject(input)) return form;
    const isForeignKey = (input.foreign_key_constraint_on ?? null) !== null;
    const isManual = (input.manual_configuration ?? null) !== null;
    if (isForeignKey !== isManual) return form;
    return `${isManual ? 'only' : 'atleast'} one of foreign_key_constraint_on/manual_configuration should be present`;
  }, form);
  return withNames(checked, (value, walk) => usingNames(value, walk) as Using);
}

function usingNames(value: RelationshipUsing, walk: Walk): RelationshipUsing {
  switch (value.kind) {
    case 'foreign_key_on_this_table': {
      walk.foreignKey(value.columns);
      const target = walk.place.context.referencedTable(walk.place.table, value.columns);
      if (target !== undefined) walk.table(target);
      return { ...value, columns: value.columns.map((column) => walk.column(column)) };
    }
    case 'foreign_key_on_other_table': {
      const { columns, table } = value;
      walk.foreignKey(columns, table);
      return {
        ...value,
        table: walk.table(table),
        columns: columns.map((column) => walk.column(column, { table })),
      };
    }
    case 'manual': {
      const { column_mapping, remote_table: table } = value;
      const columns = Object.entries(column_mapping).map(([own, other]) => [
        walk.column(own),
        walk.column(other, { table }),
      ]);
      return {
        ...value,
        // A native query is not a table: nothing renames it.
        remote_table: table.schema === DECLARED_SCHEMA ? table : walk.table(table),
        column_mapping: Object.fromEntries(columns),
        ...mappedArguments(value.argument_mapping, walk),
      };
    }
  }
}

export interface RelationshipEntry<Using> extends Located {
  readonly name: string;
  readonly using: Using;
  readonly comment?: string;
}

const fieldName = key('Name of the field.', name);
const way = 'How rows are found: by a foreign key, or by columns.';
export const objectRelationship = object(
  { name: fieldName, using: key(way, using(objectForeignKey)), comment },
  { title: 'Object relationship' },
);
export const arrayRelationship = object(
  { name: fieldName, using: key(way, using(arrayForeignKey)), comment },
  { title: 'Array relationship' },
);

/** The other side of a relationship of a native query: a table, or a native query of the same source. */

const nativeUsing = withNames(
  convert(
    object({
      column_mapping: key('Column of this query → column of the other side.', record(name)),
      insertion_order: key(
        'Without effect: nothing is inserted into a query.',
        orNull(optional(oneOf('before_parent', 'after_parent'))),
      ),
      remote_table: key('The table. This key or `remote_native_query` is required.', optional(qualifiedName)),
      remote_native_query: key('The native query.', optional(name)),
      argument_mapping: argumentMapping,
    }),
    {
      read: (raw, fail) => {
        if ((raw.remote_table === undefined) === (raw.remote_native_query === undefined))
          fail('exactly one of remote_table, remote_native_query should be present');
        if (raw.argument_mapping && !raw.remote_native_query)
          fail('argument_mapping needs remote_native_query');
        return raw;
      },
      write: (raw) => raw,
    },
  ),
  (value, walk) => {
    const { remote_table, remote_native_query: query, column_mapping } = value;
    const table = remote_table ?? { schema: DECLARED_SCHEMA, name: query! };
    const columns = Object.entries(column_mapping).map(([own, other]) => [
      walk.column(own),
      walk.column(other, { table }),
    ]);
    return {
      ...value,
      ...(remote_table && { remote_table: walk.table(remote_table) }),
      column_mapping: Object.fromEntries(columns),
      ...mappedArguments(value.argument_mapping, walk),
    };
  },
);

const nativeRelationship = object(
  {
    name: key('Name of the field.', name),
    using: key('The other side, and the columns that are equal.', nativeUsing),
    comment,
  },
  { title: 'Relationship of a native query' },
);

export const nativeRelationships = keyedEntries(nativeRelationship, {
  kind: 'relationships',
  key: ({ name: given }) => given,
  dependent: ({ name: given }, { source, table }) => ({
    kind: 'relationship',
    source,
    table,
    name: given,
  }),
});

export type ObjectRelationship = TypeOf<typeof objectRelationship> & Located;
