/** Finds the place of a denial's rule in the metadata. Searched for each denial, because permissions carry no places. */

import { pathStep } from '../../core/errors.ts';
import { isObject } from '../../core/json/json.ts';
import { actionRule, type Reason, ruleName } from '../../core/reason.ts';
import type { Json, Metadata, PermissionEntry, Source, TableEntry } from '../../metadata/metadata.ts';
import type { MetadataState, SourceDatabase } from './state.ts';

const TABLE_OPERATIONS = ['select', 'insert', 'update', 'delete'] as const;

/**
 * Paths like `metadata.sources[0].tables[3].select_permissions[1].permission.filter.author_id._eq`: every comparison with
 * the missing variable, else the part that denied, else the permission. Of a role that inherits: in the permissions of its
 * parents. Of a permission that does not exist: the list that it would be in.
 */
export function locateRule(
  { metadata, catalogs }: Pick<MetadataState<SourceDatabase>, 'metadata' | 'catalogs'>,
  reason: Reason,
): readonly string[] {
  const columnsOf = (source: Source, { table }: TableEntry): ReadonlySet<string> => {
    const catalog = catalogs[source.name];
    const tables = catalog && 'tables' in catalog ? catalog.tables : [];
    const found = tables.find(({ schema, name }) => schema === table.schema && name === table.name);
    return new Set(found?.columns.map(({ name }) => name));
  };
  for (const source of metadata.sources) {
    if (!reason.rule.startsWith(`${source.name}.`)) continue;
    const place = () => positionIn('metadata.sources', metadata.sources, source);
    for (const entry of source.tables) {
      for (const operation of TABLE_OPERATIONS) {
        const start = ruleName({ source, ...entry.table }, operation, '');
        if (!reason.rule.startsWith(start)) continue;
        const table = positionIn(`${place()}.tables`, source.tables, entry);
        const role = reason.rule.slice(start.length);
        return locateInTable(metadata, entry, operation, role, table, reason, columnsOf(source, entry));
      }
    }
    for (const entry of source.functions) {
      if (!reason.rule.startsWith(ruleName({ source, ...entry.function }, 'function', ''))) continue;
      return [`${positionIn(`${place()}.functions`, source.functions, entry)}.permissions`];
    }
  }
  for (const action of metadata.actions) {
    if (!reason.rule.startsWith(actionRule(action.name, ''))) continue;
    return [`${positionIn('metadata.actions', metadata.actions, action)}.permissions`];
  }
  return [];
}

/** Path of an item, counted as export_metadata shows the list: what is served is in that order. */
function positionIn<Item>(list: string, items: readonly Item[], item: Item): string {
  return `${list}[${items.indexOf(item)}]`;
}

function locateInTable(
  metadata: Metadata,
  entry: TableEntry,
  operation: (typeof TABLE_OPERATIONS)[number],
  role: string,
  table: string,
  reason: Reason,
  columns: ReadonlySet<string>,
): readonly string[] {
  const list = `${table}.${operation}_permissions`;
  const permissions: readonly PermissionEntry<unknown>[] = entry[`${operation}_permissions`];
  const roles = new Set([role, ...parentsOf(metadata, role)]);
  const found = permissions
    .filter((each) => roles.has(each.role))
    .flatMap((each) => {
      const place = positionIn(list, permissions, each);
      return locateInPermission(each.permission as Json, `${place}.permission`, reason, columns);
    });
  return found.length > 0 ? found : [list];
}

/** The roles that a role inherits from, directly and indirectly. */
function parentsOf({ inherited_roles: all }: Metadata, role: string): ReadonlySet<string> {
  const parents = new Set<string>();
  const add = (name: string) => {
    for (const parent of all.find(({ role_name }) => role_name === name)?.role_set ?? []) {
      if (parents.has(parent)) continue;
      parents.add(parent);
      add(parent);
    }
  };
  add(role);
  return parents;
}

function locateInPermission(
  permission: Json,
  place: string,
  { part, variable, condition }: Reason,
  columns: ReadonlySet<string>,
): readonly string[] {
  let value: Json | undefined = permission;
  let path = place;
  for (const step of part ?? []) {
    const next: Json | undefined = isObject(value) ? value[step] : undefined;
    path = pathStep(path, step);
    if (next === undefined) return [path];
    value = next;
  }
  if (condition !== undefined) {
    const conditions = conditionsOf(value, path, columns);
    return [conditions.length === condition.of ? conditions[condition.number - 1]! : path];
  }
  if (variable === undefined) return [path];
  return leavesWith(value, variable, path);
}

/** Paths of the conditions that an expression joins with `and`, in the order of the compiled rule. */
function conditionsOf(value: Json, path: string, columns: ReadonlySet<string>): readonly string[] {
  if (!isObject(value)) return [path];
  const keys = Object.keys(value).sort();
  const first = keys.filter((key) => columns.has(key));
  const others = keys.filter((key) => !columns.has(key));
  return [
    ...first.flatMap((key) => comparisonsOf(value[key]!, pathStep(path, key))),
    ...others.flatMap((key) => {
      const item = value[key]!;
      const place = pathStep(path, key);
      return /^[_$]and$/.test(key) && Array.isArray(item)
        ? item.flatMap((each, index) => conditionsOf(each, pathStep(place, index), columns))
        : [place];
    }),
  ];
}

/** Paths of the comparisons under a column: a bare value, or operators. */
function comparisonsOf(value: Json, path: string): readonly string[] {
  if (!isObject(value)) return [path];
  const operators = Object.keys(value).sort();
  return operators.map((operator) => pathStep(path, operator));
}

/** Paths of the texts that name a session variable. */
function leavesWith(value: Json, variable: string, path: string): readonly string[] {
  if (typeof value === 'string') return value.toLowerCase() === variable ? [path] : [];
  if (Array.isArray(value))
    return value.flatMap((item, index) => leavesWith(item, variable, pathStep(path, index)));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => leavesWith(item, variable, pathStep(path, key)));
}
