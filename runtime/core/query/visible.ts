/**
 * Which rows a role sees, and which conditions need not be asked twice. A row that is reached through a relationship from a
 * row for which the rule of its table is known to hold may need no condition of its own (see condition/join.ts for the
 * proof). The rule is known to hold for rows that are read from the table itself, in a query with that table's rule among its
 * conditions: not for rows that a function returned or a mutation wrote, and not where an update or delete looks for rows.
 */
import { followsByJoin } from '../condition/join.ts';
import { isStored, nameOf, quoted } from '../condition/knowledge.ts';
import type { Relationship } from '../program.ts';
import { remember } from '../remember.ts';
import type { SelectView, TableView } from '../schema/table-view.ts';
import { FALSE, type Sql } from '../sql/fragment.ts';
import { markedRule } from './mark.ts';

/** The conditions that the role's rule demands of a row; false for a table that the role may not read. */
export function visible(view: TableView, alias: Sql): readonly Sql[] {
  if (!view.select) return [FALSE];
  const conditions = view.select.where ? [view.select.where(alias)] : [];
  return markedRule(view, 'select', alias, conditions);
}

const seenViews = new WeakMap<TableView, TableView>();

/** The same table, for rows that are known to meet its rule. */
export function seen(view: TableView): TableView {
  return view.implied ? view : remember(seenViews, view, () => ({ ...view, implied: new Map() }));
}

/**
 * The conditions for a row that is joined by a relationship.
 * @param from the view of the row that the relationship belongs to, marked by `seen` where that holds
 */
export function visibleThrough(
  from: TableView,
  relationship: Relationship,
  target: TableView,
  alias: Sql,
): readonly Sql[] {
  const { implied } = from;
  if (!implied || !from.select || !target.select) return visible(target, alias);
  const conditions = askedThrough(from.select, implied, from, relationship, target.select, target, alias);
  return markedRule(target, 'select', alias, conditions, [from.table.key, relationship.name]);
}

function askedThrough(
  { rule }: SelectView,
  implied: Map<Relationship, boolean>,
  from: TableView,
  relationship: Relationship,
  select: SelectView,
  target: TableView,
  alias: Sql,
): readonly Sql[] {
  if (!select.where) return [];
  const asked = select.rule;
  const follows = remember(implied, relationship, () =>
    followsByJoin(rule.condition, asked.condition, {
      from: isStored(from.table.shape) ? nameOf(from.table.shape) : undefined,
      to: nameOf(target.table.shape),
      pairs: relationship.columns.map(([own, other]) => ({
        own: quoted(own.name),
        other: quoted(other.name),
        type: own.type.name === other.type.name ? own.type.name : undefined,
      })),
      unique: relationship.shape.unique === true,
    }),
  );
  return follows ? [] : [select.where(alias)];
}
