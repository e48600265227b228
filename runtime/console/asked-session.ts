/** The session that an administrator asks about: headers in the body of a request. */
import { EngineError, pathStep } from '../core/errors.ts';
import type { Session } from '../core/session.ts';
import { jsonKind } from '../core/types.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import { trustedSession } from '../session/variables.ts';

/** @param user has to be an object of headers. @throws EngineError for anything else */
export function sessionOf(user: unknown, vocabulary: Vocabulary): Session {
  const headers: Record<string, string> = {};
  if (jsonKind(user) !== 'Object')
    throw new EngineError(
      'parse-failed',
      `expected an object of strings, but encountered ${jsonKind(user)}`,
      {
        path: '$.user',
      },
    );
  for (const [name, value] of Object.entries(user as object)) {
    if (typeof value !== 'string')
      throw new EngineError('parse-failed', `expected String, but encountered ${jsonKind(value)}`, {
        path: pathStep('$.user', name),
      });
    headers[name.toLowerCase()] = value;
  }
  return trustedSession(headers, vocabulary);
}
