/** Rules of the lint about names of roles. */

import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { nearest } from '../../../runtime/core/diagnostics/nearest.ts';
import { remember } from '../../../runtime/core/remember.ts';
import { causedBy, type Found } from './finding.ts';
import type { LintInput, PlacedPermission, PlacedTable } from './place.ts';
import { permissionNames } from './rows.ts';

/** Memo: metadata never changes. */
const counted = new WeakMap<object, ReadonlyMap<string, number>>();

/** A role with one permission and no other mention, whose name is near that of another role: probably misspelt. */
export function misspeltRole(
  table: PlacedTable,
  permission: PlacedPermission,
  { metadata }: LintInput,
): Found[] {
  const uses = remember(counted, metadata, () => usesOfRoles(metadata));
  if (uses.get(permission.role) !== 1) return [];
  const others = [...uses].flatMap(([role, count]) => (count > 1 && role !== permission.role ? [role] : []));
  const near = nearest(permission.role, others);
  if (near === undefined) return [];
  return [
    causedBy(
      permission.path,
      messages.roleUsedOnce({ ...permissionNames(table, permission), nearest: near }),
      [permission.role],
    ),
  ];
}

/** How often the metadata names each role, whatever for: permissions of any object, inherited roles, limits. */
function usesOfRoles(metadata: unknown): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  const count = (role: unknown) => {
    if (typeof role === 'string') uses.set(role, (uses.get(role) ?? 0) + 1);
  };
  const visit = (value: unknown) => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === 'object' && value !== null)
      for (const [key, each] of Object.entries(value)) {
        if (key === 'role' || key === 'role_name') count(each);
        else if (key === 'role_set' && Array.isArray(each)) each.forEach(count);
        visit(each);
      }
  };
  visit(metadata);
  return uses;
}
