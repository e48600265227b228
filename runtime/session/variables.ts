/** Session variables of requests whose headers are believed, and the headers that have a meaning of their own. */
import type { IncomingHttpHeaders } from 'node:http';
import { parseBoolean } from '../configuration/values.ts';
import { EngineError } from '../core/errors.ts';
import { ADMIN_ROLE, type Session } from '../core/session.ts';
import type { Vocabulary } from '../core/vocabulary.ts';

/** Canonical names, as session variables have them; as headers they are written in the active vocabulary. */
export const ROLE = 'x-engine-role';
export const ADMIN_SECRET = 'x-engine-admin-secret';
export const ACCESS_KEY = 'x-engine-access-key';
/** Positions of writes that the client has seen: see http/positions.ts. */
export const POSITION = 'x-engine-lsn';
const OWN: ReadonlySet<string> = new Set([ROLE, ADMIN_SECRET, ACCESS_KEY, POSITION]);
export const BACKEND_ONLY = 'x-engine-use-backend-only-permissions';

/** The session that the headers of a trusted request ask for: an administrator's by default. */
export function trustedSession(headers: IncomingHttpHeaders, vocabulary: Vocabulary): Session {
  const role = requestedRole(headers, vocabulary) ?? ADMIN_ROLE;
  return {
    vocabulary,
    role,
    variables: headerVariables(headers, role, vocabulary),
    backendOnly: backendOnly(headers, vocabulary),
  };
}

/** The role that a request asks for; an empty one counts as absent. */
export function requestedRole(headers: IncomingHttpHeaders, vocabulary: Vocabulary): string | undefined {
  return single(headers[vocabulary.fromCanonical(ROLE)]) || undefined;
}

/** Every header of the vocabulary but the secrets and those that are no variables, by canonical name; the role is the resolved one. */
export function headerVariables(
  headers: IncomingHttpHeaders,
  role: string,
  vocabulary: Vocabulary,
): Readonly<Record<string, string>> {
  const variables: Record<string, string> = { [ROLE]: role };
  // Node has joined what was sent twice.
  for (const header in headers) {
    const name = vocabulary.toCanonical(header);
    if (name === undefined || OWN.has(name)) continue;
    const value = single(headers[header]);
    if (value !== undefined) variables[name] = value;
  }
  return variables;
}

/** The text of a header. */
export function single(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value.join(', ') : value;
}

function backendOnly(headers: IncomingHttpHeaders, vocabulary: Vocabulary): boolean {
  const name = vocabulary.fromCanonical(BACKEND_ONLY);
  const value = single(headers[name]);
  if (value === undefined) return false;
  const parsed = parseBoolean(value);
  if (parsed !== undefined) return parsed;
  throw new EngineError(
    'bad-request',
    `${name}: Not a valid boolean text. True values are ["true","t","yes","y"] and  False values are ["false","f","no","n"]. All values are case insensitive`,
  );
}
