/** GraphQL over HTTP as its standard describes it, by the public audit suite; and what GET may run. */
import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { send, serve, type TestServer } from '../../harness/server.ts';

/** Audits that contradict the established server's answers, which existing clients rely on. */
const CONTRADICTED: Readonly<Record<string, string>> = {
  BCF8: 'JSON that cannot be parsed has status 200 as every error has',
  '9ABE': 'a body is read whatever its content type says, and errors have status 200',
};

let server: TestServer;

beforeAll(async () => {
  server = await serve({
    sql: `create table note (id integer primary key); insert into note values (1);
      create function more() returns setof note language sql volatile as $$ insert into note select max(id) + 1 from note returning * $$;`,
  });
  const tracked = await send(server, '/v1/metadata', {
    body: { type: 'pg_track_table', args: { source: 'default', table: 'note' } },
  });
  expect(tracked.text).toBe('{"message":"success"}');
  const called = await send(server, '/v1/metadata', {
    body: {
      type: 'pg_track_function',
      args: { source: 'default', function: 'more', configuration: { exposed_as: 'query' } },
    },
  });
  expect(called.text).toBe('{"message":"success"}');
});

afterAll(() => server?.stop());

describe('the audit suite', () => {
  const audits = serverAudits({ url: () => `http://127.0.0.1:${server.port}/v1/graphql` });
  const demanded = audits.filter(({ name }) => /^(MUST|SHOULD) /.test(name));

  test.each(
    demanded.filter(({ id }) => !(id in CONTRADICTED)).map((audit) => [audit.id, audit.name, audit] as const),
  )('%s: %s', async (_id, _name, audit) => {
    const result = await audit.fn();
    expect(result.status === 'ok' ? result.status : result).toBe('ok');
  });

  test('the exceptions are audits that are still demanded', () => {
    expect(demanded.map(({ id }) => id)).toEqual(expect.arrayContaining(Object.keys(CONTRADICTED)));
  });
});

describe('the media type of the standard', () => {
  const accept = 'application/graphql-response+json';
  const post = (body: unknown, headers: Record<string, string>) =>
    send(server, '/v1/graphql', { body: body as object, headers });

  test.each([
    ['an answer', { query: '{ note { id } }' }, 200],
    ['a document that does not parse', { query: '{' }, 400],
    ['an unknown field', { query: '{ nothing }' }, 400],
    ['a missing variable', { query: 'query ($id: Int!) { note_by_pk(id: $id) { id } }' }, 400],
    ['no query', {}, 400],
  ])('has a status of its own for %s', async (_name, body, status) => {
    const asked = await post(body, { accept });
    expect(asked.status).toBe(status);
    expect(asked.headers['content-type']).toBe(`${accept}; charset=utf-8`);
    const other = await post(body, { accept: `${accept};q=0.5, application/json` });
    expect(other.status).toBe(200);
    expect(other.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(other.json).toEqual(asked.json);
  });
});

describe('a document with several operations', () => {
  const query = 'query one { note { id } } query none { note(where: {id: {_lt: 0}}) { id } }';
  const message = async (body: object) => {
    const { json } = await send(server, '/v1/graphql', { body });
    return (json as { errors: { message: string }[] }).errors[0]!.message;
  };

  test('runs the one that is named', async () => {
    for (const [operationName, note] of [
      ['one', [{ id: 1 }]],
      ['none', []],
    ] as const) {
      const { json } = await send(server, '/v1/graphql', { body: { query, operationName } });
      expect(json).toEqual({ data: { note } });
    }
  });

  test('needs a name that it has', async () => {
    expect(await message({ query })).toBe(
      'exactly one operation has to be present in the document when operationName is not specified',
    );
    expect(await message({ query, operationName: 'two' })).toBe(
      'no such operation found in the document: "two"',
    );
    expect(await message({ query: `${query} { note { id } }`, operationName: 'one' })).toBe(
      'operationName cannot be used when an anonymous operation exists in the document',
    );
  });
});

describe('GET', () => {
  const get = (query: string, headers = {}) =>
    send(server, `/v1/graphql?${query}`, { method: 'GET', headers });
  const encoded = encodeURIComponent;

  test('runs a query with variables', async () => {
    const query = encoded('query q($id: Int!) { note_by_pk(id: $id) { id } }');
    const answer = await get(`query=${query}&operationName=q&variables=${encoded('{"id":1}')}`);
    expect(answer.json).toEqual({ data: { note_by_pk: { id: 1 } } });
  });

  test('never runs a mutation', async () => {
    const query = `query=${encoded('mutation { delete_note(where: {}) { affected_rows } }')}`;
    const refusal = {
      errors: [
        {
          message: 'only queries can be run with GET; use POST',
          extensions: { path: '$', code: 'not-supported' },
        },
      ],
    };
    expect(await get(query)).toMatchObject({ status: 405, headers: { allow: 'POST' }, json: refusal });
    const standard = await get(query, { accept: 'application/graphql-response+json' });
    expect(standard).toMatchObject({ status: 405, json: refusal });
    expect((await get(`query=${encoded('{ note { id } }')}`)).json).toEqual({ data: { note: [{ id: 1 }] } });
  });

  test.each([
    '{ more { id } }',
    '{ other: more(limit: 1) { id } }',
    '{ note { id } more { id } }',
    'query { ...a } fragment a on query_root { more { id } }',
    '{ more_aggregate { aggregate { count } } }',
    'query ($yes: Boolean = true) { more @include(if: $yes) { id } }',
  ])('never runs a query that may write: %s', async (query) => {
    const refused = await get(`query=${encoded(query)}`);
    expect(refused).toMatchObject({ status: 405, headers: { allow: 'POST' } });
    expect(refused.text).toContain('calls a VOLATILE function');
    expect((await get(`query=${encoded('{ note { id } }')}`)).json).toEqual({ data: { note: [{ id: 1 }] } });
  });

  test('without a query asks for a persisted one, which there is not', async () => {
    expect((await get('')).json).toMatchObject({
      errors: [{ message: 'Automatic Persisted Queries is not enabled' }],
    });
  });
});

describe('protocols that are not spoken', () => {
  const body = { query: '{ note { id } }' };
  const stream = (type: string) => ({
    message: `answers are not streamed as ${type}: accept application/json, and run subscriptions over a WebSocket (graphql-transport-ws) at the same address`,
    extensions: { path: '$', code: 'not-supported' },
  });
  const paths = ['/v1/graphql', '/v1alpha1/graphql', '/v1beta1/relay'];
  const refused = [
    ['text/event-stream', 'text/event-stream'],
    ['TEXT/Event-Stream', 'text/event-stream'],
    ['text/event-stream;charset=utf-8', 'text/event-stream'],
    ['text/html, text/event-stream', 'text/event-stream'],
    ['text/event-stream, application/json;q=0', 'text/event-stream'],
    ['multipart/mixed; deferSpec=20220824', 'multipart/mixed'],
    ['multipart/mixed;boundary="-"', 'multipart/mixed'],
  ] as const;

  test.each(refused)('an answer that is only accepted as %s', async (accept, type) => {
    for (const path of paths) {
      const answer = await send(server, path, { headers: { accept }, body });
      expect(answer).toMatchObject({ status: 406, json: { errors: [stream(type)] } });
      expect(answer.headers['x-request-id']).toBeDefined();
    }
    expect(
      await send(server, '/v1/graphql?query={note{id}}', { method: 'GET', headers: { accept } }),
    ).toMatchObject({ status: 406, json: { errors: [stream(type)] } });
  });

  test.each([
    '*/*',
    'application/json',
    'text/event-stream, application/json',
    'multipart/mixed;deferSpec=20220824,application/graphql-response+json,application/json;q=0.9',
    'multipart/mixed, */*;q=0.1',
    'text/event-stream, application/*',
    'text/event-stream;q=0, text/html',
    'text/html',
    'application/graphql+json',
    '',
  ])('are no reason to refuse %j', async (accept) => {
    const answer = await send(server, '/v1/graphql', { headers: { accept }, body });
    expect(answer).toMatchObject({ status: 200, json: { data: { note: [{ id: 1 }] } } });
  });

  test.each(['multipart/form-data; boundary=x', 'Multipart/Form-Data', 'multipart/mixed; boundary=x'])(
    'an upload as %s',
    async (type) => {
      const operations = JSON.stringify({ query: 'mutation ($file: Upload!) { add(file: $file) { id } }' });
      const upload = `--x\r\nContent-Disposition: form-data; name="operations"\r\n\r\n${operations}\r\n--x--\r\n`;
      for (const path of paths)
        expect(await send(server, path, { headers: { 'content-type': type }, body: upload })).toMatchObject({
          status: 415,
          json: {
            errors: [
              {
                message: expect.stringMatching(/^files are not uploaded with GraphQL requests: send a JSON/),
              },
            ],
          },
        });
    },
  );

  test('a subscription by GET or POST is sent to a WebSocket', async () => {
    const query = 'subscription { note { id } }';
    const message = 'subscriptions are not supported over HTTP, use websockets instead';
    const byPost = await send(server, '/v1/graphql', { body: { query } });
    const byGet = await send(server, `/v1/graphql?query=${encodeURIComponent(query)}`, { method: 'GET' });
    for (const { json } of [byPost, byGet])
      expect(json).toMatchObject({ errors: [{ message, extensions: { code: 'unexpected-payload' } }] });
  });
});
