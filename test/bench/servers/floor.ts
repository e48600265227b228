/**
 * The floor: bare node:http and `pg`, a named prepared statement per path, the JSON that Postgres made passed through.
 * It does what cannot be left out (read the body, bind its variables, answer) and nothing else.
 */
import type { IncomingMessage } from 'node:http';
import type { FloorStatement, ValueSource } from '../statements.ts';
import { startFloor } from './floor-server.ts';
import { serveMeasured } from './measured.ts';

export interface FloorOptions {
  readonly databaseUrl: string;
  /** By path. */
  readonly statements: Readonly<Record<string, FloorStatement>>;
}

interface Body {
  readonly variables?: Readonly<Record<string, unknown>>;
}

serveMeasured(({ databaseUrl, statements }: FloorOptions) =>
  startFloor(databaseUrl, async (pool, request, body) => {
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
    return isRest ? json : `${json}}`;
  }),
);

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
