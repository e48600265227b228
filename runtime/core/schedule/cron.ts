/**
 * Cron expressions: five fields, one space between them, in UTC. Each field is `*`, a number, a range, or a list of those;
 * a field other than a list may have a step. Names of months and weekdays mean their numbers; 0 and 7 are both Sunday.
 */

import { wallClock } from './time-zone.ts';

export interface CronExpression {
  /** As metadata is exported: nicknames and names written out as numbers. */
  readonly text: string;
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** 0 is Sunday. */
  readonly weekdays: ReadonlySet<number>;
  /** Both day fields are restricted: a day that fits either is meant. */
  readonly eitherDay: boolean;
}

const NICKNAMES: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

interface Field {
  readonly lowest: number;
  readonly highest: number;
  /** Name of `lowest`, and those after it. */
  readonly names: readonly string[];
}

const FIELDS: readonly Field[] = [
  { lowest: 0, highest: 59, names: [] },
  { lowest: 0, highest: 23, names: [] },
  { lowest: 1, highest: 31, names: [] },
  { lowest: 1, highest: 12, names: MONTHS },
  { lowest: 0, highest: 7, names: WEEKDAYS },
];

/** Reads an expression; undefined if it is invalid. */
export function parseCron(given: string): CronExpression | undefined {
  const lower = given.trim().toLowerCase();
  const fields = (NICKNAMES[lower] ?? lower).split(' ').map((text, index) => readField(text, FIELDS[index]));
  if (fields.length !== FIELDS.length) return undefined;
  const read = fields.filter((field) => field !== undefined);
  if (read.length !== FIELDS.length) return undefined;
  const [minutes, hours, days, months, weekdays] = read as [Read, Read, Read, Read, Read];
  return {
    text: read.map(({ text }) => text).join(' '),
    minutes: minutes.values,
    hours: hours.values,
    days: days.values,
    months: months.values,
    weekdays: new Set([...weekdays.values].map((day) => day % 7)),
    eitherDay: days.restricts && weekdays.restricts,
  };
}

interface Read {
  readonly text: string;
  readonly values: ReadonlySet<number>;
  readonly restricts: boolean;
}

function readField(text: string, field: Field | undefined): Read | undefined {
  if (field === undefined) return undefined;
  const [base = '', step, ...rest] = text.split('/');
  if (rest.length > 0) return undefined;
  if (step === undefined) {
    const parts = base.split(',').map((part) => readPart(part, field));
    if (parts.some((part) => part === undefined)) return undefined;
    const known = parts as Part[];
    return {
      text: known.map((part) => part.text).join(','),
      values: new Set(known.flatMap(({ from, to }) => numbers(from, to, 1))),
      restricts: !known.some(({ isStar }) => isStar),
    };
  }
  const part = base.includes(',') ? undefined : readPart(base, field);
  if (part === undefined || !/^[1-9]\d{0,3}$/.test(step)) return undefined;
  const size = Number(step);
  // `5/15` goes on from 5.
  const to = part.isNumber ? field.highest : part.to;
  return {
    text: `${part.text}/${size}`,
    values: new Set(numbers(part.from, to, size)),
    restricts: !(part.isStar && size === 1),
  };
}

interface Part {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly isStar: boolean;
  readonly isNumber: boolean;
}

function readPart(text: string, field: Field): Part | undefined {
  const { lowest, highest } = field;
  // 7 is another name of 0.
  if (text === '*') {
    const to = field.names === WEEKDAYS ? 6 : highest;
    return { text, from: lowest, to, isStar: true, isNumber: false };
  }
  const ends = text.split('-').map((end) => readNumber(end, field));
  const [from, to = from] = ends;
  if (ends.length > 2 || from === undefined || to === undefined || ends.includes(undefined)) return undefined;
  if (from > to) return undefined;
  const isNumber = ends.length === 1;
  return { text: isNumber ? String(from) : `${from}-${to}`, from, to, isStar: false, isNumber };
}

function readNumber(text: string, { lowest, highest, names }: Field): number | undefined {
  const named = names.indexOf(text);
  if (named >= 0) return lowest + named;
  if (!/^\d{1,4}$/.test(text)) return undefined;
  const number = Number(text);
  return number >= lowest && number <= highest ? number : undefined;
}

function numbers(from: number, to: number, step: number): number[] {
  const found: number[] = [];
  for (let number = from; number <= to; number += step) found.push(number);
  return found;
}

/** Leap days can be eight years apart; what does not come within nine never comes. */
const MAX_DAYS = 9 * 366;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/**
 * The next times strictly after another, in milliseconds since 1970; fewer where there are not as many.
 * @param count maximum number
 */
export function nextTimes(cron: CronExpression, after: number, count: number): number[] {
  const times: number[] = [];
  const firstDay = Math.floor(after / DAY) * DAY;
  let lastFound = 0;
  for (let offset = 0; offset - lastFound <= MAX_DAYS && times.length < count; offset += 1) {
    const day = firstDay + offset * DAY;
    if (!fitsDay(cron, new Date(day))) continue;
    for (const hour of cron.hours) {
      for (const minute of cron.minutes) {
        const time = day + (hour * 60 + minute) * MINUTE;
        if (time > after) times.push(time);
      }
    }
    if (times.length > 0) lastFound = offset;
  }
  return times.sort((left, right) => left - right).slice(0, count);
}

/** The clock may go back by this much: local times up to it before an instant may come after it. */
const CLOCK_CHANGE = 3 * 60 * MINUTE;

/**
 * As `nextTimes`, by the wall clock of a time zone. A time that the clock skips counts as the minute at which it goes on, and one
 * that it shows twice counts once.
 */
export function nextTimesIn(zone: string, cron: CronExpression, after: number, count: number): number[] {
  const clock = wallClock(zone);
  const from = Math.floor(clock.localTime(after) / MINUTE) * MINUTE - CLOCK_CHANGE;
  // More than are asked for: those of the hours before, and those that the clock skips.
  const local = nextTimes(cron, from, count + CLOCK_CHANGE / MINUTE + 24 * 60);
  const times = new Set<number>();
  for (const time of local) {
    const instant = clock.instantOf(time);
    if (instant > after) times.add(instant);
    if (times.size === count) break;
  }
  return [...times];
}

function fitsDay(cron: CronExpression, date: Date): boolean {
  if (!cron.months.has(date.getUTCMonth() + 1)) return false;
  const fitsDate = cron.days.has(date.getUTCDate());
  const fitsWeekday = cron.weekdays.has(date.getUTCDay());
  return cron.eitherDay ? fitsDate || fitsWeekday : fitsDate && fitsWeekday;
}
