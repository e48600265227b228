/**
 * Puts the server together and starts it. With metadata, the metadata API and the compiler are loaded on demand; a server
 * that hosts a compiled folder loads neither.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { type Configuration, servingOptions } from '../configuration/configuration.ts';
import { describeConfiguration } from '../configuration/description.ts';
import { serverVersion } from '../configuration/version.ts';
import type { Environment } from '../core/environment-template.ts';
import { EngineError } from '../core/errors.ts';
import { MemoryBudget } from '../core/memory/budget.ts';
import { linkProgram } from '../core/program/program.ts';
import type { GeneratedProgram } from '../core/program/resolvers.ts';
import { createPlanner, forgetOtherSchemas, type Planner } from '../core/request/planner.ts';
import type { UnverifiedHost } from '../core/settings.ts';
import { vocabularyOf } from '../core/vocabulary.ts';
import { createHealthChecks } from '../database/health-checks.ts';
import { createCaptureKeeper } from '../database/record/keep-installed.ts';
import type { SourceConnections } from '../database/source.ts';
import { type CompiledCron, deliverCompiledCron } from '../events/compiled-cron.ts';
import { createDelivery } from '../events/delivery.ts';
import type { CurrentlyServed, Served } from '../graphql/answer.ts';
import { createLimits, createRateCounter, type RateCounter } from '../graphql/limits.ts';
import { createRegisteredQueries, type RegisteredQueries } from '../graphql/saved/registered.ts';
import { indexSaved } from '../graphql/saved/saved.ts';
import { completionEndpoints } from '../http/completion.ts';
import { configEndpoints } from '../http/config.ts';
import type { Endpoints } from '../http/context.ts';
import { explainEndpoints } from '../http/explain.ts';
import { graphqlEndpoints } from '../http/graphql.ts';
import { healthEndpoints } from '../http/health.ts';
import { metricsEndpoints } from '../http/metrics.ts';
import { openApiEndpoints } from '../http/openapi.ts';
import { planCacheEndpoints } from '../http/plan-cache.ts';
import { restEndpoints } from '../http/rest.ts';
import { rootEndpoints } from '../http/root.ts';
import { createServer } from '../http/server.ts';
import { cacheEndpoints, subscriptionEndpoints } from '../live/dev-endpoints.ts';
import { createResponseCache } from '../live/response-cache.ts';
import { socketEndpoints } from '../live/sockets.ts';
import { createSubscriptions } from '../live/subscriptions.ts';
import { type MetadataThread, startMetadataThread } from '../metadata-api/thread/start-thread.ts';
import { createLogger } from '../observe/logs/logger.ts';
import type { Observer } from '../observe/logs/observe.ts';
import type { SourcePool } from '../observe/metrics/databases.ts';
import type { MetricsState } from '../observe/metrics/metrics.ts';
import { createOutgoing } from '../outgoing/outgoing.ts';
import type { Host, HostContext } from '../program/host.ts';
import { createLive } from '../program/live.ts';
import { openAuthentication } from '../session/authenticate.ts';
import { createCalls } from './calls.ts';
import { hostsOf, listen, openWarning } from './listen.ts';
import { openLiveQueries } from './live-queries.ts';
import { type Observing, openObserving } from './observing.ts';
import { createReadiness } from './readiness.ts';
import { StartError } from './start-error.ts';
import { createWaiting } from './waiting.ts';
import { within } from './within.ts';
import type { WorkerLink } from './workers/link.ts';

export interface ServerOptions {
  readonly configuration: Configuration;
  readonly environment: Environment;
  /** Address of the compiler's module. Required to serve metadata; the runtime itself does not know the compiler. */
  readonly compiler?: string;
  /** Address of the module that answers the console's questions. Without it there is no console. */
  readonly review?: string;
  /** Starts the metadata thread where that is not simply done here and now. */
  readonly startThread?: () => MetadataThread;
  /** Where this process is one of several. */
  readonly link?: WorkerLink;
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

export interface StartedServer extends RunningServer {
  /** Logs a defect. */
  readonly report: (error: unknown) => void;
}

/**
 * Starts the server and returns when it listens.
 * @throws StartError, ConfigurationError or EngineError, whose messages are for the operator
 */
export async function startServer(options: ServerOptions): Promise<StartedServer> {
  const { configuration, environment, link } = options;
  // Refused before anything is opened.
  hostsOf(configuration);
  const observing = await openObserving(
    configuration,
    environment,
    options.observe ?? createLogger(configuration, undefined, { worker: link?.id }),
    link && String(link.id),
  );
  const { observe, metrics, tracing, report } = observing;
  observe({ kind: 'startup', step: 'server_configuration', info: describeConfiguration(configuration) });
  const warning = openWarning(configuration);
  if (warning !== undefined) observe({ kind: 'unstructured', level: 'warn', message: warning });

  const live = createLive<Served>();
  const current: CurrentlyServed = () => {
    if (!live.current) throw new EngineError('unexpected', 'the server is starting', { status: 503 });
    return live.current;
  };
  const rateCounter = link?.rates ?? createRateCounter();
  const memory = new MemoryBudget(configuration.cacheMemory * 1024 * 1024);
  const registered = configuration.enablePersistedQueries
    ? createRegisteredQueries(configuration.persistedQueriesTtl, memory)
    : undefined;
  let unverified: readonly UnverifiedHost[] = [];
  const outgoing = createOutgoing({
    allow: configuration.outgoingAllow,
    deny: configuration.outgoingDeny,
    unverified: () => unverified,
  });
  // For what the server stores of its own.
  const databaseUrl = configuration.metadataDatabaseUrl ?? configuration.databaseUrl;
  const { forRequests, asynchronous } = createCalls(
    configuration,
    environment,
    databaseUrl,
    outgoing,
    observe,
  );
  const liveQueries = openLiveQueries(configuration, observing);
  const cache =
    configuration.responseCache > 0
      ? createResponseCache(configuration.responseCache * 1024 * 1024)
      : undefined;
  const subscriptions = createSubscriptions(
    liveQueries,
    current,
    { perRole: configuration.maxSubscriptionsPerRole, perSession: configuration.maxSubscriptionsPerSession },
    report,
    link?.hold,
  );
  const eventsContext = { configuration, environment, observe, outgoing };
  const delivery = createDelivery(eventsContext);
  const capture = createCaptureKeeper(observe);
  const waiting = createWaiting(configuration);
  const healthChecks = createHealthChecks(() => live.current?.sources);
  let isLeading = link === undefined;
  /** Has events of the program delivered and its triggers installed: by one process. */
  let deliver = () => {};
  const context: HostContext = {
    configuration,
    environment,
    observe,
    memory,
    waiting: waiting.because,
    healthChecks: healthChecks.use,
    telemetry: tracing.configure,
    prepare: (generated, sources) => {
      requireVocabulary(generated, configuration);
      const previous = live.current?.planner;
      const prepared = prepareServed(generated, sources, configuration, {
        rateCounter,
        memory,
        registered,
        previous,
      });
      const { planner } = prepared;
      return {
        runnable: { ...prepared, ...forRequests },
        activate: () => {
          live.swap({ ...prepared, ...forRequests, count: observing.countOperation, cache });
          cache?.clear();
          subscriptions.replan();
          deliver = () => {
            delivery.use(generated.events, sources);
            capture.use(planner.program, sources);
          };
          if (isLeading) deliver();
          asynchronous.use(planner.program);
          metrics?.keepSaved(generated.saved?.operations ?? []);
          unverified = generated.unverifiedHosts ?? [];
          forgetOtherSchemas(planner);
        },
      };
    },
  };
  const authentication = await openAuthentication(configuration, outgoing, observe, memory);
  let cron: CompiledCron | undefined;
  let host: Host | undefined;
  /** Waits for what runs, then closes what it needs. @param grace milliseconds */
  const closeAll = async (grace: number) => {
    authentication.stop();
    cache?.stop();
    capture.stop();
    healthChecks.stop();
    // Before the databases are closed: what was sent is still to be recorded.
    await Promise.all([delivery.stop(grace), cron?.stop(grace), asynchronous.stop(grace)]);
    await host?.stop();
    await outgoing.close();
    await tracing.stop();
  };
  try {
    host = await openHost(options, context);
    const { locate, health, cron: triggers = [] } = host;
    const lead = () => {
      isLeading = true;
      deliver();
      cron ??= deliverCompiledCron(triggers, databaseUrl, eventsContext);
    };
    if (link) link.whenLeading(lead);
    else lead();
    const readiness = createReadiness(
      () => live.current?.sources,
      health,
      configuration.requiredSources,
      healthChecks,
    );
    const httpContext = {
      configuration,
      observe,
      authenticate: authentication.authenticate,
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
      socketEndpoints(current, subscriptions, live.whenSwapped),
      subscriptionEndpoints(liveQueries),
      ...(cache ? [cacheEndpoints(current, cache)] : []),
      planCacheEndpoints(current),
      restEndpoints(current),
      completionEndpoints(asynchronous.complete),
      openApiEndpoints(current),
      explainEndpoints(current),
      healthEndpoints(health, readiness, serverVersion),
      ...(metrics ? [metricsEndpoints(metrics, metricsState, link)] : []),
      configEndpoints(serverVersion),
      rootEndpoints,
      ...(await consoleOf(host, configuration, observing, () => live.current?.sources, current)),
      ...host.endpoints,
      ...(options.endpoints ?? []),
    ]);
    await app.ready();
    const waitedAt = await waiting.end();
    // Workers share what listens at the configured port, 0 included.
    const { port, close } = await listen(app, configuration, link ? undefined : waitedAt);
    observe({ kind: 'startup', step: 'server', info: { message: 'the server listens', port } });
    const stop = async () => {
      readiness.drain();
      await delay(configuration.shutdownDelay * 1000);
      const grace = configuration.gracefulShutdownTimeout * 1000;
      await within(grace, async () => {
        readiness.stop();
        await Promise.all([app.close(), close()]);
        await closeAll(grace);
      });
      observe({ kind: 'startup', step: 'server', info: { message: 'the server has stopped' } });
      await observe.flush();
    };
    return { port, report, stop };
  } catch (error) {
    await waiting.end();
    await closeAll(0);
    throw error;
  }
}

/** Texts that are kept as users write them, such as templates, name session variables. @throws EngineError */
function requireVocabulary(generated: GeneratedProgram, { vocabulary }: Configuration): void {
  const { word } = vocabularyOf(generated);
  if (word === vocabulary.word) return;
  throw new EngineError(
    'invalid-configuration',
    `the program was compiled in the vocabulary "${word}": serve it with --vocabulary ${word}`,
  );
}

/**
 * The saved operations and the planner of a program. Unchanged parts and warm plans of the program before are kept.
 */
function prepareServed(
  generated: GeneratedProgram,
  sources: SourceConnections,
  configuration: Configuration,
  kept: {
    readonly rateCounter: RateCounter;
    readonly memory: MemoryBudget;
    readonly registered: RegisteredQueries | undefined;
    readonly previous: Planner | undefined;
  },
): Pick<Served, 'planner' | 'sources' | 'limits' | 'saved'> {
  const { rateCounter, memory, registered, previous } = kept;
  const serving = servingOptions(configuration);
  const program = linkProgram(generated, serving, previous?.program);
  const limits = createLimits(program.limits, rateCounter);
  const planner = createPlanner(program, serving, limits.checkOperation, previous, memory);
  const saved = indexSaved(generated.saved, planner, {
    enforceAllowlist: configuration.enableAllowlist,
    onlySaved: configuration.onlySavedOperations,
    memory,
    ...(registered ? { registered } : {}),
  });
  return { planner, sources, limits, saved };
}

function poolsOf(sources: SourceConnections | undefined): readonly SourcePool[] {
  return [...(sources ?? [])].flatMap(([source, connection]): SourcePool[] => [
    { source, address: connection.address, role: 'primary', state: connection.state() },
    ...(connection.replicas?.state() ?? []).map(
      ({ address, pool, lag }): SourcePool => ({ source, address, role: 'replica', state: pool, lag }),
    ),
  ]);
}

/** Loaded on demand: an artefact brings its own host, and has no use for what these need. */
async function openHost(
  { openHost, generated, compiler, review, startThread }: ServerOptions,
  context: HostContext,
): Promise<Host> {
  if (openHost) return openHost(context);
  if (generated) {
    const { hostFolder } = await import('../program/host-folder.ts');
    return hostFolder(generated, context);
  }
  if (compiler === undefined)
    throw new StartError('serving metadata needs the compiler: give its module, or a compiled folder');
  const { hostMetadata } = await import('../metadata-api/thread/host-metadata.ts');
  const { configuration, environment } = context;
  return hostMetadata(
    context,
    startThread ?? (() => startMetadataThread({ configuration, environment, compiler, review })),
  );
}

/** The console, where it is asked for and there is metadata. Loaded on demand: few servers have it. */
async function consoleOf(
  { ask, writesFiles = false }: Host,
  { enableConsole, enabledApis, disableEventing, enableAllowlist }: Configuration,
  { lastErrors, metrics }: Observing,
  sources: () => SourceConnections | undefined,
  current: () => Served,
): Promise<readonly Endpoints[]> {
  if (!enableConsole || !ask || !enabledApis.includes('metadata')) return [];
  const { consoleEndpoints } = await import('../console/console.ts');
  const startedAt = new Date().toISOString();
  const state = () => ({
    version: serverVersion,
    startedAt,
    writesFiles,
    isEventingDisabled: disableEventing,
    isAllowlistEnabled: enableAllowlist,
    hasMetrics: enabledApis.includes('metrics'),
    lastErrors: lastErrors?.list() ?? [],
    sources: poolsOf(sources()).map(({ source, address, role, lag, state: connections }) => ({
      name: source,
      role,
      address,
      ...(lag !== undefined && { lag }),
      connections: { ...connections },
    })),
  });
  const program = () => current().planner.program;
  return [consoleEndpoints({ state, ask, savedTimes: metrics?.savedTimes, program })];
}
