/** Changes of the model, as requests of the metadata API. */

import type { JsonObject } from '../../../core/json/json.ts';
import type { QualifiedName } from '../../../core/names.ts';
import type {
  ComputableFunction,
  ModelSuggestion,
  PermissionOperation,
  WrittenPermission,
} from '../../proposal-questions.ts';
import { type Change, changeOf, type Request } from './change.ts';

export function nameOf({ schema, name }: QualifiedName): string {
  return schema === 'public' ? name : `${schema}.${name}`;
}

/** `ticket`, or `3 tables`. */
function counted(items: readonly QualifiedName[], plural: string): string {
  return items.length === 1 ? nameOf(items[0]!) : `${items.length} ${plural}`;
}

function plain({ schema, name }: QualifiedName): QualifiedName {
  return { schema, name };
}

export function trackTables(source: string, tables: readonly QualifiedName[]): Change {
  const args = { tables: tables.map((table) => ({ source, table: plain(table) })), allow_warnings: true };
  return changeOf(`track ${counted(tables, 'tables and views')}`, [['pg_track_tables', args]]);
}

export function trackFunctions(source: string, functions: readonly QualifiedName[]): Change {
  return changeOf(
    `track ${counted(functions, 'functions')}`,
    functions.map((each): Request => ['pg_track_function', { source, function: plain(each) }]),
  );
}

export function untrack(kind: 'table' | 'function', source: string, name: QualifiedName): Change {
  const args = { source, [kind]: plain(name), ...(kind === 'table' && { cascade: true }) };
  return changeOf(`untrack ${nameOf(name)}`, [[`pg_untrack_${kind}`, args]]);
}

/** @param named suggestions, with the name that each is to have */
export function relate(source: string, named: readonly ModelSuggestion[]): Change {
  const [first] = named;
  const title =
    named.length === 1 && first
      ? `relate ${nameOf(first.from)}.${first.name} to ${nameOf(first.to)}`
      : `relate by ${named.length} suggestions`;
  const args = named.map(({ type, name, from, using }) => ({
    type: `pg_create_${type}_relationship`,
    args: { source, table: plain(from), name, using },
  }));
  return changeOf(title, [['bulk_atomic', args]]);
}

export function dropRelationship(source: string, table: QualifiedName, relationship: string): Change {
  const args = { source, table: plain(table), relationship, cascade: true };
  const title = `drop the relationship ${nameOf(table)}.${relationship}`;
  return changeOf(title, [['pg_drop_relationship', args]]);
}

export function renameRelationship(
  source: string,
  table: QualifiedName,
  name: string,
  new_name: string,
): Change {
  const args = { source, table: plain(table), name, new_name };
  const title = `rename the relationship ${nameOf(table)}.${name} to ${new_name}`;
  return changeOf(title, [['pg_rename_relationship', args]]);
}

/** A relationship over columns with equal values. @param columns here → there */
export function relateBy(
  source: string,
  table: QualifiedName,
  name: string,
  type: 'object' | 'array',
  to: QualifiedName,
  columns: Readonly<Record<string, string>>,
): Change {
  const manual_configuration = { remote_table: plain(to), column_mapping: columns };
  const args = { source, table: plain(table), name, using: { manual_configuration } };
  const title = `relate ${nameOf(table)}.${name} to ${nameOf(to)}`;
  return changeOf(title, [[`pg_create_${type}_relationship`, args]]);
}

export function addComputedField(
  source: string,
  table: QualifiedName,
  name: string,
  { schema, name: called, tableArgument }: ComputableFunction,
): Change {
  const definition = {
    function: { schema, name: called },
    ...(tableArgument !== undefined && { table_argument: tableArgument }),
  };
  const args = { source, table: plain(table), name, definition };
  return changeOf(`computed field ${nameOf(table)}.${name}`, [['pg_add_computed_field', args]]);
}

export function dropComputedField(source: string, table: QualifiedName, name: string): Change {
  const args = { source, table: plain(table), name, cascade: true };
  return changeOf(`drop the computed field ${nameOf(table)}.${name}`, [['pg_drop_computed_field', args]]);
}

export function customize(source: string, table: QualifiedName, configuration: JsonObject): Change {
  const args = { source, table: plain(table), configuration };
  const key = `names ${JSON.stringify([source, plain(table)])}`;
  return changeOf(`names of ${nameOf(table)}`, [['pg_set_table_customization', args]], key);
}

export function setEnum(source: string, table: QualifiedName, is_enum: boolean): Change {
  const args = { source, table: plain(table), is_enum };
  const title = `${nameOf(table)} is ${is_enum ? 'an enum' : 'no enum'}`;
  const key = `enum ${JSON.stringify([source, plain(table)])}`;
  return changeOf(title, [['pg_set_table_is_enum', args]], key);
}

/** @param served the permission that the role has now @param next absent: the role loses it */
export function setPermission(
  place: {
    readonly source: string;
    readonly table: QualifiedName;
    readonly role: string;
    readonly operation: PermissionOperation;
  },
  served: WrittenPermission | undefined,
  next: WrittenPermission | undefined,
): Change {
  const { source, role, operation } = place;
  const table = plain(place.table);
  const title = `${next ? '' : 'no '}${operation} permission of ${role} on ${nameOf(table)}`;
  const requests: Request[] = [];
  if (served) requests.push([`pg_drop_${operation}_permission`, { source, table, role }]);
  if (next) requests.push([`pg_create_${operation}_permission`, { source, table, ...next }]);
  const key = `permission ${JSON.stringify([source, table, role, operation])}`;
  return changeOf(title, requests, key);
}
