/**
 * The floor: bare node:http and `pg`, a named prepared statement per path, the JSON that Postgres made passed through.
 * It does what cannot be left out (read the body, bind its variables, answer) and nothing else.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import type { FloorStatement, ValueSource } from '../statements.ts';
import { serveMeasured } from './measured.ts';

export interface FloorOptions {
  readonly databaseUrl: string;
  /** By path. */
  readonly statements: Readonly<Record<string, FloorStatement>>;
}

/** Connections of the pool: what served most requests on two cores, of 4, 8, 16 and 50. */
const CONNECTIONS = 16;

interface Body {
  readonly variables?: Readonly<Record<string, unknown>>;
}

serveMeasured(async ({ databaseUrl, statements }: FloorOptions) => {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS, min: CONNECTIONS });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      answer(request, response, Buffer.concat(chunks)).catch((error: Error) => {
        response.statusCode = 500;
        response.end(error.message);
      });
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
    const [path = '', search] = request.url!.split('?');
    const { name, text, values, parts } = statements[path]!;
    // With GET the variables are in the address, and the answer is the content of `data`, as of a REST endpoint.
    const isRest = search !== undefined;
    const { variables = {} }: Body = isRest
      ? { variables: Object.fromEntries(new URLSearchParams(search)) }
      : (JSON.parse(body.toString()) as Body);
    const { rows } = await pool.query<(string | null)[]>({
      name,
      text,
      values: values.map((source) => parameterValue(source, variables, request)),
      rowMode: 'array',
    });
    const row = rows[0] ?? [];
    let json = isRest ? '' : '{"data":';
    for (const part of parts) json += typeof part === 'string' ? part : (row[part.column] ?? 'null');
    if (!isRest) json += '}';
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.setHeader('content-length', Buffer.byteLength(json));
    response.end(json);
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

function parameterValue(
  source: ValueSource,
  variables: Readonly<Record<string, unknown>>,
  request: IncomingMessage,
): string | null {
  if (source.from === 'constant') return source.value;
  if (source.from === 'session') return (request.headers[source.name] as string | undefined) ?? null;
  const value = variables[source.name];
  return value === undefined || value === null ? source.fallback : String(value);
}
