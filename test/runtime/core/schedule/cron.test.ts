/** Cron expressions: grammar, normal form, next times in UTC. */
import { expect, test } from 'vitest';
import { nextTimes, nextTimesIn, parseCron } from '../../../../runtime/core/schedule/cron.ts';

function next(text: string, after: string, count = 3): string[] {
  return nextTimes(parseCron(text)!, Date.parse(after), count).map((time) =>
    new Date(time).toISOString().slice(0, 16),
  );
}

test.each([
  ['* * * * *', '* * * * *'],
  ['@daily', '0 0 * * *'],
  ['@Hourly', '0 * * * *'],
  ['5/15 1-5 */2 JAN-mar SUN,tue', '5/15 1-5 */2 1-3 0,2'],
  ['07 00 1 12 7', '7 0 1 12 7'],
])('%s is %s', (given, text) => {
  expect(parseCron(given)?.text).toBe(text);
});

test.each([
  '* * * *',
  '* * * * * *',
  '*  * * * *',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * * 13 *',
  '* * * * 8',
  '1,2/3 * * * *',
  '5-1 * * * *',
  '*/0 * * * *',
  'a * * * *',
  '@reboot',
  '* * * mon *',
  '',
  '1- * * * *',
  '-1 * * * *',
])('%s is none', (given) => {
  expect(parseCron(given)).toBeUndefined();
});

test('times come strictly after the given one', () => {
  expect(next('*/20 * * * *', '2024-05-01T10:20:00Z')).toEqual([
    '2024-05-01T10:40',
    '2024-05-01T11:00',
    '2024-05-01T11:20',
  ]);
  expect(next('5/25 3 * * *', '2024-05-01T10:20:00Z')).toEqual([
    '2024-05-02T03:05',
    '2024-05-02T03:30',
    '2024-05-02T03:55',
  ]);
  expect(next('0 0 29 2 *', '2023-01-01T00:00:00Z', 2)).toEqual(['2024-02-29T00:00', '2028-02-29T00:00']);
  expect(next('0 0 29 2 *', '2096-03-01T00:00:00Z', 1)).toEqual(['2104-02-29T00:00']);
});

test('restricted days of month and of week: either fits; a star with a step restricts, one without does not', () => {
  // The 13th, or a Friday.
  expect(next('0 0 13 * fri', '2024-05-01T00:00:00Z')).toEqual([
    '2024-05-03T00:00',
    '2024-05-10T00:00',
    '2024-05-13T00:00',
  ]);
  expect(next('0 0 */1 * fri', '2024-05-01T00:00:00Z', 2)).toEqual(['2024-05-03T00:00', '2024-05-10T00:00']);
  expect(next('0 0 1,* * fri', '2024-05-01T00:00:00Z', 2)).toEqual(['2024-05-03T00:00', '2024-05-10T00:00']);
  expect(next('0 0 */10 * fri', '2024-05-01T00:00:00Z')).toEqual([
    '2024-05-03T00:00',
    '2024-05-10T00:00',
    '2024-05-11T00:00',
  ]);
  expect(next('0 0 * * 7', '2024-05-01T00:00:00Z', 1)).toEqual(['2024-05-05T00:00']);
});

test('a time that never comes ends the search', () => {
  expect(next('30 2 30 2 *', '2024-05-01T00:00:00Z')).toEqual([]);
});

test.each([
  // Clocks go from 02:00 to 03:00: the skipped time counts as the minute at which the clock goes on.
  ['30 2 * * *', '2024-03-29T12:00:00Z', ['2024-03-30T01:30', '2024-03-31T01:00', '2024-04-01T00:30']],
  // Clocks go from 03:00 back to 02:00: the repeated time counts once.
  ['30 2 * * *', '2024-10-26T12:00:00Z', ['2024-10-27T00:30', '2024-10-28T01:30', '2024-10-29T01:30']],
  // In the hour that is repeated, the first showing is over.
  ['*/30 2 27 10 *', '2024-10-27T00:45:00Z', ['2025-10-27T01:00', '2025-10-27T01:30', '2026-10-27T01:00']],
  ['0 9 * * 1', '2024-07-01T00:00:00Z', ['2024-07-01T07:00', '2024-07-08T07:00', '2024-07-15T07:00']],
  ['30 2 30 2 *', '2024-07-01T00:00:00Z', []],
])('by the clock of Berlin: %s after %s', (text, after, expected) => {
  const times = nextTimesIn('Europe/Berlin', parseCron(text)!, Date.parse(after), 3);
  expect(times.map((time) => new Date(time).toISOString().slice(0, 16))).toEqual(expected);
});

test('a zone without changes of the clock gives what UTC gives', () => {
  for (const text of ['* * * * *', '0 22 * * 1-5', '*/7 3 1,15 * *']) {
    const [cron, after] = [parseCron(text)!, Date.parse('2024-05-01T00:00:30Z')];
    expect(nextTimesIn('UTC', cron, after, 100)).toEqual(nextTimes(cron, after, 100));
  }
});
