/**
 * Failures around statements: connecting, waiting, committing.
 * @rule Does a failing read end a subscription?
 */
import pg from 'pg';

/** No connection could be opened; `cause` is what `pg` reported. */
export class ConnectionFailedError extends Error {
  constructor(cause: unknown) {
    super('cannot connect to the database', { cause });
  }
}

/** Every host of an address failed, or the last one that was tried in a way that ends the search. */
export class HostsFailedError extends Error {
  readonly errors: readonly unknown[];
  /** Of the last. */
  readonly code: string | undefined;

  constructor(errors: readonly unknown[]) {
    super('no host of the address can be used');
    this.errors = errors;
    this.code = codeOf(errors.at(-1));
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

const places = new WeakMap<object, string>();

/** Remembers at which host and port an attempt to connect failed. */
export function setPlace(error: unknown, place: string): void {
  if (typeof error === 'object' && error !== null) places.set(error, place);
}

/** Host and port at which an attempt to connect failed. */
export function failedAddress(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null ? places.get(error) : undefined;
}

/** What `pg` says where the server answers that it has no TLS; it gives no code. */
const NO_TLS = 'The server does not support SSL connections';

/** Whether only the choice between encrypted and plain text failed, so that the other one may succeed. */
export function isAboutEncryption(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return error.code === '28000';
  if (!(error instanceof Error)) return false;
  return error.message === NO_TLS || isOfTls(error);
}

/** Reported by TLS: the peers do not agree, or the certificate is not accepted. */
function isOfTls(error: Error): boolean {
  const code = codeOf(error) ?? '';
  return /^(EPROTO$|ERR_(SSL|TLS|OSSL)_)/.test(code) || /(CERT|SIGNATURE|CRL|CHAIN|ISSUER)/.test(code);
}

/** Whether another host of the address may be tried: this one was not reached, starts, or is not of the kind that is asked for. */
export function isHostAway(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return error.code === '57P03';
  if (!(error instanceof Error) || isOfTls(error)) return false;
  return error.message !== NO_TLS && codeOf(error) !== 'connection-not-established';
}

/** No connection became free within the pool's timeout. */
export class PoolTimeoutError extends Error {
  constructor() {
    super('no connection to the database became free in time');
  }
}

/** As many operations as may wait for a connection are waiting; this one did not begin. */
export class PoolFullError extends Error {
  constructor() {
    super('too many operations wait for a connection to the database');
  }
}

/** The client closed its connection, so the answer was not awaited. */
export class ClientGoneError extends Error {
  constructor() {
    super('the client closed its connection');
  }
}

/** A write waited for a lock, was undone, and found no place in time where it may wait. */
export class LockWaitError extends Error {
  constructor() {
    super('too many writes wait for locks');
  }
}

/** A statement of several failed, and with it what the others did; `cause` is what Postgres reported. */
export class StatementFailedError extends Error {
  /** Position of the statement. */
  readonly index: number;

  constructor(cause: unknown, index: number) {
    super('a statement failed', { cause });
    this.index = index;
  }
}

/** All statements went well, and what they wrote did not become permanent: a deferred constraint, for instance. */
export class CommitFailedError extends Error {
  constructor(cause: unknown) {
    super('the transaction could not be committed', { cause });
  }
}

/** The database began an answer that is longer than a text of Node.js can be; its connection was closed, as nothing else ends it. */
export class LongAnswerError extends Error {
  constructor() {
    super(
      'the answer of the database is longer than 512 MB, so it was not read: ask for fewer rows or fewer levels',
    );
  }
}

/** The pool was ended. */
export class PoolClosedError extends Error {
  constructor() {
    super('the connections to the database are closed');
  }
}

/** The failure of a list of statements, with the index of the one that failed. */
export function statementsFailed(error: Error, all: number, well: number): Error {
  return well === all ? new CommitFailedError(error) : new StatementFailedError(error, well);
}

/** The connection broke, as opposed to the statement having failed. */
export function connectionLost(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(08|57P0[123])/.test(error.code ?? '');
  return error instanceof Error;
}

/** The backend does not have the prepared statement, or has it although it was not prepared there: a pooler switched. */
export function lostByPooler(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '26000' || error.code === '42P05');
}

/** The statement is not prepared there (see lostByPooler), or its plan no longer holds. */
export function statementLost(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  return (
    lostByPooler(error) || (error.code === '0A000' && error.message.startsWith('cached plan must not change'))
  );
}

/** The server takes no writes: a standby, for instance. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '25006';
}

/** The statement ran, or waited for a lock, for longer than it was allowed to. */
export function tookTooLong(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '57014';
}

/**
 * Classes of SQLSTATE that say something of the moment or of the installation, and nothing of the statement's values: connections,
 * transaction states and rollbacks, authorization, resources, locks, an administrator's intervention, files, settings, foreign servers,
 * defects.
 */
const PASSING = /^(08|0B|25|26|28|2D|3B|3D|40|53|55|57|58|72|F0|HV|XX|42501)/;

/** Whether Postgres reported it and kept the connection: a function may raise any code, also that of a lost connection. */
export function isRaised(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === 'ERROR';
}

/**
 * Whether the same statement may go well later although data stay as they are. If not, its values fail with these data: a
 * text that its type does not read, a division by zero, an error that a function raises, with any code. An error that has a
 * position in the statement was found before any value was looked at: names changed in the database.
 */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true;
  const { code = '', position } = error;
  return PASSING.test(code) || (code.startsWith('42') && position !== undefined);
}

/** Whether the database is where an error comes from, as opposed to the request that was wrong. */
export function cameFromDatabase(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (
    error instanceof pg.DatabaseError ||
    error instanceof ConnectionFailedError ||
    error instanceof PoolTimeoutError ||
    error instanceof PoolFullError ||
    error instanceof LockWaitError ||
    error instanceof CommitFailedError
  )
    return true;
  return cameFromDatabase(error.cause);
}

/** Codes of the system's and the database's errors about connections. */
const CONNECTION_CODES = /^(E(CONN|PIPE|HOST|NET|TIMEDOUT|NOTFOUND|AI_AGAIN)|57P|08)/;

/** Whether a database is away for a while, as opposed to an error of what it was asked. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof ConnectionFailedError) return true;
  if (!(error instanceof Error)) return false;
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? /^(Connection terminated|timeout)/i.test(message) : CONNECTION_CODES.test(code);
}
