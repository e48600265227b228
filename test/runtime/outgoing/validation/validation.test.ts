/** `validate_input`: webhooks that have to agree before a mutation writes, whatever the way in. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../runtime/metadata/metadata.ts';
import type { TestDatabase } from '../../../harness/postgres.ts';
import { readRequestProject } from '../../../harness/request-project.ts';
import { answerTo, replaceMetadata, send, serve, type TestServer } from '../../../harness/server.ts';
import { startWebhook, type WebhookReceiver } from '../../../harness/webhook.ts';

const role = 'user';
let database: TestDatabase;
let server: TestServer;
let webhook: WebhookReceiver;
/** SQL that leaves the rows of the project. */
let restore: string;

let metadata: JsonObject;

/** Serves the project with further keys of the webhook about inserts of authors. */
async function define(more: object): Promise<void> {
  const changed = structuredClone(metadata) as unknown as {
    sources: [
      { tables: [{ insert_permissions: [{ permission: { validate_input: { definition: object } } }] }] },
    ];
  };
  const [{ permission }] = changed.sources[0].tables[0].insert_permissions;
  Object.assign(permission.validate_input.definition, more);
  await replaceMetadata(server, changed);
}

beforeAll(async () => {
  let rows: string | undefined;
  ({ database, metadata, rows } = await readRequestProject('served/validation'));
  restore = `truncate author, article, free restart identity; ${rows}`;
  webhook = await startWebhook();
  server = await serve({ database, metadata, variables: { HOOKS: webhook.url, TOKEN: 'hook token' } });
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

const headers = { 'x-engine-role': role, 'x-engine-user-id': '7' };

const mutate = (query: string, variables: object = {}, more: Record<string, string> = {}) =>
  answerTo(server, query, { headers: { ...headers, ...more }, variables });

function refuse(path: string, body: unknown = { message: 'no' }, status = 400): void {
  webhook.respond = (call, response) => {
    response.statusCode = call.path === `/${path}` ? status : 200;
    response.end(call.path === `/${path}` ? JSON.stringify(body) : '');
  };
}

/** Path and `data.input` of every call. */
function asked(): unknown[] {
  return webhook.calls.map(({ path, body }) => [path, (body as { data: { input: unknown } }).data.input]);
}

async function rows(): Promise<unknown> {
  const [counts] = await database.query(
    `select (select count(*)::int from author) as author, (select count(*)::int from article) as article,
       (select string_agg(text, ',') from free) as free, (select string_agg(name, ',') from author) as names`,
  );
  return counts;
}

const UNTOUCHED = { author: 1, article: 0, free: 'a', names: 'Ann' };

describe('a webhook is asked', () => {
  test('once for each table of an insert, the root first, with the rows as they were sent', async () => {
    const query = `mutation($title: String!, $large: numeric) { insert_author(objects: [
      {name: "a", large: $large, articles: {data: [{title: $title}, {title: "t2"}]}},
      {name: "b", articles: {data: {title: null}}}]) { affected_rows } }`;
    const number = '123456789012345678901234567890.5';
    const { text } = await send(server, '/v1/graphql', {
      headers: { ...headers, 'content-type': 'application/json' },
      body: `{"query":${JSON.stringify(query)},"variables":{"title":"t1","large":${number}}}`,
    });
    expect(text).toBe('{"data":{"insert_author":{"affected_rows":5}}}');
    expect(webhook.calls.map(({ path, method }) => [path, method])).toEqual([
      ['/author', 'POST'],
      ['/article', 'POST'],
    ]);
    const [author, article] = webhook.calls;
    expect(author!.text).toBe(
      `{"version":1,"role":"user","session_variables":{"x-engine-role":"user","x-engine-user-id":"7"},"data":{"input":[` +
        `{"name":"a","large":${number},"articles":{"data":[{"title":"t1"},{"title":"t2"}]}},` +
        `{"name":"b","articles":{"data":[{"title":null}]}}]}}`,
    );
    expect(article!.body).toHaveProperty('data.input', [{ title: 't1' }, { title: 't2' }, { title: null }]);
    const sent = new Map(author!.headers.map(([name, value]) => [name.toLowerCase(), value]));
    expect(sent.get('content-type')).toBe('application/json');
    expect(sent.get('x-engine-user-id')).toBe('7');
    expect(sent.get('x-request-id')).toBeTruthy();
  });

  test.each([
    [
      'update_author(where: {id: {_eq: 1}}, _set: {name: "b"}, _inc: {large: 1}) { affected_rows }',
      '/update',
      [{ where: { id: { _eq: 1 } }, _set: { name: 'b' }, _inc: { large: 1 } }],
    ],
    [
      'update_author_by_pk(pk_columns: {id: 1}, _set: {name: "b"}) { id }',
      '/update',
      [{ pk_columns: { id: 1 }, _set: { name: 'b' } }],
    ],
    [
      'update_author_many(updates: [{where: {}, _set: {name: "b"}}, {where: {id: {_gt: 1}}, _set: {name: "c"}}]) { affected_rows }',
      '/update',
      [
        { where: {}, _set: { name: 'b' } },
        { where: { id: { _gt: 1 } }, _set: { name: 'c' } },
      ],
    ],
    [
      'delete_author(where: {name: {_in: ["x", "y"]}}) { affected_rows }',
      '/delete',
      [{ where: { name: { _in: ['x', 'y'] } } }],
    ],
    ['delete_author_by_pk(id: 1) { id }', '/delete', [{ pk_columns: { id: 1 } }]],
    [
      'insert_free_one(object: {id: 1, text: "b"}, on_conflict: {constraint: free_pkey, update_columns: [text], where: {id: {_eq: 1}}}) { id }',
      '/free',
      [{ where: { id: { _eq: 1 } }, _set: { text: 'b' } }],
    ],
  ])('about %s', async (field, path, input) => {
    expect(await mutate(`mutation { ${field} }`)).toHaveProperty('data');
    expect(asked()).toEqual([[path, input]]);
    refuse(path.slice(1));
    const { errors } = await mutate(`mutation { ${field} }`);
    expect(errors).toHaveLength(1);
  });

  test('not for an administrator, a permission without one, or an upsert that changes nothing', async () => {
    expect(
      await mutate(
        'mutation { insert_author_one(object: {name: "b"}) { id } }',
        {},
        { 'x-engine-role': 'admin' },
      ),
    ).toHaveProperty('data');
    const upsert =
      'insert_free_one(object: {id: 1}, on_conflict: {constraint: free_pkey, update_columns: []}) { id }';
    expect(
      await mutate(`mutation { insert_free(objects: {id: 2}) { affected_rows } ${upsert} }`),
    ).toHaveProperty('data');
    expect(asked()).toEqual([]);
  });

  test('with headers: the client before the session before the configuration, or the other way round', async () => {
    const more = {
      forward_client_headers: true,
      headers: [
        { name: 'x-token', value_from_env: 'TOKEN' },
        { name: 'X-Engine-User-Id', value: 'configured' },
        { name: 'x-own', value: 'configured' },
      ],
    };
    await define(more);
    try {
      const client = { 'x-own': 'client', cookie: 'a=b' };
      expect(
        await mutate('mutation { insert_author_one(object: {name: "b"}) { id } }', {}, client),
      ).toHaveProperty('data');
      const sent = new Map(webhook.calls[0]!.headers.map(([name, value]) => [name.toLowerCase(), value]));
      expect(['x-token', 'x-engine-user-id', 'x-own', 'cookie'].map((name) => sent.get(name))).toEqual([
        'hook token',
        '7',
        'client',
        'a=b',
      ]);
    } finally {
      await replaceMetadata(server, metadata);
    }
  });
});

describe('nothing is written', () => {
  const insert = 'insert_author_one(object: {name: "b", articles: {data: [{title: "t"}]}}) { id }';

  test.each<[string, () => Promise<unknown>, string]>([
    ['by GraphQL', () => mutate(`mutation { ${insert} }`), 'author'],
    ['by GraphQL, for a nested table', () => mutate(`mutation { ${insert} }`), 'article'],
    [
      'by fields before it',
      () => mutate(`mutation { insert_free_one(object: {id: 2}) { id } ${insert} }`),
      'article',
    ],
    [
      'by an update',
      () => mutate('mutation { update_author(where: {}, _set: {name: "x"}) { affected_rows } }'),
      'update',
    ],
    ['by a deletion', () => mutate('mutation { delete_author(where: {}) { affected_rows } }'), 'delete'],
    [
      'by an upsert',
      () =>
        mutate(
          'mutation { insert_free_one(object: {id: 1, text: "b"}, on_conflict: {constraint: free_pkey, update_columns: text}) { id } }',
        ),
      'free',
    ],
    [
      'by a saved operation',
      async () =>
        (
          await send(server, '/v1/graphql', {
            headers,
            body: { documentId: 'Add', variables: { name: 'b' } },
          })
        ).json,
      'author',
    ],
    [
      'by a REST endpoint',
      async () => (await send(server, '/api/rest/authors', { headers, body: { name: 'b' } })).json,
      'author',
    ],
    ['by a legacy insert', () => legacy('insert', { table: 'author', objects: [{ name: 'b' }] }), 'author'],
    [
      'by a legacy update',
      () => legacy('update', { table: 'author', where: { id: 1 }, $set: { name: 'b' } }),
      'update',
    ],
    ['by a legacy deletion', () => legacy('delete', { table: 'author', where: { id: 1 } }), 'delete'],
    [
      'by a legacy upsert',
      () =>
        legacy('insert', {
          table: 'free',
          objects: [{ id: 1, text: 'b' }],
          on_conflict: { constraint: 'free_pkey', action: 'update' },
        }),
      'free',
    ],
    [
      'by a role that inherits',
      async () =>
        (
          await send(server, '/v1/graphql', {
            headers: { ...headers, 'x-engine-role': 'heir' },
            body: { query: `mutation { ${insert} }` },
          })
        ).json,
      'author',
    ],
  ])('%s', async (_, write, path) => {
    refuse(path);
    expect(JSON.stringify(await write())).toMatch(/"(message|error)":"no"/);
    expect(await rows()).toEqual(UNTOUCHED);
    expect(webhook.calls.length).toBeGreaterThan(0);
  });

  async function legacy(type: string, args: object): Promise<unknown> {
    const { json } = await send(server, '/v1/query', { headers, body: { type, args } });
    return json;
  }

  test.each([
    [{ message: 'too short' }, 400, 'too short', 'validation-failed'],
    [{}, 400, 'input validation failed', 'validation-failed'],
    ['text', 400, 'input validation failed', 'validation-failed'],
    [{ message: 'secret' }, 401, 'internal error', 'unexpected'],
    [{ message: 'secret' }, 500, 'internal error', 'unexpected'],
    [{ message: 'secret' }, 201, 'internal error', 'unexpected'],
    [{ message: 'secret' }, 302, 'internal error', 'unexpected'],
  ])('when the webhook answers %j with status %i', async (body, status, message, code) => {
    refuse('author', body, status);
    const { errors } = await mutate(`mutation { add: ${insert} }`);
    expect(errors).toEqual([{ message, extensions: { path: '$.selectionSet.insert_author_one', code } }]);
    expect(await rows()).toEqual(UNTOUCHED);
  });

  test('when it is too slow, is not there, or its address is not known', async () => {
    await define({ timeout: 1 });
    webhook.respond = () => {};
    const { errors } = await mutate(`mutation { ${insert} }`);
    expect(errors![0]!.message).toBe('internal error');
    for (const url of ['http://127.0.0.1:1/', '{{MISSING}}']) {
      await define({ url });
      expect((await mutate(`mutation { ${insert} }`)).errors![0]!.message).toBe('internal error');
    }
    await replaceMetadata(server, metadata);
    expect(await rows()).toEqual(UNTOUCHED);
  });
});

test('a permission whose webhook cannot be read is not offered', async () => {
  const { json } = await send(server, '/v1/metadata', {
    body: {
      type: 'pg_create_insert_permission',
      args: {
        table: 'article',
        role: 'other',
        permission: { check: {}, columns: '*', validate_input: { type: 'smoke', definition: {} } },
      },
    },
  });
  expect(json).toMatchObject({ code: 'parse-failed' });
});

test('calls are logged without what was sent', async () => {
  await mutate('mutation { insert_author_one(object: {name: "a name in no log"}) { id } }');
  const lines = server
    .output()
    .split('\n')
    .filter((line) => line.includes('"validate-insert-input-log"'));
  expect(JSON.parse(lines.at(-1)!)).toMatchObject({
    detail: {
      permission: 'default.public.author.insert.user',
      request: { url: '{{HOOKS}}/author' },
      status_code: 200,
    },
  });
  expect(lines.join()).not.toContain('a name in no log');
});
