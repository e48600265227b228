/** Which root fields of a table a role is offered. */
import type { Table } from '../../../runtime/core/program/program.ts';
import type { RootFieldKind } from '../../../runtime/core/program/root-fields.ts';
import { offer } from '../../../runtime/core/schema/offer.ts';
import { type OfferedRoot, offeredRoots } from '../../../runtime/core/schema/offered-roots.ts';
import { rulesOf } from '../../../runtime/core/schema/visible-table.ts';
import type { GeneratedCode } from '../generated-code/index.ts';

/** The root fields of a table that a role is offered; those for trusted callers too. */
export function rootsOf(
  { program: { access, options } }: GeneratedCode,
  role: string,
  table: Table,
): readonly OfferedRoot<RootFieldKind>[] {
  const rules = rulesOf(access(table), role);
  return [...offeredRoots(table, rules, options), ...entities(table, rules)];
}

/** Whether or not the server that will serve this has Apollo federation enabled. */
function entities({ shape, fields }: Table, rules: ReturnType<typeof rulesOf>): OfferedRoot<RootFieldKind>[] {
  const byKey = { kind: 'select_by_pk', root: 'query' } as const;
  if (!shape.federated || offer(shape, rules, byKey, true) !== true) return [];
  for (const { field, resolve } of fields.query.values()) if (field === 'select_by_pk' && resolve) return [];
  return [{ root: 'query', name: '_entities', kind: 'select_by_pk' }];
}
