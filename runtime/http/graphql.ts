/** POST /v1/graphql and /v1alpha1/graphql: bodies in, answer text out (reference graphql-api §7.1). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { EngineError } from '../core/errors.ts';
import type { Session } from '../core/session.ts';
import { jsonKind } from '../core/types.ts';
import { parseJson } from './body.ts';
import { authenticateRequest, type Endpoints, type HttpContext, sendJson } from './context.ts';
import { answerableError, graphqlErrorText, showsInternal } from './errors.ts';

export interface GraphqlRequest {
  readonly query: string;
  readonly operationName?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** Runs one operation; yields the text `{"data":…}`. @throws EngineError */
export type Execute = (request: GraphqlRequest, session: Session) => Promise<string>;

/**
 * The endpoints of GraphQL over HTTP.
 * @param begin gives what a request runs on from start to end: one snapshot of the live program
 */
export function graphqlEndpoints(begin: () => Execute): Endpoints {
  return (app, context) => {
    if (!context.configuration.enabledApis.includes('graphql')) return;
    const { preserve401Errors } = context.configuration;
    install(app, context, begin, '/v1/graphql', (error) =>
      error.status === 413 || error.status === 429 || (error.status === 401 && preserve401Errors)
        ? error.status
        : 200,
    );
    install(app, context, begin, '/v1alpha1/graphql', (error) => error.status);
  };
}

function install(
  app: FastifyInstance,
  context: HttpContext,
  begin: () => Execute,
  path: string,
  statusOf: (error: EngineError) => number,
): void {
  const fail = (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => {
    request.exchange.mode = 'error';
    const error = answerableError(context, request, thrown);
    return sendJson(reply, graphqlErrorText(error, showsInternal(context, request)), statusOf(error));
  };

  app.post(path, {
    errorHandler: fail,
    handler: async (request, reply) => {
      const session = await authenticateRequest(context, request, request.body);
      const body = parseJson(request.body);
      const execute = begin();
      if (!Array.isArray(body)) {
        request.exchange.mode = 'single';
        return sendJson(reply, await execute(graphqlRequest(body), session));
      }
      request.exchange.mode = 'batched';
      context.limits?.().checkBatch(session, body.length);
      const answers: string[] = [];
      for (const [index, member] of body.entries()) {
        const run = () => {
          // The first was counted with the request.
          if (index > 0) context.limits?.().countRequest(session, request.ip);
          return execute(graphqlRequest(member), session);
        };
        answers.push(await answerMember(context, request, run));
      }
      return sendJson(reply, `[${answers.join(',')}]`);
    },
  });

  app.get(path, {
    errorHandler: fail,
    handler: async (request) => {
      await authenticateRequest(context, request);
      throw persistedQueriesDisabled();
    },
  });
}

/** One member of a batch stands or falls alone. */
async function answerMember(
  context: HttpContext,
  request: FastifyRequest,
  run: () => Promise<string>,
): Promise<string> {
  try {
    return await run();
  } catch (thrown) {
    return graphqlErrorText(answerableError(context, request, thrown), showsInternal(context, request));
  }
}

function persistedQueriesDisabled(): EngineError {
  return new EngineError('not-supported', 'Automatic Persisted Queries is not enabled');
}

/** Checks the shape of a request. @throws EngineError parse-failed */
export function graphqlRequest(body: unknown): GraphqlRequest {
  if (jsonKind(body) !== 'Object') throw mismatch('GraphQL request', 'Object', body, '$');
  const { query, operationName, variables, extensions } = body as Record<string, unknown>;
  if (
    jsonKind(extensions ?? null) === 'Object' &&
    (extensions as Record<string, unknown>).persistedQuery !== undefined
  ) {
    throw persistedQueriesDisabled();
  }
  if (query === undefined) throw new EngineError('parse-failed', 'key "query" not found');
  if (typeof query !== 'string') throw mismatch('Text', 'String', query, '$.query');
  const name = operationName ?? undefined;
  if (name !== undefined && typeof name !== 'string')
    throw mismatch('Name', 'String', name, '$.operationName');
  if (jsonKind(variables ?? {}) !== 'Object') throw mismatch('HashMap', 'Object', variables, '$.variables');
  return {
    query,
    operationName: name,
    variables: (variables as Record<string, unknown> | null) ?? undefined,
  };
}

function mismatch(what: string, expected: string, found: unknown, path: string): EngineError {
  return new EngineError(
    'parse-failed',
    `parsing ${what} failed, expected ${expected}, but encountered ${jsonKind(found)}`,
    { path },
  );
}
