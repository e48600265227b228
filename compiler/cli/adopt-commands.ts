/** The command for those who come from another engine of the API family. */
import { type Command, Option } from 'commander';
import type { AdoptOptions } from './adopt-command.ts';
import type { CommandContext } from './command.ts';

/** Adds the command to the command line; it loads what it needs when it runs. */
export function addAdoptCommands(
  program: Command,
  context: CommandContext,
  finish: (status: number) => void,
): void {
  program
    .command('adopt')
    .description('find what another engine of this API family left in a database')
    .command('check')
    .description('list its triggers, functions that read its settings, and undelivered events')
    .argument('[url]', 'the database; default: --database-url')
    .addOption(
      new Option('--format <format>', 'text, json, or the sql that settles it')
        .choices(['text', 'json', 'sql'] satisfies AdoptOptions['format'][])
        .default('text'),
    )
    .addHelpText(
      'after',
      `
Reads the catalog and counts rows, in a read-only session: nothing is changed. The exit code is 1 if something has to be settled.

Examples:
  engine adopt check postgres://localhost/shop
  engine adopt check postgres://localhost/shop --format sql > settle.sql`,
    )
    .action(async (url: string | undefined, _options, command: Command) => {
      const { adoptCheckCommand } = await import('./adopt-command.ts');
      finish(await adoptCheckCommand(url, command.optsWithGlobals(), context));
    });
}
