/**
 * The metadata, version 3, as phase 1 hands it on: validated, normalised, plain and readonly.
 *
 * Property names are the metadata's own words, so that a path into the document and a path into these types read alike.
 * Normalised means: one spelling per thing (names are always `{schema, name}`, a relationship's `using` is one of three
 * readable forms), defaults filled in where a default has one meaning, absent and null alike left out, lists always
 * present. Boolean expressions stay raw JSON: phase 3 reads them, because only it knows the columns.
 *
 * `path` on an entry is the entry's place in the document that was read (indexes count dropped entries too), for
 * diagnostics only: no decision may depend on it, and it is left out on export.
 *
 * The types are those of the codecs in `kinds/`, which say what each kind is.
 */

import { isObject, type JsonObject } from '../core/json/json.ts';
import { type Codec, INVALID, type TypeOf } from './codec.ts';
import { key, object, optional, unlessEmpty } from './combinators.ts';
import { located } from './entries.ts';
import { actions } from './kinds/action.ts';
import { cronTriggers } from './kinds/cron-trigger.ts';
import { type CustomTypes, customTypes } from './kinds/custom-types.ts';
import { allowlist, queryCollections, restEndpoints } from './kinds/query-collection.ts';
import { remoteSchemas } from './kinds/remote-schema.ts';
import {
  apiLimits,
  graphqlSchemaIntrospection,
  inheritedRoles,
  metricsConfig,
  network,
  opentelemetry,
} from './kinds/settings.ts';
import { sources } from './kinds/source.ts';
import { jsonObject } from './values.ts';

export type { Json, JsonObject, Located, MetadataPath } from '../core/json/json.ts';
export type { QualifiedName } from '../core/names.ts';
export type { Action, ActionArgument, ActionDefinition } from './kinds/action.ts';
export type { CronTrigger, ScheduledRetryConfiguration } from './kinds/cron-trigger.ts';
export type {
  CustomEnum,
  CustomEnumValue,
  CustomField,
  CustomInputObject,
  CustomObject,
  CustomObjectRelationship,
  CustomScalar,
  CustomTypes,
} from './kinds/custom-types.ts';
export type {
  EventCleanupConfiguration,
  EventOperation,
  EventRetryConfiguration,
  EventTrigger,
  EventTriggerDefinition,
} from './kinds/event-trigger.ts';
export type { FunctionConfiguration, FunctionEntry } from './kinds/function.ts';
export type { LogicalField, LogicalModel, LogicalType } from './kinds/logical-model.ts';
export type { NativeQuery } from './kinds/native-query.ts';
export type {
  DeletePermission,
  InsertPermission,
  PermissionEntry,
  QueryRootField,
  SelectPermission,
  SubscriptionRootField,
  UpdatePermission,
  ValidateInput,
} from './kinds/permission.ts';
export type {
  AllowlistEntry,
  AllowlistScope,
  CollectionQuery,
  QueryCollection,
  RestEndpoint,
} from './kinds/query-collection.ts';
export type {
  ArrayRelationshipUsing,
  ForeignKeyOnOtherTable,
  ForeignKeyOnThisTable,
  ManualConfiguration,
  ObjectRelationship,
  RelationshipEntry,
  RelationshipUsing,
} from './kinds/relationship.ts';
export type {
  RemoteFieldCall,
  RemoteRelationship,
  RemoteRelationshipDefinition,
} from './kinds/remote-relationship.ts';
export type {
  RemoteSchema,
  RemoteSchemaCustomization,
  RemoteSchemaDefinition,
  RemoteSchemaPermission,
  RemoteSchemaTypeRelationships,
} from './kinds/remote-schema.ts';
export type { InheritedRole, MetricsConfig, TlsAllowlistEntry } from './kinds/settings.ts';
export type { ColumnChoice, FromEnvironment } from './kinds/shared.ts';
export type {
  ConnectionInfo,
  ConnectionParameters,
  DatabaseUrl,
  HealthCheck,
  Source,
  SourceConfiguration,
  SourceCustomization,
  SourcePoolSettings,
  SslConfiguration,
} from './kinds/source.ts';
export type {
  ColumnConfiguration,
  ComputedFieldDefinition,
  ComputedFieldEntry,
  RootFieldConfiguration,
  TableConfiguration,
  TableEntry,
} from './kinds/table.ts';

/** A setting of the service: `{}`, which files carry for settings that were never made, is absent, and so is a bad one. */
function setting<Value extends object>(codec: Codec<Value>) {
  const inner = optional(codec);
  return {
    ...inner,
    read: (input: unknown, reading: Parameters<typeof inner.read>[1]) => {
      const value =
        isObject(input) && Object.keys(input).length === 0 ? undefined : inner.read(input, reading);
      return value === INVALID ? undefined : value;
    },
  };
}

/** The same, with what an absent setting means. */
function settingOr<Value extends object>(codec: Codec<Value>, fallback: Value): Codec<Value> {
  const inner = unlessEmpty(setting(codec));
  return {
    ...(inner as unknown as Codec<Value>),
    read: (input, reading) => {
      const value = inner.read(input, reading);
      return value ?? fallback;
    },
    absent: () => fallback,
  };
}

const noTypes: CustomTypes = {
  path: ['custom_types'],
  input_objects: [],
  objects: [],
  scalars: [],
  enums: [],
};

/** The keys of metadata version 3 but `version`, in the order of an export. */
export const metadataFields = {
  sources: key('Databases, with their tables and functions.', sources),
  remote_schemas: key('Other GraphQL servers.', remoteSchemas),
  query_collections: key('Saved operations.', queryCollections),
  allowlist: key('Operations that are allowed; counts with the option `enable-allowlist`.', allowlist),
  actions: key('Fields that a webhook answers.', actions),
  custom_types: key('Types of actions.', settingOr<CustomTypes>(located(customTypes), noTypes)),
  cron_triggers: key('Webhooks that are called by a schedule.', cronTriggers),
  rest_endpoints: key('URLs that run saved operations.', restEndpoints),
  api_limits: key('Limits of operations and requests.', setting(apiLimits)),
  metrics_config: key('Kept, without effect.', setting(metricsConfig)),
  inherited_roles: key('Roles that are made of others.', inheritedRoles),
  graphql_schema_introspection: key(
    'Who may ask for the schema.',
    settingOr(graphqlSchemaIntrospection, { disabled_for_roles: [] }),
  ),
  network: key('Certificates.', settingOr(network, { tls_allowlist: [] })),
  backend_configs: key('Kept, without effect.', setting<JsonObject>(jsonObject)),
  opentelemetry: key('Where traces are sent.', setting<JsonObject>(opentelemetry)),
};

/** Everything but the version. */
export const metadataBody = object(metadataFields, { title: 'Metadata' });

export interface Metadata extends TypeOf<typeof metadataBody> {
  readonly version: 3;
}

/** What a source without any objects declares. */
export const EMPTY_SOURCE = { tables: [], functions: [], native_queries: [], logical_models: [] } as const;

/** Metadata in which nothing is declared. */
export const emptyMetadata: Metadata = {
  version: 3,
  sources: [],
  remote_schemas: [],
  query_collections: [],
  allowlist: [],
  actions: [],
  custom_types: noTypes,
  cron_triggers: [],
  rest_endpoints: [],
  inherited_roles: [],
  graphql_schema_introspection: { disabled_for_roles: [] },
  network: { tls_allowlist: [] },
};
