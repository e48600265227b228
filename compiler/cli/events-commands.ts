/** The commands below `engine events`. */
import { type Command, Option } from 'commander';
import { vocabulary } from '../../runtime/core/vocabulary.ts';
import type { CommandContext } from './command.ts';

export function addEvents(program: Command, context: CommandContext, finish: (status: number) => void): void {
  const events = program
    .command('events')
    .description('list, show and redeliver events of a running server; pause and resume event triggers')
    .addHelpText(
      'after',
      `
Exit status: 0 done, 1 refused or unreachable, 2 wrong use.

Examples:
  engine events list article_rated --status error
  engine events redeliver article_rated --since 2026-01-31T00:00:00Z --per-second 10
  engine events pause article_rated`,
    );
  const add = (name: string, description: string) =>
    events
      .command(name)
      .description(description)
      .option('--source <name>', 'name of the source', 'default')
      .option('--endpoint <url>', 'address of the server', 'http://localhost:8080')
      .option(
        '--admin-secret <secret>',
        `admin secret of the server; default: ${vocabulary().environment('ADMIN_SECRET')}`,
      );
  const format = () =>
    new Option('--format <format>', 'output format').choices(['text', 'json']).default('text');
  const load = () => import('./events-command.ts');
  add('list', 'list the events of an event trigger, newest first')
    .argument('<trigger>', 'name of the event trigger')
    .addOption(new Option('--status <status>', 'only these').choices(['pending', 'processed', 'error']))
    .option('--limit <number>', 'maximum number of events', '100')
    .addOption(format())
    .action(async (trigger: string, options) => {
      finish(await (await load()).listCommand(trigger, options, context));
    });
  add('show', 'show an event and the calls that were made for it')
    .argument('<event>', 'id of the event')
    .addOption(format())
    .action(async (event: string, options) => {
      finish(await (await load()).showCommand(event, options, context));
    });
  add('redeliver', 'deliver an event again, or those of an event trigger that failed for good')
    .argument('<event>', 'id of the event, or name of the event trigger')
    .addOption(
      new Option('--status <status>', 'processed: delivered ones, too').choices(['error', 'processed']),
    )
    .option('--since <time>', 'only events made since this time (ISO 8601 with a zone)')
    .option('--limit <number>', 'maximum number of events', '1000')
    .option('--per-second <number>', 'spread the deliveries over time')
    .action(async (event: string, options) => {
      finish(await (await load()).redeliverCommand(event, options, context));
    });
  for (const operation of ['pause', 'resume'] as const)
    add(
      operation,
      operation === 'pause'
        ? 'stop the deliveries of an event trigger; its events wait'
        : 'deliver the events of an event trigger again',
    )
      .argument('<trigger>', 'name of the event trigger')
      .action(async (trigger: string, options) => {
        finish(await (await load()).pauseCommand(operation, trigger, options, context));
      });
}
