/** The plan as a program of this very process: what the generated files will say, without printing and loading them. */
import { access, program } from '../../../runtime/core/contract/contract.ts';
import type { GeneratedProgram } from '../../../runtime/core/program/resolvers.ts';
import { createMemory, type Memory } from '../../memory/memory.ts';
import type { Plan, PlannedTable } from '../../model/plan.ts';

/** The tables, functions and settings of a plan, ready to be linked; the identical objects for what is as before. */
export function programOf(
  { settings, sources, remotes, actions }: Pick<Plan, 'settings' | 'sources' | 'remotes' | 'actions'>,
  memory: Memory = createMemory(),
): GeneratedProgram {
  return program({
    ...settings,
    ...(remotes && { remotes }),
    ...(actions && { actions }),
    sources: sources.map(({ shape }) => shape),
    tables: sources.flatMap(({ tables }) => tables.map((table) => memory.call(accessOf, table))),
    functions: sources.flatMap(({ functions }) => functions),
  });
}

function accessOf({ shape, access: rules }: PlannedTable) {
  return access(shape, rules);
}
