/** How many connections a client may have open. */
import type { Server, Socket } from 'node:net';
import { guarded } from '../core/guarded.ts';

const REFUSAL =
  'HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\nContent-Length: 0\r\nRetry-After: 1\r\n\r\n';

/** Answers connections beyond the limit with status 429 and closes them. @param most per address; 0 = unlimited */
export function limitConnections(server: Server, most: number, report: (error: unknown) => void): void {
  if (most === 0) return;
  const open = new Map<string, number>();
  // Before the HTTP server's own listener, which would read from the connection.
  const take = (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const count = (open.get(address) ?? 0) + 1;
    open.set(address, count);
    const end = () => {
      const left = open.get(address)! - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    };
    socket.once('close', guarded(end, report));
    if (count > most) socket.end(REFUSAL, () => socket.destroy());
  };
  const failed = (error: unknown, socket: Socket) => {
    report(error);
    socket.destroy();
  };
  server.prependListener('connection', guarded(take, failed));
}
