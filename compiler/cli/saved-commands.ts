/** The commands about saved operations. */
import type { Command } from 'commander';
import type { CommandContext } from './command.ts';
import { metadataOption } from './project-options.ts';

/** Adds the commands to the command line; each loads what it needs when it runs. */
export function addSavedCommands(
  program: Command,
  context: CommandContext,
  finish: (status: number) => void,
): void {
  program
    .command('collections')
    .description('manage query collections')
    .command('import')
    .description("import a client's manifest of persisted operations as a query collection")
    .argument('<manifest>', "JSON file written by the client's code generator")
    .addOption(metadataOption('metadata to change: JSON file, or directory of YAML files'))
    .requiredOption('--name <name>', 'name of the collection; its operations are replaced')
    .option('--comment <text>', 'comment of the collection')
    .addHelpText(
      'after',
      `
Manifests: persisted-documents.json of @graphql-codegen/client-preset, the file of Relay's persistConfig, and the
apollo-persisted-query-manifest of @apollo/generate-persisted-query-manifest. Clients then call by the hash that their
manifest has; give each released version of a client a collection of its own, and drop it when that version is no longer used.

Example:
  engine collections import persisted-documents.json --metadata metadata --name web-2026-05`,
    )
    .action(async (manifest: string, _options, command: Command) => {
      const { importCommand } = await import('./collections-command.ts');
      finish(importCommand(manifest, command.optsWithGlobals(), context));
    });
}
