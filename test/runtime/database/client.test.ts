/**
 * Database servers that are none. What is no message fails the connection, and this process goes on; who asks for less proof than the
 * address demands gets no answer.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { DatabaseClient } from '../../../runtime/database/client.ts';
import { databaseError } from '../../../runtime/database/errors.ts';

let server: Server;

afterEach(() => server.close());

/** A message of PostgreSQL's protocol. */
function message(type: string, ...body: number[]): Buffer {
  const bytes = Buffer.alloc(5 + body.length);
  bytes.write(type);
  bytes.writeInt32BE(4 + body.length, 1);
  bytes.set(body, 5);
  return bytes;
}

const READY = message('Z', 73);

/** Starts a server that lets everyone in and answers each query with these bytes. */
async function answering(bytes: Buffer): Promise<DatabaseClient> {
  server = createServer((socket: Socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', 0, 0, 0, 0), READY]));
      socket.on('data', () => socket.write(bytes));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const encryption = { mode: 'disable' } as const;
  const client = new DatabaseClient({ host: '127.0.0.1', port, user: 'u', database: 'd', encryption });
  await client.connect();
  return client;
}

test.each([
  ['a row that promises more than it holds', message('D', 0, 9, 0, 0, 0, 50)],
  ['a row before its description', Buffer.concat([message('D', 0, 1, 0, 0, 0, 1, 65), READY])],
  ['an unknown message', message('?', 1, 2, 3)],
  ['a message shorter than its length', Buffer.from([0x44, 0, 0, 0, 3])],
  ['a message of 2 GB', Buffer.from([0x44, 0x80, 0, 0, 0, 0])],
])('%s fails the query only', async (_, bytes) => {
  const client = await answering(bytes);
  await expect(client.query('select 1')).rejects.toThrow();
  await client.end().catch(() => {});
});

test('an answer that no text can hold is refused by its length', async () => {
  const client = await answering(Buffer.from([0x44, 0x20, 0, 0, 0, 0]));
  const refused = await client.query('select 1').catch((error: unknown) => databaseError(error));
  expect(refused).toMatchObject({ code: 'data-exception', message: expect.stringContaining('512 MB') });
  await client.end().catch(() => {});
});

const text = (...parts: string[]) => parts.flatMap((part) => [...Buffer.from(`${part}\0`)]);
const CLEAR = message('R', 0, 0, 0, 3);
const HASHED = message('R', 0, 0, 0, 5, 1, 2, 3, 4);
const NOTHING = message('R', 0, 0, 0, 0);
const proof = (...mechanisms: string[]) => message('R', 0, 0, 0, 10, ...text(...mechanisms), 0);

/** Connects to a server that says this at first, and gives what the client answers, and why it goes. */
async function connectTo(first: Buffer, options: string): Promise<{ sent: string; reason: string }> {
  const sent: Buffer[] = [];
  server = createServer((socket: Socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.on('data', (bytes) => {
        sent.push(bytes);
        socket.write(Buffer.concat([NOTHING, READY]));
      });
      socket.write(first);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const connectionString = `postgres://u:hush@127.0.0.1:${port}/d?sslmode=disable&${options}`;
  const client = new DatabaseClient({ connectionString });
  const reason = await client.connect().then(
    () => 'it connects',
    (error: Error) => error.message,
  );
  await client.end();
  return { sent: Buffer.concat(sent).toString('latin1'), reason };
}

test.each([
  ['the password', CLEAR, 'require_auth=scram-sha-256', 'password'],
  ['the password', CLEAR, 'require_auth=!password', 'password'],
  ['the password', CLEAR, 'channel_binding=require', 'bound to its certificate'],
  ['a hash of it', HASHED, 'require_auth=scram-sha-256', 'md5'],
  ['nothing', Buffer.concat([NOTHING, READY]), 'require_auth=scram-sha-256', 'none'],
  ['nothing', Buffer.concat([NOTHING, READY]), 'channel_binding=require', 'bound to its certificate'],
  [
    'a proof without a binding',
    proof('SCRAM-SHA-256'),
    'channel_binding=require',
    'bound to its certificate',
  ],
  ['a proof bound to no certificate', proof('SCRAM-SHA-256-PLUS'), 'channel_binding=require', 'bound to'],
])('a server that asks for %s is not answered (%#)', async (_, first, options, reason) => {
  const refused = await connectTo(first, options);
  expect(refused).toEqual({ sent: '', reason: expect.stringContaining(reason) });
});

test('a server that accepts without proving that it knows the password is refused', async () => {
  const { reason } = await connectTo(proof('SCRAM-SHA-256'), '');
  expect(reason).toContain('without the proof');
});

test('a server that asks for what the address allows is answered', async () => {
  expect(await connectTo(CLEAR, 'require_auth=password')).toEqual({
    sent: expect.stringContaining('hush'),
    reason: 'it connects',
  });
});
