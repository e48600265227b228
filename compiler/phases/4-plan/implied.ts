/**
 * Facts about relationships, for access files: the rule of the related table follows from the rule of the table. They are
 * proved about the rules that are served, with those of the related tables, so they come after all rules.
 */
import { factOf, implicationOf } from '../../../runtime/core/condition/implied.ts';
import { follows } from '../../../runtime/core/condition/join.ts';
import { type DeclaredTable, EVERY_ROW, type SelectRule } from '../../../runtime/core/contract/shapes.ts';
import { remember } from '../../../runtime/core/remember.ts';
import { rulesOf } from '../../../runtime/core/schema/visible-table.ts';
import { reuse } from '../../memory/reuse.ts';
import type { PlannedTable } from '../../model/plan.ts';

/** A table with its facts, and everything that was tried to be proved for them, by hash. */
export interface TableWithFacts {
  readonly planned: PlannedTable;
  readonly proofs: ReadonlyMap<string, boolean>;
}

/**
 * Adds the facts to the rules of a table. What was proved before, or could not be, is not tried again: a hash is of all that a
 * proof reads.
 * @param targets the tables that the relationships lead to, in order, without facts
 */
export function addFacts(
  last: TableWithFacts | undefined,
  { relationships = {} }: DeclaredTable,
  { shape, access }: PlannedTable,
  targets: readonly (PlannedTable | undefined)[],
): TableWithFacts {
  const proofs = new Map<string, boolean>();
  const finders = Object.entries(relationships).map(([name, relationship], index) => {
    const target = targets[index];
    // Many roles have the same rules.
    const known = new Map<string, string>();
    return (role: string, { where }: SelectRule): (readonly [string, string])[] => {
      const asked = target && rulesOf(target.access, role).select?.where;
      if (asked === undefined || asked === EVERY_ROW) return [];
      const fact = remember(known, JSON.stringify([where, asked]), () => {
        const implication = implicationOf({ shape, where }, relationship, {
          shape: target!.shape,
          where: asked,
        });
        const hash = factOf(implication);
        const isProved = remember(proofs, hash, () => last?.proofs.get(hash) ?? follows(implication));
        return isProved ? hash : '';
      });
      return fact === '' ? [] : [[name, fact]];
    };
  });
  const { select, ...others } = access;
  if (!select) return { planned: { shape, access }, proofs };
  const rules = Object.entries(select).map(([role, rule]) => {
    const implies = finders.flatMap((find) => find(role, rule));
    return [role, implies.length > 0 ? { ...rule, implies: Object.fromEntries(implies) } : rule];
  });
  const planned: PlannedTable = { shape, access: { select: Object.fromEntries(rules), ...others } };
  return { planned: reuse(planned, last?.planned), proofs };
}
