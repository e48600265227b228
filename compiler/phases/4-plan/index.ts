/** Phase 4: the model to pure data that phase 5 prints: row rules as SQL text and presets; ledgers are in `ledger.ts`. */

import type { DeclaredTable, RootFields } from '../../../runtime/core/contract.ts';
import type { DeclaredFunction } from '../../../runtime/core/shapes.ts';
import type { Memory } from '../../memory/memory.ts';
import type { Model, ModelTable, RootField, RootFieldKind } from '../../model/model.ts';
import type { PlannedTable, ProgramPlan } from '../../model/plan.ts';
import { planEvents } from './events.ts';
import { planAccess } from './permission.ts';

/** Plans the model. Whatever can be wrong was reported before. */
export function plan(
  model: Model,
  memory: Memory,
  options: { readonly stringifyNumbers: boolean },
): ProgramPlan {
  const sources = model.sources.map((source) => ({
    shape: source.shape,
    tables: source.tables.map((table) => memory.remember('rules', table, [], () => planTable(table, memory))),
    functions: source.functions.map(({ shape, exposedAs, rootFields, roles }) =>
      memory.remember<DeclaredFunction>(
        'rules',
        shape,
        [exposedAs, rootFields, JSON.stringify(roles)],
        () => ({
          ...shape,
          roles,
          fields: { [exposedAs]: Object.fromEntries(rootFields.map(({ name, kind }) => [name, kind])) },
        }),
      ),
    ),
  }));
  const { settings, actions, remotes } = model;
  const events = planEvents(model.events, options.stringifyNumbers);
  return { settings, sources, events, ...(remotes && { remotes }), ...(actions && { actions }) };
}

function planTable(table: ModelTable, memory: Memory): PlannedTable {
  const { shape, rootFields } = table;
  // By shape and fields, which outlive changes of permissions: a table that looks as before keeps its identity.
  const declared = memory.remember<DeclaredTable>('declared', shape, [rootFields], () => ({
    ...shape,
    fields: fieldsOf(rootFields),
  }));
  return { shape: declared, access: planAccess(table) };
}

/** Root fields by section, each by name. */
function fieldsOf(rootFields: readonly RootField[]): RootFields {
  const sections: Record<Section, Record<string, unknown>> = { query: {}, subscription: {}, mutation: {} };
  for (const { kind, name, description } of rootFields) {
    const section = SECTIONS[kind];
    sections[section][name] = description === undefined ? kind : { field: kind, description };
  }
  return Object.fromEntries(
    Object.entries(sections).filter(([, fields]) => Object.keys(fields).length > 0),
  ) as RootFields;
}

type Section = 'query' | 'subscription' | 'mutation';

/** Where a kind of root field is listed. */
const SECTIONS: Readonly<Record<RootFieldKind, Section>> = {
  select: 'query',
  select_by_pk: 'query',
  select_aggregate: 'query',
  select_stream: 'subscription',
  insert: 'mutation',
  insert_one: 'mutation',
  update: 'mutation',
  update_by_pk: 'mutation',
  update_many: 'mutation',
  delete: 'mutation',
  delete_by_pk: 'mutation',
};
