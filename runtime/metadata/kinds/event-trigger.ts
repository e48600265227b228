import type { Located } from '../../core/json/json.ts';
import type { TypeOf } from '../codec.ts';
import {
  convert,
  nonEmptyList,
  object,
  optional,
  printedDefault,
  requiredList,
  withDefault,
  withNames,
} from '../combinators.ts';
import { boolean, integerFrom, jsonObject, MAX_SECONDS, name, oneOf, text, waitSeconds } from '../values.ts';
import { cronSchedule } from './cron-schedule.ts';
import { backoff, circuitBreaker, retryOn, signing } from './delivery.ts';
import { columnsOr, headers, toAddress } from './shared.ts';

const columns = columnsOr((input) => {
  if (Array.isArray(input)) return requiredList(text);
  return typeof input === 'string' ? 'only * or [] allowed' : 'unexpected columns';
});

export type EventOperation = TypeOf<typeof eventOperation>;
export const eventOperation = object({
  /** For updates: only a change of one of these fires. */
  columns,
  /** Columns sent; absent = all. */
  payload: optional(columns),
});

export type EventTriggerDefinition = TypeOf<typeof eventTriggerDefinition>;
const eventTriggerDefinition = object({
  delete: optional(eventOperation),
  enable_manual: printedDefault(boolean, false),
  insert: optional(eventOperation),
  update: optional(eventOperation),
});

/** Times in seconds. */
export type EventRetryConfiguration = TypeOf<typeof eventRetryConfiguration>;

/** Ten seconds between attempts, a minute for each. */
export const eventRetryDefaults = { num_retries: 0, interval_sec: 10, timeout_sec: 60 } as const;

export const eventRetryConfiguration = object({
  num_retries: integerFrom(0, MAX_SECONDS),
  interval_sec: waitSeconds,
  timeout_sec: printedDefault(integerFrom(1, MAX_SECONDS), eventRetryDefaults.timeout_sec),
  backoff: optional(backoff),
  retry_on: optional(retryOn),
  circuit_breaker: optional(circuitBreaker),
});

/** Events with the same values of these columns are delivered one at a time, in their order. */
export const eventOrder = object({
  columns: withNames(nonEmptyList(text), (given, walk) => given.map((column) => walk.column(column))),
  /** Effect on later events of an event that has used up its attempts. */
  on_error: withDefault(oneOf('block', 'skip'), 'block'),
});

/** Age of events. */
export const hours = integerFrom(0, Math.floor(MAX_SECONDS / 3600));
/** PostgreSQL takes 0 as no limit, and counts milliseconds. */
export const statementSeconds = integerFrom(1, Math.floor(MAX_SECONDS / 1000));

/** Deletes old events that are finished. */
export type EventCleanupConfiguration = TypeOf<typeof eventCleanup>;
export const eventCleanup = object({
  /** Cron expression, UTC. */
  schedule: cronSchedule,
  /** Hours. */
  clear_older_than: hours,
  batch_size: withDefault(integerFrom(1), 10_000),
  /** Seconds that one statement may take. */
  timeout: withDefault(statementSeconds, 60),
  clean_invocation_logs: withDefault(boolean, false),
  paused: withDefault(boolean, false),
});

const fields = {
  name,
  definition: eventTriggerDefinition,
  retry_conf: printedDefault<EventRetryConfiguration>(eventRetryConfiguration, eventRetryDefaults),
  webhook: optional(text),
  webhook_from_env: optional(name),
  headers,
  request_transform: optional(jsonObject),
  response_transform: optional(jsonObject),
  cleanup_config: optional(eventCleanup),
  /** Fires for changes that logical replication applies, too; false unless given. */
  trigger_on_replication: optional(boolean),
  signing: optional(signing),
  order_by_key: optional(eventOrder),
};

/** An entry of a table's event triggers. */
export const eventTrigger = convert(object(fields), {
  read: ({ webhook, webhook_from_env, ...raw }, fail) => ({
    ...raw,
    webhook: toAddress(webhook, webhook_from_env, ['webhook', 'webhook_from_env'], fail),
  }),
  write: ({ webhook, ...raw }) => ({
    ...raw,
    ...(webhook.kind === 'template' ? { webhook: webhook.template } : { webhook_from_env: webhook.variable }),
  }),
});

export type EventTrigger = TypeOf<typeof eventTrigger> & Located;
