import type { CronTrigger, Json } from '../../../compiler/model/metadata.ts';
import { nameSchema, object } from '../../../compiler/phases/1-read/schemas/shared.ts';
import { cronTriggerSchema } from '../../../compiler/phases/1-read/schemas/trigger.ts';
import { EngineError } from '../../core/errors.ts';
import { NO_PATH, without } from '../edit.ts';
import { globalObject } from '../names.ts';
import { warnNotServed } from '../not-served.ts';
import { METADATA, METADATA_AND_LEGACY, operation, SUCCESS } from '../operation.ts';
import { withReplace } from '../with-replace.ts';
import type { WorkingCopy } from '../working-copy.ts';

type CreateArguments = { readonly entry: Omit<CronTrigger, 'path'>; readonly replace: boolean };

interface DropArguments {
  readonly name: string;
}

export const createCronTrigger = operation<CreateArguments>({
  name: 'create_cron_trigger',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation:
    'Has a web hook called by a cron schedule (UTC); with `replace` an existing trigger is changed.',
  arguments: withReplace(cronTriggerSchema),
  policy: 'target',
  targets: ({ entry }) => [globalObject('cron_trigger', entry.name)],
  changesMetadata: true,
  run: ({ entry, replace }, copy) => {
    const exists = copy.metadata.cron_triggers.some(({ name }) => name === entry.name);
    if (exists && !replace) {
      throw new EngineError('already-exists', `cron trigger with name: ${entry.name} already exists`);
    }
    if (!exists && replace) throw missing(entry.name);
    requireSchedule(entry.schedule);
    const others = copy.metadata.cron_triggers.filter(({ name }) => name !== entry.name);
    copy.metadata = { ...copy.metadata, cron_triggers: [...others, { ...NO_PATH, ...entry }] };
    warnNotServed(copy, 'cron_trigger', entry.name, 'Cron triggers');
    return SUCCESS;
  },
});

export const deleteCronTrigger = operation<DropArguments>({
  name: 'delete_cron_trigger',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Deletes a cron trigger with its scheduled events.',
  arguments: object<DropArguments>({ name: nameSchema }),
  policy: 'others',
  changesMetadata: true,
  run: ({ name }, copy) => {
    if (!copy.metadata.cron_triggers.some((entry) => entry.name === name)) throw missing(name);
    copy.metadata = {
      ...copy.metadata,
      cron_triggers: copy.metadata.cron_triggers.filter((entry) => entry.name !== name),
    };
    return SUCCESS;
  },
});

export const getCronTriggers = operation<object>({
  name: 'get_cron_triggers',
  spelling: 'bare',
  endpoints: METADATA,
  documentation: 'All cron triggers, those that no export shows included.',
  arguments: object<object>({}),
  argumentsOptional: true,
  changesMetadata: false,
  run: (_, copy) => ({ cron_triggers: cronTriggers(copy) }),
});

function cronTriggers(copy: WorkingCopy): Json {
  return copy.metadata.cron_triggers.map((entry) => without(entry, 'path')) as unknown as Json;
}

function missing(name: string): EngineError {
  return new EngineError('not-exists', `cron trigger with name: ${name} does not exist`);
}

const FIELDS: readonly (readonly [lowest: number, highest: number, names: readonly string[]])[] = [
  [0, 59, []],
  [0, 23, []],
  [1, 31, []],
  [1, 12, ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']],
  [0, 7, ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']],
];

/** Five fields, each a list of `*`, numbers, names and ranges, with steps. */
function requireSchedule(schedule: string): void {
  const fields = schedule.trim().split(/\s+/);
  const fits =
    fields.length === FIELDS.length && fields.every((field, index) => fitsField(field, FIELDS[index]!));
  if (!fits) {
    throw new EngineError('parse-failed', `${JSON.stringify(schedule)} is no cron schedule of five fields`, {
      path: '$.schedule',
    });
  }
}

function fitsField(field: string, [lowest, highest, names]: (typeof FIELDS)[number]): boolean {
  const value = (text: string) => {
    const named = names.indexOf(text.toLowerCase());
    if (named >= 0) return named + (lowest === 1 ? 1 : 0);
    return /^\d+$/.test(text) ? Number(text) : Number.NaN;
  };
  return field.split(',').every((part) => {
    const [range = '', step, ...rest] = part.split('/');
    if (rest.length > 0 || (step !== undefined && !/^[1-9]\d*$/.test(step))) return false;
    if (range === '*') return true;
    const ends = range.split('-').map(value);
    if (ends.length > 2 || ends.some((end) => !(end >= lowest && end <= highest))) return false;
    return ends.length === 1 || ends[0]! <= ends[1]!;
  });
}
