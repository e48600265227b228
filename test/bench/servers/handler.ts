/** A handler of actions: by path one that answers at once, one that never does, and others that misbehave. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveMeasured } from './measured.ts';

serveMeasured(async () => {
  /** Requests that are not answered yet. */
  let open = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url === '/open') return response.end(String(open));
      open += 1;
      response.once('close', () => {
        open -= 1;
      });
      if (request.url === '/hang') return;
      const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { input: { n: number } };
      response.writeHead(200, { 'content-type': 'application/json' });
      const echo = () => JSON.stringify({ n: input.n, at: Date.now(), items: [{ id: 1, name: 'a' }] });
      switch (request.url) {
        case '/drip': {
          const timer = setInterval(() => response.write(' '), 100);
          response.once('close', () => clearInterval(timer));
          return;
        }
        case '/large': {
          const write = (left: number) => {
            if (left > 0 && !response.destroyed) response.write(' '.repeat(2 ** 20), () => write(left - 1));
            else response.end(echo());
          };
          return write(100);
        }
        case '/rows':
          return response.end(JSON.stringify(Array.from({ length: input.n }, (_, id) => ({ id: id + 1 }))));
        case '/slow':
          return setTimeout(() => response.end(echo()), 1000);
        default:
          return response.end(echo());
      }
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
