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
import type { Located } from '../json.ts';
import { boolean, jsonObject, name, naturalNumber, oneOf, text } from '../values.ts';
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
  num_retries: naturalNumber,
  interval_sec: naturalNumber,
  timeout_sec: printedDefault(naturalNumber, eventRetryDefaults.timeout_sec),
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

/** Deletes old events that are finished. */
export type EventCleanupConfiguration = TypeOf<typeof eventCleanup>;
export const eventCleanup = object({
  /** Cron expression, UTC. */
  schedule: cronSchedule,
  /** Hours. */
  clear_older_than: naturalNumber,
  batch_size: withDefault(naturalNumber, 10_000),
  /** Seconds that one statement may take. */
  timeout: withDefault(naturalNumber, 60),
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
