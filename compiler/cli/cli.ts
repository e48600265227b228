/** The command line. Only this file and the commands it calls write files; only `bin.mjs` sets the exit status. */

import { Command, CommanderError, Option } from 'commander';
import { chooseVocabulary } from '../../runtime/configuration/choose-vocabulary.ts';
import { packageVersion } from '../../runtime/configuration/package-version.ts';
import { fileProblem } from '../../runtime/core/reasons.ts';
import { vocabulary } from '../../runtime/core/vocabulary.ts';
import { compilerModule, reviewModule } from '../module.ts';
import { addActionCommands } from './action-commands.ts';
import { addAdoptCommands } from './adopt-commands.ts';
import type { CommandContext } from './command.ts';
import { FORMATS } from './compile-report.ts';
import { addDeliveryCommands } from './delivery-commands.ts';
import { addDev } from './dev-commands.ts';
import { addEvents } from './events-commands.ts';
import { addLiveCommands } from './live-commands.ts';
import { addProjectOptions, CATALOGS, sourceAddress } from './project-options.ts';
import { addRemoteCommands } from './remote-commands.ts';
import { addReviewCommands } from './review-commands.ts';
import { addSavedCommands } from './saved-commands.ts';
import { addScaffoldCommands } from './scaffold-commands.ts';

/** Exit status of a wrong use of the command line. */
const USAGE = 2;

/** Commands that need nothing of the server. */
const COMMANDS: readonly string[] = [
  'action',
  'adopt',
  'audit',
  'build',
  'check',
  'collections',
  'compile',
  'docs',
  'explain',
  'init',
  'introspect',
  'lint',
  'live',
  'metadata',
  'remote',
  'role',
  'schema',
  'test',
  'verify',
  'version',
];

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

const consoleContext: CommandContext = {
  environment: process.env,
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
};

/**
 * Runs `engine` with these arguments and returns the exit status: 0 for success, 1 for errors in the input and for stale
 * files, 2 for a wrong command line.
 */
export async function run(
  args: readonly string[],
  context: CommandContext = consoleContext,
): Promise<number> {
  let status = 0;
  try {
    chooseVocabulary(args, context.environment);
  } catch (error) {
    context.stderr(`${(error as Error).message}\n`);
    return USAGE;
  }
  const finish = (code: number) => {
    status = code;
  };
  const program = createProgram(context, finish);
  // The server's half is loaded for its own command and for help; it loads the compiler only to serve metadata.
  if (args.includes('serve') || !COMMANDS.some((command) => args.includes(command))) {
    const { addServerOptions, registerServe } = await import('../../runtime/server/serve-command.ts');
    registerServe(program, compilerModule, reviewModule);
    addDev(program, context, finish, addServerOptions);
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

function createProgram(context: CommandContext, finish: (status: number) => void): Command {
  const program = new Command('engine')
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
  addScaffoldCommands(program, context, finish);
  addCompile(program, context, finish);
  addIntrospect(program, context, finish);
  addSchema(program, context, finish);
  addMetadata(program, context, finish);
  addEvents(program, context, finish);
  addSavedCommands(program, context, finish);
  addActionCommands(program, context, finish);
  addRemoteCommands(program, context, finish);
  addLiveCommands(program, context, finish);
  addReviewCommands(program, context, finish);
  addDeliveryCommands(program, context, finish);
  addAdoptCommands(program, context, finish);
  addVersion(program, context);
  return program;
}

function addCompile(program: Command, context: CommandContext, finish: (status: number) => void): void {
  const command = program
    .command('compile')
    .description('generate the code that serves a project: table shapes, access rules, resolvers');
  addProjectOptions(command)
    .requiredOption('--out <folder>', 'folder for the generated files')
    .option('--check', 'write nothing; exit 1 and list the files that are out of date')
    .option('--strict', 'treat unknown metadata keys as errors')
    .option('--allow-inconsistent', 'leave out objects with errors, and write the rest')
    .option(
      '--prove',
      'have PostgreSQL prepare (not run) every generated SQL text; always done with --migrations',
    )
    .option('--check-environment', 'fail if an environment variable used by the metadata is not set')
    .option('--check-types', 'type-check the generated code; it is always loaded, which checks every name')
    .option('--lint [file]', 'also lint the permissions; configuration file, default engine-lint.yaml')
    .addOption(new Option('--format <format>', 'report format').choices(FORMATS).default('text'))
    .addHelpText(
      'after',
      `${CATALOGS}

Formats: text for a terminal, json, sarif (SARIF 2.1.0, on standard output), annotations (::error file=…,line=…::…, which
code hosts show beside the line).

Exit status: 0 done, 1 errors in the metadata or its migrations, SQL that PostgreSQL refuses, unreachable databases (nothing is
written then; see --allow-inconsistent), stale files or findings of the lint, 2 wrong use. Warnings alone are no error. engine explain CODE explains a diagnostic.

Examples:
  engine compile --metadata metadata --out generated
  engine compile --metadata metadata --migrations migrations --out generated
  engine compile --metadata metadata.json --source default=postgres://localhost/shop --out generated --prove
  engine compile --metadata metadata --catalog catalog.json --out generated --check`,
    )
    .action(async (_options, command: Command) => {
      const { compileCommand } = await import('./compile-command.ts');
      finish(await compileCommand(command.optsWithGlobals(), context));
    });
}

function addSchema(program: Command, context: CommandContext, finish: (status: number) => void): void {
  const command = program
    .command('schema')
    .description('print the GraphQL schema of a role, or TypeScript types for its clients');
  addProjectOptions(command)
    .requiredOption('--role <name>', 'name of the role')
    .addOption(
      new Option(
        '--as <form>',
        'output: the schema, TypeScript types of it, or types of the saved operations of the role',
      )
        .choices(['sdl', 'types', 'operations'])
        .default('sdl'),
    )
    .addHelpText(
      'after',
      `
Examples:
  engine schema --metadata metadata --role user > schema.graphql
  engine schema --metadata metadata --catalog catalog.json --role user --as types > types.ts
  engine schema --metadata metadata --catalog catalog.json --role user --as operations > operations.ts`,
    )
    .action(async (_options, command: Command) => {
      const { schemaCommand } = await import('./schema-command.ts');
      finish(await schemaCommand(command.optsWithGlobals(), context));
    });
}

function addIntrospect(program: Command, context: CommandContext, finish: (status: number) => void): void {
  program
    .command('introspect')
    .description('save the catalogs of databases to a file, to compile without a database')
    .requiredOption('--out <file>', 'JSON file to write')
    .option('--metadata <path>', 'metadata whose sources to read; default: the sources of --source')
    .option('--source <name=url>', "address of a source's database; repeatable", sourceAddress)
    .addHelpText(
      'after',
      `
The file holds tables, columns, keys, types and functions, and the rows of enum tables that the metadata names. It holds no
addresses and no other rows.

Example:
  engine introspect --metadata metadata --out catalog.json`,
    )
    .action(async (_options, command: Command) => {
      const { introspectCommand } = await import('./introspect-command.ts');
      finish(await introspectCommand(command.optsWithGlobals(), context));
    });
}

function addMetadata(program: Command, context: CommandContext, finish: (status: number) => void): void {
  const metadata = program
    .command('metadata')
    .description('export the metadata of a running server to files, compare it with files, or apply files')
    .addHelpText(
      'after',
      `
Metadata is a JSON file (its name ends in .json) or a directory of YAML files, one table a file.

Exit status: 0 done, 1 refused or unreachable, or for diff: different; 2 wrong use.

Examples:
  engine metadata export --endpoint http://localhost:8080 --metadata metadata
  engine metadata diff --endpoint http://localhost:8080 --metadata metadata
  engine metadata apply --endpoint http://localhost:8080 --metadata metadata`,
    );
  const add = (name: 'export' | 'apply' | 'diff', description: string) =>
    metadata
      .command(name)
      .description(description)
      .requiredOption('--metadata <path>', 'JSON file, or directory of YAML files')
      .option('--endpoint <url>', 'address of the server', 'http://localhost:8080')
      .option(
        '--admin-secret <secret>',
        `admin secret of the server; default: ${vocabulary().environment('ADMIN_SECRET')}`,
      )
      .action(async (_options, command: Command) => {
        const commands = await import('./metadata-command.ts');
        finish(await commands[`${name}Command`](command.optsWithGlobals(), context));
      });
  add('export', "write the server's metadata to files");
  add('apply', "replace the server's metadata with the files").option(
    '--allow-inconsistent',
    'apply even if some objects are inconsistent',
  );
  add('diff', 'show what apply would change, without changing it');
}

function addVersion(program: Command, context: CommandContext): void {
  program
    .command('version')
    .description('print the version')
    .action(() => {
      context.stdout(`${packageVersion}\n`);
    });
}
