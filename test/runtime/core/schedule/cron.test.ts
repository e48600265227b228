/** Cron expressions: grammar, normal form, messages, and next times against a minute by minute reading of the clock. */
import { describe, expect, test } from 'vitest';
import { isTimeZone, nextTimes, readCron } from '../../../../runtime/core/schedule/cron.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

function normal(given: string): string {
  const read = readCron(given);
  if ('problem' in read) throw new Error(`${given}: ${read.problem}`);
  return read.text;
}

test.each([
  ['* * * * *', '* * * * *'],
  ['@daily', '0 0 * * *'],
  ['@Hourly', '0 * * * *'],
  [' 0 0 * * * ', '0 0 * * *'],
  ['5/15 1-5 */2 JAN-mar SUN,tue', '5/15 1-5 */2 1-3 0,2'],
  ['07 00 1 12 7', '7 0 1 12 7'],
])('%s is %s', (given, text) => {
  expect(readCron(given)).toEqual({ text });
});

const NAMES = 'minute, hour, day of month, month, day of week';

test.each([
  ['', `it is empty: give ${NAMES}, such as "0 9 * * mon-fri"`],
  ['  ', `it is empty: give ${NAMES}, such as "0 9 * * mon-fri"`],
  ['* * * *', `it has 4 fields, not five (${NAMES})`],
  ['never', `it has 1 field, not five (${NAMES})`],
  ['0 * * * * *', `it has 6 fields, not five (${NAMES}); there is no field for seconds`],
  ['*  * * * *', 'the fields are separated by one blank each'],
  ['*\t* * * *', 'the fields are separated by one blank each'],
  ['60 * * * *', 'minute "60": 60 is out of range; expected 0 to 59'],
  ['* 24 * * *', 'hour "24": 24 is out of range; expected 0 to 23'],
  ['* * 0 * *', 'day of month "0": 0 is out of range; expected 1 to 31'],
  ['* * * 13 *', 'month "13": 13 is out of range; expected 1 to 12, or jan to dec'],
  ['* * * * 1-8', 'day of week "1-8": 8 is out of range; expected 0 to 7, or sun to sat'],
  ['1,*/5 * * * *', 'minute "1,*/5": a step is for one value or range, not for parts of a list'],
  ['*/5/2 * * * *', 'minute "*/5/2": a step is for one value or range, not for parts of a list'],
  ['* 22-3 * * *', 'hour "22-3": the range 22-3 ends before it begins'],
  ['1-2-3 * * * *', 'minute "1-2-3": a range has two ends'],
  ['*/0 * * * *', 'minute "*/0": the step "0" is not a number from 1 to 9999'],
  ['*/ * * * *', 'minute "*/": the step "" is not a number from 1 to 9999'],
  ['a * * * *', 'minute "a": "a" is not a number or name; expected 0 to 59'],
  ['* * * mon *', 'month "mon": "mon" is not a number or name; expected 1 to 12, or jan to dec'],
  ['1- * * * *', 'minute "1-": "" is not a number or name; expected 0 to 59'],
  ['-1 * * * *', 'minute "-1": "" is not a number or name; expected 0 to 59'],
  ['0 0 L * *', 'day of month "l": "l" is not a number or name; expected 1 to 31'],
  ['0 0 ? * *', 'day of month "?": "?" is not a number or name; expected 1 to 31'],
  ['0 0 * * 5#2', 'day of week "5#2": "5#2" is not a number or name; expected 0 to 7, or sun to sat'],
  ['@reboot', 'the nickname is unknown: use @yearly, @monthly, @weekly, @daily, @hourly or five fields'],
])('%j is refused with its field and the reason', (given, problem) => {
  expect(readCron(given)).toEqual({ problem });
});

/** The values of a field of the normal form. */
function values(field: string, lowest: number, highest: number): ReadonlySet<number> {
  const [base = '', step = '1'] = field.split('/');
  const found = base.split(',').flatMap((part) => {
    const [from, to = field.includes('/') ? highest : from] =
      part === '*' ? [lowest, highest] : part.split('-').map(Number);
    return Array.from({ length: to! - from! + 1 }, (_, index) => from! + index).filter(
      (value) => (value - from!) % Number(step) === 0,
    );
  });
  return new Set(found);
}

/** Whether a date that is shown as if in UTC is one of an expression. */
function reader(text: string): (shown: number) => boolean {
  const [minutes, hours, days, months, weekdays] = text.split(' ') as [
    string,
    string,
    string,
    string,
    string,
  ];
  const restricts = (field: string) => !/(^|,)\*(,|$|\/1$)/.test(field);
  const sets = [
    values(minutes, 0, 59),
    values(hours, 0, 23),
    values(days, 1, 31),
    values(months, 1, 12),
  ] as const;
  const ofWeek = new Set([...values(weekdays, 0, weekdays.startsWith('*/') ? 6 : 7)].map((day) => day % 7));
  return (shown) => {
    const date = new Date(shown);
    const [inDays, inWeek] = [sets[2].has(date.getUTCDate()), ofWeek.has(date.getUTCDay())];
    const isDay = restricts(days) && restricts(weekdays) ? inDays || inWeek : inDays && inWeek;
    return (
      sets[3].has(date.getUTCMonth() + 1) &&
      isDay &&
      sets[1].has(date.getUTCHours()) &&
      sets[0].has(date.getUTCMinutes())
    );
  };
}

interface Minute {
  readonly instant: number;
  /** Local minutes that the clock shows for the first time, or has skipped. */
  readonly shown: readonly number[];
}

/** Every minute of a zone's clock after an instant. */
function clock(zone: string, after: number, days: number): readonly Minute[] {
  const format = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
  });
  const shownAt = (instant: number) => {
    const part = Object.fromEntries(
      format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
    );
    return Date.UTC(part.year!, part.month! - 1, part.day, part.hour, part.minute);
  };
  // What was shown before may be shown again.
  let last = 0;
  for (let instant = after - 3 * 60 * MINUTE; instant <= after; instant += MINUTE)
    last = Math.max(last, shownAt(instant));
  return Array.from({ length: (days * DAY) / MINUTE }, (_, index) => {
    const instant = after + (index + 1) * MINUTE;
    const now = shownAt(instant);
    const shown: number[] = [];
    for (let minute = last + MINUTE; minute <= now; minute += MINUTE) shown.push(minute);
    last = Math.max(last, now);
    return { instant, shown };
  });
}

const EXPRESSIONS = [
  ...[
    '0 1 * * *',
    '30 1 * * *',
    '0 2 * * *',
    '59 2 * * *',
    '0 0 25 4 *',
    '30 0 25 4 *',
    '45 23 24 4 *',
    '7,37 2 * * *',
  ],
  ...[
    '* * * * *',
    '*/1 * * * *',
    '*/7 * * * *',
    '*/59 * * * *',
    '*/90 * * * *',
    '5/15 * * * *',
    '58/5 * * * *',
    '1-10/3 * * * *',
  ],
  ...[
    '0,30 * * * *',
    '0,15-20,59 * * * *',
    '1,* * * * *',
    '0 * * * *',
    '30 2 * * *',
    '*/30 2 * * *',
    '59 1 * * *',
    '0 3 * * *',
  ],
  ...[
    '0 0 * * *',
    '15 2,3 * * *',
    '0 1-3 * * *',
    '*/20 1-4 * * *',
    '0 */5 * * *',
    '0 4/6 * * *',
    '0 23 * * *',
    '0 0-23/2 * * *',
  ],
  ...[
    '0 0 1 * *',
    '0 0 31 * *',
    '0 0 30 2 *',
    '0 0 29 2 *',
    '0 0 */2 * *',
    '0 0 */10 * *',
    '0 0 1,15 * *',
    '0 0 10-12 * *',
  ],
  ...[
    '0 0 28/2 * *',
    '0 0 * 3 *',
    '0 0 * jan-jun *',
    '0 0 * */4 *',
    '0 0 * 11/1 *',
    '0 0 1 1,7 *',
    '0 0 31 4,6,9,11 *',
  ],
  ...[
    '0 0 * * 0',
    '0 0 * * 7',
    '0 0 * * sun',
    '0 0 * * 5-7',
    '0 0 * * 0-7',
    '0 0 * * 1-5',
    '0 0 * * */2',
    '0 0 * * 1/2',
  ],
  ...[
    '0 0 * * mon,wed,fri',
    '0 0 * * 6/1',
    '0 0 13 * 5',
    '0 0 13 * fri',
    '0 0 */2 * 1',
    '0 0 */1 * 5',
    '0 0 1,* * 5',
    '0 0 1 * 1,*',
  ],
  ...[
    '0 0 1 * */1',
    '0 0 1 * */3',
    '0 0 1-7 * 1',
    '0 0 31 2 1',
    '0 0 30 2 0-6',
    '0 0 29 2 7',
    '0 12 1-7 */3 sat',
    '30 2 31 3 *',
  ],
  ...[
    '*/30 2 31 3 *',
    '*/30 2 27 10 *',
    '0 2 * 3 0',
    '15 2 * 10 0',
    '0-59 2 * * *',
    '45 1 * * *',
    '0 0 * 3,10 *',
    '5 4 * * sun',
  ],
  ...[
    '@yearly',
    '@monthly',
    '@weekly',
    '@daily',
    '@hourly',
    '23 0-20/2 * * *',
    '0 22 * * 1-5',
    '5 0 * 8 *',
    '15 14 1 * *',
  ],
  ...[
    '0 9 * * 1',
    '0 9-17 * * 1-5',
    '*/10 9-17 * * mon-fri',
    '0 0,12 1 */2 *',
    '0 4 8-14 * *',
    '0 8 1 1 0',
    '3 3 3 3 3',
    '59 23 31 12 *',
  ],
  ...[
    '0 6 * * 2,4',
    '10,44 14 * 3 wed',
    '0 2 28-31 * *',
    '1 1 1 1 1',
    '*/15 */6 * * *',
    '0 0 1 4/3 *',
    '30 1 * * 0',
    '31 2 * * 0',
  ],
];

// From a little before each change of the clock; Lord Howe's goes by half an hour, Egypt's at midnight.
const CLOCKS = [
  ['UTC', '2024-02-28T23:59:00Z'],
  ['Europe/Berlin', '2024-03-30T22:10:00Z'],
  ['Europe/Berlin', '2024-10-26T22:30:00Z'],
  ['Europe/Berlin', '2024-10-27T00:45:00Z'],
  ['America/New_York', '2025-03-09T05:00:00Z'],
  ['America/New_York', '2025-11-02T04:59:00Z'],
  ['Australia/Lord_Howe', '2024-10-05T12:00:00Z'],
  ['Australia/Lord_Howe', '2024-04-06T12:00:00Z'],
  ['Africa/Cairo', '2025-04-24T12:00:00Z'],
  ['Asia/Kathmandu', '2025-01-31T12:00:00Z'],
] as const;

describe.each(CLOCKS)('by the clock of %s after %s', (zone, start) => {
  test(`${EXPRESSIONS.length} expressions`, () => {
    expect(EXPRESSIONS.length).toBeGreaterThanOrEqual(100);
    const after = Date.parse(start);
    const minutes = clock(zone, after, 2);
    for (const given of EXPRESSIONS) {
      const text = normal(given);
      const fits = reader(text);
      const expected = minutes
        .filter(({ shown }) => shown.some(fits))
        .map(({ instant }) => instant)
        .slice(0, 40);
      const times = nextTimes(text, after, 40, zone).filter((time) => time <= after + 2 * DAY);
      expect([given, times.map((time) => new Date(time).toISOString())]).toEqual([
        given,
        expected.map((time) => new Date(time).toISOString()),
      ]);
    }
  });
});

test('days over years: every expression of midnight gives what the calendar gives', () => {
  const after = Date.UTC(2023, 11, 31);
  for (const given of EXPRESSIONS) {
    const [, , ...days] = normal(given).split(' ');
    const text = `0 0 ${days.join(' ')}`;
    const fits = reader(text);
    const expected = Array.from({ length: 366 * 5 }, (_, index) => after + (index + 1) * DAY).filter(fits);
    const times = nextTimes(text, after, 100).filter((time) => time <= after + 366 * 5 * DAY);
    expect([given, times]).toEqual([given, expected.slice(0, 100)]);
  }
});

test('times come strictly after the given one, leap days across centuries, and what never comes ends the search', () => {
  const next = (text: string, after: string, count: number, zone?: string) =>
    nextTimes(text, Date.parse(after), count, zone).map((time) => new Date(time).toISOString().slice(0, 16));
  expect(next('*/20 * * * *', '2024-05-01T10:20:00Z', 2)).toEqual(['2024-05-01T10:40', '2024-05-01T11:00']);
  expect(next('*/20 * * * *', '2024-05-01T10:19:59.999Z', 1)).toEqual(['2024-05-01T10:20']);
  expect(next('*/20 * * * *', '2024-05-01T10:20:00.001Z', 1)).toEqual(['2024-05-01T10:40']);
  expect(next('0 0 29 2 *', '2096-03-01T00:00:00Z', 1)).toEqual(['2104-02-29T00:00']);
  for (const zone of ['UTC', 'Europe/Berlin'])
    expect(next('30 2 30 2 *', '2024-05-01T00:00:00Z', 3, zone)).toEqual([]);
});

test('names of time zones', () => {
  expect(['Europe/Berlin', 'UTC', 'Mars/Olympus', ''].map(isTimeZone)).toEqual([true, true, false, false]);
});
