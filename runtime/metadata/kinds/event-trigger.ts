import type { Located } from '../../core/json/json.ts';
import { MAX_SECONDS } from '../../core/max-timer.ts';
import type { TypeOf } from '../codec.ts';
import {
  convert,
  extension,
  key,
  nonEmptyList,
  object,
  optional,
  printedDefault,
  requiredList,
  withDefault,
  withNames,
} from '../combinators.ts';
import { boolean, integerFrom, name, oneOf, text, waitSeconds } from '../values.ts';
import { cronSchedule } from './cron-schedule.ts';
import { optionalBackoff, optionalCircuitBreaker, optionalRetryOn, optionalSigning } from './delivery.ts';
import { columnsOr, headers, toAddress } from './shared.ts';
import { requestTransform, responseTransform } from './transform.ts';

const columns = columnsOr((input) => {
  if (Array.isArray(input)) return requiredList(text);
  return typeof input === 'string' ? 'only * or [] allowed' : 'unexpected columns';
});

export type EventOperation = TypeOf<typeof eventOperation>;
export const eventOperation = object(
  {
    columns: key('Of updates: only a change of one of these columns counts.', columns),
    payload: key('Columns that are sent. Absent: all.', optional(columns)),
  },
  { title: 'Event operation' },
);

export type EventTriggerDefinition = TypeOf<typeof eventTriggerDefinition>;
const eventTriggerDefinition = object({
  delete: key('Fire for deleted rows.', optional(eventOperation)),
  enable_manual: key('Allow `pg_invoke_event_trigger`.', printedDefault(boolean, false)),
  insert: key('Fire for inserted rows.', optional(eventOperation)),
  update: key('Fire for updated rows.', optional(eventOperation)),
});

/** Times in seconds. */
export type EventRetryConfiguration = TypeOf<typeof eventRetryConfiguration>;

/** Ten seconds between attempts, a minute for each. */
export const eventRetryDefaults = { num_retries: 0, interval_sec: 10, timeout_sec: 60 } as const;

export const eventRetryConfiguration = object({
  num_retries: key('Attempts after the first one.', integerFrom(0, MAX_SECONDS)),
  interval_sec: key('Seconds between attempts.', waitSeconds),
  timeout_sec: key(
    'Maximum duration of a call in seconds.',
    printedDefault(integerFrom(1, MAX_SECONDS), eventRetryDefaults.timeout_sec),
  ),
  backoff: optionalBackoff,
  retry_on: optionalRetryOn,
  circuit_breaker: optionalCircuitBreaker,
});

/** Events with the same values of these columns are delivered one at a time, in their order. */
export const eventOrder = object({
  columns: key(
    'Columns whose values name the order.',
    withNames(nonEmptyList(text), (given, walk) => given.map((column) => walk.column(column))),
  ),
  on_error: key(
    'An event that used up its attempts blocks later ones, or is skipped.',
    withDefault(oneOf('block', 'skip'), 'block'),
  ),
});

/** Age of events. */
export const hours = integerFrom(0, Math.floor(MAX_SECONDS / 3600));
/** PostgreSQL takes 0 as no limit, and counts milliseconds. */
export const statementSeconds = integerFrom(1, Math.floor(MAX_SECONDS / 1000));

/** Deletes old events that are finished. */
export type EventCleanupConfiguration = TypeOf<typeof eventCleanup>;
export const eventCleanup = object({
  schedule: key('When: five cron fields, in UTC.', cronSchedule),
  clear_older_than: key('Age in hours of the events to delete.', hours),
  batch_size: key('Rows that one statement deletes.', withDefault(integerFrom(1), 10_000)),
  timeout: key('Maximum duration of a statement in seconds.', withDefault(statementSeconds, 60)),
  clean_invocation_logs: key('Delete the log of calls, too.', withDefault(boolean, false)),
  paused: key('Keep the configuration without running it.', withDefault(boolean, false)),
});

const fields = {
  name: key('Name of the trigger.', name),
  definition: key('Writes that fire it.', eventTriggerDefinition),
  retry_conf: key(
    'How often an event is tried.',
    printedDefault<EventRetryConfiguration>(eventRetryConfiguration, eventRetryDefaults),
  ),
  webhook: key(
    'URL that is called; `{{NAME}}` stands for an environment variable. This key or `webhook_from_env` is required.',
    optional(text),
  ),
  webhook_from_env: key('Environment variable that holds the URL.', optional(name)),
  headers,
  request_transform: requestTransform,
  response_transform: responseTransform,
  cleanup_config: key('Delete old events that are finished.', optional(eventCleanup)),
  trigger_on_replication: key(
    'Fire for changes that logical replication applies, too. Absent: no.',
    optional(boolean),
  ),
  signing: optionalSigning,
  order_by_key: extension(
    'Deliver events with equal values of these columns one at a time, in their order.',
    optional(eventOrder),
  ),
};

/** An entry of a table's event triggers. */
export const eventTrigger = convert(object(fields, { title: 'Event trigger' }), {
  read: ({ webhook, webhook_from_env, ...raw }, fail) => ({
    ...raw,
    webhook: toAddress(webhook, webhook_from_env, ['webhook', 'webhook_from_env'], fail),
  }),
  write: ({ webhook, ...raw }) => ({
    ...raw,
    ...(typeof webhook === 'string' ? { webhook } : { webhook_from_env: webhook.env }),
  }),
});

export type EventTrigger = TypeOf<typeof eventTrigger> & Located;
