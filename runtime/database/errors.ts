/** Maps database errors to the errors that clients see. */
import pg from 'pg';
import { EngineError, type ErrorCode, type Path } from '../core/errors.ts';
import { FAILED_CHECK, failedCheck } from '../core/mutation/check.ts';
import {
  ClientGoneError,
  ConnectionFailedError,
  connectionLost,
  LockWaitError,
  PoolFullError,
  PoolTimeoutError,
} from './failures.ts';

const LOCK_WAIT = 'too many writes wait for rows that others hold; nothing was written';

const OVERLOADED = 'too many operations wait for this database; nothing was done';

/** The statement that failed; shown in `internal` only. */
export interface FailedStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly prepared?: boolean;
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
  if (error instanceof LockWaitError)
    return new EngineError('concurrent-update', LOCK_WAIT, { status: 503, path, cause: error });
  if (error instanceof ConnectionFailedError) {
    return (error.cause as { code?: unknown } | undefined)?.code === '53300'
      ? noConnection(error)
      : noDatabase(error);
  }
  if (error instanceof pg.DatabaseError) {
    const reason = error.code === '22P02' ? failedCheck(error.message) : undefined;
    if (reason) return new EngineError('permission-error', FAILED_CHECK, { path, reason, cause: error });
    if (error.code === '53300') return noConnection(error);
    if (connectionLost(error)) return noDatabase(error);
    const [code, message, status] = explain(error);
    return new EngineError(code, message, {
      path,
      status,
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
function explain(error: pg.DatabaseError): [ErrorCode, string, number] {
  const state = error.code ?? '';
  const { message } = error;
  const violation = VIOLATIONS[state];
  if (violation !== undefined) return ['constraint-violation', `${violation}. ${message}`, 400];
  if (state === '23514') return ['permission-error', `Check constraint violation. ${message}`, 400];
  if (state.startsWith('23')) return ['constraint-violation', message, 400];
  if (state === '22025') return ['bad-request', message, 400];
  if (state.startsWith('22') || state.startsWith('21') || state.startsWith('54') || isBadText(error))
    return ['data-exception', message, 400];
  if (INCOMPARABLE.has(state) && isOfStatement(error)) return ['not-supported', message, 400];
  if (state.startsWith('40')) return ['concurrent-update', message, 400];
  if (state === '42P10')
    return ['constraint-error', 'there is no unique or exclusion constraint on target column(s)', 400];
  if (state === '25006') return ['not-supported', message, 400];
  if (state === '53100') return ['postgres-error', 'the database has no disk space left', 500];
  if (state === '42704') return ['constraint-error', message, 400];
  return ['unexpected', 'database query error', 500];
}

/**
 * The text of a value of a type with a grammar of its own, such as tsquery, jsonpath or hstore, which report a syntax error.
 * One of a statement would have a position.
 */
function isBadText(error: pg.DatabaseError): boolean {
  return error.code === '42601' && error.position === undefined;
}

/**
 * Found in the statement itself and not in a function that it calls. All its names were checked, so what does not exist is
 * an operator or aggregate for the type of a column that the request names; Postgres notices some only when values are compared,
 * and then there is no position.
 */
function isOfStatement(error: pg.DatabaseError): boolean {
  return error.internalQuery === undefined && error.where === undefined;
}

/** No operator or function, several of them, no collation to compare by, not supported. */
const INCOMPARABLE: ReadonlySet<string> = new Set(['42883', '42725', '42P22', '0A000']);

const VIOLATIONS: Readonly<Record<string, string>> = {
  '23001': 'Can not delete or update due to data being referred',
  '23502': 'Not-NULL violation',
  '23503': 'Foreign key violation',
  '23505': 'Uniqueness violation',
  '23P01': 'Exclusion violation',
};

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
