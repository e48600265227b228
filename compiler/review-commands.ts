/** The commands that review generated code and permissions: check, audit, lint, test. */
import { type Command, Option } from 'commander';
import type { CommandContext } from './command.ts';

/** Adds the commands to the command line; each loads what it needs when it runs. */
export function addReviewCommands(
  program: Command,
  context: CommandContext,
  finish: (status: number) => void,
): void {
  addCheck(program, context, finish);
}

const PLACES = `
BASE and HEAD are folders of generated code, or revisions of git (main, HEAD~1), whose folder --folder names; main:api/generated
names both.`;

function folderOption(): Option {
  return new Option('--folder <path>', 'where revisions of git have the generated code').default('generated');
}

function addCheck(program: Command, context: CommandContext, finish: (status: number) => void): void {
  program
    .command('check')
    .description(
      "what clients will notice of a change: saved operations that break, and changes of each role's schema",
    )
    .argument('<base>', 'generated code before the change: a folder, or a revision of git')
    .argument('<head>', 'generated code after it')
    .addOption(folderOption())
    .addOption(
      new Option('--format <format>', 'of the report').choices(['text', 'json', 'markdown']).default('text'),
    )
    .addOption(
      new Option('--fail-on <weight>', 'what makes the exit status 1')
        .choices(['breaking', 'dangerous', 'never'])
        .default('breaking'),
    )
    .addHelpText(
      'after',
      `${PLACES}

  breaking    a request that was answered is refused now, or its answer lacks a field or has another type
  dangerous   a request is answered, but a client written before may stumble: a new value of an enum, say
  safe        new fields and types, stronger promises

Row rules and limits are not compared here: engine audit diff does that.

Exit status: 0 nothing as heavy as --fail-on, 1 otherwise, 2 wrong use.

Examples:
  engine check main generated
  engine check main generated --format markdown > comment.md
  engine check released/generated generated --fail-on dangerous`,
    )
    .action(async (base: string, head: string, options) => {
      const { checkCommand } = await import('./check-command.ts');
      finish(checkCommand(base, head, options, context));
    });
}
