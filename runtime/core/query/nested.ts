/**
 * The item of FROM with the rows that a relationship leads to. Rows of a logical model inside of another are values of a column of
 * the row: JSON, or composite values, which are read through JSON as well. What is not an object is not a row.
 *
 * A value that does not have the type of its field is an error, which holds the value. So fields are read that the role may read or
 * its rule asks for, and no others, and conditions through such a relationship count as failing (see condition.ts).
 * @rule Which rows does a field with rows of another logical model have, and which of their fields are read?
 */
import { columnsOfRule } from '../condition/reads.ts';
import type { NativeShape, RelationshipShape } from '../contract/shapes.ts';
import type { Column, Relationship } from '../program/program.ts';
import type { InputNode } from '../request/selection.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import { type Sql, sql } from '../sql/fragment.ts';
import { correlatedRowsOf, givenValues, nativeRowsOf, nestedRowsOf } from '../sql/native.ts';
import { callOf } from '../sql/statement.ts';
import { nativeArgumentValues } from './native.ts';

/**
 * @param from what the role sees of the table that the relationship leads from, whose row is `outer`
 * @param target what it sees of the other one
 * @param args of a native query, as the client gives them
 */
export function rowsFrom(
  from: VisibleTable,
  relationship: Relationship,
  target: VisibleTable,
  outer: Sql,
  args?: InputNode,
): Sql {
  const { query, nested } = relationship.shape;
  if (query) return queriedRows(from, relationship.shape, query, outer, args);
  return nested === undefined
    ? relationship.target.sql
    : nestedRowsOf(readFields(target), nestedValue(from, nested, outer), relationship.shape.kind);
}

/** Whether looking at the rows of a relationship raises no error, as far as their rule and their values decide. */
export function isTotalAlong({ shape }: Relationship, { select }: VisibleTable): boolean {
  return !select?.canFail && shape.nested === undefined;
}

function queriedRows(
  { table }: VisibleTable,
  { given = {} }: RelationshipShape,
  query: NativeShape,
  outer: Sql,
  args: InputNode | undefined,
): Sql {
  const asked = nativeArgumentValues({ source: table.source, arguments: query.arguments }, args);
  return Object.keys(given).length === 0
    ? nativeRowsOf(query, asked)
    : correlatedRowsOf(query, givenValues(table.source, query, given, outer), asked);
}

/**
 * Whether a field with a list of rows has one, in the row of `outer`; undefined where it always has. SQL that aggregates no row gives null,
 * so null would tell a role that nothing is hidden: where the role has a rule for the items, its list is empty then.
 */
export function hasList(
  from: VisibleTable,
  { shape }: Relationship,
  target: VisibleTable,
  outer: Sql,
): Sql | undefined {
  if (shape.nested === undefined || target.select?.where) return undefined;
  if (!from.select?.nested.get(shape.nested)?.nullable) return undefined;
  const json = callOf('pg_catalog', 'to_jsonb', [nestedValue(from, shape.nested, outer)]);
  return sql`${callOf('pg_catalog', 'jsonb_typeof', [json])} = 'array'`;
}

function nestedValue({ select, table }: VisibleTable, column: string, outer: Sql): Sql {
  const value = select?.nested.get(column)?.value(outer);
  if (!value) throw new Error(`the role may not read the field ${column} of ${table.key}`);
  return value;
}

/** The fields that a role may read, or its rule asks for. */
function readFields({ table, select }: VisibleTable): readonly Column[] {
  const { where, cells = {} } = select?.texts ?? {};
  const asked = [...(where === undefined ? [] : [where]), ...Object.values(cells)].flatMap((text) =>
    columnsOfRule(text, table.key).flatMap(([of, column]) => (of === table.key ? [column] : [])),
  );
  const read = new Set([...(select?.readable.keys() ?? []), ...(select?.nested.keys() ?? []), ...asked]);
  return [...table.columns.values()].filter(({ name }) => read.has(name));
}
