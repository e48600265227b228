/**
 * Texts that mean the moment at which they are read. What PostgreSQL makes of one is its own to say (`today`, `[now,)`,
 * `{tomorrow 10:00}`), so nothing is evaluated here: a text counts that has one of its words, whatever is around it.
 */
import type { ColumnType } from '../types.ts';
import type { ParameterNode } from './fragment.ts';

const WORDS = /(?<![a-z])(?:now|today|tomorrow|yesterday)(?![a-z])/i;

/** Whether a text, read as a date or time, or as a value that holds some, may mean another value later. */
export function namesMoment(text: string): boolean {
  return WORDS.test(text);
}

/** SQL types whose values hold no date or time. Another type may: a range, an array, a domain, a composite type. */
const TIMELESS: ReadonlySet<string> = new Set([
  ...['text', 'character varying', 'bpchar', 'name', 'json', 'jsonb', 'uuid', 'boolean', 'money'],
  ...['smallint', 'integer', 'bigint', 'real', 'double precision', 'numeric'],
]);

/** Whether a value of an SQL type may hold a date or time. Texts of a list may be read as another type. */
function mayHoldTime(type: string): boolean {
  return !TIMELESS.has(type);
}

/**
 * How a literal of the metadata means the moment of the request: as `now()`, or by a text that is read at each request (`today`, items
 * of an array, bounds of a range). undefined: it is the same value always.
 */
export function momentOf(type: ColumnType, text: string): 'now' | 'text' | undefined {
  if (!namesMoment(text) || type.native === 'enum' || !mayHoldTime((type.element ?? type).sql))
    return undefined;
  const isTime = (type.family === 'date' && !type.element) || type.name === 'time';
  return isTime && /^\s*now(\(\))?\s*$/i.test(text) ? 'now' : 'text';
}

/** Whether one of the texts means another value later. */
export function dependOnMoment(
  parameters: readonly ParameterNode[],
  values: readonly (string | null)[],
): boolean {
  return parameters.some(({ type }, index) => {
    const value = values[index];
    return typeof value === 'string' && mayHoldTime(type) && namesMoment(value);
  });
}
