import type { Located } from '../../core/json/json.ts';
import { MAX_SECONDS } from '../../core/max-timer.ts';
import type { TypeOf } from '../codec.ts';
import { convert, extension, key, object, optional, printedDefault, withDefault } from '../combinators.ts';
import { keyedEntries } from '../entries.ts';
import { boolean, integer, json, name, oneOf, text } from '../values.ts';
import { cronSchedule, timeZone } from './cron-schedule.ts';
import { optionalBackoff, optionalRetryOn, optionalSigning } from './delivery.ts';
import { comment, headers } from './shared.ts';
import { requestTransform, responseTransform } from './transform.ts';

/** Times in seconds. */
export type ScheduledRetryConfiguration = TypeOf<typeof scheduledRetryConfiguration>;

const scheduledRetryDefaults = {
  num_retries: 0,
  retry_interval_seconds: 10,
  timeout_seconds: 60,
  tolerance_seconds: 21600,
} as const;

/** A number of the configuration that is at least 0, or else its default. @param zero why it cannot be 0, if it cannot */
function count(meaning: string, name: keyof typeof scheduledRetryDefaults, zero?: string) {
  const inRange = convert(integer, {
    read: (given, fail) => {
      if (given < 0) fail(`${name} cannot be a negative value`);
      if (given > MAX_SECONDS) fail(`${name} cannot be more than ${MAX_SECONDS}`);
      if (given === 0 && zero !== undefined) fail(`${name} cannot be 0: ${zero}`);
      return given;
    },
    write: (given) => given,
  });
  return key(meaning, printedDefault<number>(inRange, scheduledRetryDefaults[name]));
}

const scheduledRetryConfiguration = object({
  num_retries: count('Attempts after the first one.', 'num_retries'),
  retry_interval_seconds: count('Seconds between attempts.', 'retry_interval_seconds'),
  timeout_seconds: count(
    'Maximum duration of a call in seconds.',
    'timeout_seconds',
    'no call would be answered in time',
  ),
  tolerance_seconds: count(
    'Age in seconds from which an event is no longer sent.',
    'tolerance_seconds',
    'every event would be too old to be sent',
  ),
});

/** How often a one-off event is tried; the defaults unless given. */
export const oneOffRetry = withDefault<ScheduledRetryConfiguration>(
  scheduledRetryConfiguration,
  scheduledRetryDefaults,
);

/** Cron triggers have more keys than one-off events. */
const cronRetryConfiguration = object({
  ...scheduledRetryConfiguration.fields,
  backoff: optionalBackoff,
  retry_on: optionalRetryOn,
});

/** How often an event of a cron trigger is tried; the defaults unless given. */
const cronRetry = withDefault<TypeOf<typeof cronRetryConfiguration>>(
  cronRetryConfiguration,
  scheduledRetryDefaults,
);

export const cronTrigger = object(
  {
    name: key('Name of the trigger.', name),
    webhook: key('URL that is called; `{{NAME}}` stands for an environment variable.', text),
    schedule: key(
      'When: five cron fields (minute, hour, day, month, weekday), or a nickname such as `@daily`.',
      cronSchedule,
    ),
    include_in_metadata: key('False: stored, but left out of exports.', boolean),
    payload: key('JSON that each event carries.', optional(json)),
    retry_conf: key('How often an event is tried.', cronRetry),
    headers,
    comment,
    request_transform: requestTransform,
    response_transform: responseTransform,
    signing: optionalSigning,
    timezone: extension(
      'Time zone of the schedule, such as `Europe/Berlin`. Absent: UTC.',
      optional(timeZone),
    ),
    missed: extension(
      'Events that were due while no server ran: send all of them (also if absent), the last one, or none.',
      optional(oneOf('all', 'one', 'skip')),
    ),
  },
  { title: 'Cron trigger' },
);

export type CronTrigger = TypeOf<typeof cronTrigger> & Located;

export const cronTriggers = keyedEntries(cronTrigger, {
  kind: 'cron triggers',
  key: (trigger) => trigger.name,
});
