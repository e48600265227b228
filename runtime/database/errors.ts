/**
 * Maps database errors to the errors that clients see.
 * @rule Which error does a client see for an SQLSTATE?
 */
import pg from 'pg';
import { EngineError, type Path } from '../core/errors.ts';
import { failedCheck } from '../core/mutation/check.ts';
import type { Reason } from '../core/reason.ts';
import type { ParameterNode } from '../core/sql/fragment.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import {
  ClientGoneError,
  ConnectionFailedError,
  connectionLost,
  LockWaitError,
  LongAnswerError,
  PoolFullError,
  PoolTimeoutError,
} from './failures.ts';
import {
  type Explanation,
  explainedState,
  INCOMPARABLE,
  isBadText,
  isOfStatement,
  isRaisedByUser,
  UNEXPECTED,
  VIOLATIONS,
} from './sqlstates.ts';

const LOCK_WAIT = 'too many writes wait for rows that others hold; nothing was written';

const OVERLOADED = 'too many operations wait for this database; nothing was done';

/** The statement that failed; shown in `internal` only. */
export interface FailedStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly prepared?: boolean;
  /** Where its values come from, in the same order, and how names of session variables are written. */
  readonly origins?: { readonly parameters: readonly ParameterNode[]; readonly vocabulary: Vocabulary };
}

/**
 * The error to answer with; EngineErrors stay as they are, and so do errors that do not come from a database.
 * @param path where in the request the statement belongs
 */
export function databaseError(error: unknown, statement?: FailedStatement, path: Path = '$'): unknown {
  if (error instanceof EngineError) return error;
  if (error instanceof PoolTimeoutError) return noConnection(error);
  if (error instanceof PoolFullError)
    return new EngineError('overloaded', OVERLOADED, { path, cause: error });
  if (error instanceof ClientGoneError)
    return new EngineError('client-gone', error.message, { path, cause: error });
  if (error instanceof LongAnswerError)
    return new EngineError('data-exception', error.message, { path, cause: error });
  if (error instanceof LockWaitError)
    return new EngineError('concurrent-update', LOCK_WAIT, { status: 503, path, cause: error });
  if (error instanceof ConnectionFailedError) {
    return (error.cause as { code?: unknown } | undefined)?.code === '53300'
      ? noConnection(error)
      : noDatabase(error);
  }
  if (error instanceof pg.DatabaseError) {
    const failed = error.code === '22P02' ? failedCheck(error.message) : undefined;
    if (failed)
      return new EngineError('permission-error', failed.message, {
        path,
        reason: failed.reason,
        cause: error,
      });
    if (error.code === '53300') return noConnection(error);
    if (connectionLost(error)) return noDatabase(error);
    const [code, message, status] = explain(error);
    const unread = unreadVariable(error, statement);
    return new EngineError(code, message + (unread ? `. ${unread.sentence}` : ''), {
      path,
      status,
      reason: unread?.reason,
      internal: internal(error, statement),
      cause: error,
    });
  }
  return connectionLost(error) && isSocketError(error) ? noDatabase(error) : error;
}

function noConnection(cause: Error): EngineError {
  return new EngineError('postgres-max-connections-error', 'max connections reached on postgres', {
    status: 500,
    cause,
  });
}

function noDatabase(cause: unknown): EngineError {
  return new EngineError('postgres-error', 'connection error', { status: 500, cause });
}

function isSocketError(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH)/.test(code ?? '') || /connection/i.test(message);
}

/** Code, message and status by SQLSTATE. */
function explain(error: pg.DatabaseError): Explanation {
  const state = error.code ?? '';
  const message = withoutShard(error);
  const known = isRaisedByUser(error) ? undefined : explainedState(error);
  if (known) return known;
  const violation = VIOLATIONS[state];
  if (violation !== undefined) return ['constraint-violation', `${violation}. ${message}`, 400];
  if (state === '23514') return ['permission-error', `Check constraint violation. ${message}`, 400];
  if (state.startsWith('23')) return ['constraint-violation', message, 400];
  if (state === '22025') return ['bad-request', message, 400];
  if (state.startsWith('22') || state.startsWith('21') || state.startsWith('54') || isBadText(error))
    return ['data-exception', message, 400];
  if (INCOMPARABLE.has(state) && isOfStatement(error)) return ['not-supported', message, 400];
  if (state.startsWith('40')) return ['concurrent-update', message, 400];
  if (state === '25006') return ['not-supported', message, 400];
  if (state === '42704') return ['constraint-error', message, 400];
  return ['unexpected', UNEXPECTED, 500];
}

/**
 * On a cluster a worker names its shard, `tag_102075`, and so its constraints: names that no client knows, and that change when shards move.
 * Both have the number of the shard, which no table and constraint of a schema share by chance.
 */
function withoutShard({ message, table, constraint }: pg.DatabaseError): string {
  const shard = /_\d{6,}$/.exec(table ?? '')?.[0];
  if (shard === undefined || !constraint?.endsWith(shard)) return message;
  return message.replaceAll(/(?<="[^"]+)_\d{6,}(?=")/g, '');
}

/** The session variable whose value is what Postgres could not read: what it should have been, and the rule that needs it. */
function unreadVariable(
  error: pg.DatabaseError,
  statement: FailedStatement | undefined,
): { readonly sentence: string; readonly reason: Reason | undefined } | undefined {
  const unread = error.code?.startsWith('22') ? /"(.*)"/s.exec(error.message)?.[1] : undefined;
  if (unread === undefined || !statement?.origins) return undefined;
  const { values, origins } = statement;
  const { parameters, vocabulary } = origins;
  // Of a list Postgres names the element that it cannot read.
  const holders = parameters.filter(({ type }, index) => {
    const value = values[index];
    return value === unread || (type.endsWith('[]') && typeof value === 'string' && value.includes(unread));
  });
  const [found] = holders;
  if (found?.source.from !== 'session' || holders.length > 1) return undefined;
  const { type, rule } = found;
  const variable = vocabulary.fromCanonical(found.source.name);
  const form = type.endsWith('[]')
    ? `a list of the type ${type} as PostgreSQL writes it, such as {1,2} or {"a b",c}`
    : `a value of the type ${type}`;
  const why = `${variable} is not ${form}`;
  return {
    sentence: `This is the session variable "${variable}", of which a rule needs ${form}`,
    reason: rule && { ...rule, why, variable },
  };
}

/** For administrators: the statement and Postgres' own report. */
function internal(error: pg.DatabaseError, statement: FailedStatement | undefined): unknown {
  return {
    ...(statement && {
      statement: statement.text,
      prepared: statement.prepared ?? true,
      arguments: statement.values.map(argumentText),
    }),
    error: {
      exec_status: 'FatalError',
      hint: error.hint ?? null,
      message: error.message,
      status_code: error.code,
      description: error.detail ?? null,
    },
  };
}

function argumentText(value: unknown): string {
  return value === null || value === undefined ? '(Null)' : `(Oid 0,Just ("${String(value)}",Text))`;
}
