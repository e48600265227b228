/**
 * Whether a token may be believed: its signature, by a key that is bound to its algorithm, then the
 * registered claims.
 */

import { type CompactJWSHeaderParameters, compactVerify, decodeProtectedHeader, errors } from 'jose';
import { EngineError } from '../../core/errors.ts';
import { parseExactJson } from '../../core/json/exact-json.ts';
import { isObject, NumberText } from '../../core/json/json-value.ts';
import type { JwtConfiguration } from './configuration.ts';
import type { VerificationKey } from './keys.ts';

/** The claims of a token. */
export type Payload = Readonly<Record<string, unknown>>;

/** Keys as they are when a token comes. */
export interface Keys {
  readonly current: () => readonly VerificationKey[];
  /** Looks for keys that were added meanwhile. */
  readonly refreshForUnknownId?: () => Promise<void>;
}

/** @throws EngineError invalid-jwt */
export async function verifyToken(
  token: string,
  configuration: JwtConfiguration,
  keys: Keys,
): Promise<Payload> {
  const header = readHeader(token);
  const payload = readPayload(await verifySignature(token, header, keys));
  checkRegisteredClaims(payload, configuration, Date.now() / 1000);
  return payload;
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
  keys: Keys,
): Promise<Uint8Array> {
  let fitting = fittingKeys(header, keys.current());
  if (fitting.length === 0 && keys.refreshForUnknownId) {
    await keys.refreshForUnknownId();
    fitting = fittingKeys(header, keys.current());
  }
  for (const { key, algorithms } of fitting) {
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
  let payload: unknown;
  try {
    payload = parseExactJson(Buffer.from(bytes).toString('utf8'));
  } catch {
    payload = undefined;
  }
  if (!isObject(payload)) {
    throw invalid('JWTClaimsSetDecodeError the payload is not a JSON object');
  }
  return payload as Payload;
}

/** `now` in seconds since 1970. */
function checkRegisteredClaims(payload: Payload, configuration: JwtConfiguration, now: number): void {
  const { allowedSkew, audience } = configuration;
  const exp = time(payload, 'exp');
  const nbf = time(payload, 'nbf');
  const iat = time(payload, 'iat');
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
export function time(payload: Payload, claim: 'exp' | 'nbf' | 'iat'): number | undefined {
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
