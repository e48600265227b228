/** How webhooks of event triggers and cron triggers are called: optional keys that change no default. */
import { MAX_SECONDS } from '../../core/max-timer.ts';
import type { TypeOf } from '../codec.ts';
import { choose, extension, key, nonEmptyList, object, optional, withDefault } from '../combinators.ts';
import { boolean, integerFrom, name, numberFrom, oneOf, waitSeconds } from '../values.ts';

/** Waits that grow: the interval times `factor` for each attempt before, at most `max_interval_sec` seconds. */
const backoff = object({
  factor: key('Factor by which the interval grows with each attempt.', withDefault(numberFrom(1), 2)),
  max_interval_sec: key('Maximum interval in seconds.', withDefault(waitSeconds, 3600)),
  jitter: key(
    'Wait a random time up to the interval, so that calls that failed together are not made together again.',
    withDefault(boolean, true),
  ),
});

/** Outcomes that are tried again: an HTTP status, a class of them, no connection, no answer in time. */
const outcome = choose<number | '4xx' | '5xx' | 'network' | 'timeout'>((input) =>
  typeof input === 'number' ? integerFrom(100, 599) : oneOf('4xx', '5xx', 'network', 'timeout'),
);
const retryOn = nonEmptyList(outcome);

/** After this many failures without an answer in a row one call is made per interval, until one is answered. */
const circuitBreaker = object({
  failures: key('Calls in a row without an answer after which it opens.', withDefault(integerFrom(1), 5)),
  probe_interval_sec: key(
    'Seconds between calls while it is open.',
    withDefault(integerFrom(1, MAX_SECONDS), 30),
  ),
});

export type Signing = TypeOf<typeof signing>;
/** Standard Webhooks signatures; environment variables hold the secrets. Several are for rotation. */
const signing = object({
  secrets_from_env: key(
    'Environment variables that hold the secrets (`whsec_…`); several while they are exchanged.',
    nonEmptyList(name),
  ),
});

export const optionalBackoff = extension('Intervals that grow. Absent: all are equal.', optional(backoff));
export const optionalRetryOn = extension(
  'Outcomes that are tried again. Absent: every one but a status from 200 to 299.',
  optional(retryOn),
);
export const optionalCircuitBreaker = extension(
  'After failures in a row, one call an interval until one is answered. Absent: every event is tried.',
  optional(circuitBreaker),
);
export const optionalSigning = extension(
  'Sign requests by the rules of Standard Webhooks. Absent: not signed.',
  optional(signing),
);

/** Optional keys of `retry_conf`. */
export type RetryExtras = {
  readonly backoff?: TypeOf<typeof backoff>;
  readonly retry_on?: TypeOf<typeof retryOn>;
  readonly circuit_breaker?: TypeOf<typeof circuitBreaker>;
};
