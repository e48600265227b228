/** Health and version: what probes and load balancers ask for, without authentication. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Vocabulary } from '../core/vocabulary.ts';
import type { Readiness } from '../server/readiness.ts';
import { adminEndpoint, type Endpoints, sendJson } from './context.ts';

/** `inconsistent`: some objects of the metadata are not served. `unreachable`: the metadata database does not answer. */
export type Health = 'ok' | 'inconsistent' | 'unreachable';

const OPERATORS_PATHS = ['/healthz', '/healthz/sources', '/livez', '/readyz', '/v1/version', '/v1/metrics'];

/** Routes that operators and their programs ask for: they are answered whatever the load, and their bytes are not counted. */
export function operatorsPaths(vocabulary: Vocabulary): ReadonlySet<string | undefined> {
  return new Set([...OPERATORS_PATHS, vocabularyHealth(vocabulary)]);
}

/** `/engine/healthz`, by the vocabulary's word. */
function vocabularyHealth({ word }: Vocabulary): string {
  return `/${word}/healthz`;
}

/**
 * - `/livez` says whether the process works. It asks no database: restarting the process mends none.
 * - `/readyz` says whether the server should get requests, else why not.
 * - `/healthz` and `/engine/healthz` say whether the metadata database answers and the metadata is consistent.
 * - `/healthz/sources` asks the database of every source; for administrators.
 * - `/v1/version`
 */
export function healthEndpoints(
  health: () => Health | Promise<Health>,
  readiness: Readiness,
  version: string,
): Endpoints {
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const state = await health();
    const strict = (request.query as { strict?: string }).strict === 'true';
    reply.header('content-type', 'text/plain; charset=utf-8');
    if (state === 'unreachable') return reply.code(500).send('ERROR');
    if (state === 'ok') return reply.send('OK');
    if (strict) return reply.code(500).send('ERROR: inconsistent objects in schema');
    return reply.send('WARN: inconsistent objects in schema');
  };
  const versionText = JSON.stringify({ server_type: 'ce', version });
  return (app, context) => {
    app.get('/livez', (_request, reply) =>
      readiness.alive() ? sendJson(reply, '{"status":"ok"}') : sendJson(reply, '{"status":"stuck"}', 503),
    );
    app.get('/readyz', async (_request, reply) => {
      const reasons = await readiness.reasons();
      return reasons.length === 0
        ? sendJson(reply, '{"status":"ok"}')
        : sendJson(reply, JSON.stringify({ status: 'not ready', reasons }), 503);
    });
    adminEndpoint(app, context, 'GET', '/healthz/sources', () => readiness.sources());
    app.get('/healthz', answer);
    app.get(vocabularyHealth(context.configuration.vocabulary), answer);
    app.get('/v1/version', (_request, reply) => sendJson(reply, versionText));
  };
}
