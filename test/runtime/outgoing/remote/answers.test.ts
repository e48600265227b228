/** Remote schemas that lie, hang or are gone, and session variables that do not fit the presets they are for. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type RemoteServer, startRemoteServer } from '../../../harness/remote-server.ts';
import { send, serve, type TestServer } from '../../../harness/server.ts';

const SDL = `
  type Query { group(name: String!): Group, find(where: Where): [Int], pick(level: Level, n: Int, f: Float, b: Boolean): String }
  type Group { members(of: Int): [String] }
  input Where { x: Inner, ids: [Int] }
  input Inner { a: Int, b: Int }
  enum Level { LOW HIGH }
`;
const PART = `type Query {
  pick(
    level: Level @preset(value: "x-engine-level"), n: Int @preset(value: "x-engine-n"),
    f: Float @preset(value: "x-engine-f"), b: Boolean @preset(value: "X-Engine-B")
  ): String
} enum Level { LOW HIGH }`;

let remote: RemoteServer;
let server: TestServer;

beforeAll(async () => {
  remote = await startRemoteServer(SDL, {
    find: ({ where }: { where: { ids: number[] } }) => where.ids,
    pick: (given: object) => JSON.stringify(given),
  });
  server = await serve({
    sql: 'create table item (id integer primary key); insert into item values (1)',
    options: { ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true', DEV_MODE: 'true' },
  });
  await metadata('pg_track_table', { table: 'item' });
  await metadata('add_remote_schema', { name: 'm', definition: { url: remote.url } });
  await metadata('add_remote_schema_permissions', {
    remote_schema: 'm',
    role: 'r',
    definition: { schema: PART },
  });
  const relationship = (name: string, remote_field: object) =>
    metadata('pg_create_remote_relationship', {
      source: 'default',
      table: 'item',
      name,
      definition: { to_remote_schema: { remote_schema: 'm', lhs_fields: ['id'], remote_field } },
    });
  await relationship('members', {
    group: { arguments: { name: 'a' }, field: { members: { arguments: { of: '$id' } } } },
  });
  await relationship('found', { find: { arguments: { where: { x: { a: '$id' }, ids: ['$id'] } } } });
});

beforeEach(() => {
  remote.calls.length = 0;
  remote.answer = undefined;
});

afterAll(async () => {
  await server.stop();
  await remote.stop();
});

async function metadata(type: string, args: object): Promise<void> {
  const answer = await send(server, '/v1/metadata', { body: { type, args } });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
}

const ask = async (query: string, headers: Readonly<Record<string, string>> = {}) =>
  (await send(server, '/v1/graphql', { headers, body: { query } })).json;

const refused = (message: string, code: string) => ({ errors: [{ message, extensions: { code } }] });

test.each([
  ['{"data":{"f0":5}}', 'unexpected non-object json value found while path not empty: members'],
  ['{"data":{"f0":{}}}', "failed to lookup key 'members' in response"],
  ['{"data":{}}', "failed to lookup key 'f0' in response"],
  ['{}', '"data" field not found in remote response'],
  ['{"data":null}', '"data" field not found in remote response'],
  ['{"data":[]}', '"data" field not found in remote response'],
  [
    '{"data":{"f0":{"members":["a"]}}',
    'Remote server response is not valid JSON: the text ends too early at position 32; it answered with status 200 and 32 bytes of application/json',
  ],
  [
    '',
    'Remote server response is not valid JSON: the text ends too early at position 0; it answered with status 200 and nothing',
  ],
])('a join that is answered with %s fails', async (text, message) => {
  remote.answer = () => text;
  expect(await ask('{ item { members } }')).toMatchObject(refused(message, 'unexpected'));
  expect(remote.calls).toHaveLength(1);
});

test('an object on the way that is null gives null', async () => {
  remote.answer = () => '{"data":{"f0":null}}';
  expect(await ask('{ item { members } }')).toEqual({ data: { item: [{ members: null }] } });
});

test('lists and objects of the client are merged with those of the join', async () => {
  expect(await ask('{ item { found(where: {ids: [7, 8], x: {b: 2}}) } }')).toEqual({
    data: { item: [{ found: [7, 8, 1] }] },
  });
  expect(remote.calls.map(({ query }) => query)).toEqual([
    'query  { f0: find(where: {x: {b: 2, a: 1}, ids: [7, 8, 1]})  }',
  ]);
});

test.each([
  ['{ pick }', {}, '"x-engine-level" session variable expected, but not found', 'not-found'],
  ['{ pick }', { level: 'MID' }, '"MID" is not one of the valid enum values', 'coercion-error'],
  ['{ pick }', { level: 'a b' }, '"a b" is not a valid GraphQL name', 'coercion-error'],
  ['{ pick }', { n: '1.5' }, '"1.5" cannot be coerced into an Int value', 'coercion-error'],
  ['{ pick }', { f: 'x' }, '"x" cannot be coerced into a Float value', 'coercion-error'],
  ['{ pick }', { b: 'True' }, '"True" cannot be coerced into a Boolean value', 'coercion-error'],
] as const)('%s with the session variables %o is refused', async (query, given, message, code) => {
  const isEmpty = Object.keys(given).length === 0;
  const values = isEmpty ? {} : { level: 'LOW', n: '1', f: '1.5', b: 'true', ...given };
  const session = Object.entries(values).map(([name, value]) => [`x-engine-${name}`, value]);
  expect(await ask(query, { 'x-engine-role': 'r', ...Object.fromEntries(session) })).toMatchObject(
    refused(message, code),
  );
  expect(remote.calls).toEqual([]);
});

test('session variables are converted to the types of their arguments', async () => {
  const session = {
    'x-engine-level': 'HIGH',
    'x-engine-n': '-3',
    'x-engine-f': '1e3',
    'x-engine-b': 'false',
  };
  const answer = (await ask('{ pick }', { 'x-engine-role': 'r', ...session })) as { data: { pick: string } };
  expect(JSON.parse(answer.data.pick)).toEqual({ level: 'HIGH', n: -3, f: 1000, b: false });
});

test('a server that hangs, and one that is gone', async () => {
  const wait = (timeout_seconds: number) =>
    metadata('update_remote_schema', {
      name: 'm',
      definition: { url: `${remote.url}?token=secret&a=b`, timeout_seconds },
    });
  await wait(3);
  remote.answer = () => new Promise(() => {});
  const message = expect.stringMatching(/^HTTP exception occurred while sending the request to "http:/);
  const failed = (text: unknown, seconds: number) => ({
    errors: [
      {
        message,
        extensions: {
          code: 'remote-schema-error',
          internal: {
            type: 'http_exception',
            message: text,
            request: {
              host: '127.0.0.1',
              port: Number(new URL(remote.url).port),
              secure: false,
              path: '/graphql',
              queryString: '?token=*&a=*',
              method: 'POST',
              responseTimeout: `ResponseTimeoutMicro ${seconds * 1_000_000}`,
            },
          },
        },
      },
    ],
  });
  expect(await ask('{ find }')).toMatchObject(failed('Response timeout', 3));
  remote.answer = undefined;
  await wait(30);
  await remote.stop();
  expect(await ask('{ find }')).toMatchObject(
    failed('Connection failure: the connection was refused (ECONNREFUSED)', 30),
  );
  expect(await ask('{ item { id } }')).toEqual({ data: { item: [{ id: 1 }] } });
  remote = await startRemoteServer(SDL, {});
});
