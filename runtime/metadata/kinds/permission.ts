import type { JsonObject, Located } from '../../core/json/json.ts';
import {
  isNamedKind,
  type NamedKind,
  type QueryFieldKind,
  ROOT_FIELD_KINDS,
  type SubscriptionFieldKind,
} from '../../core/program/root-fields.ts';
import type { Codec, TypeOf } from '../codec.ts';
import {
  list,
  type ObjectCodec,
  object,
  optional,
  orNull,
  requiredList,
  sorted,
  withDefault,
  withNames,
} from '../combinators.ts';
import { type EntriesCodec, keyedEntries } from '../entries.ts';
import { expressionNames, presetNames } from '../references.ts';
import { boolean, jsonObject, name, naturalNumber, oneOf, positiveNumber, text } from '../values.ts';
import { columns, comment, headers } from './shared.ts';

/** A boolean expression over the table: an object here, read by phase 3, which knows the columns. */
const booleanExpression: Codec<JsonObject> = withNames(sorted(jsonObject), expressionNames);

/** Column presets: a literal or a session variable. */
const presets = withNames(withDefault<JsonObject>(sorted(jsonObject), {}), presetNames);

const computedFieldName = withNames(name, (field, walk) => walk.computedField(field));

const flag = withDefault(boolean, false);

/** A webhook that has to agree before anything is written. */
export type ValidateInput = TypeOf<typeof validateInput>;
const validateInput = object({
  type: oneOf('http'),
  definition: object({
    /** May hold `{{NAME}}` for environment variables. */
    url: text,
    headers,
    forward_client_headers: flag,
    /** Seconds; 10 unless given. */
    timeout: optional(positiveNumber),
  }),
});
const validate_input = optional(validateInput);

export type InsertPermission = TypeOf<typeof insertPermission>;
const insertPermission = object({
  check: booleanExpression,
  set: presets,
  /** Absent = all columns, like `"*"`. */
  columns: optional(columns),
  backend_only: flag,
  validate_input,
});

export type QueryRootField = NamedKind<QueryFieldKind>;
export type SubscriptionRootField = QueryRootField | SubscriptionFieldKind;
const { subscription } = ROOT_FIELD_KINDS;
const query: readonly QueryRootField[] = ROOT_FIELD_KINDS.query.filter(isNamedKind);

export type SelectPermission = TypeOf<typeof selectPermission>;
const selectPermission = object({
  columns,
  computed_fields: list(computedFieldName),
  filter: booleanExpression,
  limit: optional(naturalNumber),
  allow_aggregations: flag,
  /** Absent = all, empty = none. */
  query_root_fields: optional(requiredList<QueryRootField>(oneOf(...query))),
  /** Absent = all, empty = none. */
  subscription_root_fields: optional(requiredList<SubscriptionRootField>(oneOf(...query, ...subscription))),
});

export type UpdatePermission = TypeOf<typeof updatePermission>;
const updatePermission = object({
  columns,
  filter: booleanExpression,
  /** The condition on the row afterwards; absent = the filter only. */
  check: orNull(optional(booleanExpression)),
  set: presets,
  backend_only: flag,
  validate_input,
});

export type DeletePermission = TypeOf<typeof deletePermission>;
const deletePermission = object({ filter: booleanExpression, backend_only: flag, validate_input });

export interface Permission<Rule> extends Located {
  readonly role: string;
  readonly permission: Rule;
  readonly comment?: string;
}

/** An entry of a table's list of permissions. */
function permissionEntry<Rule>(permission: Codec<Rule>) {
  const fields = { role: name, permission, comment };
  return object(fields) as unknown as ObjectCodec<Omit<Permission<Rule>, 'path'>, typeof fields>;
}

/** The entries of a table's four lists of permissions. */
export const permissionEntries = {
  insert: permissionEntry(insertPermission),
  select: permissionEntry(selectPermission),
  update: permissionEntry(updatePermission),
  delete: permissionEntry(deletePermission),
} as const;

export type PermissionKind = keyof typeof permissionEntries;

export function permissionList<Rule>(
  operation: PermissionKind,
  entry: Codec<Omit<Permission<Rule>, 'path'>>,
): EntriesCodec<Omit<Permission<Rule>, 'path'>> {
  return keyedEntries(entry, {
    kind: `${operation} permissions`,
    key: ({ role }) => role,
    dependent: ({ role }, { source, table }) => ({ kind: 'permission', source, table, role, operation }),
  });
}

/** Permission of a role to call a function or an action. */
const rolePermission = object({ role: name, comment: optional(text) });

/** Permissions to call, in the order given. */
export const rolePermissions = keyedEntries(rolePermission, {
  kind: 'permissions',
  key: ({ role }) => role,
  order: false,
});
