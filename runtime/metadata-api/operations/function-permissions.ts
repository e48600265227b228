import { EngineError } from '../../core/errors.ts';
import { quotedName } from '../../core/names.ts';
import { object } from '../../metadata/combinators.ts';
import { qualifiedName } from '../../metadata/kinds/shared.ts';
import type { QualifiedName } from '../../metadata/metadata.ts';
import { name } from '../../metadata/values.ts';
import { trackedTableEntry } from '../change/edit.ts';
import type { WorkingCopy } from '../change/working-copy.ts';
import { sourceArgument } from '../request/arguments.ts';
import { functionPermissions, listOperations } from '../request/list-operations.ts';
import { functionObject, sameName } from '../request/names.ts';
import { METADATA, type MetadataOperation } from '../request/operation.ts';

const permissionArguments = object({ function: qualifiedName, source: sourceArgument, role: name });

const { create, drop } = listOperations(
  functionPermissions,
  { spelling: 'prefixed', endpoints: METADATA, policy: 'target' },
  (_, place) => [functionObject(place.source, place.function)],
);

export const functionPermissionOperations: readonly MetadataOperation[] = [
  create({
    name: 'create_function_permission',
    documentation:
      'Lets a role call a tracked function. Needed for mutations, and for queries if function permissions are not inferred.',
    arguments: permissionArguments,
    taken: (args) =>
      new EngineError(
        'already-exists',
        `permission of role "${args.role}" already exists for function ${quotedName(args.function)} in source: "${args.source}"`,
      ),
    after: (args, copy) => {
      if (returnedTableIsReadable(copy, args.source, args.function, args.role)) return;
      throw new EngineError(
        'not-supported',
        `function permission can only be added when the function's return table ` +
          `${returnedTableName(copy, args.source, args.function)} has select permission configured for role: "${args.role}"`,
      );
    },
  }),
  drop({
    name: 'drop_function_permission',
    documentation: "Takes a role's permission to call a tracked function away.",
    arguments: permissionArguments,
    missing: (args) =>
      new EngineError(
        'not-exists',
        `permission of role "${args.role}" does not exist for function ${quotedName(args.function)} in source: "${args.source}"`,
      ),
  }),
];

function returnedTable(copy: WorkingCopy, source: string, name: QualifiedName): QualifiedName | undefined {
  return copy.catalog(source)?.functions.find((candidate) => sameName(candidate, name))?.returns;
}

function returnedTableName(copy: WorkingCopy, source: string, name: QualifiedName): string {
  const table = returnedTable(copy, source, name);
  return table === undefined ? '' : quotedName(table);
}

/** Own select permission, or one by way of an inherited role. */
function returnedTableIsReadable(
  copy: WorkingCopy,
  source: string,
  name: QualifiedName,
  role: string,
): boolean {
  const table = returnedTable(copy, source, name);
  const entry = table && trackedTableEntry(copy.metadata, source, table);
  if (entry === undefined) return true;
  const readable = (candidate: string, seen: ReadonlySet<string>): boolean => {
    if (seen.has(candidate)) return false;
    if (entry.select_permissions.some((permission) => permission.role === candidate)) return true;
    const inherited = copy.metadata.inherited_roles.find(({ role_name }) => role_name === candidate);
    return inherited?.role_set.some((parent) => readable(parent, new Set([...seen, candidate]))) === true;
  };
  return role === 'admin' || readable(role, new Set());
}
