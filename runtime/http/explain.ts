/** POST /v1/graphql/explain: administrators see the SQL and the plan of a query. */
import { EngineError, pathStep } from '../core/errors.ts';
import { ADMIN_ROLE, type Session } from '../core/session.ts';
import { jsonKind } from '../core/types.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import { explainRequest, explainSubscription } from '../graphql/explain.ts';
import type { Runnable } from '../graphql/request.ts';
import { parseJson } from './body.ts';
import { adminEndpoint, type Endpoints } from './context.ts';
import { graphqlRequest } from './graphql.ts';

/** The explain endpoints. @param current taken once for each request */
export function explainEndpoints(current: () => Runnable): Endpoints {
  return (app, context) => {
    if (!context.configuration.enabledApis.includes('metadata')) return;
    for (const path of ['/v1/graphql/explain', '/v1alpha1/graphql/explain'])
      adminEndpoint(app, context, 'POST', path, (text) => {
        const body = parseJson(text);
        if (jsonKind(body) !== 'Object')
          throw new EngineError(
            'parse-failed',
            `expected an object with the key "query", but encountered ${jsonKind(body)}`,
          );
        const { query, user, is_relay: relay } = body as Record<string, unknown>;
        if (query === undefined) throw new EngineError('parse-failed', 'key "query" not found');
        const asked = graphqlRequest(query);
        const wanted = relay === true ? { ...asked, relay: true as const } : asked;
        const [session, served] = [sessionOf(user, context.configuration.vocabulary), current()];
        const explain =
          served.planner.kindOf(session, wanted) === 'subscription' ? explainSubscription : explainRequest;
        return explain(wanted, session, served);
      });
  };
}

/** The session to explain for: `user` holds session variables; without it the administrator's. */
function sessionOf(user: unknown, vocabulary: Vocabulary): Session {
  const variables: Record<string, string> = {};
  if (user !== undefined && user !== null) {
    if (jsonKind(user) !== 'Object')
      throw new EngineError(
        'parse-failed',
        `expected an object of strings, but encountered ${jsonKind(user)}`,
        {
          path: '$.user',
        },
      );
    for (const [name, value] of Object.entries(user)) {
      if (typeof value !== 'string')
        throw new EngineError('parse-failed', `expected String, but encountered ${jsonKind(value)}`, {
          path: pathStep('$.user', name),
        });
      if (vocabulary.isForeign(name))
        throw new EngineError('bad-request', `${name} is a session variable of another vocabulary`, {
          path: '$.user',
        });
      variables[vocabulary.toCanonical(name) ?? name.toLowerCase()] = value;
    }
  }
  const role = variables['x-engine-role'] ?? ADMIN_ROLE;
  return { vocabulary, role, variables: { ...variables, 'x-engine-role': role }, backendOnly: false };
}
