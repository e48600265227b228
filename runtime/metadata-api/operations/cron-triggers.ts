import { EngineError } from '../../core/errors.ts';
import { object, withDefault } from '../../metadata/combinators.ts';
import { cronTrigger } from '../../metadata/kinds/cron-trigger.ts';
import type { Json } from '../../metadata/metadata.ts';
import { boolean, name } from '../../metadata/values.ts';
import { NO_PATH, without } from '../change/edit.ts';
import { listOperations, serviceList } from '../request/list-operations.ts';
import { globalObject } from '../request/names.ts';
import { METADATA, METADATA_AND_LEGACY, type MetadataOperation, operation } from '../request/operation.ts';

const { create, drop } = listOperations(
  serviceList('cron_triggers', 'name'),
  { spelling: 'bare', endpoints: METADATA_AND_LEGACY },
  (trigger) => [globalObject('cron_trigger', trigger)],
);

const missing = (args: { readonly name: string }) =>
  new EngineError('not-exists', `cron trigger with name: ${args.name} does not exist`);

export const cronTriggerOperations: readonly MetadataOperation[] = [
  create({
    name: 'create_cron_trigger',
    documentation:
      'Has a web hook called by a cron schedule (UTC); with `replace` an existing trigger is changed.',
    arguments: object({ ...cronTrigger.fields, replace: withDefault(boolean, false) }),
    taken: (args) => new EngineError('already-exists', `cron trigger with name: ${args.name} already exists`),
    replaces: ({ replace }) => replace,
    missing,
    entry: ({ replace: _, ...entry }) => ({ ...NO_PATH, ...entry }),
  }),
  drop({
    name: 'delete_cron_trigger',
    documentation: 'Deletes a cron trigger with its scheduled events.',
    arguments: object({ name }),
    missing,
  }),
  operation({
    name: 'get_cron_triggers',
    spelling: 'bare',
    endpoints: METADATA,
    documentation: 'All cron triggers, those that no export shows included.',
    arguments: object({}),
    argumentsOptional: true,
    changesMetadata: false,
    run: (_, copy) => ({
      cron_triggers: copy.metadata.cron_triggers
        .map((entry) => without(entry, 'path'))
        .sort((left, right) => (left.name < right.name ? -1 : 1)) as unknown as Json,
    }),
  }),
];
