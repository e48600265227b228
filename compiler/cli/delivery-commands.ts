/** The commands around a compile: the artefact, whether it fits a database, and what a diagnostic means. */
import { type Command, Option } from 'commander';
import type { CommandContext } from './command.ts';
import { FORMATS } from './compile-report.ts';
import { addProjectOptions, CATALOGS, sourceAddress } from './project-options.ts';

/** Adds the commands to the command line; each loads what it needs when it runs. */
export function addDeliveryCommands(
  program: Command,
  context: CommandContext,
  finish: (status: number) => void,
): void {
  addBuild(program, context, finish);
  addVerify(program, context, finish);
  addExplain(program, context, finish);
}

function addBuild(program: Command, context: CommandContext, finish: (status: number) => void): void {
  const command = program
    .command('build')
    .description('bundle a project into a file or folder that runs with node alone');
  addProjectOptions(command)
    .requiredOption('--out <place>', 'a .mjs file, or a folder for it and the generated code')
    .option(
      '--roles <list>',
      'comma-separated roles to include; the artefact contains nothing about other roles',
    )
    .option('--allow-inconsistent', 'build even if some objects are inconsistent, without them')
    .option('--strict', 'treat unknown metadata keys as errors')
    .option(
      '--prove',
      'have PostgreSQL prepare (not run) every generated SQL text; always done with --migrations',
    )
    .option('--check-environment', 'fail if an environment variable used by the metadata is not set')
    .addOption(new Option('--format <format>', 'report format').choices(FORMATS).default('text'))
    .addHelpText(
      'after',
      `${CATALOGS}

The artefact holds the runtime and the generated code, and no compiler, no metadata, no addresses with passwords. It takes the
options and environment variables of engine serve. The same input gives the same bytes, and the same hash, on any machine.
With --roles, the role admin is left out unless it is listed.

  node server.mjs            serve
  node server.mjs verify     compare the databases with what its SQL uses
  node server.mjs describe   hash, roles, sources, environment variables

Exit status: 0 done, 1 errors in the metadata (nothing is written; see --allow-inconsistent), 2 wrong use.

Examples:
  engine build --metadata metadata --migrations migrations --out dist
  engine build --metadata metadata --catalog catalog.json --roles customer,public --out dist/public.mjs`,
    )
    .action(async (_options, command: Command) => {
      const { buildCommand } = await import('./build-command.ts');
      finish(await buildCommand(command.optsWithGlobals(), context));
    });
}

function addVerify(program: Command, context: CommandContext, finish: (status: number) => void): void {
  program
    .command('verify')
    .description('check live databases against the database objects that compiled SQL uses')
    .argument('<place>', 'an artefact (folder or .mjs file), or a folder of generated code')
    .option('--source <name=url>', 'address of a source; repeatable', sourceAddress)
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
same       tables, columns, keys, types, and the definitions of views, functions and triggers that the SQL uses are as they were
harmless   some changed, but every operation works as it did
redefined  every operation works, and a view, function, trigger or foreign key that it meets is defined otherwise
breaking   operations do not work any more: each is named, with its roles

Objects that no SQL uses do not count. Functions that others call, defaults, CHECK constraints, policies and rows are not compared, nor
is a view's query that another major version of PostgreSQL printed. Every statement is prepared by the database as well, and none is run.

Exit status: 0 same or harmless, 1 redefined or breaking, or a database cannot be reached, 2 wrong use.

Example:
  engine verify dist --database-url postgres://localhost/shop`,
    )
    .action(async (place: string, _options, command: Command) => {
      const { verifyPlace } = await import('./verify-command.ts');
      finish(await verifyPlace(place, command.optsWithGlobals(), context));
    });
}

function addExplain(program: Command, context: CommandContext, finish: (status: number) => void): void {
  program
    .command('explain')
    .description('explain a diagnostic and how to fix it')
    .argument('[code]', 'code as printed in reports, e.g. table-not-tracked; omit it to list all codes')
    .addHelpText('after', '\nExample:\n  engine explain sql-refused')
    .action(async (code: string | undefined) => {
      const { explainCommand } = await import('./explain-command.ts');
      finish(explainCommand(code, context));
    });
  program
    .command('docs')
    .description('print a page of the documentation, or search all pages')
    .argument('[words...]', 'name of a page, or words that a section has; omit them for the index')
    .addHelpText('after', '\nExamples:\n  engine docs operators\n  engine docs jwt audience')
    .action(async (words: readonly string[]) => {
      const { docsCommand } = await import('./docs-command.ts');
      finish(docsCommand(words, context));
    });
}
