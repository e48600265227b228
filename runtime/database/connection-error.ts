/**
 * The reportable reason of a failed connection, with host and port where none was answered, and what to do: never the address, which
 * may hold a password.
 */
import pg from 'pg';
import { EngineError } from '../core/errors.ts';
import { ConnectionFailedError, failedAddress, HostsFailedError, isUnreachable } from './failures.ts';

/** @param isPublic for anybody to read: without host and port */
export function describeConnectionError(error: unknown, isPublic = false): string {
  if (error instanceof EngineError) return error.message;
  if (error instanceof ConnectionFailedError) return describeConnectionError(error.cause, isPublic);
  if (error instanceof HostsFailedError)
    return error.errors.map((each) => describeConnectionError(each, isPublic)).join('; ');
  if (error instanceof pg.DatabaseError) return error.message;
  const place = isPublic ? undefined : failedAddress(error);
  const reason = reasonOf(error);
  return place === undefined ? reason : `${reason} (${place})`;
}

function reasonOf(error: unknown): string {
  const { code, message = '' } = (error instanceof Error ? error : {}) as Partial<NodeJS.ErrnoException>;
  switch (code) {
    case 'ECONNREFUSED':
      return 'connection refused';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the host name could not be resolved';
    case 'ETIMEDOUT':
      return 'the database did not answer in time';
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return 'there is no route to the database';
    case 'ECONNRESET':
    case 'EPIPE':
      return 'the database closed the connection';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'the certificate of the database is for another host name than the address has: correct the host, or use sslmode=verify-ca';
    case undefined:
      return withoutCode(message);
    default:
      return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)
        ? `the certificate of the database is not trusted (${code}): name its authority in sslrootcert`
        : `the database cannot be reached (${code})`;
  }
}

/** What `pg` reports without a code. Texts that might hold an address are left out. */
function withoutCode(message: string): string {
  if (/password must be a (non-empty )?string/.test(message))
    return 'the database asks for a password (SCRAM), and the address has none';
  if (/server does not support SSL/i.test(message))
    return 'the address asks for TLS (sslmode), and the database does not offer it: switch ssl on there, or use sslmode=prefer';
  return /timeout|terminated|^SASL: /i.test(message) ? message : 'the database cannot be reached';
}

/** A lost or refused connection as a client may know it; any other error as it is. */
export function withoutAddress(error: unknown, path: string): unknown {
  if (!isUnreachable(error)) return error;
  const internal = { message: describeConnectionError(error) };
  return new EngineError('postgres-error', 'connection error', { status: 500, path, internal, cause: error });
}
