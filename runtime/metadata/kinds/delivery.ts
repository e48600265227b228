/** How webhooks of event triggers and cron triggers are called: optional keys that change no default. */
import type { TypeOf } from '../codec.ts';
import { choose, nonEmptyList, object, withDefault } from '../combinators.ts';
import { boolean, integerFrom, MAX_SECONDS, name, numberFrom, oneOf, waitSeconds } from '../values.ts';

/** Waits that grow: the interval times `factor` for each attempt before, at most `max_interval_sec` seconds. */
export const backoff = object({
  factor: withDefault(numberFrom(1), 2),
  max_interval_sec: withDefault(waitSeconds, 3600),
  /** Waits a random time up to that, so that calls that failed together are not made together again. */
  jitter: withDefault(boolean, true),
});

/** Outcomes that are tried again: an HTTP status, a class of them, no connection, no answer in time. */
const outcome = choose<number | '4xx' | '5xx' | 'network' | 'timeout'>((input) =>
  typeof input === 'number' ? integerFrom(100, 599) : oneOf('4xx', '5xx', 'network', 'timeout'),
);
export const retryOn = nonEmptyList(outcome);

/** After this many failures without an answer in a row one call is made per interval, until one is answered. */
export const circuitBreaker = object({
  failures: withDefault(integerFrom(1), 5),
  probe_interval_sec: withDefault(integerFrom(1, MAX_SECONDS), 30),
});

export type Signing = TypeOf<typeof signing>;
/** Standard Webhooks signatures; environment variables hold the secrets. Several are for rotation. */
export const signing = object({ secrets_from_env: nonEmptyList(name) });

/** Optional keys of `retry_conf`. */
export type RetryExtras = {
  readonly backoff?: TypeOf<typeof backoff>;
  readonly retry_on?: TypeOf<typeof retryOn>;
  readonly circuit_breaker?: TypeOf<typeof circuitBreaker>;
};
