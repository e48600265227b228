import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Observer } from '../../../runtime/observe/logs/observe.ts';
import { createOutgoing } from '../../../runtime/outgoing/outgoing.ts';
import { nextFetch, openRemoteKeys } from '../../../runtime/session/jwt/remote-keys.ts';
import type { TestDatabase } from '../../harness/postgres.ts';
import { storeRequestProject } from '../../harness/request-project.ts';
import { confidential, leaks, startTestServer, type TestServer } from '../../harness/server.ts';
import { ADMIN, bearer, noteIds, payload, signToken } from './setting.ts';

interface Pair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}
const rsa = (): Pair => generateKeyPairSync('rsa', { modulusLength: 2048 });
const jwk = (pair: Pair, more: object = {}) => ({ ...pair.publicKey.export({ format: 'jwk' }), ...more });
const refused = 'invalid-jwt: Could not verify JWT: JWSError JWSInvalidSignature';

/** An issuer whose answer can be changed. */
class Issuer {
  answer: { status?: number; headers?: Record<string, string>; body: unknown } = { body: { keys: [] } };
  fetches = 0;
  readonly #server: Server = createServer((_request, response) => {
    this.fetches += 1;
    const { status = 200, headers = {}, body } = this.answer;
    response.writeHead(status, headers).end(JSON.stringify(body));
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/jwks.json`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

let database: TestDatabase;
const issuers: Issuer[] = [];
const servers: TestServer[] = [];

async function startIssuer(...keys: object[]): Promise<{ issuer: Issuer; url: string }> {
  const issuer = new Issuer();
  issuer.answer = { body: { keys } };
  issuers.push(issuer);
  return { issuer, url: await issuer.listen() };
}

async function startWith(url: string, more: object = {}): Promise<TestServer> {
  const server = await startTestServer(database, {
    ADMIN_SECRET: ADMIN,
    JWT_SECRET: JSON.stringify({ jwk_url: url, ...more }),
  });
  servers.push(server);
  return server;
}

beforeAll(async () => {
  confidential.add(ADMIN);
  database = await storeRequestProject('served/notes');
});

afterEach(() => {
  vi.useRealTimers();
});

afterAll(async () => {
  for (const server of servers) await server.stop();
  for (const issuer of issuers) issuer.close();
  expect(leaks()).toEqual([]);
});

describe('keys behind an address', () => {
  test('are chosen by key id, and all are tried without one', async () => {
    const [first, second] = [rsa(), rsa()];
    const { url } = await startIssuer(jwk(first, { kid: 'a', use: 'sig' }), jwk(second, { kid: 'b' }));
    const server = await startWith(url);
    const by = (pair: Pair, header: object) =>
      bearer(signToken(payload(), { algorithm: 'RS256', key: pair.privateKey }, header));
    expect(await noteIds(server, by(first, { kid: 'a' }))).toEqual([1, 3]);
    expect(await noteIds(server, by(second, { kid: 'b' }))).toEqual([1, 3]);
    expect(await noteIds(server, by(second, {}))).toEqual([1, 3]);
    expect(await noteIds(server, by(second, { kid: 'a' }))).toBe(refused);
  });

  test('of other uses, other algorithms, short or symmetric ones verify nothing', async () => {
    const good = rsa();
    const encryption = rsa();
    const narrow = rsa();
    const short = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const secret = 'a symmetric key in a public place, long enough';
    const { url } = await startIssuer(
      jwk(good, { kid: 'good' }),
      jwk(encryption, { kid: 'encryption', use: 'enc' }),
      jwk(narrow, { kid: 'narrow', alg: 'RS512' }),
      jwk(short, { kid: 'short' }),
      { kty: 'oct', kid: 'symmetric', k: Buffer.from(secret).toString('base64url') },
      { kty: 'unknown' },
      5 as unknown as object,
    );
    const server = await startWith(url);
    const by = (algorithm: string, key: KeyObject, kid: string) =>
      noteIds(server, bearer(signToken(payload(), { algorithm, key }, { kid })));
    expect(await by('PS384', good.privateKey, 'good')).toEqual([1, 3]);
    expect(await by('RS512', narrow.privateKey, 'narrow')).toEqual([1, 3]);
    expect(await by('RS256', narrow.privateKey, 'narrow')).toBe(refused);
    expect(await by('RS256', encryption.privateKey, 'encryption')).toBe(refused);
    expect(await by('RS256', short.privateKey, 'short')).toBe(refused);
    const symmetric = signToken(payload(), { algorithm: 'HS256', key: secret }, { kid: 'symmetric' });
    expect(await noteIds(server, bearer(symmetric))).toBe(refused);
  });

  test('with a configured type verify that algorithm only', async () => {
    const pair = rsa();
    const { url } = await startIssuer(jwk(pair));
    const server = await startWith(url, { type: 'RS256' });
    const by = (algorithm: string) =>
      noteIds(server, bearer(signToken(payload(), { algorithm, key: pair.privateKey })));
    expect(await by('RS256')).toEqual([1, 3]);
    expect(await by('RS384')).toBe(refused);
  });

  test('are fetched once for unknown key ids, then not again for a while', async () => {
    const [old, added] = [rsa(), rsa()];
    const { issuer, url } = await startIssuer(jwk(old, { kid: 'old' }));
    const server = await startWith(url);
    issuer.answer = { body: { keys: [jwk(added, { kid: 'added' })] } };
    const oldToken = bearer(
      signToken(payload(), { algorithm: 'RS256', key: old.privateKey }, { kid: 'old' }),
    );
    expect(await noteIds(server, oldToken)).toEqual([1, 3]);
    const token = signToken(payload(), { algorithm: 'RS256', key: added.privateKey }, { kid: 'added' });
    expect(await noteIds(server, bearer(token))).toEqual([1, 3]);
    expect(issuer.fetches).toBe(2);
    // The old key is gone, and what it verified is forgotten.
    expect(await noteIds(server, oldToken)).toBe(refused);
    for (const kid of ['x', 'y', 'z']) {
      const unknown = signToken(payload(), { algorithm: 'RS256', key: added.privateKey }, { kid });
      expect(await noteIds(server, bearer(unknown))).toBe(refused);
    }
    expect(issuer.fetches).toBe(2);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    const later = signToken(payload(), { algorithm: 'RS256', key: added.privateKey }, { kid: 'x' });
    expect(await noteIds(server, bearer(later))).toBe(refused);
    expect(issuer.fetches).toBe(3);
  });

  test('of several secrets are fetched only for tokens that none of them verifies', async () => {
    const [a, b, nextA, nextB, nobody] = [rsa(), rsa(), rsa(), rsa(), rsa()];
    const [first, second] = [
      await startIssuer(jwk(a, { kid: 'a' })),
      await startIssuer(jwk(b, { kid: 'b' })),
    ];
    const server = await startTestServer(database, {
      ADMIN_SECRET: ADMIN,
      JWT_SECRETS: JSON.stringify([
        { jwk_url: first.url, audience: 'x' },
        { jwk_url: second.url, audience: 'x' },
      ]),
    });
    servers.push(server);
    const fetches = () => [first.issuer.fetches, second.issuer.fetches];
    let made = 0;
    // Each is another token, so none is remembered.
    const by = ({ privateKey }: Pair, header: { kid?: string } = {}, more: object = {}) => {
      made += 1;
      const claims = { ...payload(), aud: 'x', jti: String(made), ...more };
      return noteIds(server, bearer(signToken(claims, { algorithm: 'RS256', key: privateKey }, header)));
    };
    for (let round = 0; round < 3; round += 1) {
      expect(await by(a, { kid: 'a' })).toEqual([1, 3]);
      expect(await by(b, { kid: 'b' })).toEqual([1, 3]);
      expect(await by(b)).toEqual([1, 3]);
    }
    // Nothing that was added could verify these.
    expect(await by(nobody)).toBe(refused);
    expect(await by(nobody, { kid: 'a' }, { aud: 'y' })).toBe(refused);
    expect(await by(nobody, { kid: 'unknown' }, { aud: 'y' })).toBe(refused);
    expect(await by(nobody, { kid: 'unknown' }, { exp: 1 })).toBe(refused);
    expect(await by(nobody, { kid: 'unknown' }, { nbf: 9e9 })).toBe(refused);
    expect(fetches()).toEqual([1, 1]);
    // A rotation of one does not delay that of the other.
    second.issuer.answer = { body: { keys: [jwk(b, { kid: 'b' }), jwk(nextB, { kid: 'next-b' })] } };
    expect(await by(nextB, { kid: 'next-b' })).toEqual([1, 3]);
    expect(fetches()).toEqual([2, 2]);
    first.issuer.answer = { body: { keys: [jwk(nextA, { kid: 'next-a' })] } };
    expect(await by(nextA, { kid: 'next-a' })).toEqual([1, 3]);
    expect(await by(nextB, { kid: 'next-b' })).toEqual([1, 3]);
    expect(await by(a, { kid: 'a' })).toBe(refused);
    const before = fetches();
    // Whoever sends key ids at random has nothing fetched for a while.
    await Promise.all(Array.from({ length: 50 }, (_, index) => by(nobody, { kid: `random-${index}` })));
    expect(fetches()).toEqual(before);
  });

  test('stay in use while the issuer is down', async () => {
    const pair = rsa();
    const { issuer, url } = await startIssuer(jwk(pair, { kid: 'a' }));
    const server = await startWith(url);
    const by = (kid: string) =>
      noteIds(server, bearer(signToken(payload(), { algorithm: 'RS256', key: pair.privateKey }, { kid })));
    issuer.answer = { status: 503, body: 'down' };
    expect(await by('new')).toBe(refused);
    expect(issuer.fetches).toBe(2);
    expect(await by('a')).toEqual([1, 3]);
    expect(server.output()).toContain('the old keys stay in use');
  });

  test('are fetched when the cache headers say so', async () => {
    const [old, added] = [rsa(), rsa()];
    const { issuer, url } = await startIssuer(jwk(old, { kid: 'old' }));
    issuer.answer = { ...issuer.answer, headers: { 'cache-control': 'max-age=100' } };
    const observe: Observer = Object.assign(() => {}, { flush: async () => {} });
    const keys = await openRemoteKeys({
      url,
      type: undefined,
      outgoing: createOutgoing(),
      observe,
      changed: () => {},
    });
    try {
      issuer.answer = { body: { keys: [jwk(added, { kid: 'added' })] } };
      await keys.refreshIfDue();
      expect(keys.current().map(({ id }) => id)).toEqual(['old']);
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 101_000 });
      await keys.refreshIfDue();
      expect(keys.current().map(({ id }) => id)).toEqual(['added']);
    } finally {
      keys.stop();
    }
  });

  test.each<[string, Record<string, string>, number]>([
    ['max-age', { 'cache-control': 'public, max-age=60' }, 60_000],
    ['s-maxage before max-age', { 'cache-control': 'max-age=60, s-maxage=5' }, 5_000],
    ['no-store', { 'cache-control': 'no-store, max-age=60' }, 0],
    ['no-cache', { 'cache-control': 'No-Cache' }, 0],
    ['must-revalidate with an age', { 'cache-control': 'must-revalidate, max-age=7' }, 7_000],
    ['must-revalidate alone', { 'cache-control': 'must-revalidate' }, 0],
    ['Expires', { expires: 'Thu, 01 Jan 1970 00:01:00 GMT' }, 60_000],
    ['Expires in the past', { expires: 'Wed, 31 Dec 1969 23:59:00 GMT' }, -60_000],
    [
      'Cache-Control before Expires',
      { 'cache-control': 'max-age=1', expires: 'Thu, 01 Jan 1970 00:01:00 GMT' },
      1_000,
    ],
    ['nothing', {}, 86_400_000],
    ['what cannot be read', { 'cache-control': 'public', expires: '-1x' }, 86_400_000],
    ['more than a day', { 'cache-control': 'max-age=31536000' }, 86_400_000],
  ])('when that is: %s', (_name, headers, expected) => {
    expect(nextFetch({ headers: Object.entries(headers) }, 0)).toBe(expected);
  });

  test('that cannot be fetched stop the start', async () => {
    const { issuer, url } = await startIssuer();
    await expect(startWith(url)).rejects.toThrow('the JWK set could not be fetched from jwk_url');
    expect(issuer.fetches).toBe(5);
  });
});
