/**
 * The floor of remote schemas, by hand: node:http, undici and pg. Each path answers the one operation that it knows, for one
 * role, and checks nothing else.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { Pool } from 'undici';
import { serveMeasured } from './measured.ts';

export interface RemoteFloorOptions {
  readonly users: string;
  readonly posts: string;
  readonly slow: readonly { readonly field: string; readonly url: string }[];
  readonly left: string;
  readonly right: string;
}

interface User {
  readonly id: string;
  readonly name: string;
}

serveMeasured(async ({ slow, left, right, ...addresses }: RemoteFloorOptions) => {
  const open = (url: string) => {
    const pool = new Pool(new URL(url).origin, { connections: 256 });
    return async (query: string, variables?: unknown) => {
      const response = await pool.request({
        path: '/graphql',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      });
      return Buffer.from(await response.body.arrayBuffer());
    };
  };
  const [users, posts] = [open(addresses.users), open(addresses.posts)];
  const slowOnes = slow.map(({ field, url }) => ({ field, ask: open(url) }));
  const [leftPool, rightPool] = [left, right].map(
    (connectionString) => new pg.Pool({ connectionString, max: 16 }),
  ) as [pg.Pool, pg.Pool];

  const joined = async (variables: unknown): Promise<string> => {
    const answer = await users('query ($page: Int!) { users(page: $page) { id name } }', variables);
    const list = (JSON.parse(answer.toString()) as { data: { users: User[] } }).data.users;
    const ids = [...new Set(list.map(({ id }) => id))];
    const fields = ids.map((id, index) => `f${index}: postsOf(author: ${JSON.stringify(id)}) { id title }`);
    const found = JSON.parse((await posts(`query { ${fields.join(' ')} }`)).toString()) as {
      data: Record<string, unknown>;
    };
    const byId = new Map(ids.map((id, index) => [id, found.data[`f${index}`]]));
    return JSON.stringify({
      data: { users: list.map(({ id, name }) => ({ id, name, posts: byId.get(id) })) },
    });
  };
  const together = async (): Promise<string> => {
    const found = await Promise.all(
      slowOnes.map(async ({ field, ask }) => {
        const { data } = JSON.parse((await ask(`{ ${field} }`)).toString()) as {
          data: Record<string, unknown>;
        };
        return [field, data[field]] as const;
      }),
    );
    return JSON.stringify({ data: Object.fromEntries(found) });
  };
  const tables = async (): Promise<string> => {
    const rows = (
      await leftPool.query<{ id: number; code: number }>('select id, code from event order by id')
    ).rows;
    const codes = [...new Set(rows.map(({ code }) => code))];
    const { rows: products } = await rightPool.query<{ code: number; name: string }>(
      'select code, name from product where code = any($1)',
      [codes],
    );
    const byCode = new Map(products.map((row) => [row.code, row]));
    return JSON.stringify({
      data: { event: rows.map(({ id, code }) => ({ id, product: byCode.get(code) ?? null })) },
    });
  };
  const answer = async (request: IncomingMessage, body: string): Promise<string | Buffer> => {
    const { query, variables } = JSON.parse(body) as { query: string; variables: unknown };
    if (request.headers['x-engine-role'] !== 'user') throw new Error('refused');
    switch (request.url) {
      case '/one':
        return users(query, variables);
      case '/joined':
        return joined(variables);
      case '/together':
        return together();
      case '/tables':
        return tables();
      default:
        throw new Error(`${request.url} is not known`);
    }
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
        (error: Error) => response.writeHead(400).end(error.message),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      server.closeAllConnections();
      await Promise.all([leftPool.end(), rightPool.end()]);
      await new Promise((resolve) => server.close(resolve));
    },
  };
});
