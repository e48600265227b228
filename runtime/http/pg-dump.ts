/** POST /v1alpha1/pg_dump: a database's schema as SQL. */
import type { Session } from '../core/session.ts';
import { authenticateRequest, type Endpoints } from './context.ts';

/** @param run runs the request that the body's text holds: SQL; throws EngineError */
export function pgDumpEndpoints(run: (body: string, session: Session) => Promise<string>): Endpoints {
  return (app, context) => {
    if (!context.configuration.enabledApis.includes('pgdump')) return;
    app.post('/v1alpha1/pg_dump', async ({ own: request }, reply) => {
      const session = await authenticateRequest(context, request);
      const body = typeof request.body === 'string' ? request.body : '';
      const dump = await run(body, session);
      return reply.header('content-type', 'application/sql').send(dump);
    });
  };
}
