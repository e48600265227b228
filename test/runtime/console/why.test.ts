/** `POST /engine/console/why`: what it says is refused is what the API refuses, and the roles that it names are those that the API serves. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WhyAnswer } from '../../../runtime/console/questions.ts';
import { storeRequestProject } from '../../harness/request-project.ts';
import { leaks, send, startTestServer, type TestServer } from '../../harness/server.ts';

const SECRET = 'the admin secret of the test of refusals';
const ROLES = ['user', 'other', 'heir', 'careful', 'stranger'];
const ADMIN = { 'x-engine-admin-secret': SECRET };

let server: TestServer;
beforeAll(async () => {
  const database = await storeRequestProject('served/reasons');
  server = await startTestServer(database, { ENABLE_CONSOLE: 'true', ADMIN_SECRET: SECRET });
});
afterAll(async () => {
  await server?.stop();
  expect(leaks()).toEqual([]);
});

async function why(role: string, query: string, more: object = {}, user: object = {}): Promise<WhyAnswer> {
  const body = { query: { query, ...more }, user: { 'x-engine-role': role, ...user } };
  const { json, status } = await send(server, '/engine/console/why', { headers: ADMIN, body });
  expect([status, json]).toEqual([200, expect.anything()]);
  return json as WhyAnswer;
}

/** The place of a name that the API refuses to the role; undefined if it is served, or fails for another reason. */
async function refusedPath(role: string, query: string, variables?: object): Promise<string | undefined> {
  const session = { 'x-engine-role': role, 'x-engine-user-id': '1', 'x-engine-team': 'a' };
  const { json } = await send(server, '/v1/graphql', {
    headers: { ...ADMIN, ...session },
    body: { query, variables },
  });
  const [error] = (json as { errors?: { message: string; extensions: { path: string } }[] }).errors ?? [];
  const isName = /not found in type|but found|no mutations exist/.test(error?.message ?? '');
  return isName ? error!.extensions.path : undefined;
}

const OPERATIONS = [
  '{ article { title } }',
  '{ article { secret } }',
  '{ article { title, secret, id } }',
  '{ article { ...parts } } fragment parts on article { title, ... on article { secret } }',
  '{ article(where: {secret: {_eq: "h"}}) { title } }',
  '{ article(where: {_or: [{title: {_eq: "h"}}, {_not: {author: {name: {_eq: "n"}}}}]}) { title } }',
  '{ article(order_by: {secret: asc}) { title } }',
  '{ article(distinct_on: secret) { title } }',
  '{ article { author { name } } }',
  '{ author { name } }',
  '{ article_by_pk(id: 1) { title } }',
  '{ article_aggregate { aggregate { count } } }',
  '{ advise { author_id } }',
  '{ confess { author { name } } }',
  'mutation { delete_article(where: {}) { affected_rows } }',
  'mutation { insert_author(objects: []) { affected_rows } }',
  'mutation { insert_article(objects: [{secret: "s"}]) { affected_rows } }',
  'mutation { insert_article(objects: [{team: "s"}]) { affected_rows returning { secret } } }',
  'mutation { update_article(where: {}, _set: {author_id: 2}) { affected_rows } }',
];

describe('a name is refused where the API refuses it', () => {
  test.each(OPERATIONS)('%s', async (query) => {
    for (const role of ROLES) {
      const { refused } = await why(role, query);
      const paths = refused.map(({ path }) => path);
      const path = await refusedPath(role, query);
      // The API names the first; a role without mutations has no place for one.
      if (path === undefined) expect([role, paths]).toEqual([role, []]);
      else if (path === '$') expect(paths).not.toEqual([]);
      else expect([role, paths]).toEqual([role, expect.arrayContaining([path])]);
      for (const { roles, path: at } of refused) {
        for (const other of ROLES.filter((each) => each !== role && each !== 'stranger')) {
          const theirs = (await why(other, query)).refused.map((each) => each.path);
          const lacks = theirs.some((each) => at === each || at.startsWith(`${each}.`));
          expect([other, at, roles.includes(other)]).toEqual([other, at, !lacks]);
        }
      }
    }
  });
});

const TABLES = 'metadata.sources[0].tables';

describe('every refusal has its permission, the roles that have it, and a remedy', () => {
  test('of several at once', async () => {
    const { refused, applied } = await why('user', '{ article { title secret author { name } } }');
    expect(refused).toEqual([
      {
        name: 'article.secret',
        path: '$.selectionSet.article.selectionSet.secret',
        roles: ['admin'],
        remedy: 'List the column in "columns".',
        reason: {
          rule: 'default.public.article.select.user',
          part: 'columns',
          why: 'the permission does not list the column secret',
          paths: [`${TABLES}[0].select_permissions[1].permission.columns`],
        },
      },
      {
        name: 'article.author',
        path: '$.selectionSet.article.selectionSet.author',
        roles: ['admin'],
        remedy: 'Add a permission for the role user.',
        reason: {
          rule: 'default.public.author.select.user',
          why: 'the role user has no select permission on public.author',
          paths: [`${TABLES}[1].select_permissions`],
        },
      },
    ]);
    expect(applied).toEqual([{ source: 'default', table: 'public.article', operation: 'select' }]);
  });

  test('other roles have it', async () => {
    const [first] = (await why('other', '{ article { author_id } }')).refused;
    expect(first).toMatchObject({ name: 'article.author_id', roles: ['admin', 'heir', 'user'] });
  });

  test('of names in variables', async () => {
    const query = 'query($w: article_bool_exp!) { article(where: $w) { title } }';
    const variables = { w: { _and: [{ secret: { _eq: 's' } }] } };
    const { refused } = await why('user', query, { variables });
    expect(refused.map(({ name, path }) => [name, path])).toEqual([
      ['article_bool_exp.secret', '$.selectionSet.article.args.where._and[0].secret'],
    ]);
    expect(await refusedPath('user', query, variables)).toMatch(/_and\[0\]\.secret$/);
  });

  test('of thousands, each with its place', async () => {
    const query = 'query($w: [article_bool_exp!]!) { article(where: {_or: $w}) { title } }';
    const w = (count: number) => ({ w: Array.from({ length: count }, () => ({ secret: { _eq: 's' } })) });
    const { refused } = await why('user', query, { variables: w(4000) });
    expect(refused).toHaveLength(4000);
    expect(refused.at(-1)).toMatchObject({ roles: ['admin'], reason: { paths: [expect.any(String)] } });
    const body = { query: { query, variables: w(10_000) }, user: { 'x-engine-role': 'user' } };
    const { json, status } = await send(server, '/engine/console/why', { headers: ADMIN, body });
    expect([status, json]).toEqual([400, expect.objectContaining({ code: 'validation-failed' })]);
  });

  test('backend-only permissions apply where they are asked for', async () => {
    const query = 'mutation { delete_article(where: {}) { affected_rows } }';
    const [first] = (await why('user', query)).refused;
    expect(first).toMatchObject({ remedy: expect.stringContaining('x-engine-use-backend-only-permissions') });
    const asBackend = await why('user', query, {}, { 'X-Engine-Use-Backend-Only-Permissions': 'true' });
    expect(asBackend).toEqual({
      kind: 'mutation',
      refused: [],
      applied: [{ source: 'default', table: 'public.article', operation: 'delete' }],
    });
  });

  test('below a field that is refused, names of tables that the role reads are judged as well', async () => {
    const { refused } = await why('user', '{ article_by_pk(id: 1) { title secret author { name } } }');
    expect(refused.map(({ name }) => name)).toEqual([
      'query_root.article_by_pk',
      'article.secret',
      'article.author',
    ]);
  });

  test('of a subscription', async () => {
    const { refused } = await why('user', 'subscription { article { secret } }');
    expect(refused.map(({ name }) => name)).toEqual(['article.secret']);
  });

  test('a name that does not exist has neither reason nor roles', async () => {
    expect((await why('user', '{ article { nonsense } }')).refused).toEqual([
      { name: 'article.nonsense', path: '$.selectionSet.article.selectionSet.nonsense', roles: [] },
    ]);
  });

  test('permissions that apply are those of tables in conditions and of written rows, too', async () => {
    const nested = '{ article(where: {author: {name: {_eq: "n"}}}) { title } }';
    expect((await why('admin', nested)).applied.map(({ table }) => table)).toEqual([
      'public.article',
      'public.author',
    ]);
    const insert = 'mutation { insert_article(objects: []) { returning { title } } }';
    expect((await why('user', insert)).applied.map(({ operation }) => operation)).toEqual([
      'insert',
      'select',
    ]);
  });
});

/** An operation that is 2 ** depth fields once its fragments are expanded. */
function bomb(depth: number): string {
  const fragments = Array.from(
    { length: depth },
    (_, index) => `fragment f${index} on query_root { ...f${index + 1} ...f${index + 1} }`,
  );
  return `{ ...f0 } ${fragments.join(' ')} fragment f${depth} on query_root { __typename }`;
}

describe('only administrators get an answer, and wrong input gets a clear error', () => {
  const query = { query: '{ article { title } }' };

  test('without the secret', async () => {
    const { status } = await send(server, '/engine/console/why', { body: { query, user: {} } });
    expect(status).toBe(401);
    const headers = { ...ADMIN, 'x-engine-role': 'user' };
    const asRole = await send(server, '/engine/console/why', { headers, body: { query, user: {} } });
    expect(asRole.json).toMatchObject({ code: 'access-denied' });
  });

  test.each([
    [[], 'parse-failed'],
    [{ user: {} }, 'parse-failed'],
    [{ query }, 'parse-failed'],
    [{ query, user: { 'x-engine-role': 1 } }, 'parse-failed'],
    [{ query: { query: '{' }, user: {} }, 'validation-failed'],
    [{ query: { query: '{a'.repeat(20_000) + '}'.repeat(20_000) }, user: {} }, 'validation-failed'],
    [{ query: { query: bomb(18) }, user: {} }, 'validation-failed'],
    [{ query: { query: '{ ...a } fragment a on query_root { ...a }' }, user: {} }, 'validation-failed'],
  ])('%#', async (body, code) => {
    const { json, status } = await send(server, '/engine/console/why', { headers: ADMIN, body });
    expect([status, (json as { code: string }).code]).toEqual([400, code]);
  });
});
