/**
 * The order of a connection: the keys of `order_by`, then the primary key, so that no two rows are equal in it. Where rows may
 * share a primary key nothing that a role may see tells them apart: a page has all of them or none.
 */

import type { Table } from '../program/program.ts';
import type { SqlCondition } from '../query/condition.ts';
import { nameBeside } from '../query/json-rows.ts';
import { orderByKeys, type SortKey, type SortValue } from '../query/order.ts';
import type { Scope } from '../query/scope.ts';
import type { InputNode } from '../request/selection.ts';
import type { VisibleColumn, VisibleTable } from '../schema/visible-table.ts';
import { builtIn, join, literal, raw, type Sql, sql } from '../sql/fragment.ts';
import { asOperand, compare } from '../sql/operand.ts';
import { and, columnOf, nested, or } from '../sql/statement.ts';
import { hasTotalComparison } from '../total-comparison.ts';
import { base64Json, jsonValue } from './base64-json.ts';

export type ConnectionKey = SortKey & { readonly value: SortValue };

/**
 * @param distinct columns of `distinct_on`, which lead an order that the request leaves open
 */
export function connectionKeys(
  order: InputNode | undefined,
  distinct: readonly string[],
  alias: Sql,
  visible: VisibleTable,
  scope: Scope,
): ConnectionKey[] {
  const given = orderByKeys(order, alias, visible, scope);
  const leading =
    given.length > 0 ? [] : distinct.map((name) => columnKey(visible.select!.columns.get(name)!, alias));
  const last = visible.table.primaryKey.map(({ name }) =>
    columnKey(visible.select!.columns.get(name)!, alias),
  );
  const known = new Map<string, ConnectionKey>();
  for (const key of [...given, ...leading, ...last]) {
    // A second key for one value decides nothing.
    const name = JSON.stringify(key.value.path);
    if (!known.has(name)) known.set(name, key);
  }
  return [...known.values()];
}

function columnKey({ column, field, value, nullable, canFail }: VisibleColumn, alias: Sql): ConnectionKey {
  return {
    expression: value(alias),
    direction: 'asc',
    column: column.name,
    value: {
      path: [field],
      type: column.type,
      nullable,
      isTotal: hasTotalComparison(column.type) && !canFail,
    },
  };
}

const REVERSED: Readonly<Record<string, string>> = {
  asc: 'desc',
  'asc nulls first': 'desc nulls last',
  'asc nulls last': 'desc nulls first',
  desc: 'asc',
  'desc nulls first': 'asc nulls last',
  'desc nulls last': 'asc nulls first',
};

/** The same keys for the opposite order. */
export function reversed(keys: readonly ConnectionKey[]): ConnectionKey[] {
  return keys.map((key) => ({ ...key, direction: REVERSED[key.direction]! }));
}

/** The keys with other expressions, of rows that have them as columns. */
export function keyColumns(keys: readonly ConnectionKey[], alias: Sql, table: Table): ConnectionKey[] {
  return keys.map((key, index) => ({
    ...key,
    expression: columnOf(alias, keyName(table, index)),
  }));
}

/** Name of a column that holds a key. */
export function keyName(table: Table, index: number): string {
  return nameBeside(table, `key#${index + 1}`);
}

/**
 * The condition that a row comes later than a position.
 * @param values of the position; null where it is null
 */
export function isLater(keys: readonly ConnectionKey[], values: readonly Sql[]): SqlCondition {
  const isTotal = keys.every(({ value }) => value.isTotal);
  const directions = new Set(keys.map(({ direction }) => operatorOf(direction)));
  if (directions.size === 1 && keys.every(({ value }) => !value.nullable && !value.type.element)) {
    const own = join(
      keys.map(({ expression, value }) => asOperand(expression, value.type)),
      ', ',
    );
    // An index can find the place.
    return { sql: sql`${nested(own)} ${raw([...directions][0]!)} ${nested(join(values, ', '))}`, isTotal };
  }
  const cases = keys.map((key, index) => {
    const equal = keys.slice(0, index).map((each, before) => isSame(each, values[before]!));
    return and([...equal, isLaterBy(key, values[index]!)]);
  });
  return { sql: or(cases), isTotal };
}

function operatorOf(direction: string): '>' | '<' {
  return direction.startsWith('asc') ? '>' : '<';
}

function isSame({ expression, value: { nullable, type } }: ConnectionKey, value: Sql): Sql {
  const own = asOperand(expression, type);
  const equal = compare(own, '=', type, value);
  if (!nullable) return equal;
  // `is distinct from` takes the `=` that the search path has.
  return type.element
    ? or([equal, and([sql`${own} is null`, sql`${value} is null`])])
    : sql`${own} is not distinct from ${value}`;
}

function isLaterBy({ expression, direction, value: { nullable, type } }: ConnectionKey, value: Sql): Sql {
  const compared = compare(asOperand(expression, type), operatorOf(direction), type, value);
  if (!nullable) return compared;
  // A composite value "is null" if all its fields are, and neither null nor not null if some are.
  const [isNull, isNotNull] =
    type.family === 'unknown'
      ? [raw('is not distinct from null'), raw('is distinct from null')]
      : [raw('is null'), raw('is not null')];
  const nullsLast = direction === 'asc' || direction.endsWith('nulls last');
  return nullsLast
    ? and([sql`${value} ${isNotNull}`, or([compared, sql`${expression} ${isNull}`])])
    : or([compared, and([sql`${value} ${isNull}`, sql`${expression} ${isNotNull}`])]);
}

/** Values by the names in the order: `{"author": {"name": …}, "id": …}`. */
interface Tree extends Map<string, Sql | Tree> {}

/** SQL of the cursor of a row, whose keys are columns. */
export function cursorOf(keys: readonly ConnectionKey[]): Sql {
  const tree: Tree = new Map();
  for (const { expression, value } of keys) {
    const [last, ...before] = value.path.toReversed();
    let place = tree;
    for (const name of before.toReversed()) {
      const below = place.get(name);
      const next: Tree = below instanceof Map ? below : new Map();
      place.set(name, next);
      place = next;
    }
    place.set(last!, jsonValue(value.type, expression));
  }
  return base64Json(objectOf(tree));
}

function objectOf(tree: Tree): Sql {
  const entries = [...tree].flatMap(([name, value]) => [
    sql`${literal(name)}::text`,
    value instanceof Map ? objectOf(value) : value,
  ]);
  return builtIn('json_build_object', ...entries);
}
