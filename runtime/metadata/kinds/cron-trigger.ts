import type { TypeOf } from '../codec.ts';
import { object, optional, printedDefault, withDefault } from '../combinators.ts';
import { keyedEntries } from '../entries.ts';
import type { Located } from '../json.ts';
import { boolean, json, jsonObject, name, naturalNumber, oneOf, text } from '../values.ts';
import { cronSchedule, timeZone } from './cron-schedule.ts';
import { backoff, retryOn, signing } from './delivery.ts';
import { comment, headers } from './shared.ts';

/** Times in seconds. */
export type ScheduledRetryConfiguration = TypeOf<typeof scheduledRetryConfiguration>;

const scheduledRetryDefaults = {
  num_retries: 0,
  retry_interval_seconds: 10,
  timeout_seconds: 60,
  tolerance_seconds: 21600,
} as const;

export const scheduledRetryConfiguration = object({
  num_retries: printedDefault(naturalNumber, scheduledRetryDefaults.num_retries),
  retry_interval_seconds: printedDefault(naturalNumber, scheduledRetryDefaults.retry_interval_seconds),
  timeout_seconds: printedDefault(naturalNumber, scheduledRetryDefaults.timeout_seconds),
  tolerance_seconds: printedDefault(naturalNumber, scheduledRetryDefaults.tolerance_seconds),
});

/** Of a cron trigger; one-off events have no more keys than those above. */
const cronRetryConfiguration = object({
  ...scheduledRetryConfiguration.fields,
  backoff: optional(backoff),
  retry_on: optional(retryOn),
});

/** How often a scheduled event is tried; the defaults unless given. */
const scheduledRetry = withDefault<TypeOf<typeof cronRetryConfiguration>>(
  cronRetryConfiguration,
  scheduledRetryDefaults,
);

export const cronTrigger = object({
  name,
  webhook: text,
  /** Five cron fields, UTC. */
  schedule: cronSchedule,
  /** False: stored, never exported. */
  include_in_metadata: boolean,
  payload: optional(json),
  retry_conf: scheduledRetry,
  headers,
  comment,
  request_transform: optional(jsonObject),
  response_transform: optional(jsonObject),
  signing: optional(signing),
  /** Name of the time zone that the schedule is in; UTC unless given. */
  timezone: optional(timeZone),
  /** Events that were due while no server ran: send all (default), the last one, or none. */
  missed: optional(oneOf('all', 'one', 'skip')),
});

export type CronTrigger = TypeOf<typeof cronTrigger> & Located;

export const cronTriggers = keyedEntries(cronTrigger, {
  kind: 'cron triggers',
  key: (trigger) => trigger.name,
});
