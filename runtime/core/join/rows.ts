/**
 * A join to a table as SQL: all tuples go in as arrays, all results come out as one JSON list. The tuples are one side of a
 * join like any other, so Postgres chooses a hash join for many of them and an index for few. Rows come with the position of
 * their tuple and are gathered in this process: for 10,000 tuples that takes half the processor time of an aggregate for each.
 */

import type { TableShape } from '../contract/shapes.ts';
import type { Column } from '../program/program.ts';
import { EMPTY_LIST, jsonRows } from '../query/json-rows.ts';
import { orderBy } from '../query/order.ts';
import { baseRows, type RowSource } from '../query/rows.ts';
import type { Scope } from '../query/scope.ts';
import { aggregateOfRows, listOfRows, rowEntries } from '../query/select.ts';
import { rowRule } from '../query/visible.ts';
import type { SelectedField } from '../request/selection.ts';
import { builtIn, identifier, type Sql, sql, unnested } from '../sql/fragment.ts';
import { asOperand, compare, infixOperator } from '../sql/operand.ts';
import { arrayParameter } from '../sql/spatial.ts';
import { columnOf, type FromItem, jsonList, nested, selectStatement } from '../sql/statement.ts';
import type { ResultForm, TableTarget } from './join.ts';

/** Position of a tuple; columns of tuples are `key 1`, `key 2` … */
const POSITION = 'position';

/** Key of the position in the JSON of a row: no response name is spelt so. */
const POSITION_KEY = '#';

/** A JSON list as a text, and its meaning. */
interface LookedUp {
  readonly list: Sql;
  readonly form: ResultForm;
}

/** Looks tuples up. @param index the join among those of its statement, whose tuples it takes */
export function lookUpRows(target: TableTarget, field: SelectedField, index: number, scope: Scope): LookedUp {
  const alias = scope.alias('tuples');
  const values = target.columns.map(({ type }, column) =>
    arrayParameter(type, { from: 'tuples', join: index, column }),
  );
  const columns = [...values.map((_, column) => identifier(keyName(column))), identifier(POSITION)];
  const from = { rows: sql`${unnested(values)} with ordinality`, alias, columns };
  const tuples = { alias, from, values };
  const isPerTuple = target.form === 'aggregate' || (target.form === 'array' && isLimited(target, field));
  const list = isPerTuple
    ? resultsPerTuple(target, field, tuples, scope)
    : rowsOfTuples(target, field, tuples, scope);
  const form = isPerTuple ? 'ordered' : target.form === 'object' ? 'object' : 'array';
  return { list: sql`${list}::text`, form };
}

interface TupleRows {
  readonly alias: Sql;
  readonly from: FromItem;
  /** Arrays, by column of the target. */
  readonly values: readonly Sql[];
}

function keyName(column: number): string {
  return `key ${column + 1}`;
}

/** True if rows are counted per tuple, or have an order of their own, so that they cannot be joined as a set. */
function isLimited({ visible }: TableTarget, { arguments: args }: SelectedField): boolean {
  if (visible.select?.limit !== undefined || visible.table.shape.ordered) return true;
  return ['limit', 'offset', 'distinct_on', 'distinctOn'].some((name) => args.has(name));
}

function equality({ columns }: TableTarget, tuples: TupleRows, alias: Sql): Sql[] {
  return columns.map(({ name, type }, column) =>
    compare(asOperand(columnOf(alias, name), type), '=', type, columnOf(tuples.alias, keyName(column))),
  );
}

/** One subquery for each tuple, as a relationship would have it. */
function resultsPerTuple(target: TableTarget, field: SelectedField, tuples: TupleRows, scope: Scope): Sql {
  const { visible } = target;
  const source: RowSource = {
    name: visible.table.shape.name,
    from: visible.table.sql,
    conditions: (alias) => equality(target, tuples, alias),
    stored: true,
    ordered: visible.table.shape.ordered === true,
  };
  const ofTuple = target.form === 'aggregate' ? aggregateOfRows : listOfRows;
  const value = ofTuple(visible, field.selection, field.arguments, source, scope);
  const list = builtIn(
    'coalesce',
    jsonList(value, sql` order by ${columnOf(tuples.alias, POSITION)}`),
    EMPTY_LIST,
  );
  return nested(selectStatement({ columns: list, from: [tuples.from] }));
}

/** The rows of all tuples, each with the position of its tuple. */
function rowsOfTuples(target: TableTarget, field: SelectedField, tuples: TupleRows, scope: Scope): Sql {
  const { visible } = target;
  const source: RowSource = {
    name: visible.table.shape.name,
    beside: [tuples.from],
    from: visible.table.sql,
    conditions: (alias) => [...equality(target, tuples, alias), ...searches(target, tuples, alias)],
    rule: (alias) => rowRule(visible, alias),
    stored: true,
  };
  const base = baseRows(visible, field.arguments, source, false, field.selection.argumentsPath, scope);
  const entries = [
    [POSITION_KEY, columnOf(tuples.alias, POSITION)] as const,
    ...rowEntries(field.selection, base.visible, base.alias, scope),
  ];
  const { from, where, keys } = base;
  return jsonRows('list', entries, { from, where, order: orderBy(keys) }, scope);
}

/**
 * Conditions that follow from the equality: with one, Postgres searches the index of a key for all tuples at once instead of
 * hashing the whole table. Without an index it would compare every row with every tuple, so other columns have none.
 */
function searches({ columns, visible }: TableTarget, { values }: TupleRows, alias: Sql): Sql[] {
  return columns.flatMap((column, index) =>
    isKey(column, visible.table.shape)
      ? [
          sql`${asOperand(columnOf(alias, column.name), column.type)}${infixOperator('=', column.type)}any(${values[index]!})`,
        ]
      : [],
  );
}

function isKey({ name }: Column, { primaryKey, unique = {} }: TableShape): boolean {
  return [primaryKey?.columns ?? [], ...Object.values(unique)].some(
    ([first, ...others]) => first === name && others.length === 0,
  );
}

/**
 * The results of tuples from the JSON of their rows.
 * @param items rows in order, each beginning with the position of its tuple, which counts from 1
 * @param count number of tuples
 */
export function gatherRows(items: readonly string[], count: number, form: 'object' | 'array'): string[] {
  const results: string[] = Array.from({ length: count }, () => (form === 'object' ? 'null' : ''));
  for (const item of items) {
    const [head, position] = /^\{\s*"#"\s*:\s*(\d+)\s*,?/.exec(item)!;
    const row = `{${item.slice(head.length)}`;
    const index = Number(position) - 1;
    const known = results[index]!;
    if (form === 'array') results[index] = known === '' ? row : `${known},${row}`;
    else if (known === 'null') results[index] = row;
  }
  return form === 'array' ? results.map((list) => `[${list}]`) : results;
}
