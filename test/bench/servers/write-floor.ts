/**
 * The floor of writes: bare node:http and `pg`, named prepared statements. One statement runs by itself, several on one
 * connection between `begin` and `commit`.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import type { HandwrittenWrite } from '../write-statements.ts';
import { serveMeasured } from './measured.ts';

export interface WriteFloorOptions {
  readonly databaseUrl: string;
  /** By path. */
  readonly writes: Readonly<Record<string, HandwrittenWrite>>;
}

const CONNECTIONS = 16;

type Variables = Readonly<Record<string, unknown>>;

serveMeasured(async ({ databaseUrl, writes }: WriteFloorOptions) => {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS, min: CONNECTIONS });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      try {
        const write = writes[request.url!]!;
        const { variables } = JSON.parse(Buffer.concat(chunks).toString()) as { variables: Variables };
        const json = `{"data":{"${write.field}":${await run(write, variables, request)}}}`;
        response.setHeader('content-type', 'application/json; charset=utf-8');
        response.setHeader('content-length', Buffer.byteLength(json));
        response.end(json);
      } catch (error) {
        response.statusCode = 500;
        response.end((error as Error).message);
      }
    });
  });

  async function run(
    { statements }: HandwrittenWrite,
    variables: Variables,
    request: IncomingMessage,
  ): Promise<string | null> {
    const text = async (client: pg.Pool | pg.PoolClient, index: number, result: string | null) => {
      const { name, text, values: sources } = statements[index]!;
      const values = sources.map((source) => {
        if (source.from === 'result') return result;
        if (source.from === 'session') return request.headers[source.name] ?? null;
        const value = source.from === 'variable' ? variables[source.name] : null;
        return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
      });
      const { rows } = await client.query<(string | null)[]>({ name, text, values, rowMode: 'array' });
      return rows[0]?.[0] ?? null;
    };
    if (statements.length === 1) return text(pool, 0, null);
    const client = await pool.connect();
    try {
      await client.query('begin');
      const first = await text(client, 0, null);
      let last = first;
      for (let index = 1; index < statements.length; index++) last = await text(client, index, first);
      await client.query('commit');
      return last;
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  }

  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await pool.end();
    },
  };
});
