/** The commands around a compile: what a diagnostic means. */
import type { Command } from 'commander';
import type { CommandContext } from './command.ts';

/** Adds the commands to the command line; each loads what it needs when it runs. */
export function addDeliveryCommands(
  program: Command,
  context: CommandContext,
  finish: (status: number) => void,
): void {
  addExplain(program, context, finish);
}

function addExplain(program: Command, context: CommandContext, finish: (status: number) => void): void {
  program
    .command('explain')
    .description('what a diagnostic means and what to do about it')
    .argument('[code]', 'as it stands in the report, e.g. relationship-table-missing; without it all codes')
    .addHelpText('after', '\nExample:\n  engine explain sql-refused')
    .action(async (code: string | undefined) => {
      const { explainCommand } = await import('./explain-command.ts');
      finish(explainCommand(code, context));
    });
}
