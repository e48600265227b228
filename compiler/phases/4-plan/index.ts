/** Phase 4: the model to pure data that phase 5 prints: row rules as SQL text, presets, ledgers. */
import type { Memory } from '../../incremental/memory.ts';
import type { Model, ModelTable } from '../../model/model.ts';
import type { Plan, PlannedTable } from '../../model/plan.ts';
import type { Result } from '../../model/result.ts';
import { planLedgers } from './ledger.ts';
import { planAccess } from './permission.ts';

/** Plans the model. Whatever can be wrong was reported before; a plan has no diagnostics of its own yet. */
export function plan(model: Model, memory: Memory): Result<Plan> {
  const sources = model.sources.map((source) => ({
    shape: source.shape,
    tables: source.tables.map((table) => memory.remember('rules', table, [], () => planTable(table))),
    functions: source.functions.map(({ shape, exposedAs, rootFields, roles }) => ({
      shape,
      exposedAs,
      rootFields,
      roles,
    })),
  }));
  return {
    value: { settings: model.settings, sources, ledgers: planLedgers(model, memory) },
    diagnostics: [],
  };
}

function planTable(table: ModelTable): PlannedTable {
  return { shape: table.shape, access: planAccess(table), rootFields: table.rootFields };
}
