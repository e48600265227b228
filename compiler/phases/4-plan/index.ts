/** Phase 4: the model to pure data that phase 5 prints: row rules as SQL text, presets, ledgers. */
import type { Memory } from '../../incremental/memory.ts';
import type { Model, ModelTable } from '../../model/model.ts';
import type { Plan, PlannedTable } from '../../model/plan.ts';
import { planLedgers } from './ledger.ts';
import { planAccess } from './permission.ts';

/** Plans the model. Whatever can be wrong was reported before. */
export function plan(model: Model, memory: Memory): Plan {
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
  return { settings: model.settings, sources, ledgers: planLedgers(model, memory) };
}

function planTable(table: ModelTable): PlannedTable {
  return { shape: table.shape, access: planAccess(table), rootFields: table.rootFields };
}
