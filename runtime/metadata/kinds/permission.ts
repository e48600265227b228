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
  extension,
  key,
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
const presets = key(
  'Values that the role cannot choose: column → a literal, or the name of a session variable.',
  withNames(withDefault<JsonObject>(sorted(jsonObject), {}), presetNames),
);

const computedFieldName = withNames(name, (field, walk) => walk.computedField(field));

const backend_only = key(
  'Offer the mutation only to requests that send the admin secret and `x-engine-use-backend-only-permissions: true`.',
  withDefault(boolean, false),
);

/** A webhook that has to agree before anything is written. */
export type ValidateInput = TypeOf<typeof validateInput>;
const validateInput = object(
  {
    type: key('The only kind.', oneOf('http')),
    definition: key(
      'The webhook.',
      object({
        url: key('Its URL; `{{NAME}}` stands for an environment variable.', text),
        headers,
        forward_client_headers: key('Pass the headers of the client on.', withDefault(boolean, false)),
        timeout: key('Maximum duration of a call in seconds. Absent: 10.', optional(positiveNumber)),
      }),
    ),
  },
  { title: 'Input validation' },
);
const validate_input = key(
  'A webhook that has to agree before anything is written: see [validated input](graphql.md#validated-input).',
  optional(validateInput),
);

const check_message = extension(
  'Error message when a row does not satisfy `check`. Default: `check constraint of … permission has failed`.',
  optional(text),
);

export type InsertPermission = TypeOf<typeof insertPermission>;
const insertPermission = object(
  {
    check: key(
      'Condition that the new row must meet, by a [boolean expression](operators.md). `{}`: none.',
      booleanExpression,
    ),
    check_message,
    set: presets,
    columns: key('Columns that the role may give: a list, or `"*"` for all. Absent: all.', optional(columns)),
    backend_only,
    validate_input,
  },
  { title: 'Insert permission' },
);

export type QueryRootField = NamedKind<QueryFieldKind>;
export type SubscriptionRootField = QueryRootField | SubscriptionFieldKind;
const { subscription } = ROOT_FIELD_KINDS;
const query: readonly QueryRootField[] = ROOT_FIELD_KINDS.query.filter(isNamedKind);

export const selectColumns = key(
  'Columns that the role sees: a list, or `"*"` for all that the table has when it is compiled.',
  columns,
);
export const selectFilter = key(
  'Condition of the rows that the role sees, by a [boolean expression](operators.md). `{}`: every row.',
  booleanExpression,
);

export type SelectPermission = TypeOf<typeof selectPermission>;
const selectPermission = object(
  {
    columns: selectColumns,
    computed_fields: key('Computed fields that the role sees.', list(computedFieldName)),
    filter: selectFilter,
    limit: key('Maximum number of rows that one field gives.', optional(naturalNumber)),
    allow_aggregations: key('Offer aggregates: counts, sums, groups.', withDefault(boolean, false)),
    query_root_fields: key(
      'Root fields of queries. Absent: all; empty: none, the table is then reached through relationships only.',
      optional(requiredList<QueryRootField>(oneOf(...query))),
    ),
    subscription_root_fields: key(
      'The same of subscriptions.',
      optional(requiredList<SubscriptionRootField>(oneOf(...query, ...subscription))),
    ),
  },
  { title: 'Select permission' },
);

export type UpdatePermission = TypeOf<typeof updatePermission>;
const updatePermission = object(
  {
    columns: key('Columns that the role may change: a list, or `"*"` for all.', columns),
    filter: key('Condition of the rows that the role may change.', booleanExpression),
    check: key(
      'Condition that the row must meet afterwards. Absent: the filter.',
      orNull(optional(booleanExpression)),
    ),
    check_message,
    set: presets,
    backend_only,
    validate_input,
  },
  { title: 'Update permission' },
);

export type DeletePermission = TypeOf<typeof deletePermission>;
const deletePermission = object(
  {
    filter: key('Condition of the rows that the role may delete.', booleanExpression),
    check: extension(
      'Condition that each of these rows must meet, or the delete fails: see [checks of deleted rows](graphql.md#checks-of-deleted-rows). Absent: none.',
      optional(booleanExpression),
    ),
    check_message,
    backend_only,
    validate_input,
  },
  { title: 'Delete permission' },
);

export interface PermissionEntry<Rule> extends Located {
  readonly role: string;
  readonly permission: Rule;
  readonly comment?: string;
}

/** An entry of a table's list of permissions. */
export function permissionEntry<Rule>(permission: Codec<Rule>) {
  const fields = {
    role: key('Name of the role.', name),
    permission: key('What the role may do.', permission),
    comment,
  };
  return object(fields) as unknown as ObjectCodec<Omit<PermissionEntry<Rule>, 'path'>, typeof fields>;
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
  entry: Codec<Omit<PermissionEntry<Rule>, 'path'>>,
): EntriesCodec<Omit<PermissionEntry<Rule>, 'path'>> {
  return keyedEntries(entry, {
    kind: `${operation} permissions`,
    key: ({ role }) => role,
    dependent: ({ role }, { source, table }) => ({ kind: 'permission', source, table, role, operation }),
  });
}

/** Permission of a role to call a function or an action. */
const rolePermission = object({
  role: key('Name of the role.', name),
  comment: key('Text for readers.', optional(text)),
});

/** Permissions to call, in the order given. */
export const rolePermissions = key(
  'Roles that may call it.',
  keyedEntries(rolePermission, {
    kind: 'permissions',
    key: ({ role }) => role,
    order: false,
  }),
);
