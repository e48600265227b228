/** A handler of actions: answers `/echo` at once with its input's number, and never answers `/hang`. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveMeasured } from './measured.ts';

serveMeasured(async () => {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url === '/hang') return;
      const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { input: { n: number } };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ n: input.n, at: Date.now(), items: [{ id: 1, name: 'a' }] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
});
