/**
 * Which rows a role sees, and which conditions need not be asked twice. A row that is reached through a relationship from a
 * row for which the rule of its table is known to hold may need no condition of its own (see condition/join.ts for the
 * proof). The rule is known to hold for rows that are read from the table itself, in a query with that table's rule among its
 * conditions: not for rows that a function returned or a mutation wrote, and not where an update or delete looks for rows.
 * Ledgers say the same, by the same function (compiler/phases/4-plan/ledger-relationships.ts). Access files do not: there it
 * would be a claim about the rule of another file, which an edited file could break, and which had to be proved to be believed.
 *
 * A rule that can raise an error for a row is evaluated only for rows that are tied to a row of the request: `case when <tie>
 * then <rule> end`. Else Postgres would try it on the rows that hidden rows lead to.
 * @rule Which rows does a role see, and which condition is not asked twice?
 */
import { followsThrough } from '../condition/join.ts';
import type { Relationship } from '../program/program.ts';
import { remember } from '../remember.ts';
import { ruleOrHole } from '../saved/holes.ts';
import { joinCondition, type VisibleRows, type VisibleTable } from '../schema/visible-table.ts';
import { FALSE, type Sql, sql } from '../sql/fragment.ts';
import { and } from '../sql/statement.ts';

/** The conditions that the role's rule demands of a row; false for a table that the role may not read. */
export function rowRule(visible: VisibleTable, alias: Sql): readonly Sql[] {
  if (!visible.select) return [FALSE];
  const conditions = visible.select.where ? [visible.select.where(alias)] : [];
  return ruleOrHole(visible, 'select', alias, conditions);
}

const seenViews = new WeakMap<VisibleTable, VisibleTable>();

/** The same table, for rows that are known to meet its rule. */
export function seen(visible: VisibleTable): VisibleTable {
  return visible.implied ? visible : remember(seenViews, visible, () => ({ ...visible, implied: new Map() }));
}

/**
 * The conditions for a row that is joined by a relationship.
 * @param from what the role sees of the table that the relationship belongs to, marked by `seen` where that holds
 */
export function visibleThrough(
  from: VisibleTable,
  relationship: Relationship,
  target: VisibleTable,
  alias: Sql,
): readonly Sql[] {
  const { implied } = from;
  if (!implied || !from.select || !target.select) return rowRule(target, alias);
  const conditions = askedThrough(from.select, implied, from, relationship, target.select, target, alias);
  return ruleOrHole(target, 'select', alias, conditions, [from.table.key, relationship.name]);
}

/** The conditions of a relationship: those that tie the row to the one of `outer`, and those of `visibleThrough`. */
export function related(
  from: VisibleTable,
  relationship: Relationship,
  target: VisibleTable,
  outer: Sql,
  alias: Sql,
): readonly Sql[] {
  const ties = [joinCondition(relationship, outer, alias)];
  const rule = visibleThrough(from, relationship, target, alias);
  return rule.length === 0 ? ties : [...ties, ...reached(ties, target, rule)];
}

/**
 * Conditions of the role's rule for rows that ties lead to: the ties alone where only column masks can fail.
 * @param ties conditions that fail for no row; none where the rows come from elsewhere
 */
export function reached(
  ties: readonly Sql[],
  { select }: VisibleTable,
  rule: readonly Sql[],
): readonly Sql[] {
  if (!select?.canFail || ties.length === 0) return rule;
  if (rule.length === 0) return ties;
  return [sql`case when ${and(ties)} then ${and(rule)} end`];
}

function askedThrough(
  { rule }: VisibleRows,
  implied: Map<Relationship, boolean>,
  from: VisibleTable,
  relationship: Relationship,
  select: VisibleRows,
  target: VisibleTable,
  alias: Sql,
): readonly Sql[] {
  if (!select.where) return [];
  const asked = select.rule;
  const follows = remember(implied, relationship, () =>
    followsThrough({ shape: from.table.shape, rule }, relationship.shape, {
      shape: target.table.shape,
      rule: asked,
    }),
  );
  return follows ? [] : [select.where(alias)];
}
