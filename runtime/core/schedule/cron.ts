/**
 * Cron expressions: five fields, one blank between them, in UTC or by the clock of a time zone. A field is `*`, a number, a range, or
 * a list of those; one that is no list may have a step. Names of months and weekdays mean their numbers; 0 and 7 are both Sunday.
 *
 * The times are croner's. Ours are what metadata is exchanged in and no package has: this grammar, narrower than those of packages,
 * the normal form that is exported, and the rule of changes of the clock.
 */
import { Cron } from 'croner';

const NICKNAMES: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@hourly': '0 * * * *',
};

interface Field {
  readonly name: string;
  readonly lowest: number;
  readonly highest: number;
  /** Name of `lowest`, and those after it. */
  readonly names: readonly string[];
}

const FIELDS: readonly Field[] = [
  { name: 'minute', lowest: 0, highest: 59, names: [] },
  { name: 'hour', lowest: 0, highest: 23, names: [] },
  { name: 'day of month', lowest: 1, highest: 31, names: [] },
  {
    name: 'month',
    lowest: 1,
    highest: 12,
    names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { name: 'day of week', lowest: 0, highest: 7, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];

class CronError extends Error {}

/**
 * The normal form of an expression, with nicknames and names written out as numbers.
 * @returns or else which field is wrong, and why
 */
export function readCron(given: string): { readonly text: string } | { readonly problem: string } {
  const lower = given.trim().toLowerCase();
  try {
    return { text: NICKNAMES[lower] ?? readFields(lower) };
  } catch (error) {
    if (error instanceof CronError) return { problem: error.message };
    throw error;
  }
}

function readFields(text: string): string {
  const names = FIELDS.map(({ name }) => name).join(', ');
  if (text === '') throw new CronError(`it is empty: give ${names}, such as "0 9 * * mon-fri"`);
  if (text.startsWith('@'))
    throw new CronError(`the nickname is unknown: use ${Object.keys(NICKNAMES).join(', ')} or five fields`);
  if (/\s\s|[^\S ]/.test(text)) throw new CronError('the fields are separated by one blank each');
  const parts = text.split(' ');
  if (parts.length !== FIELDS.length) {
    const seconds = parts.length === 6 ? '; there is no field for seconds' : '';
    throw new CronError(
      `it has ${parts.length} field${parts.length === 1 ? '' : 's'}, not five (${names})${seconds}`,
    );
  }
  return parts.map((part, index) => readField(part, FIELDS[index]!)).join(' ');
}

function readField(text: string, field: Field): string {
  const fail = (why: string): never => {
    throw new CronError(`${field.name} ${JSON.stringify(text)}: ${why}`);
  };
  const number = (given: string): number => {
    const named = field.names.indexOf(given);
    if (named >= 0) return field.lowest + named;
    const { lowest, highest, names } = field;
    const expected = `${lowest} to ${highest}${names.length > 0 ? `, or ${names[0]} to ${names.at(-1)}` : ''}`;
    if (!/^\d{1,4}$/.test(given))
      fail(`${JSON.stringify(given)} is not a number or name; expected ${expected}`);
    if (Number(given) < lowest || Number(given) > highest)
      fail(`${given} is out of range; expected ${expected}`);
    return Number(given);
  };
  const item = (given: string): string => {
    if (given === '*') return given;
    const ends = given.split('-').map(number);
    if (ends.length > 2) fail(`a range has two ends`);
    if (ends.length === 2 && ends[0]! > ends[1]!) fail(`the range ${given} ends before it begins`);
    return ends.join('-');
  };
  const [base = '', step, ...rest] = text.split('/');
  const items = base.split(',').map(item);
  if (step === undefined) return items.join(',');
  if (items.length > 1 || rest.length > 0) fail('a step is for one value or range, not for parts of a list');
  if (!/^[1-9]\d{0,3}$/.test(step)) fail(`the step ${JSON.stringify(step)} is not a number from 1 to 9999`);
  return `${items[0]}/${Number(step)}`;
}

/** The pattern in croner's form: what restricts nothing is a star, steps have a range that they fit into. */
function pattern(text: string): string {
  const fields = text.split(' ').map((field, index) => {
    const { highest } = FIELDS[index]!;
    const [base = '', step] = field.split('/');
    if (base.split(',').includes('*') && (step ?? '1') === '1') return '*';
    if (step === undefined) return field;
    const from = base === '*' ? FIELDS[index]!.lowest : Number.parseInt(base, 10);
    // 7 is another name of 0.
    const last = base === '*' ? Math.min(highest, index === 4 ? 6 : highest) : highest;
    const to = base.includes('-') ? Number(base.split('-')[1]) : last;
    return from + Number(step) > to ? String(from) : `${from}-${to}/${step}`;
  });
  return fields.join(' ');
}

const DAY = 86_400_000;

/**
 * The next times strictly after another, in milliseconds since 1970; fewer where there are not as many. By the clock of a zone, a time
 * that the clock skips counts as the minute at which it goes on, and one that it shows twice counts once.
 * @param text normal form
 * @param count maximum number
 */
export function nextTimes(text: string, after: number, count: number, zone = 'UTC'): number[] {
  const cron = new Cron(pattern(text), { mode: '5-part', timezone: 'UTC', paused: true });
  if (zone === 'UTC') return cron.nextRuns(count, new Date(after)).map(Number);
  const times = new Set<number>();
  let local: Date | null = new Date(localTime(zone, after));
  while (times.size < count) {
    local = cron.nextRun(local);
    if (local === null) break;
    const time = instantOf(zone, local);
    // Of times that the clock shows again, the first showing may be over.
    if (time > after) times.add(time);
  }
  return [...times];
}

/** What the clock of a zone shows at an instant, as if it showed UTC. */
function localTime(zone: string, instant: number): number {
  const format = new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  return Date.parse(`${format.format(instant).replace(' ', 'T')}Z`);
}

/** When the clock of a zone first shows a time, or goes on after skipping it: croner's rule for jobs at a fixed time. */
function instantOf(zone: string, local: Date): number {
  const [date, time] = [local.toISOString().slice(0, 10), local.toISOString().slice(11, 16)];
  const [year, month, day] = date.split('-').map(Number);
  const [hour, minute] = time.split(':').map(Number);
  const fixed = new Cron(`0 ${minute} ${hour} ${day} ${month} * ${year}`, {
    mode: '7-part',
    timezone: zone,
    paused: true,
  });
  // Clocks are at most 14 hours from UTC.
  return Number(fixed.nextRun(new Date(Number(local) - DAY)));
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
