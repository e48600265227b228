/**
 * Requests bring a token. What a verified token grants is remembered under the token's hash until it
 * expires or the keys change.
 */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { EngineError } from '../../core/errors.ts';
import type { MemoryBudget } from '../../core/memory/budget.ts';
import { heapBytes } from '../../core/memory/heap-bytes.ts';
import { endingAt, type Session } from '../../core/session.ts';
import type { Vocabulary } from '../../core/vocabulary.ts';
import type { Observer } from '../../observe/logs/observe.ts';
import type { Outgoing } from '../../outgoing/outgoing.ts';
import type { Authenticate } from '../incoming.ts';
import { ROLE, requestedRole } from '../variables.ts';
import { type Grant, readGrant } from './claims.ts';
import type { JwtConfiguration } from './configuration.ts';
import { algorithmsOf } from './keys.ts';
import { openRemoteKeys } from './remote-keys.ts';
import { tokenAt } from './token.ts';
import {
  fitsIssuer,
  isWorthRefresh,
  type Keys,
  notInIssuer,
  timeClaim,
  unverifiedPayload,
  verifyToken,
} from './verify.ts';

interface Secret {
  readonly configuration: JwtConfiguration;
  readonly keys: Keys;
  readonly stop: () => void;
}

interface Verified extends Grant {
  readonly by: Secret;
  /** Milliseconds since 1970, the tolerated skew included; undefined: never. */
  readonly expiresAt: number | undefined;
}

export interface JwtMode {
  readonly authenticate: Authenticate;
  readonly stop: () => void;
}

/**
 * @param memory limits how many tokens are remembered
 * @param withoutToken who requests without a token are; refused unless given
 * @throws Error when keys behind a `jwk_url` cannot be fetched
 */
export async function openJwtMode(
  configurations: readonly JwtConfiguration[],
  outgoing: Outgoing,
  observe: Observer,
  memory: MemoryBudget,
  vocabulary: Vocabulary,
  withoutToken: Authenticate = tokenRequired,
): Promise<JwtMode> {
  // By the hash of the token, which has 44 characters.
  const known = memory.cache<string, Verified>(({ by: _by, ...grant }) => 100 + heapBytes(grant));
  const secrets: Secret[] = [];
  const stop = () => {
    for (const secret of secrets) secret.stop();
  };
  // Sessions verified with keys that were removed meanwhile are not cached.
  let generation = 0;
  const keysChanged = () => {
    generation += 1;
    known.clear();
  };
  try {
    for (const configuration of configurations)
      secrets.push(await openSecret(configuration, outgoing, observe, keysChanged));
  } catch (error) {
    stop();
    throw error;
  }
  const authenticate: Authenticate = async (incoming) => {
    const found = findToken(secrets, incoming.headers);
    if (found === undefined) return withoutToken(incoming);
    const hash = createHash('sha256').update(found.token).digest('base64');
    let grant = known.get(hash);
    if (!grant || !found.readers.includes(grant.by) || isOver(grant)) {
      const before = generation;
      grant = await verify(found, vocabulary);
      if (generation === before) known.set(hash, grant);
    }
    const session = sessionOf(grant, requestedRole(incoming.headers, vocabulary), vocabulary);
    return grant.by.configuration.place.type === 'Cookie' ? { ...session, fromCookie: true } : session;
  };
  return { authenticate, stop };
}

function isOver({ expiresAt }: Verified): boolean {
  return expiresAt !== undefined && expiresAt <= Date.now();
}

const tokenRequired: Authenticate = () => {
  throw new EngineError(
    'invalid-headers',
    `Missing 'Authorization' or 'Cookie' header in JWT authentication mode`,
    {
      reason: {
        rule: 'authentication.jwt',
        why: 'no token was sent, and there is no role for requests without one',
        path: 'unauthorized-role',
      },
    },
  );
};

async function openSecret(
  configuration: JwtConfiguration,
  outgoing: Outgoing,
  observe: Observer,
  changed: () => void,
): Promise<Secret> {
  const { keys, type } = configuration;
  if (keys.kind === 'url') {
    const remote = await openRemoteKeys({ url: keys.url, type, outgoing, observe, changed });
    return { configuration, keys: remote, stop: remote.stop };
  }
  const fixed = [{ id: undefined, algorithms: algorithmsOf(type!), key: keys.key }];
  return { configuration, keys: { current: () => fixed }, stop: () => {} };
}

interface FoundToken {
  readonly token: string;
  /** The secrets that may verify it: those that read it from this place, and fit its issuer. */
  readonly readers: readonly Secret[];
}

/**
 * The one token of a request. With several secrets those tokens count whose issuer fits a secret that reads them there.
 * @throws EngineError when there are several, or when all have another issuer
 */
function findToken(secrets: readonly Secret[], headers: IncomingHttpHeaders): FoundToken | undefined {
  const [only] = secrets;
  if (secrets.length === 1) {
    const token = tokenAt(only!.configuration.place, headers);
    return token === undefined ? undefined : { token, readers: secrets };
  }
  const found = new Map<string, Secret[]>();
  for (const secret of secrets) {
    const token = tokenAt(secret.configuration.place, headers);
    if (token === undefined) continue;
    const readers = found.get(token) ?? [];
    if (fitsIssuer(unverifiedPayload(token), secret.configuration)) readers.push(secret);
    found.set(token, readers);
  }
  const [first, ...others] = [...found].filter(([, readers]) => readers.length > 0);
  if (others.length > 0)
    throw new EngineError('invalid-headers', 'Could not verify JWT: Multiple JWTs found');
  if (first) return { token: first[0], readers: first[1] };
  if (found.size > 0) throw notInIssuer();
  return undefined;
}

/**
 * Verifies a token by the secrets that name its issuer, else by those that name none. Keys are fetched again only where none of
 * them verifies it by the keys at hand: its own secret may be any of them. @throws EngineError of the first
 */
async function verify({ token, readers }: FoundToken, vocabulary: Vocabulary): Promise<Verified> {
  let candidates = readers;
  if (readers.length > 1) {
    const { iss } = unverifiedPayload(token);
    const named = readers.filter(({ configuration }) => configuration.issuer === iss);
    if (named.length > 0) candidates = named;
  }
  const found = await verifyByAny(candidates, token, vocabulary);
  if (!(found instanceof EngineError)) return found;
  const asked = candidates.filter(
    ({ keys, configuration }) => keys.refreshForUnknownId && isWorthRefresh(token, configuration, keys),
  );
  if (asked.length === 0) throw found;
  await Promise.all(asked.map(({ keys }) => keys.refreshForUnknownId!()));
  const verified = await verifyByAny(asked, token, vocabulary);
  if (verified instanceof EngineError) throw found;
  for (const secret of asked) if (secret !== verified.by) secret.keys.forgive!();
  return verified;
}

/** @returns the error of the first secret if none verifies the token */
async function verifyByAny(
  secrets: readonly Secret[],
  token: string,
  vocabulary: Vocabulary,
): Promise<Verified | EngineError> {
  let first: EngineError | undefined;
  for (const secret of secrets) {
    try {
      return await verifyBy(secret, token, vocabulary);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      first ??= error;
    }
  }
  return first!;
}

async function verifyBy(secret: Secret, token: string, vocabulary: Vocabulary): Promise<Verified> {
  const { configuration, keys } = secret;
  const payload = await verifyToken(token, configuration, keys);
  const exp = timeClaim(payload, 'exp');
  return {
    ...readGrant(payload, configuration, vocabulary),
    by: secret,
    expiresAt: exp === undefined ? undefined : (exp + configuration.allowedSkew) * 1000,
  };
}

/** @throws EngineError access-denied for a role that the token does not allow */
function sessionOf(
  { allowedRoles, defaultRole, variables, expiresAt }: Verified,
  requested: string | undefined,
  vocabulary: Vocabulary,
): Session {
  const role = requested ?? defaultRole;
  if (!allowedRoles.includes(role)) {
    throw new EngineError('access-denied', 'Your requested role is not in allowed roles', {
      reason: {
        rule: 'authentication.jwt.allowed-roles',
        why: `the token allows the roles ${allowedRoles.join(', ')} and not ${role}`,
        path: 'jwt-secret',
      },
    });
  }
  return {
    vocabulary,
    role,
    variables: { ...variables, [ROLE]: role },
    backendOnly: false,
    ...endingAt(expiresAt),
  };
}
