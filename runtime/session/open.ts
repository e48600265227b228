/** No authentication is configured: the role header is trusted, and requests without one run as admin. */
import type { Authenticate } from './incoming.ts';
import { trustedSession } from './variables.ts';

export const open: Authenticate = ({ headers }) => trustedSession(headers);
