/**
 * Rule of the lint about row rules that can raise an error for a row. The error reveals values of a hidden row:
 * Postgres evaluates a client's condition (`id: {_eq: 7}`) before the rule where it costs less, so the client chooses the row.
 */
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { failingPart } from '../../phases/4-plan/failing.ts';
import { visitConditions } from './conditions.ts';
import { causedBy, type Found } from './finding.ts';
import type { PlacedPermission, PlacedTable } from './place.ts';
import { permissionNames } from './rows.ts';

/** One finding a rule, which names all that can fail in it. */
export function failingRules(table: PlacedTable, permission: PlacedPermission): Found[] {
  const { filter, path } = permission;
  if (!filter) return [];
  const parts = new Set<string>();
  visitConditions(filter, (part) => {
    const failing = failingPart(part, table.model.shape.source);
    if (failing !== undefined) parts.add(failing);
  });
  if (parts.size === 0) return [];
  const listed = [...parts].join(', ');
  const message = messages.ruleCanFail({ ...permissionNames(table, permission), parts: listed });
  return [causedBy([...path, 'filter'], message, [table.source, table.model.key, listed])];
}
