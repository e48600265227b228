/** `order_by` of the legacy data operations: `"+col"`, `"-col"`, `"rel.col"`, `{column, type, nulls}`, or a list of them. */
import { EngineError, pathStep } from '../core/errors.ts';
import type { InputNode } from '../core/request/selection.ts';
import { findRelationship, type ReadableTable, readableColumn } from './table.ts';
import { nameNode, objectNode, requireObject, requireText } from './value.ts';

/** The keys as a list of the planner's nodes. @throws EngineError */
export function orderNode(json: unknown, table: ReadableTable, path: string): InputNode {
  const items = Array.isArray(json)
    ? json.map((item: unknown, index) => orderItem(item, table, pathStep(path, index)))
    : [orderItem(json, table, path)];
  return { kind: 'list', path, items };
}

function orderItem(json: unknown, table: ReadableTable, path: string): InputNode {
  if (typeof json === 'string') {
    const sign = /^[+-]/.test(json) ? json.charAt(0) : '';
    return orderKey(json.slice(sign.length), sign === '-' ? 'desc' : 'asc', table, path);
  }
  const { column, type, nulls } = requireObject(json, path);
  if (column === undefined) throw new EngineError('parse-failed', 'key "column" not found', { path });
  const name = requireText(column, pathStep(path, 'column'));
  const order = oneOf(type ?? 'asc', ['asc', 'desc'], pathStep(path, 'type'));
  if (nulls === undefined || nulls === null) return orderKey(name, order, table, path);
  const end = oneOf(nulls, ['first', 'last'], pathStep(path, 'nulls'));
  return orderKey(name, `${order} nulls ${end}`, table, path);
}

/** The name as it is, or with relationships before dots. */
function orderKey(name: string, order: string, table: ReadableTable, path: string): InputNode {
  const dot = table.select.readable.has(name) ? -1 : name.indexOf('.');
  const first = dot < 0 ? name : name.slice(0, dot);
  const related = table.select.readable.has(first) ? undefined : findRelationship(table, first, path);
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

function oneOf(value: unknown, words: readonly string[], path: string): string {
  const word = typeof value === 'string' ? value.toLowerCase() : undefined;
  if (word !== undefined && words.includes(word)) return word;
  const list = words.map((each) => JSON.stringify(each)).join(', ');
  throw new EngineError('parse-failed', `expected one of ${list}, but encountered ${JSON.stringify(value)}`, {
    path,
  });
}

function unexpected(message: string, path: string): EngineError {
  return new EngineError('unexpected-payload', message, { path });
}
