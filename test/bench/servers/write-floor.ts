/**
 * The floor of writes: bare node:http and `pg`, named prepared statements. One statement runs by itself, several on one
 * connection between `begin` and `commit`.
 */
import type { IncomingMessage } from 'node:http';
import type pg from 'pg';
import type { HandwrittenWrite } from '../write-statements.ts';
import { startFloor } from './floor-server.ts';
import { serveMeasured } from './measured.ts';

export interface WriteFloorOptions {
  readonly databaseUrl: string;
  /** By path. */
  readonly writes: Readonly<Record<string, HandwrittenWrite>>;
}

type Variables = Readonly<Record<string, unknown>>;

serveMeasured(({ databaseUrl, writes }: WriteFloorOptions) =>
  startFloor(databaseUrl, async (pool, request, body) => {
    const write = writes[request.url!]!;
    const { variables } = JSON.parse(body.toString()) as { variables: Variables };
    return `{"data":{"${write.field}":${await run(pool, write, variables, request)}}}`;
  }),
);

async function run(
  pool: pg.Pool,
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
