/** Calls of remote schemas whose connection breaks, and subscription fields. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type RemoteServer, startRemoteServer } from '../../../harness/remote-server.ts';
import { send, serve, type TestServer } from '../../../harness/server.ts';
import { connect } from '../../../harness/socket.ts';

let remote: RemoteServer;
let server: TestServer;

beforeAll(async () => {
  remote = await startRemoteServer(
    'type Query { name: String } type Mutation { rename: String } type Subscription { renamed: String }',
    { name: 'Ann', rename: 'Bob' },
  );
  server = await serve();
  const args = { name: 'people', definition: { url: remote.url } };
  const { status } = await send(server, '/v1/metadata', { body: { type: 'add_remote_schema', args } });
  expect(status).toBe(200);
});

beforeEach(() => {
  remote.calls.length = 0;
  remote.answer = undefined;
});

afterAll(async () => {
  await server.stop();
  await remote.stop();
});

const ask = async (query: string) => (await send(server, '/v1/graphql', { body: { query } })).json;

const failed = {
  errors: [{ message: expect.stringContaining('HTTP exception occurred'), extensions: expect.anything() }],
};

/** The first calls break. @param begin what is sent of an answer before */
function breakCalls(count: number, begin?: string): void {
  remote.answer = (_, response) => {
    if (remote.calls.length > count) return undefined;
    if (begin === undefined) response.destroy();
    else response.write(begin, () => response.destroy());
    return new Promise(() => {});
  };
}

test('a query whose connection breaks before an answer is sent once more, and no more than that', async () => {
  breakCalls(1);
  expect(await ask('{ name }')).toEqual({ data: { name: 'Ann' } });
  expect(remote.calls).toHaveLength(2);
  remote.calls.length = 0;
  breakCalls(2);
  expect(await ask('{ name }')).toMatchObject(failed);
  expect(remote.calls).toHaveLength(2);
});

test('a query whose answer has begun is not sent again', async () => {
  breakCalls(1, '{"data":{"na');
  expect(await ask('{ name }')).toMatchObject(failed);
  expect(remote.calls).toHaveLength(1);
});

test('a mutation is sent once', async () => {
  breakCalls(1);
  expect(await ask('mutation { rename }')).toMatchObject(failed);
  expect(remote.calls).toHaveLength(1);
});

test('subscription fields are in the schema, and fail', async () => {
  const fields = '{ __schema { subscriptionType { fields { name } } } }';
  expect(await ask(fields)).toMatchObject({
    data: { __schema: { subscriptionType: { fields: expect.arrayContaining([{ name: 'renamed' }]) } } },
  });
  const socket = await connect(server);
  socket.send({ id: '1', type: 'subscribe', payload: { query: 'subscription { renamed }' } });
  const refused = JSON.stringify((await socket.next()).payload);
  expect(refused).toContain('subscription to remote server is not supported');
  expect(refused).toContain('not-supported');
  await socket.close();
  expect(remote.calls).toEqual([]);
});
