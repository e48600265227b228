/**
 * The command line of an artefact: serves its program, compares it with databases, says what it is. Everything is in the
 * one file that this is bundled into; there is no metadata, no compiler, and the catalog is read by `verify` only.
 */
import { Command, CommanderError } from 'commander';
import { chooseVocabulary } from '../../configuration/choose-vocabulary.ts';
import { ConfigurationError, readConfiguration } from '../../configuration/configuration.ts';
import { withFileVariables } from '../../configuration/environment-files.ts';
import { EngineError } from '../../core/errors.ts';
import { type Vocabulary, vocabularyOf } from '../../core/vocabulary.ts';
import { describeConnectionError } from '../../database/connection-error.ts';
import { connectionUrl } from '../../database/connection-url.ts';
import type { ConnectionConfiguration } from '../../database/ways.ts';
import { startServer } from '../../server/main.ts';
import { addServerOptions, runServer, sourceAddresses } from '../../server/serve-command.ts';
import { verificationText, verifyProgram } from '../verify/verify.ts';
import type { Artefact } from './artefact.ts';
import { type ArtefactSourceOptions, artefactSources, hostArtefact } from './host.ts';

/** Exit status of a wrong use of the command line. */
const USAGE = 2;

/** Runs the artefact with the arguments of its process. Sets the exit status; a server runs until a signal. */
export async function runArtefact(artefact: Artefact, args: readonly string[]): Promise<void> {
  const { hash, engine, roles } = artefact.manifest;
  let vocabulary: Vocabulary;
  try {
    vocabulary = chooseVocabulary(args, process.env);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = USAGE;
    return;
  }
  const program = new Command('node server.mjs')
    .description(
      `Serves a compiled GraphQL API: ${hash.slice(0, 12)}, built by engine ${engine}${roles ? ` for the roles ${roles.join(', ')}` : ''}.`,
    )
    .exitOverride();
  const serve = program.command('serve', { isDefault: true }).description('serve the API (the default)');
  addSourceOption(serve).option(
    '--require-same-database',
    'do not start when operations would break; without it they are reported in the log',
  );
  addServerOptions(serve, vocabulary);
  serve.action(() => {
    const flags = serve.opts<Record<string, unknown>>();
    return runServer(() => {
      const environment = withFileVariables(process.env, vocabulary);
      const configuration = readConfiguration(flags, environment);
      if (configuration.graphiql) throw new ConfigurationError('an artefact has no query page (graphiql)');
      const sources = sourceAddresses(flags.source as readonly string[]);
      const strict = flags.requireSameDatabase === true;
      return {
        configuration,
        environment,
        openHost: (context) => hostArtefact(artefact, { sources, strict }, context),
      };
    }, startServer);
  });
  const verify = program
    .command('verify')
    .description(
      'compare the database objects that the SQL uses with the databases; status 1 if operations break',
    )
    .option('--database-url <URL>', 'connection string of the source "default"')
    .option('--json', 'print the result as JSON');
  addSourceOption(verify).action(async () => {
    const { databaseUrl, source, json } = verify.opts<{
      databaseUrl?: string;
      source: readonly string[];
      json?: true;
    }>();
    process.exitCode = await verifyCommand(
      artefact,
      {
        sources: sourceAddresses(source),
        databaseUrl: databaseUrl ?? process.env[vocabulary.environment('DATABASE_URL')],
      },
      json ?? false,
    );
  });
  program
    .command('describe')
    .description('print what this artefact is: hash, roles, sources, environment variables')
    .action(() => {
      const set = (name: string) => process.env[name] !== undefined;
      const environment = artefact.manifest.environment.map((name) => ({ name, set: set(name) }));
      process.stdout.write(`${JSON.stringify({ ...artefact.manifest, environment }, null, 2)}\n`);
    });
  try {
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : USAGE;
    else if (error instanceof ConfigurationError || error instanceof EngineError) {
      process.stderr.write(`${error.message}\n`);
      process.exitCode = USAGE;
    } else throw error;
  }
}

function addSourceOption(command: Command): Command {
  return command.option(
    '--source <NAME=URL>',
    'connection string of a source, in which {{NAME}} is an environment variable (repeatable)',
    (value: string, all: readonly string[]) => [...all, value],
    [] as readonly string[],
  );
}

/** Verifies and reports. Returns the exit status: 1 if operations break or a database cannot be reached. */
export async function verifyCommand(
  artefact: Artefact,
  options: ArtefactSourceOptions,
  json: boolean,
  write: { stdout: (text: string) => void; stderr: (text: string) => void } = {
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
  },
): Promise<number> {
  const databases = new Map<string, ConnectionConfiguration>();
  try {
    for (const [name, info] of artefactSources(artefact, options))
      databases.set(
        name,
        connectionUrl(info.database_url, info.ssl_configuration, {
          environment: process.env,
          vocabulary: vocabularyOf(artefact.program),
        })(),
      );
    const verification = await verifyProgram(artefact.program, databases, artefact.manifest.refused);
    write.stdout(json ? `${JSON.stringify(verification, null, 2)}\n` : verificationText(verification));
    return ['breaking', 'redefined'].includes(verification.verdict) ? 1 : 0;
  } catch (error) {
    write.stderr(`Not verified: ${describeConnectionError(error)}.\n`);
    return 1;
  }
}
