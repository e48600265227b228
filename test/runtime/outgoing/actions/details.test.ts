/** Details of calls: what arguments, headers and errors look like on each way into the server. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { answering, Handler } from '../../../harness/handler.ts';
import { defaultSource } from '../../../harness/metadata.ts';
import { createTestDatabase } from '../../../harness/postgres.ts';
import { confidential, leaks, send, serve, type TestServer } from '../../../harness/server.ts';

const ADMIN = 'the-admin-secret-of-details';
const handler = new Handler();
let server: TestServer;

const action = (name: string, definition: object) => ({
  name,
  definition: { handler: `{{HANDLER}}/${name}`, ...definition },
  permissions: [{ role: 'user' }],
});
const query = (name: string, definition: object = {}) =>
  action(name, { type: 'query', output_type: 'Answer', ...definition });

const COLLECTION = 'saved';

beforeAll(async () => {
  confidential.add(ADMIN);
  await handler.listen();
  const other = await createTestDatabase(`
    create domain level as int check (value > 0);
    create type place as enum ('here', 'there');
    create table spot (id int primary key, level level, place place);
  `);
  const metadata = {
    version: 3,
    sources: [
      defaultSource({
        tables: [
          {
            table: 'item',
            select_permissions: [{ role: 'user', permission: { columns: ['id', 'note'], filter: {} } }],
            insert_permissions: [{ role: 'user', permission: { columns: ['id', 'note'], check: {} } }],
          },
        ],
      }),
      { ...defaultSource({ tables: [{ table: 'spot' }] }, { from_env: 'OTHER_URL' }), name: 'other' },
    ],
    custom_types: {
      scalars: [{ name: 'Anything' }],
      objects: [
        {
          name: 'Answer',
          fields: [
            { name: 'n', type: 'Int' },
            { name: 'place', type: 'place' },
            { name: 'child', type: 'Answer' },
            { name: 'id', type: 'Child' },
          ],
        },
        {
          name: 'Child',
          fields: [{ name: 'id', type: 'Int!' }],
          relationships: [
            { name: 'item', type: 'object', remote_table: 'item', field_mapping: { id: 'id' } },
          ],
        },
      ],
    },
    actions: [
      query('given', {
        arguments: [
          { name: 'a', type: 'Int' },
          { name: 'b', type: '[Int!]' },
          { name: 'c', type: 'String' },
        ],
      }),
      query('scalars', {
        arguments: [
          { name: 'at', type: 'timestamptz' },
          { name: 'place', type: 'place' },
          { name: 'level', type: 'level' },
          { name: 'any', type: 'Anything' },
          { name: 'small', type: 'smallint' },
          { name: 'json', type: 'jsonb' },
        ],
      }),
      query('forwarding', {
        forward_client_headers: true,
        headers: [
          { name: 'X-Both', value: 'configured' },
          { name: 'User-Agent', value: 'configured' },
        ],
      }),
      query('forwarding_all', { forward_client_headers: true, ignored_client_headers: [] }),
      query('forwarding_some', { forward_client_headers: true, ignored_client_headers: ['Authorization'] }),
      action('change', { output_type: 'Answer!', arguments: [{ name: 'n', type: 'Int' }] }),
    ],
    query_collections: [
      {
        name: COLLECTION,
        definition: { queries: [{ name: 'given', query: 'query given { given { n } }' }] },
      },
    ],
    rest_endpoints: [
      {
        name: 'given',
        url: 'given',
        methods: ['GET'],
        definition: { query: { collection_name: COLLECTION, query_name: 'given' } },
      },
    ],
  };
  server = await serve({
    sql: 'create table item (id int primary key, note text unique)',
    metadata,
    options: { ADMIN_SECRET: ADMIN },
    variables: { HANDLER: handler.url, OTHER_URL: other.url },
  });
});

beforeEach(() => {
  handler.calls = [];
  handler.answer = answering({ n: 1 });
});

afterAll(async () => {
  await server?.stop();
  handler.close();
  expect(leaks()).toEqual([]);
});

interface Asked {
  readonly variables?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly role?: string;
  readonly to?: TestServer;
}

async function post(
  body: unknown,
  { headers = {}, role = 'user', to = server }: Asked = {},
  path = '/v1/graphql',
) {
  return send(to, path, {
    headers: { 'x-engine-admin-secret': ADMIN, 'x-engine-role': role, ...headers },
    body: body as object,
  });
}
const ask = async (query: string, asked: Asked = {}) =>
  (await post({ query, variables: asked.variables ?? {} }, asked)).json as {
    readonly data?: unknown;
    readonly errors?: readonly {
      readonly message: string;
      readonly extensions: Readonly<Record<string, unknown>>;
    }[];
  };
const inputs = () => handler.calls.map(({ json }) => (json as { readonly input: object }).input);

describe('arguments', () => {
  test('have the defaults of variables; what is not given is absent, null stays null', async () => {
    const document = 'query ($a: Int = 5, $b: [Int!] = 7, $c: String) { given(a: $a, b: $b, c: $c) { n } }';
    await ask(document);
    await ask(document, { variables: { a: null, b: null, c: null } });
    await ask('{ given(a: null) { n } }');
    await ask('{ given { n } }');
    // A variable without a value is null, as everywhere.
    expect(inputs()).toEqual([{ a: 5, b: [7], c: null }, { a: null, b: null, c: null }, { a: null }, {}]);
  });

  test('of declared scalars and of types of any source pass as they are', async () => {
    await ask('{ scalars(any: [1, {a: "x"}], place: "nowhere", level: -1, small: 1, json: {k: [1]}) { n } }');
    expect(inputs()).toEqual([
      { place: 'nowhere', level: -1, any: [1, { a: 'x' }], small: 1, json: { k: [1] } },
    ]);
  });

  test.each(['at: "yesterdayish"', 'at: 5', 'small: 40000', 'small: "x"'])(
    'of PostgreSQL scalars are read before any call: %s',
    async (argument) => {
      const { errors } = await ask(`{ scalars(${argument}) { n } }`);
      expect(errors![0]!.extensions.code).toMatch(/^(parse|validation)-failed$|^data-exception$/);
      expect(handler.calls).toEqual([]);
    },
  );
});

describe('headers', () => {
  const client = {
    'x-both': 'client',
    'user-agent': 'browser/1',
    accept: 'text/html',
    authorization: 'Bearer credential',
    'x-engine-more': 'variable',
    'keep-alive': 'timeout=5',
    te: 'trailers',
  };

  test('of an empty list of ignored ones: all go along but session variables and those of the connection', async () => {
    await ask('{ forwarding_all { n } }', { headers: client });
    const { headers } = handler.calls[0]!;
    expect(headers).toMatchObject({
      accept: 'text/html',
      'user-agent': 'browser/1',
      authorization: 'Bearer credential',
    });
    expect(Object.keys(headers).filter((name) => name.startsWith('x-engine-'))).toEqual([]);
    expect([headers.te, headers['keep-alive']]).toEqual([undefined, undefined]);
    // A list replaces the default one, whatever the case of its names.
    await ask('{ forwarding_some { n } }', { headers: client });
    expect(handler.calls[1]!.headers).toMatchObject({ accept: 'text/html', 'user-agent': 'browser/1' });
    expect(handler.calls[1]!.headers.authorization).toBeUndefined();
  });

  test('that are configured win over all others where that is configured', async () => {
    const headers = [
      { name: 'X-Both', value: 'configured' },
      { name: 'User-Agent', value: 'configured' },
    ];
    const configured = await serve({
      metadata: {
        version: 3,
        sources: [],
        actions: [
          query('forwarding', {
            output_type: 'Int',
            arguments: [{ name: 'a', type: 'Int' }],
            forward_client_headers: true,
            ignored_client_headers: ['x'],
            headers,
          }),
        ],
      },
      options: {
        ADMIN_SECRET: ADMIN,
        CONFIGURED_HEADER_PRECEDENCE: 'true',
        EXPERIMENTAL_FEATURES: 'no_null_unbound_variable_default',
      },
      variables: { HANDLER: handler.url },
    });
    handler.answer = answering('1');
    await ask('query ($a: Int) { forwarding(a: $a) }', {
      headers: { ...client, 'content-type': 'text/client' },
      to: configured,
    });
    await configured.stop();
    expect(handler.calls[0]!.headers).toMatchObject({
      'x-both': 'configured',
      'user-agent': 'configured',
      'content-type': 'application/json',
      accept: 'text/html',
    });
    // That option has arguments left out whose variables have no value.
    expect(inputs()).toEqual([{}]);
  });

  test('Set-Cookie of a mutation in a batch does not reach the client', async () => {
    handler.answer = answering({ n: 1 }, 200, { 'set-cookie': 'a=1' });
    const single = await post({ query: 'mutation { change { n } }' });
    const batch = await post([{ query: 'mutation { change { n } }' }]);
    expect([single.headers['set-cookie'], batch.headers['set-cookie']]).toEqual([['a=1'], undefined]);
    expect(handler.calls).toHaveLength(2);
  });
});

describe('errors', () => {
  test('of a handler have the shape and status of the endpoint', async () => {
    handler.answer = answering({ message: 'no', code: 'mine', extensions: { own: 1 } }, 418);
    const rest = await send(server, '/api/rest/given', {
      method: 'GET',
      headers: { 'x-engine-admin-secret': ADMIN, 'x-engine-role': 'user' },
    });
    expect([rest.status, rest.json]).toEqual([418, { path: '$', error: 'no', code: 'mine' }]);
    const body = { query: '{ given { n } }' };
    const errors = [{ message: 'no', extensions: { own: 1 } }];
    const graphql = await post(body);
    expect([graphql.status, graphql.json]).toEqual([200, { errors }]);
    const alpha = await post(body, {}, '/v1alpha1/graphql');
    expect([alpha.status, alpha.json]).toEqual([418, { errors }]);
  });

  test('may have extensions of any JSON', async () => {
    for (const extensions of [[1], 'text', {}]) {
      handler.answer = answering({ message: 'no', extensions }, 400);
      expect((await ask('{ given { n } }')).errors).toEqual([{ message: 'no', extensions }]);
    }
  });

  test('show administrators the request and the answer', async () => {
    const request = {
      url: '{{HANDLER}}/given',
      headers: expect.arrayContaining([{ name: 'Content-Type', value: 'application/json' }]),
      body: {
        action: { name: 'given' },
        input: { a: 1 },
        session_variables: { 'x-engine-role': 'admin' },
        request_query: '{ given(a: 1) { n } }',
      },
      transformed_request: null,
    };
    const shown = async (text: string, status: number) => {
      handler.answer = answering(text, status, { 'x-a': 'b' });
      const { errors } = await ask('{ given(a: 1) { n } }', { role: 'admin' });
      return errors![0]!.extensions.internal;
    };
    const headers = expect.arrayContaining([{ name: 'x-a', value: 'b' }]);
    expect(await shown('<html>', 502)).toEqual({
      error: expect.stringMatching(/^invalid JSON: ./),
      request,
      response: { status: 502, body: '<html>', headers },
    });
    expect(await shown('{"a":1}', 500)).toEqual({
      error: 'expecting 2xx or 4xx status code, but found 500',
      request,
      response: { status: 500, body: { a: 1 }, headers },
    });
    expect(await shown('{"n":"x"}', 200)).toEqual({
      error: 'unexpected response',
      answer_path: '$.n',
      request,
      response: { status: 200, body: { n: 'x' }, headers },
    });
  });
});

describe('answers', () => {
  test('may leave out nullable fields and have null for them at every depth', async () => {
    handler.answer = answering({ place: 'nowhere', child: { child: null } });
    expect(await ask('{ given { n place child { n child { n } } id { id } } }')).toEqual({
      data: { given: { n: null, place: 'nowhere', child: { n: null, child: null }, id: null } },
    });
    handler.answer = answering({ id: { id: null } });
    expect((await ask('{ given { n } }')).errors![0]!.message).toBe(
      'expecting not null value for field "id"',
    );
  });
});

test('relationships of nested objects are looked up as those of the answer itself', async () => {
  await ask('mutation { insert_item(objects: [{id: 7, note: "seven"}]) { affected_rows } }');
  handler.answer = answering({ id: { id: 7 }, child: { id: { id: 8 } } });
  expect(await ask('{ given { id { item { note } } child { id { id item { note } } } } }')).toEqual({
    data: { given: { id: { item: { note: 'seven' } }, child: { id: { id: 8, item: null } } } },
  });
});

describe('fields of one document', () => {
  test('of queries are called at the same time, of mutations in their order', async () => {
    const waiting: (() => void)[] = [];
    handler.answer = (call, response) => {
      waiting.push(() => answering({ n: 1 })(call, response));
      if (waiting.length === 3) for (const answer of waiting) answer();
    };
    expect(await ask('{ a: given { n } b: given { n } c: scalars { n } }')).not.toHaveProperty('errors');
    expect(handler.calls).toHaveLength(3);
    handler.calls = [];
    let running = 0;
    let most = 0;
    handler.answer = (call, response) => {
      running += 1;
      most = Math.max(most, running);
      setTimeout(() => {
        running -= 1;
        answering({ n: 1 })(call, response);
      }, 30);
    };
    await ask('mutation { b: change(n: 2) { n } a: change(n: 1) { n } c: change(n: 3) { n } }');
    expect([inputs(), most]).toEqual([[{ n: 2 }, { n: 1 }, { n: 3 }], 1]);
  });

  test('of tables are committed whatever becomes of an action behind them', async () => {
    handler.answer = answering({ message: 'no' }, 400);
    const document = `mutation ($id: Int!) {
      insert_item(objects: [{id: $id, note: "before"}]) { affected_rows } change { n }
    }`;
    const { errors } = await ask(document, { variables: { id: 1 } });
    expect(errors![0]!.message).toBe('no');
    const again = await ask(document, { variables: { id: 1 } });
    expect(again.errors![0]!.extensions.code).toBe('constraint-violation');
    // The failed write keeps the action from being called.
    expect(handler.calls).toHaveLength(1);
  });
});
