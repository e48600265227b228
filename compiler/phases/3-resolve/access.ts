/** Who may do what in a source: the permissions on its tables and functions, given everything else about them. */

import type { SourceShape } from '../../../runtime/core/contract/shapes.ts';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import type { Losses } from '../../../runtime/core/diagnostics/causes.ts';
import { at, type Diagnostic } from '../../../runtime/core/diagnostics/diagnostic.ts';
import type { Result } from '../../../runtime/core/diagnostics/result.ts';
import { keyOf, quotedName } from '../../../runtime/core/names.ts';
import { ruleName } from '../../../runtime/core/reason.ts';
import type { Vocabulary } from '../../../runtime/core/vocabulary.ts';
import type { FunctionEntry, InheritedRole, Source, TableEntry } from '../../../runtime/metadata/metadata.ts';
import type { Memory } from '../../memory/memory.ts';
import { reuse } from '../../memory/reuse.ts';
import type { ModelFunction, ModelSource, ModelTable, TablePermissions } from '../../model/model.ts';
import { inheritFunctionRoles, inheritPermissions } from './inherited-role.ts';
import { resolvePermissions } from './permission.ts';
import type { AccessScope, NamedSource, TableScope } from './scope.ts';
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
  const { tables: scopes, shape, vocabulary } = structure.scope;
  const entries = new Map(source.tables.map((entry) => [keyOf(entry.table), entry]));
  const permissions = new Map<string, TablePermissions>();
  for (const [key, table] of scopes) {
    const { name, customization } = source;
    const own = memory.call(
      tablePermissions,
      entries.get(key)!,
      table,
      scopes,
      shape,
      vocabulary,
      inheritedRoles,
      name,
      customization,
    );
    permissions.set(key, own.value);
    report.push(...own.diagnostics);
  }
  const before = new Map(previous?.tables.map((table) => [table.key, table]));
  const tables = structure.tables.map(({ key, shape: tableShape, rootFields }): ModelTable => {
    const resolved = { key, shape: tableShape, rootFields, permissions: permissions.get(key)! };
    return reuse(resolved, before.get(key));
  });
  return {
    shape,
    tables,
    functions: resolveFunctionRoles(source, structure, permissions, inheritedRoles, report),
  };
}

function tablePermissions(
  entry: TableEntry,
  table: TableScope,
  tables: ReadonlyMap<string, TableScope>,
  shape: SourceShape,
  vocabulary: Vocabulary,
  inheritedRoles: readonly InheritedRole[],
  name: string,
  customization: NamedSource['customization'],
): Result<TablePermissions> {
  const scope: AccessScope = {
    source: { name, ...(customization && { customization }) },
    shape,
    vocabulary,
    tables,
    diagnostics: [],
  };
  const own = resolvePermissions(scope, table, entry);
  return { value: inheritPermissions(scope, table, own, inheritedRoles), diagnostics: scope.diagnostics };
}

function resolveFunctionRoles(
  source: Source,
  { scope, functions }: SourceStructure,
  permissions: ReadonlyMap<string, TablePermissions>,
  inheritedRoles: readonly InheritedRole[],
  report: (Diagnostic & Losses)[],
): ModelFunction[] {
  const served = new Map(functions.map((each) => [keyOf(each.shape), each]));
  const roles = new Map<object, readonly string[]>();
  for (const entry of source.functions) {
    const structure = served.get(keyOf(entry.function));
    if (!structure) continue;
    const { table } = structure.shape.returns;
    const select = permissions.get(table)?.select ?? {};
    const own = functionRoles(entry, report).filter((role) => {
      if (Object.hasOwn(select, role)) return true;
      const { path } = entry.permissions.find((permission) => permission.role === role)!;
      const { catalog } = scope.tables.get(table)!;
      report.push({
        ...at(path, messages.functionPermissionWithoutSelect({ table: quotedName(catalog), role })),
        missed: ruleName({ source: scope.shape, schema: catalog.schema, name: catalog.name }, 'select', role),
      });
      return false;
    });
    roles.set(structure, inheritFunctionRoles(own, inheritedRoles));
  }
  return functions.map((structure) => ({ ...structure, roles: roles.get(structure)! }));
}

/** Roles with a permission of their own, sorted. */
function functionRoles({ permissions }: FunctionEntry, report: Diagnostic[]): string[] {
  const names: string[] = [];
  for (const { role, path } of permissions) {
    if (role === 'admin') report.push(at(path, messages.permissionForAdmin()));
    else names.push(role);
  }
  return [...new Set(names)].sort();
}
