/** Holders of an admin secret are trusted. Nothing else is tried once a secret was sent. */
import { EngineError } from '../core/errors.ts';
import type { Authenticate } from './incoming.ts';
import { secretMatcher } from './secrets.ts';
import { ACCESS_KEY, ADMIN_SECRET, trustedSession, written } from './variables.ts';

/** @param otherwise who requests without a secret are */
export function adminSecretMode(secrets: readonly string[], otherwise: Authenticate): Authenticate {
  const matches = secretMatcher(secrets);
  return (incoming) => {
    const secret = incoming.headers[written(ADMIN_SECRET)] ?? incoming.headers[written(ACCESS_KEY)];
    if (secret === undefined) return otherwise(incoming);
    if (typeof secret === 'string' && matches(secret)) return trustedSession(incoming.headers);
    throw accessDenied(
      `invalid ${written(ADMIN_SECRET)}/${written(ACCESS_KEY)}`,
      'the secret that was sent does not match a configured one',
    );
  };
}

/** Only requests with the admin secret are accepted. */
export const secretRequired: Authenticate = () => {
  throw accessDenied(
    `${written(ADMIN_SECRET)}/${written(ACCESS_KEY)} required, but not found`,
    'no secret was sent, and there is no role for requests without one',
  );
};

function accessDenied(message: string, why: string): EngineError {
  const reason = { rule: 'authentication.admin-secret', why, path: 'admin-secret' };
  return new EngineError('access-denied', message, { status: 401, reason });
}
