/**
 * Which rows a role sees, and what need not be asked twice. A row that is reached through a relationship from a row of
 * which the rule of its table is known to hold may need no condition of its own (see sql/implication.ts, where the proof
 * stands). Known it is of rows that are read from the table itself, in a query with that table's rule among its conditions:
 * not of rows that a function returned or a mutation wrote, and not where an update or delete looks for its rows.
 */
import type { Relationship, Table } from '../program.ts';
import { remember } from '../remember.ts';
import type { TableView } from '../schema/table-view.ts';
import { FALSE, identifier, type Sql } from '../sql/fragment.ts';
import { followsByJoin } from '../sql/implication.ts';
import { ruleText } from '../sql/rule.ts';

/** What the role's rule demands of a row. Of a table that it may not read there is none. */
export function visible(view: TableView, alias: Sql): readonly Sql[] {
  if (!view.select) return [FALSE];
  return view.select.where ? [view.select.where(alias)] : [];
}

const seenViews = new WeakMap<TableView, TableView>();
const followed = new WeakMap<TableView, Map<Relationship, boolean>>();

/** The same view, for rows that are read from the table and meet its rule. */
export function seen(view: TableView): TableView {
  if (followed.has(view)) return view;
  return remember(seenViews, view, () => {
    const marked = { ...view };
    followed.set(marked, new Map());
    return marked;
  });
}

/**
 * What must be asked of a row that is joined by a relationship.
 * @param from the view of the row that the relationship belongs to, marked by `seen` where that holds
 */
export function visibleThrough(
  from: TableView,
  relationship: Relationship,
  target: TableView,
  alias: Sql,
): readonly Sql[] {
  const known = followed.get(from);
  if (!known || !from.select || !target.select?.where) return visible(target, alias);
  const { rule } = from.select;
  const asked = target.select.rule;
  const follows = remember(known, relationship, () =>
    followsByJoin(rule, asked, {
      from: isStable(from.table) ? nameOf(from.table) : undefined,
      to: nameOf(target.table),
      pairs: relationship.columns.map(([own, other]) => ({
        own: ruleText(identifier(own.name)),
        other: ruleText(identifier(other.name)),
        type: own.type.name === other.type.name ? own.type.name : undefined,
      })),
      unique: relationship.shape.unique === true,
    }),
  );
  return follows ? [] : visible(target, alias);
}

/** Whether a statement that reads the table twice finds the same rows; a view may compute its rows anew. */
function isStable({ shape: { kind } }: Table): boolean {
  return kind === 'table' || kind === 'partitioned' || kind === 'materialized';
}

function nameOf({ shape }: Table): string {
  return ruleText(identifier(shape.schema, shape.name));
}
