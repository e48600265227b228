/** What the metadata thread does once it has its store. */
import type { CatalogOrError } from '../../catalog/catalog.ts';
import { namingOptions, servingOptions } from '../../configuration/configuration.ts';
import type { Reviews } from '../../console/preview-change.ts';
import type { ConsoleQuestion } from '../../console/questions.ts';
import type { CronTriggerShape } from '../../core/contract/events.ts';
import type { Diagnostic } from '../../core/diagnostics/diagnostic.ts';
import { EngineError } from '../../core/errors.ts';
import { isObject } from '../../core/json/json.ts';
import { linkProgram } from '../../core/program/program.ts';
import { lazy } from '../../core/remember.ts';
import type { RemoteOrError } from '../../core/remotes/shapes.ts';
import { createPlanner } from '../../core/request/planner.ts';
import type { Vocabulary } from '../../core/vocabulary.ts';
import { lookingAtErrors } from '../../database/cluster-errors.ts';
import type { SourceConnection } from '../../database/source.ts';
import { deliverScheduled } from '../../events/scheduled-delivery.ts';
import type { Runnable } from '../../graphql/request.ts';
import { unverifiedHosts } from '../../metadata/kinds/settings.ts';
import type { ConnectionInfo, Metadata } from '../../metadata/metadata.ts';
import { readMetadata } from '../../metadata/read-metadata.ts';
import { remoteTarget } from '../../metadata/remote-target.ts';
import { createOutgoing, type Outgoing } from '../../outgoing/outgoing.ts';
import { createSchemaReader } from '../../outgoing/remote/introspect.ts';
import { readLock } from '../../outgoing/remote/lock.ts';
import { createInputValidator } from '../../outgoing/validation/validator.ts';
import { createEvaluator, type TranspiledFile, type TranspiledFiles } from '../../program/evaluator.ts';
import type { PreparedProgram } from '../../program/host.ts';
import { createTranspiler } from '../../program/loader.ts';
import { openSource, sourceAddress } from '../../program/sources.ts';
import { locateRule } from '../change/locate-rule.ts';
import type { Compilation } from '../change/state.ts';
import { dumpSource } from '../dump/pg-dump.ts';
import {
  answerRequest,
  keepCurrent,
  type MetadataApiLimits,
  MetadataEngine,
  type MetadataState,
  type MetadataStore,
} from '../index.ts';
import { openProject } from './project.ts';
import { data, loads, observe, post, report, vocabulary } from './serving-thread.ts';
import { type MessageToThread, STARTED, type ThreadData } from './thread-messages.ts';

/** Maximum number of connections of this thread to a source: it only introspects and runs SQL. */
const MAX_CONNECTIONS = 5;

/** Milliseconds after a change in which the next one is likely. */
const TRANSPILER_IDLE = 10_000;

/** A message that is answered. */
type Question = Exclude<MessageToThread, { kind: 'answer' }>;

/** Starts the rest of the thread. @returns what answers messages */
export async function start(
  opening: Promise<MetadataStore>,
): Promise<(message: Question) => Promise<string>> {
  const running = await startEngine(opening);
  return (message) => handle(running, message);
}

function handle(running: Running, message: Question): Promise<string> {
  switch (message.kind) {
    case 'request':
      return answerRequest(
        running.engine,
        message.path,
        message.body,
        { session: { ...message.session, vocabulary }, client: message.client },
        running.limits,
      );
    case 'dump':
      return dumpSource(running.engine.state, message.body, { ...message.session, vocabulary }, (info) =>
        sourceAddress(info, data)(),
      );
    case 'locate':
      return Promise.resolve(JSON.stringify(locateRule(running.engine.state, message.reason)));
    case 'console':
      return answerConsole(running, message.question);
    case 'cluster':
      return running.followCluster(message.source);
    case 'health':
      return running.health();
    case 'project':
      return running.takeProject(message.changed);
    case 'stop':
      return running.stop();
  }
}

/** The part of the compiler's module that this thread uses. */
interface CompilerModule {
  readonly compile: (
    input: {
      readonly metadata: Metadata;
      readonly catalogs: Readonly<Record<string, CatalogOrError>>;
      readonly remotes: Readonly<Record<string, RemoteOrError>>;
      readonly naming: ReturnType<typeof namingOptions>;
      readonly vocabulary: Vocabulary;
      readonly serving: ReturnType<typeof servingOptions>;
      readonly environment: ReadonlySet<string>;
      readonly unread?: readonly Diagnostic[];
    },
    previous?: Compilation,
  ) => Compilation;
}

/** The part of the review's module that this thread uses. */
interface ReviewModule {
  readonly openReviews: () => Reviews;
}

/** Modules are loaded with the first question: few servers have a console. */
async function answerConsole(
  { engine, store, reviews }: Running,
  question: ConsoleQuestion,
): Promise<string> {
  const { answerOperator, isForOperators } = await import('../../console/answer.ts');
  const { configuration } = data;
  if (isForOperators(question)) {
    const { enableRemoteSchemaPermissions: remoteSchemaPermissions } = configuration;
    const answer = await answerOperator(question, { engine, store, remoteSchemaPermissions });
    return JSON.stringify(answer ?? null);
  }
  if (question.kind === 'proposal') {
    const { answerProposal } = await import('../../console/proposal.ts');
    return answerProposal(question.text, engine, await reviews());
  }
  return (await reviews()).answerPermissions(engine.state.compilation.programFiles, question);
}

interface Running {
  readonly engine: MetadataEngine<SourceConnection>;
  /** Loaded with the first question. */
  readonly reviews: () => Promise<Reviews>;
  readonly store: MetadataStore;
  readonly limits: MetadataApiLimits;
  readonly followCluster: (source: string) => Promise<string>;
  readonly health: () => Promise<string>;
  readonly takeProject: (changed: readonly string[]) => Promise<string>;
  readonly stop: () => Promise<string>;
}

async function startEngine(opening: Promise<MetadataStore>): Promise<Running> {
  const { configuration } = data;
  const initial = initialMetadata(data);
  const [store, { compile }, project] = await Promise.all([
    opening,
    import(data.compiler) as Promise<CompilerModule>,
    data.project && openProject(data.project, data.environment),
  ]);
  observe({
    kind: 'startup',
    step: 'postgres_connection',
    info: { message: 'connected to the metadata database' },
  });
  const naming = namingOptions(configuration);
  const variables = new Set(
    Object.keys(data.environment).filter((name) => data.environment[name] !== undefined),
  );
  const { outgoingAllow: allow, outgoingDeny: deny } = configuration;
  let metadata = (): Metadata | undefined => undefined;
  const unverified = () => {
    const { network } = metadata() ?? {};
    return network ? unverifiedHosts(network) : [];
  };
  const outgoing = createOutgoing({ allow, deny, unverified });
  const scheduled = deliverScheduled(store.query, {
    configuration,
    environment: data.environment,
    observe: Object.assign(observe, { flush: async () => {} }),
    outgoing,
  });
  const readSchema = createSchemaReader({ vocabulary, outgoing, environment: data.environment });
  try {
    const engine = await MetadataEngine.start<SourceConnection>({
      store,
      compile: (input, previous) =>
        compile(
          {
            ...input,
            naming,
            vocabulary,
            serving: servingOptions(configuration),
            environment: variables,
            ...(project && { unread: project.unread }),
          },
          previous,
        ),
      openSource: ({ name, configuration: { connection_info: info } }) =>
        openSource(name, withFewConnections(info), data),
      readRemote: ({ name, definition }) => readSchema(name, remoteTarget(definition)),
      lockedRemote: (name) =>
        configuration.remoteSchemasDir === undefined
          ? undefined
          : readLock(configuration.remoteSchemasDir, name),
      reportRefresh: ({ verdict, ...info }) =>
        observe({
          kind: 'metadata',
          level: verdict === 'breaking' ? 'warn' : 'info',
          message: `remote schema read again: ${verdict}`,
          info,
        }),
      options: {
        vocabulary,
        remoteSchemaPermissions: configuration.enableRemoteSchemaPermissions,
        writesFiles: project !== undefined,
        inferFunctionPermissions: configuration.inferFunctionPermissions,
        dynamicSecretsAllowedPathPrefix: configuration.dynamicSecretsAllowedPathPrefix,
      },
      ...(initial ? { initialMetadata: readInitial(initial) } : {}),
      prepare: createPrepare(
        data,
        outgoing,
        (cron) => scheduled.use(cron),
        (source) => void engine.followDistribution(source),
      ),
      served: ({ metadata, resourceVersion, inconsistent }) => {
        observe({ kind: 'metadata-served', resourceVersion, inconsistent: inconsistent.length });
        const checks = new Map(
          metadata.sources.flatMap(({ name, health_check }) =>
            health_check ? [[name, health_check] as const] : [],
          ),
        );
        post({ kind: 'health-checks', checks });
        post({ kind: 'telemetry', settings: metadata.opentelemetry });
      },
      ...(project && { keep: project.keep }),
      scheduledChanged: () => scheduled.wake(),
      report,
    });
    const stopWatching = keepCurrent(
      engine,
      store,
      configuration.schemaSyncPollInterval,
      report,
      (level, message) => observe({ kind: 'unstructured', level, message }),
    );
    metadata = () => engine.state.metadata;
    const { inconsistent } = engine.state;
    // Inconsistent objects of project files are reported when the files are taken over.
    if (inconsistent.length > 0 && !project) {
      observe({
        kind: 'metadata',
        level: 'warn',
        message: 'inconsistent objects are not served',
        info: inconsistent,
      });
    }
    return {
      engine,
      store,
      reviews: lazy(async () => {
        if (data.review === undefined) throw new Error('the module that answers the console is not given');
        return ((await import(data.review)) as ReviewModule).openReviews();
      }),
      limits: {
        dataForRoles: !configuration.enableAllowlist && !configuration.onlySavedOperations,
        maintenance: configuration.enableMaintenanceMode,
      },
      followCluster: async (source) => {
        await engine.followDistribution(source);
        return '';
      },
      health: async () => {
        try {
          await store.readVersion();
        } catch {
          return 'unreachable';
        }
        return engine.state.inconsistent.length > 0 ? 'inconsistent' : 'ok';
      },
      takeProject: async (changed) => JSON.stringify(await project?.take(engine, changed)),
      stop: async () => {
        stopWatching();
        await scheduled.stop(configuration.gracefulShutdownTimeout * 1000);
        await engine.stop();
        await store.close();
        await outgoing.close();
        return '';
      },
    };
  } catch (error) {
    await scheduled.stop(0);
    await outgoing.close();
    await store.close();
    throw error;
  }
}

function withFewConnections(info: ConnectionInfo): ConnectionInfo {
  const { max_connections = MAX_CONNECTIONS } = info.pool_settings ?? {};
  return {
    ...info,
    pool_settings: { ...info.pool_settings, max_connections: Math.min(max_connections, MAX_CONNECTIONS) },
  };
}

/** Has compiled files loaded where they are served. The data operations of the legacy API run in this thread. */
function createPrepare(
  { configuration, environment }: ThreadData,
  outgoing: Outgoing,
  useCron: (triggers: readonly CronTriggerShape[]) => void,
  look: (source: string) => void,
): (state: MetadataState<SourceConnection>) => Promise<PreparedProgram> {
  const transpiler = createTranspiler(TRANSPILER_IDLE);
  const evaluator = createEvaluator();
  const numbers = new WeakMap<SourceConnection, number>();
  const inputValidator = createInputValidator({
    outgoing,
    environment,
    configuredFirst: configuration.configuredHeaderPrecedence,
    observe,
  });
  let opened = 0;
  let sent: TranspiledFiles = new Map();
  const numberOf = (database: SourceConnection): number => {
    const known = numbers.get(database);
    if (known !== undefined) return known;
    opened += 1;
    numbers.set(database, opened);
    return opened;
  };
  return async ({ compilation, sources }) => {
    const files = await transpiler.transpile(compilation.programFiles);
    let number = STARTED;
    const pieces = inPieces([...files].filter(([path, file]) => sent.get(path) !== file));
    const last = pieces.pop() ?? new Map();
    for (const changed of pieces) {
      await loads.call((next) => post({ kind: 'files', number: next, changed }));
      sent = new Map([...sent, ...changed]);
    }
    await loads.call((next) => {
      number = next;
      post({
        kind: 'load',
        number,
        changed: last,
        removed: [...sent.keys()].filter((path) => !files.has(path)),
        sources: [...sources].map(([name, { configuration: source, database }]) => ({
          number: numberOf(database),
          name,
          info: source.connection_info,
          replicas: source.read_replicas,
        })),
      });
      sent = files;
    });
    const serving = servingOptions(configuration);
    let runnable: Runnable | undefined;
    return {
      get runnable() {
        runnable ??= {
          planner: createPlanner(linkProgram(evaluator.evaluateNow(files), serving), serving),
          sources: new Map(
            // Requests run in turn with what follows from a look, so they do not wait for it.
            [...sources].map(([name, { database }]) => [
              name,
              lookingAtErrors(database, async () => look(name)),
            ]),
          ),
          inputValidator,
        };
        return runnable;
      },
      activate: () => {
        post({ kind: 'activate', number });
        useCron(compilation.events?.cron ?? []);
      },
    };
  };
}

/** Characters of one message: received in a millisecond or two. */
const PIECE = 500_000;

function inPieces(files: readonly (readonly [string, TranspiledFile])[]): Map<string, TranspiledFile>[] {
  const pieces: Map<string, TranspiledFile>[] = [];
  let room = 0;
  for (const [path, file] of files) {
    if (room <= 0) {
      pieces.push(new Map());
      room = PIECE;
    }
    pieces.at(-1)!.set(path, file);
    room -= file.code.length;
  }
  return pieces;
}

/**
 * Initial metadata of a new metadata database: `metadata-defaults`, and the source `default`, if `database-url` is set and
 * the defaults have no source of that name.
 */
function initialMetadata({ configuration, environment }: ThreadData): object | undefined {
  const { databaseUrl, txIso, metadataDefaults: defaults } = configuration;
  if (databaseUrl === undefined)
    return Object.keys(defaults).length === 0 ? undefined : { version: 3, sources: [], ...defaults };
  const variable = vocabulary.environment('DATABASE_URL');
  const address = environment[variable] === databaseUrl ? { from_env: variable } : databaseUrl;
  const connectionInfo = { database_url: address, isolation_level: txIso };
  const own = {
    name: 'default',
    kind: 'postgres',
    tables: [],
    configuration: { connection_info: connectionInfo },
  };
  const given = Array.isArray(defaults.sources) ? defaults.sources : [];
  const hasDefault = given.some((source) => isObject(source) && source.name === own.name);
  return { version: 3, ...defaults, sources: hasDefault ? given : [own, ...given] };
}

/** @throws EngineError for `metadata-defaults` that are not metadata */
function readInitial(document: object): Metadata {
  const { value, diagnostics } = readMetadata(document, { vocabulary });
  const problem = diagnostics.find(({ severity }) => severity === 'error');
  if (problem)
    throw new EngineError('invalid-configuration', `metadata-defaults: ${problem.path}: ${problem.message}`);
  return value;
}
