/** Questions about conditions that tests of isolation ask. */

import type { BooleanExpression } from '../../model/model.ts';
import { comparedVariables } from '../lint/conditions.ts';

/** Whether the condition holds for no row unless something in the database equals the variable. */
export function isGuardedBy(condition: BooleanExpression, variable: string): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.conditions.some((part) => isGuardedBy(part, variable));
    case 'or':
      return (
        condition.conditions.length > 0 && condition.conditions.every((part) => isGuardedBy(part, variable))
      );
    case 'relationship':
    case 'exists':
    case 'computed-rows':
      return isGuardedBy(condition.condition, variable);
    case 'comparison': {
      const { operator, right } = condition;
      if (operator === '_in') return right.kind === 'session-list' && right.name === variable;
      return (
        operator === '_eq' &&
        right.kind === 'value' &&
        right.value.kind === 'session' &&
        right.value.name === variable
      );
    }
    default:
      return false;
  }
}

/** The condition as it is by each of its branches that names the variable: of every `or` on the way, that part alone. */
export function branchesNaming(condition: BooleanExpression, variable: string): BooleanExpression[] {
  switch (condition.kind) {
    case 'or':
      return condition.conditions.flatMap((part) => branchesNaming(part, variable));
    case 'and':
      return condition.conditions.flatMap((part, index) =>
        branchesNaming(part, variable).map(
          (branch): BooleanExpression => ({
            kind: 'and',
            conditions: condition.conditions.with(index, branch),
          }),
        ),
      );
    case 'not':
    case 'relationship':
    case 'exists':
    case 'computed-rows':
      return branchesNaming(condition.condition, variable).map((branch) => ({
        ...condition,
        condition: branch,
      }));
    default:
      return comparedVariables(condition).includes(variable) ? [condition] : [];
  }
}
