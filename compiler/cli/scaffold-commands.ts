/** The commands that begin a project and its roles: init, role. */
import type { Command } from 'commander';
import type { CommandContext } from './command.ts';

/** Adds the commands to the command line; each loads what it needs when it runs. */
export function addScaffoldCommands(
  program: Command,
  context: CommandContext,
  finish: (status: number) => void,
): void {
  program
    .command('init')
    .description(
      'write a project that serves a database: metadata, catalog, tests, a workflow; no permissions',
    )
    .option('--out <folder>', 'folder of the project', '.')
    .option('--schema <name...>', 'serve only these schemas of the database')
    .addHelpText(
      'after',
      `
Tables, views and functions that return rows are served, with relationships by foreign keys in both directions. What GraphQL cannot
name gets another name; what cannot be served is left out. Both are printed, and written to left-out.md.

The database is that of --database-url, or of the environment. Its address is written to .env, which .gitignore names, and to no
other file. Without an address the project begins with a first migration, which is applied to an embedded PostgreSQL.

Nothing is overwritten: if one of the files exists, the command names it and writes nothing.

Examples:
  engine init --database-url postgres://localhost/shop
  engine init --database-url postgres://localhost/shop --schema public sales --out api
  engine init --out first`,
    )
    .action(async (_options, command: Command) => {
      const { initCommand } = await import('./init-command.ts');
      finish(await initCommand(command.optsWithGlobals(), context));
    });
}
