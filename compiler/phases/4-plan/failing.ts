/**
 * Which parts of rules can raise an error for some row. Postgres evaluates the parts of a condition in an order of its own,
 * so these are evaluated behind the others (boolean-expression.ts), and rules that have them behind the rows that lead to
 * theirs (runtime/core/query/visible.ts).
 */

import type { SourceShape } from '../../../runtime/core/contract/shapes.ts';
import { operatorsOf } from '../../../runtime/core/operators.ts';
import { hasTotalComparison } from '../../../runtime/core/total-comparison.ts';
import { columnType } from '../../../runtime/core/types.ts';
import type { BooleanExpression, Operand } from '../../model/model.ts';

/** True if some part of the condition can fail for some row. */
export function canFail(condition: BooleanExpression, source: SourceShape): boolean {
  if (failingPart(condition, source) !== undefined) return true;
  if ('conditions' in condition) return condition.conditions.some((part) => canFail(part, source));
  return 'condition' in condition && canFail(condition.condition, source);
}

/** The operation in a part of a rule that can fail for some row, without the part's own parts: `_regex on "title"`. */
export function failingPart(part: BooleanExpression, source: SourceShape): string | undefined {
  if (part.kind === 'computed-rows') return `the computed field "${part.name}"`;
  if (part.kind !== 'comparison' && part.kind !== 'column-comparison' && part.kind !== 'is-null')
    return undefined;
  const { left } = part;
  if (left.kind === 'computed-field') return `the computed field "${left.name}"`;
  const type = columnType(source, left.type);
  // jsonb is cast to text, which does not fail; others are cast to types of PostGIS.
  if (left.cast && type.family !== 'text') return `the cast of ${named(left)}`;
  if (part.kind === 'is-null') return undefined;
  if (part.kind === 'column-comparison')
    return hasTotalComparison(type) ? undefined : `${part.operator} on ${named(left)}`;
  const { operator: name, right } = part;
  const operator = operatorsOf(type).get(name);
  const isOfSession = right.kind === 'value' && right.value.kind === 'session';
  const isTotal = operator?.isTotal(type) === true && !(operator.pattern && isOfSession);
  return isTotal ? undefined : `${name} on ${named(left)}`;
}

function named(left: Operand): string {
  return left.kind === 'column' ? `"${left.column}"` : `"${left.name}"`;
}
