/** GET /api/swagger/json: what the REST endpoints take and answer, for administrators. */
import { ADMIN_ROLE } from '../core/session.ts';
import { authenticateAdmin, type Endpoints, sendJson } from './context.ts';

/** @param describe gives the document for a role */
export function openApiEndpoints(describe: (role: string) => object): Endpoints {
  return (app, context) => {
    app.get<{ Querystring: { role?: string | string[] } }>('/api/swagger/json', async (request, reply) => {
      await authenticateAdmin(context, request);
      const { role } = request.query;
      return sendJson(reply, JSON.stringify(describe(typeof role === 'string' ? role : ADMIN_ROLE)));
    });
  };
}
