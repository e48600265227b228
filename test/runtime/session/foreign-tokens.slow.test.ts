import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import jwt, { type Algorithm, type SignOptions } from 'jsonwebtoken';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestDatabase } from '../../harness/postgres.ts';
import { storeRequestProject } from '../../harness/request-project.ts';
import { confidential, leaks, startTestServer, type TestServer } from '../../harness/server.ts';
import { ADMIN, bearer, NAMESPACE, noteIds } from './setting.ts';

const SHARED = 'a key that another library signs with, long enough for all the algorithms of its kind';
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const otherRsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const pem = ({ publicKey }: { publicKey: KeyObject }) =>
  publicKey.export({ type: 'spki', format: 'pem' }) as string;

/** Algorithm → what the server knows, and what tokens are signed with. */
const KINDS: readonly (readonly [Algorithm, string, string | KeyObject])[] = [
  ['HS256', SHARED, SHARED],
  ['HS384', SHARED, SHARED],
  ['HS512', SHARED, SHARED],
  ['RS256', pem(rsa), rsa.privateKey],
  ['RS512', pem(rsa), rsa.privateKey],
  ['PS256', pem(rsa), rsa.privateKey],
  ['PS384', pem(rsa), rsa.privateKey],
  ['ES256', pem(p256), p256.privateKey],
  ['ES384', pem(p384), p384.privateKey],
];

const claims = {
  [NAMESPACE]: {
    'x-engine-allowed-roles': ['user'],
    'x-engine-default-role': 'user',
    'x-engine-user-id': '1',
  },
};

let database: TestDatabase;
let server: TestServer;

beforeAll(async () => {
  confidential.add(ADMIN).add(SHARED);
  database = await storeRequestProject('served/notes');
  const secrets = KINDS.map(([type, key]) => ({ type, key, issuer: type, audience: 'notes' }));
  server = await startTestServer(database, { ADMIN_SECRET: ADMIN, JWT_SECRETS: JSON.stringify(secrets) });
});

afterAll(async () => {
  await server?.stop();
  expect(leaks()).toEqual([]);
});

/** A token of the other library, valid for a minute unless told otherwise. */
function foreign(
  algorithm: Algorithm,
  key: string | KeyObject,
  options: SignOptions = {},
  payload: object = claims,
) {
  const token = jwt.sign(payload, key as jwt.Secret, {
    algorithm,
    issuer: algorithm,
    audience: ['other', 'notes'],
    expiresIn: 60,
    ...options,
  });
  confidential.add(token);
  return bearer(token);
}

const invalid = (reason: string) => `invalid-jwt: Could not verify JWT: ${reason}`;

describe.each(KINDS)('%s tokens of another library', (algorithm, _key, key) => {
  test('are accepted', async () => {
    expect(await noteIds(server, foreign(algorithm, key))).toEqual([1, 3]);
  });

  test('are refused when they have expired, are not yet valid, or are meant for others', async () => {
    const refusals: readonly (readonly [SignOptions, string])[] = [
      [{ expiresIn: -1 }, 'JWTExpired'],
      [{ notBefore: 60 }, 'JWTNotYetValid'],
      [{ audience: 'other' }, 'JWTNotInAudience'],
      [{ issuer: 'nobody' }, 'JWTNotInIssuer'],
    ];
    for (const [options, reason] of refusals)
      expect(await noteIds(server, foreign(algorithm, key, options))).toBe(invalid(reason));
  });

  test('are refused when another key signed them', async () => {
    const wrong = algorithm.startsWith('HS')
      ? `${SHARED}!`
      : algorithm.startsWith('ES')
        ? generateKeyPairSync('ec', { namedCurve: algorithm === 'ES256' ? 'P-256' : 'P-384' }).privateKey
        : otherRsa.privateKey;
    expect(await noteIds(server, foreign(algorithm, wrong))).toBe(invalid('JWSError JWSInvalidSignature'));
  });

  test('are refused without the claims of this server', async () => {
    expect(await noteIds(server, foreign(algorithm, key, {}, { sub: '1' }))).toMatch(
      /^jwt-invalid-claims: claims key/,
    );
  });
});

test('a token that the other library leaves unsigned is refused', async () => {
  const token = jwt.sign(claims, '', {
    algorithm: 'none',
    issuer: 'HS256',
    audience: 'notes',
    expiresIn: 60,
  });
  expect(await noteIds(server, bearer(token))).toMatch(/^invalid-jwt/);
});

describe.skipIf(spawnSync('openssl', ['version']).status !== 0)('tokens of openssl', () => {
  let folder: string;
  const openssl = (...options: string[]) => execFileSync('openssl', options, { cwd: folder, stdio: 'pipe' });
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const unsigned = (alg: string, more: object = {}) => {
    const exp = Math.floor(Date.now() / 1000) + 60;
    return `${encode({ alg, typ: 'JWT' })}.${encode({ exp, ...claims, ...more })}`;
  };
  const sign = (data: string, ...options: string[]) => {
    const signature = execFileSync('openssl', ['dgst', ...options], { cwd: folder, input: data });
    const token = `${data}.${signature.toString('base64url')}`;
    confidential.add(token);
    return token;
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'engine-openssl-'));
    openssl('genrsa', '-out', 'rsa.pem', '2048');
    openssl('rsa', '-in', 'rsa.pem', '-pubout', '-out', 'rsa.pub');
    openssl('genrsa', '-out', 'other.pem', '2048');
    openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', 'ec.pem');
    openssl('ec', '-in', 'ec.pem', '-pubout', '-out', 'ec.pub');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const serverFor = (type: string, file: string) =>
    startTestServer(database, {
      ADMIN_SECRET: ADMIN,
      JWT_SECRET: JSON.stringify({
        type,
        key: file === '' ? SHARED : readFileSync(join(folder, file), 'utf8'),
      }),
    });

  test('of RS256 and PS256: accepted with their key, refused with another, or when they have expired', async () => {
    for (const [type, ...options] of [
      ['RS256', '-sha256'],
      ['PS256', '-sha256', '-sigopt', 'rsa_padding_mode:pss', '-sigopt', 'rsa_pss_saltlen:digest'],
    ] as const) {
      const own = await serverFor(type, 'rsa.pub');
      const good = sign(unsigned(type), ...options, '-sign', 'rsa.pem');
      expect(await noteIds(own, bearer(good)), type).toEqual([1, 3]);
      const other = sign(unsigned(type), ...options, '-sign', 'other.pem');
      expect(await noteIds(own, bearer(other)), type).toBe(invalid('JWSError JWSInvalidSignature'));
      const old = sign(unsigned(type, { exp: 1 }), ...options, '-sign', 'rsa.pem');
      expect(await noteIds(own, bearer(old)), type).toBe(invalid('JWTExpired'));
      await own.stop();
    }
  });

  test('of HS256: accepted, and not with the public key of an RSA server as their key', async () => {
    const shared = await serverFor('HS256', '');
    const hmac = (key: string) =>
      sign(
        unsigned('HS256'),
        '-sha256',
        '-binary',
        '-mac',
        'HMAC',
        '-macopt',
        `hexkey:${Buffer.from(key).toString('hex')}`,
      );
    expect(await noteIds(shared, bearer(hmac(SHARED)))).toEqual([1, 3]);
    expect(await noteIds(shared, bearer(hmac(`${SHARED} `)))).toBe(invalid('JWSError JWSInvalidSignature'));
    await shared.stop();
    const own = await serverFor('RS256', 'rsa.pub');
    expect(await noteIds(own, bearer(hmac(readFileSync(join(folder, 'rsa.pub'), 'utf8'))))).toMatch(
      /^invalid-jwt/,
    );
    await own.stop();
  });

  test('of ES256: the signature must have the form of tokens, not that of openssl', async () => {
    const own = await serverFor('ES256', 'ec.pub');
    const token = sign(unsigned('ES256'), '-sha256', '-sign', 'ec.pem');
    expect(await noteIds(own, bearer(token))).toBe(invalid('JWSError JWSInvalidSignature'));
    const [head, body, signature] = token.split('.');
    const raw = rawSignature(Buffer.from(signature!, 'base64url')).toString('base64url');
    const converted = `${head}.${body}.${raw}`;
    expect(await noteIds(own, bearer(converted))).toEqual([1, 3]);
    await own.stop();
  });
});

/** Both numbers of an ECDSA signature, 32 bytes each, from the DER of openssl. */
function rawSignature(der: Buffer): Buffer {
  const number = (start: number) => der.subarray(start + 2, start + 2 + der[start + 1]!);
  const first = number(2);
  const fixed = (bytes: Buffer) => Buffer.concat([Buffer.alloc(32), bytes]).subarray(-32);
  return Buffer.concat([fixed(first), fixed(number(2 + 2 + first.length))]);
}
