/** Events of event triggers: made by hand, delivered again, read. */
import { EngineError } from '../../core/errors.ts';
import { jsonText } from '../../core/types.ts';
import { IS_TAKEN } from '../../events/claim.ts';
import { writerOf } from '../../graphql/writer.ts';
import { object, optional, withDefault } from '../../metadata/combinators.ts';
import type { EventTrigger } from '../../metadata/metadata.ts';
import { name, naturalNumber, textLike } from '../../metadata/values.ts';
import { findSource } from '../change/edit.ts';
import type { WorkingCopy } from '../change/working-copy.ts';
import { JsonText } from '../request/answer.ts';
import { sourceArgument } from '../request/arguments.ts';
import { anyJson } from '../request/data-operation.ts';
import {
  METADATA,
  METADATA_AND_LEGACY,
  type MetadataOperation,
  operation,
  SUCCESS,
} from '../request/operation.ts';
import { missingEventTrigger } from './event-triggers.ts';

const page = {
  limit: withDefault<number>(naturalNumber, 100),
  offset: withDefault<number>(naturalNumber, 0),
};

const STATUSES = ['processed', 'pending', 'error'] as const;

const eventStatus = textLike(
  'event status',
  (given) => STATUSES.some((status) => status === given),
  () => 'event logs status can only be one of the following: processed or pending',
);

const EVENT_COLUMNS =
  'id, schema_name, table_name, trigger_name, payload, delivered, error, tries, created_at, locked, next_retry_at, archived';

/** SQL by the status of events. */
export const STATUS_CONDITIONS: Readonly<Record<(typeof STATUSES)[number], string>> = {
  processed: '(delivered or error) and not archived',
  pending: 'not delivered and not error and not archived',
  error: 'error and not archived',
};

const INVOCATION_COLUMNS =
  'i.id, coalesce(i.trigger_name, e.trigger_name) as trigger_name, i.event_id, i.status as http_status, i.request, i.response, i.created_at';

export const eventLogOperations: readonly MetadataOperation[] = [
  operation({
    name: 'redeliver_event',
    spelling: 'prefixed',
    endpoints: METADATA_AND_LEGACY,
    documentation: 'Delivers an event again, with all its attempts.',
    arguments: object({ event_id: name, source: sourceArgument }),
    changesMetadata: false,
    run: async ({ source, event_id }, copy) => {
      if (!(await hasEventTables(copy, source))) throw new EngineError('not-exists', 'event not found');
      const rows = await rowsOf<{ taken: boolean; found: boolean }>(
        copy,
        source,
        `with event as (select e.id, ${IS_TAKEN} as taken from engine_catalog.event_log e where e.id = $1 for update),
       reset as (
         update engine_catalog.event_log e
         set delivered = false, error = false, tries = 0, next_retry_at = null, locked = null, owner = null
         from event where e.id = event.id and not event.taken
       )
       select taken, true as found from event`,
        [event_id],
      );
      if (rows[0] === undefined) throw new EngineError('not-exists', 'event not found');
      if (rows[0].taken) throw new EngineError('busy', 'event is already being processed');
      return SUCCESS;
    },
  }),
  operation({
    name: 'invoke_event_trigger',
    spelling: 'prefixed',
    endpoints: METADATA_AND_LEGACY,
    documentation: 'Sends a payload through an event trigger that allows it (`enable_manual`).',
    arguments: object({ name, source: sourceArgument, payload: anyJson }),
    changesMetadata: false,
    run: async ({ name, source, payload }, copy, { session, client }) => {
      const { trigger, table } = findTrigger(copy, source, name);
      if (!trigger.definition.enable_manual) {
        throw new EngineError('not-supported', 'manual mode is not enabled for event trigger');
      }
      const { user, trace } = writerOf(session, client?.trace);
      const event =
        `{"op":"MANUAL","data":{"old":null,"new":${jsonText(payload)}},` +
        `"session_variables":${user},"trace_context":${trace || 'null'}}`;
      const rows = await rowsOf<{ id: string }>(
        copy,
        source,
        `insert into engine_catalog.event_log (schema_name, table_name, trigger_name, payload)
       values ($1, $2, $3, $4) returning id`,
        [table.schema, table.name, name, event],
      );
      return { event_id: rows[0]!.id };
    },
  }),
  operation({
    name: 'get_event_logs',
    spelling: 'prefixed',
    endpoints: METADATA,
    documentation:
      'The events of an event trigger, newest first; `status` is `processed`, `pending`, or `error` for those that failed for good.',
    arguments: object({
      ...page,
      name,
      source: sourceArgument,
      status: optional(eventStatus),
    }),
    changesMetadata: false,
    run: ({ name, source, status, limit, offset }, copy) => {
      findTrigger(copy, source, name);
      const condition =
        status === undefined ? 'true' : STATUS_CONDITIONS[status as (typeof STATUSES)[number]];
      return listOf(
        copy,
        source,
        `select ${EVENT_COLUMNS} from engine_catalog.event_log
       where trigger_name = $1 and ${condition} order by created_at desc, seq desc limit $2 offset $3`,
        [name, limit, offset],
      );
    },
  }),
  operation({
    name: 'get_event_invocation_logs',
    spelling: 'prefixed',
    endpoints: METADATA,
    documentation: 'The calls that an event trigger made, newest first.',
    arguments: object({ ...page, name, source: sourceArgument }),
    changesMetadata: false,
    run: ({ name, source, limit, offset }, copy) => {
      findTrigger(copy, source, name);
      return listOf(
        copy,
        source,
        `select ${INVOCATION_COLUMNS}
       from engine_catalog.event_invocation_logs i
       left join engine_catalog.event_log e on e.id = i.event_id
       where coalesce(i.trigger_name, e.trigger_name) = $1
       order by i.created_at desc limit $2 offset $3`,
        [name, limit, offset],
      );
    },
  }),
  operation({
    name: 'get_event_by_id',
    spelling: 'prefixed',
    endpoints: METADATA,
    documentation: 'An event, and the calls that were made for it, newest first.',
    arguments: object({
      event_id: name,
      source: sourceArgument,
      invocation_log_limit: withDefault<number>(naturalNumber, 100),
      invocation_log_offset: withDefault<number>(naturalNumber, 0),
    }),
    changesMetadata: false,
    run: async ({ event_id, source, invocation_log_limit, invocation_log_offset }, copy) => {
      const missing = new EngineError('not-exists', `event id ${event_id} does not exist`);
      if (!(await hasEventTables(copy, source))) throw missing;
      const rows = await rowsOf<{ event: string | null; invocations: string }>(
        copy,
        source,
        `select
         (select row_to_json(e)::text from (
           select ${EVENT_COLUMNS} from engine_catalog.event_log where id = $1
         ) e) as event,
         (select coalesce(json_agg(l), '[]')::text from (
           select ${INVOCATION_COLUMNS}
           from engine_catalog.event_invocation_logs i join engine_catalog.event_log e on e.id = i.event_id
           where i.event_id = $1 order by i.created_at desc limit $2 offset $3
         ) l) as invocations`,
        [event_id, invocation_log_limit, invocation_log_offset],
      );
      const { event, invocations } = rows[0]!;
      if (event === null) throw missing;
      return new JsonText(`{"event":${event},"invocations":${invocations}}`);
    },
  }),
];

/** @throws EngineError not-exists */
export function findTrigger(copy: WorkingCopy, source: string, name: string) {
  for (const { table, event_triggers } of findSource(copy.metadata, source).tables) {
    const trigger: EventTrigger | undefined = event_triggers.find((candidate) => candidate.name === name);
    if (trigger !== undefined) return { trigger, table };
  }
  throw missingEventTrigger(name);
}

/** Whether a source has tables of events; it gets them with its first event trigger. */
export async function hasEventTables(copy: WorkingCopy, source: string): Promise<boolean> {
  const rows = await rowsOf<{ has: boolean }>(
    copy,
    source,
    "select to_regclass('engine_catalog.event_log') is not null as has",
  );
  return rows[0]!.has;
}

async function listOf(
  copy: WorkingCopy,
  source: string,
  sql: string,
  values: readonly unknown[],
): Promise<JsonText> {
  const rows = await rowsOf<{ list: string }>(
    copy,
    source,
    `select coalesce(json_agg(r), '[]')::text as list from (${sql}) r`,
    values,
  );
  return new JsonText(rows[0]!.list);
}

export async function rowsOf<Row>(
  copy: WorkingCopy,
  source: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  return (await copy.database(source).maintain(sql, values)) as readonly Row[];
}
