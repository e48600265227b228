/** `order_by` and `distinct_on` arguments → sort keys. */

import type { SourceShape } from '../contract/shapes.ts';
import { EngineError } from '../errors.ts';
import type { ComputedField } from '../program/program.ts';
import type { InputNode } from '../request/selection.ts';
import type { VisibleColumn, VisibleTable } from '../schema/visible-table.ts';
import { COUNT, raw, type Sql, sql } from '../sql/fragment.ts';
import { aggregateCall } from '../sql/operand.ts';
import { nested, selectStatement } from '../sql/statement.ts';
import { hasTotalComparison } from '../total-comparison.ts';
import { type ColumnType, columnType } from '../types.ts';
import { objectOf } from './comparison.ts';
import { computedFieldSql } from './computed.ts';
import { isTotalAlong, rowsFrom } from './nested.ts';
import type { Scope } from './scope.ts';
import { related, rowRule, seen } from './visible.ts';

export interface SortKey {
  readonly expression: Sql;
  /** `asc`, `desc nulls last` … */
  readonly direction: string;
  /** Database name, when the key is a column of the row itself. */
  readonly column?: string;
  /** Absent if no comparison needs it. */
  readonly value?: SortValue;
}

/** The values of a key, for cursors that compare with them. */
export interface SortValue {
  /** Names in `order_by` that lead to it. */
  readonly path: readonly string[];
  readonly type: ColumnType;
  readonly nullable: boolean;
  /** Neither the expression nor a comparison of it fails for any row. */
  readonly isTotal: boolean;
}

type ValueKey = SortKey & { readonly value: SortValue };

/** Sort keys in the order given; null values are ignored. */
export function orderByKeys(
  node: InputNode | undefined,
  alias: Sql,
  visible: VisibleTable,
  scope: Scope,
): ValueKey[] {
  if (!node || node.kind === 'null') return [];
  const items = node.kind === 'list' ? node.items : [node];
  return items.flatMap((item) =>
    item.kind === 'null' ? [] : objectKeys(item, alias, visible, scope, (key) => key),
  );
}

/** `wrap` turns an expression on the far row into one on the near row. */
function objectKeys(
  node: InputNode,
  alias: Sql,
  visible: VisibleTable,
  scope: Scope,
  wrap: (expression: Sql) => Sql,
): ValueKey[] {
  const object = objectOf(node);
  const definitions = object.type.fields();
  return [...object.fields].flatMap(([name, value]): ValueKey[] => {
    if (value.kind === 'null') return [];
    const { meaning } = definitions.get(name)!;
    switch (meaning.kind) {
      case 'column':
        return [
          {
            expression: wrap(meaning.column.value(alias)),
            direction: direction(value),
            column: meaning.column.column.name,
            value: columnValue(name, meaning.column),
          },
        ];
      case 'computedField':
        return [
          {
            expression: wrap(computedFieldSql(meaning.computedField, visible, alias, undefined)),
            direction: direction(value),
            value: {
              path: [name],
              type: scalarTypeOf(meaning.computedField),
              nullable: true,
              isTotal: false,
            },
          },
        ];
      case 'relationship': {
        const inner = scope.alias(meaning.relationship.name);
        const { relationship, visible: target } = meaning;
        const conditions = related(visible, relationship, target, alias, inner);
        const rest = {
          from: [{ rows: rowsFrom(visible, relationship, target, alias), alias: inner }],
          where: conditions,
          ...(!relationship.shape.unique && { limit: raw('1') }),
        };
        return objectKeys(value, inner, seen(target), scope, (expression) =>
          wrap(nested(selectStatement({ columns: expression, ...rest }))),
        ).map(({ expression, direction: order, value: far }) => ({
          expression,
          direction: order,
          value: {
            ...far,
            path: [name, ...far.path],
            nullable: true,
            isTotal: far.isTotal && isTotalAlong(relationship, target),
          },
        }));
      }
      case 'aggregateOrder': {
        const inner = scope.alias(meaning.relationship.name);
        const target = meaning.visible;
        const rows =
          'target' in meaning.relationship
            ? rowsFrom(visible, meaning.relationship, target, alias)
            : computedFieldSql(meaning.relationship, visible, alias, undefined);
        const conditions =
          'target' in meaning.relationship
            ? related(visible, meaning.relationship, target, alias, inner)
            : rowRule(target, inner);
        const rest = { from: [{ rows, alias: inner }], where: conditions };
        return aggregateKeys(value, inner, target).map(({ expression, direction: order, value: far }) => ({
          expression: wrap(nested(selectStatement({ columns: expression, ...rest }))),
          direction: order,
          // Sums overflow.
          value: { ...far, path: [name, ...far.path], nullable: true, isTotal: false },
        }));
      }
      default:
        throw new Error(`an order has no ${meaning.kind}`);
    }
  });
}

/** Keys of an `_aggregate_order_by`, for the rows of an alias. */
export function aggregateKeys(node: InputNode, alias: Sql, visible: VisibleTable): ValueKey[] {
  const object = objectOf(node);
  const definitions = object.type.fields();
  return [...object.fields].flatMap(([name, value]): ValueKey[] => {
    const { meaning } = definitions.get(name)!;
    if (value.kind === 'null') return [];
    if (meaning.kind !== 'aggregateFunction') throw new Error(`an aggregate order has no ${meaning.kind}`);
    if (value.kind === 'enum') {
      const type = columnType(visible.table.source, 'int8');
      const count = { path: [name], type, nullable: false, isTotal: true };
      return [{ expression: COUNT, direction: value.value, value: count }];
    }
    const columns = objectOf(value);
    const columnDefinitions = columns.type.fields();
    return [...columns.fields].flatMap(([column, order]): ValueKey[] => {
      const target = columnDefinitions.get(column)!.meaning;
      if (order.kind === 'null') return [];
      if (target.kind !== 'column') throw new Error(`an aggregate order has no ${target.kind}`);
      return [
        {
          expression: aggregateCall(meaning.function, target.column.value(alias), target.column.column.type),
          direction: direction(order),
          value: {
            path: [name, column],
            type: aggregateType(meaning.function, target.column.column.type, visible.table.source),
            nullable: true,
            isTotal: false,
          },
        },
      ];
    });
  });
}

function columnValue(name: string, { column, nullable, canFail }: VisibleColumn): SortValue {
  const { type } = column;
  return { path: [name], type, nullable, isTotal: hasTotalComparison(type) && !canFail };
}

function scalarTypeOf({ name, returns }: ComputedField): ColumnType {
  if ('type' in returns) return returns.type;
  throw new Error(`the computed field ${name} returns no scalar`);
}

/** The type of an aggregate of a column, as Postgres has it. */
function aggregateType(name: string, type: ColumnType, source: SourceShape): ColumnType {
  const isInteger = type.family === 'integer';
  if (name === 'max' || name === 'min') return type;
  if (name !== 'sum') return columnType(source, isInteger || type.name === 'numeric' ? 'numeric' : 'float8');
  if (!isInteger) return type;
  return columnType(source, type.name === 'int8' ? 'numeric' : 'int8');
}

/** `asc`, `desc nulls last` … @throws EngineError for a value that is not an enum's */
export function direction(node: InputNode): string {
  if (node.kind === 'enum') return node.value;
  throw new EngineError(
    'validation-failed',
    `expected an enum value for type 'order_by', but found something else`,
    { path: node.path },
  );
}

/** The keys as an ORDER BY lists them. */
export function orderBy(keys: readonly SortKey[]): readonly Sql[] {
  return keys.map((key) => sql`${key.expression} ${raw(key.direction)}`);
}

/**
 * The columns of `distinct_on`, which must lead the order (in any order among themselves).
 * @throws EngineError when they do not
 */
export function distinctColumns(
  node: InputNode | undefined,
  keys: readonly SortKey[],
  visible: VisibleTable,
  path: string,
): string[] {
  if (!node || node.kind === 'null') return [];
  const items = node.kind === 'list' ? node.items : [node];
  const columns = [...new Set(items.flatMap((item) => (item.kind === 'enum' ? [item.value] : [])))];
  const leading = keys.slice(0, columns.length).map((key) => key.column);
  const leads = columns.every((column) => leading.includes(column));
  if (keys.length > 0 && !leads) {
    throw new EngineError(
      'validation-failed',
      '"distinct_on" columns must match initial "order_by" columns',
      { path },
    );
  }
  return columns.filter((column) => visible.select?.readable.has(column));
}
