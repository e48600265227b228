/** Health and version: what probes and load balancers ask for, without authentication. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Endpoints, sendJson } from './context.ts';

/** `inconsistent`: some objects of the metadata are not served. `unreachable`: the metadata database does not answer. */
export type Health = 'ok' | 'inconsistent' | 'unreachable';

/** The version of the API that is served: tools of the established server choose by it what they may ask for. */
const API_VERSION = 'v2.0.0';

/** /healthz, /engine/healthz (reference server §12) and /v1/version. */
export function healthEndpoints(health: () => Health | Promise<Health>, version: string): Endpoints {
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const state = await health();
    const strict = (request.query as { strict?: string }).strict === 'true';
    reply.header('content-type', 'text/plain; charset=utf-8');
    if (state === 'unreachable') return reply.code(500).send('ERROR');
    if (state === 'ok') return reply.send('OK');
    if (strict) return reply.code(500).send('ERROR: inconsistent objects in schema');
    return reply.send('WARN: inconsistent objects in schema');
  };
  const versionText = JSON.stringify({
    server_type: 'ce',
    version: `${API_VERSION}+engine.${version.replace(/^v/, '')}`,
  });
  return (app) => {
    app.get('/healthz', answer);
    app.get('/engine/healthz', answer);
    app.get('/v1/version', (_request, reply) => sendJson(reply, versionText));
  };
}
