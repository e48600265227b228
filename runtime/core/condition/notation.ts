/**
 * One notation for literals that PostgreSQL reads as equal values: instants with offsets, numbers with zeros at the end, uuids in
 * capitals, JSON with spaces, intervals in other units. A notation that depends on a setting of the session, or that is not
 * listed here, stays unchanged: of that nothing is concluded.
 */
import { parseExactJson } from '../json/exact-json.ts';
import { NumberText } from '../json/json-value.ts';
import { isString, type Token, type Tokens } from './tokens.ts';

/** The only notation of a literal with a cast, or of a number; the tokens themselves where they have no other. */
export function oneNotation(tokens: Tokens): Tokens {
  const [first, cast, ...type] = tokens;
  if (tokens.length === 1) return plainNumber(first!) ?? tokens;
  if (tokens.length === 2) {
    const [digits] = first === '-' ? (plainNumber(cast!) ?? []) : [];
    return digits === undefined ? tokens : digits === '0' ? [digits] : ['-', digits];
  }
  if (cast !== '::' || !isString(first) || !first!.startsWith("'")) return tokens;
  const text = first!.slice(1, -1).replaceAll("''", "'").replaceAll('{{', '{').replaceAll('}}', '}');
  const read = READERS[type.join(' ')]?.(text);
  if (read === undefined) return tokens;
  if (typeof read !== 'string') return read.tokens;
  return [`'${read.replaceAll("'", "''").replaceAll('{', '{{').replaceAll('}', '}}')}'`, cast, ...type];
}

/** Types of which values in one notation are the same in whatever uses them. */
const SAME: ReadonlySet<Token> = new Set(['uuid', 'date', 'timestamp', 'timestamptz']);
const CONTAINS: ReadonlySet<Token> = new Set(['@>', '<@']);

/** Tokens of any expression, with one notation of the literals in it that are the same to what uses them. */
export function withOneNotation(tokens: Tokens): Tokens {
  return tokens.flatMap((token, index) => {
    const [cast, type = '', next = ''] = tokens.slice(index + 1, index + 4);
    if (cast !== '::' || !isString(token) || ['.', '(', '['].includes(next)) return [token];
    const isContained = CONTAINS.has(tokens[index - 1] ?? '') || CONTAINS.has(next);
    // Zeros at the end of numbers are seen by what prints them, and not by these operators.
    const isSame = SAME.has(type) || (type === 'jsonb' && isContained);
    return isSame ? [oneNotation([token, cast, type])[0]!] : [token];
  });
}

/** The notation of a value, tokens that stand for it, or undefined: not known. */
type Reader = (text: string) => string | { readonly tokens: Tokens } | undefined;

const INSTANT = /^(\d{4}-\d\d-\d\d)[t ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?(z|[+-]\d\d(?::?\d\d)?)?$/i;

/** A number that is surely in the range of the type. */
const integer =
  (digits: number): Reader =>
  (text) => {
    const number = /^-?\d+$/.test(text) ? decimal(text) : undefined;
    return number !== undefined && number.length <= digits ? numberTokens(number) : undefined;
  };

const float =
  (round: (value: number) => number): Reader =>
  (text) => {
    const value = decimal(text) === undefined ? Number.NaN : round(Number(text));
    // Zero is equal to its negative, and PostgreSQL refuses what is too large or too small.
    return Number.isFinite(value) && (value !== 0 || decimal(text) === '0') ? String(value || 0) : undefined;
  };

const READERS: Readonly<Record<string, Reader>> = {
  smallint: integer(4),
  integer: integer(9),
  bigint: integer(15),
  numeric: (text) => {
    const number = decimal(text);
    return number === undefined ? undefined : numberTokens(number);
  },
  real: float(Math.fround),
  'double precision': float((value) => value),
  uuid: (text) => {
    const digits = text.toLowerCase().replace(/^\{(.*)\}$/, '$1');
    if (!/^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/.test(digits)) return undefined;
    return digits.replaceAll('-', '').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  },
  date: (text) => dayOf(text),
  timestamp: (text) => momentIn(text, false),
  timestamptz: (text) => momentIn(text, true),
  interval: lengthOf,
  '"pg_catalog" . "interval"': lengthOf,
  jsonb: (text) => {
    try {
      return jsonNotation(parseExactJson(text));
    } catch {
      return undefined;
    }
  },
};

/** `2024-01-31`, if there is such a day. */
function dayOf(text: string): string | undefined {
  const [, year, , month, day] = /^(\d{4})(-?)(\d\d)\2(\d\d)$/.exec(text) ?? [];
  if (year === undefined || year === '0000') return undefined;
  const written = `${year}-${month}-${day}`;
  const time = Date.parse(`${written}T00:00:00Z`);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== written ? undefined : written;
}

/**
 * An instant in UTC, or a time of a day without a zone. A time without an offset is an instant only by the zone of the session, and
 * a timestamp leaves an offset out.
 */
function momentIn(text: string, isInstant: boolean): string | undefined {
  const [, day, minute, second = '00', fraction = '', offset] = INSTANT.exec(text) ?? [];
  if (day === undefined) return isInstant ? undefined : dayOf(text);
  if (isInstant === (offset === undefined) || dayOf(day) === undefined) return undefined;
  if (!/^([01]\d|2[0-3]):[0-5]\d$/.test(minute!) || !/^[0-5]\d$/.test(second)) return undefined;
  const [, sign, hours = '00', minutes = '00'] = /^([+-])(\d\d):?(\d\d)?$/.exec(offset ?? '') ?? [];
  if (Number(hours) > 14 || Number(minutes) > 59) return undefined;
  const east = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  const moment = new Date(Date.parse(`${day}T${minute}:${second}Z`) - east).toISOString().slice(0, 19);
  if (!/^\d{4}-/.test(moment)) return undefined;
  const rest = fraction.replace(/0+$/, '');
  const written = `${moment}${rest && `.${rest}`}${isInstant ? 'Z' : ''}`;
  return isInstant ? written : written.replace(/T00:00:00$/, '');
}

/** Microseconds by which PostgreSQL compares intervals: a month has 30 days, a day 24 hours. */
function lengthOf(text: string): string | undefined {
  const units: Readonly<Record<string, bigint>> = {
    ...{ second: 1_000_000n, sec: 1_000_000n, minute: 60_000_000n, min: 60_000_000n, hour: 3_600_000_000n },
    ...{ day: 86_400_000_000n, week: 604_800_000_000n, month: 2_592_000_000_000n, mon: 2_592_000_000_000n },
    ...{ year: 31_104_000_000_000n },
  };
  let total = 0n;
  let rest = text.trim().toLowerCase();
  const [clock, hours, minutes, seconds = '0'] =
    /(?:^|\s)(\d{1,4}):([0-5]\d)(?::([0-5]\d))?$/.exec(rest) ?? [];
  if (clock !== undefined) {
    total = BigInt(hours!) * units.hour! + BigInt(minutes!) * units.minute! + BigInt(seconds) * units.second!;
    rest = rest.slice(0, -clock.length);
  }
  const parts = [...rest.matchAll(/\s*(\d{1,6})\s*([a-z]+?)s?(?=\s|\d|$)/g)];
  if (parts.map(([part]) => part).join('') !== rest || (parts.length === 0 && clock === undefined))
    return undefined;
  for (const [, number, unit] of parts) {
    if (!Object.hasOwn(units, unit!)) return undefined;
    total += BigInt(number!) * units[unit!]!;
  }
  return `${total} microseconds`;
}

/** Keys in order, numbers without zeros at the end: equal values of jsonb have one notation. */
function jsonNotation(value: unknown): string {
  if (typeof value === 'number' || value instanceof NumberText) {
    const number = decimal(value instanceof NumberText ? value.text : String(value));
    // Of a number that is too long nothing is known.
    if (number === undefined) throw new RangeError();
    return number;
  }
  if (Array.isArray(value)) return `[${value.map(jsonNotation).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([key, each]) => `${JSON.stringify(key)}:${jsonNotation(each)}`).join(',')}}`;
}

/** Zeros that an exponent adds at most. */
const MAX_EXPONENT = 60;

/** A number in digits, without exponent and without zeros that mean nothing; undefined: not a plain number. */
function decimal(text: string): string | undefined {
  const [, sign, whole, fraction = '', exponent = '0'] =
    /^([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text) ?? [];
  if (whole === undefined || Math.abs(Number(exponent)) > MAX_EXPONENT) return undefined;
  const point = whole.length + Number(exponent);
  const digits = whole + fraction;
  const padded = '0'.repeat(Math.max(0, -point)) + digits.padEnd(point, '0');
  const at = Math.max(0, point);
  const [before, after] = [padded.slice(0, at).replace(/^0+(?=\d)/, '') || '0', padded.slice(at)];
  const rest = after.replace(/0+$/, '');
  const number = rest === '' ? before : `${before}.${rest}`;
  return sign === '-' && number !== '0' ? `-${number}` : number;
}

function numberTokens(number: string): { readonly tokens: Tokens } {
  return { tokens: number.startsWith('-') ? ['-', number.slice(1)] : [number] };
}

function plainNumber(token: Token): Tokens | undefined {
  const number = /^\d/.test(token) ? decimal(token) : undefined;
  return number === undefined ? undefined : [number];
}
