/** Resolves tracked tables: their existence, column names and enum columns. */

import type { CatalogColumn, CatalogTable, RelationReference } from '../../../runtime/catalog/catalog.ts';
import { foreignKeyActions } from '../../../runtime/catalog/foreign-key-actions.ts';
import { isNeverNull, isUnique, keysOf } from '../../../runtime/catalog/proven.ts';
import { typeKey } from '../../../runtime/catalog/type-shapes.ts';
import type { ColumnShape, TableShape } from '../../../runtime/core/contract/shapes.ts';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { at } from '../../../runtime/core/diagnostics/diagnostic.ts';
import {
  displayName,
  isColumnField,
  isEnumValueName,
  isGraphqlName,
  keyOf,
  quotedName,
  tableBaseName,
} from '../../../runtime/core/names.ts';
import { quoteIdentifier } from '../../../runtime/core/sql/fragment.ts';
import { belowShape } from './below.ts';
import { requireTyped } from './declared.ts';
import { resolveEnumReferences, resolveEnumTable } from './enum-table.ts';
import { fieldName } from './field.ts';
import { tableLosses } from './losses.ts';
import { attempt, Failure, type ReportedObject, suggest } from './report.ts';
import type { SourceScope, StructureTable, TableScope } from './scope.ts';

/** Resolves the tables of a source, without relationships, computed fields and permissions. */
export function resolveTables(scope: SourceScope): void {
  const enumKeys = new Map(
    scope.source.tables
      .filter(({ is_enum }) => is_enum)
      .map(({ table }) => {
        const [column, ...more] = scope.catalogTables.get(keyOf(table))?.primaryKey?.columns ?? [];
        return [keyOf(table), more.length === 0 ? column : undefined];
      }),
  );
  for (const entry of scope.source.tables) {
    const table = attempt(scope, reportedTable(scope, entry), () =>
      resolveTable(scope, entry, (key) => enumKeys.get(key)),
    );
    if (table) scope.tables.set(table.key, table);
  }
  // A column keeps its plain type when its enum table was left out.
  for (const table of scope.tables.values()) {
    for (const [name, column] of table.columns) {
      if (column.enumTable === undefined || scope.tables.get(column.enumTable)?.enumValues) continue;
      const { enumTable: _, ...plain } = column;
      (table.columns as Map<string, ColumnShape>).set(name, plain);
    }
  }
}

/** The table as inconsistencies list it. */
export function reportedTable(scope: SourceScope, entry: StructureTable): ReportedObject {
  const { schema, name } = entry.table;
  if (entry.declared)
    return {
      path: entry.path,
      type: 'logical_model',
      name: `logical_model ${name} in source ${scope.source.name}`,
      definition: { source: scope.source.name, name },
      context: '',
      offers: () => tableLosses(scope.source, entry, scope.shape.naming),
    };
  return {
    path: entry.path,
    type: 'table',
    name: `table ${displayName(schema, name)} in source ${scope.source.name}`,
    definition: { schema, name },
    // The reasons name the table themselves.
    context: '',
    offers: () => tableLosses(scope.source, entry, scope.shape.naming),
  };
}

function resolveTable(
  scope: SourceScope,
  entry: StructureTable,
  enumKeyOf: (key: string) => string | undefined,
): TableScope {
  const key = keyOf(entry.table);
  const catalog = scope.catalogTables.get(key);
  if (entry.declared)
    requireTyped(scope, 'logical model', entry.table.name, entry.declared.hash, catalog?.definition);
  if (!catalog) {
    const names = scope.catalog.tables.map((table) => displayName(table.schema, table.name));
    throw new Failure(
      messages.tableNotInDatabase({
        table: quotedName(entry.table),
        ...suggest(displayName(entry.table.schema, entry.table.name), names),
      }),
      [...entry.path, 'table'],
    );
  }
  const { custom_name, comment } = entry.configuration;
  const graphqlName = custom_name ?? tableBaseName(catalog.schema, catalog.name);
  if (!isGraphqlName(graphqlName)) throw new Failure(messages.nameNotGraphql({ name: graphqlName }));
  reportKeyNames(scope, entry, catalog);
  const enumValues = entry.is_enum
    ? resolveEnumTable(catalog, scope.catalog.enumTables, scope.shape.naming)
    : undefined;
  const description = comment ?? catalog.comment;
  const columns = resolveColumns(scope, entry, catalog, resolveEnumReferences(catalog, enumKeyOf));
  if (entry.apollo_federation_config && !isFederated({ entry, catalog, columns })) {
    const path = [...entry.path, 'apollo_federation_config'];
    scope.diagnostics.push(at(path, messages.federatedTableWithoutKey({ table: quotedName(catalog) })));
  }
  return {
    key,
    entry,
    catalog,
    columns,
    graphqlName,
    customName: custom_name !== undefined,
    ...(description !== undefined && { description }),
    ...(enumValues && { enumValues }),
    relationships: new Map(),
    computedFields: new Map(),
  };
}

/** Reports keys whose names cannot be values of an enum: `on_conflict` does not offer them. */
function reportKeyNames(scope: SourceScope, entry: StructureTable, catalog: CatalogTable): void {
  for (const name of unnameableKeys(catalog)) {
    const statement = `alter index ${quoteIdentifier(catalog.schema, name)} rename to ${quoteIdentifier(enumValueName(name))}`;
    const about = { name, table: quotedName(catalog), statement };
    scope.diagnostics.push(at(entry.path, messages.keyNameLeftOut(about)));
  }
}

function unnameableKeys(catalog: CatalogTable): readonly string[] {
  return [...keysOf(catalog).map(({ name }) => name), ...Object.keys(conditionallyUnique(catalog))].filter(
    (name) => !isEnumValueName(name),
  );
}

/** A name like the given one that can be a value of an enum. */
function enumValueName(name: string): string {
  const plain = name.replace(/\W/g, '_').replace(/^(?=\d)|^_+/, '_');
  return isEnumValueName(plain) ? plain : `${plain}_key`;
}

/** Unique indexes over expressions or over some rows only, which constraints own none of: name → how to name it in SQL. */
function conditionallyUnique({ indexes }: CatalogTable): Readonly<Record<string, string>> {
  return byName(
    indexes.flatMap(({ name, inference }): [string, string][] =>
      inference === undefined ? [] : [[name, inference]],
    ),
  );
}

/** Keys by which PostgreSQL cannot find the row that is there already, or whose names cannot be values of an enum. */
function notInferable(catalog: CatalogTable): readonly string[] {
  const uninferable = keysOf(catalog)
    .filter(({ deferrable, invalid, temporal }) => deferrable || invalid || temporal)
    .map(({ name }) => name);
  return [...new Set([...uninferable, ...unnameableKeys(catalog)])].sort();
}

function resolveColumns(
  scope: SourceScope,
  entry: StructureTable,
  table: CatalogTable,
  enums: ReadonlyMap<string, string>,
): ReadonlyMap<string, ColumnShape> {
  const configuration = entry.configuration.column_config;
  const names = new Set(table.columns.map(({ name }) => name));
  for (const column of Object.keys(configuration).sort()) {
    if (names.has(column)) continue;
    throw new Failure(messages.columnConfigurationWithoutColumn({ column, ...suggest(column, names) }), [
      ...entry.path,
      'configuration',
      'column_config',
      column,
    ]);
  }
  const columns = new Map<string, ColumnShape>();
  const fields = new Map<string, string>();
  for (const column of table.columns) {
    const { custom_name: customName, comment } = configuration[column.name] ?? {};
    if (entry.declared && Object.hasOwn(entry.declared.nested, column.name)) {
      const description = column.comment && { description: column.comment };
      columns.set(column.name, { ...columnShape(table, column), field: null, nested: true, ...description });
      continue;
    }
    const field = fieldName(column.name, customName, scope.shape.naming);
    const usable = isColumnField(field);
    if (customName !== undefined && !usable) {
      const place = ['configuration', 'column_config', column.name, 'custom_name'];
      throw new Failure(messages.nameNotGraphql({ name: customName }), [...entry.path, ...place]);
    }
    if (usable) {
      const other = fields.get(field);
      if (other !== undefined)
        throw new Failure(messages.columnFieldsConflict({ first: other, second: column.name, field }));
      fields.set(field, column.name);
    } else {
      scope.diagnostics.push(
        at(entry.path, messages.columnNameLeftOut({ column: column.name, table: quotedName(table) })),
      );
    }
    const description = comment ?? column.comment;
    const enumTable = enums.get(column.name);
    columns.set(column.name, {
      ...columnShape(table, column),
      ...(customName !== undefined && customName !== column.name && { field: customName }),
      ...(customName !== undefined && scope.shape.naming === 'graphql-default' && { customField: true }),
      ...(!usable && { field: null }),
      ...(description && { description }),
      ...(enumTable !== undefined && { enumTable }),
    });
  }
  return columns;
}

function columnShape(table: CatalogTable, column: CatalogColumn): ColumnShape {
  return {
    type: typeKey(column.type),
    ...(isNeverNull(table, column.name).holds && { notNull: true }),
    ...(column.promised && { promised: true }),
    ...(column.hasDefault && { hasDefault: true }),
    ...((column.generated || column.identity === 'always') && { generated: true }),
    ...(column.nondeterministic && { nondeterministic: true }),
    ...(column.updatable === false && { readOnly: true }),
    ...(column.origin && { origin: { table: keyOf(column.origin), column: column.origin.column } }),
    ...(column.below && { below: column.below }),
  };
}

/** The finished table in the form of generated files. */
export function tableShape(scope: SourceScope, table: TableScope): TableShape {
  const { catalog } = table;
  const unique = [...catalog.uniqueConstraints, ...catalog.uniqueIndexes];
  const conditional = conditionallyUnique(catalog);
  const unnamed = notInferable(catalog);
  const shared = keysOf(catalog).flatMap((key): [string, string][] => {
    const { holds, because } = isUnique(catalog, key);
    return holds ? [] : [[key.name, because]];
  });
  const readOnly = (
    [
      ['insert', catalog.insertable],
      ['update', catalog.updatable],
      ['delete', catalog.deletable],
    ] as const
  ).flatMap(([operation, allowed]) => (allowed ? [] : [operation]));
  const references = otherReferences(scope, table);
  const around = {
    isTracked: (key: string) => scope.tables.has(key),
    tableOf: (key: string) => scope.catalogTables.get(key),
  };
  const sharing = sharesRows(scope, catalog);
  const onDelete = foreignKeyActions(catalog, 'onDelete', around);
  const onUpdate = foreignKeyActions(catalog, 'onUpdate', around);
  return {
    source: scope.shape,
    schema: catalog.schema,
    name: catalog.name,
    kind: catalog.kind,
    graphqlName: table.graphqlName,
    ...(table.customName && { customName: true }),
    ...(table.description !== undefined && { description: table.description }),
    columns: Object.fromEntries(
      [...table.columns].map(([name, shape]) => [
        name,
        shape.below ? { ...shape, below: belowShape(scope, shape.below) } : shape,
      ]),
    ),
    ...(catalog.primaryKey && {
      primaryKey: { name: catalog.primaryKey.name, columns: catalog.primaryKey.columns },
    }),
    ...(isFederated(table) && { federated: true }),
    ...(unique.length > 0 && { unique: byName(unique.map(({ name, columns }) => [name, columns])) }),
    ...(Object.keys(conditional).length > 0 && { conditionallyUnique: conditional }),
    ...(unnamed.length > 0 && { notInferable: unnamed }),
    ...(shared.length > 0 && { unprovenKeys: byName(shared) }),
    ...(table.relationships.size > 0 && { relationships: byName([...table.relationships]) }),
    ...(table.computedFields.size > 0 && { computedFields: byName([...table.computedFields]) }),
    ...(table.enumValues && { enumValues: table.enumValues }),
    ...(catalog.ordered && { ordered: true }),
    ...(catalog.below && { below: belowShape(scope, catalog.below) }),
    ...(sharing.length > 0 && { sharesRows: sharing }),
    ...(catalog.definition !== undefined && { bodyHash: catalog.definition }),
    ...(catalog.calls && { calls: catalog.calls }),
    ...(references.length > 0 && { references }),
    ...(catalog.triggers && { triggers: catalog.triggers }),
    ...(onDelete && { onDelete }),
    ...(onUpdate && { onUpdate }),
    ...(catalog.sideEffects && { sideEffects: true }),
    ...(readOnly.length > 0 && { readOnly }),
  };
}

/**
 * Other tables that show rows of this one, or have rows that this one shows: those above it, and tracked ones below them and below
 * it. A row of a table below two of them is a row of both.
 */
function sharesRows({ catalog: { tables }, tables: tracked }: SourceScope, catalog: CatalogTable): string[] {
  if (!catalog.ancestors && !tables.some(({ ancestors = [] }) => ancestors.some(isSame(catalog)))) return [];
  const above = new Set((catalog.ancestors ?? []).map(keyOf));
  const below = tables.filter(({ ancestors = [] }) => ancestors.some(isSame(catalog)));
  const found = new Set(above);
  for (const table of [catalog, ...below])
    for (const key of [keyOf(table), ...(table.ancestors ?? []).map(keyOf)])
      if (tracked.has(key) || !below.some((each) => keyOf(each) === key)) found.add(key);
  found.delete(keyOf(catalog));
  return [...found].sort();
}

function isSame({ schema, name }: RelationReference) {
  return (other: RelationReference): boolean => other.schema === schema && other.name === name;
}

/** Whether the table is marked for a federated graph, and has a key whose columns all have fields. */
function isFederated({
  entry,
  catalog,
  columns,
}: Pick<TableScope, 'entry' | 'catalog' | 'columns'>): boolean {
  if (!entry.apollo_federation_config || !catalog.primaryKey) return false;
  return catalog.primaryKey.columns.every((name) => columns.get(name)?.field !== null);
}

/** Foreign keys to tables that are served, without those that an object relationship follows. */
function otherReferences(
  { tables, catalogTables }: SourceScope,
  { catalog, relationships }: TableScope,
): NonNullable<TableShape['references']>[number][] {
  const followed = new Set(
    [...relationships.values()]
      .filter(({ kind, insertAfter }) => kind === 'object' && !insertAfter)
      .map(({ columns, target }) => [target, ...Object.keys(columns).sort()].join()),
  );
  return catalog.foreignKeys
    .map(({ columns, references: { columns: to, ...target } }) => {
      const key = catalogTables.get(keyOf(target))?.primaryKey?.columns;
      return { columns, target: keyOf(target), ...(key?.join() !== to.join() && { to }) };
    })
    .filter(
      ({ columns, target }) => tables.has(target) && !followed.has([target, ...columns.toSorted()].join()),
    );
}

function byName<Value>(entries: readonly (readonly [string, Value])[]): Record<string, Value> {
  return Object.fromEntries(
    entries.toSorted(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0)),
  );
}
