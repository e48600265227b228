/** POST /v1/metadata, /v1/query and /v2/query: bodies in, answers of the metadata engine out. */
import type { Session } from '../core/session.ts';
import { authenticateRequest, type Endpoints, sendJson } from './context.ts';

const PATHS = ['/v1/metadata', '/v1/query', '/v2/query'] as const;

export type MetadataPath = (typeof PATHS)[number];

/**
 * The endpoints that change what is served.
 * @param run runs the request that the body's text holds: the JSON text of the answer; throws EngineError
 */
export function metadataEndpoints(
  run: (path: MetadataPath, body: string, session: Session) => Promise<string>,
): Endpoints {
  return (app, context) => {
    if (!context.configuration.enabledApis.includes('metadata')) return;
    for (const path of PATHS) {
      app.post(path, async (request, reply) => {
        const session = await authenticateRequest(context, request);
        const body = typeof request.body === 'string' ? request.body : '';
        return sendJson(reply, await run(path, body, session));
      });
    }
  };
}
