import { messages } from '../../core/diagnostics/catalogue.ts';
import type { Located } from '../../core/json/json.ts';
import { MAX_TIMER_SECONDS } from '../../core/max-timer.ts';
import { CANONICAL } from '../../core/vocabulary.ts';
import { type Codec, INVALID, type TypeOf } from '../codec.ts';
import {
  choose,
  convert,
  extension,
  key,
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
import { logicalModels } from './logical-model.ts';
import { nativeQueries } from './native-query.ts';
import { fromEnvironment } from './shared.ts';
import { tableEntries } from './table.ts';

export type ConnectionParameters = TypeOf<typeof connectionParameters>;
const connectionParameters = object({
  host: key('Host of the server.', text),
  port: key('Its port.', integerFrom(1, 65_535)),
  username: key('Name of the user.', text),
  database: key('Name of the database.', text),
  password: key('Password of the user.', optional(text)),
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
    from_env: key('Environment variable that holds the address.', optional(name)),
    dynamic_from_file: key(
      'File that holds the address; it is read again before each connection.',
      optional(name),
    ),
    connection_parameters: key('The parts of the address.', optional(connectionParameters)),
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
const poolSize = integerFrom(1);
const seconds = numberFrom(0);

/** Times in seconds. */
export type SourcePoolSettings = TypeOf<typeof poolSettings>;
const poolSettings = object({
  max_connections: key(
    'Maximum connections of each server. Absent: the option `connections`.',
    optional(poolSize),
  ),
  total_max_connections: key('Kept, without effect: servers do not know each other.', optional(poolSize)),
  idle_timeout: key(
    'Seconds after which an unused connection is closed. Absent: the option `timeout`.',
    optional(seconds),
  ),
  retries: key(
    'Attempts to connect after the first one. Absent: 1, for replicas 0.',
    optional(naturalNumber),
  ),
  pool_timeout: key(
    'Seconds that a request waits for a connection. Absent: the option `pool-timeout`.',
    optional(seconds),
  ),
  connection_lifetime: key(
    'Seconds after which a connection is replaced. Absent: the option `conn-lifetime`.',
    optional(seconds),
  ),
});

const variable = (meaning: string) => key(meaning, optional(fromEnvironment));

export type SslConfiguration = TypeOf<typeof sslConfiguration>;
const sslConfiguration = object({
  sslmode: key(
    'As `sslmode` of libpq: see [TLS](tls.md).',
    oneOf('disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'),
  ),
  sslrootcert: variable('Certificate of the authority (PEM).'),
  sslcert: variable('Certificate of the client (PEM).'),
  sslkey: variable('Its key (PEM).'),
  sslpassword: variable('Password of that key.'),
});

export type ConnectionInfo = TypeOf<typeof connectionInfo>;
const connectionInfo = object(
  {
    database_url: key(
      'Address of the database: a text (`{{NAME}}` stands for an environment variable), or where it is.',
      databaseUrl,
    ),
    isolation_level: key(
      'Isolation of transactions.',
      printedDefault<'read-committed' | 'repeatable-read' | 'serializable'>(
        oneOf('read-committed', 'repeatable-read', 'serializable'),
        'read-committed',
      ),
    ),
    pool_settings: key('Connections that are kept open.', optional(sorted(poolSettings))),
    ssl_configuration: key('How TLS is used. Absent: as the address says.', optional(sslConfiguration)),
    use_prepared_statements: key(
      'Prepare statements. Absent or false: the option `use-prepared-statements` decides.',
      optional(boolean),
    ),
  },
  { title: 'Connection' },
);

/** How changes of data reach live queries and streams. */
const liveQueries = object({
  record_writes: key(
    'Servers install triggers that record which rows are written, so that less is read again.',
    optional(boolean),
  ),
  stream_horizon: key(
    'Maximum seconds that rows of streams wait for older transactions.',
    optional(numberFrom(0)),
  ),
});

export type SourceConfiguration = TypeOf<typeof sourceConfiguration>;
export const sourceConfiguration = object({
  connection_info: key('How the database is reached.', connectionInfo),
  read_replicas: key(
    'Replicas for queries outside of transactions: see [read replicas](replicas.md).',
    optional(nonEmptyList(connectionInfo)),
  ),
  extensions_schema: key('Schema that extensions are created in.', withDefault(name, 'public')),
  live_queries: extension(
    'How changes reach live queries: see [live queries](live-queries.md).',
    optional(sorted(liveQueries)),
  ),
});

/** Times in seconds. */
export type HealthCheck = TypeOf<typeof healthCheck>;
export const healthCheck = object({
  test: key(
    'The check. Absent: whether a connection can be made.',
    optional(object({ sql: key('A statement of SQL.', text) })),
  ),
  interval: key('Seconds between checks. Absent: 60.', optional(numberFrom(1, MAX_TIMER_SECONDS))),
  retries: key(
    'Failed checks in a row after the first one that make the source unwell. Absent: 3.',
    optional(naturalNumber),
  ),
  retry_interval: key('Seconds between these. Absent: 10.', optional(numberFrom(0, MAX_TIMER_SECONDS))),
  timeout: key(
    'Maximum duration of a check in seconds. Absent: 10.',
    optional(numberFrom(1, MAX_TIMER_SECONDS)),
  ),
});

/** `disabled` alone decides whether there are tags. */
export const queryTags = object({
  disabled: key('`true`: the SQL has no comment, whatever `--query-tags` says.', optional(boolean)),
  format: key(
    'How names and values are written, before or behind the statement. Absent: `standard`.',
    optional(oneOf('standard', 'standard_prepended', 'sqlcommenter')),
  ),
  omit_request_id: key(
    '`false` is kept, without effect: a statement with the identifier of its request would be prepared for each request.',
    optional(boolean),
  ),
});

const prefix = key('Put before each name.', optional(graphqlName));
const suffix = key('Put after each name.', optional(graphqlName));

/** `graphql-default`, or the default, which has the vocabulary's word: `engine-default`. */
const namingConvention: Codec<string> = {
  ...oneOf(CANONICAL.defaultNaming, 'graphql-default'),
  read: (input, reading) => oneOf(reading.vocabulary.defaultNaming, 'graphql-default').read(input, reading),
};

export type SourceCustomization = TypeOf<typeof sourceCustomization>;
export const sourceCustomization = sorted(
  object({
    root_fields: key(
      'Names of root fields.',
      optional(
        object({
          namespace: key('Field of the root types that holds all of the source.', optional(graphqlName)),
          prefix,
          suffix,
        }),
      ),
    ),
    type_names: key('Names of types.', optional(object({ prefix, suffix }))),
    naming_convention: key(
      '`graphql-default`: fields in camelCase, types in PascalCase. Absent: as in the database.',
      optional(namingConvention),
    ),
  }),
);

const withoutEffect = 'Kept, without effect.';
const fields = {
  name: key(
    'Name of the source; `default` where only one is expected.',
    withNames(name, (given, walk) => walk.source(given)),
  ),
  kind: key('`postgres` (or `pg`).', printedDefault(text, 'postgres')),
  tables: key('Tracked tables and views.', requiredEntries(tableEntries)),
  functions: key('Tracked functions.', functionEntries),
  native_queries: key('Root fields over SQL: see [native queries](native-queries.md).', nativeQueries),
  stored_procedures: key(withoutEffect, optional(json)),
  logical_models: key('Rows of native queries.', logicalModels),
  configuration: key('How the database is reached.', sourceConfiguration),
  query_tags: key('Comments in the SQL of requests. Absent: as `--query-tags` says.', optional(queryTags)),
  customization: key('Other names for everything in the source.', optional(sourceCustomization)),
  health_check: key('How probes see whether the database is well.', optional(healthCheck)),
};

const anySource = namesInside(object(fields, { title: 'Source' }), ({ name: source }) => ({ source }));

/** An entry of the sources. One of another kind than Postgres is reported and left out. */
export const sourceCodec: ObjectCodec<Omit<Source, 'path'>> = {
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
  keyedEntries(sourceCodec, {
    kind: 'sources',
    key: (entry) => entry.name,
    // The source `default` comes first.
    order: (entry) => (entry.name === 'default' ? '' : entry.name),
  }),
);
