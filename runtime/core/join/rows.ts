/**
 * A join to a table as SQL: all tuples go in as arrays, all results come out as one JSON list, in the order of the tuples.
 * The tuples are one side of a join like any other, so Postgres chooses a hash join for many of them and an index for few.
 */

import { jsonObject } from '../query/json-rows.ts';
import { orderBy } from '../query/order.ts';
import { baseRows, type RowSource } from '../query/rows.ts';
import type { Scope } from '../query/scope.ts';
import { aggregateOfRows, listOfRows, rowEntries } from '../query/select.ts';
import { rowRule } from '../query/visible.ts';
import type { SelectedField } from '../request/selection.ts';
import { identifier, join, raw, type Sql, sql } from '../sql/fragment.ts';
import { arrayParameter } from '../sql/spatial.ts';
import type { TableTarget } from './join.ts';

/** Position of a tuple; columns of tuples are `key 1`, `key 2` … */
const POSITION = identifier('position');

/** The JSON list of results. @param index the join among those of its statement, whose tuples it takes */
export function lookUpRows(target: TableTarget, field: SelectedField, index: number, scope: Scope): Sql {
  const alias = scope.alias('tuples');
  const values = target.columns.map(({ type }, column) =>
    arrayParameter(type, { from: 'tuples', join: index, column }),
  );
  const names = [...values.map((_, column) => keyName(column)), POSITION];
  const from = sql`unnest(${join(values, ', ')}) with ordinality as ${alias} (${join(names, ', ')})`;
  const tuples = { alias, from, count: sql`cardinality(${values[0]!})` };
  const isPerTuple = target.form === 'aggregate' || (target.form === 'array' && isLimited(target, field));
  const results = isPerTuple ? resultsPerTuple : resultsOfJoin;
  const { value, from: rows } = results(target, field, tuples, scope);
  return sql`(select coalesce(json_agg(${value}), '[]') from ${rows})`;
}

/** The result of a tuple with the order of tuples, and the FROM items that it is of. */
interface Results {
  readonly value: Sql;
  readonly from: Sql;
}

/** The tuples as a FROM item. */
interface TupleRows {
  readonly alias: Sql;
  readonly from: Sql;
  readonly count: Sql;
}

function keyName(column: number): Sql {
  return identifier(`key ${column + 1}`);
}

/** True if rows are counted per tuple, so that they cannot be joined as a set. */
function isLimited({ visible }: TableTarget, { arguments: args }: SelectedField): boolean {
  if (visible.select?.limit !== undefined) return true;
  return ['limit', 'offset', 'distinct_on', 'distinctOn'].some((name) => args.has(name));
}

function equality({ columns }: TableTarget, tuples: TupleRows, alias: Sql): Sql[] {
  return columns.map(
    ({ name }, column) => sql`${alias}.${identifier(name)} = ${tuples.alias}.${keyName(column)}`,
  );
}

/** One subquery for each tuple, as a relationship would have it. */
function resultsPerTuple(
  target: TableTarget,
  field: SelectedField,
  tuples: TupleRows,
  scope: Scope,
): Results {
  const { visible } = target;
  const source: RowSource = {
    name: visible.table.shape.name,
    from: visible.table.sql,
    conditions: (alias) => equality(target, tuples, alias),
    stored: true,
  };
  const ofTuple = target.form === 'aggregate' ? aggregateOfRows : listOfRows;
  const value = ofTuple(visible, field.selection, field.arguments, source, scope);
  return { value: sql`${value} order by ${tuples.alias}.${POSITION}`, from: tuples.from };
}

/** All rows of all tuples at once, then gathered by tuple. */
function resultsOfJoin(target: TableTarget, field: SelectedField, tuples: TupleRows, scope: Scope): Results {
  const { visible, form } = target;
  const source: RowSource = {
    name: visible.table.shape.name,
    from: sql`${tuples.from} cross join ${visible.table.sql}`,
    conditions: (alias) => equality(target, tuples, alias),
    rule: (alias) => rowRule(visible, alias),
    stored: true,
  };
  const base = baseRows(visible, field.arguments, source, false, field.selection.argumentsPath, scope);
  const object = jsonObject(rowEntries(field.selection, base.visible, base.alias, scope), scope);
  const [all, rows, gathered] = [scope.alias('all'), scope.alias('found'), scope.alias('gathered')];
  const found = sql`select ${tuples.alias}.${POSITION}, ${object} as "object" ${base.from}${base.where}${orderBy(base.keys)}`;
  const result = raw(form === 'object' ? '(array_agg("object"))[1]' : 'json_agg("object")');
  const byTuple = sql`select ${rows}.${POSITION}, ${result} as "result" from (${found}) as ${rows} group by ${rows}.${POSITION}`;
  const nothing = raw(form === 'object' ? "'null'" : "'[]'");
  return {
    value: sql`coalesce(${gathered}."result", ${nothing}) order by ${all}.${POSITION}`,
    from: sql`generate_series(1, ${tuples.count}) as ${all} (${POSITION}) left join (${byTuple}) as ${gathered} using (${POSITION})`,
  };
}
