/** Bodies of requests: read as text, parsed once, numbers kept with all their digits. */

import type { FastifyInstance } from 'fastify';
import { EngineError } from '../core/errors.ts';
import { parseExactJson, TooDeep } from '../core/json/exact-json.ts';
import { jsonProblem } from '../core/reasons.ts';

/** Every body is read as text, for any content type. */
export function installBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  // The usual one by name: Fastify remembers the parser of a named type, and looks for that of others every time.
  app.addContentTypeParser(['application/json', '*'], { parseAs: 'string' }, (request, body, done) => {
    request.own.body = body;
    done(null, body);
  });
}

/**
 * Parses a JSON body. Numbers that would lose digits become NumberText.
 * @throws EngineError invalid-json; parse-failed if it is nested too deeply
 */
export function parseJson(body: unknown): unknown {
  const text = typeof body === 'string' ? body : '';
  try {
    return parseExactJson(text);
  } catch (error) {
    if (error instanceof TooDeep) throw new EngineError('parse-failed', `Error in $: ${error.message}`);
    const reason = text.trim() === '' ? 'not enough input' : jsonProblem(text);
    throw new EngineError('invalid-json', `Error in $: ${reason}`);
  }
}
