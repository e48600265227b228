import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestDatabase } from '../../harness/postgres.ts';
import { storeRequestProject } from '../../harness/request-project.ts';
import { confidential, leaks, send, startTestServer, type TestServer } from '../../harness/server.ts';
import { ADMIN, bearer, noteIds, payload, signToken } from './setting.ts';

const KEY = 'the shared key of these requests, which nobody knows';
const own = () => bearer(signToken(payload(), { algorithm: 'HS256', key: KEY }));
const required = 'access-denied: x-engine-admin-secret/x-engine-access-key required, but not found';
const wrong = 'access-denied: invalid x-engine-admin-secret/x-engine-access-key';
const notAllowed = 'access-denied: Your requested role is not in allowed roles';
/** Who has the secret chooses the role. */
const guest = { 'x-engine-admin-secret': ADMIN, 'x-engine-role': 'guest' };

let database: TestDatabase;
let secured: TestServer;
let anonymous: TestServer;
let tokens: TestServer;

beforeAll(async () => {
  confidential.add(ADMIN).add(KEY);
  database = await storeRequestProject('served/notes');
  const secret = { ADMIN_SECRET: ADMIN };
  secured = await startTestServer(database, { ...secret, MAX_TOTAL_HEADER_LENGTH: '65536' });
  anonymous = await startTestServer(database, { ...secret, UNAUTHORIZED_ROLE: 'guest' });
  tokens = await startTestServer(database, {
    ...secret,
    JWT_SECRET: JSON.stringify({ type: 'HS256', key: KEY }),
  });
});

afterAll(async () => {
  for (const server of [secured, anonymous, tokens]) await server?.stop();
  expect(leaks()).toEqual([]);
});

test('what leaks would be noticed', async () => {
  const variable = 'a-variable-that-the-log-shows';
  expect(leaks()).toEqual([]);
  await noteIds(secured, { ...guest, 'x-engine-user-id': variable });
  confidential.add(variable);
  await expect.poll(() => leaks().length).toBe(1);
  confidential.delete(variable);
});

describe('smuggled headers', () => {
  test('the admin secret under other names, or elsewhere', async () => {
    for (const name of [
      'x_engine_admin_secret',
      'X-ENGINE_ADMIN-SECRET',
      'x-engine-admin-secret-',
      'x-engine-admin-secrets',
      'admin-secret',
      'authorization',
      'cookie',
      'connection',
    ])
      expect(
        await noteIds(secured, [name, name === 'cookie' ? `x-engine-admin-secret=${ADMIN}` : ADMIN]),
        name,
      ).toBe(required);
    const query = `?x-engine-admin-secret=wrong-${ADMIN.length}&x-engine-role=admin`;
    expect(
      (await send(secured, `/v1/graphql${query}`, { body: { query: '{ note { id } }' } })).json,
    ).toHaveProperty('errors');
    const body = {
      query: '{ note { id } }',
      headers: { 'x-engine-admin-secret': ADMIN },
      'x-engine-role': 'admin',
    };
    expect((await send(secured, '/v1/graphql', { body })).json).toHaveProperty('errors');
  });

  test('in any case it is the same header', async () => {
    for (const name of ['X-ENGINE-ADMIN-SECRET', 'x-Engine-aDmin-Secret', 'X-Engine-Access-Key'])
      expect(await noteIds(secured, [name, ADMIN])).toEqual([1, 2, 3]);
  });

  test('twice: never the more convenient one', async () => {
    const secret = 'x-engine-admin-secret';
    expect(await noteIds(secured, [secret, 'wrong', 'X-Engine-Admin-Secret', ADMIN])).toBe(wrong);
    expect(await noteIds(secured, [secret, ADMIN, secret, 'wrong'])).toBe(wrong);
    expect(await noteIds(secured, [secret, ADMIN, secret, ADMIN])).toBe(wrong);
    expect(await noteIds(secured, [secret, 'wrong', 'x-engine-access-key', ADMIN])).toBe(wrong);
    const { authorization } = own();
    const token = ['Authorization', authorization];
    expect(await noteIds(tokens, [...token, 'X-Engine-Role', 'user', 'x-engine-role', 'admin'])).toBe(
      notAllowed,
    );
    expect(await noteIds(tokens, [...token, 'X-Engine-Role', 'user', 'x-engine-role', 'user'])).toBe(
      notAllowed,
    );
    const other = ['authorization', 'Bearer x'];
    for (const headers of [
      [...token, ...other],
      [...other, ...token],
    ])
      expect(await noteIds(tokens, headers)).toMatch(
        /^invalid-headers: the header Authorization was sent twice/,
      );
    expect(await noteIds(tokens, [...token, ...token])).toEqual([1, 3]);
    const trusted = ['x-engine-admin-secret', ADMIN, 'x-engine-role', 'user'];
    expect(await noteIds(secured, [...trusted, 'X-Engine-User-Id', '1', 'x-engine-user-id', '2'])).toMatch(
      /^data-exception/,
    );
  });

  test('with an empty or a wrong secret nothing else is tried', async () => {
    for (const secret of ['', ' ', 'null', 'undefined', ADMIN.toUpperCase(), `${ADMIN},`, `${ADMIN}\t\t.`]) {
      const headers = { ...own(), 'x-engine-admin-secret': secret };
      expect(await noteIds(tokens, headers)).toBe(wrong);
      expect(await noteIds(anonymous, headers)).toBe(wrong);
    }
  });

  test('underscores do not become session variables or roles', async () => {
    const trusted = { 'x-engine-admin-secret': ADMIN, 'x-engine-role': 'user' };
    expect(await noteIds(secured, { ...trusted, x_engine_user_id: '1' })).toMatch(/^not-found/);
    expect(await noteIds(tokens, { ...own(), x_engine_role: 'admin', 'x-engine_role': 'admin' })).toEqual([
      1, 3,
    ]);
    expect(await noteIds(anonymous, { x_engine_role: 'admin' })).toEqual([1, 2, 3]);
  });

  test('behind more headers than servers usually look at', async () => {
    const many = Array.from({ length: 2500 }, (_, index) => [`a${index}`, 'b']).flat();
    const headers = [
      'x-engine-admin-secret',
      ADMIN,
      ...many,
      'x-engine-role',
      'user',
      'x-engine-user-id',
      '2',
    ];
    expect(await noteIds(secured, headers)).toEqual([2]);
  });

  test('by lines that two servers read differently', async () => {
    const raw = (lines: string) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(secured.port, '127.0.0.1', () => socket.write(lines));
        let answer = '';
        socket.on('data', (chunk) => {
          answer += chunk;
          socket.end();
        });
        socket.on('close', () => resolve(answer));
        socket.on('error', reject);
      });
    const start = 'POST /v1/graphql HTTP/1.1\r\nHost: a\r\n';
    for (const lines of [
      `${start}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `${start}Content-Length: 5\r\nContent-Length: 6\r\n\r\n12345`,
      `${start}x-engine-role : admin\r\nContent-Length: 0\r\n\r\n`,
      `${start}x: a\r\n x-engine-admin-secret: b\r\nContent-Length: 0\r\n\r\n`,
      `${start}x: a\nx-engine-role: admin\0\r\nContent-Length: 0\r\n\r\n`,
    ])
      expect(await raw(lines)).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('huge headers', () => {
  test('are refused with 431, and the server goes on', async () => {
    const headers = { 'x-engine-user-id': 'x'.repeat(70_000) };
    expect((await send(secured, '/v1/graphql', { headers })).status).toBe(431);
    expect(await noteIds(secured, { 'x-engine-admin-secret': ADMIN })).toEqual([1, 2, 3]);
  });

  test('below the limit are values like others', async () => {
    const token = `x.${'y'.repeat(500_000)}.z`;
    expect(await noteIds(tokens, bearer(token))).toMatch(/^invalid-jwt/);
    expect(await noteIds(tokens, { 'x-engine-admin-secret': 'x'.repeat(500_000) })).toBe(wrong);
    expect(
      await noteIds(tokens, { authorization: `Bearer ${' '.repeat(100_000)}x ${' '.repeat(100_000)}y` }),
    ).toBe('invalid-headers: Malformed Authorization header');
  });
});

describe('escalation of roles', () => {
  const admin = { 'x-engine-role': 'admin' };
  const everything = { query: '{ note { id owner_id } }' };

  test('by POST, GET, batch and REST, with no, an unauthorized and a token role', async () => {
    for (const [server, headers] of [
      [secured, admin],
      [anonymous, admin],
      [tokens, admin],
      [tokens, { ...own(), ...admin }],
      [tokens, own()],
    ] as const) {
      const single = await send(server, '/v1/graphql', { headers, body: everything });
      expect(single.json).not.toHaveProperty('data');
      const batch = await send(server, '/v1/graphql', {
        headers,
        body: [{ ...everything, role: 'admin', headers: { ...admin, 'x-engine-admin-secret': ADMIN } }],
      });
      expect(JSON.stringify(batch.json)).not.toContain('owner_id":');
      for (const method of ['GET', 'POST']) {
        const saved = await send(server, '/api/rest/everything?x-engine-role=admin', { method, headers });
        expect(saved.status).toBeGreaterThanOrEqual(400);
        expect(saved.json).toHaveProperty('code');
      }
      for (const path of [
        `/v1/graphql?query=${encodeURIComponent(everything.query)}&x-engine-role=admin`,
        '/v1alpha1/config',
      ])
        expect((await send(server, path, { method: 'GET', headers })).json).not.toHaveProperty('data');
    }
  });

  test('what these ask for is there for administrators', async () => {
    const headers = { 'x-engine-admin-secret': ADMIN };
    for (const server of [secured, anonymous, tokens]) {
      expect((await send(server, '/v1/graphql', { headers, body: everything })).json).toHaveProperty('data');
      const saved = await send(server, '/api/rest/everything', { method: 'GET', headers });
      expect(saved).toMatchObject({ status: 200, json: { note: expect.any(Array) } });
    }
  });

  test('by the interfaces of administrators', async () => {
    const calls = [
      ['/v1/metadata', { type: 'export_metadata', args: {} }],
      ['/v1/metadata', { type: 'bulk', args: [{ type: 'export_metadata', args: {} }] }],
      ['/v2/query', { type: 'run_sql', args: { sql: 'select 1' } }],
      ['/v1/query', { type: 'run_sql', args: { sql: 'select 1' } }],
      ['/v1/query', { type: 'bulk', args: [{ type: 'run_sql', args: { sql: 'select 1' } }] }],
      ['/v1/graphql/explain', { query: everything, user: admin }],
    ] as const;
    for (const [path, body] of calls) {
      expect((await send(secured, path, { headers: admin, body })).status, path).toBe(401);
      for (const [server, headers] of [
        [anonymous, admin],
        [tokens, own()],
      ] as const) {
        const answer = await send(server, path, { headers, body });
        expect(answer, path).toMatchObject({ status: 400, json: { code: 'access-denied' } });
      }
      const escalated = await send(tokens, path, { headers: { ...own(), ...admin }, body });
      expect(escalated, path).toMatchObject({
        status: 400,
        json: { error: expect.stringContaining('not in allowed') },
      });
    }
  });

  test('of the unauthorized role to session variables, where its headers are dropped', async () => {
    const strict = await startTestServer(database, {
      ADMIN_SECRET: ADMIN,
      UNAUTHORIZED_ROLE: 'user',
      DROP_UNAUTHORIZED_SESSION_VARIABLES: 'true',
    });
    expect(await noteIds(strict, { 'x-engine-user-id': '1' })).toMatch(
      /^not-found: missing session variable/,
    );
    expect(await noteIds(strict, { 'x-engine-role': 'guest' })).toMatch(/^not-found/);
    const trusted = { 'x-engine-admin-secret': ADMIN, 'x-engine-role': 'user', 'x-engine-user-id': '1' };
    expect(await noteIds(strict, trusted)).toEqual([1, 3]);
    await strict.stop();
  });

  test('by a path that cannot be decoded', async () => {
    for (const path of ['/api/rest/%zz', '/api/rest/%', '/api/rest/%c3%28', '/v1/graphql/%']) {
      const answer = await send(secured, path, {
        method: 'GET',
        headers: { 'x-engine-admin-secret': ADMIN },
      });
      expect(answer.status, path).toBeGreaterThanOrEqual(400);
      expect(answer.status, path).toBeLessThan(500);
    }
  });

  test('to backend-only permissions without the secret', async () => {
    const body = { query: 'mutation { insert_note(objects: []) { affected_rows } }' };
    const backend = { 'x-engine-use-backend-only-permissions': 'true' };
    const refused = { errors: [{ extensions: { code: 'validation-failed' } }] };
    expect((await send(anonymous, '/v1/graphql', { headers: backend, body })).json).toMatchObject(refused);
    const token = signToken(payload({ 'x-engine-default-role': 'guest' }), { algorithm: 'HS256', key: KEY });
    expect(
      (await send(tokens, '/v1/graphql', { headers: { ...bearer(token), ...backend }, body })).json,
    ).toMatchObject(refused);
    const trusted = { 'x-engine-admin-secret': ADMIN, 'x-engine-role': 'guest' };
    expect((await send(tokens, '/v1/graphql', { headers: trusted, body })).json).toMatchObject(refused);
    expect((await send(tokens, '/v1/graphql', { headers: { ...trusted, ...backend }, body })).json).toEqual({
      data: { insert_note: { affected_rows: 0 } },
    });
  });

  test('to rows without the variable that its rule compares', async () => {
    const trusted = { 'x-engine-admin-secret': ADMIN, 'x-engine-role': 'user' };
    expect(await noteIds(secured, trusted)).toMatch(/^not-found/);
    expect(await noteIds(secured, { ...trusted, 'x-engine-role': 'tagged' })).toMatch(/^not-found/);
    expect(await noteIds(secured, { ...trusted, 'x-engine-role': 'nobody' })).toMatch(/^validation-failed/);
  });
});

describe('operations made to exhaust the server', () => {
  const errors = async (query: string) =>
    (await send(secured, '/v1/graphql', { headers: guest, body: { query } })).json;
  const refused = { errors: [{ extensions: { code: 'validation-failed' } }] };

  test('variables that are nested', async () => {
    const value = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const { json } = await send(secured, '/v1/graphql', {
      headers: guest,
      body: `{"query": "query ($v: note_bool_exp) { note(where: $v) { id } }", "variables": {"v": ${value}}}`,
    });
    expect(json).toMatchObject({ errors: [{ extensions: { path: expect.stringContaining('$') } }] });
    expect(await noteIds(secured, guest)).toEqual([1, 2, 3]);
  });

  test.each<[string, string]>([
    ['nested', `${'{ note '.repeat(20_000)}${'}'.repeat(20_000)}`],
    ['nested lists', `{ note(where: {id: {_in: ${'['.repeat(20_000)}${']'.repeat(20_000)}}}) { id } }`],
    ['nested objects', `{ note(where: ${'{_not: '.repeat(20_000)}{}${'}'.repeat(20_000)}) { id } }`],
    ['of many tokens', `{ ${'note { id } '.repeat(50_000)} }`],
    [
      'whose fragments contain themselves',
      '{ note { ...a } } fragment a on note { ...b } fragment b on note { ...a }',
    ],
  ])('%s', async (_name, query) => {
    expect(await errors(query)).toMatchObject(refused);
    expect(await noteIds(secured, guest)).toEqual([1, 2, 3]);
  });
});

describe('session variables', () => {
  const as = (role: string, variables: Record<string, string>) =>
    noteIds(secured, { 'x-engine-admin-secret': ADMIN, 'x-engine-role': role, ...variables });

  test.each<[string, number[] | RegExp]>([
    ['1', [1, 3]],
    [' 1 ', [1, 3]],
    ['', /^data-exception/],
    ['1 or true', /^data-exception/],
    ["1'; drop table note; --", /^data-exception/],
    ['{1,2}', /^data-exception/],
    ['null', /^data-exception/],
    ['99999999999999999999', /^data-exception/],
    ['1.5', /^data-exception/],
    ['$1', /^data-exception/],
    ['x-engine-role', /^data-exception/],
  ])('a number: %j', async (value, expected) => {
    const found = await as('user', { 'x-engine-user-id': value });
    if (expected instanceof RegExp) expect(found).toMatch(expected);
    else expect(found).toEqual(expected);
  });

  test.each<[string, number[] | RegExp]>([
    ['{1}', [1, 3]],
    ['{1,2}', [1, 2, 3]],
    ['{}', []],
    ['{NULL}', []],
    ['{1', /^data-exception/],
    ['1', /^data-exception/],
    ['[1,2]', /^data-exception/],
    ['{1} or true', /^data-exception/],
    ['{{1,2},{3,4}}', [1, 2, 3]],
    ['{1}); drop table note; --', /^data-exception/],
  ])('a list of numbers: %j', async (value, expected) => {
    const found = await as('one_of', { 'x-engine-owners': value });
    if (expected instanceof RegExp) expect(found).toMatch(expected);
    else expect(found).toEqual(expected);
  });

  test.each<[string, number[] | RegExp]>([
    ['{a}', [1, 3]],
    ['{a,b}', [3]],
    ['{"a"}', [1, 3]],
    [`{"a'; drop table note; --"}`, []],
    ['{a', /^data-exception/],
    ['["a"]', /^data-exception/],
  ])('a list of texts: %j', async (value, expected) => {
    const found = await as('tagged', { 'x-engine-tags': value });
    if (expected instanceof RegExp) expect(found).toMatch(expected);
    else expect(found).toEqual(expected);
  });

  test('of tokens may hold any text', async () => {
    for (const value of ['\u0000', '1\u0000', '\ud800', '💥', '1'.repeat(100_000)]) {
      const token = signToken(payload({ 'x-engine-user-id': value }), { algorithm: 'HS256', key: KEY });
      expect(await noteIds(tokens, bearer(token))).toMatch(/^data-exception/);
    }
    expect(await noteIds(tokens, own())).toEqual([1, 3]);
  });
});
