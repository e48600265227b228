/** The session of a request: role and variables, made by runtime/session from headers, tokens or a webhook. */

export const ADMIN_ROLE = 'admin';

export interface Session {
  readonly role: string;
  /** Session variables by lower-case name (`x-engine-user-id`), `x-engine-role` among them. */
  readonly variables: Readonly<Record<string, string>>;
  /** True if backend-only permissions apply: requested by header in a trusted request. */
  readonly backendOnly: boolean;
  /** True if a browser may have attached the credentials by itself: foreign sites can have it send requests. */
  readonly fromCookie?: true;
  /** When the session ends, in milliseconds since 1970: sockets that it opened end with it. Absent: never. */
  readonly expiresAt?: number;
}
