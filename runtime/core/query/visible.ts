/**
 * Which rows a role sees, and which conditions need not be asked twice. A row that is reached through a relationship from a
 * row for which the rule of its table is known to hold may need no condition of its own: where the access file says so, and
 * says it of the very rules that are served (see condition/implied.ts). The rule is known to hold for rows that are read from the table itself, in a query with that table's rule among its
 * conditions: not for rows that a function returned or a mutation wrote, and not where an update or delete looks for rows.
 * Ledgers say the same, by the same facts (compiler/phases/4-plan/ledger-relationships.ts).
 *
 * A rule that can raise an error for a row is evaluated only for rows that are tied to a row of the request: `case when <tie>
 * then <rule> end`. Else Postgres would try it on the rows that hidden rows lead to.
 * @rule Which rows does a role see, and which condition is not asked twice?
 */
import { factOf, type Implication, implicationOf } from '../condition/implied.ts';
import type { Relationship } from '../program/program.ts';
import { remember } from '../remember.ts';
import { ruleOrHole } from '../saved/holes.ts';
import { joinCondition, type VisibleTable } from '../schema/visible-table.ts';
import { FALSE, isTrue, type Sql } from '../sql/fragment.ts';
import { and, guardedCondition } from '../sql/statement.ts';

/** The conditions that the role's rule demands of a row; false for a table that the role may not read. */
export function rowRule(visible: VisibleTable, alias: Sql): readonly Sql[] {
  if (!visible.select) return [FALSE];
  const conditions = visible.select.where ? [visible.select.where(alias)] : [];
  return ruleOrHole(visible, 'select', alias, conditions);
}

/** Memo: what a role sees of a table never changes. */
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
  const { select } = target;
  if (!implied || !from.select || !select) return rowRule(target, alias);
  const isAsked = () =>
    !remember(implied, relationship, () => provedAbout(from, relationship, target) !== undefined);
  const conditions = select.where && isAsked() ? [select.where(alias)] : [];
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
  const ties = [joinCondition(relationship, outer, alias)].filter((tie) => !isTrue(tie));
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
  return [guardedCondition(and(ties), and(rule))];
}

/** What was proved about a relationship, by the access file; undefined where it says nothing, or not about these rules and this join. */
export function provedAbout(
  from: VisibleTable,
  { name, shape }: Relationship,
  target: VisibleTable,
): Implication | undefined {
  const { select: known } = from;
  const { select: asked } = target;
  if (!known?.implies || !asked || !Object.hasOwn(known.implies, name)) return undefined;
  const implication = implicationOf({ shape: from.table.shape, where: known.rule.text }, shape, {
    shape: target.table.shape,
    where: asked.rule.text,
  });
  return known.implies[name] === factOf(implication) ? implication : undefined;
}
