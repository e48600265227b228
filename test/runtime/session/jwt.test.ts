import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readConfiguration } from '../../../runtime/configuration/configuration.ts';
import type { TestDatabase } from '../../harness/postgres.ts';
import { storeRequestProject } from '../../harness/request-project.ts';
import { confidential, leaks, startTestServer, type TestServer } from '../../harness/server.ts';
import { ADMIN, bearer, NAMESPACE, noteIds, payload, signToken } from './setting.ts';

const KEY = 'a symmetric key of these tests, long enough for every type: 0123456789';
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });
const curves = { ES256: ec('P-256'), ES384: ec('P-384'), ES512: ec('P-521') };
const ed = generateKeyPairSync('ed25519');
const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }) as string;

let database: TestDatabase;
const servers: TestServer[] = [];

/** A server that verifies tokens as a JWT secret says. */
async function startWith(
  secret: object | object[],
  options: Record<string, string> = {},
): Promise<TestServer> {
  const server = await startTestServer(database, {
    ADMIN_SECRET: ADMIN,
    [Array.isArray(secret) ? 'JWT_SECRETS' : 'JWT_SECRET']: JSON.stringify(secret),
    ...options,
  });
  servers.push(server);
  return server;
}

beforeAll(async () => {
  confidential.add(ADMIN).add(KEY);
  database = await storeRequestProject('served/notes');
});

afterAll(async () => {
  for (const server of servers) await server.stop();
  expect(leaks()).toEqual([]);
});

describe('keys', () => {
  const kinds: [string, string, KeyObject | string, string][] = [
    ...['HS256', 'HS384', 'HS512'].map((type): [string, string, string, string] => [type, KEY, KEY, type]),
    ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'].map(
      (type): [string, string, KeyObject, string] => [type, pem(rsa.publicKey), rsa.privateKey, type],
    ),
    ...Object.entries(curves).map(([type, pair]): [string, string, KeyObject, string] => [
      type,
      pem(pair.publicKey),
      pair.privateKey,
      type,
    ]),
    ['Ed25519', pem(ed.publicKey), ed.privateKey, 'EdDSA'],
    ['RS256', rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }) as string, rsa.privateKey, 'RS256'],
  ];

  let server: TestServer;
  beforeAll(async () => {
    // One server for all: each key has an issuer of its own.
    server = await startWith(kinds.map(([type, key], index) => ({ type, key, issuer: `issuer ${index}` })));
  });

  test.each(kinds.map((kind, index) => [...kind, `issuer ${index}`] as const))(
    'of type %s verify tokens',
    async (_type, _key, privateKey, algorithm, iss) => {
      const signer = { algorithm, key: privateKey as KeyObject };
      const token = signToken(payload({}, { iss }), signer);
      expect(await noteIds(server, bearer(token))).toEqual([1, 3]);
      const changed = signToken(payload({ 'x-engine-user-id': '2' }, { iss }), signer);
      const [head, body] = changed.split('.');
      const forged = `${head}.${body}.${token.split('.')[2]}`;
      expect(await noteIds(server, bearer(forged))).toBe(
        'invalid-jwt: Could not verify JWT: JWSError JWSInvalidSignature',
      );
    },
  );

  const openssl = spawnSync('openssl', ['version']).status === 0;
  test.skipIf(!openssl)('from an X.509 certificate, with a token that openssl signed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'engine-certificate-'));
    try {
      const run = (...options: string[]) => execFileSync('openssl', options, { cwd: folder, stdio: 'pipe' });
      const subject = ['-subj', '/CN=issuer', '-days', '2'];
      run(
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        'key.pem',
        '-out',
        'cert.pem',
        ...subject,
      );
      const data = signToken(payload(), { algorithm: 'RS256', key: rsa.privateKey })
        .split('.')
        .slice(0, 2)
        .join('.');
      const signed = execFileSync('openssl', ['dgst', '-sha256', '-sign', 'key.pem'], {
        cwd: folder,
        input: data,
      });
      const certified = await startWith({
        type: 'RS256',
        key: readFileSync(join(folder, 'cert.pem'), 'utf8'),
      });
      expect(await noteIds(certified, bearer(`${data}.${signed.toString('base64url')}`))).toEqual([1, 3]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('registered claims', () => {
  let server: TestServer;
  const signer = { algorithm: 'HS256', key: KEY } as const;
  const invalid = (reason: string) => `invalid-jwt: Could not verify JWT: ${reason}`;

  beforeAll(async () => {
    server = await startWith({
      type: 'HS256',
      key: KEY,
      audience: ['one', 'two'],
      issuer: 'https://issuer.example',
      allowed_skew: 3600,
    });
  });

  const right = { aud: 'one', iss: 'https://issuer.example' };
  /** Seconds from now. */
  type Times = Partial<Record<'exp' | 'nbf' | 'iat', number>>;
  test.each<[string, Times, object, number[] | string]>([
    ['all right', {}, {}, [1, 3]],
    ['one of several audiences', {}, { aud: ['other', 'two'] }, [1, 3]],
    ['no issuer', {}, { iss: undefined }, [1, 3]],
    ['expired within the skew', { exp: -60 }, {}, [1, 3]],
    ['not before, within the skew', { nbf: 1800 }, {}, [1, 3]],
    ['no expiry', {}, { exp: undefined }, [1, 3]],
    ['expired', { exp: -7200 }, {}, invalid('JWTExpired')],
    ['not yet valid', { nbf: 7200 }, {}, invalid('JWTNotYetValid')],
    ['issued in the future', { iat: 7200 }, {}, invalid('JWTIssuedAtFuture')],
    ['another audience', {}, { aud: 'three' }, invalid('JWTNotInAudience')],
    ['no audience', {}, { aud: undefined }, invalid('JWTNotInAudience')],
    ['an empty list of audiences', {}, { aud: [] }, invalid('JWTNotInAudience')],
    ['another issuer', {}, { iss: 'https://issuer.example/' }, invalid('JWTNotInIssuer')],
    ['a text as expiry', {}, { exp: '9999999999' }, invalid('JWTClaimsSetDecodeError exp is not a number')],
  ])('%s', async (_name, times, others, expected) => {
    const now = Math.floor(Date.now() / 1000);
    const set = Object.fromEntries(Object.entries(times).map(([claim, seconds]) => [claim, now + seconds]));
    const token = signToken(payload({}, { ...right, ...set, ...others }), signer);
    expect(await noteIds(server, bearer(token))).toEqual(expected);
  });

  test('a token is refused once it has expired, though it was accepted before', async () => {
    const exact = await startWith({ type: 'HS256', key: KEY });
    const token = signToken(payload(), signer);
    expect(await noteIds(exact, bearer(token))).toEqual([1, 3]);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_601_000 });
    try {
      expect(await noteIds(exact, bearer(token))).toBe(invalid('JWTExpired'));
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('claims', () => {
  const signer = { algorithm: 'HS256', key: KEY } as const;
  const claims = {
    'X-Engine-Allowed-Roles': ['user'],
    'X-Engine-Default-Role': 'user',
    'X-Engine-User-Id': '2',
  };

  const cases: [string, object, object, number[] | string][] = [
    ['another namespace', { claims_namespace: 'mine' }, { mine: claims }, [2]],
    ['a path', { claims_namespace_path: '$.a["b.c"].d' }, { a: { 'b.c': { d: claims } } }, [2]],
    ['the root', { claims_namespace_path: '$' }, claims, [2]],
    ['a text', { claims_format: 'stringified_json' }, { [NAMESPACE]: JSON.stringify(claims) }, [2]],
    [
      'a map',
      {
        claims_map: {
          'x-engine-allowed-roles': { path: '$.roles[1]' },
          'X-Engine-Default-Role': 'user',
          'x-engine-user-id': { path: '$.sub' },
        },
      },
      { sub: '2', roles: [[], ['user']] },
      [2],
    ],
    [
      'a map into texts',
      {
        claims_format: 'stringified_json',
        claims_map: {
          'x-engine-allowed-roles': { path: '$.app.roles' },
          'x-engine-default-role': { path: '$.app.roles[0]' },
          'x-engine-user-id': { path: '$.app.user.id' },
        },
      },
      { app: JSON.stringify({ roles: '["user"]', user: JSON.stringify({ id: '2' }) }) },
      [2],
    ],
    ['no namespace', {}, {}, `jwt-invalid-claims: claims key: '${NAMESPACE}' not found`],
    [
      'nothing at the path',
      { claims_namespace_path: '$.a' },
      {},
      "jwt-invalid-claims: claims not found at claims_namespace_path: '$.a'",
    ],
    [
      'a text where an object is expected',
      {},
      { [NAMESPACE]: JSON.stringify(claims) },
      'jwt-invalid-claims: expecting a json object when claims_format is json',
    ],
    [
      'an object where a text is expected',
      { claims_format: 'stringified_json' },
      { [NAMESPACE]: claims },
      'jwt-invalid-claims: expecting a string when claims_format is stringified_json',
    ],
    [
      'a variable that is no string',
      {},
      { [NAMESPACE]: { ...claims, 'X-Engine-User-Id': 2 } },
      'jwt-invalid-claims: invalid x-engine-user-id; should be a string: parsing Text failed, expected String, but encountered Number',
    ],
    [
      'a claim in two cases',
      {},
      { [NAMESPACE]: { ...claims, 'x-engine-user-id': '1' } },
      'jwt-invalid-claims: the claim x-engine-user-id occurs more than once, in different cases',
    ],
  ];

  let server: TestServer;
  beforeAll(async () => {
    server = await startWith(
      cases.map(([issuer, configuration]) => ({ type: 'HS256', key: KEY, issuer, ...configuration })),
    );
  });

  test.each(cases)('%s', async (iss, _configuration, body, expected) => {
    expect(await noteIds(server, bearer(signToken({ iss, ...body }, signer)))).toEqual(expected);
  });
});

describe('where tokens stand', () => {
  const token = () => signToken(payload(), { algorithm: 'HS256', key: KEY });

  test('a cookie', async () => {
    const server = await startWith({ type: 'HS256', key: KEY, header: { type: 'Cookie', name: 'sid' } });
    expect(await noteIds(server, { cookie: `a=b; sid=${token()}; c=d` })).toEqual([1, 3]);
    const missing = "invalid-headers: Missing 'Authorization' or 'Cookie' header in JWT authentication mode";
    expect(await noteIds(server, { cookie: `xsid=${token()}` })).toBe(missing);
    expect(await noteIds(server, bearer(token()))).toBe(missing);
  });

  test('a header of its own', async () => {
    const server = await startWith({
      type: 'HS256',
      key: KEY,
      header: { type: 'CustomHeader', name: 'X-T' },
    });
    expect(await noteIds(server, { 'x-t': token() })).toEqual([1, 3]);
  });

  test('with the unauthorized role: none means that role, a bad one is an error', async () => {
    const server = await startWith({ type: 'HS256', key: KEY }, { UNAUTHORIZED_ROLE: 'guest' });
    expect(await noteIds(server, { 'x-engine-role': 'user', 'x-engine-user-id': '1' })).toEqual([1, 2, 3]);
    expect(await noteIds(server, { authorization: 'Basic abc' })).toBe(
      'invalid-headers: Malformed Authorization header',
    );
    expect(await noteIds(server, bearer('x.y.z'))).toMatch(/^invalid-jwt: Could not verify JWT: JWSError/);
  });

  test('with several secrets: by issuer and place', async () => {
    const server = await startWith([
      { type: 'HS256', key: KEY, issuer: 'first' },
      { type: 'RS256', key: pem(rsa.publicKey), issuer: 'second' },
      { type: 'HS512', key: KEY, header: { type: 'Cookie', name: 'sid' } },
    ]);
    const by = (iss: string, type: string, key: string | KeyObject) =>
      signToken(payload({}, { iss }), { algorithm: type, key: key as KeyObject });
    const first = by('first', 'HS256', KEY);
    expect(await noteIds(server, bearer(first))).toEqual([1, 3]);
    expect(await noteIds(server, bearer(by('second', 'RS256', rsa.privateKey)))).toEqual([1, 3]);
    expect(await noteIds(server, { cookie: `sid=${by('any', 'HS512', KEY)}` })).toEqual([1, 3]);
    expect(await noteIds(server, bearer(by('third', 'HS256', KEY)))).toBe(
      'invalid-jwt: Could not verify JWT: JWTNotInIssuer',
    );
    expect(await noteIds(server, bearer(by('second', 'HS256', KEY)))).toMatch(/^invalid-jwt/);
    expect(await noteIds(server, { ...bearer(first), cookie: `sid=${by('any', 'HS512', KEY)}` })).toBe(
      'invalid-headers: Could not verify JWT: Multiple JWTs found',
    );
    // The token of one place is not accepted at another, though it was verified a moment ago.
    expect(await noteIds(server, { cookie: `sid=${first}` })).toMatch(/^invalid-jwt/);
    expect(await noteIds(server, {})).toMatch(/^invalid-headers: Missing/);
  });
});

describe('roles', () => {
  test('the requested one if allowed, else the default; variables come from the token alone', async () => {
    const server = await startWith({ type: 'HS256', key: KEY });
    const token = bearer(signToken(payload(), { algorithm: 'HS256', key: KEY }));
    expect(await noteIds(server, { ...token, 'x-engine-role': 'guest' })).toEqual([1, 2, 3]);
    expect(await noteIds(server, { ...token, 'x-engine-role': '' })).toEqual([1, 3]);
    expect(await noteIds(server, { ...token, 'x-engine-user-id': '2' })).toEqual([1, 3]);
    expect(await noteIds(server, { ...token, 'x-engine-role': 'admin' })).toBe(
      'access-denied: Your requested role is not in allowed roles',
    );
    expect(await noteIds(server, { ...token, 'x-engine-admin-secret': ADMIN })).toEqual([1, 2, 3]);
  });

  test('a default role that is not allowed is refused', async () => {
    const server = await startWith({ type: 'HS256', key: KEY });
    const claims = { 'x-engine-default-role': 'admin' };
    const token = signToken(payload(claims), { algorithm: 'HS256', key: KEY });
    expect(await noteIds(server, bearer(token))).toBe(
      'access-denied: Your requested role is not in allowed roles',
    );
  });
});

describe('configurations that stop the start', () => {
  const small = generateKeyPairSync('rsa', { modulusLength: 1024 });
  test.each<[string, unknown, string]>([
    ['no JSON', '{', 'expected JSON'],
    ['no object', [], 'expected a JSON object'],
    ['neither key nor address', { type: 'HS256' }, 'key and jwk_url both cannot be empty'],
    ['both', { key: KEY, jwk_url: 'https://a.example' }, 'key, jwk_url both cannot be present'],
    ['no type', { key: KEY }, 'type is needed with key'],
    ['an unknown type', { type: 'none', key: KEY }, 'type: expected one of HS256'],
    ['a short key', { type: 'HS512', key: KEY.slice(0, 63) }, 'should be atleast 64 characters'],
    ['a key that is none', { type: 'RS256', key: KEY }, 'neither a PEM public key nor an X.509 certificate'],
    ['a key of another kind', { type: 'RS256', key: pem(ed.publicKey) }, 'does not fit the type RS256'],
    ['a key of another curve', { type: 'ES384', key: pem(curves.ES256.publicKey) }, 'does not fit'],
    ['a short RSA key', { type: 'RS256', key: pem(small.publicKey) }, 'should be atleast 2048 bits'],
    [
      'a private key',
      { type: 'RS256', key: rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }) },
      'key is a private key',
    ],
    ['a misspelled key', { type: 'HS256', key: KEY, audiance: 'a' }, 'unknown key "audiance"'],
    ['credentials in the address', { jwk_url: 'https://u:hidden-p@a.example' }, 'without credentials'],
    ['a bad path', { type: 'HS256', key: KEY, claims_namespace_path: 'a.b' }, 'has to start with $'],
    [
      'a map without the default role',
      { type: 'HS256', key: KEY, claims_map: { 'x-engine-allowed-roles': ['a'] } },
      'x-engine-default-role is expected but not found',
    ],
    [
      'a namespace and a path',
      { type: 'HS256', key: KEY, claims_namespace: 'a', claims_namespace_path: '$' },
      'both cannot be set',
    ],
    [
      'a cookie without a name',
      { type: 'HS256', key: KEY, header: { type: 'Cookie' } },
      'header.name is needed',
    ],
    ['a negative skew', { type: 'HS256', key: KEY, allowed_skew: -1 }, 'allowed_skew: expected a number'],
  ])('%s', (_name, secret, reason) => {
    const text = typeof secret === 'string' ? secret : JSON.stringify(secret);
    const start = () =>
      readConfiguration({}, { ENGINE_GRAPHQL_ADMIN_SECRET: ADMIN, ENGINE_GRAPHQL_JWT_SECRET: text });
    expect(start).toThrow(reason);
    expect(start).toThrow(/^Environment variable ENGINE_GRAPHQL_JWT_SECRET: /);
    for (const hidden of [KEY, 'hidden-p', 'PRIVATE KEY-----']) expect(start).not.toThrow(hidden);
  });

  test('a token mode without an admin secret', () => {
    const secret = JSON.stringify({ type: 'HS256', key: KEY });
    expect(() => readConfiguration({}, { ENGINE_GRAPHQL_JWT_SECRET: secret })).toThrow(
      'needs an admin-secret',
    );
  });
});
