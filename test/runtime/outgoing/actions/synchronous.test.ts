import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { answering, Handler } from '../../../harness/handler.ts';
import { metadataOf } from '../../../harness/metadata.ts';
import { confidential, leaks, send, serve, type TestServer } from '../../../harness/server.ts';

const ADMIN = 'the-admin-secret-of-actions';
const KEY = 'key-of-the-handler-in-the-environment';
const handler = new Handler();
let server: TestServer;

const types = {
  scalars: [{ name: 'Anything', description: 'whatever JSON has' }],
  enums: [{ name: 'Mood', values: [{ value: 'happy' }, { value: 'sad', is_deprecated: true }] }],
  input_objects: [
    {
      name: 'PersonInput',
      fields: [
        { name: 'name', type: 'String!' },
        { name: 'age', type: 'Int' },
        { name: 'mood', type: 'Mood' },
        { name: 'friends', type: '[PersonInput!]' },
        { name: 'extra', type: 'Anything' },
      ],
    },
  ],
  objects: [
    {
      name: 'Person',
      fields: [
        { name: 'id', type: 'Int!' },
        { name: 'name', type: 'String!' },
        { name: 'mood', type: 'Mood' },
        { name: 'friends', type: '[Person!]' },
        { name: 'extra', type: 'Anything' },
      ],
    },
    {
      name: 'Account',
      fields: [
        { name: 'user_id', type: 'Int' },
        { name: 'token', type: 'String' },
      ],
      relationships: [
        { name: 'user', type: 'object', remote_table: 'users', field_mapping: { user_id: 'id' } },
        { name: 'posts', type: 'array', remote_table: 'posts', field_mapping: { user_id: 'author_id' } },
      ],
    },
  ],
};

const action = (name: string, definition: object, roles: readonly string[] = ['user']) => ({
  name,
  definition: { kind: 'synchronous', handler: `{{HANDLER}}/${name}`, ...definition },
  permissions: roles.map((role) => ({ role })),
});

const actions = [
  action('person', {
    type: 'query',
    output_type: 'Person',
    arguments: [
      { name: 'id', type: 'uuid' },
      { name: 'person', type: 'PersonInput' },
      { name: 'numbers', type: '[Int!]' },
      { name: 'big', type: 'bigint' },
      { name: 'key', type: 'ID' },
    ],
  }),
  action('people', { type: 'query', output_type: '[Person!]!' }),
  action('count', { type: 'query', output_type: 'Int!' }),
  action('login', {
    output_type: 'Account!',
    arguments: [{ name: 'name', type: 'String!' }],
    headers: [
      { name: 'X-Key', value_from_env: 'HANDLER_KEY' },
      { name: 'X-Note', value: 'a {{NOTE}} b' },
      { name: 'X-Client', value: 'configured' },
      { name: 'Content-Type', value: 'text/configured' },
    ],
    forward_client_headers: true,
  }),
  action('accounts', { type: 'query', output_type: '[Account]' }),
  action('slow', { type: 'query', output_type: 'Int', timeout: 1 }),
  action('hidden', { type: 'query', output_type: 'Int' }, []),
  action('transformed', {
    type: 'query',
    output_type: 'Person',
    arguments: [{ name: 'name', type: 'String!' }],
    request_transform: {
      version: 2,
      template_engine: 'Kriti',
      method: 'PUT',
      url: '{{$base_url}}/of/{{$body.input.name}}',
      query_params: { q: '{{$body.action.name}}' },
      request_headers: { add_headers: { 'x-added': '{{$session_variables["x-engine-role"]}}' } },
      body: { action: 'transform', template: '{"n": {{$body.input.name}}}' },
    },
    response_transform: {
      version: 2,
      body: { action: 'transform', template: '{"id": {{$body.number}}, "name": "got {{$body.text}}"}' },
    },
  }),
];

interface Errors {
  readonly errors: readonly { readonly message: string; readonly extensions: Record<string, unknown> }[];
}

async function graphql(
  query: string,
  { role = 'user', variables = {}, headers = {}, path = '/v1/graphql' } = {} as {
    role?: string;
    variables?: object;
    headers?: Record<string, string>;
    path?: string;
  },
) {
  const {
    json,
    headers: answered,
    status,
  } = await send(server, path, {
    headers: { 'x-engine-admin-secret': ADMIN, 'x-engine-role': role, 'x-engine-user-id': '1', ...headers },
    body: { query, variables },
  });
  return { json: json as { data: unknown } & Errors, headers: answered, status };
}

const ask = async (...given: Parameters<typeof graphql>) => (await graphql(...given)).json;
const failure = async (...given: Parameters<typeof graphql>) => {
  const [error] = (await ask(...given)).errors;
  return `${error!.extensions.code} ${error!.extensions.path}: ${error!.message}`;
};

beforeAll(async () => {
  confidential.add(ADMIN).add(KEY);
  await handler.listen();
  server = await serve({
    sql: `
    create table users (id int primary key, name text not null, secret text);
    create table posts (id int primary key, author_id int not null, title text not null);
    insert into users values (1, 'one', 'hush'), (2, 'two', 'hush');
    insert into posts values (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'c');
  `,
    options: { ADMIN_SECRET: ADMIN },
    variables: { HANDLER: handler.url, HANDLER_KEY: KEY, NOTE: 'note' },
  });
  const permission = (table: string, columns: string[], filter: object) => ({
    table,
    select_permissions: [
      { role: 'user', permission: { columns, filter, allow_aggregations: table === 'posts' } },
    ],
  });
  const { status, text } = await send(server, '/v1/metadata', {
    headers: { 'x-engine-admin-secret': ADMIN },
    body: {
      type: 'replace_metadata',
      args: metadataOf(
        [
          permission('users', ['id', 'name'], { id: { _eq: 'x-engine-user-id' } }),
          permission('posts', ['id', 'title'], {}),
        ],
        { actions, custom_types: types },
        { from_env: 'ENGINE_GRAPHQL_DATABASE_URL' },
      ),
    },
  });
  expect(status, text).toBe(200);
});

beforeEach(() => {
  handler.calls = [];
  handler.answer = answering({ id: 1, name: 'one' });
});

afterAll(async () => {
  await server?.stop();
  handler.close();
  expect(leaks()).toEqual([]);
});

describe('the call', () => {
  test('posts the arguments in declared order, the session and the document', async () => {
    const query = `query ($name: String!, $n: [Int!]) {
      person(
        numbers: $n, key: 5
        person: { friends: { name: "x", mood: sad }, extra: { a: [1, $name] }, age: null, name: $name }
        id: "11111111-1111-1111-1111-111111111111", big: 12345678901234567890123
      ) { id }
    }`;
    const { json } = await graphql(query, { variables: { name: 'ü', n: 7 }, headers: { 'x-other': 'o' } });
    expect(json.errors?.[0]?.message).toMatch(/lies outside the bounds/);
    expect(handler.calls).toEqual([]);
    const fitting = query.replace('12345678901234567890123', '1234567890123456789');
    expect(await ask(fitting, { variables: { name: 'ü', n: 7 } })).toEqual({ data: { person: { id: 1 } } });
    const [call] = handler.calls;
    expect(call!.method).toBe('POST');
    expect(call!.url).toBe('/person');
    expect(call!.body).toBe(
      `{"action":{"name":"person"},"input":{"id":"11111111-1111-1111-1111-111111111111",` +
        `"person":{"name":"ü","age":null,"friends":[{"name":"x","mood":"sad"}],"extra":{"a":[1,"ü"]}},` +
        `"numbers":[7],"big":1234567890123456789,"key":"5"},` +
        `"session_variables":{"x-engine-role":"user","x-engine-user-id":"1"},` +
        `"request_query":${JSON.stringify(fitting)}}`,
    );
  });

  test.each([
    ['person(id: "no-uuid") { id }', 'parse-failed'],
    ['person(numbers: [1, "x"]) { id }', 'validation-failed'],
    ['person(numbers: 2147483648) { id }', 'validation-failed'],
    ['person(person: { name: "a", age: 1.5 }) { id }', 'validation-failed'],
    ['person(person: { age: 1 }) { id }', 'validation-failed'],
    ['person(person: { name: "a", mood: angry }) { id }', 'validation-failed'],
    ['person(person: { name: "a", nothing: 1 }) { id }', 'validation-failed'],
    ['person(key: 1.5) { id }', 'validation-failed'],
    ['person(nothing: 1) { id }', 'validation-failed'],
    ['person { nothing }', 'validation-failed'],
    ['person { id } count(x: 1)', 'validation-failed'],
  ])('is not made for %s', async (fields, code) => {
    const [error] = (await ask(`{ ${fields} }`)).errors;
    expect(error!.extensions.code).toBe(code);
    expect(handler.calls).toEqual([]);
  });

  test('of a later mutation field that cannot be made keeps the earlier ones from running', async () => {
    const message = await failure(
      'mutation ($n: String!) { a: login(name: "a") { token } b: login(name: $n) { token } }',
      {
        variables: { n: 5 },
      },
    );
    expect(message).toMatch(/^validation-failed/);
    expect(handler.calls).toEqual([]);
  });

  test('is not there for roles without a permission', async () => {
    expect(await failure('{ hidden }')).toBe(
      "validation-failed $.selectionSet.hidden: field 'hidden' not found in type: 'query_root'",
    );
    handler.answer = answering('5');
    expect(await ask('{ hidden }', { role: 'admin' })).toEqual({ data: { hidden: 5 } });
    expect(await failure('{ hidden }', { role: 'nobody' })).toMatch(/^validation-failed/);
  });

  test('does not call an action whose environment variable is missing: it is refused', async () => {
    const { status, text } = await send(server, '/v1/metadata', {
      headers: { 'x-engine-admin-secret': ADMIN },
      body: {
        type: 'create_action',
        args: action('unset', { type: 'query', output_type: 'Int', handler: '{{NOT_SET}}/x' }),
      },
    });
    expect({ status, error: (JSON.parse(text) as { error: string }).error }).toEqual({
      status: 400,
      error: 'Inconsistent object: in action "unset"; Value for environment variables not found: NOT_SET',
    });
  });
});

describe('headers', () => {
  const clientHeaders = {
    'x-client': 'mine',
    authorization: 'Bearer credential',
    'x-engine-user-id': '1',
    'user-agent': 'browser/1',
    origin: 'http://origin.example',
    accept: 'text/html',
  };

  test('of the client win over the fixed ones, those over the configured ones', async () => {
    handler.answer = answering({ user_id: 1 });
    await ask('mutation { login(name: "a") { token } }', { headers: clientHeaders });
    const { headers } = handler.calls[0]!;
    expect(headers).toMatchObject({
      'x-client': 'mine',
      authorization: 'Bearer credential',
      'x-key': KEY,
      'x-note': 'a note b',
      'content-type': 'application/json',
      'x-forwarded-user-agent': 'browser/1',
      'x-forwarded-origin': 'http://origin.example',
      'x-forwarded-host': expect.stringMatching(/^127/),
    });
    expect(headers['user-agent']).toMatch(/^engine\//);
    expect(headers['x-request-id']).toBeTruthy();
    expect(headers.traceparent).toBeTruthy();
    expect(headers.accept).toBeUndefined();
    expect(Object.keys(headers).filter((name) => name.startsWith('x-engine-'))).toEqual([]);
  });

  test('of the client stay here unless they are forwarded', async () => {
    await ask('{ person { id } }', { headers: clientHeaders });
    const { headers } = handler.calls[0]!;
    expect(headers.authorization).toBeUndefined();
    expect(headers['x-client']).toBeUndefined();
    expect(headers['x-forwarded-host']).toBeUndefined();
  });

  test('Set-Cookie of a mutation reaches the client, of a query or a failure not', async () => {
    handler.answer = answering({ user_id: 1 }, 200, { 'set-cookie': ['a=1', 'b=2'] });
    const cookies = async (query: string) => (await graphql(query)).headers['set-cookie'];
    expect(await cookies('mutation { login(name: "a") { token } }')).toEqual(['a=1', 'b=2']);
    expect(await cookies('{ accounts { token } }')).toBeUndefined();
    handler.answer = answering({ message: 'no' }, 400, { 'set-cookie': 'a=1' });
    expect(await cookies('mutation { login(name: "a") { token } }')).toBeUndefined();
  });
});

describe('the answer', () => {
  test('is given as the selection asks, with aliases, fragments and the names of types', async () => {
    handler.answer = answering({
      id: 1,
      name: 'one',
      unknown: true,
      extra: { big: 1, list: [null] },
      friends: [{ id: 2, name: 'two', mood: 'sad', friends: null }],
    });
    const query = `{
      a: person { __typename other: id more: extra friends { ...f x: name } }
    } fragment f on Person { x: name mood friends { id } extra }`;
    expect(await ask(query)).toEqual({
      data: {
        a: {
          __typename: 'Person',
          other: 1,
          more: { big: 1, list: [null] },
          friends: [{ x: 'two', mood: 'sad', friends: null, extra: null }],
        },
      },
    });
  });

  test.each<[string, unknown, string, string]>([
    ['person { id }', { name: 'a' }, 'field "id" expected in webhook response, but not found', '$.id'],
    ['person { id }', { id: null, name: 'a' }, 'expecting not null value for field "id"', '$.id'],
    [
      'person { id }',
      { id: 1, name: 'a', mood: 'angry' },
      'got scalar String for the action webhook response, expecting Mood',
      '$.mood',
    ],
    [
      'person { id }',
      {
        id: 1,
        name: 'a',
        friends: [
          { id: 2, name: 'b' },
          { id: 'x', name: 'c' },
        ],
      },
      'got scalar String for the action webhook response, expecting Int',
      '$.friends[1].id',
    ],
    ['person { id }', [], 'got array for the action webhook response, expecting Person', '$'],
    ['person { id }', 5, 'got scalar Number for the action webhook response, expecting Person', '$'],
    ['people { id }', { id: 1 }, 'expecting array for the action webhook response', '$'],
    ['people { id }', [null], 'got null for the action webhook response', '$[0]'],
    ['people { id }', null, 'got null for the action webhook response', '$'],
    ['count', 'text', 'got scalar String for the action webhook response, expecting Int', '$'],
    ['count', { a: 1 }, 'got object for the action webhook response, expecting Int', '$'],
    ['count', 1.5, 'got scalar Number for the action webhook response, expecting Int', '$'],
  ])('to %s that does not fit is an error: %j', async (field, answer, message, path) => {
    handler.answer = answering(JSON.stringify(answer));
    expect((await ask(`{ ${field} }`)).errors).toEqual([
      { message, extensions: { path: '$', code: 'unexpected' } },
    ]);
    const [shown] = (await ask(`{ ${field} }`, { role: 'admin' })).errors;
    expect(shown!.extensions.internal).toMatchObject({
      error: 'unexpected response',
      answer_path: path,
      response: { status: 200, body: answer },
    });
  });

  test('may be null where the type is nullable', async () => {
    handler.answer = answering('null');
    expect(await ask('{ person { id } accounts { token } }')).toEqual({
      data: { person: null, accounts: null },
    });
  });

  test('with status 4xx is the handler’s error', async () => {
    handler.answer = answering({ message: 'no such person' }, 404);
    expect((await ask('{ person { id } }')).errors).toEqual([
      { message: 'no such person', extensions: { path: '$', code: 'unexpected' } },
    ]);
    handler.answer = answering({ message: 'no', code: 'mine' }, 400);
    expect(await failure('{ person { id } }')).toBe('mine $: no');
    const extensions = { code: 'own', anything: [1] };
    handler.answer = answering({ message: 'no', code: 'mine', extensions }, 422);
    expect((await ask('{ person { id } }')).errors).toEqual([{ message: 'no', extensions }]);
    expect((await graphql('{ person { id } }', { path: '/v1alpha1/graphql' })).status).toBe(422);
    handler.answer = answering({ error: 'no' }, 400);
    expect(await failure('{ person { id } }')).toBe('parse-failed $: key "message" not found');
  });

  test.each<[string, number, string]>([
    ['<html>', 200, 'not a valid json response from webhook'],
    ['<html>', 502, 'not a valid json response from webhook'],
    ['', 200, 'not a valid json response from webhook'],
    ['{}', 500, 'internal error'],
    ['{}', 304, 'not a valid json response from webhook'],
    [
      `{"id":1,"name":"a","extra":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
      200,
      'a value is nested too deeply',
    ],
  ])('of %#: no JSON, or a status that is none', async (text, status, message) => {
    handler.answer = answering(text, status);
    expect(await failure('{ person { id extra } }')).toBe(`unexpected $: ${message}`);
  });

  test('that never comes ends at the timeout', async () => {
    handler.answer = () => {};
    const startedAt = performance.now();
    expect(await failure('{ slow }')).toBe('unexpected $: http exception when calling webhook');
    expect(performance.now() - startedAt).toBeGreaterThan(900);
    const [shown] = (await ask('{ slow }', { role: 'admin' })).errors;
    expect(shown!.extensions.internal).toMatchObject({
      error: { type: 'http_exception', message: 'Response timeout' },
      response: null,
    });
  });

  test('that redirects to the metadata address is not followed', async () => {
    handler.answer = answering('{}', 307, { location: 'http://169.254.169.254/latest' });
    expect(await failure('{ person { id } }')).toBe('unexpected $: internal error');
  });
});

describe('relationships of an answer', () => {
  test('are the rows that the caller may see, one statement for all answers', async () => {
    handler.answer = answering([
      { user_id: 1, token: 't' },
      { user_id: 2 },
      null,
      { token: 'no user' },
      { user_id: 1 },
    ]);
    const query = `{ accounts { token u: user { name } posts(order_by: {id: desc}, limit: 1) { title }
      all: posts { title } posts_aggregate { aggregate { count } nodes { title } } } }`;
    const both = (...titles: readonly string[]) => {
      const rows = titles.map((title) => ({ title }));
      return { all: rows, posts_aggregate: { aggregate: { count: rows.length }, nodes: rows } };
    };
    expect(await ask(query)).toEqual({
      data: {
        accounts: [
          { token: 't', u: { name: 'one' }, posts: [{ title: 'b' }], ...both('a', 'b') },
          { token: null, u: null, posts: [{ title: 'c' }], ...both('c') },
          null,
          { token: 'no user', u: null, posts: [], ...both() },
          { token: null, u: { name: 'one' }, posts: [{ title: 'b' }], ...both('a', 'b') },
        ],
      },
    });
    const log = server
      .output()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const last = log.findLast(({ type }) => type === 'execution-log');
    expect(last.detail.statements ?? last.detail.statement).toHaveLength(1);
    expect(await failure('{ accounts { user { secret } } }')).toMatch(/^validation-failed/);
  });

  test('stand beside fields of tables', async () => {
    handler.answer = answering({ user_id: 2 });
    const query = 'mutation { login(name: "a") { user { name } posts { title } } }';
    expect(await ask(query, { role: 'admin' })).toEqual({
      data: { login: { user: { name: 'two' }, posts: [{ title: 'c' }] } },
    });
    handler.answer = answering('3');
    expect(await ask('{ posts(where: {id: {_eq: 1}}) { title } count users { id } }')).toEqual({
      data: { posts: [{ title: 'a' }], count: 3, users: [{ id: 1 }] },
    });
  });
});

describe('transforms', () => {
  test('change what is sent and what counts as the answer', async () => {
    handler.answer = answering({ number: 7, text: 'it' });
    expect(await ask('{ transformed(name: "a b") { id name } }')).toEqual({
      data: { transformed: { id: 7, name: 'got it' } },
    });
    const [call] = handler.calls;
    expect(`${call!.method} ${call!.url}`).toBe('PUT /transformed/of/a%20b?q=transformed');
    expect(call!.body).toBe('{"n":"a b"}');
    expect(call!.headers['x-added']).toBe('user');
  });

  test('that fail are errors', async () => {
    handler.answer = answering({ text: 'no number' });
    expect(await failure('{ transformed(name: "a") { id } }')).toBe(
      'unexpected $: Response Transformation Failed',
    );
  });
});

describe('introspection', () => {
  test('shows actions, their types and descriptions', async () => {
    const query = `{
      person: __type(name: "Person") { kind fields { name type { kind name ofType { kind name ofType { kind name } } } } }
      input: __type(name: "PersonInput") { kind inputFields { name } }
      mood: __type(name: "Mood") { enumValues(includeDeprecated: true) { name isDeprecated } }
      scalar: __type(name: "Anything") { kind description }
      id: __type(name: "ID") { kind }
      hidden: __type(name: "query_root") { fields { name } }
    }`;
    const { data } = (await ask(query)) as {
      data: {
        person: { fields: readonly { name: string; type: unknown }[] };
        mood: { enumValues: unknown };
        hidden: { fields: readonly { name: string }[] };
        [type: string]: unknown;
      };
    };
    expect(data.person.fields.find(({ name }) => name === 'friends')?.type).toEqual({
      kind: 'LIST',
      name: null,
      ofType: { kind: 'NON_NULL', name: null, ofType: { kind: 'OBJECT', name: 'Person' } },
    });
    expect(data.input).toEqual({
      kind: 'INPUT_OBJECT',
      inputFields: ['age', 'extra', 'friends', 'mood', 'name'].map((name) => ({ name })),
    });
    expect(data.mood.enumValues).toEqual([
      { name: 'happy', isDeprecated: false },
      { name: 'sad', isDeprecated: true },
    ]);
    expect(data.scalar).toEqual({ kind: 'SCALAR', description: 'whatever JSON has' });
    expect(data.id).toEqual({ kind: 'SCALAR' });
    const names = data.hidden.fields.map(({ name }) => name);
    expect(names).toContain('person');
    expect(names).not.toContain('hidden');
  });
});
