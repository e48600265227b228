/** What a socket keeps of its session and for how long, and other facts of the protocols that clients rely on. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect as dial } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { send, startTestServer, type TestServer } from '../../harness/server.ts';
import { connect, LEGACY, openSocket, type TestSocket } from '../../harness/socket.ts';

let database: TestDatabase;
let server: TestServer;
let webhook: Server;
/** Headers of the last request to the handler of the action. */
let handled: NodeJS.Dict<string | string[]> = {};
/** Seconds for which the hook allows a session. */
let allowed = 1;

beforeAll(async () => {
  webhook = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.url === '/action') {
      handled = request.headers;
      response.end('{"text":"done"}');
      return;
    }
    response.end(JSON.stringify({ 'X-Engine-Role': 'admin', 'Cache-Control': `max-age=${allowed}` }));
  });
  await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve));
  database = await createTestDatabase(`
    create table note (id serial primary key, body text not null default '');
    insert into note (body) select 'n' || i from generate_series(1, 9) as i;
    create function told(session json) returns setof note language sql stable as
      $$ select 0, session ->> 'x-engine-shoe-size' $$;`);
  server = await startTestServer(database, { ENABLED_APIS: 'metadata,graphql,developer' });
  await metadata('pg_track_table', { table: 'note' });
  await metadata('pg_track_function', {
    function: 'told',
    configuration: { session_argument: 'session' },
  });
  await metadata('set_custom_types', {
    objects: [{ name: 'Told', fields: [{ name: 'text', type: 'String!' }] }],
  });
  await metadata('create_action', {
    name: 'tell',
    definition: {
      kind: 'synchronous',
      type: 'mutation',
      arguments: [],
      output_type: 'Told!',
      handler: `http://127.0.0.1:${(webhook.address() as AddressInfo).port}/action`,
      forward_client_headers: true,
    },
  });
});

afterAll(async () => {
  await server.stop();
  webhook.close();
});

async function metadata(type: string, args: object): Promise<void> {
  const answer = await send(server, '/v1/metadata', { body: { type, args } });
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
}

function subscribe(socket: TestSocket, id: string, query: string): void {
  socket.send({ type: 'subscribe', id, payload: { query } });
}

test('headers of connection_init are those of its requests, headers of the upgrade are not', async () => {
  const socket = await connect(server, {
    headers: { 'x-of-upgrade': 'u' },
    session: { 'x-of-init': 'i' },
  });
  subscribe(socket, '1', 'mutation { tell { text } }');
  expect(await socket.next()).toMatchObject({ payload: { data: { tell: { text: 'done' } } } });
  expect([handled['x-of-init'], handled['x-of-upgrade']]).toEqual(['i', undefined]);
  await socket.close();
});

test('a session lasts as long as the hook allows; clients of the older protocol may renew it', async () => {
  const hook = `http://127.0.0.1:${(webhook.address() as AddressInfo).port}/`;
  const hooked = await startTestServer(database, { AUTH_HOOK: hook, ADMIN_SECRET: 'not-used-by-anyone' });
  allowed = 1;
  const socket = await connect(hooked);
  expect(await socket.closed()).toMatchObject({ code: 4403 });
  allowed = 2;
  const old = await connect(hooked, { protocol: LEGACY });
  allowed = 60;
  old.send({ type: 'connection_init' });
  expect(await old.next()).toEqual({ type: 'connection_ack' });
  await old.silence(2500);
  expect(old.socket.readyState).toBe(old.socket.OPEN);
  await old.close();
  await hooked.stop();
});

test('queries may share an id while they run, and each is answered', async () => {
  const socket = await connect(server);
  for (const id of [1, 2]) subscribe(socket, 'same', `{ note_by_pk(id: ${id}) { body } }`);
  const got = [await socket.next(), await socket.next(), await socket.next(), await socket.next()];
  expect(got.map(({ type, id }) => [type, id]).toSorted()).toEqual([
    ['complete', 'same'],
    ['complete', 'same'],
    ['next', 'same'],
    ['next', 'same'],
  ]);
  await socket.close();
});

test('a function with the whole session is read for each session', async () => {
  for (const size of ['40', '41']) {
    const socket = await connect(server, {
      session: { 'x-engine-role': 'admin', 'x-engine-shoe-size': size },
    });
    subscribe(socket, '1', 'subscription { told { body } }');
    expect(await socket.next()).toMatchObject({ payload: { data: { told: [{ body: size }] } } });
    await socket.close();
  }
});

test('streams that have got equally far are read together', async () => {
  const socket = await connect(server);
  for (const from of [0, 3, 9])
    subscribe(
      socket,
      String(from),
      `subscription { note_stream(batch_size: 100, cursor: {initial_value: {id: ${from}}}) { id } }`,
    );
  await socket.next();
  await socket.next();
  const cohorts = async () => {
    const { json } = await send(server, '/dev/subscriptions/extended', { method: 'GET' });
    const { stream_queries_map } = json as { stream_queries_map: { cohorts: { variables: object }[] }[] };
    return stream_queries_map.map((each) => each.cohorts.map(({ variables }) => variables));
  };
  await expect.poll(cohorts).toEqual([[expect.objectContaining({ cursor: { id: '9' } })]]);
  await socket.close();
});

test('a message that is sent is logged with its operation', async () => {
  const socket = await connect(server);
  subscribe(socket, 'a "b"', '{ note_by_pk(id: 1) { body } }');
  await socket.next();
  await socket.next();
  const metadataOf = server
    .output()
    .split('\n')
    .filter((line) => line.includes('"message_sent"'))
    .map((line) => JSON.parse(line).detail.metadata);
  expect(metadataOf.slice(-2)).toEqual([
    { event_type: 'next', operation_id: 'a "b"' },
    { event_type: 'complete', operation_id: 'a "b"' },
  ]);
  await socket.close();
});

test('a socket without traffic stays open, though it answers no ping', async () => {
  const lively = await startTestServer(database, { WEBSOCKET_KEEPALIVE: '1' });
  const socket = await connect(lively);
  await socket.silence(3500);
  expect(socket.socket.readyState).toBe(socket.socket.OPEN);
  await socket.close();
  await lively.stop();
});

test('an upgrade while the server stops is refused: 503', async () => {
  const ending = await startTestServer(database);
  const open: TestSocket[] = [];
  // They are closed one after the other, which takes its time.
  for (let count = 0; count < 50; count += 1) open.push(await openSocket(ending));
  const late = dial(ending.port, '127.0.0.1');
  await once(late, 'connect');
  late.write('GET /v1/graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n');
  await new Promise((resolve) => setTimeout(resolve, 50));
  let text = '';
  late.on('data', (data) => {
    text += data;
  });
  late.on('error', () => {});
  const stopped = ending.stop();
  await open[0]!.closed();
  late.write(
    'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  await once(late, 'close');
  expect(text).toMatch(/^HTTP\/1\.1 503 .*\r\n[\s\S]*Retry-After: 0\r\n[\s\S]*Server is shutting down/);
  await stopped;
});
