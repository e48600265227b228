/** POST /v1/metadata, /v1/query and /v2/query: bodies in, answers of the metadata engine out. */

import { EngineError } from '../core/errors.ts';
import { ADMIN_ROLE, type Session } from '../core/session.ts';
import { parseJson } from './body.ts';
import { authenticateRequest, type Endpoints, sendJson } from './context.ts';

const PATHS = ['/v1/metadata', '/v1/query', '/v2/query'] as const;

/** A request that has been read and can be run. */
export interface ReadRequest {
  /** Whether roles other than admin may send it. */
  readonly anyRole: boolean;
  /** Runs it: the JSON text of the answer. @throws EngineError */
  readonly run: (session: Session) => Promise<string>;
}

/**
 * The endpoints that change what is served.
 * @param read reads the body of a request; throws EngineError where its shape is wrong
 */
export function metadataEndpoints(
  read: (path: (typeof PATHS)[number], body: unknown) => ReadRequest,
): Endpoints {
  return (app, context) => {
    if (!context.configuration.enabledApis.includes('metadata')) return;
    for (const path of PATHS) {
      app.post(path, async (request, reply) => {
        const session = await authenticateRequest(context, request);
        const { anyRole, run } = read(path, parseJson(request.body));
        if (session.role !== ADMIN_ROLE && !anyRole) {
          throw new EngineError('access-denied', 'restricted access : admin only', { path: '$.args' });
        }
        return sendJson(reply, await run(session));
      });
    }
  };
}
