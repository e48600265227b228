import type { Located } from '../../core/json/json.ts';
import type { TypeOf } from '../codec.ts';
import { convert, object, optional, printedDefault, withDefault } from '../combinators.ts';
import { keyedEntries } from '../entries.ts';
import { boolean, integer, json, jsonObject, MAX_SECONDS, name, oneOf, text } from '../values.ts';
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

/** A number of the configuration that is at least 0, or else its default. @param zero why it cannot be 0, if it cannot */
function count(key: keyof typeof scheduledRetryDefaults, zero?: string) {
  const inRange = convert(integer, {
    read: (given, fail) => {
      if (given < 0) fail(`${key} cannot be a negative value`);
      if (given > MAX_SECONDS) fail(`${key} cannot be more than ${MAX_SECONDS}`);
      if (given === 0 && zero !== undefined) fail(`${key} cannot be 0: ${zero}`);
      return given;
    },
    write: (given) => given,
  });
  return printedDefault<number>(inRange, scheduledRetryDefaults[key]);
}

const scheduledRetryConfiguration = object({
  num_retries: count('num_retries'),
  retry_interval_seconds: count('retry_interval_seconds'),
  timeout_seconds: count('timeout_seconds', 'no call would be answered in time'),
  tolerance_seconds: count('tolerance_seconds', 'every event would be too old to be sent'),
});

/** How often a one-off event is tried; the defaults unless given. */
export const oneOffRetry = withDefault<ScheduledRetryConfiguration>(
  scheduledRetryConfiguration,
  scheduledRetryDefaults,
);

/** Cron triggers have more keys than one-off events. */
const cronRetryConfiguration = object({
  ...scheduledRetryConfiguration.fields,
  backoff: optional(backoff),
  retry_on: optional(retryOn),
});

/** How often an event of a cron trigger is tried; the defaults unless given. */
const cronRetry = withDefault<TypeOf<typeof cronRetryConfiguration>>(
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
  retry_conf: cronRetry,
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
