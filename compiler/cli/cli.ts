/** The command line. Only this file and the commands it calls write files; only `bin.mjs` sets the exit status. */

import { Command, CommanderError } from 'commander';
import { chooseVocabulary } from '../../runtime/configuration/choose-vocabulary.ts';
import { fileProblem } from '../../runtime/core/reasons.ts';
import type { Vocabulary } from '../../runtime/core/vocabulary.ts';
import type { CommandContext } from './command.ts';
import { declare } from './commands/declaration.ts';
import { helpCommands } from './commands/help.ts';
import { projectCommands } from './commands/project.ts';
import { reviewCommands } from './commands/review.ts';
import { serverCommands, servingCommands } from './commands/server.ts';

/** Exit status of a wrong use of the command line. */
const USAGE = 2;

/** Errors that say in a sentence what is wrong and what to do. By name, because their modules are loaded on demand. */
const EXPECTED: Readonly<Record<string, number>> = {
  UsageError: USAGE,
  GeneratedCodeError: USAGE,
  LintConfigurationError: USAGE,
  CasesError: USAGE,
  CatalogFileError: 1,
  OutputFolderError: 1,
  MigrationsFolderError: 1,
  EmbeddedPostgresError: 1,
  ScratchServerError: 1,
  MetadataCommandError: 1,
  ManifestError: 1,
  ProjectFolderError: 1,
};

const consoleContext: ProcessContext = {
  environment: process.env,
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
};

/** What a command line runs in. */
type ProcessContext = Omit<CommandContext, 'vocabulary'>;

/**
 * Runs `engine` with these arguments and returns the exit status: 0 for success, 1 for errors in the input and for stale
 * files, 2 for a wrong command line.
 */
export async function run(args: readonly string[], given: ProcessContext = consoleContext): Promise<number> {
  let status = 0;
  let vocabulary: Vocabulary;
  try {
    vocabulary = chooseVocabulary(args, given.environment);
  } catch (error) {
    given.stderr(`${(error as Error).message}\n`);
    return USAGE;
  }
  const context: CommandContext = { ...given, vocabulary };
  const finish = (code: number) => {
    status = code;
  };
  const program = createProgram(context);
  const commands = [
    ...projectCommands(vocabulary),
    ...serverCommands(vocabulary),
    ...reviewCommands(vocabulary),
    ...helpCommands(),
    ...servingCommands,
  ];
  // The server's half is loaded for its own commands and for help; it loads the compiler only to serve metadata.
  const named = commands.filter(({ name }) => args.includes(name));
  const mayServe = named.length === 0 || named.some(({ serves }) => serves);
  const server = mayServe ? await import('../../runtime/server/serve-command.ts') : undefined;
  for (const command of commands) {
    if (command.serves && !server) continue;
    const declared = declare(program, command, context, finish);
    if (command.serves) server?.addServerOptions(declared, vocabulary);
  }
  try {
    await program.parseAsync([...args], { from: 'user' });
    return status;
  } catch (error) {
    return exitStatus(error, context);
  }
}

function exitStatus(error: unknown, context: CommandContext): number {
  // Commander has said what is wrong; help and version end this way too.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  if (!(error instanceof Error)) throw error;
  const { path, syscall } = error as NodeJS.ErrnoException;
  if (path !== undefined && syscall !== undefined) {
    context.stderr(`${path} cannot be used: ${fileProblem(error)}.\n`);
    return 1;
  }
  const status = EXPECTED[error.name];
  if (status === undefined) throw error;
  context.stderr(`${error.message}\n`);
  return status;
}

function createProgram(context: CommandContext): Command {
  return new Command('engine')
    .description(
      'Compile metadata and Postgres catalogs into readable code of a GraphQL server, and serve it.',
    )
    .option('--database-url <url>', 'connection string of the source "default"')
    .option('--metadata-database-url <url>', 'database that holds the metadata; default: --database-url')
    .option(
      '--vocabulary <word>',
      'word in headers, variables and metadata: x-WORD-role, WORD_GRAPHQL_…; default: engine',
    )
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: context.stdout, writeErr: context.stderr })
    .showHelpAfterError('(engine --help lists the commands and their options)')
    .exitOverride();
}
