/** Messages for SQLSTATEs whose own message from Postgres does not say what to do, or may not be shown. */
import type pg from 'pg';
import type { ErrorCode } from '../core/errors.ts';

/** Code, message and status of an error. */
export type Explanation = readonly [code: ErrorCode, message: string, status: number];

/** Of whatever else a database reports. Its own text may come from functions and triggers, and is for administrators. */
export const UNEXPECTED = 'database query error';

const GONE =
  'the database was changed since its tables were read, and something that the statement names is gone; run reload_metadata and correct what get_inconsistent_metadata lists';

/** Its own message is shown before the advice only where it names nothing but what the request wrote to. */
export function explainedState(error: pg.DatabaseError): Explanation | undefined {
  const { code = '', message } = error;
  const unexpected = (advice: string): Explanation => ['unexpected', `${UNEXPECTED}: ${advice}`, 500];
  switch (code) {
    case '21000':
      return message.includes('a second time')
        ? ['data-exception', `${message}: two of the objects have one key; send each key once`, 400]
        : undefined;
    case '23514':
      return checkViolation(message);
    case '25006':
      return [
        'not-supported',
        `${message}: ${isOfStatement(error) ? 'the database is a standby, or read-only by its settings; connect the source to a server that takes writes' : 'a function that only reads must not write; declare it VOLATILE and track it as a mutation'}`,
        400,
      ];
    case '40001':
    case '40P01':
      return ['concurrent-update', `${message}: nothing was written, send the request again`, 400];
    case '42501':
      return unexpected(
        'the account that the source connects with lacks a privilege; grant it (administrators and the log see which)',
      );
    case '42P01':
    case '42703':
    case '3F000':
      return isOfStatement(error) ? unexpected(GONE) : undefined;
    case '42P10':
      return ['constraint-error', 'there is no unique or exclusion constraint on target column(s)', 400];
    case '428C9':
      return ['data-exception', `${message}: the database computes it; leave the column out`, 400];
    case '44000':
      return [
        'permission-error',
        `Check option violation. ${message}: the view would not show the row; write one that its condition includes`,
        400,
      ];
    case '53100':
      return ['postgres-error', 'the database has no disk space left', 500];
    case '53200':
      return ['postgres-error', 'the database ran out of memory; select less, or give it more', 500];
    case '53400':
      return [
        'postgres-error',
        'the statement reached a limit in the settings of the database; select less',
        500,
      ];
    case '55000':
      return wrongState(message, isOfStatement(error));
    case '55P03':
      return [
        'concurrent-update',
        'another transaction holds rows that the statement needs, for longer than lock_timeout of the database; nothing was written, send the request again',
        503,
      ];
    case '57014':
      return [
        'timeout',
        'the database cancelled the statement: it ran longer than its statement_timeout, or an administrator ended it; select less or add an index',
        500,
      ];
    default:
      return undefined;
  }
}

/** Rows that no partition takes are reported with the state of check constraints. */
function checkViolation(message: string): Explanation | undefined {
  if (message.startsWith('no partition of relation'))
    return [
      'constraint-violation',
      `No partition takes the row. ${message}: create a partition for the values of its key`,
      400,
    ];
  if (message.includes('violates partition constraint'))
    return [
      'constraint-violation',
      `Partition constraint violation. ${message}: write to the partitioned table instead`,
      400,
    ];
  return undefined;
}

/** Objects that are not in the state that the statement needs. */
function wrongState(message: string, isOfStatement: boolean): Explanation | undefined {
  if (message.endsWith('has not been populated'))
    return ['not-supported', `${message}: run REFRESH MATERIALIZED VIEW on it`, 400];
  if (!isOfStatement) return undefined;
  if (message.startsWith('ON CONFLICT does not support deferrable'))
    return [
      'constraint-error',
      `${message}: name another constraint in on_conflict, or make this one not deferrable`,
      400,
    ];
  if (/^cannot (insert into|update|delete from|merge into) view /.test(message))
    return [
      'not-supported',
      `${message}: write to the tables below it, or give it an INSTEAD OF trigger`,
      400,
    ];
  return undefined;
}

/** A RAISE in a function or trigger of the database: its text and its code are its author's. */
export function isRaisedByUser({ where }: pg.DatabaseError): boolean {
  return /\bat RAISE$/m.test(where ?? '');
}

/**
 * The text of a value of a type with a grammar of its own, such as tsquery, jsonpath or hstore, which report a syntax error.
 * One of a statement would have a position.
 */
export function isBadText(error: pg.DatabaseError): boolean {
  return error.code === '42601' && error.position === undefined;
}

/**
 * Found in the statement itself and not in a function that it calls. All its names were checked, so what does not exist is
 * an operator or aggregate for the type of a column that the request names; Postgres notices some only when values are compared,
 * and then there is no position.
 */
export function isOfStatement(error: pg.DatabaseError): boolean {
  return error.internalQuery === undefined && error.where === undefined;
}

/** No operator or function, several of them, no collation to compare by, not supported. */
export const INCOMPARABLE: ReadonlySet<string> = new Set(['42883', '42725', '42P22', '0A000']);

export const VIOLATIONS: Readonly<Record<string, string>> = {
  '23001': 'Can not delete or update due to data being referred',
  '23502': 'Not-NULL violation',
  '23503': 'Foreign key violation',
  '23505': 'Uniqueness violation',
  '23P01': 'Exclusion violation',
};
