/** The commands about actions. */
import type { Command } from 'commander';
import type { CommandContext } from './command.ts';
import { addProjectOptions } from './project-options.ts';

/** Adds the commands to the command line; each loads what it needs when it runs. */
export function addActionCommands(
  program: Command,
  context: CommandContext,
  finish: (status: number) => void,
): void {
  const action = program.command('action').description('help to write handlers of actions');
  addProjectOptions(action.command('types'))
    .description('write TypeScript types for handlers, and stubs of handlers that do not exist yet')
    .requiredOption('--out <folder>', 'folder of the handlers')
    .addHelpText(
      'after',
      `
types.ts has the custom types, and the arguments and answer of each action; it is overwritten. A handler that exists is never changed.

Examples:
  engine action types --metadata metadata --out handlers
  engine action types --metadata metadata --catalog catalog.json --out handlers`,
    )
    .action(async (_options, command: Command) => {
      const { actionTypesCommand } = await import('./action-types.ts');
      finish(await actionTypesCommand(command.optsWithGlobals(), context));
    });
}
