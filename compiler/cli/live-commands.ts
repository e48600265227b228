/** The commands about the record of writes that live queries are fed by. */
import type { Command } from 'commander';
import type { CommandContext } from './command.ts';
import { sourceAddress } from './project-options.ts';

/** Adds the commands to the command line; each loads what it needs when it runs. */
export function addLiveCommands(
  program: Command,
  context: CommandContext,
  finish: (status: number) => void,
): void {
  const live = program
    .command('live')
    .description('install triggers that tell live queries which tables and keys were written')
    .addHelpText(
      'after',
      `
Live queries need none of it: without triggers they are read again after any write to the database server, with them only
after a write to their own tables and keys. docs/live-queries.md says what it costs.

install needs the right to create triggers on the tracked tables, and to create the schema engine_catalog or objects in it. Run it as
the server's own role, which has to read and write what is recorded. Each table is locked for writers for a moment, one after the other.

Examples:
  engine live install --metadata metadata --dry-run
  engine live install --metadata metadata
  engine live status --metadata metadata
  engine live remove --source default=postgres://localhost/shop`,
    );
  const add = (name: 'install' | 'status' | 'remove', description: string) =>
    live
      .command(name)
      .description(description)
      .option('--metadata <path>', 'JSON or YAML file, or directory of YAML files')
      .option(
        '--source <name=url>',
        'connection string of a source, overriding the metadata; repeatable',
        sourceAddress,
      );
  add('install', 'create the triggers on every tracked table, and on tables behind tracked views')
    .option('--dry-run', 'print the SQL and change nothing')
    .action(async (_options, command: Command) => {
      const { liveInstallCommand } = await import('./live-command.ts');
      finish(await liveInstallCommand(command.optsWithGlobals(), context));
    });
  add('status', 'list the tables and whether their writes are recorded; exit 1 if some are not')
    .option('--json', 'print the result as JSON')
    .action(async (_options, command: Command) => {
      const { liveStatusCommand } = await import('./live-command.ts');
      finish(await liveStatusCommand(command.optsWithGlobals(), context));
    });
  add('remove', 'drop the triggers, wherever they are, and what they recorded')
    .option('--dry-run', 'print the SQL and change nothing')
    .action(async (_options, command: Command) => {
      const { liveRemoveCommand } = await import('./live-command.ts');
      finish(await liveRemoveCommand(command.optsWithGlobals(), context));
    });
}
