/**
 * The reportable reason of a failed connection, with host and port where none was answered: the server's or the system's, never
 * the address, which may hold a password.
 */
import pg from 'pg';
import { EngineError } from '../core/errors.ts';
import { ConnectionFailedError, HostsFailedError, placeOf } from '../database/failures.ts';

export function describeConnectionError(error: unknown): string {
  if (error instanceof EngineError) return error.message;
  if (error instanceof ConnectionFailedError) return describeConnectionError(error.cause);
  if (error instanceof HostsFailedError) return error.errors.map(describeConnectionError).join('; ');
  if (error instanceof pg.DatabaseError) return error.message;
  const place = placeOf(error);
  const reason = reasonOf(error);
  return place === undefined ? reason : `${reason} (${place})`;
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  switch (code) {
    case 'ECONNREFUSED':
      return 'connection refused';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the host name could not be resolved';
    case 'ETIMEDOUT':
      return 'the database did not answer in time';
    case 'ECONNRESET':
    case 'EPIPE':
      return 'the database closed the connection';
    case undefined:
      return error instanceof Error && /timeout|terminated/i.test(error.message)
        ? error.message
        : 'the database cannot be reached';
    default:
      return `the database cannot be reached (${code})`;
  }
}

/** Codes of the system's errors about connections. */
const CONNECTION_CODES = /^(E(CONN|PIPE|HOST|NET|TIMEDOUT|NOTFOUND|AI_AGAIN)|57P|08)/;

/** A lost or refused connection as a client may know it; any other error as it is. */
export function withoutAddress(error: unknown, path: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const lost =
    error instanceof ConnectionFailedError ||
    (!(error instanceof EngineError) && CONNECTION_CODES.test(code));
  if (!lost) return error;
  const internal = { message: describeConnectionError(error) };
  return new EngineError('postgres-error', 'connection error', { status: 500, path, internal, cause: error });
}
