/** Runs SQL text and gives its result in the shape of `run_sql`. */
import pg from 'pg';
import { EngineError } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../metadata/metadata.ts';
import type { DatabaseClient } from '../state.ts';
import { splitStatements } from './split-statements.ts';

interface TextResult {
  readonly fields: readonly { readonly name: string }[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/** Cells come as Postgres prints them. */
const asText = { getTypeParser: () => (value: string) => value };

/** Runs all statements of the text together; the answer is that of the last. */
export async function runText(client: DatabaseClient, sql: string): Promise<JsonObject> {
  try {
    const result: TextResult | readonly TextResult[] = await client.query({
      text: sql,
      rowMode: 'array',
      types: asText,
    });
    return describeResult(Array.isArray(result) ? result.at(-1) : result);
  } catch (error) {
    throw sqlError(error, sql);
  }
}

/** Runs the statements one by one, each committed by itself, as CREATE INDEX CONCURRENTLY and the like need. */
export async function runStatements(client: DatabaseClient, sql: string): Promise<JsonObject> {
  let answer: JsonObject = COMMAND_OK;
  for (const statement of splitStatements(sql)) answer = await runText(client, statement);
  return answer;
}

const COMMAND_OK: JsonObject = { result_type: 'CommandOk', result: null };

function describeResult(result: TextResult | undefined): JsonObject {
  if (result === undefined || result.fields.length === 0) return COMMAND_OK;
  const header = result.fields.map(({ name }) => name);
  const rows = result.rows.map((row) => row.map((cell) => cell ?? 'NULL'));
  return { result_type: 'TuplesOk', result: [header, ...rows] };
}

/** The error of Postgres about the SQL of a request; errors of other kinds stay as they are. */
export function sqlError(error: unknown, sql: string): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  const internal: Json = {
    statement: sql,
    prepared: false,
    arguments: [],
    error: {
      exec_status: 'FatalError',
      status_code: error.code ?? null,
      message: error.message,
      description: error.detail ?? null,
      hint: error.hint ?? null,
    },
  };
  return new EngineError('postgres-error', 'query execution failed', { internal, cause: error });
}
