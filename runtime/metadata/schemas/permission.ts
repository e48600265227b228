import type { z } from 'zod';
import type {
  DeletePermission,
  InsertPermission,
  JsonObject,
  QueryRootField,
  SelectPermission,
  SubscriptionRootField,
  UpdatePermission,
} from '../metadata.ts';
import {
  columnsSchema,
  flag,
  jsonObject,
  list,
  nameSchema,
  naturalNumber,
  object,
  oneOf,
  optional,
  requiredList,
  text,
  withDefault,
} from './shared.ts';

/** A boolean expression: an object here, read by phase 3, which knows the columns. */
const booleanExpressionSchema: z.ZodType<JsonObject> = jsonObject;

export const insertPermissionSchema = object<InsertPermission>({
  check: booleanExpressionSchema,
  set: withDefault<JsonObject>(jsonObject, {}),
  columns: optional(columnsSchema),
  backend_only: flag,
  validate_input: optional(jsonObject),
});

export const selectPermissionSchema = object<SelectPermission>({
  columns: columnsSchema,
  computed_fields: list(nameSchema),
  filter: booleanExpressionSchema,
  limit: optional(naturalNumber),
  allow_aggregations: flag,
  query_root_fields: optional(
    requiredList(oneOf<QueryRootField>('select', 'select_by_pk', 'select_aggregate')),
  ),
  subscription_root_fields: optional(
    requiredList(oneOf<SubscriptionRootField>('select', 'select_by_pk', 'select_aggregate', 'select_stream')),
  ),
});

export const updatePermissionSchema = object<UpdatePermission>({
  columns: columnsSchema,
  filter: booleanExpressionSchema,
  check: optional(booleanExpressionSchema),
  set: withDefault<JsonObject>(jsonObject, {}),
  backend_only: flag,
  validate_input: optional(jsonObject),
});

export const deletePermissionSchema = object<DeletePermission>({
  filter: booleanExpressionSchema,
  backend_only: flag,
  validate_input: optional(jsonObject),
});

function permissionEntrySchema<Rule>(permission: z.ZodType<Rule>) {
  return object<{ role: string; permission: Rule; comment?: string }>({
    role: nameSchema,
    permission,
    comment: optional(text),
  });
}

/** Entries of a table's lists of permissions, without their path. */
export const insertPermissionEntrySchema = permissionEntrySchema(insertPermissionSchema);
export const selectPermissionEntrySchema = permissionEntrySchema(selectPermissionSchema);
export const updatePermissionEntrySchema = permissionEntrySchema(updatePermissionSchema);
export const deletePermissionEntrySchema = permissionEntrySchema(deletePermissionSchema);

/** An entry of the permissions of a function or an action, without its path. */
export const rolePermissionSchema = object<{ role: string; comment?: string }>({
  role: nameSchema,
  comment: optional(text),
});
