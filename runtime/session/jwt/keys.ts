/**
 * Keys that verify tokens. Each is bound to the algorithms it may verify, by the configured type and by its own, so that a
 * token cannot choose another one: no `none`, and no HMAC with the text of a public key.
 * @rule Which keys may verify which algorithms?
 */
import { createPublicKey, createSecretKey, type JsonWebKeyInput, type KeyObject } from 'node:crypto';
import type { JWK } from 'jose';

export const JWT_TYPES = [
  'HS256',
  'HS384',
  'HS512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'Ed25519',
] as const;
export type JwtType = (typeof JWT_TYPES)[number];

/** A key with the algorithms (`alg` of a token's header) that it verifies. */
export interface VerificationKey {
  readonly id: string | undefined;
  readonly algorithms: readonly string[];
  readonly key: KeyObject;
}

/** Minimum length of RSA keys in bits: shorter ones can be factored. */
const MIN_RSA_BITS = 2048;

const CURVES: Readonly<Record<string, string>> = {
  ES256: 'prime256v1',
  ES384: 'secp384r1',
  ES512: 'secp521r1',
};

/** Names under which tokens state the algorithm of a type. */
export function algorithmsOf(type: JwtType): readonly string[] {
  return type === 'Ed25519' ? ['EdDSA', 'Ed25519'] : [type];
}

/** Reads the configured key: the text itself for HS, else a PEM public key or certificate. @throws Error, without the key */
export function readKey(type: JwtType, text: string): KeyObject {
  if (type.startsWith('HS')) {
    const least = Number(type.slice(2)) / 8;
    if (text.length < least) throw new Error(`Key size too small; should be atleast ${least} characters`);
    return createSecretKey(text, 'utf8');
  }
  if (text.includes('PRIVATE KEY')) throw new Error('key is a private key; give the public one');
  let key: KeyObject;
  try {
    key = createPublicKey(text);
  } catch {
    throw new Error('key is neither a PEM public key nor an X.509 certificate');
  }
  checkKind(type, key);
  return key;
}

function checkKind(type: JwtType, { asymmetricKeyType, asymmetricKeyDetails }: KeyObject): void {
  const { modulusLength = 0, namedCurve } = asymmetricKeyDetails ?? {};
  const fits =
    type === 'Ed25519'
      ? asymmetricKeyType === 'ed25519'
      : type.startsWith('ES')
        ? asymmetricKeyType === 'ec' && namedCurve === CURVES[type]
        : asymmetricKeyType === 'rsa';
  if (!fits) throw new Error(`key does not fit the type ${type}: it is a key of type ${asymmetricKeyType}`);
  if (asymmetricKeyType === 'rsa' && modulusLength < MIN_RSA_BITS)
    throw new Error(`Key size too small; should be atleast ${MIN_RSA_BITS} bits`);
}

/**
 * Reads a JWK set. Keys that cannot verify tokens, or only with a secret, are left out.
 * @param type the only algorithm to accept, if the configuration names one
 * @throws Error if it is not a JWK set, or has no usable key
 */
export function readKeySet(set: unknown, type: JwtType | undefined): readonly VerificationKey[] {
  const members = (set as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(members)) throw new Error('the answer is not a JWK set');
  const keys = members.flatMap((member) => readMember(member as JWK, type) ?? []);
  if (keys.length === 0) throw new Error('the JWK set has no key that verifies signatures');
  return keys;
}

function readMember(jwk: JWK, type: JwtType | undefined): VerificationKey | undefined {
  if (typeof jwk !== 'object' || jwk === null) return undefined;
  const { use, key_ops: operations, kid } = jwk;
  if (use !== undefined && use !== 'sig') return undefined;
  if (Array.isArray(operations) && !operations.includes('verify')) return undefined;
  const accepted = type === undefined ? undefined : algorithmsOf(type);
  const algorithms = algorithmsOfJwk(jwk).filter((algorithm) => accepted?.includes(algorithm) ?? true);
  if (algorithms.length === 0) return undefined;
  let key: KeyObject;
  try {
    key = createPublicKey({ key: jwk as JsonWebKeyInput['key'], format: 'jwk' });
  } catch {
    return undefined;
  }
  if ((key.asymmetricKeyDetails?.modulusLength ?? MIN_RSA_BITS) < MIN_RSA_BITS) return undefined;
  return { id: typeof kid === 'string' ? kid : undefined, algorithms, key };
}

const RSA = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
const BY_CURVE: Readonly<Record<string, readonly string[]>> = {
  'P-256': ['ES256'],
  'P-384': ['ES384'],
  'P-521': ['ES512'],
  Ed25519: ['EdDSA', 'Ed25519'],
};

/** The algorithms that a key's type allows, narrowed by its own `alg`. Symmetric keys are refused in a public set. */
function algorithmsOfJwk({ kty, crv, alg }: JWK): readonly string[] {
  const possible = kty === 'RSA' ? RSA : kty === 'EC' || kty === 'OKP' ? (BY_CURVE[crv ?? ''] ?? []) : [];
  if (alg === undefined) return possible;
  return possible.filter(
    (algorithm) =>
      algorithm === alg ||
      (alg === 'EdDSA' && algorithm === 'Ed25519') ||
      (alg === 'Ed25519' && algorithm === 'EdDSA'),
  );
}
