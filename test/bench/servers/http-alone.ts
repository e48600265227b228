/** Node's HTTP server with nothing behind it: it reads the body and answers the same text to every request. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveMeasured } from './measured.ts';

export interface HttpAloneOptions {
  readonly answer: string;
}

serveMeasured(async ({ answer }: HttpAloneOptions) => {
  const server = createServer((request, response) => {
    request.on('data', () => {});
    request.on('end', () => {
      response.setHeader('content-type', 'application/json; charset=utf-8');
      response.setHeader('content-length', Buffer.byteLength(answer));
      response.end(answer);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
});
