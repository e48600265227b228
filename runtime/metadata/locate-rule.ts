/** Where the rule of a denial stands in the metadata. Looked for when somebody is denied: permissions carry no places. */
import type { Json, Metadata, TableEntry } from '../../compiler/model/metadata.ts';
import { pathStep } from '../core/errors.ts';
import { type Reason, ruleName } from '../core/reason.ts';

const TABLE_OPERATIONS = ['select', 'insert', 'update', 'delete'] as const;

/**
 * Paths like `metadata.sources[0].tables[3].select_permissions[1].permission.filter.author_id._eq`: every comparison with
 * the missing variable, else the part that denied, else the permission. Of a role that inherits: in the permissions of its
 * parents. Of a permission that does not exist: the list that it would be in.
 */
export function locateRule(metadata: Metadata, reason: Reason): readonly string[] {
  for (const [sourceIndex, source] of metadata.sources.entries()) {
    if (!reason.rule.startsWith(`${source.name}.`)) continue;
    const place = `metadata.sources[${sourceIndex}]`;
    for (const [index, entry] of source.tables.entries()) {
      const found = locateInTable(metadata, source, entry, `${place}.tables[${index}]`, reason);
      if (found) return found;
    }
    for (const [index, entry] of source.functions.entries()) {
      const role = roleAfter(ruleName({ source, ...entry.function }, 'function', ''), reason.rule);
      if (role !== undefined) return [`${place}.functions[${index}].permissions`];
    }
  }
  return [];
}

function locateInTable(
  metadata: Metadata,
  source: { readonly name: string },
  entry: TableEntry,
  place: string,
  reason: Reason,
): readonly string[] | undefined {
  for (const operation of TABLE_OPERATIONS) {
    const role = roleAfter(ruleName({ source, ...entry.table }, operation, ''), reason.rule);
    if (role === undefined) continue;
    const list = `${place}.${operation}_permissions`;
    const own = new Set([role, ...parentsOf(metadata, role)]);
    const found = entry[`${operation}_permissions`].flatMap((each, index) =>
      own.has(each.role)
        ? locateInPermission(each.permission as unknown as Json, `${list}[${index}].permission`, reason)
        : [],
    );
    return found.length > 0 ? found : [list];
  }
  return undefined;
}

/** The end of a rule's name that begins with the given text: the role. */
function roleAfter(start: string, rule: string): string | undefined {
  return rule.startsWith(start) ? rule.slice(start.length) : undefined;
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
    const conditions = conditionsOf(value, path);
    return [conditions.length === condition.of ? conditions[condition.number - 1]! : path];
  }
  if (variable === undefined) return [path];
  return leavesWith(value, variable, path);
}

/** Paths of the conditions that an expression joins with `and`, in order. */
function conditionsOf(value: Json, path: string): readonly string[] {
  if (!isObject(value)) return [path];
  return Object.entries(value).flatMap(([key, item]) => {
    const place = pathStep(path, key);
    if (/^[_$]and$/.test(key) && Array.isArray(item))
      return item.flatMap((each, index) => conditionsOf(each, pathStep(place, index)));
    const operators = isObject(item) && /^[_$]/.test(key) === false ? Object.keys(item) : [];
    const areComparisons = operators.length > 1 && operators.every((name) => COMPARISON.test(name));
    return areComparisons ? operators.map((name) => pathStep(place, name)) : [place];
  });
}

/** Operators of columns; what else begins so joins conditions. */
const COMPARISON = /^[_$](?!and$|or$|not$|exists$)/;

/** Paths of the texts that name a session variable. */
function leavesWith(value: Json, variable: string, path: string): readonly string[] {
  if (typeof value === 'string') return value.toLowerCase() === variable ? [path] : [];
  if (Array.isArray(value))
    return value.flatMap((item, index) => leavesWith(item, variable, pathStep(path, index)));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => leavesWith(item, variable, pathStep(path, key)));
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
