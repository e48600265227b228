/**
 * `where` of the legacy data operations: the language of permissions as a client speaks it.
 * Only what the role may read can be named, rows behind relationships are those that the role sees, and every value is
 * plain data: a text that looks like a session variable is that text.
 */
import { pathStep } from '../../core/errors.ts';
import type { InputNode } from '../../core/request/selection.ts';
import { columnComparisons, comparisons } from './comparison.ts';
import {
  findComputedField,
  findRelationship,
  findRequestedTable,
  type ReadableTable,
  readableColumn,
  readableTable,
} from './table.ts';
import {
  objectNode,
  type Part,
  readTableName,
  requireArgumentObject,
  requireList,
  underscored,
} from './value.ts';

/** The expression as a node of the planner. @throws EngineError for every error in it, with its path */
export function whereNode(json: unknown, table: ReadableTable, path: string): InputNode {
  const entries = Object.entries(requireArgumentObject(json, path));
  return objectNode(
    path,
    entries.flatMap(([key, value]) => parts(key, value, table, pathStep(path, key))),
  );
}

function parts(key: string, value: unknown, table: ReadableTable, path: string): readonly Part[] {
  // A column may be called `not` or `_and`; then the key means the column.
  if (!table.select.readable.has(key)) {
    const combined = connective(key, value, table, path) ?? nested(key, value, table, path);
    if (combined) return [combined];
  }
  const column = readableColumn(table, key, path);
  const left = { name: key, type: column.column.type, nullable: column.nullable };
  return [
    { name: key, meaning: { kind: 'column', column }, node: comparisons(left, value, path) },
    ...columnComparisons(column, value, table, path),
  ];
}

function connective(key: string, value: unknown, table: ReadableTable, path: string): Part | undefined {
  switch (underscored(key)) {
    case '_and':
      return { name: key, meaning: { kind: 'and' }, node: list(value, table, path) };
    case '_or':
      return { name: key, meaning: { kind: 'or' }, node: list(value, table, path) };
    case '_not':
    case 'not':
      return { name: key, meaning: { kind: 'not' }, node: whereNode(value, table, path) };
    case '_exists':
      return exists(key, value, table, path);
    default:
      return undefined;
  }
}

function list(value: unknown, table: ReadableTable, path: string): InputNode {
  const items = requireList(value, path).map((item, index) => whereNode(item, table, pathStep(path, index)));
  return { kind: 'list', path, items };
}

/** `{_table, _where}`: there is a row that the role may see, of any table of the same source. */
function exists(key: string, value: unknown, table: ReadableTable, path: string): Part {
  const { _table, $table, _where, $where } = requireArgumentObject(value, path);
  const tablePath = pathStep(path, '_table');
  const name = readTableName(_table ?? $table, tablePath);
  const found = findRequestedTable(table.program, table.visible.table.source.name, name, {
    role: table.role,
    operation: 'select',
    path: tablePath,
  });
  const target = readableTable({ ...table, visible: table.visible.of(found) }, tablePath);
  const node = whereNode(_where ?? $where ?? {}, target, pathStep(path, '_where'));
  return { name: key, meaning: { kind: 'exists', visible: target.visible }, node };
}

/** The conditions below a relationship or computed field. */
function nested(key: string, value: unknown, table: ReadableTable, path: string): Part | undefined {
  const related = findRelationship(table, key);
  if (related) {
    const { relationship, target } = related;
    const meaning = { kind: 'relationship', relationship, visible: target.visible } as const;
    return { name: key, meaning, node: whereNode(value, target, path) };
  }
  const field = findComputedField(table, key, path);
  if (!field) return undefined;
  if ('table' in field.returns) {
    const target = readableTable({ ...table, visible: table.visible.of(field.returns.table) }, path);
    const meaning = { kind: 'computedField', computedField: field, visible: target.visible } as const;
    return { name: key, meaning, node: whereNode(value, target, path) };
  }
  const left = { name: key, type: field.returns.type, nullable: true };
  const node = comparisons(left, value, path);
  return { name: key, meaning: { kind: 'computedField', computedField: field }, node };
}
