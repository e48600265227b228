/** Nested updates through a server: webhooks, limits, reasons, saved operations and the settings that triggers see. */

import {
  buildClientSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  isInputObjectType,
  validateSchema,
} from 'graphql';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TestDatabase } from '../../harness/postgres.ts';
import { readRequestProject } from '../../harness/request-project.ts';
import { answerTo, send, serve, type TestServer } from '../../harness/server.ts';
import { startWebhook, type WebhookReceiver } from '../../harness/webhook.ts';

let database: TestDatabase;
let server: TestServer;
let webhook: WebhookReceiver;
let restore: string;

interface Tables {
  readonly sources: readonly [{ readonly tables: readonly Record<string, unknown>[] }];
}

beforeAll(async () => {
  const project = await readRequestProject('writing/related');
  ({ database } = project);
  restore = `truncate address, author, article, comment, award, seen; ${project.rows}`;
  await database.query(`
    create table seen (who text);
    create function see() returns trigger language plpgsql as $$ begin
      insert into seen values (current_setting('engine.user')::json ->> 'x-engine-user');
      return null;
    end $$;
    create trigger see after update on comment for each row execute function see();
  `);
  const metadata = structuredClone(project.metadata);
  const { tables } = (metadata as unknown as Tables).sources[0];
  for (const operation of ['insert', 'update', 'delete']) {
    for (const table of tables) {
      const permissions = (table[`${operation}_permissions`] ?? []) as { role: string; permission: object }[];
      for (const { role, permission } of permissions)
        if (role === 'clerk')
          Object.assign(permission, {
            validate_input: { type: 'http', definition: { url: `{{HOOKS}}/${operation}/${table.table}` } },
          });
    }
  }
  webhook = await startWebhook();
  const options = { EXPERIMENTAL_FEATURES: 'nested_updates', DEV_MODE: 'true' };
  server = await serve({ database, metadata, options, variables: { HOOKS: webhook.url } });
});
afterAll(async () => {
  await server?.stop();
  await webhook?.close();
});
beforeEach(async () => {
  webhook.calls.length = 0;
  webhook.respond = (_call, response) => response.end();
  await database.query(restore);
});

const headers = { 'x-engine-role': 'clerk', 'x-engine-org': '1', 'x-engine-user': 'eve' };

const mutate = (query: string, variables: object = {}, role = 'clerk') =>
  answerTo(server, query, { role, headers, variables });

const RELATED =
  'mutation ($related: author_related_update_input) { update_author(where: {id: {_eq: 1}}, _set: {name: "A"}, related: $related) { affected_rows } }';
const CHANGES = {
  works: {
    update: [
      { where: { id: { _eq: 1 } }, _set: { rank: 5 } },
      {
        where: { id: { _eq: 2 } },
        related: { comments: { delete: { where: { id: { _gt: 0 } } }, insert: { data: [{ body: 'new' }] } } },
      },
    ],
  },
};

test('the schema is valid, and offers what the role may do', async () => {
  const { json } = await send(server, '/v1/graphql', { headers, body: { query: getIntrospectionQuery() } });
  const schema = buildClientSchema((json as { data: IntrospectionQuery }).data);
  expect(validateSchema(schema)).toEqual([]);
  const fieldsOf = (name: string) => {
    const type = schema.getType(name);
    if (!isInputObjectType(type)) throw new Error(`no input ${name}`);
    return Object.values(type.getFields()).map((field) => `${field.name}: ${field.type}`);
  };
  expect(fieldsOf('author_related_update_input')).toEqual([
    'address: address_obj_rel_update_input',
    'award: award_obj_rel_update_input',
    'works: article_arr_rel_update_input',
  ]);
  // Deletions are for backends only.
  expect(fieldsOf('article_arr_rel_update_input')).toEqual([
    'insert: article_related_insert_input',
    'update: [article_updates!]',
  ]);
  expect(fieldsOf('comment_arr_rel_update_input')).toEqual([
    'delete: comment_related_delete_input',
    'insert: comment_related_insert_input',
    'update: [comment_updates!]',
  ]);
  expect(fieldsOf('comment_related_row_input')).toEqual(['body: String']);
  expect(fieldsOf('award_obj_rel_updates')).toEqual(['_set: award_set_input', 'where: award_bool_exp']);
  expect(fieldsOf('article_updates')).toContain('related: article_related_update_input');
});

test('each permission that is used asks its webhook, once, with what was sent', async () => {
  expect(await mutate(RELATED, { related: CHANGES })).toEqual({
    data: { update_author: { affected_rows: 5 } },
  });
  expect(webhook.calls.map(({ path, body }) => [path, (body as { data: object }).data])).toEqual([
    ['/update/author', { input: [{ where: { id: { _eq: 1 } }, _set: { name: 'A' }, related: CHANGES }] }],
    ['/update/article', { input: CHANGES.works.update }],
    ['/delete/comment', { input: [{ where: { id: { _gt: 0 } } }] }],
    ['/insert/comment', { input: [{ body: 'new' }] }],
  ]);
});

test('a row is shown as all changes left it, or as its own update did where the role may no longer select it', async () => {
  const again = (rank: number) =>
    mutate(
      `mutation { update_article_by_pk(pk_columns: {id: 1}, _set: {title: "first"}, related: {author: {update: {related: {
        works: {update: [{where: {title: {_eq: "first"}}, _set: {title: "second", rank: ${rank}}}]}}}}}) { title rank } }`,
      {},
      'editor',
    );
  expect(await again(7)).toEqual({ data: { update_article_by_pk: { title: 'first', rank: 1 } } });
  expect(await database.query('select title, rank from article where id = 1')).toEqual([
    { title: 'second', rank: 7 },
  ]);
  expect(await again(2)).toEqual({ data: { update_article_by_pk: { title: 'second', rank: 2 } } });
});

test('a webhook of a related table refuses everything', async () => {
  webhook.respond = (call, response) => {
    response.statusCode = call.path === '/insert/comment' ? 400 : 200;
    response.end('{"message":"no"}');
  };
  const { errors } = await mutate(RELATED, { related: CHANGES });
  expect(errors).toMatchObject([
    { message: 'no', extensions: { code: 'validation-failed', path: '$.selectionSet.update_author' } },
  ]);
  expect(await database.query('select name from author where id = 1')).toEqual([{ name: 'Ann' }]);
});

test('limits of depth and nodes count related writes, wherever they are written', async () => {
  const limit = async (limits: object) => {
    const args = { disabled: false, ...limits };
    expect((await send(server, '/v1/metadata', { body: { type: 'set_api_limits', args } })).status).toBe(200);
  };
  try {
    await limit({ depth_limit: { global: 2, per_role: {} } });
    const [error] = (await mutate(RELATED, { related: CHANGES })).errors!;
    expect(error).toMatchObject({ message: 'depth limit exceeded: 3 where at most 2 are allowed' });
    const shallow = { works: { update: [{ where: {}, _inc: { rank: 1 } }] } };
    expect(await mutate(RELATED, { related: shallow })).toHaveProperty('data');
    await limit({ node_limit: { global: 4, per_role: {} } });
    // One for the root field, two updates, a deletion and a row.
    for (let time = 0; time < 2; time += 1)
      expect((await mutate(RELATED, { related: CHANGES })).errors).toMatchObject([
        { message: 'node limit exceeded: 5 where at most 4 are allowed' },
      ]);
    await limit({ node_limit: { global: 5, per_role: {} } });
    expect(await mutate(RELATED, { related: CHANGES })).toHaveProperty('data');
  } finally {
    await send(server, '/v1/metadata', { body: { type: 'remove_api_limits', args: {} } });
  }
});

test.each([
  [
    'delete for backends only',
    'update_author(where: {}, related: {works: {delete: {where: {}}}}) { affected_rows }',
    { rule: 'default.public.article.delete.clerk', part: 'backend_only' },
  ],
  [
    'a column of related rows',
    'update_author(where: {}, related: {works: {update: [{where: {}, _set: {secret: true}}]}}) { affected_rows }',
    { rule: 'default.public.article.update.clerk', part: 'columns' },
  ],
])('a denial in development mode names the rule: %s', async (_, field, reason) => {
  const { errors } = await mutate(`mutation { ${field} }`);
  expect(errors![0]!.extensions).toMatchObject({ code: 'validation-failed', internal: { reason } });
});

test('saved operations and REST endpoints change related rows, and triggers see who does', async () => {
  const query =
    'mutation ($id: Int!, $body: String) { update_article_by_pk(pk_columns: {id: $id}, related: {comments: {update: [{where: {}, _set: {body: $body}}]}}) { id comments { body } } }';
  const args = {
    type: 'bulk',
    args: [
      {
        type: 'create_query_collection',
        args: { name: 'c', definition: { queries: [{ name: 'q', query }] } },
      },
      {
        type: 'create_rest_endpoint',
        args: {
          name: 'e',
          url: 'comments/:id',
          methods: ['PATCH'],
          definition: { query: { collection_name: 'c', query_name: 'q' } },
        },
      },
    ],
  };
  expect((await send(server, '/v1/metadata', { body: args })).status).toBe(200);
  const { json } = await send(server, '/api/rest/comments/1', {
    method: 'PATCH',
    headers,
    body: { body: 'edited' },
  });
  expect(json).toEqual({ update_article_by_pk: { id: 1, comments: [{ body: 'edited' }] } });
  expect(await database.query('select who from seen')).toEqual([{ who: 'eve' }]);
});
