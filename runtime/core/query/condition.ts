/**
 * Conditions of requests, and when Postgres may evaluate them. Postgres evaluates the conditions of a WHERE in an order of its
 * own, so a condition of a client may see rows that the role's rule would hide, and an error that it raises for such a row
 * tells what the row holds. Therefore a condition is *total*, which means that it fails for no row, whatever the row holds;
 * or it is evaluated behind the rule: `case when <rule> then <condition> end`. The order within a CASE is certain, and the
 * planner, which tries other conditions on values from its statistics, does not look inside.
 */

import { isTrue, type Sql, sql, TRUE } from '../sql/fragment.ts';
import { and, or } from '../sql/statement.ts';

export interface Condition {
  readonly sql: Sql;
  /** It fails for no row. */
  readonly isTotal: boolean;
  /** The conditions that `and` connects; absent otherwise. */
  readonly parts?: readonly Condition[];
}

export function totalCondition(condition: Sql): Condition {
  return { sql: condition, isTotal: true };
}

export function partialCondition(condition: Sql): Condition {
  return { sql: condition, isTotal: false };
}

const NO_CONDITION = totalCondition(TRUE);

export function allOf(conditions: readonly Condition[]): Condition {
  const parts = conditions.filter((condition) => !isTrue(condition.sql));
  if (parts.length === 0) return NO_CONDITION;
  if (parts.length === 1) return parts[0]!;
  return { sql: and(parts.map((part) => part.sql)), isTotal: areTotal(parts), parts };
}

export function anyOf(conditions: readonly Condition[]): Condition {
  return { sql: or(conditions.map((condition) => condition.sql)), isTotal: areTotal(conditions) };
}

export function not({ sql: condition, isTotal }: Condition): Condition {
  return { sql: sql`not ${condition}`, isTotal };
}

function areTotal(conditions: readonly Condition[]): boolean {
  return conditions.every((condition) => condition.isTotal);
}

/**
 * The condition for rows that a rule protects. What is total stays where Postgres can use indexes for it.
 * @param rule the conditions of the rule; none = every row
 */
export function behind(rule: readonly Sql[], condition: Condition): Sql {
  if (rule.length === 0 || condition.isTotal) return condition.sql;
  const parts = partsOf(condition);
  const total = parts.filter(({ isTotal }) => isTotal).map((part) => part.sql);
  const partial = parts.filter(({ isTotal }) => !isTotal).map((part) => part.sql);
  return and([...total, sql`case when ${and(rule)} then ${and(partial)} end`]);
}

function partsOf(condition: Condition): readonly Condition[] {
  return condition.parts?.flatMap(partsOf) ?? [condition];
}
