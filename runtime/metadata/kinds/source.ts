import { diagnostics as messages } from '../../core/diagnostics/catalogue.ts';
import type { Located } from '../../core/json/json.ts';
import { MAX_TIMER_SECONDS } from '../../core/max-timer.ts';
import type { NamingConvention } from '../../core/names.ts';
import { vocabulary } from '../../core/vocabulary.ts';
import { type Codec, INVALID, type TypeOf } from '../codec.ts';
import {
  choose,
  convert,
  namesInside,
  nonEmptyList,
  type ObjectCodec,
  object,
  optional,
  printedDefault,
  sorted,
  withDefault,
  withNames,
} from '../combinators.ts';
import { keyedEntries, requiredEntries } from '../entries.ts';
import {
  boolean,
  graphqlName,
  integerFrom,
  json,
  name,
  naturalNumber,
  numberFrom,
  oneOf,
  text,
} from '../values.ts';
import { functionEntries } from './function.ts';
import { fromEnvironment } from './shared.ts';
import { tableEntries } from './table.ts';

export type ConnectionParameters = TypeOf<typeof connectionParameters>;
const connectionParameters = object({
  host: text,
  port: integerFrom(1, 65_535),
  username: text,
  database: text,
  password: optional(text),
});

export type DatabaseUrl =
  /** A connection string; `{{NAME}}` in it is replaced by an environment variable. */
  | { readonly kind: 'template'; readonly template: string }
  | { readonly kind: 'environment'; readonly variable: string }
  /** A file holding the connection string, read again before each connect. */
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'parameters'; readonly parameters: ConnectionParameters };

const urlTemplate: Codec<DatabaseUrl> = convert(text, {
  read: (template) => ({ kind: 'template', template }),
  write: (url) => (url.kind === 'template' ? url.template : ''),
});

const urlObject: Codec<DatabaseUrl> = convert(
  object({
    from_env: optional(name),
    dynamic_from_file: optional(name),
    connection_parameters: optional(connectionParameters),
  }),
  {
    read: ({ from_env, dynamic_from_file, connection_parameters }, fail): DatabaseUrl => {
      const given = [from_env, dynamic_from_file, connection_parameters].filter((form) => form !== undefined);
      if (given.length !== 1) {
        fail('exactly one of from_env, dynamic_from_file, connection_parameters should be present');
      }
      if (connection_parameters !== undefined)
        return { kind: 'parameters', parameters: connection_parameters };
      if (dynamic_from_file !== undefined) return { kind: 'file', file: dynamic_from_file };
      return { kind: 'environment', variable: from_env ?? '' };
    },
    write: (url) => {
      switch (url.kind) {
        case 'environment':
          return { from_env: url.variable };
        case 'file':
          return { dynamic_from_file: url.file };
        case 'parameters':
          return { connection_parameters: url.parameters };
        case 'template':
          return {};
      }
    },
  },
);

const databaseUrl = choose<DatabaseUrl>(
  (input) => (typeof input === 'string' ? urlTemplate : urlObject),
  ({ kind }) => (kind === 'template' ? urlTemplate : urlObject),
);

/** A pool without a connection would keep everyone waiting for ever. */
const poolSize = optional(integerFrom(1));
const seconds = optional(numberFrom(0));

/** Times in seconds. */
export type PoolSettings = TypeOf<typeof poolSettings>;
const poolSettings = object({
  max_connections: poolSize,
  total_max_connections: poolSize,
  idle_timeout: seconds,
  retries: optional(naturalNumber),
  pool_timeout: seconds,
  connection_lifetime: seconds,
});

const variable = optional(fromEnvironment);

export type SslConfiguration = TypeOf<typeof sslConfiguration>;
const sslConfiguration = object({
  sslmode: oneOf('disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'),
  sslrootcert: variable,
  sslcert: variable,
  sslkey: variable,
  sslpassword: variable,
});

export type ConnectionInfo = TypeOf<typeof connectionInfo>;
const connectionInfo = object({
  database_url: databaseUrl,
  isolation_level: printedDefault<'read-committed' | 'repeatable-read' | 'serializable'>(
    oneOf('read-committed', 'repeatable-read', 'serializable'),
    'read-committed',
  ),
  pool_settings: optional(sorted(poolSettings)),
  ssl_configuration: optional(sslConfiguration),
  /** Absent or `false`: the server's option decides. Exported only if given. */
  use_prepared_statements: optional(boolean),
});

/** How changes of data reach live queries and streams. */
const liveQueries = object({
  /** Servers install the triggers that record writes. */
  record_writes: optional(boolean),
  /** Maximum seconds that rows of streams wait for older transactions. */
  stream_horizon: optional(numberFrom(0)),
});

export type SourceConfiguration = TypeOf<typeof sourceConfiguration>;
export const sourceConfiguration = object({
  connection_info: connectionInfo,
  read_replicas: optional(nonEmptyList(connectionInfo)),
  /** Schema that extensions are created in; `public` unless given. */
  extensions_schema: withDefault(name, 'public'),
  live_queries: optional(sorted(liveQueries)),
});

/** Times in seconds. */
export type HealthCheck = TypeOf<typeof healthCheck>;
export const healthCheck = object({
  test: optional(object({ sql: text })),
  interval: optional(numberFrom(1, MAX_TIMER_SECONDS)),
  retries: optional(naturalNumber),
  retry_interval: optional(numberFrom(0, MAX_TIMER_SECONDS)),
  timeout: optional(numberFrom(1, MAX_TIMER_SECONDS)),
});

const optionalName = optional(graphqlName);

/** `engine-default` is written with the vocabulary's word. */
const namingConvention: Codec<NamingConvention> = {
  ...oneOf('engine-default', 'graphql-default'),
  read: (input, reading) => {
    const { defaultNaming } = vocabulary();
    const found = oneOf(defaultNaming, 'graphql-default').read(input, reading);
    return found === defaultNaming ? 'engine-default' : (found as NamingConvention);
  },
  write: (given) => vocabulary().naming(given),
};

export type SourceCustomization = TypeOf<typeof sourceCustomization>;
export const sourceCustomization = sorted(
  object({
    root_fields: optional(object({ namespace: optionalName, prefix: optionalName, suffix: optionalName })),
    type_names: optional(object({ prefix: optionalName, suffix: optionalName })),
    naming_convention: optional(namingConvention),
  }),
);

const fields = {
  name: withNames(name, (given, walk) => walk.source(given)),
  kind: printedDefault(text, 'postgres'),
  tables: requiredEntries(tableEntries),
  functions: functionEntries,
  /** Kept as given, without effect; so are the others of type JSON. */
  native_queries: optional(json),
  stored_procedures: optional(json),
  logical_models: optional(json),
  configuration: sourceConfiguration,
  query_tags: optional(json),
  customization: optional(sourceCustomization),
  health_check: optional(healthCheck),
};

const anySource = namesInside(object(fields), ({ name: source }) => ({ source }));

/** An entry of the sources. One of another kind than Postgres is reported and left out. */
export const source: ObjectCodec<Omit<Source, 'path'>> = {
  ...(anySource as unknown as ObjectCodec<Omit<Source, 'path'>>),
  read(input, reading) {
    const value = anySource.read(input, reading);
    if (value === INVALID || value.kind === 'postgres') return value as Omit<Source, 'path'> | typeof INVALID;
    if (value.kind === 'pg') return { ...value, kind: 'postgres' };
    const unsupported = messages.sourceKindUnsupported({ source: value.name, kind: value.kind });
    reading.diagnostic(unsupported, [...reading.path, 'kind']);
    return INVALID;
  },
};

export type Source = Omit<TypeOf<typeof anySource>, 'kind'> & Located & { readonly kind: 'postgres' };

export const sources = requiredEntries(
  keyedEntries(source, {
    kind: 'sources',
    key: (entry) => entry.name,
    // The source `default` comes first.
    order: (entry) => (entry.name === 'default' ? '' : entry.name),
  }),
);
