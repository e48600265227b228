/** A database server that sends what is no message: the connection fails, and this process goes on. */
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { DatabaseClient } from '../../../runtime/database/client.ts';

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
])('%s fails the query only', async (_, bytes) => {
  const client = await answering(bytes);
  await expect(client.query('select 1')).rejects.toThrow();
  await client.end().catch(() => {});
});
