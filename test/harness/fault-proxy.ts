/** Stands between a server and its database, and breaks what goes through: nothing passes, connections are reset, or come late. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface FaultProxy {
  /** Address of the database through it. */
  readonly url: string;
  /** Nothing passes any more, in either direction, and nothing says so. Connections made meanwhile hang as well. */
  swallow(): void;
  /** Resets every connection, and refuses further ones. */
  cut(): void;
  /** Everything comes so many milliseconds later. */
  slow(milliseconds: number): void;
  /** New connections go to another server, as after a change of an address. */
  redirect(databaseUrl: string): void;
  /** New connections pass again; those that were swallowed stay dead. */
  heal(): void;
  close(): Promise<void>;
}

export async function startFaultProxy(databaseUrl: string): Promise<FaultProxy> {
  let target = new URL(databaseUrl);
  /** Also those whose other end is gone: a dead pair has one that nobody closes. */
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  };
  const pairs = new Set<{ readonly client: Socket; readonly server: Socket; dead: boolean }>();
  let state: 'open' | 'swallows' | 'cut' = 'open';
  let late = 0;
  const proxy = createServer((client) => {
    client.on('error', () => {});
    keep(client);
    if (state === 'cut') {
      client.resetAndDestroy();
      return;
    }
    const server = connect({ host: target.hostname, port: Number(target.port) });
    server.on('error', () => client.destroy());
    keep(server);
    const pair = { client, server, dead: state === 'swallows' };
    pairs.add(pair);
    const pass = (from: Socket, to: Socket) => {
      from.on('data', (data) => {
        if (pair.dead) return;
        if (late === 0) to.write(data);
        else
          setTimeout(() => {
            if (!pair.dead && !to.destroyed) to.write(data);
          }, late);
      });
      from.on('close', () => {
        pairs.delete(pair);
        // Of a dead connection the other side learns nothing.
        if (!pair.dead) to.destroy();
      });
    };
    pass(client, server);
    pass(server, client);
  });
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    url: url.href,
    swallow: () => {
      state = 'swallows';
      for (const pair of pairs) pair.dead = true;
    },
    cut: () => {
      state = 'cut';
      for (const { client, server } of pairs) {
        client.resetAndDestroy();
        server.destroy();
      }
    },
    slow: (milliseconds) => {
      late = milliseconds;
    },
    redirect: (other) => {
      target = new URL(other);
    },
    heal: () => {
      state = 'open';
      late = 0;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => proxy.close(closed));
    },
  };
}
