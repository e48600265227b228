/** When a cron trigger fires: five fields, in UTC. */
import type { Codec } from '../codec.ts';
import { textLike } from '../values.ts';

const FIELDS: readonly (readonly [lowest: number, highest: number, names: readonly string[]])[] = [
  [0, 59, []],
  [0, 23, []],
  [1, 31, []],
  [1, 12, ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']],
  [0, 7, ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']],
];

/** Five fields, each a list of `*`, numbers, names and ranges, with steps. */
export const cronSchedule: Codec<string> = textLike(
  'cron schedule',
  isSchedule,
  (schedule) => `${JSON.stringify(schedule)} is no cron schedule of five fields`,
);

function isSchedule(schedule: string): boolean {
  const fields = schedule.trim().split(/\s+/);
  return fields.length === FIELDS.length && fields.every((field, index) => fitsField(field, FIELDS[index]!));
}

function fitsField(field: string, [lowest, highest, names]: (typeof FIELDS)[number]): boolean {
  const value = (text: string) => {
    const named = names.indexOf(text.toLowerCase());
    if (named >= 0) return named + (lowest === 1 ? 1 : 0);
    return /^\d+$/.test(text) ? Number(text) : Number.NaN;
  };
  return field.split(',').every((part) => {
    const [range = '', step, ...rest] = part.split('/');
    if (rest.length > 0 || (step !== undefined && !/^[1-9]\d*$/.test(step))) return false;
    if (range === '*') return true;
    const ends = range.split('-').map(value);
    if (ends.length > 2 || ends.some((end) => !(end >= lowest && end <= highest))) return false;
    return ends.length === 1 || ends[0]! <= ends[1]!;
  });
}
