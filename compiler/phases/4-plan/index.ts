/** Phase 4: the model to pure data that phase 5 prints: row rules as SQL text, presets, saved operations, ledgers. */
import type { CatalogOrError } from '../../../runtime/catalog/catalog.ts';
import type { DeclaredTable, RootFields } from '../../../runtime/core/contract/contract.ts';
import type { EventsProgram } from '../../../runtime/core/contract/events.ts';
import type { DeclaredFunction, FunctionShape, TableShape } from '../../../runtime/core/contract/shapes.ts';
import type { Result } from '../../../runtime/core/diagnostics/result.ts';
import { keyOf } from '../../../runtime/core/names.ts';
import { ROOT_FIELD_KINDS } from '../../../runtime/core/program/root-fields.ts';
import { lazy } from '../../../runtime/core/remember.ts';
import type { SavedOptions } from '../../../runtime/core/saved/saved.ts';
import { isDistributed } from '../../../runtime/core/shards/index.ts';
import type { Metadata } from '../../../runtime/metadata/metadata.ts';
import type { Memory } from '../../memory/memory.ts';
import type { Model, ModelFunction, ModelTable, RootField } from '../../model/model.ts';
import type { Plan, PlannedTable, ProgramPlan } from '../../model/plan.ts';
import { planDatabase } from './database.ts';
import { planEvents } from './events.ts';
import { addFacts } from './implied.ts';
import { planLedgers } from './ledger.ts';
import { planAccess } from './permission.ts';
import { linkedProgram, planSavedOperations } from './saved.ts';
import { settingFacts } from './settings-facts.ts';
import { shardDiagnostics, verdictFacts } from './shards.ts';

/**
 * The plan, made as far as it is asked for, and once: of many changes that are judged one by one, only the last is
 * printed.
 */
export interface Planned {
  readonly events: () => EventsProgram;
  /** The part of the plan that is served. */
  readonly served: () => ProgramPlan;
  readonly complete: () => Plan;
}

/** Plans the model and the saved operations of the metadata. Diagnostics are about those, and complete at once. */
export function plan(
  model: Model,
  metadata: Metadata,
  serving: SavedOptions,
  catalogs: Readonly<Record<string, CatalogOrError>>,
  memory: Memory,
): Result<Planned> {
  const program = lazy(() => planProgram(model, memory, serving));
  const { value: saved, diagnostics, runs } = planSavedOperations(metadata, program, serving, memory);
  const served = lazy((): ProgramPlan => ({ ...program(), ...(saved && { saved }) }));
  const hasShards = model.sources.some(({ shape }) => isDistributed(shape));
  const shardFacts = (role: string) => {
    const linked = linkedProgram(program(), serving, memory);
    return verdictFacts(linked, saved?.operations ?? [], role);
  };
  const complete = lazy(
    (): Plan => ({
      ...served(),
      ledgers: planLedgers(
        model,
        program().sources,
        program().events,
        serving,
        runs,
        memory,
        hasShards ? shardFacts : undefined,
      ),
      databases: model.sources.flatMap((source) => {
        const catalog = catalogs[source.shape.name]!;
        return 'error' in catalog ? [] : memory.call(planDatabase, source, catalog);
      }),
      settingFacts: settingFacts(metadata),
    }),
  );
  return {
    value: { events: () => program().events, served, complete },
    diagnostics: hasShards ? [...diagnostics, ...shardDiagnostics(program(), metadata)] : diagnostics,
  };
}

/** All errors have been reported before. */
function planProgram(
  model: Model,
  memory: Memory,
  options: { readonly stringifyNumbers: boolean },
): ProgramPlan {
  const sources = model.sources.map((source) => ({
    shape: source.shape,
    tables: withFacts(
      source.tables.map((table) => memory.call(planTable, table, memory)),
      memory,
    ),
    functions: source.functions.map(({ shape, exposedAs, rootFields, roles }) =>
      memory.call(planFunction, shape, exposedAs, rootFields, roles),
    ),
  }));
  const { settings, actions, remotes } = model;
  const events = planEvents(model.events, options.stringifyNumbers);
  return { settings, sources, events, ...(remotes && { remotes }), ...(actions && { actions }) };
}

/** @param tables of one source */
function withFacts(tables: readonly PlannedTable[], memory: Memory): readonly PlannedTable[] {
  const byKey = new Map(tables.map((table) => [keyOf(table.shape), table]));
  return tables.map((table) => {
    const { shape } = table;
    const targets = Object.values(shape.relationships ?? {}).map(({ target }) => byKey.get(target));
    return memory.update(addFacts, shape, table, targets).planned;
  });
}

function planTable(table: ModelTable, memory: Memory): PlannedTable {
  const { shape, rootFields } = table;
  // By shape and fields, which outlive changes of permissions: a table that looks as before keeps its identity.
  return { shape: memory.call(declareTable, shape, rootFields), access: planAccess(table) };
}

function declareTable(shape: TableShape, rootFields: readonly RootField[]): DeclaredTable {
  return { ...shape, fields: fieldsOf(rootFields) };
}

function planFunction(
  shape: FunctionShape,
  exposedAs: ModelFunction['exposedAs'],
  rootFields: ModelFunction['rootFields'],
  roles: readonly string[],
): DeclaredFunction {
  return {
    ...shape,
    roles,
    fields: { [exposedAs]: Object.fromEntries(rootFields.map(({ name, kind }) => [name, kind])) },
  };
}

/** Root fields by section, each by name. */
function fieldsOf(rootFields: readonly RootField[]): RootFields {
  const sections = Object.entries(ROOT_FIELD_KINDS).map(([section, kinds]: [string, readonly string[]]) => {
    const fields = rootFields.filter(({ kind }) => kinds.includes(kind));
    const entries = fields.map(({ kind, name, description }) => [
      name,
      description === undefined ? kind : { field: kind, description },
    ]);
    return [section, Object.fromEntries(entries)] as const;
  });
  return Object.fromEntries(sections.filter(([, fields]) => Object.keys(fields).length > 0));
}
