/** The server's options: type, default and help of each. Command line, environment, `--help` and docs/configuration.md are made from them. */

import { isObject } from '../core/json/json.ts';
import { MAX_SECONDS } from '../core/max-timer.ts';
import type { NamingConvention } from '../core/names.ts';
import { CANONICAL, Vocabulary } from '../core/vocabulary.ts';
import type { JsonObject } from '../metadata/metadata.ts';
import {
  type JwtConfiguration,
  readJwtConfiguration,
  readJwtConfigurations,
} from '../session/jwt/configuration.ts';
import { origins } from './origins.ts';
import {
  boolean,
  choice,
  choices,
  integer,
  json,
  list,
  milliseconds,
  type OptionValue,
  optionalText,
  optionalUrl,
  positiveSeconds,
  seconds,
  secret,
  secretList,
  targets,
  text,
  wholeSeconds,
  workers,
} from './values.ts';

/** One option; its name and variable follow from its key in `optionsIn` unless given. */
export interface Option<Value = unknown> {
  readonly type: OptionValue<Value>;
  readonly default: Value;
  /** One line. */
  readonly help: string;
  /** Suffix of the variable `ENGINE_GRAPHQL_…` where it is not the name in capitals. */
  readonly variable?: string;
  /** Environment only. */
  readonly variableOnly?: true;
}

function option<Value>(
  type: OptionValue<Value>,
  defaultValue: Value,
  help: Option['help'],
  more: Pick<Option, 'variable' | 'variableOnly'> = {},
): Option<Value> {
  return { type, default: defaultValue, help, ...more };
}

const LOG_TYPES = [
  'startup',
  'http-log',
  'webhook-log',
  'websocket-log',
  'jwk-refresh-log',
  'query-log',
  'execution-log',
  'livequery-poller-log',
  'action-handler-log',
  'validate-insert-input-log',
] as const;
export type LogType = (typeof LOG_TYPES)[number];

/** So that PostgreSQL has a moment that many days ago. */
const MAX_DAYS = Math.floor(MAX_SECONDS / 86_400);

const APIS = ['metadata', 'graphql', 'pgdump', 'config', 'developer', 'metrics'] as const;

/** `engine-default` is written with the vocabulary's word. */
function namingConvention(vocabulary: Vocabulary): OptionValue<NamingConvention> {
  const written = choice(vocabulary.defaultNaming, 'graphql-default');
  return {
    placeholder: written.placeholder,
    parse: (value) => (written.parse(value) === 'graphql-default' ? 'graphql-default' : 'engine-default'),
    write: (value) => vocabulary.naming(value),
  };
}

const word: OptionValue<Vocabulary> = {
  placeholder: 'WORD',
  parse: (value) => new Vocabulary(value),
  write: (value) => value.word,
};

/** Every option, in the order of docs/configuration.md. @param vocabulary in which values and help are written */
export function optionsIn(vocabulary: Vocabulary) {
  return {
    databaseUrl: option(optionalText, undefined, 'connection string of the source "default"'),
    metadataDatabaseUrl: option(
      optionalText,
      undefined,
      'connection string of the database that holds the metadata (schema engine_catalog); default: database-url',
    ),
    vocabulary: option(
      word,
      CANONICAL,
      'word in headers, variables, settings, metrics and metadata: x-WORD-role, WORD_GRAPHQL_…; see docs/migrate.md',
    ),
    retries: option(
      integer(0) as OptionValue<number | undefined>,
      undefined,
      'connection retries at start; default: until the metadata database can be reached',
      { variable: 'NO_OF_RETRIES' },
    ),
    serverHost: option(
      optionalText,
      undefined,
      'address to listen on; * is every address; default: * with an admin secret, this machine only without one',
    ),
    insecure: option(
      boolean,
      false,
      'without an admin secret: let server-host be an address that other machines reach',
    ),
    refuseForeignPages: option(
      boolean,
      false,
      'without an admin secret: answer no page of another site that a browser on this machine has open, unless cors-domain names it (engine dev: true)',
    ),
    workers: option(
      workers,
      1,
      'processes that answer requests at one port, auto: as many as there are processors; connections, max-concurrent-requests and max-waiting-operations are divided among them (engine dev: always 1)',
    ),
    serverPort: option(integer(0, 65535), 8080, 'port to listen on; 0 takes a free one'),
    connections: option(integer(1), 50, 'maximum number of connections to each source', {
      variable: 'PG_CONNECTIONS',
    }),
    timeout: option(seconds, 180, 'seconds that a pooled connection may stay idle', {
      variable: 'PG_TIMEOUT',
    }),
    connLifetime: option(seconds, 600, 'maximum age of a connection in seconds; 0 = unlimited', {
      variable: 'PG_CONN_LIFETIME',
    }),
    poolTimeout: option<number | undefined>(
      seconds,
      undefined,
      'maximum seconds to wait for a free connection; default: unlimited',
      {
        variable: 'PG_POOL_TIMEOUT',
      },
    ),
    stripes: option(integer(1), 1, 'accepted for compatibility, without effect', { variable: 'PG_STRIPES' }),
    usePreparedStatements: option(boolean, true, 'keep statements prepared on their connections'),
    replicaMaxLag: option(
      seconds,
      5,
      'seconds that a read replica may be late; later ones get no reads until they have caught up',
    ),
    readYourWrites: option(
      choice('off', 'header', 'cookie'),
      'off',
      `how reads of a client see its earlier writes although read replicas answer them: the header ${vocabulary.prefix}lsn of an answer, which it sends back, or a cookie`,
    ),
    txIso: option(
      choice('read-committed', 'repeatable-read', 'serializable'),
      'read-committed',
      'isolation level of transactions',
      { variable: 'TX_ISOLATION' },
    ),
    adminSecret: option(
      secret,
      undefined,
      `requests with this value in the header ${vocabulary.prefix}admin-secret may use every role`,
    ),
    adminSecrets: option(
      json<readonly string[] | undefined>(secretList),
      undefined,
      'JSON array of admin secrets; replaces admin-secret',
      { variableOnly: true },
    ),
    accessKey: option(secret, undefined, 'deprecated name of admin-secret'),
    authHook: option(optionalUrl, undefined, 'URL of the authentication webhook'),
    authHookMode: option(choice('GET', 'POST'), 'GET', 'method of the authentication webhook'),
    authHookSendRequestBody: option(boolean, true, 'send the request body to a POST webhook'),
    authHookTimeout: option(
      positiveSeconds,
      10,
      'seconds until the authentication webhook must have answered',
    ),
    jwtSecret: option(
      json<JwtConfiguration | undefined>((value) => readJwtConfiguration(value, vocabulary)),
      undefined,
      'JSON configuration of JWT authentication',
    ),
    jwtSecrets: option(
      json<readonly JwtConfiguration[] | undefined>((value) => readJwtConfigurations(value, vocabulary)),
      undefined,
      'JSON array of JWT configurations; replaces jwt-secret',
      { variableOnly: true },
    ),
    unauthorizedRole: option(optionalText, undefined, 'role of requests without credentials'),
    dropUnauthorizedSessionVariables: option(
      boolean,
      false,
      `ignore ${vocabulary.prefix}* headers of requests in the unauthorized role`,
    ),
    corsDomain: option(
      origins,
      ['*'],
      'allowed origins for browsers: *, or origins as browsers send them, such as https://*.example.com, http://[::1]:3000 or capacitor://localhost',
    ),
    disableCors: option(boolean, false, 'send no CORS headers'),
    wsReadCookie: option(boolean, false, 'read cookies on websockets although CORS is disabled'),
    enableConsole: option(
      boolean,
      false,
      'serve a console at /console: permissions, rows as a role, health, events, operations (needs the metadata API)',
    ),
    consoleMode: option(
      choice('read', 'write'),
      'read',
      'read: the console changes nothing; write: it has buttons that call the metadata API, and forms that change rows as a role',
    ),
    consoleAssetsDir: option(
      optionalText,
      undefined,
      'accepted for compatibility; the console brings its files',
    ),
    enableTelemetry: option(boolean, false, 'accepted for compatibility; this server sends no telemetry'),
    stringifyNumericTypes: option(boolean, false, 'bigint, numeric and double precision as JSON strings'),
    v1BooleanNullCollapse: option(boolean, false, 'evaluate {column: {_eq: null}} as true'),
    nullInNonnullableVariables: option(boolean, false, 'accept null for variables that must not be null', {
      variable: 'BACKWARDS_COMPAT_NULL_IN_NONNULLABLE_VARIABLES',
    }),
    queryTags: option(
      boolean,
      false,
      'append a comment to the SQL of requests: root fields, operation name and role',
    ),
    remoteSchemaSkipNulls: option(boolean, false, 'leave nulls out of arguments of remote schemas'),
    remoteSchemaPrioritizeData: option(boolean, false, "return a remote schema's data even if it has errors"),
    remoteSchemasDir: option(
      optionalText,
      undefined,
      'folder of locks that engine remote lock wrote; a locked remote schema is served as its lock has it',
    ),
    configuredHeaderPrecedence: option(boolean, false, 'configured headers override those of the client'),
    outgoingAllow: option(
      targets,
      [],
      'targets of outgoing calls (webhooks, JWK sets, actions, remote schemas): host names, *.domain, addresses or CIDR blocks; empty allows every target that outgoing-deny does not name',
    ),
    outgoingDeny: option(
      targets,
      [],
      'targets that outgoing calls never reach, in the same forms; link-local and cloud metadata addresses are always refused',
    ),
    enabledApis: option(
      choices(APIS),
      ['metadata', 'graphql', 'pgdump', 'config'],
      `APIs that are served: ${APIS.join(', ')}`,
    ),
    liveQueriesMultiplexedRefetchInterval: option(
      milliseconds(1),
      1000,
      'milliseconds between polls of live queries',
    ),
    liveQueriesMultiplexedBatchSize: option(integer(1), 100, 'subscribers per SQL call of live queries'),
    streamingQueriesMultiplexedRefetchInterval: option(
      milliseconds(1),
      1000,
      'milliseconds between polls of streams',
    ),
    streamingQueriesMultiplexedBatchSize: option(integer(1), 100, 'subscribers per SQL call of streams'),
    enableAllowlist: option(boolean, false, 'run only operations of the allow-list'),
    onlySavedOperations: option(
      boolean,
      false,
      'allow roles other than admin only the operations of query collections, by hash, name or exact text',
    ),
    metricsSecret: option(
      secret,
      undefined,
      'bearer token required for /v1/metrics; default: admin requests only',
    ),
    metricsEnableHighCardinalityLabels: option(
      boolean,
      false,
      'label metrics with operation names and hashes, which clients choose',
    ),
    enabledLogTypes: option(
      choices(LOG_TYPES),
      ['startup', 'http-log', 'webhook-log', 'websocket-log', 'jwk-refresh-log'],
      `log types that are written: ${LOG_TYPES.join(', ')}`,
    ),
    logLevel: option(choice('debug', 'info', 'warn', 'error'), 'info', 'minimum level that is written'),
    devMode: option(boolean, false, 'show error details to every role'),
    graphiql: option<boolean | undefined>(
      boolean,
      undefined,
      'serve a query page at /graphiql (not by an artefact); default: the value of dev-mode',
    ),
    adminInternalErrors: option(boolean, true, 'show error details to the role admin'),
    enableRelay: option(boolean, true, 'serve /v1beta1/relay'),
    eventsHttpPoolSize: option(integer(1), 100, 'concurrent event calls'),
    eventsFetchInterval: option(milliseconds(0), 1000, 'milliseconds between fetches of events'),
    eventsFetchBatchSize: option(integer(0), 100, 'events per fetch; 0 = none are delivered'),
    asyncActionsFetchInterval: option(
      milliseconds(0),
      1000,
      'milliseconds between fetches of asynchronous actions; 0 = off',
    ),
    asyncActionsFetchBatchSize: option(integer(1), 10, 'asynchronous actions per fetch'),
    asyncActionsRetention: option(
      integer(0, MAX_DAYS),
      0,
      'days that ended calls of asynchronous actions are kept; 0 = until their action is dropped',
    ),
    asyncActionsCompletionUrl: option(
      optionalUrl,
      undefined,
      'address of this server as handlers reach it; with it they may answer 202 and complete asynchronous actions later',
    ),
    asyncActionsCompletionTimeout: option(
      integer(1, MAX_SECONDS),
      86_400,
      'seconds that handlers have to complete asynchronous actions',
    ),
    disableEventing: option(
      boolean,
      false,
      'leave events, schedules and asynchronous actions to other instances',
    ),
    enableRemoteSchemaPermissions: option(boolean, false, 'permissions on remote schemas'),
    inferFunctionPermissions: option(
      boolean,
      true,
      'allow functions to the roles that may select from the returned table',
    ),
    restrictAggregateOrder: option(
      boolean,
      false,
      'order by aggregates of related rows only where allow_aggregations lets the role aggregate them',
    ),
    websocketCompression: option(boolean, false, 'permessage-deflate on websockets', {
      variable: 'CONNECTION_COMPRESSION',
    }),
    websocketKeepalive: option(wholeSeconds(1), 5, 'seconds between keep-alive messages'),
    websocketConnectionInitTimeout: option(wholeSeconds(1), 3, 'seconds for connection_init to arrive'),
    websocketMaxOperations: option(
      integer(0),
      10_000,
      'maximum operations at once on a websocket, subscriptions included; 0 = unlimited',
    ),
    maxSubscriptionsPerRole: option(
      integer(0),
      100_000,
      'maximum subscriptions at once of a role, over all its sockets; 0 = unlimited',
    ),
    maxSubscriptionsPerSession: option(
      integer(0),
      10_000,
      'maximum subscriptions at once of all sockets whose role and session variables are equal; 0 = unlimited',
    ),
    closeWebsocketsOnMetadataChange: option(
      boolean,
      false,
      'close websockets with status 1012 when what is served changes, so that clients connect anew; otherwise they are kept, and their subscriptions planned anew',
    ),
    disableCloseWebsocketsOnMetadataChange: option(
      boolean,
      false,
      'keep websockets whatever close-websockets-on-metadata-change says',
    ),
    schemaSyncPollInterval: option(
      milliseconds(0),
      1000,
      'milliseconds between checks for changes by other instances; 0 = off',
    ),
    gracefulShutdownTimeout: option(
      wholeSeconds(0),
      60,
      'seconds that running requests have to finish when the server stops',
    ),
    shutdownDelay: option(
      seconds,
      0,
      'seconds between the signal to stop, from which on /readyz answers 503, and the end of accepting requests',
    ),
    requiredSources: option(list, [], 'sources without which /readyz answers 503'),
    serverTimeout: option(wholeSeconds(1), 30, 'seconds that a client connection may stay idle'),
    requestHeaderTimeout: option(
      wholeSeconds(1),
      10,
      'seconds for the headers of a request to arrive; slower clients get status 408',
    ),
    requestTimeout: option(
      wholeSeconds(1),
      60,
      'seconds for a whole request to arrive, its body included; slower clients get status 408',
    ),
    maxConnectionsPerAddress: option(
      integer(0),
      0,
      'maximum open client connections per address, websockets included; 0 = unlimited; behind a proxy the address is that of the proxy',
    ),
    maxConcurrentRequests: option(
      integer(0),
      2000,
      'maximum requests that are answered at once, probes aside; others get status 503 at once; 0 = unlimited',
    ),
    maxWaitingOperations: option(
      integer(0),
      500,
      'maximum operations that wait for a connection to one source; others get status 503 at once; 0 = unlimited',
    ),
    maxTotalHeaderLength: option(
      integer(1024, 2 ** 31 - 1),
      1024 * 1024,
      'maximum bytes of request headers; larger requests get status 431',
    ),
    maxRequestBodySize: option(
      integer(1),
      100 * 1024 * 1024,
      'maximum bytes of a request body; larger requests get status 413',
    ),
    cacheMemory: option(
      integer(1),
      64,
      'megabytes for all that requests leave behind: parsed operations, plans, texts, introspection, verified tokens',
    ),
    responseCache: option(
      integer(0),
      0,
      'megabytes, beside cache-memory, for answers of queries with @cached; a change that concerns an answer drops it; 0 = none are kept; see docs/response-cache.md',
    ),
    experimentalFeatures: option(
      list,
      [],
      'features to enable: naming_convention, early_naming_convention, hide_aggregation_predicates, hide_update_many_fields, no_null_unbound_variable_default, disable_postgres_arrays, apollo_federation, and the extensions group_by, computed_field_aggregates and nested_updates; others are accepted without effect',
    ),
    defaultNamingConvention: option(
      namingConvention(vocabulary),
      'engine-default',
      'convention for derived GraphQL names',
    ),
    metadataDatabaseExtensionsSchema: option(
      text,
      'public',
      'accepted for compatibility; the metadata tables need no extension',
    ),
    metadataDefaults: option(
      json<JsonObject>((value) => {
        if (isObject(value)) return value as JsonObject;
        throw new Error('expected an object with parts of the metadata');
      }),
      {},
      'JSON, metadata of version 3 that a new metadata database begins with, beside the source of database-url',
    ),
    enableApolloFederation: option(
      boolean,
      false,
      'serve _service and _entities, for a gateway that joins this API to others; the experimental feature apollo_federation is the same',
    ),
    enablePersistedQueries: option(
      boolean,
      false,
      'automatic persisted queries: clients register documents by their hash',
    ),
    persistedQueriesTtl: option(
      wholeSeconds(1),
      5,
      'seconds that a registered query is kept after its last use',
    ),
    enableMetadataQueryLogging: option(boolean, false, 'log whole metadata requests in http-log'),
    httpLogQueryOnlyOnError: option(boolean, false, 'log queries in http-log only when they fail'),
    logMaskedVariables: option(list, [], 'names of GraphQL variables whose values are not logged'),
    slowQueryThreshold: option<number | undefined>(
      seconds as OptionValue<number | undefined>,
      undefined,
      'log operations that take longer than this many seconds as slow-query, with their SQL; default: off',
    ),
    enableTriggersErrorLogLevel: option(
      boolean,
      false,
      'log failed calls of triggers as errors instead of warnings',
    ),
    tracingSampleRatio: option<number>(
      {
        placeholder: 'NUMBER',
        parse: (value) => {
          const ratio = Number(value);
          if (value.trim() !== '' && ratio >= 0 && ratio <= 1) return ratio;
          throw new Error(`expected a number from 0 to 1, got ${JSON.stringify(value)}`);
        },
      },
      1,
      'share of requests that are traced where their callers have not decided; see docs/metrics.md',
    ),
    traceSqlQuery: option(boolean, false, 'put the SQL of statements into traces, without their values', {
      variable: 'ENABLE_QUERY_TRACING',
    }),
    preserve401Errors: option(boolean, false, 'answer with status 401 on /v1/graphql, too'),
    enableMaintenanceMode: option(
      boolean,
      false,
      'refuse changes of the metadata and run_sql that may write; requests are served',
    ),
    dynamicSecretsAllowedPathPrefix: option(
      optionalText,
      undefined,
      'folder below which connection strings may be read from files',
    ),
  } as const satisfies Record<string, Option<never> | Option>;
}
