/**
 * A request without credentials has the unauthorized role, even if its headers name another one. The session variables are
 * the client's own, unless they are dropped: permissions of that role must not rely on them.
 */
import type { Vocabulary } from '../core/vocabulary.ts';
import type { Authenticate } from './incoming.ts';
import { headerVariables, ROLE } from './variables.ts';

/** @param dropsVariables ignore the session variables of such requests */
export function unauthorizedMode(
  role: string,
  dropsVariables: boolean,
  vocabulary: Vocabulary,
): Authenticate {
  return ({ headers }) => ({
    vocabulary,
    role,
    variables: dropsVariables ? { [ROLE]: role } : headerVariables(headers, role, vocabulary),
    backendOnly: false,
    isAnonymous: true,
  });
}
