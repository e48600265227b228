/**
 * Puts the server together and starts it. With metadata, the metadata API and the compiler are loaded on demand; a server
 * that hosts a compiled folder loads neither.
 */
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { createAsynchronous } from './actions/asynchronous.ts';
import type { FinishedCall } from './actions/call.ts';
import { actionCaller } from './actions/caller.ts';
import type { CountOperation, CurrentlyServed, Served } from './answer.ts';
import { type Configuration, jwtConfigurations, servingOptions } from './configuration.ts';
import { ACTION_CALLER } from './core/action/provider.ts';
import { EngineError } from './core/errors.ts';
import { MemoryBudget } from './core/memory/budget.ts';
import { linkProgram, type Program } from './core/program.ts';
import { REMOTE } from './core/remotes/remote-root.ts';
import { createPlanner, forgetOtherSchemas, type Planner } from './core/request/planner.ts';
import type { UnverifiedHost } from './core/settings.ts';
import type { SourceConnections } from './database/source.ts';
import { type CompiledCron, deliverCompiledCron } from './events/compiled-cron.ts';
import { createDelivery } from './events/delivery.ts';
import type { Callers, Execution } from './graphql/execution.ts';
import { createLimits, createRateCounter, type Limits, type RateCounter } from './graphql/limits.ts';
import { configEndpoints } from './http/config.ts';
import type { Endpoints } from './http/context.ts';
import { explainEndpoints } from './http/explain.ts';
import { graphqlEndpoints } from './http/graphql.ts';
import { healthEndpoints } from './http/health.ts';
import { metricsEndpoints } from './http/metrics.ts';
import { openApiEndpoints } from './http/openapi.ts';
import { restEndpoints } from './http/rest.ts';
import { createServer } from './http/server.ts';
import { openWaitingRoom, type WaitingRoom } from './http/waiting-room.ts';
import { subscriptionEndpoints } from './live/dev-endpoints.ts';
import { createLiveQueries } from './live/live-queries.ts';
import { readDetail } from './live/poller-log.ts';
import { socketEndpoints } from './live/sockets.ts';
import { createSubscriptions } from './live/subscriptions.ts';
import { createLogger } from './logger.ts';
import type { SourcePool } from './metrics/databases.ts';
import type { MetricsState } from './metrics/metrics.ts';
import type { Observation, Observer } from './observe.ts';
import { createOutgoing } from './outgoing/outgoing.ts';
import type { Host, HostContext } from './program/host.ts';
import { createLive } from './program/live.ts';
import type { MetadataThread } from './program/start-thread.ts';
import { createReadiness } from './readiness.ts';
import { createRemoteCaller } from './remote/caller.ts';
import { openApiDocument } from './saved/openapi.ts';
import { createRegisteredQueries } from './saved/registered.ts';
import { indexSaved } from './saved/saved.ts';
import { openAuthentication } from './session/authenticate.ts';
import { StartError } from './start-error.ts';
import { createTracing } from './tracing/tracing.ts';
import { createInputValidator } from './validation/validator.ts';
import { version } from './version.ts';

export interface ServerOptions {
  readonly configuration: Configuration;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Address of the compiler's module. Required to serve metadata; the runtime itself does not know the compiler. */
  readonly compiler?: string;
  /** Address of the module that answers the console's questions. Without it there is no console. */
  readonly review?: string;
  /** The metadata thread, if it was started beside the loading of this module. */
  readonly thread?: MetadataThread;
  /** Serves this compiled folder instead of metadata. */
  readonly generated?: {
    readonly directory: string;
    /** Source → connection string, in which `{{NAME}}` is replaced by an environment variable. */
    readonly sources: Readonly<Record<string, string>>;
    /** Serve files that are not as the compiler wrote them. */
    readonly allowEdited?: boolean;
  };
  /** Serves what this gives instead. */
  readonly openHost?: (context: HostContext) => Promise<Host>;
  /** Further endpoints. */
  readonly endpoints?: readonly Endpoints[];
  /** Standard output's logger unless given. */
  readonly observe?: Observer;
}

export interface RunningServer {
  readonly port: number;
  /** Finishes running requests, then closes every connection. */
  stop(): Promise<void>;
}

/**
 * Starts the server and returns when it listens.
 * @throws StartError, ConfigurationError or EngineError, whose messages are for the operator
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { configuration, environment } = options;
  const log = options.observe ?? createLogger(configuration);
  const metrics = configuration.enabledApis.includes('metrics')
    ? (await import('./metrics/metrics.ts')).createMetrics(configuration.metricsEnableHighCardinalityLabels)
    : undefined;
  const tracing = createTracing({
    ratio: configuration.tracingSampleRatio,
    environment,
    count: (outcome, spans) => metrics?.countSpans(outcome, spans),
    report: (message) => log({ kind: 'unstructured', level: 'error', message }),
  });
  const observe = observeAll(log, metrics ? [metrics.observe, tracing.observe] : [tracing.observe]);
  const count: CountOperation | undefined =
    metrics && ((operation) => metrics.observe({ kind: 'operation', ...operation }));
  observe({ kind: 'startup', step: 'server_configuration', info: describe(configuration) });

  const live = createLive<Served>();
  const rateCounter = createRateCounter();
  const memory = new MemoryBudget(configuration.cacheMemory * 1024 * 1024);
  const registered = configuration.enablePersistedQueries
    ? createRegisteredQueries(configuration.persistedQueriesTtl, memory)
    : undefined;
  const current: CurrentlyServed = () => {
    if (!live.current) throw new EngineError('unexpected', 'the server is starting', { status: 503 });
    return live.current;
  };
  const report = (error: unknown) => observe({ kind: 'unhandled-internal-error', error });
  const logsPolls = configuration.enabledLogTypes.includes('livequery-poller-log');
  const liveQueries = createLiveQueries({
    liveQueries: {
      interval: configuration.liveQueriesMultiplexedRefetchInterval,
      batchSize: configuration.liveQueriesMultiplexedBatchSize,
    },
    streams: {
      interval: configuration.streamingQueriesMultiplexedRefetchInterval,
      batchSize: configuration.streamingQueriesMultiplexedBatchSize,
    },
    missed: ({ source, role, text }) => observe({ kind: 'missed-signal', source, role, statement: text }),
    log:
      logsPolls || metrics
        ? (read) => {
            metrics?.observe({ kind: 'live-query-read', read });
            if (!logsPolls) return;
            const level = read.batches.some((batch) => batch.error !== undefined) ? 'error' : 'info';
            observe({ kind: 'live-query-poll', level, detail: readDetail(read) });
          }
        : undefined,
    report,
  });
  const subscriptions = createSubscriptions(liveQueries, current, report);
  const { outgoingAllow: allow, outgoingDeny: deny } = configuration;
  let unverified: readonly UnverifiedHost[] = [];
  const outgoing = createOutgoing({ allow, deny, unverified: () => unverified });
  const prioritizeData = configuration.remoteSchemaPrioritizeData;
  const calls = {
    send: outgoing.send,
    environment,
    configuredFirst: configuration.configuredHeaderPrecedence,
    observe: (call: FinishedCall) => observe({ kind: 'action', ...call }),
  };
  const inputValidator = createInputValidator({
    outgoing,
    environment,
    configuredFirst: configuration.configuredHeaderPrecedence,
    observe: (call) => observe({ kind: 'validate-input', ...call }),
  });
  // For what the server stores of its own.
  const databaseUrl = configuration.metadataDatabaseUrl ?? configuration.databaseUrl;
  const asynchronous = createAsynchronous({
    ...calls,
    databaseUrl,
    interval: configuration.disableEventing ? 0 : configuration.asyncActionsFetchInterval,
    watchInterval: configuration.liveQueriesMultiplexedRefetchInterval,
    batchSize: configuration.asyncActionsFetchBatchSize,
    retention: configuration.asyncActionsRetention,
    report: (message, error) => {
      const reason = error instanceof Error ? error.message : String(error);
      observe({ kind: 'unstructured', level: 'error', message: `${message} ${reason}` });
    },
  });
  const callers: Callers = {
    [REMOTE]: createRemoteCaller({
      outgoing,
      environment,
      prioritizeData,
      observe: (call) => observe({ kind: 'remote-call', ...call }),
    }),
    [ACTION_CALLER]: actionCaller({ ...calls, asynchronous }),
  };
  let room: Promise<WaitingRoom | undefined> | undefined;
  const waiting = (reason: string) => {
    // What cannot listen now is reported when the server does.
    room ??= listening(configuration, (host, port) => openWaitingRoom(reason, host, port)).catch(
      () => undefined,
    );
    void room.then((open) => {
      if (open) open.reason = reason;
    });
  };
  const context: HostContext = {
    configuration,
    waiting,
    telemetry: tracing.configure,
    environment,
    observe,
    memory,
    prepare: (generated, sources) => {
      // The served program: the new one takes over its unchanged parts.
      const previous = live.current?.planner;
      const program = linkProgram(generated, servingOptions(configuration), previous?.program);
      const execution = {
        ...executionOf(program, sources, configuration, { rateCounter, memory, previous }),
        callers,
        inputValidator,
      };
      const saved = indexSaved(generated.saved, execution.planner, {
        enforceAllowlist: configuration.enableAllowlist,
        onlySaved: configuration.onlySavedOperations,
        memory,
        ...(registered ? { registered } : {}),
      });
      return {
        execution,
        activate: () => {
          live.swap({ ...execution, saved, count });
          subscriptions.replan();
          delivery.use(generated.events, sources);
          asynchronous.use(program);
          unverified = generated.unverifiedHosts ?? [];
          forgetOtherSchemas(execution.planner);
        },
      };
    },
  };
  const eventsContext = { configuration, environment, observe, outgoing };
  const delivery = createDelivery(eventsContext);
  let cron: CompiledCron | undefined;
  const authentication = await openAuthentication(configuration, outgoing, observe, memory);
  let host: Host | undefined;
  try {
    host = await openHost(options, context);
    cron = deliverCompiledCron(host.cron ?? [], databaseUrl, eventsContext);
    const describeEndpoints = (role: string) => {
      const { saved, planner } = current();
      const { stringifyNumbers } = planner.options;
      return openApiDocument(saved.routes, planner.program, { role, stringifyNumbers });
    };
    const readiness = createReadiness(
      () => live.current?.sources,
      host.health,
      configuration.requiredSources,
    );
    const { authenticate } = authentication;
    const { locate } = host;
    const httpContext = {
      configuration,
      observe,
      authenticate,
      limits: () => current().limits,
      isDraining: () => readiness.draining,
      sample: tracing.sample,
      ...(locate ? { locate } : {}),
      ...(metrics ? { countTraffic: metrics.traffic } : {}),
    };
    const metricsState: MetricsState = {
      pools: () => poolsOf(live.current?.sources),
      liveReaders: liveQueries.pollers,
      runningEvents: () => delivery.running,
      health: readiness.known,
    };
    const app = createServer(httpContext, [
      graphqlEndpoints(current),
      socketEndpoints(current, subscriptions),
      subscriptionEndpoints(liveQueries),
      restEndpoints(current),
      openApiEndpoints(describeEndpoints),
      explainEndpoints(current),
      healthEndpoints(host.health, readiness, version),
      ...(metrics ? [metricsEndpoints(metrics, metricsState)] : []),
      configEndpoints(version),
      ...(await consoleOf(host, configuration, () => live.current?.sources)),
      ...host.endpoints,
      ...(options.endpoints ?? []),
    ]);
    await app.ready();
    const waited = await room;
    await waited?.close();
    const port = await listen(app, waited ? { ...configuration, serverPort: waited.port } : configuration);
    observe({ kind: 'startup', step: 'server', info: { message: 'the server listens', port } });
    const close = async () => {
      readiness.stop();
      await app.close();
      authentication.stop();
      // Before the databases are closed: what was sent is still to be recorded.
      await Promise.all([
        delivery.stop(configuration.gracefulShutdownTimeout * 1000),
        cron?.stop(configuration.gracefulShutdownTimeout * 1000),
        asynchronous.stop(configuration.gracefulShutdownTimeout * 1000),
      ]);
      await host?.stop();
      await outgoing.close();
      await tracing.stop();
    };
    const drain = async () => {
      readiness.drain();
      await delay(configuration.shutdownDelay * 1000);
    };
    return {
      port,
      stop: async () => {
        await drain();
        await stop(close, configuration, observe);
      },
    };
  } catch (error) {
    await (await room)?.close();
    authentication.stop();
    await delivery.stop(0);
    await cron?.stop(0);
    await asynchronous.stop(0);
    await host?.stop();
    await outgoing.close();
    throw error;
  }
}

/** Hands every observation to the logger and to the others. */
function observeAll(log: Observer, others: readonly ((observation: Observation) => void)[]): Observer {
  const observe = (observation: Observation) => {
    log(observation);
    for (const other of others) other(observation);
  };
  return Object.assign(observe, { flush: log.flush });
}

function poolsOf(sources: SourceConnections | undefined): readonly SourcePool[] {
  return [...(sources ?? [])].map(([source, connection]) => ({
    source,
    address: connection.address,
    state: connection.state(),
  }));
}

function executionOf(
  program: Program,
  sources: SourceConnections,
  configuration: Configuration,
  kept: {
    readonly rateCounter: RateCounter;
    readonly memory: MemoryBudget;
    readonly previous: Planner | undefined;
  },
): Execution & { readonly limits: Limits } {
  const { rateCounter, memory, previous } = kept;
  const limits = createLimits(program.limits, rateCounter);
  const serving = servingOptions(configuration);
  const planner = createPlanner(program, serving, limits.checkOperation, previous, memory);
  return { planner, sources, limits };
}

async function listen(app: FastifyInstance, configuration: Configuration): Promise<number> {
  await listening(configuration, (host, port) => listenOn(app, host, port));
  return (app.server.address() as AddressInfo).port;
}

/** Listens where the configuration says. @param on listens on one address */
async function listening<Result>(
  { serverHost, serverPort }: Pick<Configuration, 'serverHost' | 'serverPort'>,
  on: (host: string, port: number) => Promise<Result>,
): Promise<Result> {
  try {
    return await on(serverHost === '*' ? '::' : serverHost, serverPort);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (serverHost !== '*' || (code !== 'EAFNOSUPPORT' && code !== 'EADDRNOTAVAIL')) throw error;
    // A machine without IPv6.
    return on('0.0.0.0', serverPort);
  }
}

async function listenOn(app: FastifyInstance, host: string, port: number): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const choose = 'choose another one with --server-port or ENGINE_GRAPHQL_SERVER_PORT';
    if (code === 'EADDRINUSE')
      throw new StartError(`port ${port} is taken by another program: stop it, or ${choose}`);
    if (code === 'EACCES') throw new StartError(`port ${port} may not be used by this user: ${choose}`);
    throw error;
  }
}

async function stop(
  close: () => Promise<void>,
  configuration: Configuration,
  observe: Observer,
): Promise<void> {
  const timeout = new AbortController();
  await Promise.race([
    close().finally(() => timeout.abort()),
    delay(configuration.gracefulShutdownTimeout * 1000, undefined, { signal: timeout.signal }).catch(
      () => {},
    ),
  ]);
  observe({ kind: 'startup', step: 'server', info: { message: 'the server has stopped' } });
  await observe.flush();
}

/** Loaded on demand: an artefact brings its own host, and has no use for what these need. */
async function openHost(
  { openHost, generated, compiler, review, thread }: ServerOptions,
  context: HostContext,
): Promise<Host> {
  if (openHost) return openHost(context);
  if (generated) {
    const { hostFolder } = await import('./program/host-folder.ts');
    return hostFolder(generated, context);
  }
  if (compiler === undefined)
    throw new StartError('serving metadata needs the compiler: give its module, or a compiled folder');
  const { hostMetadata } = await import('./program/host-metadata.ts');
  return hostMetadata(context, compiler, review, thread);
}

/** The console, where it is asked for and there is metadata. Loaded on demand: few servers have it. */
async function consoleOf(
  { ask, health }: Host,
  { enableConsole, enabledApis, graphiql, devMode }: Configuration,
  sources: () => SourceConnections | undefined,
): Promise<readonly Endpoints[]> {
  if (!enableConsole || !ask || !enabledApis.includes('metadata')) return [];
  const { consoleEndpoints } = await import('./console/console.ts');
  const startedAt = new Date().toISOString();
  const state = async () => ({
    version,
    startedAt,
    hasQueryPage: graphiql ?? devMode,
    health: await health(),
    sources: poolsOf(sources()).map(({ source, address, state: connections }) => ({
      name: source,
      address,
      connections: { ...connections },
    })),
  });
  return [consoleEndpoints({ state, ask })];
}

/** The configuration for the log, without secrets. */
function describe(configuration: Configuration): object {
  return {
    port: configuration.serverPort,
    server_host: configuration.serverHost,
    transaction_isolation: configuration.txIso,
    admin_secret_set:
      configuration.adminSecret !== undefined ||
      configuration.accessKey !== undefined ||
      configuration.adminSecrets !== undefined,
    auth_hook: configuration.authHook === undefined ? null : new URL(configuration.authHook).origin,
    auth_hook_mode: configuration.authHook === undefined ? null : configuration.authHookMode,
    jwt_secret:
      jwtConfigurations(configuration)?.map(({ type, keys }) => ({ type, keys: keys.kind })) ?? null,
    unauth_role: configuration.unauthorizedRole ?? null,
    cors_config: configuration.disableCors ? 'disabled' : configuration.corsDomain,
    enable_console: configuration.enableConsole,
    console_assets_dir: configuration.consoleAssetsDir ?? null,
    use_prepared_statements: configuration.usePreparedStatements,
    stringify_numeric_types: configuration.stringifyNumericTypes,
    enabled_apis: configuration.enabledApis,
    enabled_log_types: configuration.enabledLogTypes,
    log_level: configuration.logLevel,
    dev_mode: configuration.devMode,
  };
}
