/**
 * Rules of the lint about columns that a role may not read where they are, and may read by another way. Aggregates, orders and
 * filters offer no column that the role may not read, and rows that functions return show what the permission on their table
 * shows: neither is a way.
 */

import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { objectKey } from '../../../runtime/core/names.ts';
import { remember } from '../../../runtime/core/remember.ts';
import { about, type Found } from './finding.ts';
import type { LintInput, PlacedPermission, PlacedTable } from './place.ts';

/** The columns of a table that a role which reads it may not read; a role that may not read the table at all has none. */
export function hiddenColumns(table: PlacedTable | undefined, role: string): readonly string[] {
  const read = table && permissionToRead(table, role);
  return read
    ? Object.keys(table.model.shape.columns).filter((column) => !read.columns.includes(column))
    : [];
}

function isHidden(table: PlacedTable, role: string, column: string): boolean {
  const read = permissionToRead(table, role);
  return (
    read !== undefined && Object.hasOwn(table.model.shape.columns, column) && !read.columns.includes(column)
  );
}

/** Memo: a table never changes. */
const readers = new WeakMap<PlacedTable, ReadonlyMap<string, PlacedPermission>>();

/** The permission of a role to read rows. Found once for a table: it is asked for by thousands. */
export function permissionToRead(table: PlacedTable, role: string): PlacedPermission | undefined {
  const byRole = remember(
    readers,
    table,
    () =>
      new Map(
        table.permissions
          .filter(({ operation }) => operation === 'select')
          .map((each) => [each.role, each] as const),
      ),
  );
  return byRole.get(role);
}

/** Columns that a view shows. */
export function shownByView(
  view: PlacedTable,
  { operation, role, columns, path }: PlacedPermission,
  { tableOf }: LintInput,
): Found[] {
  if (operation !== 'select') return [];
  return columns.flatMap((shown): Found[] => {
    const origin = view.model.shape.columns[shown]?.origin;
    const table = origin && tableOf(view.source, origin.table);
    if (!table || !isHidden(table, role, origin.column)) return [];
    const message = messages.hiddenColumnShownByView({
      role,
      column: origin.column,
      table: table.name,
      shown,
      view: view.name,
    });
    return [about(view, [...path, 'columns'], message, [origin.column, shown], table.model.key)];
  });
}

/** Columns that the query of a view reads, where the view shows something that it computed. */
export function computedByView(
  view: PlacedTable,
  { operation, role, columns, path }: PlacedPermission,
  { tableOf }: LintInput,
): Found[] {
  if (operation !== 'select') return [];
  const computed = columns.filter((column) => !view.model.shape.columns[column]?.origin);
  if (computed.length === 0) return [];
  return Object.entries(view.model.shape.below?.reads ?? {}).flatMap(([key, read]) => {
    const table = tableOf(view.source, key);
    const hidden = hiddenColumns(table, role).filter((column) => read.includes(column));
    if (!table || hidden.length === 0) return [];
    const message = messages.hiddenColumnComputedByView({
      role,
      columns: quotedNames(hidden),
      table: table.name,
      computed: quotedNames(computed),
      view: view.name,
    });
    return [about(view, [...path, 'columns'], message, [...hidden, ...computed], table.model.key)];
  });
}

/**
 * Columns whose values are also in columns of related rows. A role that may follow a reference to a row may know its key,
 * so only other columns are reported.
 */
export function shownByRelationship(
  table: PlacedTable,
  { operation, role, path }: PlacedPermission,
  { tableOf }: LintInput,
): Found[] {
  if (operation !== 'select') return [];
  return Object.entries(table.model.shape.relationships ?? {}).flatMap(
    ([relationship, { kind, target: key, columns }]) => {
      const target = tableOf(table.source, key);
      const read = target && permissionToRead(target, role);
      return Object.entries(columns).flatMap(([column, shown]) => {
        const isKey = kind === 'object' && target?.model.shape.primaryKey?.columns.includes(shown);
        if (!read?.columns.includes(shown) || isKey || !isHidden(table, role, column)) return [];
        const message = messages.hiddenColumnShownByRelationship({
          role,
          column,
          table: table.name,
          shown,
          relationship,
        });
        return [about(table, [...path, 'columns'], message, [column, shown], relationship)];
      });
    },
  );
}

/** Columns that the function of a scalar computed field gets with the row. */
export function givenToFunction(
  table: PlacedTable,
  { operation, role, path, computedFields }: PlacedPermission,
): Found[] {
  if (operation !== 'select' || computedFields.length === 0) return [];
  const hidden = hiddenColumns(table, role);
  if (hidden.length === 0) return [];
  return computedFields.map((field) => {
    const { schema, name } = table.model.shape.computedFields![field]!.function;
    const message = messages.hiddenColumnGivenToFunction({
      role,
      field,
      table: table.name,
      called: objectKey(schema, name),
      columns: quotedNames(hidden),
    });
    return about(table, [...path, 'computed_fields'], message, hidden, field);
  });
}

export function quotedNames(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}
