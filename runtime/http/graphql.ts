/**
 * /v1/graphql and /v1alpha1/graphql: bodies in, answer text out (reference graphql-api §7.1). POST runs everything, GET
 * queries only. Whoever accepts `application/graphql-response+json` gets that type and the statuses of its standard
 * (GraphQL over HTTP).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { EngineError } from '../core/errors.ts';
import { chooseOperation, parseDocument } from '../core/request/document.ts';
import type { Session } from '../core/session.ts';
import { jsonKind } from '../core/types.ts';
import { parseJson } from './body.ts';
import { authenticateRequest, type Endpoints, type HttpContext, JSON_TYPE, sendJson } from './context.ts';
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
      [405, 413, 429].includes(error.status) || (error.status === 401 && preserve401Errors)
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
    const type = answerType(request);
    const text = graphqlErrorText(error, showsInternal(context, request));
    return sendJson(reply, text, type === JSON_TYPE ? statusOf(error) : error.status, type);
  };

  app.post(path, {
    errorHandler: fail,
    handler: async (request, reply) => {
      const session = await authenticateRequest(context, request, request.body);
      const body = parseJson(request.body);
      const execute = begin();
      if (!Array.isArray(body)) {
        request.exchange.mode = 'single';
        return sendJson(reply, await execute(graphqlRequest(body), session), 200, answerType(request));
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
    handler: async (request, reply) => {
      const session = await authenticateRequest(context, request);
      const asked = requestOfAddress(request.query);
      requireQuery(asked);
      request.exchange.mode = 'single';
      return sendJson(reply, await begin()(asked, session), 200, answerType(request));
    },
  });
}

/**
 * The request that the address of a GET carries: `variables` and `extensions` are JSON texts.
 * @throws EngineError not-supported without a query: the established server keeps GET for persisted queries
 */
function requestOfAddress(parameters: unknown): GraphqlRequest {
  const { query, operationName, variables, extensions } = parameters as Record<string, unknown>;
  if (query === undefined) throw persistedQueriesDisabled();
  return graphqlRequest({
    query,
    operationName,
    ...(typeof variables === 'string' && { variables: parseJson(variables) }),
    ...(typeof extensions === 'string' && { extensions: parseJson(extensions) }),
  });
}

/** GET must be safe to repeat, to prefetch and to follow as a link, so it runs nothing but queries. @throws EngineError */
function requireQuery({ query, operationName }: GraphqlRequest): void {
  if (chooseOperation(parseDocument(query), operationName).kind === 'query') return;
  throw new EngineError('not-supported', 'only queries can be run with GET; use POST', { status: 405 });
}

const GRAPHQL_RESPONSE = 'application/graphql-response+json';

/** The standard's own media type where the client names it and likes JSON no better, else JSON. */
function answerType({ headers: { accept } }: FastifyRequest): string {
  // Most clients do not.
  if (!accept?.toLowerCase().includes(GRAPHQL_RESPONSE)) return JSON_TYPE;
  const standard = qualityOf(GRAPHQL_RESPONSE, accept);
  return standard > 0 && standard >= qualityOf('application/json', accept)
    ? `${GRAPHQL_RESPONSE}; charset=utf-8`
    : JSON_TYPE;
}

/** How much an Accept header likes a media type that it names; 0 when it does not. */
function qualityOf(type: string, accept: string): number {
  for (const item of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    if (name !== type) continue;
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    return quality === undefined ? 1 : Number(quality.slice(2));
  }
  return 0;
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
