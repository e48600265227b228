/** `engine serve`, and what the command line of an artefact shares with it. */

import cluster from 'node:cluster';
import type { Command } from 'commander';
import type { FastifyInstance } from 'fastify';
import {
  type Configuration,
  ConfigurationError,
  optionHelp,
  optionName,
  readConfiguration,
} from '../configuration/configuration.ts';
import { withFileVariables } from '../configuration/environment-files.ts';
import { type Option, optionsIn } from '../configuration/options.ts';
import { boolean } from '../configuration/values.ts';
import { EngineError } from '../core/errors.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import type { Endpoints, HttpContext } from '../http/context.ts';
import { startMetadataThread, startThreadEarly } from '../metadata-api/thread/start-thread.ts';
import type { ThreadData } from '../metadata-api/thread/thread-messages.ts';
import { LoadError } from '../program/load-error.ts';
import type { ServerOptions, StartedServer } from './main.ts';
import { StartError } from './start-error.ts';
import { openLink, type WorkerLink } from './workers/link.ts';

/**
 * `engine serve`: resolves when the server has started, as `runServer` says.
 * @param flags options of the command line, by name
 * @param modules addresses of the compiler's module, and of the one that answers the console
 * @param vocabulary of the command line
 */
export function serve(
  flags: Readonly<Record<string, unknown>>,
  modules: Required<Pick<ServerOptions, 'compiler' | 'review'>>,
  vocabulary: Vocabulary,
): Promise<void> {
  return runServer(() => {
    const environment = withFileVariables(process.env, vocabulary);
    const configuration = readConfiguration(flags, environment);
    const options = { configuration, environment, ...modules, endpoints: queryPages(configuration) };
    if (typeof flags.generated !== 'string') return options;
    const sources = sourceAddresses(flags.source as readonly string[]);
    const allowEdited = flags.allowEdited === true;
    return { ...options, generated: { directory: flags.generated, sources, allowEdited } };
  }, loadServer);
}

/** The query page where the configuration asks for it. */
export function queryPages({ graphiql, devMode }: Configuration): readonly Endpoints[] {
  return (graphiql ?? devMode) ? [queryPage] : [];
}

/** Loaded once the metadata thread has been started, which loads at the same time. */
async function loadServer(options: ServerOptions): Promise<StartedServer> {
  const { startServer } = await import('./main.ts');
  return startServer(options);
}

/** Loaded on demand: few servers have it. */
async function queryPage(
  app: FastifyInstance,
  { configuration: { vocabulary } }: HttpContext,
): Promise<void> {
  const { graphiql } = await import('../http/graphiql.ts');
  await graphiql(app, { vocabulary });
}

/** Adds every option of a server to a command. */
export function addServerOptions(command: Command, vocabulary: Vocabulary): void {
  for (const [key, option] of Object.entries<Option>(optionsIn(vocabulary))) {
    const { type, variableOnly } = option;
    if (variableOnly) continue;
    const value = type === boolean ? '[BOOLEAN]' : `<${type.placeholder}>`;
    command.option(`--${optionName(key)} ${value}`, optionHelp(key, option, vocabulary));
  }
}

/** `NAME=URL` pairs as addresses by source. @throws ConfigurationError */
export function sourceAddresses(pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const end = pair.indexOf('=');
      // The text itself may hold a password.
      if (end < 1) throw new ConfigurationError('Option --source: expected NAME=URL');
      return [pair.slice(0, end), pair.slice(end + 1)];
    }),
  );
}

/**
 * Starts the server for the command line: signals stop it, and an error that prevents the start is reported in one line. Never
 * throws; the process ends with status 1 when the start fails.
 *
 * Once it serves, an exception that nothing catches is logged and the server goes on. What this thread shares between requests
 * is frozen and replaced by single assignments, and what a peer sends can only break its own request or connection, which
 * `guarded` ends. The metadata thread changes what it holds step by step: there such an exception ends the thread.
 */
export async function runServer(
  prepare: () => ServerOptions,
  start: (options: ServerOptions) => Promise<StartedServer>,
): Promise<void> {
  let server: StartedServer | undefined;
  let link: WorkerLink | undefined;
  const report = (error: unknown) => server?.report(error);
  try {
    const options = prepare();
    if (options.configuration.workers === 1) {
      const thread = threadOf(options);
      server = await start({ ...options, ...(thread && { startThread: startThreadEarly(thread) }) });
    } else if (cluster.isPrimary) {
      const { runPrimary } = await import('./workers/primary.ts');
      const configuration = { ...options.configuration, workers: 1 };
      const thread = threadOf({ ...options, configuration });
      return await runPrimary(options, thread && (() => startMetadataThread(thread)));
    } else {
      link = openLink(report);
      server = await start({ ...options, link, startThread: link.openThread });
    }
  } catch (error) {
    if (link) await link.failed(fatal(error));
    else process.stderr.write(`${fatal(error)}\n`);
    process.exit(1);
  }
  const { port, stop } = server;
  let isStopping = false;
  const stopOnce = () => {
    if (isStopping) return;
    isStopping = true;
    stop()
      .then(() => link?.leave())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          process.stderr.write(`${fatal(error)}\n`);
          process.exit(1);
        },
      );
  };
  let signals = 0;
  const signalled = () => {
    signals += 1;
    // The second signal does not wait.
    if (signals > 1) process.exit(1);
    stopOnce();
  };
  process.on('uncaughtException', (error) =>
    report(new Error('nothing caught this error; the server goes on', { cause: error })),
  );
  process.on('SIGTERM', signalled);
  process.on('SIGINT', signalled);
  if (!link) return;
  // For the primary process, though a terminal sends it to all.
  process.on('SIGHUP', () => {});
  link.whenStopped(stopOnce);
  link.serving(port);
}

/** What the metadata thread starts with; undefined for a server without metadata. */
function threadOf({
  configuration,
  environment,
  compiler,
  review,
  generated,
}: ServerOptions): ThreadData | undefined {
  return compiler === undefined || generated ? undefined : { configuration, environment, compiler, review };
}

function fatal(error: unknown): string {
  const expected =
    error instanceof ConfigurationError ||
    error instanceof StartError ||
    error instanceof EngineError ||
    error instanceof LoadError;
  return `Fatal Error:- ${expected || !(error instanceof Error) ? (error as Error).message : error.stack}`;
}
