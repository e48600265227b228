/** Aggregate fields → SQL: `count`, and the functions over columns and computed fields. */
import type { SelectedField, Selection } from '../request/selection.ts';
import { outputValue, type VisibleTable } from '../schema/visible-table.ts';
import { isDistributed } from '../shards/index.ts';
import { builtIn, COUNT, join, literal, raw, type Sql, sql } from '../sql/fragment.ts';
import { aggregateCall } from '../sql/operand.ts';
import type { FromItem } from '../sql/statement.ts';
import { nested } from '../sql/statement.ts';
import { computedFieldSql } from './computed.ts';
import { type Entry, lateralObject, objectCall } from './json-rows.ts';
import type { Scope } from './scope.ts';

/**
 * The aggregates of a selection. `keep` evaluates an expression once, beside the others, and returns what it is called.
 */
export function aggregateEntries(
  selection: Selection,
  rows: Sql,
  keep: (value: Sql) => Sql,
  objects: FromItem[],
  visible: VisibleTable,
  scope: Scope,
): Entry[] {
  return selection.fields.map((field): Entry => {
    const { meaning } = field.definition;
    switch (meaning.kind) {
      case 'typename':
        return [field.responseName, sql`${literal(selection.typeName)}::text`];
      case 'count':
        return [field.responseName, keep(count(field, rows, visible))];
      case 'aggregateFunction':
        return [
          field.responseName,
          objectOfAggregates(
            functionEntries(meaning.function, field.selection, rows, keep, visible, scope),
            objects,
            visible,
            scope,
          ),
        ];
      default:
        throw new Error(`aggregate fields have no ${meaning.kind}`);
    }
  });
}

function objectOfAggregates(
  entries: readonly Entry[],
  objects: FromItem[],
  visible: VisibleTable,
  scope: Scope,
): Sql {
  return isDistributed(visible.table.source)
    ? objectCall(entries, scope)
    : lateralObject(entries, objects, scope);
}

function functionEntries(
  name: string,
  selection: Selection,
  rows: Sql,
  keep: (value: Sql) => Sql,
  visible: VisibleTable,
  scope: Scope,
): Entry[] {
  return selection.fields.map((field): Entry => {
    const { meaning } = field.definition;
    if (meaning.kind === 'typename') return [field.responseName, sql`${literal(selection.typeName)}::text`];
    if (meaning.kind !== 'aggregateColumn') throw new Error(`an aggregate function has no ${meaning.kind}`);
    const { column } = meaning;
    const own = 'column' in column;
    const value = own ? column.value(rows) : computedFieldSql(column, visible, rows, undefined);
    const type = own ? column.column.type : 'type' in column.returns ? column.returns.type : undefined;
    const aggregate = aggregateCall(name, value, type);
    return [
      field.responseName,
      keep(type ? outputValue(type, aggregate, scope.options.stringifyNumbers) : aggregate),
    ];
  });
}

/** `count`: rows, or rows whose column is not null; several columns count as one row value. */
function count(field: SelectedField, rows: Sql, visible: VisibleTable): Sql {
  const node = field.arguments.get('columns');
  const names =
    node?.kind === 'list' ? node.items.flatMap((item) => (item.kind === 'enum' ? [item.value] : [])) : [];
  if (names.length === 0) return COUNT;
  const list = join(
    names.map((name) => visible.select!.columns.get(name)!.value(rows)),
    ', ',
  );
  const distinct = field.arguments.get('distinct');
  return builtIn(
    'count',
    sql`${raw(distinct?.kind === 'boolean' && distinct.value ? 'distinct ' : '')}${names.length > 1 ? nested(list) : list}`,
  );
}

/** Whether an aggregate counts distinct values, at any depth. */
export function countsDistinct(selection: Selection): boolean {
  return selection.fields.some(
    ({ definition: { meaning }, arguments: args, selection: inner }) =>
      (meaning.kind === 'aggregate' && countsDistinct(inner)) ||
      (meaning.kind === 'count' && args.has('distinct')),
  );
}
