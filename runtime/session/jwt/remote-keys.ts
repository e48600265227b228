/**
 * Keys behind a `jwk_url`. They are fetched at the start, again when the answer's cache headers say
 * so, and once when a token names a key that is not among them. While the issuer is down the old keys stay in use.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { USER_AGENT } from '../../configuration/version.ts';
import { parseExactJson } from '../../core/json/exact-json.ts';
import type { Observer } from '../../observe/logs/observe.ts';
import { headerOf, type OutgoingResponse } from '../../outgoing/message.ts';
import type { Outgoing } from '../../outgoing/outgoing.ts';
import { type JwtType, readKeySet, type VerificationKey } from './keys.ts';

/** Milliseconds between looks whether a fetch is due. */
const LOOK_INTERVAL = 60_000;
/** Milliseconds after which keys are fetched again when the issuer's headers do not say. */
const DAY = 86_400_000;
/** Milliseconds that pass between two fetches for the sake of unknown key ids: anybody can send those. */
const COOL_DOWN = 30_000;
/** Milliseconds that the issuer gets to answer. */
const TIME_OUT = 10_000;
const START_ATTEMPTS = 5;
/** Milliseconds before the second attempt at the start; doubles with each. */
const FIRST_DELAY = 200;
const LARGEST_SET = 1024 * 1024;

export interface RemoteKeys {
  readonly current: () => readonly VerificationKey[];
  /** Fetches the keys again unless that was done a moment ago. Never throws: what fails is logged. */
  readonly refreshForUnknownId: () => Promise<void>;
  /** The next unknown key id may have them fetched at once. */
  readonly forgive: () => void;
  /** Fetches the keys if that is due; called by a timer. */
  readonly refreshIfDue: () => Promise<void>;
  readonly stop: () => void;
}

export interface RemoteKeysOptions {
  readonly url: string;
  readonly type: JwtType | undefined;
  readonly outgoing: Outgoing;
  readonly observe: Observer;
  /** Told when the keys have changed. */
  readonly changed: () => void;
}

/** Fetches the keys, and keeps them fresh until stopped. @throws Error when the issuer cannot be reached */
export async function openRemoteKeys(options: RemoteKeysOptions): Promise<RemoteKeys> {
  const { url, type, outgoing, observe, changed } = options;
  let keys: readonly VerificationKey[] = [];
  let dueAt = 0;
  let lastUnknown = 0;
  let running: Promise<void> | undefined;

  const fetchKeys = async () => {
    const answer = await outgoing.send({
      url,
      method: 'GET',
      timeout: TIME_OUT,
      maxSize: LARGEST_SET,
      headers: [
        ['accept', 'application/jwk-set+json, application/json'],
        ['user-agent', USER_AGENT],
      ],
    });
    const { status, body } = answer;
    if (status !== 200) throw new Error(`the answer has status ${status}`);
    keys = readKeySet(parseExactJson(body.toString('utf8')), type);
    dueAt = nextFetch(answer, Date.now());
    changed();
    observe({ kind: 'jwk-refresh', level: 'info', message: 'fetched the JWK set', expiry: new Date(dueAt) });
  };
  const refresh = () => {
    running ??= fetchKeys()
      .catch((error: unknown) =>
        report(observe, 'fetching the JWK set failed, the old keys stay in use', error),
      )
      .finally(() => {
        running = undefined;
      });
    return running;
  };

  for (let attempt = 1; ; attempt++) {
    try {
      await fetchKeys();
      break;
    } catch (error) {
      report(observe, `fetching the JWK set failed (attempt ${attempt} of ${START_ATTEMPTS})`, error);
      if (attempt === START_ATTEMPTS)
        throw new Error('the JWK set could not be fetched from jwk_url', { cause: error });
      await delay(FIRST_DELAY * 2 ** (attempt - 1));
    }
  }
  const refreshIfDue = async () => {
    if (Date.now() >= dueAt) await refresh();
  };
  const timer = setInterval(refreshIfDue, LOOK_INTERVAL).unref();
  return {
    current: () => keys,
    refreshForUnknownId: async () => {
      if (running) return running;
      if (Date.now() - lastUnknown < COOL_DOWN) return;
      lastUnknown = Date.now();
      await refresh();
    },
    forgive: () => {
      lastUnknown = 0;
    },
    refreshIfDue,
    stop: () => clearInterval(timer),
  };
}

function report(observe: Observer, message: string, error: unknown): void {
  observe({ kind: 'jwk-refresh', level: 'error', message, error: (error as Error).message });
}

/**
 * When to fetch a set again, from its answer's `Cache-Control`, else `Expires`, else in a day. In milliseconds since 1970,
 * as `now`.
 */
export function nextFetch(answer: Pick<OutgoingResponse, 'headers'>, now: number): number {
  const cacheControl = headerOf(answer, 'cache-control')?.toLowerCase();
  if (cacheControl !== undefined) {
    if (/\bno-(store|cache)\b/.test(cacheControl)) return now;
    const age = /\bs-maxage\s*=\s*"?(\d+)/.exec(cacheControl) ?? /\bmax-age\s*=\s*"?(\d+)/.exec(cacheControl);
    if (age) return now + Math.min(Number(age[1]) * 1000, DAY);
    if (/\bmust-revalidate\b/.test(cacheControl)) return now;
  }
  const expires = Date.parse(headerOf(answer, 'expires') ?? '');
  return Number.isNaN(expires) ? now + DAY : Math.min(expires, now + DAY);
}
