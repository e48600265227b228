/** Whatever is wrong with a request, on whichever route: one shape of error, as JSON, with a request id. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../harness/postgres.ts';
import { send, startTestServer, type TestServer } from '../../harness/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer(await createTestDatabase(), {
    ADMIN_SECRET: 'a secret of the test',
    ADMIN_INTERNAL_ERRORS: 'false',
    MAX_REQUEST_BODY_SIZE: '2000',
    ENABLE_CONSOLE: 'true',
    ENABLED_APIS: 'graphql,metadata,config,pgdump,developer,metrics',
  });
});
afterAll(() => server?.stop());

const SECRET = { 'x-engine-admin-secret': 'a secret of the test' };
const LARGE = JSON.stringify({ text: 'x'.repeat(3000) });
const JSON_POSTS = [
  '/v1/graphql',
  '/v1alpha1/graphql',
  '/v1/graphql/explain',
  '/v1/metadata',
  '/v1/query',
  '/v2/query',
  '/v1alpha1/pg_dump',
];

const REQUESTS: readonly (readonly [
  method: string,
  path: string,
  body?: string,
  headers?: Record<string, string>,
])[] = [
  ...['/nowhere', '/v1', '/v1/graphql/', '/api/rest', '/api/rest/', '/api/rest/x', '/console/x'].map(
    (path) => ['GET', path] as const,
  ),
  ...['PUT', 'DELETE', 'PATCH', 'OPTIONS'].flatMap((method) =>
    ['/v1/graphql', '/v1/metadata', '/livez', '/api/swagger/json', '/api/openapi.json'].map(
      (path) => [method, path] as const,
    ),
  ),
  ['OPTIONS', '/api/rest/x'],
  ['POST', '/nowhere', '{}'],
  ['GET', '/v1/metadata'],
  ...[
    '/%zz',
    '/api/rest/%ff',
    '/api/swagger/%',
    '/console/%e0%a4%a',
    '/v1/%/graphql',
    '/v1/actions/%zz/complete',
  ].map((path) => ['GET', path] as const),
  ['GET', '/v1/graphql?query=%zz'],
  ['GET', '/v1/graphql?variables=%7B'],
  ...JSON_POSTS.flatMap((path): (typeof REQUESTS)[number][] => [
    ['POST', path],
    ['POST', path, '{'],
    ['POST', path, '[[['],
    ['POST', path, '"text"'],
    ['POST', path, LARGE],
    ['POST', path, '<a/>', { 'content-type': 'text/xml' }],
    ['POST', path, '--x--', { 'content-type': 'multipart/form-data; boundary=x' }],
    ['POST', path, '{}', { 'content-type': 'nonsense' }],
    ['POST', path, '{}', { 'content-type': '' }],
    ['POST', path, `${'['.repeat(900)}${']'.repeat(900)}`],
  ]),
  ['POST', '/api/rest/x', LARGE],
  ['POST', '/nowhere', LARGE],
];

test.each(REQUESTS.map(([method, path, body = '', headers = {}]) => ({ method, path, body, headers })))(
  '$method $path $body $headers',
  async ({ method, path, body, headers }) => {
    for (const more of [SECRET, {}]) {
      const answer = await send(server, path, { method, body, headers: { ...headers, ...more } });
      expect(answer.headers['x-request-id']).toMatch(/^\S+$/);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      const error = answer.json as { errors?: unknown };
      const own = { path: expect.stringMatching(/^\$/), code: expect.any(String) };
      if (error.errors) {
        expect(path).toMatch(/^\/v1(?:alpha1)?\/graphql/);
        expect(error).toEqual({ errors: [{ message: expect.any(String), extensions: own }] });
      } else {
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect(error).toEqual({ ...own, error: expect.any(String) });
      }
    }
  },
);
