/** Which root fields a role is offered, and what they are about. */
import type { Table, TableFunction } from '../../../runtime/core/program/program.ts';
import type { RootFieldKind } from '../../../runtime/core/program/root-fields.ts';
import { offer } from '../../../runtime/core/schema/offer.ts';
import { type OfferedRoot, offeredCalls, offeredRoots } from '../../../runtime/core/schema/offered-roots.ts';
import { rulesOf } from '../../../runtime/core/schema/visible-table.ts';
import type { GeneratedCode } from '../generated-code/index.ts';

export interface Roots {
  readonly ofTable: (table: Table) => readonly OfferedRoot<RootFieldKind>[];
  readonly ofFunction: (entry: TableFunction) => readonly OfferedRoot[];
}

/** The root fields of a role, by table and function; those for trusted callers too. */
export function rootsOf({ program }: GeneratedCode, role: string): Roots {
  const { access, options } = program;
  return {
    ofTable: (table) => {
      const rules = rulesOf(access(table), role);
      return [...offeredRoots(table, rules, options), ...entities(table, rules)];
    },
    ofFunction: (entry) => offeredCalls(entry, role, rulesOf(access(entry.returns), role), options),
  };
}

/** Whether or not the server that will serve this has Apollo federation enabled. */
function entities({ shape, fields }: Table, rules: ReturnType<typeof rulesOf>): OfferedRoot<RootFieldKind>[] {
  const byKey = { kind: 'select_by_pk', root: 'query' } as const;
  if (!shape.federated || offer(shape, rules, byKey, true) !== true) return [];
  for (const { field, resolve } of fields.query.values()) if (field === 'select_by_pk' && resolve) return [];
  return [{ root: 'query', name: '_entities', kind: 'select_by_pk' }];
}
