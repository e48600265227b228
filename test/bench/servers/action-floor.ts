/**
 * The floor of actions, by hand: node:http and undici. It reads the body, checks the role and the variable, calls the handler,
 * checks its answer, and answers the fields of the one operation that it knows.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { serveMeasured } from './measured.ts';

export interface ActionFloorOptions {
  readonly handler: string;
}

interface Echo {
  readonly n: number;
  readonly items: readonly { readonly id: number; readonly name: string }[];
}

serveMeasured(async ({ handler }: ActionFloorOptions) => {
  const pool = new Pool(handler, { connections: 256 });
  const answer = async (request: IncomingMessage, body: string): Promise<string> => {
    const role = request.headers['x-engine-role'];
    const { query, variables } = JSON.parse(body) as { query: string; variables: { n: unknown } };
    if (role !== 'user' || typeof variables.n !== 'number' || !Number.isInteger(variables.n))
      throw new Error('refused');
    const response = await pool.request({
      path: '/echo',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        action: { name: 'echo' },
        input: { n: variables.n },
        session_variables: { 'x-engine-role': role },
        request_query: query,
      }),
      headersTimeout: 30_000,
      bodyTimeout: 30_000,
    });
    const { n, items } = (await response.body.json()) as Echo;
    const fits =
      Number.isInteger(n) &&
      Array.isArray(items) &&
      items.every(({ id, name }) => Number.isInteger(id) && typeof name === 'string');
    if (!fits) throw new Error('the answer does not fit');
    return JSON.stringify({ data: { echo: { n, items: items.map(({ id, name }) => ({ id, name })) } } });
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      answer(request, Buffer.concat(chunks).toString()).then(
        (text) => {
          const length = Buffer.byteLength(text);
          response.writeHead(200, { 'content-type': 'application/json', 'content-length': length }).end(text);
        },
        () => response.writeHead(400).end(),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      server.closeAllConnections();
      await pool.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
});
