/** The commands that say what something is. */
import { packageVersion } from '../../../runtime/configuration/package-version.ts';
import type { CommandContext } from '../command.ts';
import type { CommandDeclaration } from './declaration.ts';

export const helpCommands = (): readonly CommandDeclaration[] => [
  {
    name: 'explain',
    description: 'explain a diagnostic and how to fix it',
    arguments: { '[code]': 'code as printed in reports, e.g. table-not-tracked; omit it to list all codes' },
    help: '\nExample:\n  engine explain sql-refused',
    run: async () => (await import('../explain-command.ts')).explainCommand,
  },
  {
    name: 'docs',
    description: 'print a page of the documentation, or search all pages',
    arguments: { '[words...]': 'name of a page, or words that a section has; omit them for the index' },
    help: '\nExamples:\n  engine docs operators\n  engine docs jwt audience',
    run: async () => (await import('../docs-command.ts')).docsCommand,
  },
  {
    name: 'version',
    description: 'print the version',
    run: async () => (_options: object, context: CommandContext) => {
      context.stdout(`${packageVersion}\n`);
      return 0;
    },
  },
];
