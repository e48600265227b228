/** Rule of the lint about aggregates that a role may not select, and may order by. */
import { diagnostics as messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { at } from '../../../runtime/core/diagnostics/diagnostic.ts';
import type { LintFinding } from './finding.ts';
import type { LintInput, PlacedPermission, PlacedTable } from './place.ts';

/** One finding a role, at the first of its permissions that withholds what can be ordered by. */
export function orderedAggregates({ tables, plan }: LintInput): LintFinding[] {
  if (plan.saved?.options.restrictAggregateOrder) return [];
  const found = new Map<string, { readonly target: PlacedTable; readonly permission: PlacedPermission }[]>();
  for (const target of tables)
    for (const permission of target.permissions) {
      const { operation, role } = permission;
      if (operation !== 'select' || target.model.permissions.select[role]!.aggregations) continue;
      if (!tables.some((table) => leadsTo(table, target) && isReadable(table, role))) continue;
      const known = found.get(role) ?? [];
      found.set(role, [...known, { target, permission }]);
    }
  return [...found].map(([role, all]) => {
    const [first] = all;
    const message = messages.aggregatesReadableByOrder({
      role,
      tables: all.map(({ target }) => target.name).join(', '),
    });
    const targets = all.flatMap(({ target }) => [target.model.key, target.name]);
    const diagnostic = at(first!.permission.path, message);
    return { diagnostic, tables: targets, columns: [], role, place: '', cause: [role] };
  });
}

/** True if rows of one table have an array of rows of the other. */
function leadsTo(table: PlacedTable, target: PlacedTable): boolean {
  if (table.source !== target.source) return false;
  return Object.values(table.model.shape.relationships ?? {}).some(
    ({ kind, target: key }) => kind === 'array' && key === target.model.key,
  );
}

function isReadable(table: PlacedTable, role: string): boolean {
  return table.permissions.some((each) => each.operation === 'select' && each.role === role);
}
