/**
 * Metadata as the JSON that `export_metadata` answers: keys in a fixed order, entries sorted, defaults left out. The same
 * metadata gives the same text, and reading an export gives the same metadata again.
 */

import { exportName, nonEmpty, plain, present, sortKeys } from './export-json.ts';
import { exportRemoteRelationship } from './export-relationship.ts';
import { exportFunction, exportTable } from './export-table.ts';
import type {
  Action,
  Address,
  AllowlistEntry,
  ConnectionInfo,
  CronTrigger,
  CustomTypes,
  DatabaseUrl,
  Json,
  JsonObject,
  Metadata,
  RemoteSchema,
  RestEndpoint,
  Source,
  SourceConfiguration,
} from './metadata.ts';
import { scheduledRetryDefaults } from './schemas/trigger.ts';
import { inStoredOrder } from './stored-order.ts';

/** The whole metadata as an export; cron triggers that are not to be included are left out, unless it is to be stored. */
export function exportMetadata(given: Metadata, purpose: 'show' | 'store' = 'show'): JsonObject {
  const metadata = inStoredOrder(given);
  const cronTriggers = metadata.cron_triggers.filter(
    (trigger) => purpose === 'store' || trigger.include_in_metadata,
  );
  const { disabled_for_roles } = metadata.graphql_schema_introspection;
  return present({
    version: 3,
    sources: metadata.sources.map(exportSource),
    remote_schemas: nonEmpty(metadata.remote_schemas.map(exportRemoteSchema)),
    query_collections: nonEmpty(
      metadata.query_collections.map(({ name, definition, comment }) =>
        present({ name, definition: { queries: definition.queries.map(plain) }, comment }),
      ),
    ),
    allowlist: nonEmpty(metadata.allowlist.map(exportAllowlistEntry)),
    actions: nonEmpty(metadata.actions.map(exportAction)),
    custom_types: exportCustomTypes(metadata.custom_types),
    cron_triggers: nonEmpty(cronTriggers.map(exportCronTrigger)),
    rest_endpoints: nonEmpty(metadata.rest_endpoints.map(exportRestEndpoint)),
    api_limits: metadata.api_limits && sortKeys(plain(metadata.api_limits)),
    metrics_config: metadata.metrics_config && plain(metadata.metrics_config),
    inherited_roles: nonEmpty(
      metadata.inherited_roles.map(({ role_name, role_set }) => ({
        role_name,
        role_set,
      })),
    ),
    graphql_schema_introspection: disabled_for_roles.length === 0 ? undefined : { disabled_for_roles },
    network:
      metadata.network.tls_allowlist.length === 0
        ? undefined
        : { tls_allowlist: metadata.network.tls_allowlist.map(plain) },
    backend_configs: metadata.backend_configs,
    opentelemetry: metadata.opentelemetry,
  });
}

/** One source entry, its lists as they are. */
export function exportSource(source: Source): JsonObject {
  return present({
    name: source.name,
    kind: source.kind,
    tables: source.tables.map(exportTable),
    functions: nonEmpty(source.functions.map(exportFunction)),
    native_queries: source.native_queries,
    stored_procedures: source.stored_procedures,
    logical_models: source.logical_models,
    configuration: exportSourceConfiguration(source.configuration),
    query_tags: source.query_tags,
    customization: source.customization && sortKeys(plain(source.customization)),
    health_check: source.health_check,
  });
}

/** The connection settings of a source; environment variables stay names. */
function exportSourceConfiguration(configuration: SourceConfiguration): JsonObject {
  const { connection_info, read_replicas, extensions_schema } = configuration;
  return present({
    connection_info: exportConnectionInfo(connection_info),
    read_replicas: read_replicas?.map(exportConnectionInfo),
    extensions_schema: extensions_schema === 'public' ? undefined : extensions_schema,
  });
}

function exportConnectionInfo(info: ConnectionInfo): JsonObject {
  return present({
    database_url: exportDatabaseUrl(info.database_url),
    isolation_level: info.isolation_level,
    pool_settings: info.pool_settings && sortKeys(plain(info.pool_settings)),
    ssl_configuration: info.ssl_configuration && plain(info.ssl_configuration),
    use_prepared_statements: info.use_prepared_statements ?? false,
  });
}

function exportDatabaseUrl(url: DatabaseUrl): Json {
  switch (url.kind) {
    case 'template':
      return url.template;
    case 'environment':
      return { from_env: url.variable };
    case 'file':
      return { dynamic_from_file: url.file };
    case 'parameters':
      return { connection_parameters: plain(url.parameters) };
  }
}

function exportRemoteSchema(remoteSchema: RemoteSchema): JsonObject {
  const { definition } = remoteSchema;
  return present({
    name: remoteSchema.name,
    definition: present({
      ...exportAddress(definition.url, 'url', 'url_from_env'),
      timeout_seconds: definition.timeout_seconds,
      customization:
        definition.customization &&
        present({
          root_fields_namespace: definition.customization.root_fields_namespace,
          type_names: definition.customization.type_names && plain(definition.customization.type_names),
          field_names: nonEmpty(definition.customization.field_names.map(plain)),
        }),
      headers: nonEmpty(definition.headers.map(plain)),
      forward_client_headers: definition.forward_client_headers || undefined,
    }),
    comment: remoteSchema.comment,
    permissions: nonEmpty(
      remoteSchema.permissions.map(({ role, definition: { schema }, comment }) =>
        present({ role, definition: { schema }, comment }),
      ),
    ),
    remote_relationships: nonEmpty(
      remoteSchema.remote_relationships.map(({ type_name, relationships }) => ({
        type_name,
        relationships: relationships.map(exportRemoteRelationship),
      })),
    ),
  });
}

/** One of two keys, for a text or for the name of an environment variable. */
function exportAddress(address: Address, textKey: string, variableKey: string): JsonObject {
  return address.kind === 'template' ? { [textKey]: address.template } : { [variableKey]: address.variable };
}

function exportAllowlistEntry({ collection, scope }: AllowlistEntry): JsonObject {
  return { collection, scope: plain(scope) };
}

function exportAction({ name, definition, comment, permissions }: Action): JsonObject {
  return present({
    name,
    definition: present({
      handler: definition.handler,
      output_type: definition.output_type,
      forward_client_headers: definition.forward_client_headers || undefined,
      ignored_client_headers: definition.ignored_client_headers,
      headers: nonEmpty(definition.headers.map(plain)),
      arguments: nonEmpty(definition.arguments.map(plain)),
      request_transform: definition.request_transform,
      response_transform: definition.response_transform,
      type: definition.type,
      kind: definition.type === 'mutation' ? definition.kind : undefined,
      timeout: definition.timeout === 30 ? undefined : definition.timeout,
    }),
    comment,
    permissions: nonEmpty(
      permissions.map((permission) => present({ role: permission.role, comment: permission.comment })),
    ),
  });
}

function exportCustomTypes(types: CustomTypes): JsonObject | undefined {
  const exported = present({
    input_objects: nonEmpty(
      types.input_objects.map(({ name, fields, description }) =>
        present({ name, fields: fields.map(plain), description }),
      ),
    ),
    objects: nonEmpty(
      types.objects.map(({ name, fields, description, relationships }) =>
        present({
          name,
          fields: fields.map(plain),
          description,
          relationships: nonEmpty(
            relationships.map((relationship) =>
              plain({ ...relationship, remote_table: exportName(relationship.remote_table) }),
            ),
          ),
        }),
      ),
    ),
    scalars: nonEmpty(types.scalars.map(({ name, description }) => present({ name, description }))),
    enums: nonEmpty(
      types.enums.map(({ name, values, description }) =>
        present({
          name,
          values: values.map((value) => ({
            value: value.value,
            description: value.description ?? null,
            is_deprecated: value.is_deprecated ?? null,
          })),
          description,
        }),
      ),
    ),
  });
  return Object.keys(exported).length === 0 ? undefined : exported;
}

function exportCronTrigger(trigger: CronTrigger): JsonObject {
  const retry = plain(trigger.retry_conf);
  return present({
    name: trigger.name,
    webhook: trigger.webhook,
    schedule: trigger.schedule,
    include_in_metadata: trigger.include_in_metadata,
    payload: trigger.payload,
    retry_conf: JSON.stringify(retry) === JSON.stringify(scheduledRetryDefaults) ? undefined : retry,
    headers: nonEmpty(trigger.headers.map(plain)),
    comment: trigger.comment,
    request_transform: trigger.request_transform,
    response_transform: trigger.response_transform,
  });
}

function exportRestEndpoint({ comment, definition, methods, name, url }: RestEndpoint): JsonObject {
  const { collection_name, query_name } = definition.query;
  return {
    comment: comment ?? null,
    definition: { query: { collection_name, query_name } },
    methods,
    name,
    url,
  };
}
