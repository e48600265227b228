/** The command line. Only this file and the commands it calls write files; only `bin.mjs` sets the exit status. */

import { readFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import { compilerModule } from '../module.ts';
import type { CommandContext } from './command.ts';
import { FORMATS } from './compile-report.ts';
import { addDeliveryCommands } from './delivery-commands.ts';
import { addProjectOptions, CATALOGS, sourceAddress } from './project-options.ts';
import { addReviewCommands } from './review-commands.ts';
import { addSavedCommands } from './saved-commands.ts';

/** Exit status of a wrong use of the command line. */
const USAGE = 2;

/** Commands that need nothing of the server. */
const COMMANDS: readonly string[] = [
  'audit',
  'build',
  'check',
  'collections',
  'compile',
  'explain',
  'introspect',
  'lint',
  'metadata',
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
  MetadataCommandError: 1,
  ManifestError: 1,
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
  const program = createProgram(context, (code) => {
    status = code;
  });
  // The server's half is loaded for its own command and for help; it loads the compiler only to serve metadata.
  if (args.includes('serve') || !COMMANDS.some((command) => args.includes(command))) {
    const { registerServe } = await import('../../runtime/serve-command.ts');
    registerServe(program, compilerModule);
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
  const status = EXPECTED[error.name];
  if (status === undefined) throw error;
  context.stderr(`${error.message}\n`);
  return status;
}

function createProgram(context: CommandContext, finish: (status: number) => void): Command {
  const program = new Command('engine')
    .description('Compiles metadata and Postgres catalogs into a GraphQL server one can read, and serves it.')
    .option('--database-url <url>', 'connection string of the source "default"')
    .option(
      '--metadata-database-url <url>',
      'where a server keeps its metadata; the database-url unless given',
    )
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: context.stdout, writeErr: context.stderr })
    .showHelpAfterError('(engine --help lists the commands and their options)')
    .exitOverride();
  addCompile(program, context, finish);
  addIntrospect(program, context, finish);
  addSchema(program, context, finish);
  addMetadata(program, context, finish);
  addSavedCommands(program, context, finish);
  addReviewCommands(program, context, finish);
  addDeliveryCommands(program, context, finish);
  addVersion(program, context);
  return program;
}

function addCompile(program: Command, context: CommandContext, finish: (status: number) => void): void {
  const command = program
    .command('compile')
    .description(
      'write the code that serves a project: shapes, access rules and resolvers, one table a file',
    );
  addProjectOptions(command)
    .requiredOption('--out <folder>', 'folder of the generated files')
    .option('--check', 'write nothing; exit with status 1 and name the files that are stale')
    .option('--strict', 'keys that mean nothing are errors')
    .option(
      '--prove',
      'have the databases prepare every generated SQL text, running none; with --migrations always done',
    )
    .option('--check-environment', 'environment variables that the metadata needs must be set')
    .option('--lint [file]', 'lint the permissions as well, configured by the file, else by engine-lint.yaml')
    .addOption(new Option('--format <format>', 'of what is reported').choices(FORMATS).default('text'))
    .addHelpText(
      'after',
      `${CATALOGS}

Formats: text for a terminal, json, sarif (SARIF 2.1.0, on standard output), annotations (::error file=…,line=…::…, which
code hosts show beside the line).

Exit status: 0 done, 1 errors in the metadata or its migrations, SQL that PostgreSQL refuses, unreachable databases, stale
files or findings of the lint, 2 wrong use. Warnings alone are no error. engine explain CODE says more about what is reported.

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
    .description('print the GraphQL schema that a role sees, or TypeScript types for its clients');
  addProjectOptions(command)
    .requiredOption('--role <name>', 'the role')
    .addOption(
      new Option(
        '--as <form>',
        'what to print: the schema, its types, or types of the saved operations that the role may run',
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
    .description('save the catalogs of databases to a file, for compiles without a database')
    .requiredOption('--out <file>', 'JSON file to write')
    .option('--metadata <path>', 'whose sources to read; without it, those of --source')
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
    .description("a running server's metadata as files, and back")
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
        'admin secret of the server; ENGINE_GRAPHQL_ADMIN_SECRET unless given',
      )
      .action(async (_options, command: Command) => {
        const commands = await import('./metadata-command.ts');
        finish(await commands[`${name}Command`](command.optsWithGlobals(), context));
      });
  add('export', "write the server's metadata to files");
  add('apply', "replace the server's metadata by that of the files").option(
    '--allow-inconsistent',
    'also if some of it cannot be served',
  );
  add('diff', 'show what apply would change, writing nothing');
}

function addVersion(program: Command, context: CommandContext): void {
  program
    .command('version')
    .description('print the version')
    .action(() => {
      const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
      context.stdout(`${(JSON.parse(text) as { version: string }).version}\n`);
    });
}
