/** Relationships that the foreign keys between tracked tables suggest, each key both ways, with the names that they would have. */
import type { CatalogForeignKey, CatalogTable } from '../catalog/catalog.ts';
import { isUnique, keysOf } from '../catalog/proven.ts';
import type { JsonObject } from '../core/json/json.ts';
import { CONNECTIVES, isGraphqlName, keyOf } from '../core/names.ts';
import type { RelationshipEntry, RelationshipUsing } from './metadata.ts';
import { arrayNames, freeName, type NamedKey, objectNames } from './relationship-names.ts';

/** What a table that is tracked has already. */
export interface TrackedFields {
  /** Fields of columns, computed fields and remote relationships. */
  readonly fields: Iterable<string>;
  readonly relationships: readonly RelationshipEntry<RelationshipUsing>[];
}

export interface SuggestedRelationship {
  readonly type: 'object' | 'array';
  /** The table that has the relationship. */
  readonly from: CatalogTable;
  readonly to: CatalogTable;
  readonly key: CatalogForeignKey;
  /** The foreign key is on the table `from`. */
  readonly isOwnKey: boolean;
  /** The name of the relationship that is there, else one that is free. */
  readonly name: string;
  /** The name that it would have if no other field had it. */
  readonly preferred: string;
  /** The table has such a relationship. */
  readonly isThere: boolean;
}

/**
 * The suggestions in the order of the tables and their keys. Of keys with the same columns to the same place there is one.
 * @param fieldsOf of a table; undefined if it is not tracked
 */
export function suggestRelationships(
  tables: readonly CatalogTable[],
  fieldsOf: (table: CatalogTable) => TrackedFields | undefined,
): SuggestedRelationship[] {
  const byKey = new Map(tables.map((table) => [keyOf(table), table]));
  const tracked = new Map<CatalogTable, Tracked>();
  for (const table of tables) {
    const found = fieldsOf(table);
    if (!found) continue;
    const { fields, relationships } = found;
    const names = relationships.map(({ name }) => name);
    tracked.set(table, { relationships, taken: new Set([...fields, ...names]), fields: new Set(fields) });
  }
  const suggestions: SuggestedRelationship[] = [];
  const suggest = (
    {
      from,
      to,
      type,
      key,
      isOwnKey,
    }: Pick<SuggestedRelationship, 'from' | 'to' | 'type' | 'key' | 'isOwnKey'>,
    candidates: readonly string[],
  ) => {
    const { relationships, taken } = tracked.get(from)!;
    const there = relationships.find(({ using }) =>
      isOwnKey
        ? using.kind === 'foreign_key_on_this_table' && sameColumns(using.columns, key.columns)
        : using.kind === 'foreign_key_on_other_table' &&
          keyOf(using.table) === keyOf(to) &&
          sameColumns(using.columns, key.columns),
    );
    const name = there?.name ?? freeName(candidates, (each) => isFree(each, type, taken));
    taken.add(name);
    if (type === 'array') taken.add(`${name}_aggregate`);
    const isThere = there !== undefined;
    suggestions.push({ type, from, to, key, isOwnKey, name, preferred: candidates[0]!, isThere });
  };
  for (const table of tables) {
    if (!tracked.has(table)) continue;
    for (const key of distinctKeys(table)) {
      const target = byKey.get(keyOf(key.references));
      if (!target || !tracked.has(target)) continue;
      const named: NamedKey = { table, columns: key.columns, references: key.references };
      const { fields } = tracked.get(table)!;
      const isOnly = distinctKeys(table).every(
        (other) => other === key || keyOf(other.references) !== keyOf(key.references),
      );
      const own = objectNames(named, isOnly, (name) => fields.has(name));
      suggest({ type: 'object', from: table, to: target, key, isOwnKey: true }, own);
      const isSingle = keysOf(table).some(
        (each) => sameColumns(each.columns, key.columns) && isUnique(table, each).holds,
      );
      const others = arrayNames(named, isSingle, isOnly);
      suggest({ type: isSingle ? 'object' : 'array', from: target, to: table, key, isOwnKey: false }, others);
    }
  }
  return suggestions;
}

/** How metadata writes it. @param isManual by its columns, where the foreign key cannot be told from another */
export function usingOf({ to, key, isOwnKey }: SuggestedRelationship, isManual: boolean): JsonObject {
  const { columns, references } = key;
  if (isManual) {
    const [near, far] = isOwnKey ? [columns, references.columns] : [references.columns, columns];
    const column_mapping = Object.fromEntries(near.map((column, index) => [column, far[index]!]));
    const remote_table = { schema: to.schema, name: to.name };
    return { manual_configuration: { column_mapping, remote_table } };
  }
  const list = columns.length === 1 ? columns[0]! : columns;
  if (isOwnKey) return { foreign_key_constraint_on: list };
  const table = { schema: to.schema, name: to.name };
  return {
    foreign_key_constraint_on: typeof list === 'string' ? { column: list, table } : { columns: list, table },
  };
}

interface Tracked {
  readonly relationships: TrackedFields['relationships'];
  readonly fields: ReadonlySet<string>;
  readonly taken: Set<string>;
}

function isFree(name: string, type: 'object' | 'array', taken: ReadonlySet<string>): boolean {
  if (!isGraphqlName(name) || CONNECTIVES.includes(name) || taken.has(name)) return false;
  return type === 'object' || !taken.has(`${name}_aggregate`);
}

/** Without those that another has the columns and the place of. */
function distinctKeys({ foreignKeys }: CatalogTable): CatalogForeignKey[] {
  const joins = foreignKeys.map(({ columns, references }) =>
    JSON.stringify([
      keyOf(references),
      ...columns.map((column, index) => `${column} = ${references.columns[index]}`).sort(),
    ]),
  );
  return foreignKeys.filter((_, index) => joins.indexOf(joins[index]!) === index);
}

/** Whether two lists have the same columns, in any order. */
export function sameColumns(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((column) => right.includes(column));
}
