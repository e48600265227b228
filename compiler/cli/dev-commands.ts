/** The command `engine dev`. */
import type { Command } from 'commander';
import type { CommandContext } from './command.ts';
import { collect } from './project-options.ts';

/** @param addServerOptions adds the options of `engine serve` */
export function addDev(
  program: Command,
  context: CommandContext,
  finish: (status: number) => void,
  addServerOptions: (command: Command) => void,
): void {
  const command = program
    .command('dev')
    .description('serve a project while you edit it, on a PostgreSQL of its own where it has no database')
    .option('--metadata <path>', 'metadata to serve: directory or file', 'metadata')
    .option('--migrations <path>', 'SQL for the development database; default: migrations, if it exists')
    .option('--seed <path>', 'SQL to apply after the migrations; default: seed.sql or seeds, if it exists')
    .option(
      '--catalog <file>',
      'make tables after this saved catalog where there are no migrations; default: catalog.json, if it exists',
    )
    .option(
      '--stub-extension <name[=file]>',
      'install a stub of an extension that the embedded PostgreSQL lacks; repeatable',
      collect,
    )
    .option('--out <folder>', 'write the generated files as well, at every change')
    .option('--client-types <role=file>', "write TypeScript types for a role's clients; repeatable", collect)
    .option('--handler-types <folder>', 'write TypeScript types and stubs for handlers of actions');
  addServerOptions(command);
  command
    .addHelpText(
      'after',
      `
Listens on this machine only, with the console and GraphiQL, and follows metadata, migrations, seed and .env: what is saved is
served at once, and what is wrong with it is printed, and again when it is mended. A file that cannot be read changes nothing.

.env holds environment variables; those that are set already win. A source whose address they hold, or --database-url, is served as
it is: no migrations are applied to it. Every other source gets a database of an embedded PostgreSQL, which is kept in .engine.
New migrations are applied to it. When an applied file or the seed changes, it is made anew, and the former one is kept beside it.

What the console and the metadata API change is written to the files, one table a file, as engine metadata export writes them.

Ctrl-C ends everything but the data, a second one at once. rm -r .engine forgets the data.

Examples:
  engine dev
  engine dev --server-port 8081 --client-types user=web/types.ts
  engine dev --database-url postgres://localhost/shop`,
    )
    .action(async (_options, command: Command) => {
      const { devCommand } = await import('./dev-command.ts');
      finish(await devCommand(command.optsWithGlobals(), context));
    });
}
