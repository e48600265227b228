/**
 * Rows looked up by their primary keys in other ways than by-key fields: `node` of the relay API, `_entities` of federation.
 * @rule Which rows may `node` and `_entities` show?
 */
import type { Table } from '../program/program.ts';
import { offer, type RootKind } from './offer.ts';
import type { RoleSchema } from './role-schema.ts';

/** Whether they may show what the role's by-key field shows. A resolver that was written by hand may allow less than the rules. */
export function isLookedUpByKey(
  role: RoleSchema,
  table: Table,
  root: Exclude<RootKind, 'mutation'>,
): boolean {
  for (const { field, resolve } of table.fields.query.values())
    if (field === 'select_by_pk' && resolve) return false;
  const byKey = { kind: 'select_by_pk', root } as const;
  return offer(table.shape, role.table(table).rules, byKey, role.backendOnly) === true;
}
