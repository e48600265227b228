/** The commands about saved operations. */
import type { Command } from 'commander';
import type { CommandContext } from './command.ts';

/** Adds the commands to the command line; each loads what it needs when it runs. */
export function addSavedCommands(
  program: Command,
  context: CommandContext,
  finish: (status: number) => void,
): void {
  program
    .command('collections')
    .description('query collections: the operations that clients are known to send')
    .command('import')
    .description("make a client's manifest of persisted operations a collection of the metadata")
    .argument('<manifest>', "JSON file that the client's generator wrote")
    .requiredOption(
      '--metadata <path>',
      'JSON file, or directory of YAML files, to write the collection into',
    )
    .requiredOption('--name <name>', 'of the collection; what it held before is replaced')
    .option('--comment <text>', 'what the collection is for')
    .addHelpText(
      'after',
      `
Manifests: persisted-documents.json of @graphql-codegen/client-preset, the file of Relay's persistConfig, and the
apollo-persisted-query-manifest of @apollo/generate-persisted-query-manifest. Clients then call by the hash that their
manifest has; give each released version of a client a collection of its own, and drop it when nobody uses that version.

Example:
  engine collections import persisted-documents.json --metadata metadata --name web-2026-05`,
    )
    .action(async (manifest: string, _options, command: Command) => {
      const { importCommand } = await import('./collections-command.ts');
      finish(importCommand(manifest, command.optsWithGlobals(), context));
    });
}
