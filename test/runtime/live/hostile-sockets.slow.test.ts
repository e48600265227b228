/** Clients that misbehave: what each does may end its own socket, and nothing else. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect as dial } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { send, startTestServer, type TestServer } from '../../harness/server.ts';
import { connect, openSocket, type TestSocket, TRANSPORT } from '../../harness/socket.ts';

let database: TestDatabase;
let server: TestServer;

beforeAll(async () => {
  database = await createTestDatabase(`
    create table note (id int primary key, n int not null default 0, body text not null default '');
    insert into note select i from generate_series(1, 20) as i;
  `);
  server = await startTestServer(database, {
    ENABLED_APIS: 'metadata,graphql,developer',
    LOG_LEVEL: 'error',
    LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '3600000',
    WEBSOCKET_MAX_OPERATIONS: '1000',
  });
  const track = { type: 'pg_track_table', args: { table: 'note' } };
  expect((await send(server, '/v1/metadata', { body: track })).status).toBe(200);
});

afterAll(() => server.stop());

const subscription = (id: number | string, field = 'note_by_pk(id: 1) { n }') => ({
  type: 'subscribe',
  id: String(id),
  payload: { query: `subscription { ${field} }` },
});

/** What the server reads for live queries. */
async function pollers(): Promise<unknown[]> {
  const { json } = await send(server, '/dev/subscriptions', { method: 'GET' });
  const { live_queries_map, stream_queries_map } = json as Record<string, unknown[]>;
  return [...live_queries_map!, ...stream_queries_map!];
}

/** A client that behaves is served. */
async function servesOthers(): Promise<void> {
  const socket = await connect(server);
  socket.send(subscription(1));
  expect(await socket.next()).toMatchObject({ type: 'next' });
  await socket.close();
}

describe('a client', () => {
  test('that sends frames of 100 MB is closed before they are read: 1009', async () => {
    const big = Buffer.alloc(100_000_000, 'x');
    for (const fragment of [false, true]) {
      const socket = await connect(server);
      if (fragment)
        for (let part = 0; part < 20; part += 1)
          socket.socket.send(big.subarray(0, 5_000_000), { fin: part === 19, binary: false });
      else socket.socket.send(big, { binary: false });
      // It may see the connection end while it still sends.
      expect([1009, 1006]).toContain((await socket.closed()).code);
    }
    await servesOthers();
  });

  test('that sends what is no frame is closed', async () => {
    const garbage = [
      Buffer.from('GET / HTTP/1.1\r\n\r\n'),
      Buffer.alloc(5000, 0xff),
      // A reserved opcode; a text that is not UTF-8; a continuation of nothing; an unmasked frame.
      Buffer.from([0x83, 0x80, 0, 0, 0, 0]),
      Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xc3, 0x28]),
      Buffer.from([0x80, 0x80, 0, 0, 0, 0]),
      Buffer.from([0x81, 0x01, 0x41]),
    ];
    for (const bytes of garbage) {
      const stream = dial(server.port, '127.0.0.1');
      stream.on('error', () => {});
      stream.write(
        `GET /v1/graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\nSec-WebSocket-Protocol: ${TRANSPORT}\r\n\r\n`,
      );
      await once(stream, 'data');
      const closed = once(stream, 'close');
      stream.write(bytes);
      stream.resume();
      await closed;
    }
    await servesOthers();
  });

  test('that subscribes and stops at once, or goes away, leaves nothing behind', async () => {
    const sockets: TestSocket[] = [];
    for (let number = 0; number < 10; number += 1) {
      const socket = await connect(server);
      sockets.push(socket);
      for (let count = 0; count < 500; count += 1) {
        // The same id again and again, and others of which some stay.
        socket.send(subscription('same', `note(where: {id: {_gt: ${count % 7}}}) { id }`));
        socket.send({ type: 'complete', id: 'same' });
        socket.send(
          subscription(
            count,
            `note_stream(batch_size: 20, cursor: {initial_value: {id: ${count % 9}}}) { id }`,
          ),
        );
        if (count % 2 === 0) socket.send({ type: 'complete', id: String(count) });
      }
    }
    expect((await Promise.all(sockets.map((socket) => socket.next()))).length).toBe(10);
    for (const [index, socket] of sockets.entries())
      if (index % 2 === 0) socket.socket.terminate();
      else socket.socket.close(1000);
    await expect.poll(pollers).toEqual([]);
    await servesOthers();
  });

  test('that never reads gets the newest state when it does, not all of them', async () => {
    const socket = await connect(server);
    socket.send(subscription(1, 'note_by_pk(id: 2) { n body }'));
    await socket.next();
    socket.socket.pause();
    const watch = await connect(server);
    watch.send(subscription(1, 'note_by_pk(id: 2) { n }'));
    await watch.next();
    const states = 60;
    for (let n = 1; n <= states; n += 1) {
      await database.query(`update note set n = ${n}, body = repeat('${n % 10}', 1000000) where id = 2`);
      // The server has read this state for all.
      expect(await watch.next()).toMatchObject({ payload: { data: { note_by_pk: { n } } } });
    }
    socket.socket.resume();
    const last = () =>
      (socket.messages.at(-1) as { payload?: { data: { note_by_pk: { n: number } } } }).payload;
    await expect.poll(() => last()?.data.note_by_pk.n).toBe(states);
    expect(socket.messages.length).toBeLessThan(states / 2);
    await socket.close();
    await watch.close();
  });

  test('that starts more operations than a socket may have gets an error for each', async () => {
    const socket = await connect(server);
    for (let count = 0; count < 1010; count += 1)
      socket.send(subscription(count, `note_by_pk(id: ${count}) { n }`));
    const errors = () => socket.messages.filter(({ type }) => type === 'error');
    await expect.poll(() => errors().length).toBe(10);
    expect(errors()[0]).toEqual({
      type: 'error',
      id: '1000',
      payload: [
        {
          message: 'at most 1000 operations run at once on a websocket',
          extensions: { path: '$', code: 'overloaded' },
        },
      ],
    });
    socket.send({ type: 'complete', id: '7' });
    socket.send(subscription('again'));
    await expect
      .poll(() => socket.messages.some(({ type, id }) => type === 'next' && id === 'again'))
      .toBe(true);
    await socket.close();
  });

  test('that asks faster than it is answered is held to the same number of queries', async () => {
    const socket = await connect(server);
    for (let count = 0; count < 3000; count += 1)
      socket.send({
        type: 'subscribe',
        id: 'same',
        payload: { query: '{ note(where: {id: {_eq: 1}}) { n } }' },
      });
    await expect.poll(() => socket.messages.some(({ type }) => type === 'error')).toBe(true);
    await servesOthers();
    await socket.close();
  });

  test('that floods the server before it is known is closed: 1008', async () => {
    const hook = createServer(() => {});
    await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
    const guarded = await startTestServer(database, {
      ADMIN_SECRET: 'the-admin-secret-of-hostile-sockets',
      AUTH_HOOK: `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`,
    });
    for (const [count, text] of [
      [1001, 'x'],
      [9, 'x'.repeat(2_000_000)],
    ] as const) {
      const socket = await openSocket(guarded);
      socket.send({ type: 'connection_init' });
      for (let sent = 0; sent < count; sent += 1) socket.send({ type: 'ping', payload: { text } });
      expect(await socket.closed()).toMatchObject({ code: 1008 });
    }
    hook.closeAllConnections();
    hook.close();
    await guarded.stop();
  });
});

test('sockets of a server that stops are closed one after the other', async () => {
  const ending = await startTestServer(database);
  const sockets: TestSocket[] = [];
  for (let number = 0; number < 800; number += 1) sockets.push(await connect(ending));
  const last = await connect(ending);
  const first = sockets[0]!.closed();
  const stopped = ending.stop();
  expect(await first).toEqual({ code: 1012, reason: 'shutting server down' });
  expect(last.socket.readyState).toBe(WebSocket.OPEN);
  // It is still answered.
  last.send({ type: 'ping', payload: { still: 'here' } });
  expect(await last.next()).toEqual({ type: 'pong', payload: { still: 'here' } });
  expect(await last.closed()).toMatchObject({ code: 1012 });
  await stopped;
});
