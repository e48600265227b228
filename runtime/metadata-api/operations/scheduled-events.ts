/** One-off events, and the events of cron triggers: made, read, deleted. */
import { EngineError } from '../../core/errors.ts';
import { jsonText } from '../../core/types.ts';
import { list, object, optional, withDefault } from '../../metadata/combinators.ts';
import { oneOffRetry } from '../../metadata/kinds/cron-trigger.ts';
import { header } from '../../metadata/kinds/shared.ts';
import { boolean, name, naturalNumber, oneOf, text, textLike } from '../../metadata/values.ts';
import type { WorkingCopy } from '../change/working-copy.ts';
import { JsonText } from '../request/answer.ts';
import { anyJson } from '../request/data-operation.ts';
import {
  METADATA,
  METADATA_AND_LEGACY,
  type MetadataOperation,
  operation,
  SUCCESS,
} from '../request/operation.ts';

/** Date and time with a zone, as ISO 8601 has it; Postgres knows no year 0, and zones of less than 16 hours. */
const TIME =
  /^((?!0000)\d{4}-\d\d-\d\d)[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-](?:0\d|1[0-5]):?[0-5]\d)$/;

export const time = textLike(
  'time',
  (given) => {
    const [, day] = TIME.exec(given) ?? [];
    return (
      day !== undefined && isDay(day) && !Number.isNaN(Date.parse(given.replace(' ', 'T').replace(',', '.')))
    );
  },
  (given) => `${JSON.stringify(given)} is not a time in ISO 8601 with a zone`,
);

/** Whether a date is in the calendar; JavaScript takes February 30 for a day of March. */
function isDay(date: string): boolean {
  const start = new Date(`${date}T00:00Z`);
  return !Number.isNaN(start.getTime()) && start.toISOString().startsWith(date);
}

const scheduledKind = oneOf('one_off', 'cron');
type Kind = 'one_off' | 'cron';

const TABLES: Readonly<
  Record<Kind, { readonly events: string; readonly logs: string; readonly columns: string }>
> = {
  cron: {
    events: 'engine_catalog.cron_events',
    logs: 'engine_catalog.cron_event_invocation_logs',
    columns: 'id, trigger_name, scheduled_time, status, tries, created_at, next_retry_at',
  },
  one_off: {
    events: 'engine_catalog.scheduled_events',
    logs: 'engine_catalog.scheduled_event_invocation_logs',
    columns:
      'id, webhook_conf, scheduled_time, retry_conf, payload, header_conf, status, tries, created_at, next_retry_at, comment, null as request_transform, null as response_transform',
  },
};

const STATUSES = ['scheduled', 'locked', 'delivered', 'error', 'dead'];

const eventStatus = textLike(
  'event status',
  (given) => STATUSES.includes(given),
  (given) => `unexpected status: ${given}`,
);

const ORDER_COLUMNS = ['scheduled_time', 'created_at', 'next_retry_at', 'status', 'tries', 'id'] as const;

const page = {
  limit: withDefault<number>(naturalNumber, 100),
  offset: withDefault<number>(naturalNumber, 0),
  get_rows_count: withDefault(boolean, false),
};

export const scheduledEventOperations: readonly MetadataOperation[] = [
  operation({
    name: 'create_scheduled_event',
    spelling: 'bare',
    endpoints: METADATA_AND_LEGACY,
    documentation: 'Has a web hook called once, at a time; a past one means now.',
    arguments: object({
      webhook: text,
      schedule_at: time,
      payload: optional(anyJson),
      headers: list(header),
      retry_conf: oneOffRetry,
      comment: optional(text),
    }),
    changesMetadata: false,
    run: async ({ webhook, schedule_at, payload, headers, retry_conf, comment }, copy) => {
      const [row] = await copy.services.queryMetadata(
        `insert into engine_catalog.scheduled_events
         (webhook_conf, scheduled_time, payload, header_conf, retry_conf, comment)
       values ($1, $2, $3, $4, $5, $6) returning id`,
        [
          JSON.stringify(webhook),
          schedule_at,
          payload === undefined ? null : jsonText(payload),
          JSON.stringify(headers.map((each) => header.write(each))),
          jsonText(retry_conf),
          comment ?? null,
        ],
      );
      copy.services.scheduledChanged();
      return { message: 'success', event_id: row.id };
    },
  }),
  operation({
    name: 'delete_scheduled_event',
    spelling: 'bare',
    endpoints: METADATA,
    documentation: 'Deletes a one-off event, or one of a cron trigger, with the log of its calls.',
    arguments: object({ type: scheduledKind, event_id: name }),
    changesMetadata: false,
    run: async ({ type, event_id }, copy) => {
      const rows = await copy.services.queryMetadata(
        `delete from ${TABLES[type].events} where id = $1 returning id`,
        [event_id],
      );
      if (rows.length === 0)
        throw new EngineError('not-exists', `event with id "${event_id}" does not exist`);
      return SUCCESS;
    },
  }),
  operation({
    name: 'get_scheduled_events',
    spelling: 'bare',
    endpoints: METADATA,
    documentation: 'One-off events, or those of a cron trigger, by their time; `status` chooses some.',
    arguments: object({
      ...page,
      type: scheduledKind,
      trigger_name: optional(name),
      status: list(eventStatus),
      order_by: list(
        object({ column: oneOf(...ORDER_COLUMNS), type: withDefault(oneOf('asc', 'desc'), 'asc') }),
      ),
    }),
    changesMetadata: false,
    run: async ({ type, trigger_name, status, order_by, limit, offset, get_rows_count }, copy) => {
      const { events, columns } = TABLES[type];
      const values: unknown[] = [];
      const conditions = ['true'];
      if (type === 'cron') {
        values.push(requireCronTrigger(copy, trigger_name));
        conditions.push(`trigger_name = $${values.length}`);
      }
      if (status.length > 0) {
        values.push(status);
        conditions.push(`status = any ($${values.length})`);
      }
      const order = [...order_by.map((each) => `${each.column} ${each.type}`), 'scheduled_time', 'id'].join(
        ', ',
      );
      const from = `from ${events} where ${conditions.join(' and ')}`;
      return answerPage(copy, 'events', `select ${columns} ${from} order by ${order}`, from, values, {
        limit,
        offset,
        get_rows_count,
      });
    },
  }),
  operation({
    name: 'get_scheduled_event_invocations',
    spelling: 'bare',
    endpoints: METADATA,
    documentation: 'The calls that were made for one-off events, a cron trigger or one event, newest first.',
    arguments: object({
      ...page,
      type: scheduledKind,
      trigger_name: optional(name),
      event_id: optional(name),
    }),
    changesMetadata: false,
    run: async ({ type, trigger_name, event_id, ...given }, copy) => {
      const { events, logs } = TABLES[type];
      const values: unknown[] = [];
      const conditions = ['true'];
      if (event_id !== undefined) {
        values.push(event_id);
        conditions.push('i.event_id = $1');
      } else if (type === 'cron') {
        values.push(requireCronTrigger(copy, trigger_name));
        conditions.push('e.trigger_name = $1');
      }
      const from = `from ${logs} i join ${events} e on e.id = i.event_id where ${conditions.join(' and ')}`;
      const columns = 'i.id, i.event_id, i.status, i.request, i.response, i.created_at';
      const list = `select ${columns} ${from} order by i.created_at desc, i.id`;
      return answerPage(copy, 'invocations', list, from, values, given);
    },
  }),
];

interface Page {
  readonly limit: number;
  readonly offset: number;
  readonly get_rows_count: boolean;
}

async function answerPage(
  copy: WorkingCopy,
  key: string,
  list: string,
  from: string,
  values: readonly unknown[],
  { limit, offset, get_rows_count }: Page,
): Promise<JsonText> {
  const next = values.length + 1;
  const count = get_rows_count ? `(select count(*) ${from})` : 'null';
  const [row] = await copy.services.queryMetadata(
    `select coalesce(json_agg(r), '[]')::text as list, ${count}::text as count
     from (${list} limit $${next} offset $${next + 1}) r`,
    [...values, limit, offset],
  );
  const counted = get_rows_count ? `,"count":${row.count}` : '';
  return new JsonText(`{"${key}":${row.list}${counted}}`);
}

/** @throws EngineError */
function requireCronTrigger(copy: WorkingCopy, trigger: string | undefined): string {
  if (trigger === undefined) throw new EngineError('parse-failed', 'key "trigger_name" not found');
  if (!copy.metadata.cron_triggers.some((entry) => entry.name === trigger)) {
    throw new EngineError('not-exists', `cron trigger with name: "${trigger}" does not exist`);
  }
  return trigger;
}
