/** A source: its catalog, its types, its customization, and what it serves. */
import { displayName, type NamingConvention, objectKey } from '../../../runtime/core/names.ts';
import type { SourceShape, TableShape } from '../../../runtime/core/shapes.ts';
import { diagnostics } from '../../diagnostics/catalogue.ts';
import { at, type Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Memory } from '../../incremental/memory.ts';
import { reuse } from '../../incremental/reuse.ts';
import { trace } from '../../incremental/trace.ts';
import type { SourceCatalog, TypeReference } from '../../model/catalog.ts';
import type { InheritedRole, Source } from '../../model/metadata.ts';
import type { ModelFunction, ModelSource, ModelTable, TablePermissions } from '../../model/model.ts';
import { computedFieldObject, resolveComputedField } from './computed-field.ts';
import { type RootFieldOwner, type RootFieldRegister, rootTypeOf } from './conflict.ts';
import { contestedFieldNames } from './field.ts';
import { functionObject, resolveFunction } from './function.ts';
import { inheritFunctionRoles, inheritPermissions } from './inherited-role.ts';
import { resolvePermissions } from './permission.ts';
import { relationshipObject, resolveRelationship } from './relationship.ts';
import { attempt, Failure } from './report.ts';
import { resolveRootFields, singleRowField } from './root-field.ts';
import { keyOf, quoted, type SourceScope, type TableScope } from './scope.ts';
import { resolveTables, tableObject, tableShape } from './table.ts';
import { resolveTypes } from './type.ts';

/** Naming as the server was started: the convention counts only where the feature is on. */
export interface NamingOptions {
  readonly enabled: boolean;
  readonly default: NamingConvention;
}

/** Begins a source: its tables as far as they stand alone. */
export function openSource(
  source: Source,
  catalog: SourceCatalog,
  naming: NamingOptions,
  diagnostics: Diagnostic[],
  previous: ModelSource | undefined,
): SourceScope {
  const functions = new Map<string, SourceCatalog['functions'][number][]>();
  for (const each of catalog.functions)
    functions.set(keyOf(each), [...(functions.get(keyOf(each)) ?? []), each]);
  const scope: SourceScope = {
    source,
    shape: reuse(sourceShape(source, catalog, naming, diagnostics), previous?.shape),
    catalog,
    catalogTables: new Map(catalog.tables.map((table) => [keyOf(table), table])),
    catalogFunctions: functions,
    tables: new Map(),
    diagnostics,
  };
  resolveTables(scope);
  return scope;
}

function sourceShape(
  source: Source,
  catalog: SourceCatalog,
  naming: NamingOptions,
  report: Diagnostic[],
): SourceShape {
  const {
    root_fields: rootFields,
    type_names: typeNames,
    naming_convention: asked,
  } = source.customization ?? {};
  if (asked === 'graphql-default' && !naming.enabled) {
    report.push(
      at(
        [...source.path, 'customization', 'naming_convention'],
        diagnostics.namingConventionIgnored({ convention: asked, source: source.name }),
      ),
    );
  }
  const convention = naming.enabled ? (asked ?? naming.default) : 'engine-default';
  return {
    name: source.name,
    kind: 'postgres',
    ...(convention !== 'engine-default' && { naming: convention }),
    ...(rootFields?.namespace && { rootNamespace: rootFields.namespace }),
    ...(typeNames?.prefix && { typePrefix: typeNames.prefix }),
    ...(typeNames?.suffix && { typeSuffix: typeNames.suffix }),
    types: resolveTypes(catalog, usedTypes(source, catalog)),
  };
}

/** Types of the columns of tracked tables and of the functions that the metadata names. */
function usedTypes(source: Source, catalog: SourceCatalog): TypeReference[] {
  const tables = new Set(source.tables.map(({ table }) => keyOf(table)));
  const functions = new Set([
    ...source.functions.map((entry) => keyOf(entry.function)),
    ...source.tables.flatMap((table) =>
      table.computed_fields.map(({ definition }) => keyOf(definition.function)),
    ),
  ]);
  return [
    ...catalog.tables
      .filter((table) => tables.has(keyOf(table)))
      .flatMap(({ columns }) => columns.map(({ type }) => type)),
    ...catalog.functions
      .filter((each) => functions.has(keyOf(each)))
      .flatMap((each) => [each.returns, ...each.arguments.map(({ type }) => type)]),
  ];
}

/**
 * Completes a source, in the order in which things need each other: fields before the permissions that use them. What
 * failed is absent when its dependents are resolved, so one pass reaches the fixed point.
 */
export function closeSource(
  scope: SourceScope,
  inheritedRoles: readonly InheritedRole[],
  rootFields: RootFieldRegister,
  memory: Memory,
  previous: ModelSource | undefined,
): ModelSource {
  for (const table of scope.tables.values()) resolveFields(scope, table);
  const before = new Map(previous?.tables.map((table) => [table.key, table]));
  const shapes = new Map(
    [...scope.tables.values()].map((table) => [
      table.key,
      reuse(tableShape(scope, table), before.get(table.key)?.shape),
    ]),
  );
  const tables: ModelTable[] = [];
  for (const table of [...scope.tables.values()]) {
    const wanted =
      attempt(scope, tableObject(scope, table.entry), () => resolveRootFields(scope, table)) ?? [];
    const free = rootFields.claim(scope, tableOwner(scope, table), wanted, rootTypeOf);
    const permissions = permissionsOf(scope, table, inheritedRoles, shapes, memory);
    const resolved = { key: table.key, shape: shapes.get(table.key)!, rootFields: free, permissions };
    tables.push(reuse(resolved, before.get(table.key)));
  }
  tables.sort((left, right) => (left.key < right.key ? -1 : 1));
  return {
    shape: scope.shape,
    tables,
    functions: resolveFunctions(scope, tables, inheritedRoles, rootFields),
  };
}

/**
 * A resolved source with the second names of by-key fields, where no field of any source is called so: asked once all
 * others have theirs.
 */
export function addSingleRowFields(
  scope: SourceScope,
  source: ModelSource,
  rootFields: RootFieldRegister,
  previous: ModelSource | undefined,
): ModelSource {
  const before = new Map(previous?.tables.map((table) => [table.key, table]));
  const tables = source.tables.map((model) => {
    const table = scope.tables.get(model.key)!;
    const field = singleRowField(scope, table);
    const byKey = model.rootFields.findIndex(({ kind }) => kind === 'select_by_pk');
    if (!field || byKey < 0) return model;
    const owner = tableOwner(scope, table).name;
    if (!rootFields.claimUnused(scope, owner, rootTypeOf(field), field.name)) return model;
    const fields = model.rootFields.toSpliced(byKey + 1, 0, field);
    return reuse({ ...model, rootFields: fields }, before.get(model.key));
  });
  return { ...source, tables };
}

function tableOwner(scope: SourceScope, { catalog, entry }: TableScope): RootFieldOwner {
  const name = `table ${displayName(catalog.schema, catalog.name)} in source ${scope.source.name}`;
  return { name, path: entry.path };
}

/**
 * The permissions of a table, from before where nothing changed that they were made of: the table's entry, and the shapes
 * of all tables that were looked at. Permissions that had something to report are resolved anew each time.
 */
function permissionsOf(
  scope: SourceScope,
  table: TableScope,
  inheritedRoles: readonly InheritedRole[],
  shapes: ReadonlyMap<string, TableShape>,
  memory: Memory,
): TablePermissions {
  return memory.rememberTraced<TablePermissions, readonly string[]>(
    'permissions',
    table.entry,
    (keys) => [
      scope.source.name,
      inheritedRoles,
      ...[table.key, ...keys].flatMap((key) => [shapes.get(key), scope.tables.get(key)?.catalog]),
    ],
    () => {
      const { map, keys } = trace(scope.tables);
      const traced = { ...scope, tables: map };
      const reported = scope.diagnostics.length;
      const own = resolvePermissions(traced, table);
      const value = inheritPermissions(traced, table, own, inheritedRoles);
      return { value, places: scope.diagnostics.length === reported ? keys() : undefined };
    },
  );
}

function resolveFields(scope: SourceScope, table: TableScope): void {
  const contested = contestedFieldNames(table);
  const requireUncontested = (name: string) => {
    if (contested.has(name)) throw new Failure(diagnostics.fieldsConflict({ field: name }));
  };
  const { object_relationships, array_relationships, computed_fields } = table.entry;
  const relationships = [
    ...object_relationships.map((relationship) => ['object', relationship] as const),
    ...array_relationships.map((relationship) => ['array', relationship] as const),
  ];
  for (const [kind, relationship] of relationships) {
    const shape = attempt(scope, relationshipObject(scope, table, kind, relationship), () => {
      requireUncontested(relationship.name);
      return resolveRelationship(scope, table, kind, relationship);
    });
    if (shape) table.relationships.set(relationship.name, shape);
  }
  for (const field of computed_fields) {
    const shape = attempt(scope, computedFieldObject(scope, table, field), () => {
      requireUncontested(field.name);
      return resolveComputedField(scope, table, field);
    });
    if (shape) table.computedFields.set(field.name, shape);
  }
}

function resolveFunctions(
  scope: SourceScope,
  tables: readonly ModelTable[],
  inheritedRoles: readonly InheritedRole[],
  rootFields: RootFieldRegister,
): ModelFunction[] {
  const selects = new Map(tables.map((table) => [table.key, table.permissions.select]));
  const functions: ModelFunction[] = [];
  for (const entry of scope.source.functions) {
    const resolved = attempt(scope, functionObject(scope, entry), () => resolveFunction(scope, entry));
    if (!resolved) continue;
    const select = selects.get(resolved.shape.returns.table) ?? {};
    const roles = resolved.roles.filter((role) => {
      if (Object.hasOwn(select, role)) return true;
      const { path } = entry.permissions.find((permission) => permission.role === role)!;
      const table = scope.tables.get(resolved.shape.returns.table)!;
      scope.diagnostics.push(
        at(path, diagnostics.functionPermissionWithoutSelect({ table: quoted(table.catalog), role })),
      );
      return false;
    });
    const owner = {
      name: `function ${displayName(entry.function.schema, entry.function.name)} in source ${scope.source.name}`,
      path: entry.path,
    };
    const free = rootFields.claim(scope, owner, resolved.rootFields, () => `${resolved.exposedAs}_root`);
    functions.push({ ...resolved, rootFields: free, roles: inheritFunctionRoles(roles, inheritedRoles) });
  }
  const key = ({ shape }: ModelFunction) => objectKey(shape.schema, shape.name);
  return functions.sort((left, right) => (key(left) < key(right) ? -1 : 1));
}
