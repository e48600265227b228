/** Phase 4: the model to pure data that phase 5 prints: row rules as SQL text and presets; ledgers are in `ledger.ts`. */
import type { Memory } from '../../memory/memory.ts';
import type { Model, ModelTable } from '../../model/model.ts';
import type { PlannedTable, ProgramPlan } from '../../model/plan.ts';
import { planAccess } from './permission.ts';

/** Plans the model. Whatever can be wrong was reported before. */
export function plan(model: Model, memory: Memory): ProgramPlan {
  const sources = model.sources.map((source) => ({
    shape: source.shape,
    tables: source.tables.map((table) => memory.remember('rules', table, [], () => planTable(table))),
    functions: source.functions.map(({ shape, exposedAs, rootFields, roles }) =>
      memory.remember('rules', shape, [exposedAs, rootFields, JSON.stringify(roles)], () => ({
        shape,
        exposedAs,
        rootFields,
        roles,
      })),
    ),
  }));
  return { settings: model.settings, sources };
}

function planTable(table: ModelTable): PlannedTable {
  return { shape: table.shape, access: planAccess(table), rootFields: table.rootFields };
}
