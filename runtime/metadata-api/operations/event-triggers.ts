import { EngineError } from '../../core/errors.ts';
import { argument, list, object, optional, withDefault } from '../../metadata/combinators.ts';
import { optionalSigning } from '../../metadata/kinds/delivery.ts';
import {
  eventCleanup,
  eventOperation,
  eventOrder,
  eventRetryConfiguration,
  eventRetryDefaults,
} from '../../metadata/kinds/event-trigger.ts';
import { header, toAddress } from '../../metadata/kinds/shared.ts';
import type { EventRetryConfiguration, EventTrigger, QualifiedName } from '../../metadata/metadata.ts';
import { boolean, jsonObject, name, text } from '../../metadata/values.ts';
import { findSource, findTable, NO_PATH, optionally, withSource } from '../change/edit.ts';
import { columnNames } from '../change/table-fields.ts';
import type { WorkingCopy } from '../change/working-copy.ts';
import { sourceArgument, tableArguments } from '../request/arguments.ts';
import { type KeyedList, listOperations, type TablePlace, tableList } from '../request/list-operations.ts';
import { sameName, tablePart } from '../request/names.ts';
import { METADATA_AND_LEGACY, type MetadataOperation } from '../request/operation.ts';

const common = { spelling: 'prefixed', endpoints: METADATA_AND_LEGACY } as const;

interface CreateArguments extends EventTrigger, TablePlace {
  readonly replace: boolean;
}

const createArguments = argument(
  object({
    ...tableArguments,
    name,
    insert: optional(eventOperation),
    update: optional(eventOperation),
    delete: optional(eventOperation),
    enable_manual: withDefault(boolean, false),
    webhook: optional(text),
    webhook_from_env: optional(name),
    headers: list(header),
    retry_conf: withDefault<EventRetryConfiguration>(eventRetryConfiguration, eventRetryDefaults),
    request_transform: optional(jsonObject),
    response_transform: optional(jsonObject),
    cleanup_config: optional(eventCleanup),
    trigger_on_replication: optional(boolean),
    signing: optionalSigning,
    order_by_key: optional(eventOrder),
    replace: withDefault(boolean, false),
  }),
  (
    {
      table,
      source,
      replace,
      insert,
      update,
      delete: deletion,
      enable_manual,
      webhook,
      webhook_from_env,
      ...rest
    },
    fail,
  ): CreateArguments => {
    checkName(rest.name, fail);
    const operations = [insert, update, deletion].filter((given) => given !== undefined);
    if (operations.length === 0 && !enable_manual) {
      fail('atleast one amongst insert/update/delete/enable_manual spec must be provided');
    }
    if (operations.some(({ columns }) => columns.length === 0)) fail('found empty column specification');
    if (operations.some(({ payload }) => payload?.length === 0)) fail('found empty payload specification');
    const address = toAddress(webhook, webhook_from_env, ['webhook', 'webhook_from_env'], fail);
    const definition = {
      ...optionally('insert', insert),
      ...optionally('update', update),
      ...optionally('delete', deletion),
      enable_manual,
    };
    return { table, source, replace, ...NO_PATH, ...rest, definition, webhook: address };
  },
);

const createOn = listOperations(tableList('event_triggers', 'name'), common, (name, { source, table }) => [
  tablePart('event_trigger', name, source, table),
]);

/** The triggers of all tables of a source, which have unique names. */
const ofSource: KeyedList<{ readonly source: string }, EventTrigger> = {
  key: 'name',
  place: ['source'],
  read: (metadata, { source }) =>
    findSource(metadata, source).tables.flatMap(({ event_triggers }) => event_triggers),
  update: (metadata, { source }, change) =>
    withSource(metadata, source, (owner) => ({
      ...owner,
      tables: owner.tables.map((entry) => {
        const event_triggers = change(entry.event_triggers);
        return event_triggers.length === entry.event_triggers.length ? entry : { ...entry, event_triggers };
      }),
    })),
};

export const eventTriggerOperations: readonly MetadataOperation[] = [
  createOn.create({
    name: 'create_event_trigger',
    documentation:
      'Has a web hook called for changes of rows; with `replace` an existing trigger is changed.',
    arguments: createArguments,
    before: refuseTaken,
    replaces: ({ replace }) => replace,
    after: requireColumns,
    entry: ({ source: _, table: __, replace: ___, ...trigger }) => trigger,
  }),
  listOperations(ofSource, common, () => []).drop({
    name: 'delete_event_trigger',
    documentation: 'Deletes an event trigger; its pending events are archived.',
    arguments: object({ name, source: sourceArgument }),
    missing: (args) => missingEventTrigger(args.name),
  }),
];

function checkName(name: string, fail: (message: string, path: string[]) => void): void {
  const fault = eventTriggerNameFault(name);
  if (fault !== undefined) fail(fault, ['name']);
}

/** Why a new event trigger cannot have the name; undefined if it can. */
export function eventTriggerNameFault(name: string): string | undefined {
  if (!/^[A-Za-z]+[A-Za-z0-9_-]*$/.test(name))
    return 'only alphanumeric and underscore and hyphens allowed for name';
  return name.length > 42 ? 'event trigger name can be at most 42 characters' : undefined;
}

/** The table that has the trigger; names are unique in a source. */
function ownerOf(copy: WorkingCopy, source: string, name: string): QualifiedName | undefined {
  return findSource(copy.metadata, source).tables.find((entry) =>
    entry.event_triggers.some((trigger) => trigger.name === name),
  )?.table;
}

function refuseTaken({ source, table, name, replace }: CreateArguments, copy: WorkingCopy): void {
  findTable(copy.metadata, source, table);
  const owner = ownerOf(copy, source, name);
  if (owner !== undefined && !replace) {
    throw new EngineError('already-exists', `Event trigger with name "${name}" already exists`);
  }
  if (replace && owner === undefined) throw missingEventTrigger(name);
  if (owner !== undefined && !sameName(owner, table)) {
    throw new EngineError('not-supported', 'cannot replace table or schema for trigger');
  }
}

function requireColumns(
  { source, table, definition, order_by_key }: CreateArguments,
  copy: WorkingCopy,
): void {
  const known = columnNames(copy, source, table);
  const { insert, update, delete: deletion } = definition;
  const given = [insert, update, deletion].flatMap((each) => [each?.columns, each?.payload]);
  for (const columns of [...given, order_by_key?.columns]) {
    if (columns === undefined || columns === '*') continue;
    const unknown = columns.find((column) => !known.has(column));
    if (unknown !== undefined) throw new EngineError('not-exists', `"${unknown}" does not exist`);
  }
}

export function missingEventTrigger(name: string): EngineError {
  return new EngineError('not-exists', `event trigger "${name}" does not exist`);
}
