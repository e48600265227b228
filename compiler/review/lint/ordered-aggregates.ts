/** Rule of the lint about aggregates that a role may not select, and may order by. */
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { at } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { remember } from '../../../runtime/core/remember.ts';
import type { LintFinding } from './finding.ts';
import { permissionToRead } from './hidden-columns.ts';
import type { LintInput, PlacedPermission, PlacedTable } from './place.ts';

/** One finding a role, at the first of its permissions that withholds what can be ordered by. */
export function orderedAggregates({ tables, plan }: LintInput): LintFinding[] {
  if (plan.saved?.options.restrictAggregateOrder) return [];
  const found = new Map<string, { readonly target: PlacedTable; readonly permission: PlacedPermission }[]>();
  const leading = tablesByArray(tables);
  for (const target of tables)
    for (const permission of target.permissions) {
      const { operation, role } = permission;
      if (operation !== 'select' || target.model.permissions.select[role]!.aggregations) continue;
      if (!leading.get(keyOf(target))?.some((table) => permissionToRead(table, role))) continue;
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

/** Tables whose rows have an array of rows of another, by that. */
function tablesByArray(tables: readonly PlacedTable[]): ReadonlyMap<string, readonly PlacedTable[]> {
  const found = new Map<string, PlacedTable[]>();
  for (const table of tables)
    for (const { kind, target } of Object.values(table.model.shape.relationships ?? {}))
      if (kind === 'array')
        remember(found, JSON.stringify([table.source, target]), (): PlacedTable[] => []).push(table);
  return found;
}

function keyOf({ source, model: { key } }: PlacedTable): string {
  return JSON.stringify([source, key]);
}
