/** Groups of rows with aggregates → SQL. */
import { EngineError } from '../errors.ts';
import type { InputNode, RootArguments, Selection } from '../request/selection.ts';
import {
  outputValue,
  shownEnumValue,
  type VisibleColumn,
  type VisibleTable,
} from '../schema/visible-table.ts';
import { literal, raw, type Sql, sql } from '../sql/fragment.ts';
import { columnOf, type FromItem, nested, selectStatement } from '../sql/statement.ts';
import { aggregateEntries } from './aggregate.ts';
import { groupCondition } from './aggregate-predicate.ts';
import { objectOf } from './comparison.ts';
import { type Entry, jsonRows, lateralObject, namedColumns } from './json-rows.ts';
import { aggregateKeys, direction, orderBy, type SortKey } from './order.ts';
import { argumentName, type Base, baseRows, limitOf, offsetOf, type RowSource } from './rows.ts';
import type { Scope } from './scope.ts';
import { whereCondition } from './where.ts';

/**
 * A list of groups. The role's rule and `where` choose the rows, cells that the role does not see are null as elsewhere, and
 * only then rows are grouped. The role's limit caps the groups, which by a unique column are rows.
 */
export function groupsOfRows(
  visible: VisibleTable,
  selection: Selection,
  args: RootArguments,
  source: RowSource,
  scope: Scope,
): Sql {
  const path = selection.argumentsPath;
  const rowArguments = new Map([...args].filter(([name]) => name === 'where'));
  const base = baseRows(visible, rowArguments, { ...source, ordered: false }, false, path, scope);
  const keys = keysOf(args.get('keys'), visible);
  const grouped = [...keys].map(([, { name, column }]): Entry => [name, column.value(base.alias)]);
  const order = groupOrder(args.get(argumentName(visible)('order_by')), keys, base);
  const having = conditions(args.get('having'), base, scope);
  const limits = { limit: limitOf(args, visible, true), offset: offsetOf(args) };

  const result = scope.alias('group');
  const objects: FromItem[] = [];
  const kept: Entry[] = [...grouped];
  const keep = (value: Sql): Sql => {
    const name = `a${kept.length - grouped.length + 1}`;
    kept.push([name, value]);
    return columnOf(result, name);
  };
  const entries = selection.fields.map((field): Entry => {
    const { kind } = field.definition.meaning;
    if (kind === 'typename') return [field.responseName, sql`${literal(selection.typeName)}::text`];
    const parts =
      kind === 'groupKey'
        ? keyEntries(field.selection, keys, result, scope)
        : aggregateEntries(field.selection, base.alias, keep, objects, visible, scope);
    return [field.responseName, lateralObject(parts, objects, scope)];
  });
  // By position: an alias or an expression could mean something else there.
  const by = grouped.length > 0 ? raw(grouped.map((_, index) => index + 1).join(', ')) : raw('()');
  const rows = selectStatement({
    columns: namedColumns(kept),
    from: base.from,
    where: base.where,
    group: by,
    having,
    order: orderBy(order),
    ...limits,
  });
  return jsonRows('list', entries, { from: [{ rows: nested(rows), alias: result }, ...objects] }, scope);
}

/** A column that groups have in common: what it is called among the grouped columns, counted from 1. */
interface Key {
  readonly position: number;
  readonly name: string;
  readonly column: VisibleColumn;
}

/** Keys by database name, each once. */
function keysOf(node: InputNode | undefined, visible: VisibleTable): ReadonlyMap<string, Key> {
  const items = node?.kind === 'list' ? node.items : node ? [node] : [];
  const names = new Set(items.flatMap((item) => (item.kind === 'enum' ? [item.value] : [])));
  return new Map(
    [...names].map((name, index) => {
      const position = index + 1;
      return [name, { position, name: `k${position}`, column: visible.select!.columns.get(name)! }];
    }),
  );
}

function keyEntries(
  selection: Selection,
  keys: ReadonlyMap<string, Key>,
  result: Sql,
  scope: Scope,
): readonly Entry[] {
  return selection.fields.map((field): Entry => {
    const { meaning } = field.definition;
    if (meaning.kind !== 'column') return [field.responseName, sql`${literal(selection.typeName)}::text`];
    const { column } = meaning.column;
    const key = keys.get(column.name);
    if (!key) return [field.responseName, raw('null')];
    const value = shownEnumValue(column, columnOf(result, key.name));
    return [field.responseName, outputValue(column.type, value, scope.options.stringifyNumbers)];
  });
}

/** @throws EngineError for an order by a column that is not among the keys */
function groupOrder(
  node: InputNode | undefined,
  keys: ReadonlyMap<string, Key>,
  { alias, visible }: Base,
): readonly SortKey[] {
  return itemsOf(node).flatMap((item) => {
    const { type, fields } = objectOf(item);
    return [...fields].flatMap(([name, value]): readonly SortKey[] => {
      if (value.kind === 'null') return [];
      return type.fields().get(name)!.meaning.kind === 'groupKey'
        ? keyOrder(value, keys)
        : aggregateKeys(value, alias, visible);
    });
  });
}

function keyOrder(node: InputNode, keys: ReadonlyMap<string, Key>): readonly SortKey[] {
  const { type, fields } = objectOf(node);
  return [...fields].flatMap(([name, value]): readonly SortKey[] => {
    if (value.kind === 'null') return [];
    const { meaning } = type.fields().get(name)!;
    const key = meaning.kind === 'column' ? keys.get(meaning.column.column.name) : undefined;
    if (!key)
      throw new EngineError('validation-failed', `groups are ordered by their keys; '${name}' is not one`, {
        path: value.path,
      });
    return [{ expression: raw(String(key.position)), direction: direction(value) }];
  });
}

/** The conditions of HAVING. */
function conditions(node: InputNode | undefined, { alias, visible }: Base, scope: Scope): readonly Sql[] {
  return itemsOf(node).map((item) =>
    groupCondition(objectOf(item), alias, visible, scope, (filter) =>
      whereCondition(filter, alias, visible, scope, []),
    ),
  );
}

/** Items of a list, or the only one. Nulls are ignored. */
function itemsOf(node: InputNode | undefined): readonly InputNode[] {
  const items = node?.kind === 'list' ? node.items : node ? [node] : [];
  return items.filter(({ kind }) => kind !== 'null');
}
