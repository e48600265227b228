/** What both floors are besides their statements: bare node:http over a pool of `pg`. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';

/** Connections of the pool: what served most requests on two cores, of 4, 8, 16 and 50. */
const CONNECTIONS = 16;

/** Serves what `answer` makes of a request and its body, a JSON text. */
export async function startFloor(
  databaseUrl: string,
  answer: (pool: pg.Pool, request: IncomingMessage, body: Buffer) => Promise<string>,
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS, min: CONNECTIONS });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      try {
        const json = await answer(pool, request, Buffer.concat(chunks));
        response.setHeader('content-type', 'application/json; charset=utf-8');
        response.setHeader('content-length', Buffer.byteLength(json));
        response.end(json);
      } catch (error) {
        response.statusCode = 500;
        response.end((error as Error).message);
      }
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await pool.end();
    },
  };
}
