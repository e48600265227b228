import { EngineError } from '../../core/errors.ts';
import { object } from '../../metadata/combinators.ts';
import { qualifiedName } from '../../metadata/kinds/shared.ts';
import type { QualifiedName } from '../../metadata/metadata.ts';
import { name } from '../../metadata/values.ts';
import { sourceArgument } from '../arguments.ts';
import { findFunction, NO_PATH, trackedTable, withFunction } from '../edit.ts';
import { functionObject, quoted, sameName } from '../names.ts';
import { METADATA, operation, SUCCESS } from '../operation.ts';
import type { WorkingCopy } from '../working-copy.ts';

const schema = object({ function: qualifiedName, source: sourceArgument, role: name });

export const createFunctionPermission = operation({
  name: 'create_function_permission',
  spelling: 'prefixed',
  endpoints: METADATA,
  documentation:
    'Lets a role call a tracked function. Needed for mutations, and for queries if function permissions are not inferred.',
  arguments: schema,
  policy: 'target',
  targets: ({ source, function: name }) => [functionObject(source, name)],
  changesMetadata: true,
  run: ({ function: name, source, role }, copy) => {
    const entry = findFunction(copy.metadata, source, name);
    if (entry.permissions.some((permission) => permission.role === role)) {
      throw new EngineError(
        'already-exists',
        `permission of role "${role}" already exists for function ${quoted(name)} in source: "${source}"`,
      );
    }
    if (!returnedTableIsReadable(copy, source, name, role)) {
      throw new EngineError(
        'not-supported',
        `function permission can only be added when the function's return table ${returnedTableName(copy, source, name)} has ` +
          `select permission configured for role: "${role}"`,
      );
    }
    copy.metadata = withFunction(copy.metadata, source, name, (found) => ({
      ...found,
      permissions: [...found.permissions, { ...NO_PATH, role }],
    }));
    return SUCCESS;
  },
});

export const dropFunctionPermission = operation({
  name: 'drop_function_permission',
  spelling: 'prefixed',
  endpoints: METADATA,
  documentation: "Takes a role's permission to call a tracked function away.",
  arguments: schema,
  policy: 'target',
  changesMetadata: true,
  run: ({ function: name, source, role }, copy) => {
    const entry = findFunction(copy.metadata, source, name);
    if (!entry.permissions.some((permission) => permission.role === role)) {
      throw new EngineError(
        'not-exists',
        `permission of role "${role}" does not exist for function ${quoted(name)} in source: "${source}"`,
      );
    }
    copy.metadata = withFunction(copy.metadata, source, name, (found) => ({
      ...found,
      permissions: found.permissions.filter((permission) => permission.role !== role),
    }));
    return SUCCESS;
  },
});

function returnedTable(copy: WorkingCopy, source: string, name: QualifiedName): QualifiedName | undefined {
  return copy.catalog(source)?.functions.find((candidate) => sameName(candidate, name))?.returns;
}

function returnedTableName(copy: WorkingCopy, source: string, name: QualifiedName): string {
  const table = returnedTable(copy, source, name);
  return table === undefined ? '' : quoted(table);
}

/** Own select permission, or one by way of an inherited role. */
function returnedTableIsReadable(
  copy: WorkingCopy,
  source: string,
  name: QualifiedName,
  role: string,
): boolean {
  const table = returnedTable(copy, source, name);
  const entry = table && trackedTable(copy.metadata, source, table);
  if (entry === undefined) return true;
  const readable = (candidate: string, seen: ReadonlySet<string>): boolean => {
    if (seen.has(candidate)) return false;
    if (entry.select_permissions.some((permission) => permission.role === candidate)) return true;
    const inherited = copy.metadata.inherited_roles.find(({ role_name }) => role_name === candidate);
    return inherited?.role_set.some((parent) => readable(parent, new Set([...seen, candidate]))) === true;
  };
  return role === 'admin' || readable(role, new Set());
}
