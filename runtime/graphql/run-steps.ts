/** The steps of a mutation on one source: its statements, sent at once, as one transaction. */
import { EngineError } from '../core/errors.ts';
import { failedForNoRow } from '../core/mutation/kept.ts';
import type { MutationStep, WriteStatement, WriteStep } from '../core/mutation/step.ts';
import { bindParameters } from '../core/request/bind.ts';
import { type Session, sessionEnded } from '../core/session.ts';
import type { Statement } from '../core/sql/print.ts';
import { databaseError } from '../database/errors.ts';
import { CommitFailedError, connectionLost, StatementFailedError } from '../database/failures.ts';
import type { SourceConnection } from '../database/source.ts';
import type { TextRow } from '../database/text-query.ts';
import type { Writer } from '../database/writer.ts';
import { operandPath } from './operand-path.ts';
import { isUnwanted, whileCurrent } from './request.ts';

/** The connection broke after the statements were sent: they may have been committed. */
const UNKNOWN = 'connection error: it is not known whether anything was written';

/**
 * Runs steps in order: the JSON text of each one's answer.
 * @param writer what the settings of the transaction say
 * @throws EngineError and nothing is written
 */
export async function runSteps(
  steps: readonly MutationStep[],
  connection: SourceConnection,
  session: Session,
  variables: Readonly<Record<string, unknown>> = {},
  writer?: Writer,
): Promise<string[]> {
  const writes = steps.filter((step) => step.kind === 'write');
  const answers = writes.length > 0 ? await runWrites(writes, connection, session, variables, writer) : [];
  return steps.map((step) => (step.kind === 'constant' ? step.text : answers.shift()!));
}

async function runWrites(
  given: readonly WriteStep[],
  connection: SourceConnection,
  session: Session,
  variables: Readonly<Record<string, unknown>>,
  writer: Writer | undefined,
): Promise<string[]> {
  const own = given.filter((step) => step.begins);
  const begins = own.length > 0 ? [...new Set(own.flatMap((step) => step.begins ?? []))] : undefined;
  const calls = given.some((step) => step.once);
  const once = begins !== undefined || calls;
  // Only the first step may have a fallback: running a later one again would give the rows of the earlier steps new keys.
  const steps = given.map((step, index) => (once || index > 0 ? withoutRetry(step) : step));
  const sent = steps.flatMap((step) => step.statements.map((write) => ({ step, write })));
  const bound = sent.map(({ write: { statement } }) => ({
    text: statement.text,
    values: bindParameters(statement, variables, session),
    // Functions and SQL of one's own may write any table: then none is named.
    ...(!calls && statement.writes && { writes: statement.writes }),
  }));
  try {
    const manner = once ? 'once' : steps.length === 1 && steps[0]!.isOneObject ? 'shared' : 'alone';
    const rows = await connection.writeTexts(bound, {
      manner,
      ...(writer && { writer }),
      ...(begins && { begins }),
      isWanted: whileCurrent(session),
    });
    let next = 0;
    return steps.map(({ statements, answer }) => {
      const texts = rows.slice(next, next + statements.length);
      next += statements.length;
      return answer.map((part) => (typeof part === 'string' ? part : (texts[part]![0] ?? 'null'))).join('');
    });
  } catch (error) {
    const failed = failedTransaction(error, session);
    if (failed !== undefined) throw failed;
    const { cause, index } = error as StatementFailedError;
    const { step, write } = sent[index] ?? {};
    if (step === undefined || write === undefined) throw databaseError(cause);
    if (step.instead) return runWrites(steps.map(withoutRetry), connection, session, variables, writer);
    throw failedWrite(cause, write, bound[index]!.values, session);
  }
}

/**
 * Runs a query's statement that calls VOLATILE functions: the texts of its row.
 * @throws EngineError and nothing is written
 */
export async function callOnce(
  statement: Statement,
  values: TextRow,
  connection: SourceConnection,
  writer: Writer,
  session: Session,
): Promise<TextRow> {
  const { text, parameters } = statement;
  try {
    const isWanted = whileCurrent(session);
    const [row] = await connection.writeTexts([{ text, values }], { manner: 'once', writer, isWanted });
    return row!;
  } catch (error) {
    const failed = failedTransaction(error, session);
    if (failed !== undefined) throw failed;
    const { cause } = error as StatementFailedError;
    throw databaseError(
      cause,
      { text, values, origins: { parameters, vocabulary: session.vocabulary } },
      operandPath(cause, statement),
    );
  }
}

/** The error of a transaction that failed as a whole; undefined where one of its statements did. */
function failedTransaction(error: unknown, session: Session): unknown {
  if (isUnwanted(error, session)) return sessionEnded();
  if (!(error instanceof StatementFailedError) && !(error instanceof CommitFailedError))
    return databaseError(error);
  const { cause } = error;
  if (connectionLost(cause)) return new EngineError('postgres-error', UNKNOWN, { status: 500, cause });
  return error instanceof CommitFailedError ? databaseError(cause) : undefined;
}

/** The variant of a step that never needs a second run. */
function withoutRetry(step: WriteStep): WriteStep {
  return step.instead?.() ?? step;
}

function failedWrite(
  error: unknown,
  { statement, path, noRow }: WriteStatement,
  values: readonly (string | null)[],
  { vocabulary }: Session,
): unknown {
  const { text, parameters } = statement;
  if (noRow && error instanceof Error && failedForNoRow(error.message))
    return new EngineError('not-supported', noRow.message, { path: noRow.path, cause: error });
  return databaseError(
    error,
    { text, values, origins: { parameters, vocabulary } },
    operandPath(error, statement) ?? path,
  );
}
