/** POST /v1/actions/<id>/complete: a handler that answered 202 completes the call of an asynchronous action. */

import { EngineError } from '../core/errors.ts';
import { isObject } from '../core/json/json.ts';
import type { Asynchronous } from '../outgoing/actions/asynchronous.ts';
import { ANSWERED, type Completion, REFUSED } from '../outgoing/actions/stored-call.ts';
import { parseJson } from './body.ts';
import { type Endpoints, sendJson } from './context.ts';

interface CompletionRoute {
  readonly Params: { readonly id: string };
  readonly Querystring: { readonly token?: unknown };
}

/** The token of the address says who may complete; nothing else is asked. */
export function completionEndpoints(complete: Asynchronous['complete']): Endpoints {
  return (app, { configuration }) => {
    if (configuration.asyncActionsCompletionUrl === undefined) return;
    app.post<CompletionRoute>('/v1/actions/:id/complete', async ({ params, query, body }, reply) => {
      const refused = await complete(params.id, String(query.token), readCompletion(parseJson(body)));
      if (refused) throw refused;
      return sendJson(reply, '{"message":"success"}');
    });
  };
}

/** @throws EngineError parse-failed */
function readCompletion(body: unknown): Completion {
  const fail = (message: string, path = '$') => new EngineError('parse-failed', message, { path });
  const keys = isObject(body) ? Object.keys(body) : [];
  if (!isObject(body) || keys.length !== 1 || (keys[0] !== 'answer' && keys[0] !== 'error'))
    throw fail('expected an object with one key, "answer" or "error"');
  if (keys[0] === 'answer') return { status: ANSWERED, body: body.answer };
  const { error } = body;
  if (!isObject(error) || typeof error.message !== 'string')
    throw fail('expected an object with a "message"', '$.error');
  return { status: REFUSED, body: error };
}
