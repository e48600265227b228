/**
 * Serves a project while it is edited: databases where there is no address, the server, and what follows changes of files. All
 * steps run one after the other.
 */

import { existsSync, readFileSync } from 'node:fs';
import util from 'node:util';
import {
  type Configuration,
  ConfigurationError,
  optionVariable,
  readConfiguration,
  servingOptions,
} from '../../runtime/configuration/configuration.ts';
import { withFileVariables } from '../../runtime/configuration/environment-files.ts';
import type { Environment } from '../../runtime/core/environment-template.ts';
import { EngineError } from '../../runtime/core/errors.ts';
import type { Program } from '../../runtime/core/program/program.ts';
import { addressVariable } from '../../runtime/database/connection-url.ts';
import { type GraphiqlRole, graphiql } from '../../runtime/http/graphiql.ts';
import type { Source } from '../../runtime/metadata/metadata.ts';
import { hostMetadata } from '../../runtime/metadata-api/thread/host-metadata.ts';
import { startMetadataThread } from '../../runtime/metadata-api/thread/start-thread.ts';
import { createLogger } from '../../runtime/observe/logs/logger.ts';
import type { Host, HostContext } from '../../runtime/program/host.ts';
import { requireFreePort } from '../../runtime/server/listen.ts';
import { type StartedServer, startServer } from '../../runtime/server/main.ts';
import { StartError } from '../../runtime/server/start-error.ts';
import type { CommandContext } from '../cli/command.ts';
import { compilerModule, projectModule, reviewModule } from '../module.ts';
import { readMetadataFile } from '../phases/1-read/index.ts';
import { renderDiagnostics } from '../review/findings/render.ts';
import { Databases, type DatabasesUpdate, type DevelopmentFiles } from './databases.ts';
import type { ProjectFilesOptions } from './project-files.ts';
import { openTerminal, rolesToTry } from './terminal.ts';
import { watchPaths } from './watch.ts';

export interface DevelopmentOptions extends DevelopmentFiles, Omit<ProjectFilesOptions, 'serving' | 'word'> {
  /** File of environment variables, which need not exist. */
  readonly environmentFile: string;
  /** Options of the server, as the command line has them. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** Who one can be on the query page; everybody that the metadata knows unless given. */
  readonly roles?: readonly GraphiqlRole[];
}

export interface Development {
  readonly port: number;
  readonly configuration: Configuration;
  /** Where the development databases are; undefined where every source has an address. */
  readonly place: string | undefined;
  readonly roles: readonly GraphiqlRole[];
}

/** The server where the configuration is silent: for one person, on this machine. */
const DEFAULTS: Readonly<Record<string, string>> = {
  serverHost: 'localhost',
  logLevel: 'warn',
  enabledLogTypes: 'startup',
  enableConsole: 'true',
  consoleMode: 'write',
  refuseForeignPages: 'true',
  graphiql: 'true',
  devMode: 'true',
  gracefulShutdownTimeout: '2',
};

/** What runs, and what it was started with. */
interface Running {
  readonly configuration: Configuration;
  readonly environment: Environment;
  /** Absent where every source has an address, and so has what the server stores of its own. */
  readonly databases: Databases | undefined;
  server: StartedServer | undefined;
  host: Host | undefined;
  program: Program | undefined;
}

/** Errors that the user can put right: their message says all, so no stack is printed. */
const EXPECTED: readonly string[] = [
  'EmbeddedPostgresError',
  'MigrationsFolderError',
  'CatalogFileError',
  'StubError',
];

/** The message for a person; with its stack where the defect is ours. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isExpected =
    error instanceof StartError ||
    error instanceof ConfigurationError ||
    error instanceof EngineError ||
    EXPECTED.includes(error.name);
  return isExpected ? error.message : (error.stack ?? error.message);
}

export class Developing {
  readonly #options: DevelopmentOptions;
  readonly #context: CommandContext;
  readonly #terminal: ReturnType<typeof openTerminal>;
  #running: Running | undefined;
  #queue: Promise<void> = Promise.resolve();
  #unwatch = () => {};
  #isStopping = false;

  constructor(options: DevelopmentOptions, context: CommandContext) {
    this.#options = options;
    this.#context = context;
    this.#terminal = openTerminal(context.stdout);
  }

  /** Starts everything, and follows the files from then on. @throws Error, for `explain` */
  async start(): Promise<Development> {
    const { metadata, migrations, seed, catalog, environmentFile } = this.#options;
    const paths = {
      metadata: [metadata],
      schema: [migrations, seed, catalog].filter((path) => path !== undefined),
      environment: [environmentFile],
    };
    // Before anything is read: what changes meanwhile is followed afterwards.
    let changed: readonly (keyof typeof paths)[] = [];
    let isStarted = false;
    this.#unwatch = watchPaths(paths, (names) => {
      changed = [...new Set([...changed, ...names])];
      if (isStarted) follow();
    });
    const follow = () =>
      this.#enqueue(async () => {
        const names = changed;
        changed = [];
        if (names.length > 0) await this.#follow(names);
      });
    await this.#enqueue(async () => {
      this.#running = await this.#open();
      await this.#serve(this.#running);
    });
    isStarted = true;
    follow();
    const { server, configuration, databases, program } = this.#running!;
    return {
      port: server!.port,
      configuration,
      place: databases && databases.addresses.size > 0 ? databases.place : undefined,
      roles: this.#options.roles ?? (program ? rolesToTry(program) : []),
    };
  }

  /** Ends everything, after the step that runs. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#unwatch();
    await this.#queue;
    await this.#close();
  }

  #enqueue(step: () => Promise<void>): Promise<void> {
    const result = this.#queue.then(async () => {
      if (!this.#isStopping) await step();
    });
    this.#queue = result.catch(() => {});
    return result;
  }

  async #follow(names: readonly ('metadata' | 'schema' | 'environment')[]): Promise<void> {
    const { say } = this.#terminal;
    try {
      if (!this.#running?.server || names.includes('environment')) {
        // One that cannot be read ends nothing.
        this.#configure();
        say('\nStarting again …');
        await this.#restart();
        return;
      }
      const update = names.includes('schema') ? await this.#running.databases?.update() : undefined;
      if (update) this.#tell(update);
      if (update?.outcome === 'replaced') {
        await this.#running.server.stop();
        this.#running.server = undefined;
        await this.#serve(this.#running);
        await this.#running.databases?.retire();
        return;
      }
      if (update?.outcome === 'extended') await this.#take([...this.#running.databases!.addresses.keys()]);
      else if (names.includes('metadata')) await this.#take([]);
    } catch (error) {
      say(explain(error));
    }
  }

  async #restart(): Promise<void> {
    const databases = this.#running?.databases;
    await this.#running?.server?.stop();
    this.#running = undefined;
    this.#running = await this.#open(databases);
    await this.#serve(this.#running);
    this.#terminal.say('The server answers again.');
  }

  async #close(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.server?.stop();
    await running?.databases?.stop();
  }

  #configure(): Pick<Running, 'configuration' | 'environment'> {
    const { environmentFile, flags } = this.#options;
    const { vocabulary } = this.#context;
    const environment = withFileVariables(
      { ...readEnvironment(environmentFile), ...this.#context.environment },
      vocabulary,
    );
    const defaults = Object.entries(DEFAULTS).map(([key, value]) => [optionVariable(key, vocabulary), value]);
    const given = readConfiguration(flags, { ...Object.fromEntries(defaults), ...environment });
    const configuration = { ...given, workers: 1 };
    return { configuration, environment };
  }

  /**
   * Starts the databases, and brings them up to date.
   * @param former those that run, which stay if they are of the same sources
   */
  async #open(former?: Databases): Promise<Running> {
    const { configuration, environment } = this.#configure();
    if (!former && configuration.serverPort !== 0) await requireFreePort(configuration);
    const given = { ...environment };
    const unset: Source[] = [];
    for (const source of readMetadataFile(this.#options.metadata, this.#context).value.sources) {
      const variable = addressVariable(source.configuration.connection_info.database_url);
      if (variable === undefined || given[variable]) continue;
      if (source.name === 'default' && configuration.databaseUrl !== undefined)
        given[variable] = configuration.databaseUrl;
      else unset.push(source);
    }
    const isSame = String([...(former?.addresses.keys() ?? [])]) === String(unset.map(({ name }) => name));
    if (!isSame) await former?.stop();
    const isNeeded = unset.length > 0 || configuration.metadataDatabaseUrl === undefined;
    const open = () => (isNeeded ? Databases.open(this.#options, unset) : undefined);
    const databases = isSame && former ? former : await open();
    try {
      if (databases) this.#tell(await databases.update());
      await databases?.retire();
    } catch (error) {
      await databases?.stop();
      throw error;
    }
    return {
      configuration,
      environment: given,
      databases,
      server: undefined,
      host: undefined,
      program: undefined,
    };
  }

  #tell({ said, diagnostics }: DatabasesUpdate): void {
    if (said !== undefined) this.#terminal.say(said);
    if (diagnostics.length > 0) this.#terminal.say(`\n${renderDiagnostics(diagnostics, () => '')}`.trimEnd());
  }

  /** Starts the server on the databases as they are. */
  async #serve(running: Running): Promise<void> {
    const { databases } = running;
    const environment = { ...running.environment };
    for (const { name, configuration } of readMetadataFile(this.#options.metadata, this.#context).value
      .sources) {
      const variable = addressVariable(configuration.connection_info.database_url);
      const address = databases?.addresses.get(name);
      if (variable !== undefined && address !== undefined) environment[variable] = address;
    }
    const configuration = {
      ...running.configuration,
      metadataDatabaseUrl: running.configuration.metadataDatabaseUrl ?? databases!.own,
      databaseUrl: undefined,
    };
    const openHost = async (context: HostContext): Promise<Host> => {
      const watched: HostContext = {
        ...context,
        prepare: (generated, sources) => {
          const prepared = context.prepare(generated, sources);
          const { runnable } = prepared;
          return {
            runnable,
            activate: () => {
              running.program = runnable.planner.program;
              prepared.activate();
            },
          };
        },
      };
      const options: ProjectFilesOptions = {
        ...this.#files(),
        serving: servingOptions(configuration),
        word: configuration.vocabulary.word,
      };
      const project = { module: projectModule, options };
      const host = await hostMetadata(watched, () =>
        startMetadataThread({
          configuration,
          environment,
          compiler: compilerModule,
          review: reviewModule,
          project,
        }),
      );
      running.host = host;
      try {
        await this.#take([]);
      } catch (error) {
        await host.stop();
        throw error;
      }
      return { ...host, writesFiles: true };
    };
    const roles = () => this.#options.roles ?? (running.program ? rolesToTry(running.program) : []);
    running.server = await startServer({
      configuration,
      environment,
      openHost,
      endpoints: configuration.graphiql
        ? [(app) => graphiql(app, { vocabulary: configuration.vocabulary, roles: roles() })]
        : [],
      observe: createLogger(configuration, { write: this.#terminal.log }),
    });
  }

  #files(): Omit<ProjectFilesOptions, 'serving' | 'word'> {
    const { metadata, out, clientTypes, handlerTypes } = this.#options;
    return { metadata, out, clientTypes, handlerTypes };
  }

  async #take(changed: readonly string[]): Promise<void> {
    const running = this.#running!;
    const begin = performance.now();
    const report = await running.host!.takeProject!(changed);
    this.#terminal.report(report, performance.now() - begin);
    // A source that has come, without an address: it needs a database, and the server its address.
    if (report.unset.length > 0 && running.server) await this.#restart();
  }
}

/** @throws StartError */
function readEnvironment(file: string): Record<string, string | undefined> {
  if (!existsSync(file)) return {};
  if (typeof util.parseEnv !== 'function')
    throw new StartError(
      `${file} is read by Node.js 20.12 and newer; this is ${process.versions.node}. Set its variables yourself, and move it away.`,
    );
  return util.parseEnv(readFileSync(file, 'utf8')) as Record<string, string>;
}
