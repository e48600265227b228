/** A table as the console's editor of permissions needs it: columns with their operators, relationships, permissions as written. */
import type { CatalogColumn, SourceCatalog } from '../catalog/catalog.ts';
import { resolveTypes, typeKey } from '../catalog/type-shapes.ts';
import { OPERATIONS, type TableOperation } from '../core/contract/aspects.ts';
import type { SourceShape } from '../core/contract/shapes.ts';
import type { JsonObject } from '../core/json/json.ts';
import { keyOf } from '../core/names.ts';
import { COLUMN_OPERATORS, type Operator, operatorsOf } from '../core/operators.ts';
import { type ColumnType, columnType } from '../core/types.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import { permissionEntries } from '../metadata/kinds/permission.ts';
import { tableConfiguration } from '../metadata/kinds/table.ts';
import type { Metadata, QualifiedName, TableEntry } from '../metadata/metadata.ts';
import { createReferenceContext } from '../metadata/reference-context.ts';
import { findSource, trackedTableEntry } from '../metadata-api/change/edit.ts';
import type { WorkingCopy } from '../metadata-api/change/working-copy.ts';
import { relationshipsOf, rolesIn } from './model.ts';
import type {
  ColumnOperator,
  ComputableFunction,
  TableAnswer,
  TableColumn,
  WrittenPermission,
} from './proposal-questions.ts';

/**
 * Null for a table that is neither tracked nor in the database.
 * @param served the metadata that is served
 * @throws EngineError for an unknown source
 */
export function tableOf(
  copy: WorkingCopy,
  served: Metadata,
  source: string,
  table: QualifiedName,
): TableAnswer | null {
  const owner = findSource(copy.metadata, source);
  const entry = trackedTableEntry(copy.metadata, source, table);
  const catalog = copy.catalog(source);
  const found = catalog?.tables.find((each) => keyOf(each) === keyOf(table));
  if (!entry && !found) return null;
  const configuration = entry ? (tableConfiguration.write(entry.configuration) as JsonObject) : {};
  return {
    source,
    table,
    kind: found?.kind ?? 'table',
    isTracked: entry !== undefined,
    isEnum: entry?.is_enum === true,
    configuration,
    columns: catalog && found ? columnsOf(catalog, found.columns, entry) : [],
    relationships: entry ? relationshipsOf(entry, createReferenceContext(owner, catalog)) : [],
    computedFields: (entry?.computed_fields ?? []).map(({ name }) => name),
    computable: catalog ? computableOf(catalog, table, entry) : [],
    permissions: permissionsOf(entry),
    served: permissionsOf(trackedTableEntry(served, source, table)),
    roles: rolesIn(copy.metadata),
    inherited: copy.metadata.inherited_roles.map(({ role_name }) => role_name),
    variables: variablesIn(copy.metadata, copy.services.options.vocabulary),
  };
}

/** Of overloaded functions metadata cannot name one. */
function computableOf(
  { functions }: SourceCatalog,
  table: QualifiedName,
  entry: TableEntry | undefined,
): ComputableFunction[] {
  const used = new Set((entry?.computed_fields ?? []).map(({ definition }) => keyOf(definition.function)));
  return functions.flatMap((called) => {
    const { schema, name, arguments: args, returns, returnsSet } = called;
    const position = args.findIndex(({ type }) => !type.array && keyOf(type) === keyOf(table));
    const isOverloaded = functions.some((other) => other !== called && keyOf(other) === keyOf(called));
    if (position < 0 || isOverloaded || used.has(keyOf(called))) return [];
    const tableArgument = position > 0 ? args[position]?.name : null;
    const type = typeKey(returns);
    return [
      { schema, name, returns: returnsSet ? `setof ${type}` : type, ...(tableArgument && { tableArgument }) },
    ];
  });
}

function permissionsOf(entry: TableEntry | undefined): TableAnswer['permissions'] {
  const written = <Operation extends TableOperation>(operation: Operation) =>
    (entry?.[`${operation}_permissions`] ?? []).map(
      (each) => permissionEntries[operation].write(each as never) as unknown as WrittenPermission,
    );
  return {
    select: written('select'),
    insert: written('insert'),
    update: written('update'),
    delete: written('delete'),
  };
}

function columnsOf(
  catalog: SourceCatalog,
  columns: readonly CatalogColumn[],
  entry: TableEntry | undefined,
): TableColumn[] {
  const owner: SourceShape = {
    name: '',
    kind: 'postgres',
    types: resolveTypes(
      catalog,
      columns.map(({ type }) => type),
    ),
  };
  return columns.map(({ name, type: reference, notNull, hasDefault, generated, comment }) => {
    const type = columnType(owner, typeKey(reference));
    const customName = entry?.configuration.column_config[name]?.custom_name;
    return {
      name,
      type: type.key,
      input: INPUTS[type.family] ?? 'text',
      isNullable: !notNull,
      hasDefault: hasDefault === true || generated !== undefined,
      ...(customName !== undefined && { customName }),
      operators: operatorsFor(type),
      ...(comment !== undefined && { comment }),
    };
  });
}

const INPUTS: Readonly<Partial<Record<ColumnType['family'], TableColumn['input']>>> = {
  integer: 'number',
  float: 'number',
  boolean: 'boolean',
  json: 'json',
  jsonb: 'json',
  array: 'json',
  geometry: 'json',
  geography: 'json',
};

function operatorsFor(type: ColumnType): ColumnOperator[] {
  const own = [...operatorsOf(type).values()].map(({ name, argument }) => ({
    name,
    operand: OPERANDS[argument.kind](argument),
  }));
  const others = Object.keys(COLUMN_OPERATORS).map((name) => ({ name, operand: 'column' as const }));
  return [...own, { name: '_is_null', operand: 'boolean' }, ...(own.length > 0 ? others : [])];
}

const OPERANDS: Readonly<
  Record<
    Operator['argument']['kind'],
    (argument: { readonly list?: true } | object) => ColumnOperator['operand']
  >
> = {
  same: () => 'value',
  list: () => 'list',
  type: (argument) => ('list' in argument ? 'list' : 'value'),
  object: () => 'json',
};

/** Session variables that permissions name, as written outside. */
function variablesIn({ sources }: Metadata, { prefix }: Vocabulary): string[] {
  const pattern = new RegExp(`^${prefix}[a-z0-9_-]+$`);
  const found = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value === 'string') {
      const name = value.toLowerCase();
      if (pattern.test(name)) found.add(name);
    } else if (typeof value === 'object' && value !== null)
      for (const item of Object.values(value)) look(item);
  };
  for (const { tables } of sources)
    for (const entry of tables) for (const operation of OPERATIONS) look(entry[`${operation}_permissions`]);
  found.delete(`${prefix}role`);
  return [...found].sort();
}
