/** No authentication is configured: the role header is trusted, and requests without one run as admin. */
import type { Vocabulary } from '../core/vocabulary.ts';
import type { Authenticate } from './incoming.ts';
import { trustedSession } from './variables.ts';

export function openMode(vocabulary: Vocabulary): Authenticate {
  return ({ headers }) => trustedSession(headers, vocabulary);
}
