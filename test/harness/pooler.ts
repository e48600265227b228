/**
 * A pooler in transaction mode that keeps no track of prepared statements: after each transaction a client's messages go to
 * the next of a few backends. It does what such a pooler does on the wire, and nothing else: no TLS, no COPY.
 */
import { createServer, type Socket } from 'node:net';
import pg from 'pg';
import { onTestFinished } from 'vitest';

interface Backend {
  readonly client: pg.Client;
  readonly stream: Socket;
  /** Takes whole messages of the backend. */
  receive: (message: Buffer) => void;
  busy: boolean;
}

/** Messages after which a backend answers ReadyForQuery: Query and Sync. */
const ENDS = new Set([0x51, 0x53]);
const READY = 0x5a;
const IDLE = 0x49;

export interface Pooler {
  /** Address of the database through the pooler. */
  readonly url: string;
}

/** Starts a pooler in front of a database for the current test. */
export async function startPooler(databaseUrl: string, backendCount = 3): Promise<Pooler> {
  const backends = await Promise.all(Array.from({ length: backendCount }, () => openBackend(databaseUrl)));
  let last = 0;
  const waiting: ((backend: Backend) => void)[] = [];
  const sockets = new Set<Socket>();
  const take = (use: (backend: Backend) => void) => {
    for (let step = 1; step <= backends.length; step++) {
      const backend = backends[(last + step) % backends.length]!;
      if (backend.busy) continue;
      last = backends.indexOf(backend);
      backend.busy = true;
      use(backend);
      return;
    }
    waiting.push(use);
  };
  const release = (backend: Backend) => {
    backend.busy = false;
    const next = waiting.shift();
    if (next) take(next);
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    serveClient(socket, take, release);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await Promise.all(backends.map(({ client }) => client.end()));
  });
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as { port: number }).port}`;
  return { url: url.href };
}

async function openBackend(databaseUrl: string): Promise<Backend> {
  const client = new pg.Client(databaseUrl);
  client.on('error', () => {});
  await client.connect();
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  stream.removeAllListeners('data');
  const backend: Backend = { client, stream, receive: () => {}, busy: false };
  stream.on(
    'data',
    splitMessages((message) => backend.receive(message)),
  );
  stream.resume();
  return backend;
}

function serveClient(
  socket: Socket,
  take: (use: (backend: Backend) => void) => void,
  release: (backend: Backend) => void,
): void {
  let started = false;
  let backend: Backend | undefined;
  /** Groups of messages that each end in a ReadyForQuery; the first ones have been sent. */
  const groups: Buffer[][] = [];
  let open: Buffer[] = [];
  const next = () => {
    const group = groups.shift();
    if (!group) return;
    const send = (used: Backend) => {
      backend = used;
      used.receive = (message) => {
        socket.write(message);
        if (message[0] !== READY) return;
        if (message[5] === IDLE) {
          backend = undefined;
          used.receive = () => {};
          release(used);
        }
        isRunning = false;
        run();
      };
      for (const message of group) used.stream.write(message);
    };
    isRunning = true;
    if (backend) send(backend);
    else take(send);
  };
  let isRunning = false;
  const run = () => {
    if (!isRunning) next();
  };
  const read = splitMessages((message) => {
    if (message[0] === 0x58) {
      socket.end();
      return;
    }
    open.push(message);
    if (!ENDS.has(message[0]!)) return;
    groups.push(open);
    open = [];
    run();
  });
  socket.on('data', (data) => {
    if (started) {
      read(data);
      return;
    }
    // SSLRequest is refused; the startup message is answered as if there were no password.
    if (data.readInt32BE(4) === 80877103) {
      socket.write('N');
      return;
    }
    started = true;
    socket.write(
      Buffer.concat([
        Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]),
        // A process id and a key of the pooler's own.
        Buffer.from([0x4b, 0, 0, 0, 12, 0x7f, 1, 2, 3, 1, 2, 3, 4]),
        Buffer.from([READY, 0, 0, 0, 5, IDLE]),
      ]),
    );
  });
}

/** Calls back with each whole message of a stream. */
function splitMessages(call: (message: Buffer) => void): (data: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (data) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= 5) {
      const length = 1 + rest.readInt32BE(1);
      if (rest.length < length) return;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      call(message);
    }
  };
}
