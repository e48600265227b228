/** Requests for what a role may not write: a column that a preset or a permission keeps from it, or a whole table. */
import { tableNamed } from '../queries/project.ts';
import type { Random } from '../random.ts';
import { deletePath, insertPath, updatePath } from './form.ts';
import { BARE, EVERYTHING, functionsOf, type Permissions, rulesOf, type WriteRules } from './permissions.ts';
import type { Changes, Conflict, InsertObject, Mutation, MutationField, Related } from './request.ts';

/** Changes one thing about a mutation so that it asks for what the role has not; undefined where nothing is found. */
export function withSomethingForbidden(
  random: Random,
  permissions: Permissions,
  mutation: Mutation,
): Mutation | undefined {
  const rules = (table: string) => rulesOf(permissions, mutation, table);
  const index = random.below(mutation.fields.length);
  const field = mutation.fields[index]!;
  const changed = changedField(random, rules, field);
  return (
    changed && { ...mutation, fields: mutation.fields.map((each, at) => (at === index ? changed : each)) }
  );
}

type RulesOf = (table: string) => WriteRules;

function changedField(random: Random, rules: RulesOf, field: MutationField): MutationField | undefined {
  switch (field.kind) {
    case 'insert':
    case 'insert one': {
      if (field.conflict && random.chance(0.4)) {
        const conflict = changedConflict(random, rules, field.table, field.conflict);
        return conflict && { ...field, conflict };
      }
      if (field.objects.length === 0) return undefined;
      const at = random.below(field.objects.length);
      const object = changedObject(random, rules, field.table, field.objects[at]!);
      return object && { ...field, objects: field.objects.with(at, object) };
    }
    case 'update':
    case 'update by key': {
      return changedUpdate(random, rules, field.table, field);
    }
    case 'update many': {
      if (field.entries.length === 0) return undefined;
      const at = random.below(field.entries.length);
      const entry = changedUpdate(random, rules, field.table, field.entries[at]!);
      return entry && { ...field, entries: field.entries.with(at, entry) };
    }
    default:
      return undefined;
  }
}

function changedObject(
  random: Random,
  rules: RulesOf,
  table: string,
  object: InsertObject,
): InsertObject | undefined {
  if (object.nested.length > 0 && random.chance(0.6)) {
    const at = random.below(object.nested.length);
    const nested = object.nested[at]!;
    if (nested.objects.length === 0) return undefined;
    const index = random.below(nested.objects.length);
    const inner = changedObject(random, rules, nested.target, nested.objects[index]!);
    return (
      inner && {
        ...object,
        nested: object.nested.with(at, { ...nested, objects: nested.objects.with(index, inner) }),
      }
    );
  }
  const column = forbiddenColumn(random, table, insertable(rules(table)));
  return column === undefined ? undefined : { ...object, columns: { ...object.columns, [column]: null } };
}

function changedConflict(
  random: Random,
  rules: RulesOf,
  table: string,
  conflict: Conflict,
): Conflict | undefined {
  const column = forbiddenColumn(random, table, updatable(rules(table)));
  return column === undefined ? undefined : { ...conflict, columns: [...conflict.columns, column] };
}

function changedUpdate<Update extends Changes>(
  random: Random,
  rules: RulesOf,
  table: string,
  update: Update,
): Update | undefined {
  const { changes, related } = update;
  if (related.length > 0 && random.chance(0.6)) {
    const at = random.below(related.length);
    const inner = changedRelated(random, rules, related[at]!);
    return inner && { ...update, related: related.with(at, inner) };
  }
  const column = forbiddenColumn(random, table, updatable(rules(table)));
  if (column === undefined) return undefined;
  return { ...update, changes: [...changes, { operator: '_set', column, value: null }] };
}

/** A column, or what may not be done at all. */
function changedRelated(random: Random, rules: RulesOf, related: Related): Related | undefined {
  const { kind, target, updates, insert } = related;
  if (random.chance(0.3)) {
    const own = rules(target);
    if (kind === 'object' || !own.delete) return { ...related, delete: EVERYTHING };
    return own.insert ? undefined : { ...related, insert: { objects: [], conflict: undefined } };
  }
  if (insert && insert.objects.length > 0 && random.chance(0.5)) {
    const object = changedObject(random, rules, target, insert.objects[0]!);
    return object && { ...related, insert: { ...insert, objects: insert.objects.with(0, object) } };
  }
  if (updates.length === 0) return undefined;
  const at = random.below(updates.length);
  const update = changedUpdate(random, rules, target, updates[at]!);
  return update && { ...related, updates: updates.with(at, update) };
}

function forbiddenColumn(random: Random, table: string, allowed: ReadonlySet<string>): string | undefined {
  const names = tableNamed(BARE, table).columns.map(({ name }) => name);
  const forbidden = names.filter((name) => !allowed.has(name));
  return forbidden.length === 0 ? undefined : random.pick(forbidden);
}

function insertable({ insert }: WriteRules): ReadonlySet<string> {
  return new Set(insert?.columns.filter((name) => !Object.hasOwn(insert.set, name)));
}

function updatable({ update }: WriteRules): ReadonlySet<string> {
  return new Set(update?.columns.filter((name) => !Object.hasOwn(update.set, name)));
}

/** Where a field asks for what the role has not; undefined: nowhere. `path` is the field's arguments'. */
export function forbiddenPath(
  permissions: Permissions,
  mutation: Mutation,
  field: MutationField,
  path: string,
): string | undefined {
  const rules = (table: string) => rulesOf(permissions, mutation, table);
  switch (field.kind) {
    case 'insert':
    case 'insert one':
      return (
        firstOf(field.objects, (object, index) =>
          pathInObject(
            rules,
            field.table,
            object,
            field.kind === 'insert' ? `${path}.objects[${index}]` : `${path}.object`,
          ),
        ) ?? pathInConflict(rules, field.table, field.conflict, path)
      );
    case 'update':
    case 'update by key':
      return pathInUpdate(rules, field.table, field, path);
    case 'update many':
      return firstOf(field.entries, (entry, index) =>
        pathInUpdate(rules, field.table, entry, `${path}.updates[${index}]`),
      );
    case 'call':
      // The field itself is not there.
      return functionsOf(permissions, mutation.role).includes(field.function)
        ? undefined
        : path.replace(/\.args$/, '');
    default:
      return undefined;
  }
}

function firstOf<Item>(
  items: readonly Item[],
  find: (item: Item, index: number) => string | undefined,
): string | undefined {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

function pathInObject(rules: RulesOf, table: string, object: InsertObject, path: string): string | undefined {
  const allowed = insertable(rules(table));
  const column = Object.keys(object.columns).find((name) => !allowed.has(name));
  if (column !== undefined) return `${path}.${column}`;
  return firstOf(object.nested, ({ relationship, kind, target, objects, conflict }) => {
    const at = `${path}.${relationship}`;
    return (
      firstOf(objects, (inner, index) =>
        pathInObject(rules, target, inner, kind === 'object' ? `${at}.data` : `${at}.data[${index}]`),
      ) ?? pathInConflict(rules, target, conflict, at)
    );
  });
}

function pathInConflict(
  rules: RulesOf,
  table: string,
  conflict: Conflict | undefined,
  path: string,
): string | undefined {
  const allowed = updatable(rules(table));
  const index = conflict?.columns.findIndex((name) => !allowed.has(name)) ?? -1;
  return index < 0 ? undefined : `${path}.on_conflict.update_columns[${index}]`;
}

function pathInUpdate(
  rules: RulesOf,
  table: string,
  { changes, related }: Changes,
  path: string,
): string | undefined {
  const allowed = updatable(rules(table));
  const change = changes.find(({ column }) => !allowed.has(column));
  if (change) return `${path}.${change.operator}.${change.column}`;
  return firstOf(related, (each) => {
    const { kind, target, updates, insert } = each;
    const own = rules(target);
    if (each.delete && (kind === 'object' || !own.delete)) return deletePath(path, each);
    const inUpdate = firstOf(updates, (update, index) =>
      pathInUpdate(rules, target, update, updatePath(path, each, index)),
    );
    if (inUpdate !== undefined || !insert) return inUpdate;
    const rows = insertPath(path, each);
    if (kind === 'object' || !own.insert) return rows.replace(/\.data$/, '');
    return (
      firstOf(insert.objects, (object, index) => pathInObject(rules, target, object, `${rows}[${index}]`)) ??
      pathInConflict(rules, target, insert.conflict, rows.replace(/\.data$/, ''))
    );
  });
}
