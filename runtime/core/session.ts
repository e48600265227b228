/** The session of a request: role and variables, made by runtime/session from headers, tokens or a webhook. */
import { EngineError } from './errors.ts';
import { CANONICAL, type Vocabulary } from './vocabulary.ts';

export const ADMIN_ROLE = 'admin';

export interface Session {
  /** The word of the server's API: how the names of variables are written where they leave. */
  readonly vocabulary: Vocabulary;
  readonly role: string;
  /** Session variables by lower-case name (`x-engine-user-id`), `x-engine-role` among them. */
  readonly variables: Readonly<Record<string, string>>;
  /** True if backend-only permissions apply: requested by header in a trusted request. */
  readonly backendOnly: boolean;
  /** True if a browser may have attached the credentials by itself: foreign sites can have it send requests. */
  readonly fromCookie?: true;
  /** True if nobody vouches for the variables: the client, which sent no credentials, has chosen them. */
  readonly isAnonymous?: true;
  /** When the session ends, in milliseconds since 1970, and with it what it has started. Absent: never. */
  readonly expiresAt?: number;
}

/** For values that no session is asked for. */
export const NOBODY: Session = { vocabulary: CANONICAL, role: '', variables: {}, backendOnly: false };

/**
 * Session variables that tell clients apart: none of a client without credentials, which could choose others for each request.
 */
export function provenVariables({ variables, isAnonymous }: Session): Session['variables'] {
  return isAnonymous ? {} : variables;
}

/** Maximum moment that a Date can hold; a session that ends later never ends. */
const LAST_MOMENT = 8.64e15;

/** The key of a session that ends at a moment, in milliseconds since 1970; none for one that never ends. */
export function endingAt(moment: number | undefined): Pick<Session, 'expiresAt'> {
  return moment === undefined || moment > LAST_MOMENT ? {} : { expiresAt: moment };
}

/** Whether a session has ended: nothing begins for it any more, and nothing is shown to it. */
export function hasEnded({ expiresAt }: Session): boolean {
  return expiresAt !== undefined && expiresAt <= Date.now();
}

/** @throws EngineError access-denied when the session has ended */
export function requireCurrent(session: Session): void {
  if (hasEnded(session)) throw sessionEnded();
}

/** The error of what a session asked for that has ended. */
export function sessionEnded(): EngineError {
  return new EngineError('access-denied', 'the session that asked for this has expired', {
    status: 401,
    reason: {
      rule: 'authentication.expiry',
      why: 'the token, or the time that the authentication webhook gave, ended before the answer was there',
      path: 'authentication',
    },
  });
}
