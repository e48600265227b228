/**
 * Conditions of requests, and when Postgres may evaluate them. Postgres evaluates the conditions of a WHERE in an order of its
 * own, so a condition of a client may see rows that the role's rule would hide, and an error that it raises for such a row
 * tells what the row holds. Therefore a condition is *total*, which means that it fails for no row, whatever the row holds;
 * or it is evaluated behind the rule: `case when <rule> then <condition> end`. The order within a CASE is certain, and the
 * planner, which tries other conditions on values from its statistics, does not look inside.
 *
 * The same holds for the rows that a condition through a relationship looks at. Postgres may join them, and ask a part of that
 * condition, before it asks whether they are visible; what it evaluates for the rows that are left then tells what hidden rows hold.
 * So such a condition stands in front as well: as a whole, its rule included.
 */

import { isTrue, type Sql, sql, TRUE } from '../sql/fragment.ts';
import { and, guardedCondition, or } from '../sql/statement.ts';

export interface SqlCondition {
  readonly sql: Sql;
  /** It fails for no row. */
  readonly isTotal: boolean;
  /** It looks at rows of other tables, some of which may be hidden. */
  readonly isFar?: boolean;
  /** The conditions that `and` connects; absent otherwise. */
  readonly parts?: readonly SqlCondition[];
}

export function totalCondition(condition: Sql): SqlCondition {
  return { sql: condition, isTotal: true };
}

/** The same condition, which looks at rows of other tables. */
export function far({ sql: condition, isTotal }: SqlCondition): SqlCondition {
  return { sql: condition, isTotal, isFar: true };
}

export function partialCondition(condition: Sql): SqlCondition {
  return { sql: condition, isTotal: false };
}

const NO_CONDITION = totalCondition(TRUE);

export function sqlAnd(conditions: readonly SqlCondition[]): SqlCondition {
  const parts = conditions.filter((condition) => !isTrue(condition.sql));
  if (parts.length === 0) return NO_CONDITION;
  if (parts.length === 1) return parts[0]!;
  return { sql: and(parts.map((part) => part.sql)), isTotal: areTotal(parts), isFar: areFar(parts), parts };
}

export function sqlOr(conditions: readonly SqlCondition[]): SqlCondition {
  const all = or(conditions.map((condition) => condition.sql));
  return { sql: all, isTotal: areTotal(conditions), isFar: areFar(conditions) };
}

export function sqlNot({ sql: condition, isTotal, isFar }: SqlCondition): SqlCondition {
  return { sql: sql`not ${condition}`, isTotal, isFar: isFar === true };
}

function areTotal(conditions: readonly SqlCondition[]): boolean {
  return conditions.every((condition) => condition.isTotal);
}

function areFar(conditions: readonly SqlCondition[]): boolean {
  return conditions.some(({ isFar }) => isFar);
}

/**
 * The condition for rows that a rule protects. What is total stays where Postgres can use indexes for it.
 * @param rule the conditions of the rule; none = every row
 */
export function behind(rule: readonly Sql[], condition: SqlCondition): Sql {
  if (condition.isTotal) return condition.sql;
  const parts = partsOf(condition);
  const total = parts.filter(({ isTotal }) => isTotal);
  const partial = parts.filter(({ isTotal }) => !isTotal).map((part) => part.sql);
  const guards = [...rule, ...total.filter(({ isFar }) => isFar).map((part) => part.sql)];
  if (guards.length === 0) return condition.sql;
  return and([...total.map((part) => part.sql), guardedCondition(and(guards), and(partial))]);
}

function partsOf(condition: SqlCondition): readonly SqlCondition[] {
  return condition.parts?.flatMap(partsOf) ?? [condition];
}
