/** Runs SQL text and gives its result in the shape of `run_sql`. */
import pg from 'pg';
import { EngineError } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../metadata/metadata.ts';
import type { SqlClient } from '../change/state.ts';
import { skipBlanks, splitStatements } from './split-statements.ts';

interface TextResult {
  readonly fields: readonly { readonly name: string }[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** First word of the command tag. */
  readonly command?: string;
}

/** Cells come as Postgres prints them. */
const asText = { getTypeParser: () => (value: string) => value };

/** What a text did so far, for the message of its failure. */
export interface ExecutionProgress {
  /** Number of the last statement that committed; 0: nothing is committed. */
  committed: number;
}

/** Whether a text ends the transaction that it runs in: COMMIT, ROLLBACK and their other spellings. */
export function endsTransaction(sql: string): boolean {
  return splitStatements(sql).some((statement) => TRANSACTION_END.test(withoutComments(statement)));
}

const TRANSACTION_END = /^(?:commit|end|rollback|abort|prepare\s+transaction)\b/i;

/** A COMMIT that does nothing else. */
const COMMIT = /^(?:commit|end)(?:\s+(?:work|transaction))?(?:\s+and\s+no\s+chain)?$/i;

function withoutComments(statement: string): string {
  return statement.slice(skipBlanks(statement, 0)).trim();
}

/** Runs all statements of the text together; the answer is that of the last. */
export async function runText(client: SqlClient, sql: string): Promise<JsonObject> {
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

/**
 * Runs the statements one by one in transactions that `begin` opens: the first, and another after each that the text ends. So
 * every statement runs in such a transaction, whatever came before it. The last is left open; a COMMIT at the end of the text
 * is the caller's, to be sent when nothing was refused.
 */
export async function runInTransactions(
  client: SqlClient,
  sql: string,
  begin: string,
  progress: ExecutionProgress,
): Promise<JsonObject> {
  let answer: JsonObject = COMMAND_OK;
  const statements = splitStatements(sql);
  for (const [index, statement] of statements.entries()) {
    if (index === statements.length - 1 && COMMIT.test(withoutComments(statement))) return COMMAND_OK;
    const result = await runStatement(client, statement, sql);
    answer = describeResult(result);
    if (!ENDS.has(result.command ?? '')) continue;
    if (result.command !== 'ROLLBACK') progress.committed = index + 1;
    await client.query(begin);
  }
  return answer;
}

/** First words of the command tags by which PostgreSQL says that a transaction may have ended. */
const ENDS: ReadonlySet<string> = new Set(['COMMIT', 'ROLLBACK', 'PREPARE']);

/** Runs the statements one by one, each committed by itself, as CREATE INDEX CONCURRENTLY and the like need. */
export async function runStatements(
  client: SqlClient,
  sql: string,
  progress: ExecutionProgress,
): Promise<JsonObject> {
  let answer: JsonObject = COMMAND_OK;
  for (const [index, statement] of splitStatements(sql).entries()) {
    answer = describeResult(await runStatement(client, statement, statement));
    progress.committed = index + 1;
  }
  return answer;
}

/** By the protocol of prepared statements, in which PostgreSQL itself refuses more than one statement. */
async function runStatement(client: SqlClient, statement: string, sql: string): Promise<TextResult> {
  try {
    return await client.query({ text: statement, rowMode: 'array', types: asText, queryMode: 'extended' });
  } catch (error) {
    throw sqlError(error, sql);
  }
}

/** An error about SQL, with what the SQL itself committed, if it did. */
export function toldWhatStays(error: unknown, { committed }: ExecutionProgress): unknown {
  if (committed === 0 || !(error instanceof EngineError)) return error;
  const { code, message, path, status, internal, reason } = error;
  const what =
    committed === 1
      ? 'what statement 1 of the SQL committed'
      : `what statements 1 to ${committed} of the SQL committed`;
  const told = `${message}; ${what} stays in the database`;
  return new EngineError(code, told, { path, status, internal, reason, cause: error });
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
  const command = error.code === '42601' ? psqlCommand(sql) : undefined;
  const message = command === undefined ? 'query execution failed' : `query execution failed: ${command}`;
  return new EngineError('postgres-error', message, { internal, cause: error });
}

/** What is wrong with a text that PostgreSQL cannot read because a line of it is for psql, as in dumps. */
function psqlCommand(sql: string): string | undefined {
  const found = /^[ \t]*(\\\S+)/m.exec(sql);
  if (found === null) return undefined;
  const line = sql.slice(0, found.index).split('\n').length;
  const rows = found[1] === '\\.' ? ' (it ends the rows of COPY; dump them with --inserts)' : '';
  return `line ${line} has "${found[1]}", a command of psql, which a database does not know${rows}. Leave it out`;
}
