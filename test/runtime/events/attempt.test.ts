/** When a failed delivery is tried again, and what is reported of tables that grow. */
import { expect, test } from 'vitest';
import type { RetryShape } from '../../../runtime/core/contract/events.ts';
import { type Attempt, retryDelay } from '../../../runtime/events/attempt.ts';
import { createGrowthReport } from '../../../runtime/events/cleanup.ts';

const failed = (given: Partial<Attempt> = {}): Attempt => ({
  isDelivered: false,
  isHopeless: false,
  status: 500,
  request: '{}',
  response: '{}',
  ...given,
});

function delays(retry: Partial<RetryShape>, attempt = failed(), count = 6): (number | undefined)[] {
  const target = {
    url: 'http://x',
    urlTemplate: 'http://x',
    headers: [],
    loggedHeaders: [],
    retry: { retries: 4, interval: 10, timeout: 60, ...retry },
  };
  return Array.from({ length: count }, (_, tries) => retryDelay(attempt, target, tries));
}

const backoff = { factor: 3, maximum: 100, jitter: false };

test.each([
  ['a fixed interval by default', {}, failed(), [10, 10, 10, 10, undefined, undefined]],
  ['backoff grows up to its maximum', { backoff }, failed(), [10, 30, 90, 100, undefined, undefined]],
  ['Retry-After wins, without retries left as well', {}, failed({ retryAfter: 7 }), [7, 7, 7, 7, 7, 7]],
  [
    'with backoff it is limited to a day and to the retries that are left',
    { backoff },
    failed({ retryAfter: 1e6 }),
    [86_400, 86_400, 86_400, 86_400, undefined, undefined],
  ],
  ['what cannot succeed is not tried', {}, failed({ isHopeless: true }), Array(6).fill(undefined)],
  ['nor what was delivered', {}, failed({ isDelivered: true, status: 200 }), Array(6).fill(undefined)],
  ['nor what retry_on leaves out', { on: [429, '4xx'] }, failed(), Array(6).fill(undefined)],
  ['which has families', { on: ['5xx'] }, failed({ status: 503 }), [10, 10, 10, 10, undefined, undefined]],
  ['single statuses', { on: [503] }, failed({ status: 503 }), [10, 10, 10, 10, undefined, undefined]],
  [
    'and failures without an answer',
    { on: ['timeout'] },
    failed({ status: null, failure: 'timeout' }),
    [10, 10, 10, 10, undefined, undefined],
  ],
  [
    'each by itself',
    { on: ['timeout'] },
    failed({ status: null, failure: 'network' }),
    Array(6).fill(undefined),
  ],
] as const)('%s', (_, retry, attempt, expected) => {
  expect(delays(retry as Partial<RetryShape>, attempt)).toEqual(expected);
});

test('jitter spreads retries between none and the whole wait', () => {
  const found = Array.from({ length: 500 }, () => delays({ backoff: { ...backoff, jitter: true } })[1]!);
  expect(Math.min(...found)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...found)).toBeLessThanOrEqual(30);
  expect(Math.min(...found)).toBeLessThan(3);
  expect(Math.max(...found)).toBeGreaterThan(27);
});

test('tables that grow are reported at a gigabyte and at each doubling', () => {
  const reported: string[] = [];
  const report = createGrowthReport((message) => reported.push(message));
  for (const gigabytes of [0.5, 1.1, 1.5, 2.1, 2.3, 0.1, 4, 5]) report(gigabytes * 2 ** 30);
  expect(reported.map((message) => /\d+/.exec(message)![0])).toEqual(['1126', '2355', '5120']);
});
