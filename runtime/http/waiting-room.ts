/**
 * Answers while the server waits for its metadata database at start: probes say why, and everything else is asked to come
 * back. Without it a platform would take the process for broken and restart it over and over.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { guarded } from '../core/guarded.ts';
import { JSON_TYPE } from './context.ts';

export interface WaitingRoom {
  readonly port: number;
  /** Why the server waits. */
  reason: string;
  close(): Promise<void>;
}

/**
 * @param open decides on the addresses
 * @throws what listening reports
 */
export async function openWaitingRoom(
  reason: string,
  open: (
    on: (host: string, port: number) => Promise<Server>,
  ) => Promise<{ readonly port: number; readonly close: () => Promise<void> }>,
): Promise<WaitingRoom> {
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url?.split('?', 1)[0];
    const answer = (status: number, body: object) => {
      const headers = { 'content-type': JSON_TYPE, ...(status === 503 && { 'retry-after': '1' }) };
      response.writeHead(status, headers).end(JSON.stringify(body));
    };
    request.resume();
    if (path === '/livez') answer(200, { status: 'ok' });
    else if (path === '/readyz')
      answer(503, { status: 'not ready', reasons: ['starting', 'metadata-database'], detail: room.reason });
    else answer(503, { path: '$', error: 'the server is starting', code: 'unexpected' });
  };
  const server = createServer(guarded(handle, (_, request) => request.destroy()));
  const listening = await open(async (host, port) => {
    await new Promise<void>((listens, failed) => {
      server.once('error', failed);
      server.listen({ host, port }, listens);
    });
    return server;
  });
  const room: WaitingRoom = {
    port: listening.port,
    reason,
    close: async () => {
      server.closeAllConnections();
      await Promise.all([new Promise((closed) => server.close(closed)), listening.close()]);
    },
  };
  return room;
}
