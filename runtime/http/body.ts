/** Bodies of requests: read as text, parsed once, numbers kept with all their digits. */
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { EngineError } from '../core/errors.ts';
import { NumberText } from '../core/types.ts';

/** Every body arrives as text, whatever its content type says. */
export function installBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  // The usual one by name: Fastify remembers the parser of a named type, and looks for that of others every time.
  app.addContentTypeParser(['application/json', '*'], { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  );
}

/** A number outside a string that JavaScript's numbers may not hold: more than 15 digits, or an exponent. */
const LONG_NUMBER = /(?:^|[:[,\s])-?(?:\d[\d.]{15}|[\d.]+[eE])/;

const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/** Stands for a number on its way through JSON.parse; unknown to clients. */
const NUMBER_KEY = randomUUID();

/**
 * Parses a JSON body. Numbers that would lose digits become NumberText.
 * @throws EngineError invalid-json
 */
export function parseJson(body: unknown): unknown {
  const text = typeof body === 'string' ? body : '';
  try {
    const value: unknown = JSON.parse(text);
    return LONG_NUMBER.test(text) ? parseExactly(text) : value;
  } catch (error) {
    const reason = text.trim() === '' ? 'not enough input' : (error as Error).message;
    throw new EngineError('invalid-json', `Error in $: ${reason}`);
  }
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
