/** Reasons why an outgoing call has no answer. */
import { EngineError } from '../core/errors.ts';
import { callProblem, codeOf } from '../core/reasons.ts';

/**
 * - `timeout`: the deadline passed, whether during DNS, connect, headers or body
 * - `overloaded`: too many calls to this host are running and waiting
 * - `refused`: the rules for outgoing calls do not allow the target
 * - `failed`: no connection, or a broken answer; `code` has the cause, such as `ECONNREFUSED`
 * - `too-large`: the answer has more bytes than allowed
 * - `invalid`: the address cannot be called
 * - `header`: a header cannot be sent; the message names it and says why, for the client to read
 * - `cancelled`: the caller's signal was aborted
 */
export type OutgoingErrorKind =
  | 'timeout'
  | 'overloaded'
  | 'refused'
  | 'failed'
  | 'too-large'
  | 'invalid'
  | 'header'
  | 'cancelled';

/** An outgoing call has no answer. The message holds neither the address nor a header's value: it may be logged and shown. */
export class OutgoingError extends Error {
  readonly kind: OutgoingErrorKind;
  /** Cause as the platform names it: `ECONNREFUSED`, `ENOTFOUND`, `CERT_HAS_EXPIRED` … */
  readonly code: string | undefined;
  /** The answer had begun when it broke: the request was received. */
  readonly hasAnswer: boolean;

  constructor(kind: OutgoingErrorKind, message: string, code?: string, hasAnswer = false) {
    super(message);
    this.kind = kind;
    this.code = code;
    this.hasAnswer = hasAnswer;
  }
}

/** What clients get when a header of theirs, of their session or of the configuration cannot be sent; undefined for other errors. */
export function unsendableHeader(error: unknown): EngineError | undefined {
  return error instanceof OutgoingError && error.kind === 'header'
    ? new EngineError('invalid-headers', error.message, { cause: error })
    : undefined;
}

/**
 * An error of the platform as one of ours. Its own message may hold the address, so only the code is taken over.
 * @param hasAnswer the answer had begun
 */
export function toOutgoingError(error: unknown, hasAnswer = false): OutgoingError {
  if (error instanceof OutgoingError) return error;
  const code = codeOf(error);
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED')
    return new OutgoingError('cancelled', 'the server is stopping');
  return new OutgoingError('failed', callProblem(code), code, hasAnswer);
}
