/** JSON text to values and back without losing digits of numbers. */
import { NumberText } from '../types.ts';

/** A number outside a string that JavaScript's numbers may not hold: more than 15 digits, or an exponent. */
const LONG_NUMBER = /(?:^|[:[,\s])-?(?:\d[\d.]{15}|[\d.]+[eE])/;

const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/** Stands for a number on its way through JSON.parse; unknown to clients. */
const NUMBER_KEY = globalThis.crypto.randomUUID();

/**
 * Parses JSON. Numbers that would lose digits become NumberText.
 * @throws SyntaxError
 */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return LONG_NUMBER.test(text) ? parseExactly(text) : value;
}

/** As JSON.parse, for text that is known to be JSON. */
function parseExactly(text: string): unknown {
  const marked = text.replace(STRING_OR_NUMBER, (token) =>
    token.startsWith('"') || (token.length < 16 && !/[eE]/.test(token))
      ? token
      : `{"${NUMBER_KEY}":"${token}"}`,
  );
  return JSON.parse(marked, (_key, value: unknown) => {
    const number =
      typeof value === 'object' && value !== null
        ? (value as Record<string, unknown>)[NUMBER_KEY]
        : undefined;
    return typeof number === 'string' ? new NumberText(number) : value;
  });
}
