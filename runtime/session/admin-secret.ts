/** Holders of an admin secret are trusted. Nothing else is tried once a secret was sent. */
import type { IncomingHttpHeaders } from 'node:http';
import { EngineError } from '../core/errors.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import type { Authenticate } from './incoming.ts';
import { secretMatcher } from './secrets.ts';
import { ACCESS_KEY, ADMIN_SECRET, trustedSession } from './variables.ts';

const SECRETS = [ADMIN_SECRET, ACCESS_KEY] as const;

/**
 * Headers of a socket: those of its `connection_init` win over those of its handshake. A secret that both have is joined, as Node
 * joins what a request has twice, unless they are equal.
 */
export function socketHeaders(
  handshake: IncomingHttpHeaders,
  own: Readonly<Record<string, string>>,
  vocabulary: Vocabulary,
): IncomingHttpHeaders {
  const headers = { ...handshake, ...own };
  for (const name of namesOfSecrets(vocabulary)) {
    const [first, second] = [handshake[name], own[name]];
    if (first !== undefined && second !== undefined && first !== second)
      headers[name] = `${first}, ${second}`;
  }
  return headers;
}

/** @param otherwise who requests without a secret are; none is accepted unless given */
export function adminSecretMode(
  secrets: readonly string[],
  vocabulary: Vocabulary,
  otherwise = secretRequired(vocabulary),
): Authenticate {
  const matches = secretMatcher(secrets);
  const names = namesOfSecrets(vocabulary);
  return (incoming) => {
    const sent = names.map((name) => incoming.headers[name]).filter((secret) => secret !== undefined);
    if (sent.length === 0) return otherwise(incoming);
    // Under both names, or twice under one, which joins them: none may be wrong.
    if (sent.every((secret) => typeof secret === 'string' && matches(secret)))
      return trustedSession(incoming.headers, vocabulary);
    throw accessDenied(
      `invalid ${names.join('/')}`,
      'the secret that was sent does not match a configured one',
    );
  };
}

/** Only requests with the admin secret are accepted. */
function secretRequired(vocabulary: Vocabulary): Authenticate {
  return () => {
    throw accessDenied(
      `${namesOfSecrets(vocabulary).join('/')} required, but not found`,
      'no secret was sent, and there is no role for requests without one',
    );
  };
}

function namesOfSecrets(vocabulary: Vocabulary): readonly string[] {
  return SECRETS.map((name) => vocabulary.fromCanonical(name));
}

function accessDenied(message: string, why: string): EngineError {
  const reason = { rule: 'authentication.admin-secret', why, path: 'admin-secret' };
  return new EngineError('access-denied', message, { status: 401, reason });
}
