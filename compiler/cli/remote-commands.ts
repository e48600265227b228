/** The commands about remote schemas. */
import type { Command } from 'commander';
import type { CommandContext } from './command.ts';
import { addProjectOptions, metadataOption } from './project-options.ts';

/** Adds the commands to the command line; each loads what it needs when it runs. */
export function addRemoteCommands(
  program: Command,
  context: CommandContext,
  finish: (status: number) => void,
): void {
  const remote = program
    .command('remote')
    .description('pin remote schemas beside the metadata, and compare them with the servers')
    .addHelpText(
      'after',
      `
A lock is remote_schemas/<name>.graphql beside the metadata: the schema as text, with its hash. With locks, compiling needs
no network.

Examples:
  engine remote lock --metadata metadata
  engine remote diff --metadata metadata
  engine remote check --metadata metadata --catalog catalog.json
  engine remote rebase --metadata metadata --out proposed`,
    );
  const names = '[names...]';
  remote
    .command('lock')
    .description('write the locks of remote schemas')
    .argument(names, 'remote schemas; default: all')
    .addOption(metadataOption())
    .action(async (chosen: string[], _options, command: Command) => {
      const { lockCommand } = await import('./remote-command.ts');
      finish(await lockCommand(chosen, command.optsWithGlobals(), context));
    });
  remote
    .command('diff')
    .description('show what new locks would change; exit 1 for differences')
    .argument(names, 'remote schemas; default: all')
    .addOption(metadataOption())
    .action(async (chosen: string[], _options, command: Command) => {
      const { diffCommand } = await import('./remote-command.ts');
      finish(await diffCommand(chosen, command.optsWithGlobals(), context));
    });
  remote
    .command('rebase')
    .description('propose permissions without what the servers no longer have; exit 1 for proposals')
    .argument(names, 'remote schemas; default: all')
    .addOption(metadataOption())
    .option('--out <folder>', 'write proposals as <remote schema>/<role>.graphql below this folder')
    .action(async (chosen: string[], _options, command: Command) => {
      const { rebaseCommand } = await import('./remote-command.ts');
      finish(await rebaseCommand(chosen, command.optsWithGlobals(), context));
    });
  addProjectOptions(remote.command('check'))
    .description('report permissions, relationships and saved operations that a server would break; exit 1')
    .argument(names, 'remote schemas; default: all')
    .action(async (chosen: string[], _options, command: Command) => {
      const { checkCommand } = await import('./remote-command.ts');
      finish(await checkCommand(chosen, command.optsWithGlobals(), context));
    });
}
