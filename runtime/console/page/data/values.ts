/** Values as typed and shown. */
import { parseExactJson } from '../../../core/json/exact-json.ts';
import { jsonText } from '../../../core/json/json-value.ts';

const isJson = (type: string) => type.startsWith('[') || type === 'json' || type === 'jsonb';

/** A text that JSON has as a number. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * The value of a typed text for a GraphQL type. What the server reads from strings stays one: PostgreSQL says what is wrong with it.
 * @throws Error where it is not a value of the type
 */
export function valueFrom(text: string, type: string): unknown {
  if (type === 'Boolean') {
    if (text !== 'true' && text !== 'false') throw new Error(`Choose true or false, not "${text}".`);
    return text === 'true';
  }
  if (!isJson(type)) {
    const isNumber = (type === 'Int' || type === 'Float') && NUMBER.test(text);
    return isNumber ? parseExactJson(text) : text;
  }
  try {
    return parseExactJson(text);
  } catch {
    const example = type.startsWith('[')
      ? 'a list: ["one", "two"]'
      : 'JSON: {"key": "value"}, or "text" in quotes';
    throw new Error(`Write ${type} as ${example}.`);
  }
}

/** The text of a value, as `valueFrom` reads it. */
export function textOf(value: unknown, type: string): string {
  if (value === null || value === undefined) return '';
  return isJson(type) || typeof value === 'object' ? jsonText(value) : String(value);
}

/** On one line, for a cell. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return value.length > 300 ? `${value.slice(0, 300)}…` : value;
  const text = jsonText(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
