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
 */

import type { ApiLimits } from '../core/settings.ts';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** `['sources', 0, 'tables', 3, 'select_permissions', 1]`: keys and indexes from the top of the metadata document. */
export type MetadataPath = readonly (string | number)[];

/** An entry that a diagnostic can point at. */
export interface Located {
  readonly path: MetadataPath;
}

/** Names a table, view or function in its database schema. */
export interface QualifiedName {
  readonly schema: string;
  readonly name: string;
}

/** `"*"` stands for every column the table has when it is compiled. */
export type Columns = '*' | readonly string[];

export interface Metadata {
  readonly version: 3;
  readonly sources: readonly Source[];
  readonly remote_schemas: readonly RemoteSchema[];
  readonly query_collections: readonly QueryCollection[];
  readonly allowlist: readonly AllowlistEntry[];
  readonly actions: readonly Action[];
  readonly custom_types: CustomTypes;
  readonly cron_triggers: readonly CronTrigger[];
  readonly rest_endpoints: readonly RestEndpoint[];
  readonly api_limits?: ApiLimits;
  readonly metrics_config?: MetricsConfig;
  readonly inherited_roles: readonly InheritedRole[];
  readonly graphql_schema_introspection: { readonly disabled_for_roles: readonly string[] };
  readonly network: { readonly tls_allowlist: readonly TlsAllowlistEntry[] };
  /** Kept as given, without effect. */
  readonly backend_configs?: JsonObject;
  /** Kept as given. */
  readonly opentelemetry?: JsonObject;
}

// Sources

export interface Source extends Located {
  readonly name: string;
  readonly kind: 'postgres';
  readonly tables: readonly TableEntry[];
  readonly functions: readonly FunctionEntry[];
  readonly configuration: SourceConfiguration;
  readonly customization?: SourceCustomization;
  /** Kept as given, without effect. */
  readonly native_queries?: Json;
  readonly stored_procedures?: Json;
  readonly logical_models?: Json;
  readonly query_tags?: Json;
  readonly health_check?: Json;
}

export interface SourceConfiguration {
  readonly connection_info: ConnectionInfo;
  readonly read_replicas?: readonly ConnectionInfo[];
  /** Schema that extensions are created in; `public` unless given. */
  readonly extensions_schema: string;
}

export interface ConnectionInfo {
  readonly database_url: DatabaseUrl;
  readonly pool_settings?: PoolSettings;
  /** Absent: the server's option decides. */
  readonly use_prepared_statements?: boolean;
  readonly isolation_level: 'read-committed' | 'repeatable-read' | 'serializable';
  readonly ssl_configuration?: SslConfiguration;
}

export type DatabaseUrl =
  /** A connection string; `{{NAME}}` in it stands for an environment variable. */
  | { readonly kind: 'template'; readonly template: string }
  | { readonly kind: 'environment'; readonly variable: string }
  /** A file holding the connection string, read again before each connect. */
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'parameters'; readonly parameters: ConnectionParameters };

export interface ConnectionParameters {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly database: string;
  readonly password?: string;
}

/** Times in seconds. */
export interface PoolSettings {
  readonly max_connections?: number;
  readonly total_max_connections?: number;
  readonly idle_timeout?: number;
  readonly retries?: number;
  readonly pool_timeout?: number;
  readonly connection_lifetime?: number;
}

export interface SslConfiguration {
  readonly sslmode: 'disable' | 'allow' | 'prefer' | 'require' | 'verify-ca' | 'verify-full';
  readonly sslrootcert?: FromEnvironment;
  readonly sslcert?: FromEnvironment;
  readonly sslkey?: FromEnvironment;
  readonly sslpassword?: FromEnvironment;
}

export interface FromEnvironment {
  readonly from_env: string;
}

export interface SourceCustomization {
  readonly root_fields?: { readonly namespace?: string; readonly prefix?: string; readonly suffix?: string };
  readonly type_names?: { readonly prefix?: string; readonly suffix?: string };
  readonly naming_convention?: 'engine-default' | 'graphql-default';
}

// Tables

export interface TableEntry extends Located {
  readonly table: QualifiedName;
  readonly is_enum: boolean;
  readonly configuration: TableConfiguration;
  readonly object_relationships: readonly ObjectRelationship[];
  readonly array_relationships: readonly ArrayRelationship[];
  readonly computed_fields: readonly ComputedField[];
  readonly remote_relationships: readonly RemoteRelationship[];
  readonly insert_permissions: readonly Permission<InsertPermission>[];
  readonly select_permissions: readonly Permission<SelectPermission>[];
  readonly update_permissions: readonly Permission<UpdatePermission>[];
  readonly delete_permissions: readonly Permission<DeletePermission>[];
  readonly event_triggers: readonly EventTrigger[];
  readonly apollo_federation_config?: { readonly enable: 'v1' };
}

export interface TableConfiguration {
  /** The older `custom_column_names` is merged beneath this; export derives it again. */
  readonly column_config: Readonly<Record<string, ColumnConfiguration>>;
  readonly custom_root_fields: Readonly<Partial<Record<TableRootField, RootFieldConfiguration>>>;
  readonly custom_name?: string;
  readonly comment?: string;
}

/** Comments everywhere: absent = automatic (the database's, else generated), `""` = none. */
export interface ColumnConfiguration {
  readonly custom_name?: string;
  readonly comment?: string;
}

export interface RootFieldConfiguration {
  readonly name?: string;
  readonly comment?: string;
}

export const tableRootFields = [
  'select',
  'select_by_pk',
  'select_aggregate',
  'select_stream',
  'insert',
  'insert_one',
  'update',
  'update_by_pk',
  'update_many',
  'delete',
  'delete_by_pk',
] as const;
type TableRootField = (typeof tableRootFields)[number];

export interface Relationship<Using> extends Located {
  readonly name: string;
  readonly using: Using;
  readonly comment?: string;
}
export type ObjectRelationship = Relationship<RelationshipUsing>;
type ArrayRelationship = Relationship<ArrayRelationshipUsing>;

/** The foreign key is on columns of this table. Object relationships only. */
export interface ForeignKeyOnThisTable {
  readonly kind: 'foreign_key_on_this_table';
  readonly columns: readonly string[];
}

/** The foreign key is on columns of the other table, and points here. */
export interface ForeignKeyOnOtherTable {
  readonly kind: 'foreign_key_on_other_table';
  readonly table: QualifiedName;
  readonly columns: readonly string[];
}

export interface ManualConfiguration {
  readonly kind: 'manual';
  readonly remote_table: QualifiedName;
  /** Column of this table → column of the other. */
  readonly column_mapping: Readonly<Record<string, string>>;
  readonly insertion_order?: 'before_parent' | 'after_parent';
}

export type ArrayRelationshipUsing = ForeignKeyOnOtherTable | ManualConfiguration;
export type RelationshipUsing = ForeignKeyOnThisTable | ArrayRelationshipUsing;

export interface ComputedField extends Located {
  readonly name: string;
  readonly definition: ComputedFieldDefinition;
  readonly comment?: string;
}

export interface ComputedFieldDefinition {
  readonly function: QualifiedName;
  readonly table_argument?: string;
  readonly session_argument?: string;
}

export interface RemoteRelationship extends Located {
  readonly name: string;
  readonly definition: RemoteRelationshipDefinition;
}

export type RemoteRelationshipDefinition =
  | {
      readonly kind: 'to_remote_schema';
      /** Written in the older form without `to_remote_schema`; export keeps the form. */
      readonly flat?: true;
      readonly remote_schema: string;
      /** Columns or fields of this side that the arguments may use as `$name`. */
      readonly lhs_fields: readonly string[];
      /** From the root field inwards; one call a level. */
      readonly remote_field: readonly RemoteFieldCall[];
    }
  | {
      readonly kind: 'to_source';
      readonly relationship_type: 'object' | 'array';
      readonly source: string;
      readonly table: QualifiedName;
      /** Field of this side → column of the other. */
      readonly field_mapping: Readonly<Record<string, string>>;
    };

export interface RemoteFieldCall {
  readonly field: string;
  /** Literals, nested values, and `"$name"` for a field of this side. */
  readonly arguments: JsonObject;
}

// Permissions

export interface Permission<Rule> extends Located {
  readonly role: string;
  readonly permission: Rule;
  readonly comment?: string;
}

export interface InsertPermission {
  readonly check: JsonObject;
  /** Column presets: a literal or a session variable. */
  readonly set: JsonObject;
  /** Absent = all columns, like `"*"`. */
  readonly columns?: Columns;
  readonly backend_only: boolean;
  readonly validate_input?: JsonObject;
}

export interface SelectPermission {
  readonly columns: Columns;
  readonly computed_fields: readonly string[];
  readonly filter: JsonObject;
  readonly limit?: number;
  readonly allow_aggregations: boolean;
  /** Absent = all, empty = none. */
  readonly query_root_fields?: readonly QueryRootField[];
  /** Absent = all, empty = none. */
  readonly subscription_root_fields?: readonly SubscriptionRootField[];
}

export type QueryRootField = 'select' | 'select_by_pk' | 'select_aggregate';
export type SubscriptionRootField = QueryRootField | 'select_stream';

export interface UpdatePermission {
  readonly columns: Columns;
  readonly filter: JsonObject;
  /** What the row must satisfy afterwards; absent = the filter only. */
  readonly check?: JsonObject;
  readonly set: JsonObject;
  readonly backend_only: boolean;
  readonly validate_input?: JsonObject;
}

export interface DeletePermission {
  readonly filter: JsonObject;
  readonly backend_only: boolean;
  readonly validate_input?: JsonObject;
}

// Event triggers, web hooks

export interface EventTrigger extends Located {
  readonly name: string;
  readonly definition: EventTriggerDefinition;
  readonly retry_conf: EventRetryConfiguration;
  readonly webhook: Address;
  readonly headers: readonly Header[];
  readonly request_transform?: JsonObject;
  readonly response_transform?: JsonObject;
  readonly cleanup_config?: JsonObject;
  readonly trigger_on_replication: boolean;
}

export interface EventTriggerDefinition {
  readonly insert?: EventOperation;
  readonly update?: EventOperation;
  readonly delete?: EventOperation;
  readonly enable_manual: boolean;
}

export interface EventOperation {
  /** For updates: only a change of one of these fires. */
  readonly columns: Columns;
  /** Columns sent; absent = all. */
  readonly payload?: Columns;
}

/** Times in seconds. */
export interface EventRetryConfiguration {
  readonly num_retries: number;
  readonly interval_sec: number;
  readonly timeout_sec: number;
}

/** Where a web hook, handler or remote schema listens: a text (with `{{NAME}}` for environment variables), or a variable. */
export type Address =
  | { readonly kind: 'template'; readonly template: string }
  | { readonly kind: 'environment'; readonly variable: string };

export type Header =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly value_from_env: string };

// Functions

export interface FunctionEntry extends Located {
  readonly function: QualifiedName;
  readonly configuration: FunctionConfiguration;
  readonly permissions: readonly RolePermission[];
  readonly comment?: string;
}

export interface FunctionConfiguration {
  readonly custom_name?: string;
  readonly custom_root_fields: { readonly function?: string; readonly function_aggregate?: string };
  readonly exposed_as?: 'query' | 'mutation';
  readonly response?: JsonObject;
  readonly session_argument?: string;
}

/** Of a function or an action: the role may call it. */
interface RolePermission extends Located {
  readonly role: string;
  readonly comment?: string;
}

// Remote schemas

export interface RemoteSchema extends Located {
  readonly name: string;
  readonly definition: RemoteSchemaDefinition;
  readonly comment?: string;
  readonly permissions: readonly RemoteSchemaPermission[];
  readonly remote_relationships: readonly RemoteSchemaTypeRelationships[];
}

export interface RemoteSchemaDefinition {
  readonly url: Address;
  /** Seconds; 60 unless given. */
  readonly timeout_seconds: number;
  readonly customization?: RemoteSchemaCustomization;
  readonly headers: readonly Header[];
  readonly forward_client_headers: boolean;
}

export interface RemoteSchemaCustomization {
  readonly root_fields_namespace?: string;
  readonly type_names?: {
    readonly prefix?: string;
    readonly suffix?: string;
    readonly mapping: Readonly<Record<string, string>>;
  };
  readonly field_names: readonly {
    readonly parent_type: string;
    readonly prefix?: string;
    readonly suffix?: string;
    readonly mapping: Readonly<Record<string, string>>;
  }[];
}

export interface RemoteSchemaPermission extends Located {
  readonly role: string;
  /** The part of the remote schema that the role sees, as SDL. */
  readonly definition: { readonly schema: string };
  readonly comment?: string;
}

export interface RemoteSchemaTypeRelationships extends Located {
  readonly type_name: string;
  readonly relationships: readonly RemoteRelationship[];
}

// Query collections, allow-list, REST endpoints

export interface QueryCollection extends Located {
  readonly name: string;
  readonly definition: { readonly queries: readonly CollectionQuery[] };
  readonly comment?: string;
}

export interface CollectionQuery {
  readonly name: string;
  readonly query: string;
}

export interface AllowlistEntry extends Located {
  readonly collection: string;
  readonly scope: AllowlistScope;
}

export type AllowlistScope =
  | { readonly global: true }
  | { readonly global: false; readonly roles: readonly string[] };

export interface RestEndpoint extends Located {
  readonly name: string;
  readonly url: string;
  readonly methods: readonly RestMethod[];
  readonly definition: { readonly query: { readonly collection_name: string; readonly query_name: string } };
  readonly comment?: string;
}

export type RestMethod = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';

// Actions and their types

export interface Action extends Located {
  readonly name: string;
  readonly definition: ActionDefinition;
  readonly comment?: string;
  readonly permissions: readonly RolePermission[];
}

export interface ActionDefinition {
  /** May hold `{{NAME}}` for environment variables. */
  readonly handler: string;
  /** A GraphQL type, e.g. `[Result!]!`. */
  readonly output_type: string;
  readonly type: 'query' | 'mutation';
  /** Queries are always synchronous. */
  readonly kind: 'synchronous' | 'asynchronous';
  readonly arguments: readonly ActionArgument[];
  readonly headers: readonly Header[];
  readonly forward_client_headers: boolean;
  readonly ignored_client_headers?: readonly string[];
  /** Seconds; 30 unless given. */
  readonly timeout: number;
  readonly request_transform?: JsonObject;
  readonly response_transform?: JsonObject;
}

export interface ActionArgument {
  readonly name: string;
  readonly type: string;
  readonly description?: string;
}

export interface CustomTypes extends Located {
  readonly input_objects: readonly CustomInputObject[];
  readonly objects: readonly CustomObject[];
  readonly scalars: readonly CustomScalar[];
  readonly enums: readonly CustomEnum[];
}

/** A field of an object or input object; `type` is a GraphQL type, e.g. `[String!]`. */
export interface CustomField {
  readonly name: string;
  readonly type: string;
  readonly description?: string;
}

export interface CustomInputObject extends Located {
  readonly name: string;
  readonly fields: readonly CustomField[];
  readonly description?: string;
}

export interface CustomObject extends Located {
  readonly name: string;
  readonly fields: readonly CustomField[];
  readonly description?: string;
  readonly relationships: readonly CustomObjectRelationship[];
}

export interface CustomObjectRelationship {
  readonly name: string;
  readonly type: 'object' | 'array';
  readonly source: string;
  readonly remote_table: QualifiedName;
  /** Field of the object → column of the table. */
  readonly field_mapping: Readonly<Record<string, string>>;
}

export interface CustomScalar extends Located {
  readonly name: string;
  readonly description?: string;
}

export interface CustomEnum extends Located {
  readonly name: string;
  readonly values: readonly CustomEnumValue[];
  readonly description?: string;
}

export interface CustomEnumValue {
  readonly value: string;
  readonly description?: string;
  readonly is_deprecated?: boolean;
}

// Cron triggers

export interface CronTrigger extends Located {
  readonly name: string;
  readonly webhook: string;
  /** Five cron fields, UTC. */
  readonly schedule: string;
  /** False: stored, never exported. */
  readonly include_in_metadata: boolean;
  readonly payload?: Json;
  readonly retry_conf: ScheduledRetryConfiguration;
  readonly headers: readonly Header[];
  readonly comment?: string;
  readonly request_transform?: JsonObject;
  readonly response_transform?: JsonObject;
}

/** Times in seconds. */
export interface ScheduledRetryConfiguration {
  readonly num_retries: number;
  readonly retry_interval_seconds: number;
  readonly timeout_seconds: number;
  readonly tolerance_seconds: number;
}

// Roles, limits, the rest

export interface InheritedRole extends Located {
  readonly role_name: string;
  readonly role_set: readonly string[];
}

export interface MetricsConfig {
  readonly analyze_query_variables: boolean;
  readonly analyze_response_body: boolean;
}

export interface TlsAllowlistEntry {
  readonly host: string;
  readonly suffix?: string;
  readonly permissions?: readonly string[];
}
