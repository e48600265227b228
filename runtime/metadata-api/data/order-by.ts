/** `order_by` of the legacy data operations: `"+col"`, `"-col"`, `"rel.col"`, `{column, type, nulls}`, or a list of them. */
import { EngineError, pathStep } from '../../core/errors.ts';
import type { InputNode } from '../../core/request/selection.ts';
import { findRelationship, type ReadableTable, readableColumn } from './table.ts';
import { nameNode, objectNode } from './value.ts';

export type OrderItem =
  | string
  | {
      readonly column: string;
      readonly type?: 'asc' | 'desc' | undefined;
      readonly nulls?: 'first' | 'last' | undefined;
    };

/** The keys as a list of the planner's nodes. @throws EngineError */
export function orderNode(
  order: OrderItem | readonly OrderItem[],
  table: ReadableTable,
  path: string,
): InputNode {
  const items = isList(order)
    ? order.map((item, index) => orderItem(item, table, pathStep(path, index)))
    : [orderItem(order, table, path)];
  return { kind: 'list', path, items };
}

function isList(order: OrderItem | readonly OrderItem[]): order is readonly OrderItem[] {
  return Array.isArray(order);
}

function orderItem(item: OrderItem, table: ReadableTable, path: string): InputNode {
  if (typeof item === 'string') {
    const sign = /^[+-]/.test(item) ? item.charAt(0) : '';
    return orderKey(item.slice(sign.length), sign === '-' ? 'desc' : 'asc', table, path);
  }
  const { column, type = 'asc', nulls } = item;
  return orderKey(column, nulls === undefined ? type : `${type} nulls ${nulls}`, table, path);
}

/** The name as it is, or with relationships before dots. */
function orderKey(name: string, order: string, table: ReadableTable, path: string): InputNode {
  const dot = table.select.readable.has(name) ? -1 : name.indexOf('.');
  const first = dot < 0 ? name : name.slice(0, dot);
  const related = table.select.readable.has(first) ? undefined : findRelationship(table, first);
  if (!related) {
    const column = readableColumn(table, first, path);
    if (dot >= 0) throw unexpected(`"${first}" is a Postgres column and cannot be chained further`, path);
    const family = column.column.type.family;
    if (family === 'geometry' || family === 'geography')
      throw unexpected(`"${first}" has type '${family}' and cannot be used in order_by`, path);
    return objectNode(path, [
      { name: first, meaning: { kind: 'column', column }, node: nameNode(order, path) },
    ]);
  }
  if (dot < 0) throw unexpected(`"${first}" is a relationship and should be expanded`, path);
  const { relationship, target } = related;
  if (relationship.shape.kind === 'array')
    throw unexpected(`"${first}" is an array relationship and can't be used in 'order_by'`, path);
  const meaning = { kind: 'relationship', relationship, visible: target.visible } as const;
  return objectNode(path, [
    { name: first, meaning, node: orderKey(name.slice(dot + 1), order, target, path) },
  ]);
}

function unexpected(message: string, path: string): EngineError {
  return new EngineError('unexpected-payload', message, { path });
}
