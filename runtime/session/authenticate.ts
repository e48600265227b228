/**
 * Who is asking (reference server §2). One function per mode, chosen once at the start; each makes of a request's headers
 * the session that planning and execution work with.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { adminSecrets, type Configuration } from '../configuration.ts';
import { parseBoolean } from '../configuration-values.ts';
import { EngineError } from '../core/errors.ts';
import { ADMIN_ROLE, type Session } from '../core/session.ts';
import { secretMatcher } from './secrets.ts';

/** @throws EngineError access-denied (401) and the like */
export type Authenticate = (headers: IncomingHttpHeaders) => Session | Promise<Session>;

const PREFIX = 'x-engine-';
const ROLE = 'x-engine-role';
const ADMIN_SECRET = 'x-engine-admin-secret';
const ACCESS_KEY = 'x-engine-access-key';
const BACKEND_ONLY = 'x-engine-use-backend-only-permissions';

/** The mode that the configuration asks for. */
export function createAuthenticate(configuration: Configuration): Authenticate {
  const secrets = adminSecrets(configuration);
  return secrets.length === 0 ? open : adminSecretMode(secrets, configuration.unauthorizedRole);
}

/** Nothing is configured: everybody is who he says, an administrator by default. */
const open: Authenticate = (headers) => trusted(headers);

/** Holders of a secret are trusted; others are refused, or have the unauthorized role. */
function adminSecretMode(secrets: readonly string[], unauthorizedRole: string | undefined): Authenticate {
  const matches = secretMatcher(secrets);
  return (headers) => {
    const secret = headers[ADMIN_SECRET] ?? headers[ACCESS_KEY];
    if (secret !== undefined) {
      if (typeof secret === 'string' && matches(secret)) return trusted(headers);
      throw accessDenied(`invalid ${ADMIN_SECRET}/${ACCESS_KEY}`);
    }
    if (unauthorizedRole === undefined) {
      throw accessDenied(`${ADMIN_SECRET}/${ACCESS_KEY} required, but not found`);
    }
    return {
      role: unauthorizedRole,
      variables: sessionVariables(headers, unauthorizedRole),
      backendOnly: false,
    };
  };
}

function accessDenied(message: string): EngineError {
  return new EngineError('access-denied', message, { status: 401 });
}

/** The session that the headers ask for. */
function trusted(headers: IncomingHttpHeaders): Session {
  const role = single(headers[ROLE]) || ADMIN_ROLE;
  return { role, variables: sessionVariables(headers, role), backendOnly: backendOnly(headers) };
}

/** Every `x-engine-…` header but the secrets; the role is the resolved one. */
function sessionVariables(headers: IncomingHttpHeaders, role: string): Readonly<Record<string, string>> {
  const variables: Record<string, string> = { [ROLE]: role };
  // Node has the names in lower case already.
  for (const name in headers) {
    if (!name.startsWith(PREFIX) || name === ROLE || name === ADMIN_SECRET || name === ACCESS_KEY) continue;
    const value = single(headers[name]);
    if (value !== undefined) variables[name] = value;
  }
  return variables;
}

function single(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value.join(', ') : value;
}

function backendOnly(headers: IncomingHttpHeaders): boolean {
  const value = single(headers[BACKEND_ONLY]);
  if (value === undefined) return false;
  const parsed = parseBoolean(value);
  if (parsed !== undefined) return parsed;
  throw new EngineError(
    'bad-request',
    `${BACKEND_ONLY}: Not a valid boolean text. True values are ["true","t","yes","y"] and  False values are ["false","f","no","n"]. All values are case insensitive`,
  );
}
