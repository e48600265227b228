/** Headers that a socket has twice: in its handshake and in `connection_init`, or there in two spellings. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestDatabase } from '../../harness/postgres.ts';
import { storeRequestProject } from '../../harness/request-project.ts';
import { confidential, leaks, startTestServer, type TestServer } from '../../harness/server.ts';
import { LEGACY, openSocket, refusedUpgrade, TRANSPORT } from '../../harness/socket.ts';
import { ADMIN, noteIds } from './setting.ts';

let database: TestDatabase;
let server: TestServer;

beforeAll(async () => {
  confidential.add(ADMIN);
  database = await storeRequestProject('served/notes');
  // Requests without a secret have a session, so a secret that is ignored would not be noticed.
  server = await startTestServer(database, { ADMIN_SECRET: ADMIN, UNAUTHORIZED_ROLE: 'guest' });
});
afterAll(async () => {
  await server?.stop();
  expect(leaks()).toEqual([]);
});

type Headers = Readonly<Record<string, string>>;

async function isAccepted(protocol: string, handshake: Headers, own: Headers): Promise<boolean> {
  const client = await openSocket(server, { protocol, headers: handshake });
  client.send({ type: 'connection_init', payload: { headers: own } });
  const accepted = await Promise.race([
    client.next().then(({ type }) => type === 'connection_ack'),
    client.closed().then(() => false),
  ]);
  await client.close();
  return accepted;
}

const SECRET = 'x-engine-admin-secret';
const KEY = 'x-engine-access-key';
const user = { 'x-engine-role': 'user', 'x-engine-user-id': '1' };

const CASES: readonly (readonly [string, Headers, Headers, boolean])[] = [
  ['in the handshake', { [SECRET]: ADMIN }, {}, true],
  ['in connection_init', {}, { [SECRET]: ADMIN }, true],
  ['in capitals', {}, { 'X-ENGINE-ADMIN-SECRET': ADMIN }, true],
  ['the same in both', { [SECRET]: ADMIN }, { [SECRET]: ADMIN }, true],
  ['under both names', { [KEY]: ADMIN }, { [SECRET]: ADMIN }, true],
  ['wrong in the handshake', { [SECRET]: 'wrong' }, { [SECRET]: ADMIN }, false],
  ['wrong in connection_init', { [SECRET]: ADMIN }, { [SECRET]: 'wrong' }, false],
  ['empty in the handshake', { [SECRET]: '' }, { [SECRET]: ADMIN }, false],
  ['empty in connection_init', { [SECRET]: ADMIN }, { [SECRET]: '' }, false],
  ['wrong under the other name in the handshake', { [KEY]: 'wrong' }, { [SECRET]: ADMIN }, false],
  ['wrong under the other name in connection_init', { [SECRET]: ADMIN }, { [KEY]: 'wrong' }, false],
  ['wrong under the name, right under the other one', { [SECRET]: 'wrong' }, { [KEY]: ADMIN }, false],
  ['under both names, one wrong', {}, { [SECRET]: ADMIN, [KEY]: 'wrong' }, false],
  ['in two spellings, the wrong one first', {}, { 'X-Engine-Admin-Secret': 'wrong', [SECRET]: ADMIN }, false],
  ['in two spellings, the wrong one last', {}, { 'X-Engine-Admin-Secret': ADMIN, [SECRET]: 'wrong' }, false],
  ['in two spellings, both right', {}, { 'X-Engine-Admin-Secret': ADMIN, [SECRET]: ADMIN }, false],
  ['a role in two spellings', {}, { [SECRET]: ADMIN, ...user, 'X-Engine-Role': 'guest' }, true],
];

describe.each([TRANSPORT, LEGACY])('%s: a secret', (protocol) => {
  test.each(CASES)('%s', async (_, handshake, own, accepted) => {
    expect(await isAccepted(protocol, handshake, own)).toBe(accepted);
  });
});

test('over HTTP the same is refused', async () => {
  const wrong = `access-denied: invalid ${SECRET}/${KEY}`;
  expect(await noteIds(server, { [SECRET]: ADMIN, [KEY]: ADMIN, ...user })).toEqual([1, 3]);
  for (const [first, second] of [
    [ADMIN, 'wrong'],
    ['wrong', ADMIN],
  ] as const) {
    expect(await noteIds(server, { [SECRET]: first, [KEY]: second, ...user })).toBe(wrong);
    expect(await noteIds(server, [SECRET, first, 'X-Engine-Admin-Secret', second])).toBe(wrong);
  }
});

test('of two tokens neither counts, over HTTP and in a handshake', async () => {
  const refused = 'the header Authorization was sent twice, with different values';
  const twice = ['Authorization', 'Bearer a', 'authorization', 'Bearer b'];
  expect(await noteIds(server, twice)).toBe(`invalid-headers: ${refused}`);
  expect(await noteIds(server, [...twice, SECRET, ADMIN])).toBe(`invalid-headers: ${refused}`);
  const sent = { Authorization: ['Bearer a', 'Bearer b'] } as object as Headers;
  expect(await refusedUpgrade(server, '/v1/graphql', sent)).toMatchObject({
    status: 400,
    body: { code: 'invalid-headers', error: refused },
  });
});

test('a role in two spellings is neither of them', async () => {
  const client = await openSocket(server);
  const headers = { [SECRET]: ADMIN, ...user, 'X-Engine-Role': 'guest' };
  client.send({ type: 'connection_init', payload: { headers } });
  expect(await client.next()).toEqual({ type: 'connection_ack' });
  client.send({ type: 'subscribe', id: '1', payload: { query: '{ note { id } }' } });
  expect(await client.next()).toMatchObject({ type: 'error' });
  await client.close();
});
