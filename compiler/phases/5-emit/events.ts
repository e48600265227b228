/** `events/`: event triggers, a file each, and cron triggers. */

import type {
  CronTriggerShape,
  DeliveryShape,
  EventsProgram,
  EventTriggerShape,
} from '../../../runtime/core/contract/events.ts';
import { shownText } from '../../../runtime/core/environment-template.ts';
import type { FileNames, ProgramNames } from './names.ts';
import { properties } from './table.ts';
import { holdsExactNumber, type Property, templates } from './templates.ts';

/** Whether anything calls webhooks by itself. */
export function hasEvents({ sources, cron }: EventsProgram): boolean {
  return sources.length > 0 || cron.length > 0;
}

/** The files of `events/`, by path. */
export function emitEvents({ sources, cron }: EventsProgram, names: ProgramNames): Map<string, string> {
  const files = new Map<string, string>();
  for (const { source, triggers } of sources) {
    for (const trigger of triggers) {
      const file = names.eventTrigger(source, trigger.name);
      files.set(`${file.path}.ts`, emitTrigger(source, trigger, file));
    }
  }
  if (cron.length > 0) files.set('events/cron.ts', emitCron(cron));
  const imports = sources.flatMap(({ source, triggers }) =>
    triggers.map((trigger) => names.eventTrigger(source, trigger.name)),
  );
  files.set(
    'events/index.ts',
    templates.eventsIndex({
      imports: [
        ...imports.map(({ identifier, path }) => ({
          identifier,
          file: `./${path.slice('events/'.length)}.ts`,
        })),
        ...(cron.length > 0 ? [{ identifier: 'cron', file: './cron.ts' }] : []),
      ],
      sources: sources.map(({ source, triggers }) => ({
        source,
        identifiers: triggers.map(({ name }) => names.eventTrigger(source, name).identifier).join(', '),
      })),
      cron: cron.length > 0 ? 'cron' : '[]',
    }),
  );
  return files;
}

function emitTrigger(source: string, trigger: EventTriggerShape, { identifier }: FileNames): string {
  const { name, table, manual, captures, delivery } = trigger;
  return templates.eventTrigger({
    place: `${source} · ${name}`,
    table: `${table.schema}.${table.name}`,
    leaves: captures.map(({ operation, sends }) => {
      const columns = sends === '*' ? 'every column' : sends.join(', ');
      const { webhook, signing } = delivery;
      return `${operation} sends ${columns} to ${shownText(webhook)}, ${signing ? 'signed' : 'not signed'}`;
    }),
    identifier,
    name,
    tableName: table,
    manual,
    options: properties(trigger, ['order', 'cleanup']),
    delivery: deliveryProperties(delivery),
    captures: captures.map(({ always = false, ...capture }) => ({ ...capture, always })),
  });
}

function emitCron(triggers: readonly CronTriggerShape[]): string {
  return templates.cron({
    exact: holdsExactNumber(triggers.map(({ payload }) => payload)),
    triggers: triggers.map((trigger) => ({
      properties: properties(trigger, [
        'name',
        'schedule',
        'timezone',
        'missed',
        'payload',
        'comment',
        'tolerance',
      ]),
      delivery: deliveryProperties(trigger.delivery),
    })),
  });
}

function deliveryProperties(delivery: DeliveryShape): readonly Property[] {
  return properties(delivery, ['webhook', 'headers', 'retry', 'requestTransform', 'signing']);
}
