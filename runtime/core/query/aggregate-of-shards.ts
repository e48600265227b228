/** Aggregates and nodes over rows of distributed tables: what `aggregateOfRows` answers, in the form that Citus takes. */

import type { SelectedField, Selection } from '../request/selection.ts';
import { roleLimit } from '../saved/holes.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import { builtIn, filterOf, literal, raw, type Sql, sql } from '../sql/fragment.ts';
import { columnOf, jsonList, nested, selectStatement } from '../sql/statement.ts';
import { aggregateEntries, countsDistinct } from './aggregate.ts';
import { EMPTY_LIST, type Entry, jsonRows, objectCall } from './json-rows.ts';
import { type Base, derivedRows, numbered, rowNumber } from './rows.ts';
import type { Scope } from './scope.ts';

/**
 * The JSON of an aggregate. Objects are made by calls, because Citus has no place for subqueries without a table, and nodes
 * together with their rows, because it looks up no rows for those of a derived table.
 * @param nodeEntries what is selected of each row, for its alias in `base`
 */
export function aggregateOfShards(
  visible: VisibleTable,
  selection: Selection,
  base: Base & { readonly ordered: boolean },
  nodeEntries: (field: SelectedField) => readonly Entry[],
  scope: Scope,
): Sql {
  const nodes = selection.fields.filter(({ definition }) => definition.meaning.kind === 'nodes');
  const columnsOfNodes = nodes.map((field, index): Entry => {
    return [`engine node ${index + 1}`, objectCall(nodeEntries(field), scope)];
  });
  const rows = derivedRows(visible, selection, base, scope, columnsOfNodes);
  const capped = visible.select?.limit !== undefined && nodes.length > 0;
  // Postgres may sort the rows of an ordered view for a distinct count.
  const isKept =
    base.keys.length > 0 || base.distinct.length > 0 || (base.ordered && countsDistinct(selection));
  const reordered = nodes.length > 0 && isKept;
  const position = columnOf(rows.alias, rowNumber(visible.table));
  const order = reordered ? sql` order by ${position}` : raw('');
  const filter = capped ? filterOf(sql`${position} <= ${roleLimit(visible)}`) : raw('');
  let isEmpty = true;
  const keep = (value: Sql) => {
    isEmpty = false;
    return value;
  };
  const entries = selection.fields.map((field): Entry => {
    const { kind } = field.definition.meaning;
    if (kind === 'typename') return [field.responseName, sql`${literal(selection.typeName)}::text`];
    if (kind === 'aggregate')
      return [
        field.responseName,
        objectCall(aggregateEntries(field.selection, rows.row, keep, [], visible, scope), scope),
      ];
    const [name] = columnsOfNodes[nodes.indexOf(field)]!;
    const list = sql`${jsonList(columnOf(rows.alias, name), order)}${filter}`;
    return [field.responseName, keep(builtIn('coalesce', list, EMPTY_LIST))];
  });
  // Nothing but type names: one object, whatever the rows.
  if (isEmpty) return jsonRows('single', entries, {}, scope);
  const from = capped || reordered ? numbered(rows, visible.table) : rows.from;
  return nested(selectStatement({ columns: objectCall(entries, scope), from: [from] }));
}
