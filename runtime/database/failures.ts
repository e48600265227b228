/** What can go wrong with a statement besides the statement itself. */
import pg from 'pg';

/** No connection could be opened; `cause` is what `pg` reported. */
export class ConnectionFailedError extends Error {
  constructor(cause: unknown) {
    super('cannot connect to the database', { cause });
  }
}

/** No connection became free within the pool's timeout. */
export class PoolTimeoutError extends Error {
  constructor() {
    super('no connection to the database became free in time');
  }
}

/** All statements went well, and what they wrote did not become permanent: a deferred constraint, for instance. */
export class CommitFailedError extends Error {
  constructor(cause: unknown) {
    super('the transaction could not be committed', { cause });
  }
}

/** Transactions of the session are of another kind than a single statement must be. */
export class OtherDefaultsError extends Error {
  constructor() {
    super('the transaction has to say of which kind it is');
  }
}

/** The pool was ended. */
export class PoolClosedError extends Error {
  constructor() {
    super('the connections to the database are closed');
  }
}

/** The connection broke, as opposed to the statement having failed. */
export function connectionLost(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(08|57P0[123])/.test(error.code ?? '');
  return error instanceof Error;
}

/** The statement is not prepared there (it was closed, or a pooler switched backends), or its plan no longer holds. */
export function statementLost(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  return (
    error.code === '26000' ||
    error.code === '42P05' ||
    (error.code === '0A000' && error.message.startsWith('cached plan must not change'))
  );
}

/** The statement gave up waiting for a lock. */
export function waitedForLock(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03';
}
