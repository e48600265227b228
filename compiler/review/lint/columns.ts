/** Rules of the lint about columns: which are granted, which say whose a row is, which an index serves. */

import type { CatalogTable } from '../../../runtime/catalog/catalog.ts';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { objectKey } from '../../../runtime/core/names.ts';
import type { BooleanExpression } from '../../model/model.ts';
import { boundColumns } from './conditions.ts';
import { about, causedBy, type Found } from './finding.ts';
import type { LintInput, PlacedPermission, PlacedTable } from './place.ts';
import { permissionNames } from './rows.ts';

/** `*` where a new column would be granted unseen. */
export function everyColumn(
  table: PlacedTable,
  permission: PlacedPermission,
  publicRoles: readonly string[],
): Found[] {
  const { written, operation, role, path } = permission;
  const isWrite = operation === 'insert' || operation === 'update';
  // An insert permission that names no columns grants them all.
  const all = written.columns === '*' || (operation === 'insert' && written.columns === undefined);
  if (!all || !(isWrite || publicRoles.includes(role))) return [];
  const place = written.columns === undefined ? path : [...path, 'columns'];
  return [
    causedBy(place, messages.allColumnsGranted(permissionNames(table, permission)), [
      table.source,
      table.model.key,
    ]),
  ];
}

/** Updates that can change what their own row rule asks. */
export function givenAway(table: PlacedTable, permission: PlacedPermission): Found[] {
  const { operation, filter, check, columns, path, role } = permission;
  if (operation !== 'update' || !filter) return [];
  const held = new Set(check ? boundColumns(check).map(({ column }) => column) : []);
  const loose = new Set(
    boundColumns(filter)
      .map(({ column }) => column)
      .filter((column) => columns.includes(column) && !held.has(column)),
  );
  return [...loose].map((column) =>
    about(table, [...path, 'columns'], messages.rowCanBeGivenAway({ role, column, table: table.name }), [
      column,
    ]),
  );
}

/** Inserts that choose whose the row is. */
export function chosenOwner(table: PlacedTable, permission: PlacedPermission): Found[] {
  const { operation, check, columns, path, role } = permission;
  if (operation !== 'insert') return [];
  const held = new Set(check ? boundColumns(check).map(({ column }) => column) : []);
  const found = new Map<string, Found>();
  for (const other of table.permissions) {
    if (other.role !== role || !other.filter || other === permission) continue;
    for (const { column, variable } of boundColumns(other.filter)) {
      if (variable === undefined || !columns.includes(column) || held.has(column) || found.has(column))
        continue;
      const rule = `its rule for ${other.operation} compares it with ${variable}`;
      found.set(
        column,
        about(
          table,
          [...path, 'columns'],
          messages.ownerCanBeChosen({ role, column, table: table.name, rule, variable }),
          [column],
        ),
      );
    }
  }
  return [...found.values()];
}

/** A column by which a row rule looks for rows, and no index finds them. */
export interface UnindexedColumn {
  readonly target: PlacedTable;
  readonly column: string;
}

/** Equalities of a row rule by which no index finds rows. */
export function unindexedColumns(
  table: PlacedTable,
  permission: PlacedPermission,
  { tableOf }: LintInput,
): UnindexedColumn[] {
  const found: UnindexedColumn[] = [];
  /** @param own whether rows are found by the conditions here; beyond a relationship its columns find them */
  const look = (condition: BooleanExpression, target: PlacedTable, own: boolean): void => {
    const parts = condition.kind === 'and' ? condition.conditions : [condition];
    // One index is enough for all conditions that hold together.
    const equal = own ? parts.flatMap(comparedWithSession) : [];
    const isFound = !own || equal.some((column) => hasIndex(target.catalog, [column]));
    if (equal.length > 0 && !isFound) found.push({ target, column: equal[0]! });
    for (const part of parts) {
      if (part.kind === 'or')
        for (const branch of part.conditions) look(branch, target, !isFound && equal.length === 0);
      if (part.kind !== 'relationship') continue;
      const next = tableOf(table.source, objectKey(part.target.schema, part.target.name));
      if (!next) continue;
      const keys = Object.values(part.columns);
      if (!hasIndex(next.catalog, keys)) found.push({ target: next, column: keys[0]! });
      else look(part.condition, next, false);
    }
  };
  if (permission.filter) look(permission.filter, table, true);
  return found;
}

function comparedWithSession(part: BooleanExpression): string[] {
  if (part.kind !== 'comparison' || part.left.kind !== 'column' || part.operator !== '_eq') return [];
  return part.right.kind === 'value' && part.right.value.kind === 'session' ? [part.left.column] : [];
}

/** True if an index begins with one of the columns, or if the relation cannot have indexes. */
function hasIndex({ kind, indexes }: CatalogTable, columns: readonly string[]): boolean {
  if (kind === 'view' || kind === 'foreign') return true;
  return indexes.some(
    ({ columns: keys, partial, method }) =>
      !partial &&
      ['btree', 'hash'].includes(method) &&
      typeof keys[0] === 'string' &&
      columns.includes(keys[0]),
  );
}
