/**
 * Whoever brings no credentials has the unauthorized role, whatever role the headers ask for. The session variables are
 * the client's own: permissions of that role must not rely on them.
 */
import type { Authenticate } from './incoming.ts';
import { headerVariables } from './variables.ts';

export function unauthorizedMode(role: string): Authenticate {
  return ({ headers }) => ({ role, variables: headerVariables(headers, role), backendOnly: false });
}
