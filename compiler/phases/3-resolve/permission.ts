/** Permissions on tables: what each role may select, insert, update and delete. */

import type { TableOperation } from '../../../runtime/core/contract/aspects.ts';
import type { InputValidation } from '../../../runtime/core/contract/shapes.ts';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { lossOf } from '../../../runtime/core/diagnostics/causes.ts';
import { sortKeys } from '../../../runtime/core/json/json.ts';
import { displayName, quotedName } from '../../../runtime/core/names.ts';
import { ruleName } from '../../../runtime/core/reason.ts';
import { ADMIN_ROLE } from '../../../runtime/core/session.ts';
import { columnType } from '../../../runtime/core/types.ts';
import type {
  ColumnChoice,
  DeletePermission,
  InsertPermission,
  JsonObject,
  MetadataPath,
  PermissionEntry,
  SelectPermission,
  TableEntry,
  UpdatePermission,
  ValidateInput,
} from '../../../runtime/metadata/metadata.ts';
import type {
  ModelDeletePermission,
  ModelInsertPermission,
  ModelSelectPermission,
  ModelUpdatePermission,
  Presets,
  TablePermissions,
} from '../../model/model.ts';
import { resolveCondition } from './boolean-expression.ts';
import { attempt, Failure, type ReportedObject, suggest } from './report.ts';
import type { AccessScope, TableScope } from './scope.ts';
import { requireEnumValues, resolveValue } from './value.ts';

/** Seconds. */
const VALIDATION_TIMEOUT = 10;

/** Resolves the permissions of a table. Failing ones are reported and left out. */
export function resolvePermissions(
  scope: AccessScope,
  table: TableScope,
  entry: TableEntry,
): TablePermissions {
  return {
    select: resolveEach(scope, table, 'select', entry.select_permissions, resolveSelect),
    insert: resolveEach(scope, table, 'insert', entry.insert_permissions, resolveInsert),
    update: resolveEach(scope, table, 'update', entry.update_permissions, resolveUpdate),
    delete: resolveEach(scope, table, 'delete', entry.delete_permissions, resolveDelete),
  };
}

function resolveEach<Entry, Resolved>(
  scope: AccessScope,
  table: TableScope,
  operation: TableOperation,
  permissions: readonly PermissionEntry<Entry>[],
  resolve: (scope: AccessScope, table: TableScope, permission: PermissionEntry<Entry>) => Resolved,
): Record<string, Resolved> {
  const resolved: [string, Resolved][] = [];
  for (const permission of permissions) {
    const object = permissionObject(scope, table, operation, permission);
    const rule = attempt(scope, object, () => {
      if (permission.role === ADMIN_ROLE) throw new Failure(messages.permissionForAdmin());
      return resolve(scope, table, permission);
    });
    if (rule) resolved.push([permission.role, rule]);
  }
  return Object.fromEntries(resolved.sort(([left], [right]) => (left < right ? -1 : 1)));
}

function resolveSelect(
  scope: AccessScope,
  table: TableScope,
  { role, permission, path }: PermissionEntry<SelectPermission>,
): ModelSelectPermission {
  const at = [...path, 'permission'];
  const columns = selectedColumns(table, permission.columns, [...at, 'columns']);
  const computedFields = permission.computed_fields.toSorted();
  for (const field of computedFields)
    requireScalarComputedField(scope, table, field, [...at, 'computed_fields']);
  if (permission.limit !== undefined && permission.limit < 0)
    throw new Failure(messages.permissionLimitNegative(), [...at, 'limit']);
  requirePossibleRoots(scope, table, role, permission, columns, at);
  return {
    columns,
    computedFields,
    filter: resolveCondition(scope, table, permission.filter, [...at, 'filter']),
    ...(permission.limit !== undefined && { limit: permission.limit }),
    aggregations: permission.allow_aggregations,
    ...(permission.query_root_fields && { queryRoots: permission.query_root_fields.toSorted() }),
    ...(permission.subscription_root_fields && {
      subscriptionRoots: permission.subscription_root_fields.toSorted(),
    }),
  };
}

function selectedColumns(table: TableScope, columns: ColumnChoice, path: MetadataPath): string[] {
  if (columns === '*') return [...table.columns.keys()];
  for (const column of columns) {
    if (table.columns.has(column)) continue;
    if (table.relationships.has(column))
      throw new Failure(messages.permissionColumnIsRelationship({ name: column }), path);
    throw new Failure(
      messages.permissionColumnMissing({ column, ...suggest(column, table.columns.keys()) }),
      path,
    );
  }
  return inTableOrder(table, columns);
}

function inTableOrder(table: TableScope, columns: Iterable<string>): string[] {
  const wanted = new Set(columns);
  return [...table.columns.keys()].filter((column) => wanted.has(column));
}

function requireScalarComputedField(
  scope: AccessScope,
  table: TableScope,
  field: string,
  path: MetadataPath,
): void {
  const shape = table.computedFields.get(field);
  if (!shape) {
    throw new Failure(
      messages.permissionComputedFieldMissing({ field, ...suggest(field, table.computedFields.keys()) }),
      path,
    ).missing(lossOf.field(scope.source.name, table.key, field));
  }
  if ('table' in shape.returns) {
    const returned = scope.tables.get(shape.returns.table)!;
    throw new Failure(
      messages.permissionComputedFieldReturnsTable({ field, table: quotedName(returned.catalog) }),
      path,
    );
  }
}

function requirePossibleRoots(
  scope: AccessScope,
  table: TableScope,
  role: string,
  permission: SelectPermission,
  columns: readonly string[],
  path: MetadataPath,
): void {
  const key = table.catalog.primaryKey?.columns;
  const hasKey = key?.every((column) => columns.includes(column)) ?? false;
  for (const list of ['query_root_fields', 'subscription_root_fields'] as const) {
    const fields: readonly string[] = permission[list] ?? [];
    if (fields.includes('select_by_pk') && !hasKey) {
      throw new Failure(
        messages.permissionRootByKey({
          list,
          role,
          table: displayName(table.catalog.schema, table.catalog.name),
          source: scope.source.name,
        }),
        [...path, list],
      );
    }
    if (fields.includes('select_aggregate') && !permission.allow_aggregations)
      throw new Failure(messages.permissionRootAggregate({ list }), [...path, list]);
  }
}

function resolveInsert(
  scope: AccessScope,
  table: TableScope,
  { permission, path }: PermissionEntry<InsertPermission>,
): ModelInsertPermission {
  const at = [...path, 'permission'];
  const presets = resolvePresets(scope, table, 'insert', permission.set, [...at, 'set']);
  return {
    columns: writtenColumns(table, 'insert', permission.columns ?? '*', presets, [...at, 'columns']),
    check: resolveCondition(scope, table, permission.check, [...at, 'check']),
    ...checkMessage(permission, at),
    presets,
    backendOnly: permission.backend_only,
    ...(permission.validate_input && { validateInput: inputValidation(permission.validate_input) }),
  };
}

function resolveUpdate(
  scope: AccessScope,
  table: TableScope,
  { permission, path }: PermissionEntry<UpdatePermission>,
): ModelUpdatePermission {
  const at = [...path, 'permission'];
  const presets = resolvePresets(scope, table, 'update', permission.set, [...at, 'set']);
  return {
    columns: writtenColumns(table, 'update', permission.columns, presets, [...at, 'columns']),
    filter: resolveCondition(scope, table, permission.filter, [...at, 'filter']),
    ...(permission.check && { check: resolveCondition(scope, table, permission.check, [...at, 'check']) }),
    ...checkMessage(permission, at),
    presets,
    backendOnly: permission.backend_only,
    ...(permission.validate_input && { validateInput: inputValidation(permission.validate_input) }),
  };
}

function resolveDelete(
  scope: AccessScope,
  table: TableScope,
  { permission, path }: PermissionEntry<DeletePermission>,
): ModelDeletePermission {
  const at = [...path, 'permission'];
  return {
    filter: resolveCondition(scope, table, permission.filter, [...at, 'filter']),
    ...(permission.check && { check: resolveCondition(scope, table, permission.check, [...at, 'check']) }),
    ...checkMessage(permission, at),
    backendOnly: permission.backend_only,
    ...(permission.validate_input && { validateInput: inputValidation(permission.validate_input) }),
  };
}

/** A message without a check is a check that was forgotten. */
function checkMessage(
  { check, check_message }: Pick<UpdatePermission, 'check' | 'check_message'>,
  path: MetadataPath,
): { readonly checkMessage?: string } {
  if (check_message === undefined) return {};
  if (!check) throw new Failure(messages.permissionMessageWithoutCheck(), [...path, 'check_message']);
  return { checkMessage: check_message };
}

function inputValidation({ definition }: ValidateInput): InputValidation {
  const { url, headers, forward_client_headers, timeout = VALIDATION_TIMEOUT } = definition;
  return {
    url,
    ...(headers.length > 0 && { headers }),
    ...(forward_client_headers && { forwardClientHeaders: true }),
    timeout,
  };
}

/** Columns that a client may give: a preset is not for the client, though the list may name it. */
function writtenColumns(
  table: TableScope,
  operation: 'insert' | 'update',
  columns: ColumnChoice,
  presets: Presets,
  path: MetadataPath,
): string[] {
  if (columns === '*')
    return [...table.columns.keys()].filter(
      (column) => isWritable(table, column) && !Object.hasOwn(presets, column),
    );
  for (const column of columns) {
    if (!table.columns.has(column)) {
      if (table.relationships.has(column) || table.computedFields.has(column))
        throw new Failure(messages.writePermissionColumnIsRelationship({ operation, name: column }), path);
      throw new Failure(
        messages.permissionColumnMissing({ column, ...suggest(column, table.columns.keys()) }),
        path,
      );
    }
    if (!isWritable(table, column)) throw notWritable(operation, column, path);
  }
  return inTableOrder(
    table,
    columns.filter((column) => !Object.hasOwn(presets, column)),
  );
}

function isWritable(table: TableScope, column: string): boolean {
  const { generated, readOnly } = table.columns.get(column)!;
  return !generated && !readOnly;
}

function notWritable(operation: 'insert' | 'update', column: string, path: MetadataPath): Failure {
  const able = operation === 'insert' ? 'insertable' : 'updatable';
  return new Failure(messages.permissionColumnNotWritable({ column, able, operation }), path);
}

function resolvePresets(
  scope: AccessScope,
  table: TableScope,
  operation: 'insert' | 'update',
  set: JsonObject,
  path: MetadataPath,
): Presets {
  for (const column of Object.keys(set).sort()) {
    const at = [...path, column];
    if (!table.columns.has(column)) {
      throw new Failure(
        messages.permissionColumnMissing({ column, ...suggest(column, table.columns.keys()) }),
        at,
      );
    }
    if (!isWritable(table, column)) throw notWritable(operation, column, at);
  }
  return Object.fromEntries(
    inTableOrder(table, Object.keys(set)).map((column) => {
      const shape = table.columns.get(column)!;
      const at = [...path, column];
      requireEnumValues(scope, shape, [set[column]!], at);
      return [column, resolveValue(columnType(scope.shape, shape.type), set[column]!, scope.vocabulary, at)];
    }),
  );
}

/** The permission as inconsistencies list it: defaults printed, keys in the order in which they are stored. */
function permissionObject(
  scope: AccessScope,
  table: TableScope,
  operation: TableOperation,
  permission: PermissionEntry<unknown>,
): ReportedObject {
  const { schema, name } = table.entry.table;
  return {
    path: permission.path,
    type: `${operation}_permission`,
    name: `${operation}_permission ${permission.role} in table ${displayName(schema, name)} in source ${scope.source.name}`,
    // Made only for one that fails: few do.
    get definition() {
      return {
        source: scope.source.name,
        table: { schema, name },
        role: permission.role,
        comment: permission.comment ?? null,
        permission: sortKeys(permission.permission as JsonObject),
      };
    },
    context: `in table ${quotedName(table.entry.table)}: in permission for role "${permission.role}": `,
    offers: () => [ruleName({ source: scope.shape, schema, name }, operation, permission.role)],
  };
}
