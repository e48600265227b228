import { EngineError } from '../../core/errors.ts';
import { object, withDefault } from '../../metadata/combinators.ts';
import { cronTrigger } from '../../metadata/kinds/cron-trigger.ts';
import type { Json } from '../../metadata/metadata.ts';
import { boolean, name } from '../../metadata/values.ts';
import { NO_PATH, without } from '../edit.ts';
import { globalObject } from '../names.ts';
import { METADATA, METADATA_AND_LEGACY, operation, SUCCESS } from '../operation.ts';
import type { WorkingCopy } from '../working-copy.ts';

export const createCronTrigger = operation({
  name: 'create_cron_trigger',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation:
    'Has a web hook called by a cron schedule (UTC); with `replace` an existing trigger is changed.',
  arguments: object({ ...cronTrigger.fields, replace: withDefault(boolean, false) }),
  policy: 'target',
  targets: ({ name }) => [globalObject('cron_trigger', name)],
  changesMetadata: true,
  run: ({ replace, ...entry }, copy) => {
    const exists = copy.metadata.cron_triggers.some(({ name }) => name === entry.name);
    if (exists && !replace) {
      throw new EngineError('already-exists', `cron trigger with name: ${entry.name} already exists`);
    }
    if (!exists && replace) throw missing(entry.name);
    const others = copy.metadata.cron_triggers.filter(({ name }) => name !== entry.name);
    copy.metadata = { ...copy.metadata, cron_triggers: [...others, { ...NO_PATH, ...entry }] };
    return SUCCESS;
  },
});

export const deleteCronTrigger = operation({
  name: 'delete_cron_trigger',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Deletes a cron trigger with its scheduled events.',
  arguments: object({ name }),
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

export const getCronTriggers = operation({
  name: 'get_cron_triggers',
  spelling: 'bare',
  endpoints: METADATA,
  documentation: 'All cron triggers, those that no export shows included.',
  arguments: object({}),
  argumentsOptional: true,
  changesMetadata: false,
  run: (_, copy) => ({ cron_triggers: cronTriggers(copy) }),
});

function cronTriggers(copy: WorkingCopy): Json {
  return copy.metadata.cron_triggers
    .map((entry) => without(entry, 'path'))
    .sort((left, right) => (left.name < right.name ? -1 : 1)) as unknown as Json;
}

function missing(name: string): EngineError {
  return new EngineError('not-exists', `cron trigger with name: ${name} does not exist`);
}
