/** What the REST endpoints take and answer, for administrators. `?role=` asks for the document of a role, the administrator's otherwise. */

import { ADMIN_ROLE } from '../core/session.ts';
import { jsonText } from '../core/types.ts';
import type { CurrentlyServed } from '../graphql/answer.ts';
import { adminEndpoint, type Endpoints } from './context.ts';
import { openApiDocument } from './rest/openapi.ts';
import { swaggerDocument } from './rest/swagger.ts';

const DOCUMENTS = { '/api/openapi.json': openApiDocument, '/api/swagger/json': swaggerDocument };

/** The OpenAPI endpoints. */
export function openApiEndpoints(current: CurrentlyServed): Endpoints {
  return (app, context) => {
    for (const [path, documentOf] of Object.entries(DOCUMENTS))
      adminEndpoint(app, context, 'GET', path, (_, { role }) => {
        const { saved, planner } = current();
        const document = documentOf(saved.routes, planner.program, {
          role: typeof role === 'string' ? role : ADMIN_ROLE,
          stringifyNumbers: planner.options.stringifyNumbers,
        });
        return jsonText(document);
      });
  };
}
