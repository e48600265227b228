/** Saved statements planned again from the access files beside them, to tell whether they are what the rules give. */
import { isDeepStrictEqual } from 'node:util';
import { linkProgram } from '../../../runtime/core/program/program.ts';
import type { GeneratedProgram } from '../../../runtime/core/program/resolvers.ts';
import { chooseOperation, parseDocument } from '../../../runtime/core/request/document.ts';
import type { SavedOperation } from '../../../runtime/core/saved/saved.ts';
import { ADMIN_ROLE } from '../../../runtime/core/session.ts';
import { planForRole, planStatements, wakesForRole } from '../../phases/4-plan/saved-statements.ts';

/** Operations whose statements differ from what the rules give. */
export function differingStatements(generated: GeneratedProgram): SavedOperation[] {
  const { saved } = generated;
  if (!saved) return [];
  const program = linkProgram(generated, { ...saved.options, ruleHoles: true });
  const roles = [...(generated.withoutAdmin ? [] : [ADMIN_ROLE]), ...[...program.roles].sort()];
  return saved.operations.filter((operation) => {
    // One that no role could run has no statements.
    if (!operation.plans) return false;
    const chosen = chooseOperation(parseDocument(operation.document), undefined);
    const planned = planStatements(roles, (role) => {
      const roleSchema = program.roleSchema(role, false);
      const wakes = wakesForRole(roleSchema, chosen, saved.options);
      return { plans: planForRole(roleSchema, chosen, saved.options), ...(wakes && { wakes }) };
    });
    const { plans, values, wakes } = operation;
    return !isDeepStrictEqual([planned.plans, planned.values, planned.wakes], [plans, values, wakes]);
  });
}
