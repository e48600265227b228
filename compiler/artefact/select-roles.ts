/** The part of a plan that some roles use: what is left out is in no file that is printed from it. */

import { reachedTypes } from '../../runtime/core/action/reached.ts';
import type { ActionsProgram } from '../../runtime/core/action/shapes.ts';
import { columnsOfRule } from '../../runtime/core/condition/reads.ts';
import { textPartsOf } from '../../runtime/core/contract/aspects.ts';
import type {
  AccessRules,
  ColumnShape,
  ComputedFieldShape,
  RelationshipShape,
} from '../../runtime/core/contract/shapes.ts';
import { keyOf } from '../../runtime/core/names.ts';
import { fieldEntries, type RootFields } from '../../runtime/core/program/root-fields.ts';
import type { AllowedDocument, SavedProgram } from '../../runtime/core/saved/saved.ts';
import { ADMIN_ROLE } from '../../runtime/core/session.ts';
import type { ApiLimits, Limit } from '../../runtime/core/settings.ts';
import type { Plan, PlannedSource, PlannedTable } from '../model/plan.ts';

/** Every role that a plan has rules for. The role admin has none. */
export function plannedRoles(plan: Plan): string[] {
  return plan.ledgers.map(({ role }) => role).filter((role) => role !== ADMIN_ROLE);
}

/**
 * Leaves out the rules of all other roles, the tables, columns, relationships, computed fields and functions that none of
 * the chosen uses, and their saved statements. The administrator is served only if named, and then all shapes stay.
 */
export function selectRoles(plan: Plan, roles: readonly string[]): Plan {
  const chosen = new Set(roles);
  const admin = chosen.has(ADMIN_ROLE);
  const { limits, introspectionDisabledFor, ...settings } = plan.settings;
  const disabled = introspectionDisabledFor?.filter((role) => chosen.has(role)) ?? [];
  const actions = plan.actions && selectActions(plan.actions, chosen, admin);
  const saved = plan.saved && selectSaved(plan.saved, chosen);
  return {
    settings: {
      ...settings,
      ...(disabled.length > 0 && { introspectionDisabledFor: disabled }),
      ...(limits && { limits: selectLimits(limits, chosen) }),
      ...(!admin && { withoutAdmin: true as const }),
    },
    sources: plan.sources.map((source) => selectSource(source, chosen, admin)),
    // They are about whole tables, so only an artefact that serves everything has them.
    events: admin ? plan.events : { sources: [], cron: [] },
    ledgers: plan.ledgers.filter(({ role }) => chosen.has(role)),
    databases: plan.databases,
    settingFacts: plan.settingFacts,
    ...(saved && { saved }),
    ...(actions && { actions }),
  };
}

/** Actions that a chosen role may call, with the types that they reach. */
function selectActions(
  { types, actions }: ActionsProgram,
  chosen: ReadonlySet<string>,
  admin: boolean,
): ActionsProgram | undefined {
  const own = actions.flatMap((action) => {
    const roles = action.roles.filter((role) => chosen.has(role));
    return admin || roles.length > 0 ? [{ ...action, roles }] : [];
  });
  if (own.length === 0) return undefined;
  return { types: reachedTypes(types, own), actions: own };
}

function selectLimits(limits: ApiLimits, chosen: ReadonlySet<string>): ApiLimits {
  return Object.fromEntries(
    Object.entries(limits).map(([name, limit]) => {
      if (typeof limit !== 'object') return [name, limit];
      const { per_role, ...rest } = limit as Limit<unknown>;
      return [name, { ...rest, per_role: pick(per_role, chosen) }];
    }),
  ) as unknown as ApiLimits;
}

function pick<Value>(
  record: Readonly<Record<string, Value>>,
  keys: ReadonlySet<string>,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => keys.has(key)));
}

function selectSource(source: PlannedSource, chosen: ReadonlySet<string>, admin: boolean): PlannedSource {
  const tables = source.tables.map((table) => ({ ...table, access: selectAccess(table.access, chosen) }));
  const functions = source.functions.map((each) => ({
    ...each,
    roles: each.roles.filter((role) => chosen.has(role)),
  }));
  if (admin) return { ...source, tables, functions };
  const permitted = tables.filter(({ access }) => Object.keys(access).length > 0);
  const kept = new Set(permitted.map(({ shape }) => keyOf(shape)));
  // Enum tables of kept columns stay, even if no role reads them.
  for (const { shape } of permitted)
    for (const { enumTable } of Object.values(shape.columns))
      if (enumTable !== undefined) kept.add(enumTable);
  const remaining = tables.filter(({ shape }) => kept.has(keyOf(shape)));
  const readable = new Set(remaining.filter(({ access }) => access.select).map(({ shape }) => keyOf(shape)));
  const used = usedColumns(remaining, kept);
  return {
    ...source,
    tables: remaining.map((table) =>
      selectTable(table, kept, readable, used.get(keyOf(table.shape)) ?? new Set()),
    ),
    functions: functions.filter(
      ({ returns, fields, roles }) =>
        readable.has(returns.table) && (fields.query !== undefined || roles.length > 0),
    ),
  };
}

function selectAccess(access: AccessRules, chosen: ReadonlySet<string>): AccessRules {
  return Object.fromEntries(
    Object.entries(access).flatMap(([operation, rules]) => {
      const own = pick(rules as Record<string, never>, chosen);
      return Object.keys(own).length > 0 ? [[operation, own]] : [];
    }),
  );
}

/** Columns on either side of the relationships between tables that are kept, and those that rules name; by table. */
function usedColumns(tables: readonly PlannedTable[], kept: ReadonlySet<string>): Map<string, Set<string>> {
  const columns = new Map<string, Set<string>>();
  const add = (table: string, names: readonly string[]) => {
    columns.set(table, new Set([...(columns.get(table) ?? []), ...names]));
  };
  for (const { shape } of tables)
    for (const relationship of Object.values(shape.relationships ?? {})) {
      if (!kept.has(relationship.target)) continue;
      add(keyOf(shape), Object.keys(relationship.columns));
      add(relationship.target, Object.values(relationship.columns));
    }
  for (const { shape, access } of tables)
    for (const rules of Object.values(access) as Readonly<Record<string, object>>[])
      for (const rule of Object.values(rules))
        for (const { text } of textPartsOf(rule))
          for (const [table, column] of columnsOfRule(text, keyOf(shape))) add(table, [column]);
  return columns;
}

function selectTable(
  table: PlannedTable,
  kept: ReadonlySet<string>,
  readable: ReadonlySet<string>,
  used: ReadonlySet<string>,
): PlannedTable {
  const { shape, access } = table;
  const rules = [access.select, access.insert, access.update].flatMap((each) =>
    Object.values<{
      columns: readonly string[];
      computedFields?: readonly string[];
      presets?: Readonly<Record<string, string>>;
    }>(each ?? {}),
  );
  const columns = new Set([
    ...used,
    ...rules.flatMap((rule) => [...rule.columns, ...Object.keys(rule.presets ?? {})]),
    ...(shape.primaryKey?.columns ?? []),
    ...Object.values(shape.unique ?? {}).flat(),
    // Required columns are checked against the database, regardless of who fills them.
    ...(access.insert ? Object.keys(shape.columns).filter((name) => isRequired(shape.columns[name]!)) : []),
  ]);
  const computed = new Set(rules.flatMap((rule) => rule.computedFields ?? []));
  const relationships = Object.entries<RelationshipShape>(shape.relationships ?? {}).filter(
    ([, { target }]) => kept.has(target),
  );
  const { relationships: _, computedFields, ...rest } = shape;
  const operations = new Set(Object.keys(access));
  // No permission lists those that return rows: the permission to read these decides.
  const fields = Object.entries<ComputedFieldShape>(computedFields ?? {}).filter(([name, { returns }]) =>
    'table' in returns ? access.select && readable.has(returns.table) : computed.has(name),
  );
  return {
    shape: {
      ...rest,
      columns: pick(shape.columns, columns),
      fields: selectFields(shape.fields, operations),
      ...(relationships.length > 0 && { relationships: Object.fromEntries(relationships) }),
      ...(fields.length > 0 && { computedFields: Object.fromEntries(fields) }),
    },
    access,
  };
}

/** The root fields of operations that a chosen role may use. */
function selectFields(
  { query, subscription, mutation }: RootFields,
  operations: ReadonlySet<string>,
): RootFields {
  const chosen = Object.fromEntries(
    fieldEntries(mutation).filter(([, { field }]) => operations.has(field.slice(0, 6))),
  );
  return {
    ...(query && operations.has('select') && { query }),
    ...(subscription && operations.has('select') && { subscription }),
    ...(Object.keys(chosen).length > 0 && { mutation: pick(mutation!, new Set(Object.keys(chosen))) }),
  };
}

function isRequired({ notNull, hasDefault }: ColumnShape): boolean {
  return notNull === true && !hasDefault;
}

/** Statements of other roles go, and with them operations that only those may run. */
function selectSaved(saved: SavedProgram, chosen: ReadonlySet<string>): SavedProgram {
  const kept = (entry: AllowedDocument): AllowedDocument => {
    // The document of an operation that the artefact does not have is listed with the entry.
    const operation = saved.operations.find(
      ({ collection, name }) => collection === entry.collection && name === entry.name,
    );
    return operation && !operations.has(operation) ? { ...entry, document: operation.document } : entry;
  };
  const operations = new Map(
    saved.operations.flatMap((operation) => {
      const { plans, ...rest } = operation;
      if (plans === undefined) return [[operation, rest]];
      const own = plans.flatMap((plan) => {
        const roles = plan.roles.filter((role) => chosen.has(role));
        return roles.length > 0 ? [{ ...plan, roles }] : [];
      });
      return own.length > 0 ? [[operation, { ...rest, plans: own }]] : [];
    }),
  );
  return {
    ...saved,
    operations: [...operations.values()],
    allowlist: saved.allowlist.flatMap((entry) => {
      if (entry.roles === undefined) return [kept(entry)];
      const roles = entry.roles.filter((role) => chosen.has(role));
      return roles.length > 0 ? [{ ...kept(entry), roles }] : [];
    }),
    routes: saved.routes.flatMap((route) => {
      const operation = operations.get(route.operation);
      return operation ? [{ ...route, operation }] : [];
    }),
  };
}
