/** `GET /engine/console/detail`, `places` and files of the page, without a browser. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccessDetail } from '../../../runtime/console/questions.ts';
import { matrixMetadata, SCHEMA } from '../../console/matrix-project.ts';
import { defaultSource } from '../../harness/metadata.ts';
import { createTestDatabase } from '../../harness/postgres.ts';
import { type RemoteServer, startRemoteServer } from '../../harness/remote-server.ts';
import { replaceMetadata, send, startTestServer, type TestServer } from '../../harness/server.ts';

const COUNTRIES = { kind: 'remote schema', source: '', name: 'countries' };

let countries: RemoteServer;
let server: TestServer;
beforeAll(async () => {
  const database = await createTestDatabase(SCHEMA);
  countries = await startRemoteServer(
    'type Query { capital: String, secret: String, city: City } type City { mayor_id: Int }',
    {},
  );
  server = await startTestServer(database, { ENABLE_CONSOLE: 'true' }, { DATABASE_URL: database.url });
  await replaceMetadata(server, matrixMetadata(defaultSource, countries.url, 'http://127.0.0.1:1'));
});
afterAll(async () => {
  await server?.stop();
  await countries?.stop();
});

async function ask(path: string, object: Readonly<Record<string, string>>): Promise<unknown> {
  const query = new URLSearchParams(object);
  return (await send(server, `/engine/console/${path}?${query}`, { method: 'GET' })).json;
}

test('a computed field that returns rows is readable with the rows', async () => {
  const { permissions } = (await ask('detail', {
    kind: 'table',
    source: 'default',
    name: 'public.invoice',
  })) as AccessDetail;
  const read = permissions?.filter(({ operation }) => operation === 'select');
  expect(read?.map(({ role, computedFields }) => [role, computedFields])).toEqual([
    ['both', ['payer']],
    ['clerk', ['payer']],
    ['nested', ['payer']],
  ]);
});

test('without permissions for remote schemas, what every role may use is listed once', async () => {
  expect(await ask('detail', COUNTRIES)).toMatchObject({
    everyRole: ['type City field mayor_id', 'query field capital', 'query field city', 'query field secret'],
  });
  expect(await ask('detail', COUNTRIES)).not.toHaveProperty('roles');
});

test('a remote schema has a place', async () => {
  expect(await ask('places', COUNTRIES)).toEqual({
    place: expect.stringMatching(/^generated\/remote\/countries\/remote\.ts:\d+$/),
  });
});

test('an action has what its calls cause, in the words of the ledger', async () => {
  expect(await ask('detail', { kind: 'action', source: '', name: 'greet' })).toMatchObject({
    effects: ['sends to "http://127.0.0.1:1"', 'sends session variables', 'answers Greeting'],
    roles: { both: ['greet'], clerk: ['greet'] },
  });
});

describe('a version to compare with', () => {
  type Printed = { readonly permissions: readonly object[] };
  const matrix = async () =>
    (await send(server, '/engine/console/matrix', { method: 'GET' })).json as Printed;
  const compare = async (text: string) => {
    const { status, json } = await send(server, '/engine/console/difference', { body: text });
    return [status, (json as { readonly error?: string }).error ?? json];
  };

  test('is the printed matrix, also of a version that prints more', async () => {
    const printed = await matrix();
    expect(await compare(JSON.stringify({ ...printed, later: 1 }))).toEqual([200, { cells: [] }]);
  });

  test.each([
    ['{', 'the file is neither an artefact with generated code nor JSON'],
    ['[]', 'the file is no matrix of permissions: the file: expected a mapping, but found array'],
    ['{}', 'the file is no matrix of permissions: the key "tables" is missing'],
  ])('is refused when it is %s', async (text, problem) => {
    expect(await compare(text)).toEqual([400, expect.stringContaining(problem)]);
  });

  test.each([
    ['role', 1, 'permissions.0.role: expected a text, but found 1'],
    ['operation', 'drop', 'permissions.0.operation: expected "select" or'],
    ['columns', 3, 'permissions.0.columns: expected a list, but found 3'],
    ['columns', [3], 'permissions.0.columns.0: expected a text, but found 3'],
    ['where', {}, 'permissions.0.where: expected a text, but found'],
    ['presets', { id: null }, 'permissions.0.presets.id: expected a text, but found null'],
    ['limit', '3', 'permissions.0.limit: expected a number, but found "3"'],
    ['validateInput', 'x', 'permissions.0.validateInput: expected a mapping, but found "x"'],
  ])('is refused with the place where %s is %j', async (key, value, problem) => {
    const { permissions, ...printed } = await matrix();
    const broken = [{ ...permissions[0], [key]: value }, ...permissions.slice(1)];
    const text = JSON.stringify({ ...printed, permissions: broken });
    expect(await compare(text)).toEqual([400, expect.stringContaining(problem)]);
  });
});

test('files of the page are compressed for clients that accept it', async () => {
  const [plain, compressed] = await Promise.all(
    ['identity', 'gzip'].map((encoding) =>
      fetch(`http://127.0.0.1:${server.port}/console/page.js`, { headers: { 'accept-encoding': encoding } }),
    ),
  );
  expect(plain!.headers.get('content-encoding')).toBeNull();
  expect(compressed!.headers.get('content-encoding')).toBe('gzip');
  expect(compressed!.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(await compressed!.text()).toBe(await plain!.text());
});
