import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storeRequestProject } from '../../harness/request-project.ts';
import { confidential, leaks, send, startTestServer, type TestServer } from '../../harness/server.ts';
import { ADMIN, bearer, payload, signToken } from './setting.ts';

const KEY = 'the shared key of the reasons, which nobody else knows';

let development: TestServer;
let production: TestServer;
let tokens: TestServer;

beforeAll(async () => {
  confidential.add(ADMIN).add(KEY);
  const database = await storeRequestProject('served/reasons');
  development = await startTestServer(database, { ADMIN_SECRET: ADMIN, DEV_MODE: 'true' });
  production = await startTestServer(database, { ADMIN_SECRET: ADMIN });
  tokens = await startTestServer(database, {
    ADMIN_SECRET: ADMIN,
    DEV_MODE: 'true',
    JWT_SECRET: JSON.stringify({ type: 'HS256', key: KEY }),
  });
});

afterAll(async () => {
  for (const server of [development, production, tokens]) await server?.stop();
  expect(leaks()).toEqual([]);
});

const as = (role: string, more: Readonly<Record<string, string>> = {}) => ({
  'x-engine-admin-secret': ADMIN,
  'x-engine-role': role,
  ...more,
});

let count = 0;

/** The reason that a denial gives in development mode, after making sure that others do not get it, and that it is logged. */
async function reasonOf(query: string, headers: Readonly<Record<string, string>>): Promise<unknown> {
  count += 1;
  const id = `denied ${count}`;
  const denied = await send(production, '/v1/graphql', {
    headers: { ...headers, 'x-request-id': id },
    body: { query },
  });
  expect(denied.text).toContain('errors');
  expect(denied.text).not.toMatch(/internal|reason|metadata|permission\./);
  const answer = await send(development, '/v1/graphql', { headers, body: { query } });
  const { errors } = answer.json as {
    errors: { message: string; extensions: { internal?: { reason?: object } } }[];
  };
  const reason = errors[0]!.extensions.internal?.reason;
  const isThis = (line: string) => line.includes('"http-log"') && line.includes(JSON.stringify(id));
  await expect.poll(() => production.output().split('\n').some(isThis)).toBe(true);
  const line = JSON.parse(production.output().split('\n').find(isThis)!);
  expect(line.detail.operation.error.internal?.reason).toEqual(reason);
  return reason;
}

/** Positions are those of the exported metadata, which is sorted. */
const PLACE = 'metadata.sources[0].tables[0]';
const AUTHOR = 'metadata.sources[0].tables[1]';

describe('a session variable that is missing', () => {
  test('is told with every comparison that asks for it', async () => {
    const variables = { 'x-engine-team': 'a' };
    expect(await reasonOf('{ article { title } }', as('user', variables))).toEqual({
      rule: 'default.public.article.select.user',
      part: 'filter',
      why: 'the rule compares with x-engine-user-id, which the session does not have',
      variable: 'x-engine-user-id',
      paths: [`${PLACE}.select_permissions[1].permission.filter._or[0].author_id._eq`],
    });
  });

  test('of a preset', async () => {
    const insert =
      'mutation { insert_article(objects: [{id: 9, author_id: 1, title: "t"}]) { affected_rows } }';
    expect(await reasonOf(insert, as('user', { 'x-engine-user-id': '1' }))).toMatchObject({
      rule: 'default.public.article.insert.user',
      part: 'set.team',
      variable: 'x-engine-team',
      paths: [`${PLACE}.insert_permissions[1].permission.set.team`],
    });
  });

  test('of an update', async () => {
    const update = 'mutation { update_article(where: {}, _set: {title: "t"}) { affected_rows } }';
    expect(await reasonOf(update, as('user', { 'x-engine-user-id': '1' }))).toMatchObject({
      rule: 'default.public.article.update.user',
      part: 'filter',
      paths: [`${PLACE}.update_permissions[0].permission.filter._or[1].team._eq`],
    });
  });

  test('of a role that inherits the rule', async () => {
    expect(await reasonOf('{ article { author_id } }', as('heir', { 'x-engine-team': 'a' }))).toMatchObject({
      rule: 'default.public.article.select.heir',
      paths: [`${PLACE}.select_permissions[1].permission.filter._or[0].author_id._eq`],
    });
  });
});

describe('what a role is not offered', () => {
  const user = as('user', { 'x-engine-user-id': '1', 'x-engine-team': 'a' });

  test.each([
    [
      '{ article { secret } }',
      'default.public.article.select.user',
      'columns',
      `${PLACE}.select_permissions[1].permission.columns`,
    ],
    [
      '{ article(where: {secret: {_eq: "h"}}) { title } }',
      'default.public.article.select.user',
      'columns',
      `${PLACE}.select_permissions[1].permission.columns`,
    ],
    [
      '{ article(order_by: {secret: asc}) { title } }',
      'default.public.article.select.user',
      'columns',
      `${PLACE}.select_permissions[1].permission.columns`,
    ],
    [
      '{ article(distinct_on: secret) { title } }',
      'default.public.article.select.user',
      'columns',
      `${PLACE}.select_permissions[1].permission.columns`,
    ],
    [
      '{ article { author { name } } }',
      'default.public.author.select.user',
      undefined,
      `${AUTHOR}.select_permissions`,
    ],
    ['{ author { name } }', 'default.public.author.select.user', undefined, `${AUTHOR}.select_permissions`],
    [
      '{ article_by_pk(id: 1) { title } }',
      'default.public.article.select.user',
      'columns',
      `${PLACE}.select_permissions[1].permission.columns`,
    ],
    [
      '{ article_aggregate { aggregate { count } } }',
      'default.public.article.select.user',
      'allow_aggregations',
      `${PLACE}.select_permissions[1].permission.allow_aggregations`,
    ],
    [
      'mutation { delete_article(where: {}) { affected_rows } }',
      'default.public.article.delete.user',
      'backend_only',
      `${PLACE}.delete_permissions[0].permission.backend_only`,
    ],
    [
      'mutation { insert_author(objects: []) { affected_rows } }',
      'default.public.author.insert.user',
      undefined,
      `${AUTHOR}.insert_permissions`,
    ],
    [
      'mutation { insert_article(objects: [{secret: "s"}]) { affected_rows } }',
      'default.public.article.insert.user',
      'columns',
      `${PLACE}.insert_permissions[1].permission.columns`,
    ],
    [
      'mutation { insert_article(objects: [{team: "s"}]) { affected_rows } }',
      'default.public.article.insert.user',
      'set.team',
      `${PLACE}.insert_permissions[1].permission.set.team`,
    ],
    [
      'mutation { update_article(where: {}, _set: {author_id: 2}) { affected_rows } }',
      'default.public.article.update.user',
      'columns',
      `${PLACE}.update_permissions[0].permission.columns`,
    ],
    ['{ advise { author_id } }', 'actions.advise.user', undefined, 'metadata.actions[0].permissions'],
    [
      '{ confess { author { name } } }',
      'default.public.author.select.user',
      undefined,
      `${AUTHOR}.select_permissions`,
    ],
    [
      '{ __schema { queryType { name } } }',
      'graphql_schema_introspection.user',
      undefined,
      'metadata.graphql_schema_introspection.disabled_for_roles',
    ],
    [
      '{ article { author_id, author { articles { author { id } } } } }',
      'api_limits.depth_limit',
      undefined,
      'metadata.api_limits.depth_limit.per_role.user',
    ],
  ])('%s', async (query, rule, part, path) => {
    const reason = (await reasonOf(query, user)) as { part?: string; why: string };
    expect(reason).toMatchObject({ rule, paths: [path] });
    expect(reason.part).toBe(part);
    expect(reason.why).not.toBe('');
  });

  test('a role that no permission names', async () => {
    expect(await reasonOf('{ article { title } }', as('nobody'))).toEqual({
      rule: 'roles.nobody',
      why: 'no permission of the metadata is for the role nobody',
    });
    expect(
      await reasonOf('mutation { delete_article(where: {}) { affected_rows } }', as('nobody')),
    ).toMatchObject({
      rule: 'roles.nobody',
    });
  });

  test('a name that nobody has is no denial', async () => {
    expect(await reasonOf('{ article { nonsense } }', user)).toBeUndefined();
    expect(await reasonOf('{ nonsense }', user)).toBeUndefined();
  });

  test('in the legacy API', async () => {
    const answer = await send(development, '/v1/query', {
      headers: user,
      body: { type: 'select', args: { table: 'author', columns: ['name'] } },
    });
    expect(answer.json).toMatchObject({
      code: 'permission-denied',
      internal: {
        reason: {
          rule: 'default.public.author.select.user',
          paths: [`${AUTHOR}.select_permissions`],
        },
      },
    });
  });
});

describe('a row that its check refuses', () => {
  const user = as('user', { 'x-engine-user-id': '1', 'x-engine-team': 'a' });

  test.each([
    [
      'mutation { insert_article(objects: [{id: 9, author_id: 2, title: "t"}]) { affected_rows } }',
      'insert',
      1,
      'author_id._eq',
    ],
    [
      'mutation { update_article(where: {}, _set: {title: "bad"}) { affected_rows } }',
      'update',
      0,
      'title._ne',
    ],
  ])('%s', async (query, operation, index, leaf) => {
    expect(await reasonOf(query, user)).toMatchObject({
      rule: `default.public.article.${operation}.user`,
      part: 'check',
      paths: [`${PLACE}.${operation}_permissions[${index}].permission.check.${leaf}`],
    });
  });
});

describe('the one condition of several that a row does not fulfil', () => {
  const careful = as('careful', { 'x-engine-user-id': '1' });
  const CHECK = `${PLACE}.insert_permissions[0].permission.check`;

  test.each([
    ['author_id: 2, title: "t"', '._and[0].author_id._eq'],
    ['author_id: 1, title: "rotten"', '.title._ne'],
    ['author_id: 1, title: "good"', '.title._like'],
    ['author_id: 1, title: "t", team: "c"', '._or'],
  ])('%s', async (row, path) => {
    const query = `mutation { insert_article(objects: [{id: 9, ${row}}]) { affected_rows } }`;
    expect(await reasonOf(query, careful)).toMatchObject({
      rule: 'default.public.article.insert.careful',
      part: 'check',
      condition: expect.stringMatching(/^[1-5] of 5$/),
      paths: [`${CHECK}${path}`],
    });
  });
});

describe('who somebody is', () => {
  const reasonOfAnswer = async (server: TestServer, headers: Readonly<Record<string, string>>) => {
    const { json } = await send(server, '/v1/graphql', { headers, body: { query: '{ article { title } }' } });
    return (json as { errors: { extensions: { internal?: { reason?: object } } }[] }).errors[0]!.extensions
      .internal?.reason;
  };

  test('without, or with a wrong admin secret', async () => {
    expect(await reasonOfAnswer(development, {})).toMatchObject({ rule: 'authentication.admin-secret' });
    expect(await reasonOfAnswer(development, { 'x-engine-admin-secret': 'wrong' })).toMatchObject({
      rule: 'authentication.admin-secret',
      paths: ['admin-secret'],
    });
    expect(await reasonOfAnswer(production, {})).toBeUndefined();
  });

  test('with a role that the token does not allow', async () => {
    const token = signToken(payload(), { algorithm: 'HS256', key: KEY });
    expect(await reasonOfAnswer(tokens, { ...bearer(token), 'x-engine-role': 'editor' })).toEqual({
      rule: 'authentication.jwt.allowed-roles',
      why: 'the token allows the roles user, guest and not editor',
      paths: ['jwt-secret'],
    });
  });
});
