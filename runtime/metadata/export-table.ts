import { exportName, nonEmpty, nonEmptyObject, plain, present, sortKeys } from './export-json.ts';
import { exportRemoteRelationship, exportUsing } from './export-relationship.ts';
import type {
  DeletePermission,
  EventTrigger,
  FunctionEntry,
  InsertPermission,
  Json,
  JsonObject,
  Permission,
  Relationship,
  RelationshipUsing,
  RootFieldConfiguration,
  SelectPermission,
  TableConfiguration,
  TableEntry,
  UpdatePermission,
} from './metadata.ts';

/** One table entry of an export, its lists as they are. */
export function exportTable(table: TableEntry): JsonObject {
  const permissions = <Rule>(entries: readonly Permission<Rule>[], exportRule: (rule: Rule) => JsonObject) =>
    nonEmpty(
      entries.map(({ role, permission, comment }) =>
        present({ role, permission: exportRule(permission), comment }),
      ),
    );
  return present({
    table: exportName(table.table),
    is_enum: table.is_enum || undefined,
    configuration: exportTableConfiguration(table.configuration),
    object_relationships: nonEmpty(table.object_relationships.map(exportRelationship)),
    array_relationships: nonEmpty(table.array_relationships.map(exportRelationship)),
    computed_fields: nonEmpty(
      table.computed_fields.map(({ name, definition, comment }) =>
        present({
          name,
          definition: plain({ ...definition, function: exportName(definition.function) }),
          comment,
        }),
      ),
    ),
    remote_relationships: nonEmpty(table.remote_relationships.map(exportRemoteRelationship)),
    insert_permissions: permissions(table.insert_permissions, exportInsertPermission),
    select_permissions: permissions(table.select_permissions, exportSelectPermission),
    update_permissions: permissions(table.update_permissions, exportUpdatePermission),
    delete_permissions: permissions(table.delete_permissions, exportDeletePermission),
    event_triggers: nonEmpty(table.event_triggers.map(exportEventTrigger)),
    apollo_federation_config: table.apollo_federation_config && plain(table.apollo_federation_config),
  });
}

/** A table's configuration, or undefined if nothing is set; the older form of column names is derived again. */
function exportTableConfiguration(configuration: TableConfiguration): JsonObject | undefined {
  const { column_config, custom_root_fields, custom_name, comment } = configuration;
  const isSet = Object.keys(column_config).length > 0 || Object.keys(custom_root_fields).length > 0;
  if (!isSet && custom_name === undefined && comment === undefined) return undefined;
  const columnNames = Object.entries(column_config).flatMap(([column, { custom_name: name }]) =>
    name === undefined ? [] : [[column, name] as const],
  );
  const rootFields = Object.entries(custom_root_fields).map(
    ([field, root]) => [field, exportRootField(root)] as const,
  );
  return present({
    column_config: sortKeys(plain(column_config)),
    comment,
    custom_column_names: sortKeys(Object.fromEntries(columnNames)),
    custom_name,
    custom_root_fields: sortKeys(Object.fromEntries(rootFields)),
  });
}

function exportRootField({ name, comment }: RootFieldConfiguration): Json {
  return comment === undefined ? (name ?? null) : { name: name ?? null, comment };
}

function exportRelationship({ name, using, comment }: Relationship<RelationshipUsing>): JsonObject {
  return present({ name, using: exportUsing(using), comment });
}

/** The rule of an insert permission. */
function exportInsertPermission(permission: InsertPermission): JsonObject {
  return present({
    check: sortKeys(permission.check),
    set: nonEmptyObject(permission.set),
    columns: permission.columns,
    backend_only: permission.backend_only || undefined,
    validate_input: permission.validate_input,
  });
}

/** The rule of a select permission. */
function exportSelectPermission(permission: SelectPermission): JsonObject {
  return present({
    columns: permission.columns,
    computed_fields: nonEmpty(permission.computed_fields),
    filter: sortKeys(permission.filter),
    limit: permission.limit,
    allow_aggregations: permission.allow_aggregations || undefined,
    query_root_fields: permission.query_root_fields,
    subscription_root_fields: permission.subscription_root_fields,
  });
}

/** The rule of an update permission; its check is printed even if null. */
function exportUpdatePermission(permission: UpdatePermission): JsonObject {
  return present({
    columns: permission.columns,
    filter: sortKeys(permission.filter),
    check: permission.check === undefined ? null : sortKeys(permission.check),
    set: nonEmptyObject(permission.set),
    backend_only: permission.backend_only || undefined,
    validate_input: permission.validate_input,
  });
}

/** The rule of a delete permission. */
function exportDeletePermission(permission: DeletePermission): JsonObject {
  return present({
    filter: sortKeys(permission.filter),
    backend_only: permission.backend_only || undefined,
    validate_input: permission.validate_input,
  });
}

/** One event trigger of a table. */
export function exportEventTrigger(trigger: EventTrigger): JsonObject {
  const { definition, webhook } = trigger;
  return present({
    name: trigger.name,
    definition: present({
      delete: definition.delete && plain(definition.delete),
      enable_manual: definition.enable_manual,
      insert: definition.insert && plain(definition.insert),
      update: definition.update && plain(definition.update),
    }),
    retry_conf: plain(trigger.retry_conf),
    ...(webhook.kind === 'template' ? { webhook: webhook.template } : { webhook_from_env: webhook.variable }),
    headers: nonEmpty(trigger.headers.map(plain)),
    request_transform: trigger.request_transform,
    response_transform: trigger.response_transform,
    cleanup_config: trigger.cleanup_config,
    trigger_on_replication: trigger.trigger_on_replication ? undefined : false,
  });
}

/** One tracked function. */
export function exportFunction(entry: FunctionEntry): JsonObject {
  const { custom_name, custom_root_fields, exposed_as, response, session_argument } = entry.configuration;
  const configuration = present({
    custom_name,
    custom_root_fields: nonEmptyObject(plain(custom_root_fields)),
    exposed_as,
    response,
    session_argument,
  });
  return present({
    function: exportName(entry.function),
    configuration: nonEmptyObject(configuration),
    permissions: nonEmpty(entry.permissions.map(({ role }) => ({ role }))),
    comment: entry.comment,
  });
}
