/**
 * A webhook that answers after a millisecond and keeps when it was called. `/hang` never answers, `/slow` answers after half a
 * second, and `/down` closes the connection as long as `/control/down` was asked for last, not `/control/up`.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveMeasured } from './measured.ts';

/** Path, number of the row or job, and milliseconds since 1970. */
export type ReceivedCall = readonly [path: string, id: number, at: number];

serveMeasured(async () => {
  let calls: ReceivedCall[] = [];
  let isDown = false;
  const control: Readonly<Record<string, () => unknown>> = {
    '/control/count': () => calls.filter(([path]) => path !== '/hang').length,
    '/control/hanging': () => calls.filter(([path]) => path === '/hang').length,
    '/control/calls': () => calls.splice(0),
    '/control/down': () => {
      isDown = true;
    },
    '/control/up': () => {
      isDown = false;
    },
  };
  const answer = (response: ServerResponse, delay: number) => setTimeout(() => response.end('{}'), delay);
  const server = createServer((request, response) => {
    const path = request.url!;
    const act = control[path];
    if (act) {
      response.end(JSON.stringify(act() ?? null));
      return;
    }
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      if (path === '/down' && isDown) {
        request.socket.destroy();
        return;
      }
      calls.push([path, Number(/"id": ?(\d+)/.exec(text)?.[1]), performance.timeOrigin + performance.now()]);
      if (path !== '/hang') answer(response, path === '/slow' ? 500 : 1);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      calls = [];
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
});
