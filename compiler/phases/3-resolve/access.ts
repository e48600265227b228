/** Who may do what in a source: the permissions on its tables and functions, given everything else about them. */
import { ruleName } from '../../../runtime/core/reason.ts';
import type { TableShape } from '../../../runtime/core/shapes.ts';
import { diagnostics } from '../../../runtime/diagnostics/catalogue.ts';
import { at, type Diagnostic } from '../../../runtime/diagnostics/diagnostic.ts';
import type { InheritedRole, Source } from '../../../runtime/metadata/metadata.ts';
import type { Memory } from '../../memory/memory.ts';
import { reuse } from '../../memory/reuse.ts';
import { trace } from '../../memory/trace.ts';
import type { ModelFunction, ModelSource, ModelTable, TablePermissions } from '../../model/model.ts';
import { functionRoles } from './function.ts';
import { inheritFunctionRoles, inheritPermissions } from './inherited-role.ts';
import { resolvePermissions } from './permission.ts';
import { keyOf, quoted, type SourceScope, type TableScope } from './scope.ts';
import type { SourceStructure } from './structure.ts';

/** Adds the permissions of a source to its structure. Unchanged parts keep their identity. */
export function resolveAccess(
  source: Source,
  structure: SourceStructure,
  inheritedRoles: readonly InheritedRole[],
  report: Diagnostic[],
  memory: Memory,
  previous: ModelSource | undefined,
): ModelSource {
  const scope = withPermissions(structure.scope, source, report);
  const whole = [structure, inheritedRoles];
  const shapes = new Map(structure.tables.map(({ key, shape }) => [key, shape]));
  const permissions = new Map(
    [...scope.tables.values()].map((table) => [
      table.key,
      permissionsOf(scope, table, inheritedRoles, shapes, whole, memory),
    ]),
  );
  const before = new Map(previous?.tables.map((table) => [table.key, table]));
  const tables = structure.tables.map(({ key, shape, rootFields }): ModelTable => {
    const resolved = { key, shape, rootFields, permissions: permissions.get(key)! };
    return reuse(resolved, before.get(key));
  });
  const functions = resolveFunctionRoles(scope, structure, permissions, inheritedRoles);
  return { shape: scope.shape, tables, functions };
}

/** The scope of the structure, which may be older, with the present entries of the metadata. */
function withPermissions(scope: SourceScope, source: Source, diagnostics: Diagnostic[]): SourceScope {
  const tables = new Map(scope.tables);
  for (const entry of source.tables) {
    const table = tables.get(keyOf(entry.table));
    if (table && table.entry !== entry) tables.set(table.key, { ...table, entry });
  }
  return { ...scope, source, tables, diagnostics };
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
  whole: readonly unknown[],
  memory: Memory,
): TablePermissions {
  return memory.rememberTraced<TablePermissions, readonly string[]>(
    'permissions',
    table.entry,
    whole,
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

function resolveFunctionRoles(
  scope: SourceScope,
  { functions }: SourceStructure,
  permissions: ReadonlyMap<string, TablePermissions>,
  inheritedRoles: readonly InheritedRole[],
): ModelFunction[] {
  const served = new Map(functions.map((each) => [keyOf(each.shape), each]));
  const roles = new Map<object, readonly string[]>();
  for (const entry of scope.source.functions) {
    const structure = served.get(keyOf(entry.function));
    if (!structure) continue;
    const { table } = structure.shape.returns;
    const select = permissions.get(table)?.select ?? {};
    const own = functionRoles(scope, entry).filter((role) => {
      if (Object.hasOwn(select, role)) return true;
      const { path } = entry.permissions.find((permission) => permission.role === role)!;
      const { catalog } = scope.tables.get(table)!;
      scope.diagnostics.push({
        ...at(path, diagnostics.functionPermissionWithoutSelect({ table: quoted(catalog), role })),
        missed: ruleName({ source: scope.shape, schema: catalog.schema, name: catalog.name }, 'select', role),
      });
      return false;
    });
    roles.set(structure, inheritFunctionRoles(own, inheritedRoles));
  }
  return functions.map((structure) => ({ ...structure, roles: roles.get(structure)! }));
}
