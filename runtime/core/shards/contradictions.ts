/**
 * Conditions of a write that fix one column to two values. Where the planner proves that they contradict each other, Citus
 * fails the write instead of writing no row. All equalities but one get a form that planners do not fold, and mean the same.
 */
import { groupBy } from '../remember.ts';
import { type Sql, sql } from '../sql/fragment.ts';
import { comparisonOf, meaningOf } from '../sql/statement.ts';
import { equalitiesOf, type Reading } from './equalities.ts';
import type { Facts } from './facts.ts';
import { allQueries, type Item, type Query, ruleOf } from './query.ts';
import type { Edits } from './rewrite.ts';

interface Fixed {
  readonly alias: string;
  readonly column: string;
  readonly value: string;
  readonly comparison: Sql;
}

/** @returns what takes the places of comparisons */
export function withoutContradictions(statement: Query, facts: Facts, reading: Reading): Edits {
  const edits: Edits = new Map();
  const queries = [...allQueries(statement)];
  if (!queries.some(({ clauses: { kind } }) => kind === 'update' || kind === 'delete')) return edits;
  for (const { items, where } of queries) {
    const conditions = [...where, ...items.flatMap(({ on }) => on ?? [])];
    const all = conditions.flatMap((condition) => fixedIn(condition, reading));
    for (const same of groupBy(all, ({ alias, column }) => JSON.stringify([alias, column])).values()) {
      const item = items.find(({ alias }) => alias === same[0]!.alias);
      const kept = keptValue(item, same, facts);
      for (const { value, comparison } of same)
        if (value !== kept) edits.set(comparison, unfolded(comparison));
    }
  }
  return edits;
}

/** Of the distribution column, the value that other tables are pruned by. */
function keptValue(item: Item | undefined, [first, ...others]: readonly Fixed[], facts: Facts): string {
  const pruning = item && facts.value(item);
  const found = [first!, ...others].find(({ value }) => value === pruning);
  return (found ?? first!).value;
}

/** The equalities with values that all hold. */
function fixedIn(condition: Sql, reading: Reading): Fixed[] {
  const meaning = meaningOf(condition);
  switch (meaning?.kind) {
    case 'and':
      return meaning.conditions.flatMap((part) => fixedIn(part, reading));
    case 'nested':
      return fixedIn(meaning.inner, reading);
    case 'hole':
      return fixedIn(meaning.value, reading);
    case 'rule':
      return fixedIn(ruleOf(condition, reading.rules), reading);
    case 'comparison':
      return equalitiesOf(condition, reading).flatMap(({ column, other }) =>
        'text' in other ? [{ ...column, value: other.text, comparison: condition }] : [],
      );
    default:
      return [];
  }
}

function unfolded(comparison: Sql): Sql {
  const meaning = meaningOf(comparison);
  if (meaning?.kind !== 'comparison') throw new Error('a fragment is no comparison');
  return sql`(${comparisonOf(meaning.left, meaning.operator, meaning.right)}) is true`;
}
