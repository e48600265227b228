/**
 * Rule of the lint about row rules that can raise an error for a row. The error reveals values of a hidden row:
 * Postgres evaluates a client's condition (`id: {_eq: 7}`) before the rule where it costs less, so the client chooses the row.
 */
import { operatorsOf } from '../../../runtime/core/operators.ts';
import type { SourceShape } from '../../../runtime/core/shapes.ts';
import { hasTotalComparison } from '../../../runtime/core/total-comparison.ts';
import { columnType } from '../../../runtime/core/types.ts';
import { diagnostics as messages } from '../../../runtime/diagnostics/catalogue.ts';
import { at, type Diagnostic } from '../../../runtime/diagnostics/diagnostic.ts';
import type { Condition, Operand } from '../../model/model.ts';
import { visit } from './conditions.ts';
import type { PlacedPermission, PlacedTable } from './place.ts';
import { names } from './rows.ts';

/** One finding a rule, which names all that can fail in it. */
export function failingRules(table: PlacedTable, permission: PlacedPermission): Diagnostic[] {
  const { filter, path } = permission;
  if (!filter) return [];
  const parts = new Set<string>();
  visit(filter, (part) => {
    const failing = whatFails(part, table.model.shape.source);
    if (failing !== undefined) parts.add(failing);
  });
  if (parts.size === 0) return [];
  const listed = [...parts].join(', ');
  return [at([...path, 'filter'], messages.ruleCanFail({ ...names(table, permission), parts: listed }))];
}

/** The piece of a part of a rule, apart from its own parts, that can fail for some row. */
function whatFails(part: Condition, source: SourceShape): string | undefined {
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
