import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestDatabase } from '../../harness/postgres.ts';
import { storeRequestProject } from '../../harness/request-project.ts';
import { confidential, leaks, send, startTestServer, type TestServer } from '../../harness/server.ts';
import { ADMIN, bearer, NAMESPACE, noteIds, payload, signToken } from './setting.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const another = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ed = generateKeyPairSync('ed25519');
const KEY = 'the shared key of these attacks, which nobody knows';
const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }) as string;
const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

const administrator = { 'x-engine-allowed-roles': ['admin'], 'x-engine-default-role': 'admin' };
/** What nobody may become. */
const wanted = payload(administrator);

let database: TestDatabase;
const servers: Record<string, TestServer> = {};

beforeAll(async () => {
  confidential.add(ADMIN).add(KEY);
  database = await storeRequestProject('served/notes');
  const start = (secret: object) =>
    startTestServer(database, { ADMIN_SECRET: ADMIN, JWT_SECRET: JSON.stringify(secret) });
  servers.RS256 = await start({ type: 'RS256', key: pem(rsa.publicKey) });
  servers.ES256 = await start({ type: 'ES256', key: pem(ec.publicKey) });
  servers.Ed25519 = await start({ type: 'Ed25519', key: pem(ed.publicKey) });
  servers.HS256 = await start({ type: 'HS256', key: KEY });
});

afterAll(async () => {
  for (const server of Object.values(servers)) await server.stop();
  expect(leaks()).toEqual([]);
});

/** Every server refuses the token as invalid, whatever its keys. */
async function refusedEverywhere(token: string): Promise<void> {
  for (const [name, server] of Object.entries(servers)) {
    expect(await noteIds(server, bearer(token)), name).toMatch(
      /^invalid-(jwt: Could not verify JWT|headers)/,
    );
  }
}

test('the real ones are accepted, so that refusals below mean something', async () => {
  expect(
    await noteIds(servers.RS256!, bearer(signToken(wanted, { algorithm: 'RS256', key: rsa.privateKey }))),
  ).toEqual([1, 2, 3]);
  expect(await noteIds(servers.HS256!, bearer(signToken(wanted, { algorithm: 'HS256', key: KEY })))).toEqual([
    1, 2, 3,
  ]);
});

describe('a token without a signature', () => {
  test.each(['none', 'None', 'NONE', 'nOnE', '', 'null'])('that claims the algorithm "%s"', async (alg) => {
    const data = `${encode({ alg, typ: 'JWT' })}.${encode(wanted)}`;
    await refusedEverywhere(`${data}.`);
    await refusedEverywhere(data);
    await refusedEverywhere(`${data}.${encode('signature')}`);
  });

  test.each<[string, unknown]>([
    ['no algorithm', { typ: 'JWT' }],
    ['an algorithm that is a list', { alg: ['RS256', 'none'] }],
    ['an algorithm that is null', { alg: null }],
    ['a header that is a list', []],
    ['a header that is a text', '"RS256"'],
    ['a header that is no JSON', '{'],
  ])('with %s', async (_name, header) => {
    await refusedEverywhere(`${encode(header)}.${encode(wanted)}.`);
    await refusedEverywhere(`${encode(header)}.${encode(wanted)}.${encode('signature')}`);
  });
});

describe('confusion of algorithms', () => {
  const publicForms: [string, string][] = [
    ['PEM', pem(rsa.publicKey)],
    ['PEM without its last line break', pem(rsa.publicKey).trimEnd()],
    ['PKCS#1 PEM', rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }) as string],
    ['DER', rsa.publicKey.export({ type: 'spki', format: 'der' }).toString('latin1')],
    ['modulus', (rsa.publicKey.export({ format: 'jwk' }) as { n: string }).n],
    ['nothing', ''],
  ];
  test.each(publicForms)('the public key as the key of an HMAC: %s', async (_name, key) => {
    for (const algorithm of ['HS256', 'HS384', 'HS512'] as const)
      await refusedEverywhere(signToken(wanted, { algorithm, key }));
  });

  test('the right key with another algorithm of its kind', async () => {
    for (const algorithm of ['RS384', 'RS512', 'PS256', 'PS384', 'PS512'])
      await refusedEverywhere(signToken(wanted, { algorithm, key: rsa.privateKey }));
    for (const algorithm of ['HS384', 'HS512'] as const)
      await refusedEverywhere(signToken(wanted, { algorithm, key: KEY }));
  });

  test('a signature of one algorithm under the name of another', async () => {
    const signed = signToken(wanted, { algorithm: 'PS256', key: rsa.privateKey }, { alg: 'RS256' });
    await refusedEverywhere(signed);
    await refusedEverywhere(signToken(wanted, { algorithm: 'EdDSA', key: ed.privateKey }, { alg: 'ES256' }));
    await refusedEverywhere(signToken(wanted, { algorithm: 'ES256', key: ec.privateKey }, { alg: 'EdDSA' }));
  });
});

describe('mixed-up keys', () => {
  test('of another owner', async () => {
    await refusedEverywhere(signToken(wanted, { algorithm: 'RS256', key: another.privateKey }));
    const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    await refusedEverywhere(signToken(wanted, { algorithm: 'ES256', key: stranger.privateKey }));
    const friend = generateKeyPairSync('ed25519');
    await refusedEverywhere(signToken(wanted, { algorithm: 'EdDSA', key: friend.privateKey }));
    await refusedEverywhere(signToken(wanted, { algorithm: 'HS256', key: `${KEY} ` }));
  });

  test('that the token brings along', async () => {
    const jwk = another.publicKey.export({ format: 'jwk' });
    const signer = { algorithm: 'RS256', key: another.privateKey };
    for (const header of [
      { jwk },
      { jku: 'http://127.0.0.1:1/jwks.json' },
      { x5u: 'http://127.0.0.1:1/cert.pem' },
      { x5c: [another.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')] },
      { kid: '../../../../dev/null' },
      { kid: "' or '1' = '1" },
      { kid: 5 },
      { kid: null },
    ])
      await refusedEverywhere(signToken(wanted, signer, header));
    await refusedEverywhere(signToken(wanted, { algorithm: 'HS256', key: '' }, { kid: '/dev/null' }));
  });

  test('the first secret does not verify for the second issuer', async () => {
    const server = await startTestServer(database, {
      ADMIN_SECRET: ADMIN,
      JWT_SECRETS: JSON.stringify([
        { type: 'HS256', key: KEY, issuer: 'partner' },
        { type: 'RS256', key: pem(rsa.publicKey), issuer: 'ourselves' },
      ]),
    });
    try {
      const claimed = (iss: unknown) => payload(administrator, { iss });
      const by = (iss: unknown) =>
        noteIds(server, bearer(signToken(claimed(iss), { algorithm: 'HS256', key: KEY })));
      expect(await by('partner')).toEqual([1, 2, 3]);
      for (const iss of ['ourselves', ['ourselves', 'partner'], { partner: true }, 5])
        expect(await by(iss)).toMatch(/^invalid-jwt/);
    } finally {
      await server.stop();
    }
  });
});

describe('forgery', () => {
  const signer = { algorithm: 'RS256', key: rsa.privateKey };

  test('of any part of a real token', async () => {
    const [head, body, signature] = signToken(payload(), signer).split('.') as [string, string, string];
    for (const token of [
      `${head}.${encode(wanted)}.${signature}`,
      `${encode({ alg: 'RS256', typ: 'JWT', more: 1 })}.${body}.${signature}`,
      `${head}.${body}.${signature.slice(0, -4)}`,
      `${head}.${body}.${signature}AAAA`,
      `${head}.${body}.`,
      `${head}.${body}`,
      `${head}.${body}.${signature}.${signature}`,
      `${head}.${body}.${signature}.${signature}.${signature}`,
      `.${body}.${signature}`,
      `${head}..${signature}`,
      '..',
      '.',
      'x',
      `${head}.${body}.${signature}`.replace('.', '%2E'),
    ])
      await refusedEverywhere(token);
    expect(await noteIds(servers.RS256!, bearer(`${head}.${body}.${signature}`))).toEqual([1, 3]);
  });

  test('by signatures that are nothing but zeros', async () => {
    for (const alg of ['ES256', 'RS256', 'EdDSA', 'HS256']) {
      for (const length of [32, 64, 256]) {
        const zeros = Buffer.alloc(length).toString('base64url');
        await refusedEverywhere(`${encode({ alg })}.${encode(wanted)}.${zeros}`);
      }
    }
  });

  test('by extensions that take the payload out of the signature', async () => {
    await refusedEverywhere(signToken(wanted, signer, { crit: ['b64'], b64: false }));
    await refusedEverywhere(signToken(wanted, signer, { crit: ['unknown'], unknown: 1 }));
    await refusedEverywhere(signToken(wanted, signer, { crit: [] }));
  });

  test('by payloads that are no claims', async () => {
    for (const body of [[], null, 'admin', 5])
      expect(await noteIds(servers.RS256!, bearer(signToken(body as object, signer)))).toMatch(
        /^invalid-jwt/,
      );
  });

  test('by an expiry that is no time', async () => {
    for (const exp of ['never', {}, [], true, '9999999999'])
      expect(await noteIds(servers.RS256!, bearer(signToken(payload({}, { exp }), signer)))).toMatch(
        /^invalid-jwt/,
      );
  });
});

describe('escalation by a real token', () => {
  const signer = { algorithm: 'RS256', key: rsa.privateKey };
  const asked = (claims: object, headers: Record<string, string> = {}) =>
    noteIds(servers.RS256!, { ...bearer(signToken(payload(claims), signer)), ...headers });
  const denied = 'access-denied: Your requested role is not in allowed roles';

  test.each([
    'admin',
    'Admin',
    'user,admin',
    'user, admin',
    'editor',
    '__proto__',
    'constructor',
    '0',
    'length',
  ])('to the role "%s" by a header', async (role) => {
    expect(await asked({}, { 'x-engine-role': role })).toBe(denied);
  });

  test('by claims that have a meaning elsewhere', async () => {
    for (const claims of [
      { 'x-engine-role': 'admin' },
      { 'X-Engine-Role': 'admin' },
      { 'x-engine-admin-secret': ADMIN },
      { 'x-engine-access-key': ADMIN },
      { ['__proto__']: { 'x-engine-default-role': 'admin' } },
    ])
      expect(await asked(claims)).toEqual([1, 3]);
  });

  test('by roles that are no list of texts', async () => {
    for (const roles of ['admin', { 0: 'user', includes: 'admin' }, [['user']], [null], 5, true])
      expect(await asked({ 'x-engine-allowed-roles': roles })).toMatch(/^jwt-invalid-claims/);
    expect(await asked({ 'x-engine-allowed-roles': [] })).toBe(denied);
    expect(await asked({ 'x-engine-default-role': ['user'] })).toMatch(/^jwt-invalid-claims/);
    expect(await asked({ 'x-engine-default-role': null })).toMatch(/^jwt-/);
  });

  test('to backend-only permissions', async () => {
    const claims = { 'x-engine-default-role': 'guest', 'x-engine-use-backend-only-permissions': 'true' };
    expect(await asked(claims, { 'x-engine-use-backend-only-permissions': 'true' })).toEqual([1, 2, 3]);
    const token = signToken(payload(claims), signer);
    const answer = await send(servers.RS256!, '/v1/graphql', {
      headers: { ...bearer(token), 'x-engine-use-backend-only-permissions': 'true' },
      body: { query: 'mutation { insert_note(objects: []) { affected_rows } }' },
    });
    expect(answer.json).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] });
  });

  test('by a namespace that stands where it is not configured', async () => {
    const body = { user: { [NAMESPACE]: administrator }, sub: '1' };
    expect(await noteIds(servers.RS256!, bearer(signToken(body, signer)))).toMatch(/^jwt-invalid-claims/);
  });
});
