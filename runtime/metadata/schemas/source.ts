import { z } from 'zod';
import type {
  ConnectionInfo,
  ConnectionParameters,
  DatabaseUrl,
  FromEnvironment,
  Json,
  PoolSettings,
  SourceConfiguration,
  SourceCustomization,
  SslConfiguration,
} from '../metadata.ts';
import {
  choose,
  flag,
  fromEnvironmentSchema,
  graphqlNameSchema,
  integer,
  json,
  nameSchema,
  naturalNumber,
  nonEmptyList,
  object,
  objectAs,
  oneOf,
  optional,
  text,
  withDefault,
} from './shared.ts';

const connectionParameters = object<ConnectionParameters>({
  host: text,
  port: integer,
  username: text,
  database: text,
  password: optional(text),
});

interface RawDatabaseUrl {
  from_env?: string;
  dynamic_from_file?: string;
  connection_parameters?: ConnectionParameters;
}

const databaseUrl = choose<DatabaseUrl>((input) =>
  typeof input === 'string'
    ? text.transform((template) => ({ kind: 'template', template }))
    : objectAs<RawDatabaseUrl, DatabaseUrl>(
        {
          from_env: optional(nameSchema),
          dynamic_from_file: optional(nameSchema),
          connection_parameters: optional(connectionParameters),
        },
        ({ from_env, dynamic_from_file, connection_parameters }, fail) => {
          const given = [from_env, dynamic_from_file, connection_parameters].filter(
            (form) => form !== undefined,
          );
          if (given.length !== 1) {
            fail('exactly one of from_env, dynamic_from_file, connection_parameters should be present');
          }
          if (connection_parameters !== undefined)
            return { kind: 'parameters', parameters: connection_parameters };
          if (dynamic_from_file !== undefined) return { kind: 'file', file: dynamic_from_file };
          return { kind: 'environment', variable: from_env ?? '' };
        },
      ),
);

/** A pool without a connection would keep everyone waiting for ever. */
const poolSize = z.int().min(1);
const seconds = z.number().min(0);

const poolSettings = object<PoolSettings>({
  max_connections: optional<number>(poolSize),
  total_max_connections: optional<number>(poolSize),
  idle_timeout: optional<number>(seconds),
  retries: optional(naturalNumber),
  pool_timeout: optional<number>(seconds),
  connection_lifetime: optional<number>(seconds),
});

const optionalVariable = optional<FromEnvironment>(fromEnvironmentSchema);

const sslConfiguration = object<SslConfiguration>({
  sslmode: oneOf('disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'),
  sslrootcert: optionalVariable,
  sslcert: optionalVariable,
  sslkey: optionalVariable,
  sslpassword: optionalVariable,
});

const connectionInfo = object<ConnectionInfo>({
  database_url: databaseUrl,
  pool_settings: optional(poolSettings),
  use_prepared_statements: optional(flag),
  isolation_level: withDefault<ConnectionInfo['isolation_level']>(
    oneOf('read-committed', 'repeatable-read', 'serializable'),
    'read-committed',
  ),
  ssl_configuration: optional(sslConfiguration),
});

export const sourceConfigurationSchema = object<SourceConfiguration>({
  connection_info: connectionInfo,
  read_replicas: optional(nonEmptyList(connectionInfo)),
  extensions_schema: withDefault(nameSchema, 'public'),
});

const optionalName = optional(graphqlNameSchema);

export const sourceCustomizationSchema = object<SourceCustomization>({
  root_fields: optional(
    object<NonNullable<SourceCustomization['root_fields']>>({
      namespace: optionalName,
      prefix: optionalName,
      suffix: optionalName,
    }),
  ),
  type_names: optional(
    object<NonNullable<SourceCustomization['type_names']>>({ prefix: optionalName, suffix: optionalName }),
  ),
  naming_convention: optional(oneOf('engine-default', 'graphql-default')),
});

export interface SourceHead {
  readonly name: string;
  readonly kind: string;
  readonly configuration: SourceConfiguration;
  readonly customization?: SourceCustomization;
  readonly native_queries?: Json;
  readonly stored_procedures?: Json;
  readonly logical_models?: Json;
  readonly query_tags?: Json;
  readonly health_check?: Json;
}

/** A source entry without its tables and functions. */
export const sourceHeadSchema = object<SourceHead>({
  name: nameSchema,
  kind: withDefault(text, 'postgres'),
  configuration: sourceConfigurationSchema,
  customization: optional(sourceCustomizationSchema),
  native_queries: optional(json),
  stored_procedures: optional(json),
  logical_models: optional(json),
  query_tags: optional(json),
  health_check: optional(json),
});
