/** Questions about conditions that more than one rule of the lint asks. */
import type { Argument, BooleanExpression, Value } from '../../model/model.ts';

/** Session variables that a condition compares with, in lower case, sorted. */
export function comparedVariables(condition: BooleanExpression): string[] {
  const names = new Set<string>();
  visitConditions(condition, (part) => {
    if (part.kind === 'comparison') for (const name of variablesOf(part.right)) names.add(name);
  });
  return [...names].sort();
}

function variablesOf(right: Argument): string[] {
  const ofValue = (value: Value) => (value.kind === 'session' ? [value.name] : []);
  switch (right.kind) {
    case 'value':
      return ofValue(right.value);
    case 'list':
      return right.values.flatMap(ofValue);
    case 'session-list':
      return [right.name];
    case 'fields':
      return right.values.flatMap(({ value }) => ofValue(value));
  }
}

export function dependsOnSession(condition: BooleanExpression): boolean {
  return comparedVariables(condition).length > 0;
}

/** Calls `see` with the condition and every part of it; `isOwnRow`: the part is about the rule's own row. */
export function visitConditions(
  condition: BooleanExpression,
  see: (part: BooleanExpression, isOwnRow: boolean) => void,
  isOwnRow = true,
): void {
  see(condition, isOwnRow);
  if (condition.kind === 'and' || condition.kind === 'or')
    for (const part of condition.conditions) visitConditions(part, see, isOwnRow);
  else if ('condition' in condition)
    visitConditions(condition.condition, see, isOwnRow && condition.kind === 'not');
}

/** A column of the rule's own row that decides, with the session, whether the row is let through. */
export interface BoundColumn {
  readonly column: string;
  /** The variable that it equals; absent when the way leads through a relationship. */
  readonly variable?: string;
}

/** Columns of the row itself that a condition ties to the session, directly or as the keys of a relationship. */
export function boundColumns(condition: BooleanExpression): BoundColumn[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.flatMap(boundColumns);
    case 'not':
      return boundColumns(condition.condition);
    case 'comparison': {
      const { left, operator, right } = condition;
      if (left.kind !== 'column') return [];
      const [variable] = variablesOf(right);
      if (variable === undefined || !['_eq', '_in'].includes(operator)) return [];
      return [{ column: left.column, variable }];
    }
    case 'relationship':
      return dependsOnSession(condition.condition)
        ? Object.keys(condition.columns).map((column) => ({ column }))
        : [];
    default:
      return [];
  }
}
