/** Values of masked variables are in no line: by every way in, refused or not, and however they are written there. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { confidential, type RequestOptions, send, serve, type TestServer } from '../../harness/server.ts';
import { LEGACY, openSocket, TRANSPORT } from '../../harness/socket.ts';

const ADMIN = 'the-admin-secret-of-masked-values';
/** A part of every value, by which it is found in any spelling. */
const FOUND = 'KESTREL';
const VALUES = [
  `with "quotes" and \\ ${FOUND}`,
  `naïve 50% ${FOUND} / ? #`,
  `C:\\new\nline\t${FOUND}`,
  `${FOUND} ${'long '.repeat(40)}`,
];

let server: TestServer;
const headers = { 'x-engine-admin-secret': ADMIN };

beforeAll(async () => {
  confidential.add(ADMIN);
  server = await serve({
    sql: `
    create table account (id int primary key, name text unique, tags text[], body jsonb, bodies jsonb[], n int not null default 0 check (n < 9),
      made timestamptz not null default now());
    insert into account values (1, 'one');
  `,
    options: { ADMIN_SECRET: ADMIN, LOG_MASKED_VARIABLES: 'pw', SLOW_QUERY_THRESHOLD: '0' },
  });
  const saved = { text: 'String', number: 'Int', json: 'jsonb' };
  const answer = await send(server, '/v1/metadata', {
    headers,
    body: {
      type: 'bulk',
      args: [
        { type: 'pg_track_table', args: { source: 'default', table: 'account' } },
        {
          type: 'create_query_collection',
          args: {
            name: 'rest',
            definition: {
              queries: [
                { name: 'text', query: 'query ($pw: String) { account(where: {name: {_eq: $pw}}) { id } }' },
                { name: 'number', query: 'query ($pw: Int) { account(where: {n: {_eq: $pw}}) { id } }' },
                { name: 'json', query: 'query ($pw: jsonb) { account(where: {body: {_eq: $pw}}) { id } }' },
              ],
            },
          },
        },
        ...Object.keys(saved).flatMap((name) => [
          {
            type: 'create_rest_endpoint',
            args: {
              name,
              url: `${name}/:pw`,
              methods: ['GET', 'POST'],
              definition: { query: { collection_name: 'rest', query_name: name } },
            },
          },
          {
            type: 'create_rest_endpoint',
            args: {
              name: `${name}-given`,
              url: `${name}-given`,
              methods: ['GET', 'POST'],
              definition: { query: { collection_name: 'rest', query_name: name } },
            },
          },
        ]),
      ],
    },
  });
  expect(answer.text).not.toContain('error');
});

afterAll(() => server?.stop());

let requests = 0;

/** Has things done together, waits until all are logged, and looks at what was logged. */
async function logged(runs: readonly ((id: string) => Promise<unknown>)[]): Promise<void> {
  const before = server.output().length;
  const ids = runs.map(() => {
    requests += 1;
    return `masked ${requests}`;
  });
  await Promise.all(runs.map((run, index) => run(ids[index]!)));
  for (const id of ids) await expect.poll(() => server.output()).toContain(`"request_id":"${id}"`);
  const lines = server.output().slice(before).split('\n');
  expect(lines.filter((line) => line.includes(FOUND))).toEqual([]);
}

const inSlashes = (value: string) => encodeURIComponent(value);

describe.each(VALUES)('the value %j', (value) => {
  const operations: readonly (readonly [string, string, unknown])[] = [
    ['that is found', 'query ($pw: String) { account(where: {name: {_eq: $pw}}) { id } }', value],
    ['of another type', 'query ($pw: Int) { account(where: {n: {_eq: $pw}}) { id } }', value],
    ['of a pattern', 'query ($pw: String) { account(where: {name: {_regex: $pw}}) { id } }', `${value}(`],
    [
      'of a row',
      'mutation ($pw: account_insert_input!) { insert_account_one(object: $pw) { id } }',
      { id: 1, name: value },
    ],
    [
      'of a row that a constraint refuses',
      'mutation ($pw: String) { insert_account_one(object: {id: 5, n: 10, name: $pw}) { id } }',
      value,
    ],
    [
      'within JSON',
      'mutation ($pw: jsonb) { insert_account_one(object: {id: 1, body: $pw}) { id } }',
      { a: [value], [value]: { b: value } },
    ],
    [
      'within an array',
      'mutation ($pw: [String!]) { insert_account_one(object: {id: 1, tags: $pw}) { id } }',
      [value, 'other'],
    ],
    [
      'within JSON of an array',
      'mutation ($pw: [jsonb!]) { insert_account_one(object: {id: 1, bodies: $pw}) { id } }',
      [{ a: value }],
    ],
    [
      'as a name',
      'mutation ($pw: jsonb) { insert_account_one(object: {id: 1, body: $pw}) { id } }',
      { [value]: {}, a: { [value]: null } },
    ],
  ];

  test('over HTTP', async () => {
    await logged(
      operations.map(([, query, pw]) => (id) => {
        const own = { ...headers, 'x-request-id': id };
        return send(server, '/v1/graphql', { headers: own, body: { query, variables: { pw } } });
      }),
    );
  });

  test.each([TRANSPORT, LEGACY])('over sockets of %s', async (protocol) => {
    const both = operations.flatMap(([, query, pw]) => [
      { query, variables: { pw } },
      { query: query.replace(/^query/, 'subscription'), variables: { pw } },
    ]);
    await logged(
      both.map((payload) => async (id) => {
        const socket = await openSocket(server, { protocol });
        socket.send({ type: 'connection_init', payload: { headers: { ...headers, 'x-request-id': id } } });
        expect(await socket.next()).toMatchObject({ type: 'connection_ack' });
        socket.send({ type: protocol === LEGACY ? 'start' : 'subscribe', id: '1', payload });
        expect(['next', 'data', 'error']).toContain((await socket.next()).type);
        await socket.close();
      }),
    );
  });

  test('in the reads of a live query that others have, too', async () => {
    const query = 'subscription ($pw: timestamptz) { account(where: {made: {_lt: $pw}}) { id } }';
    const other = await openSocket(server);
    const begin = async (socket: typeof other, id: string, pw: string) => {
      socket.send({ type: 'connection_init', payload: { headers: { ...headers, 'x-request-id': id } } });
      expect(await socket.next()).toMatchObject({ type: 'connection_ack' });
      socket.send({ type: 'subscribe', id: '1', payload: { query, variables: { pw } } });
    };
    await begin(other, 'other', '2100-01-01');
    expect(await other.next()).toMatchObject({ type: 'next' });
    await logged([
      async (id) => {
        const socket = await openSocket(server);
        await begin(socket, id, value);
        expect(await socket.next()).toMatchObject({ type: 'error' });
        await expect
          .poll(() => server.output())
          .toMatch(/"errors":\[\{"batch_id":\d+,"detail":"data-exception"\}\]/);
        await socket.close();
      },
    ]);
    await other.close();
  });

  const json = JSON.stringify({ a: value });
  const calls: readonly (readonly [string, string, RequestOptions])[] = [
    ['in an address', `text/${inSlashes(value)}`, { method: 'GET' }],
    ['in an address, each character encoded', `text/${everyByte(value)}`, { method: 'GET' }],
    ['refused in an address', `number/${inSlashes(value)}`, { method: 'GET' }],
    ['in an address as JSON', `json/${inSlashes(json)}`, { method: 'GET' }],
    ['with another method', `text/${inSlashes(value)}`, { method: 'DELETE' }],
    ['behind a question mark', `number-given?pw=${inSlashes(value)}`, { method: 'GET' }],
    ['that cannot be decoded', `number-given?pw=${inSlashes(value)}%zz`, { method: 'GET' }],
    ['in a form', 'number-given', { body: `pw=${inSlashes(value)}` }],
    ['in a body', 'number-given', { body: { pw: value } }],
    ['in a body for another variable', 'number/1', { body: { pw: value } }],
  ];

  test('by REST', async () => {
    const accounts = [headers, {}, { 'x-engine-admin-secret': 'wrong' }];
    await logged(
      calls.flatMap(([, path, options]) =>
        accounts.map((who) => (id: string) => {
          const type = typeof options.body === 'string' ? 'x-www-form-urlencoded' : 'json';
          const own = { 'content-type': `application/${type}`, ...who, 'x-request-id': id };
          return send(server, `/api/rest/${path}`, { ...options, headers: own });
        }),
      ),
    );
  });
});

function everyByte(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}
