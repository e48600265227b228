/** Handlers that answer 202 and complete the call of an asynchronous action later. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { answering, Handler } from '../../../harness/handler.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/postgres.ts';
import {
  confidential,
  leaks,
  replaceMetadata,
  send,
  startTestServer,
  type TestServer,
} from '../../../harness/server.ts';
import { connect } from '../../../harness/socket.ts';

const ADMIN = 'the-admin-secret-of-completions';
const OPTIONS = { ADMIN_SECRET: ADMIN, ASYNC_ACTIONS_COMPLETION_URL: 'http://engine.test/' };
const SESSION = { 'x-engine-admin-secret': ADMIN, 'x-engine-role': 'user', 'x-engine-user-id': '1' };
const handler = new Handler();
let database: TestDatabase;
let server: TestServer;

const start = (options: Readonly<Record<string, string>> = OPTIONS) =>
  startTestServer(database, options, { HANDLER: handler.url });

beforeAll(async () => {
  confidential.add(ADMIN);
  await handler.listen();
  database = await createTestDatabase();
  server = await start();
  const action = (name: string, definition: object = {}) => ({
    name,
    definition: {
      kind: 'asynchronous',
      handler: `{{HANDLER}}/${name}`,
      output_type: 'Done!',
      forward_client_headers: true,
      ...definition,
    },
    permissions: [{ role: 'user' }],
  });
  await replaceMetadata(
    server,
    {
      version: 3,
      sources: [],
      custom_types: {
        objects: [
          {
            name: 'Done',
            fields: [
              { name: 'n', type: 'Int!' },
              { name: 'big', type: 'bigint' },
            ],
          },
        ],
      },
      actions: [
        action('job'),
        action('changed', {
          response_transform: {
            version: 2,
            body: { action: 'transform', template: '{"n": {{$body.number}}}' },
          },
        }),
      ],
    },
    { 'x-engine-admin-secret': ADMIN },
  );
});

beforeEach(() => {
  handler.calls = [];
  handler.answer = answering('accepted', 202);
});

afterAll(async () => {
  await server?.stop();
  handler.close();
  expect(leaks()).toEqual([]);
});

async function ask(query: string, to = server) {
  const { json } = await send(to, '/v1/graphql', { headers: SESSION, body: { query } });
  return (json as { readonly data: Readonly<Record<string, unknown>> }).data;
}
const result = async (id: string, to = server, name = 'job') =>
  (await ask(`{ ${name}(id: "${id}") { output { n big } errors } }`, to))[name];
const row = async (id: string) =>
  (await database.query('select * from engine_catalog.action_log where id = $1', [id]))[0]!;

/** Stores a call whose handler answers 202. @returns the address for its completion */
async function postpone(name = 'job', to = server): Promise<{ readonly id: string; readonly path: string }> {
  const before = handler.calls.length;
  const { [name]: id } = await ask(`mutation { ${name} }`, to);
  await expect.poll(() => handler.calls.length).toBeGreaterThan(before);
  const url = new URL(handler.calls.at(-1)!.headers['x-engine-completion-url'] as string);
  confidential.add(url.searchParams.get('token')!);
  expect(url.origin).toBe('http://engine.test');
  await expect.poll(async () => (await row(id as string)).owner).toBeNull();
  return { id: id as string, path: url.pathname + url.search };
}
const complete = async (path: string, body: unknown, to = server) => {
  const { status, json } = await send(to, path, { body: body as object });
  return [status, json];
};
const DONE = [200, { message: 'success' }];
const NO_CALL = [404, { path: '$', error: 'no call waits for this completion', code: 'not-found' }];

describe('a call whose handler answers 202', () => {
  test('has no result until it is completed, and is completed once', async () => {
    const { id, path } = await postpone();
    const socket = await connect(server, { session: SESSION });
    socket.send({
      type: 'subscribe',
      id: 's',
      payload: { query: `subscription { job(id: "${id}") { output { n } } }` },
    });
    expect((await socket.next()).payload).toEqual({ data: { job: { output: null } } });
    expect(await result(id)).toEqual({ output: null, errors: null });
    expect(await complete(path, '{"answer": {"n": 1, "big": 12345678901234567, "more": 1}}')).toEqual(DONE);
    expect((await socket.next()).payload).toEqual({ data: { job: { output: { n: 1 } } } });
    expect((await socket.next()).type).toBe('complete');
    await socket.close();
    expect(await complete(path, { answer: { n: 2 } })).toEqual(NO_CALL);
    expect((await row(id)).response_payload).toMatchObject({ n: 1 });
    expect(await row(id)).toMatchObject({ status: 'completed', request_headers: {}, completion_hash: null });
    expect((await row(id)).response_received_at).not.toBeNull();
    // The handler was called once, and the log did not have what completes the call.
    expect(handler.calls).toHaveLength(1);
  });

  test('is completed by one of two who try at once', async () => {
    const { id, path } = await postpone();
    const answers = await Promise.all([1, 2, 3, 4].map((n) => complete(path, { answer: { n } })));
    expect(answers.filter(([status]) => status === 200)).toHaveLength(1);
    const winner = answers.findIndex(([status]) => status === 200) + 1;
    expect(await result(id)).toMatchObject({ output: { n: winner } });
  });

  test('ends with the error of its handler', async () => {
    const { id, path } = await postpone();
    expect(await complete(path, { error: { message: 'no', code: 'mine', extensions: { a: 1 } } })).toEqual(
      DONE,
    );
    expect(await result(id)).toEqual({ output: null, errors: { error: 'no', path: '$', code: 'mine' } });
  });

  test('ends with an error when the answer does not fit, and the handler learns why', async () => {
    const { id, path } = await postpone();
    const error = 'got scalar String for the action webhook response, expecting Int';
    expect(await complete(path, { answer: { n: 'x' } })).toEqual([
      400,
      { path: '$', error, code: 'unexpected' },
    ]);
    expect(await result(id)).toEqual({ output: null, errors: { error, path: '$', code: 'unexpected' } });
    expect(await complete(path, { answer: { n: 1 } })).toEqual(NO_CALL);
  });

  test('goes on waiting after a completion that cannot be read, or with the wrong token', async () => {
    const [{ id, path }, other] = [await postpone(), await postpone()];
    const [at, token] = path.split('?token=');
    const [, otherToken] = other.path.split('?token=');
    for (const body of ['', '[]', '{}', '{"answer":1,"error":{}}', '{"error":{}}', '{"n":1}', '{"answer":'])
      expect((await complete(path, body))[0], body).toBe(400);
    for (const wrong of [
      at!,
      `${at}?token=`,
      `${at}?token=${otherToken}`,
      `${at}?token=${token!.slice(1)}`,
      `${at}?token=${token}&token=${token}`,
      `/v1/actions/${randomUUID()}/complete?token=${token}`,
      `/v1/actions/'/complete?token=${token}`,
    ])
      expect(await complete(wrong, { answer: { n: 1 } }), wrong).toEqual(NO_CALL);
    expect((await send(server, path, { method: 'GET' })).status).toBe(404);
    expect(await result(id)).toEqual({ output: null, errors: null });
    expect(await complete(path, { answer: { n: 1 } })).toEqual(DONE);
  });

  test('has its transform applied to what completes it', async () => {
    const { id, path } = await postpone('changed');
    expect(await complete(path, { answer: { number: 7 } })).toEqual(DONE);
    expect(await result(id, server, 'changed')).toMatchObject({ output: { n: 7 } });
  });

  test('may be completed before its handler has answered', async () => {
    let completed: Promise<unknown> | undefined;
    handler.answer = (call, response) => {
      const { pathname, search } = new URL(call.headers['x-engine-completion-url'] as string);
      completed = complete(pathname + search, { answer: { n: 5 } }).then((answer) => {
        answering('', 202)(call, response);
        return answer;
      });
    };
    const { job } = await ask('mutation { job }');
    await expect.poll(() => result(job as string)).toMatchObject({ output: { n: 5 } });
    expect(await completed).toEqual(DONE);
  });

  test('waits in the database: another instance completes it', async () => {
    const first = await start();
    const { id, path } = await postpone('job', first);
    await first.stop();
    expect(await complete(path, { answer: { n: 3 } })).toEqual(DONE);
    expect(await result(id)).toMatchObject({ output: { n: 3 } });
    expect(handler.calls).toHaveLength(1);
  });

  test('ends when its time is over', async () => {
    const hasty = await start({ ...OPTIONS, ASYNC_ACTIONS_COMPLETION_TIMEOUT: '1' });
    const { id, path } = await postpone('job', hasty);
    await hasty.stop();
    await database.query(
      `update engine_catalog.action_log set complete_until = complete_until - interval '2 s' where id = $1`,
      [id],
    );
    expect(await complete(path, { answer: { n: 1 } })).toEqual(NO_CALL);
    // A server looks for such calls when it starts.
    const next = await start();
    const error = 'the handler did not complete the call in time';
    await expect.poll(() => result(id)).toMatchObject({ errors: { error } });
    await next.stop();
  });
});

test('without the option, a handler gets no address, and 202 is an answer like any other', async () => {
  const without = await start({ ADMIN_SECRET: ADMIN });
  await server.stop();
  handler.answer = answering({ n: 9 }, 202);
  const { job } = await ask('mutation { job }', without);
  await expect.poll(() => result(job as string, without)).toMatchObject({ output: { n: 9 } });
  expect(handler.calls[0]!.headers).not.toHaveProperty('x-engine-completion-url');
  const { status } = await send(without, `/v1/actions/${job}/complete?token=x`, {
    body: { answer: { n: 1 } },
  });
  expect(status).toBe(404);
  await without.stop();
  server = await start();
});
