/** Who is asking, as far as planning and execution care; made by runtime/session from headers, tokens or a webhook. */

export const ADMIN_ROLE = 'admin';

export interface Session {
  readonly role: string;
  /** Session variables by lower-case name (`x-engine-user-id`), `x-engine-role` among them. */
  readonly variables: Readonly<Record<string, string>>;
  /** Whether backend-only permissions count: asked for by header, and the request is trusted. */
  readonly backendOnly: boolean;
  /** When the session ends, in milliseconds since 1970: sockets that it opened end with it. Absent: never. */
  readonly expiresAt?: number;
}
