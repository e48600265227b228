/** Remote schemas with `--remote-schema-prioritize-data` and `--remote-schema-skip-nulls`, which joins do not heed. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type RemoteServer, startRemoteServer } from '../../../harness/remote-server.ts';
import { send, serve, type TestServer } from '../../../harness/server.ts';

let remote: RemoteServer;
let server: TestServer;

beforeAll(async () => {
  const sdl = 'type Query { find(text: String, in: In): String } input In { a: Int, b: Int }';
  remote = await startRemoteServer(sdl, { find: (given: object) => JSON.stringify(given) });
  server = await serve({
    sql: 'create table item (id text primary key); insert into item values ($$x$$)',
    options: { REMOTE_SCHEMA_PRIORITIZE_DATA: 'true', REMOTE_SCHEMA_SKIP_NULLS: 'true' },
  });
  await metadata('pg_track_table', { table: 'item' });
  await metadata('add_remote_schema', { name: 'm', definition: { url: remote.url } });
  const remote_field = { find: { arguments: { text: '$id' } } };
  await metadata('pg_create_remote_relationship', {
    table: 'item',
    name: 'found',
    definition: { to_remote_schema: { remote_schema: 'm', lhs_fields: ['id'], remote_field } },
  });
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
  const { status, text } = await send(server, '/v1/metadata', { body: { type, args } });
  expect([status, text]).toEqual([200, expect.any(String)]);
}

const ask = (query: string) => send(server, '/v1/graphql', { body: { query } });

test('data counts more than errors beside it', async () => {
  remote.answer = () => '{"data":{"find":"partly"},"errors":[{"message":"no"}]}';
  expect((await ask('{ find }')).text).toBe('{"data":{"find":"partly"}}');
  remote.answer = () => '{"data":null,"errors":[{"message":"no"}]}';
  expect((await ask('{ find }')).text).toBe('{"data":null,"errors":[{"message":"no"}]}');
});

test('arguments that are null are left out', async () => {
  await ask('{ find(text: null, in: {a: null, b: 1}) }');
  expect(remote.calls.map(({ query }) => query)).toEqual(['query  { find(in: {a: null, b: 1})  }']);
});

test('errors of a join fail the request, and its cookies stay here', async () => {
  remote.answer = () => '{"data":{"f0":"partly"},"errors":[{"message":"no"}]}';
  expect((await ask('{ item { found } }')).json).toMatchObject({
    errors: [
      { message: 'Errors from remote server', extensions: { internal: { errors: [{ message: 'no' }] } } },
    ],
  });
  remote.answer = (_, response) => {
    response.setHeader('set-cookie', 'a=1');
    return undefined;
  };
  const { json, headers } = await ask('{ item { found } }');
  expect(json).toEqual({ data: { item: [{ found: '{"text":"x"}' }] } });
  expect(headers['set-cookie']).toBeUndefined();
});
