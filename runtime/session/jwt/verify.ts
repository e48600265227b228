/**
 * Whether a token may be believed: its signature, by a key that is bound to its algorithm, then the
 * registered claims.
 */

import { type CompactJWSHeaderParameters, compactVerify, decodeProtectedHeader, errors } from 'jose';
import { EngineError, unlessRefused } from '../../core/errors.ts';
import { exactJsonOr } from '../../core/json/exact-json.ts';
import { isObject } from '../../core/json/json.ts';
import { NumberText } from '../../core/json/json-value.ts';
import type { JwtConfiguration } from './configuration.ts';
import type { VerificationKey } from './keys.ts';

/** The claims of a token. */
export type Payload = Readonly<Record<string, unknown>>;

/** Keys as they are when a token comes. */
export interface Keys {
  readonly current: () => readonly VerificationKey[];
  /** Looks for keys that were added meanwhile, unless that was done a moment ago. */
  readonly refreshForUnknownId?: () => Promise<void>;
  /** The last look was for the sake of a token that proved genuine: it does not delay the next one. */
  readonly forgive?: () => void;
}

/** Verifies a token by the keys at hand. @throws EngineError invalid-jwt */
export async function verifyToken(
  token: string,
  configuration: JwtConfiguration,
  keys: Keys,
): Promise<Payload> {
  const header = readHeader(token);
  const payload = readPayload(await verifySignature(token, header, keys.current()));
  checkRegisteredClaims(payload, configuration, Date.now() / 1000);
  return payload;
}

/**
 * Whether keys that were added meanwhile could verify a token: it names a key that is not at hand, and nothing else in it is refused.
 */
export function isWorthRefresh(token: string, configuration: JwtConfiguration, keys: Keys): boolean {
  return unlessRefused(
    () => {
      const { kid } = readHeader(token);
      checkRegisteredClaims(unverifiedPayload(token), configuration, Date.now() / 1000);
      return kid !== undefined && keys.current().every(({ id }) => id !== kid);
    },
    () => false,
  );
}

/** The payload of an unverified token. Use it only to choose among configurations. */
export function unverifiedPayload(token: string): Payload {
  const [, payload = '', ...rest] = token.split('.');
  if (rest.length !== 1) throw malformed(token);
  return readPayload(Buffer.from(payload, 'base64url'));
}

async function verifySignature(
  token: string,
  header: CompactJWSHeaderParameters,
  keys: readonly VerificationKey[],
): Promise<Uint8Array> {
  for (const { key, algorithms } of fittingKeys(header, keys)) {
    try {
      return (await compactVerify(token, key, { algorithms: [...algorithms] })).payload;
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw malformed(token);
    }
  }
  throw invalid('JWSError JWSInvalidSignature');
}

/** The keys with the token's key id (all keys if either has no id) that support its algorithm. */
function fittingKeys(
  { alg, kid }: CompactJWSHeaderParameters,
  keys: readonly VerificationKey[],
): readonly VerificationKey[] {
  return keys.filter(
    ({ id, algorithms }) => (kid === undefined || id === undefined || kid === id) && algorithms.includes(alg),
  );
}

function readHeader(token: string): CompactJWSHeaderParameters {
  let header: ReturnType<typeof decodeProtectedHeader>;
  try {
    header = decodeProtectedHeader(token);
  } catch {
    throw malformed(token);
  }
  // Critical extensions must be understood, and this server knows none.
  if (typeof header.alg !== 'string' || header.crit !== undefined) throw malformed(token);
  return header as CompactJWSHeaderParameters;
}

function readPayload(bytes: Uint8Array): Payload {
  const payload = exactJsonOr(Buffer.from(bytes).toString('utf8'));
  if (!isObject(payload)) throw invalid('JWTClaimsSetDecodeError the payload is not a JSON object');
  return payload;
}

/** `now` in seconds since 1970. */
function checkRegisteredClaims(payload: Payload, configuration: JwtConfiguration, now: number): void {
  const { allowedSkew, audience } = configuration;
  const exp = timeClaim(payload, 'exp');
  const nbf = timeClaim(payload, 'nbf');
  const iat = timeClaim(payload, 'iat');
  if (exp !== undefined && now >= exp + allowedSkew) throw invalid('JWTExpired');
  if (nbf !== undefined && now < nbf - allowedSkew) throw invalid('JWTNotYetValid');
  // Whole seconds: a token that another machine has just issued may be up to a second ahead by rounding alone.
  if (iat !== undefined && Math.ceil(now) < iat - allowedSkew) throw invalid('JWTIssuedAtFuture');
  if (audience !== undefined && !audiencesOf(payload).some((item) => audience.includes(item as string))) {
    throw invalid('JWTNotInAudience');
  }
  if (!fitsIssuer(payload, configuration)) throw invalid('JWTNotInIssuer');
}

/** True if the issuer is the configured one, or if the token or the configuration has none. */
export function fitsIssuer({ iss }: Payload, { issuer }: Pick<JwtConfiguration, 'issuer'>): boolean {
  return issuer === undefined || iss === undefined || iss === null || iss === issuer;
}

export function notInIssuer(): EngineError {
  return invalid('JWTNotInIssuer');
}

function audiencesOf({ aud }: Payload): readonly unknown[] {
  return Array.isArray(aud) ? aud : [aud];
}

/** A registered claim that is a time, in seconds since 1970. */
export function timeClaim(payload: Payload, claim: 'exp' | 'nbf' | 'iat'): number | undefined {
  const value = payload[claim];
  if (value === undefined || value === null) return undefined;
  const number = value instanceof NumberText ? Number(value.text) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw invalid(`JWTClaimsSetDecodeError ${claim} is not a number`);
}

/** The token's text is part of no message. */
function malformed(token: string): EngineError {
  const parts = token.split('.').length;
  return invalid(
    parts === 3
      ? 'JWSError (JSONDecodeError the header is malformed)'
      : `JWSError (CompactDecodeError Invalid number of parts: Expected 3 parts; got ${parts})`,
  );
}

function invalid(problem: string): EngineError {
  return new EngineError('invalid-jwt', `Could not verify JWT: ${problem}`, {
    reason: { rule: 'authentication.jwt', why: problem, path: 'jwt-secret' },
  });
}
