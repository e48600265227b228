/** GET /api/swagger/json: what the REST endpoints take and answer, for administrators. */
import type { CurrentlyServed } from '../answer.ts';
import { ADMIN_ROLE } from '../core/session.ts';
import { openApiDocument } from '../saved/openapi.ts';
import { authenticateAdmin, type Endpoints, sendJson } from './context.ts';

/** The OpenAPI endpoint. `?role=` asks for the document of a role; the administrator's otherwise. */
export function openApiEndpoints(current: CurrentlyServed): Endpoints {
  return (app, context) => {
    app.get<{ Querystring: { role?: string | string[] } }>('/api/swagger/json', async (request, reply) => {
      await authenticateAdmin(context, request);
      const { role } = request.query;
      const { saved, planner } = current();
      const document = openApiDocument(saved.routes, planner.program, {
        role: typeof role === 'string' ? role : ADMIN_ROLE,
        stringifyNumbers: planner.options.stringifyNumbers,
      });
      return sendJson(reply, JSON.stringify(document));
    });
  };
}
