/** Tracked functions: their rows pass through the select rule of the table they return. */

import type { FunctionShape } from '../contract/shapes.ts';
import type { Table } from '../program/program.ts';
import type { FunctionCall } from '../program/root-fields.ts';
import { functionCall } from '../query/computed.ts';
import { nativeArgumentValues } from '../query/native.ts';
import type { RowSource } from '../query/rows.ts';
import { type Scope, scopeOf } from '../query/scope.ts';
import { aggregateOfRows, functionRow, listOfRows } from '../query/select.ts';
import type { RootArguments, Selection } from '../request/selection.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import { type Sql, sql } from '../sql/fragment.ts';
import { nativeRowsOf, nativeWrite } from '../sql/native.ts';
import { print } from '../sql/print.ts';
import { selectStatement } from '../sql/statement.ts';
import { keepNativeRows, keepRowsOf, keptNativeRows, keptRows } from './kept.ts';
import type { MutationStep } from './step.ts';

/** Resolver of a function's field below query: a list, or the row of a function that returns one. */
export function functionRows({ of, requester, selection, args }: FunctionCall): Sql {
  const scope = scopeOf(requester);
  return resultOf(of, tableOf(of, scope), selection, args, functionSource(of, args), scope);
}

/** Resolver of a function's aggregate field. */
export function functionAggregate({ of, requester, selection, args }: FunctionCall): Sql {
  const scope = scopeOf(requester);
  return aggregateOfRows(tableOf(of, scope), selection, args, functionSource(of, args), scope);
}

/**
 * Resolver of a function's field below mutation. One statement calls the function, whatever is asked of its rows: Postgres
 * would not call it at all for a condition that is never true or a limit of 0. A second one reads them, so that rules,
 * conditions and relationships see what the function wrote.
 */
export function functionMutation({ of, requester, selection, args }: FunctionCall): MutationStep {
  const scope = scopeOf(requester);
  const visible = tableOf(of, scope);
  const alias = scope.alias(of.name);
  const write = print(writeOf(of, visible.table, args, alias), visible.keepsTrees);
  const from = of.sql === undefined ? keptRows(visible.table) : keptNativeRows(visible.table);
  const result = resultOf(of, visible, selection, args, rowsNamed(of, from), scope);
  const read = print(selectStatement({ columns: sql`${result}::text` }), visible.keepsTrees);
  return {
    kind: 'write',
    statements: [
      { statement: write, path: '$' },
      { statement: read, path: '$' },
    ],
    answer: [1],
    once: true,
  };
}

function writeOf(of: FunctionShape, table: Table, args: RootArguments, alias: Sql): Sql {
  return of.sql === undefined
    ? selectStatement({ columns: keepRowsOf(table, call(of, args), alias) })
    : nativeWrite(of, nativeArgumentValues(of, args.get('args')), keepNativeRows(table));
}

function tableOf(shape: FunctionShape, scope: Scope): VisibleTable {
  const called = scope.roleSchema.program.functions.find((each) => each.shape === shape);
  if (!called) throw new Error(`no function is served with the shape of ${shape.schema}.${shape.name}`);
  return scope.roleSchema.table(called.returns);
}

/** The rows that a function returns. */
export function functionSource(shape: FunctionShape, args: RootArguments): RowSource {
  return rowsNamed(shape, call(shape, args));
}

function rowsNamed({ name, returns }: FunctionShape, from: Sql): RowSource {
  return { name, from, conditions: () => [], ordered: returns.set };
}

function call(shape: FunctionShape, args: RootArguments): Sql {
  if (shape.sql !== undefined) return nativeRowsOf(shape, nativeArgumentValues(shape, args.get('args')));
  return functionCall(
    shape.source,
    shape,
    shape.arguments,
    new Map(),
    shape.sessionArgument,
    args.get('args'),
  );
}

function resultOf(
  shape: FunctionShape,
  visible: VisibleTable,
  selection: Selection,
  args: RootArguments,
  source: RowSource,
  scope: Scope,
): Sql {
  return shape.returns.set
    ? listOfRows(visible, selection, args, source, scope)
    : functionRow(visible, selection, args, source, scope);
}
