/**
 * /v1/graphql, /v1alpha1/graphql and /v1beta1/relay: bodies in, answer text out. POST runs everything, GET
 * queries only. A client that accepts `application/graphql-response+json` gets that type and the statuses of its standard
 * (GraphQL over HTTP).
 */

import type { FastifyInstance } from 'fastify';
import { EngineError } from '../core/errors.ts';
import { exactJsonOr } from '../core/json/exact-json.ts';
import { isObject } from '../core/json/json.ts';
import type { GraphqlRequest } from '../core/request/planner.ts';
import type { Session } from '../core/session.ts';
import { jsonKind } from '../core/types.ts';
import { answerCall, type CurrentlyServed, type Served } from '../graphql/answer.ts';
import { wholeText } from '../graphql/answer-text.ts';
import { Request } from '../graphql/request.ts';
import type { GraphqlCall } from '../graphql/saved/call.ts';
import { parseJson } from './body.ts';
import {
  authenticateRequest,
  type Endpoints,
  type HttpContext,
  type HttpReply,
  JSON_TYPE,
  sendJson,
  throughFastify,
} from './context.ts';
import { answerableError, graphqlErrorText, showsInternal } from './errors.ts';
import { answerType, checkProtocol } from './media-types.ts';
import { createPause } from './pause.ts';
import type { HttpRequest } from './request.ts';

/** The endpoint of the relay API. */
export const RELAY = '/v1beta1/relay';

/** The endpoints of GraphQL over HTTP. @param current taken once for each request */
export function graphqlEndpoints(current: CurrentlyServed): Endpoints {
  return (app, context) => {
    if (!context.configuration.enabledApis.includes('graphql')) return;
    const { preserve401Errors } = context.configuration;
    const statusOf = (error: EngineError) =>
      [405, 406, 413, 415, 429].includes(error.status) ||
      error.code === 'overloaded' ||
      (error.status === 401 && preserve401Errors)
        ? error.status
        : 200;
    install(app, context, current, '/v1/graphql', statusOf);
    install(app, context, current, '/v1alpha1/graphql', (error) => error.status);
    if (context.configuration.enableRelay) install(app, context, current, RELAY, statusOf, readRelayCall);
    else
      app.post(RELAY, async () => {
        throw new EngineError('not-supported', 'relay is not enabled');
      });
  };
}

function install(
  app: FastifyInstance,
  context: HttpContext,
  current: CurrentlyServed,
  path: string,
  statusOf: (error: EngineError) => number,
  read: (body: unknown) => GraphqlCall = graphqlCall,
): void {
  const { logOperation } = context;
  const run = (request: HttpRequest, call: GraphqlCall, session: Session, served: Served) =>
    logOperation(request, call, (watch) =>
      answerCall(call, new Request(served, session, { client: request, call, watch, partialErrors: [] })),
    );
  const fail = async (thrown: unknown, request: HttpRequest, reply: HttpReply) => {
    request.mode = 'error';
    if (!request.session && context.configuration.enabledLogTypes.includes('query-log'))
      request.rawQuery = queryTextOf(request.body);
    const error = await answerableError(context, request, thrown);
    const type = answerType(request);
    const text = graphqlErrorText(error, showsInternal(context, request));
    if (error.status === 405) reply.header('allow', 'POST');
    return sendJson(reply, text, type === JSON_TYPE ? statusOf(error) : error.status, type);
  };

  const post = async (request: HttpRequest, reply: HttpReply) => {
    checkProtocol(request);
    const session = await authenticateRequest(context, request, request.body);
    const body = parseJson(request.body);
    const served = current();
    if (!Array.isArray(body)) {
      request.mode = 'single';
      return sendJson(reply, await run(request, read(body), session, served), 200, answerType(request));
    }
    request.mode = 'batched';
    context.limits?.().checkBatch(session, body.length);
    const answers: string[] = [];
    const pause = createPause();
    for (const [index, member] of body.entries()) {
      // Members that need no database would keep all other clients waiting.
      await pause();
      const runMember = async () => {
        // The first was counted with the request.
        if (index > 0) await context.limits?.().countRequest(session, request.ip);
        return wholeText(await run(request, read(member), session, served));
      };
      answers.push(await answerMember(context, request, runMember));
    }
    return sendJson(reply, `[${answers.join(',')}]`);
  };
  const endpoint = { errorHandler: fail, handler: post };
  const route = throughFastify(endpoint);
  app.post(path, route);
  context.direct.set(path, endpoint);

  // The relay API is reached by POST and sockets only.
  if (path === RELAY) return;
  app.get(path, {
    ...route,
    handler: async ({ own: request, query }, reply) => {
      checkProtocol(request);
      const session = await authenticateRequest(context, request);
      const call = callOfAddress(query);
      request.mode = 'single';
      return sendJson(reply, await run(request, call, session, current()), 200, answerType(request));
    },
  });
}

/** The call that the address of a GET carries: `variables` and `extensions` are JSON texts. @throws EngineError parse-failed */
function callOfAddress(parameters: unknown): GraphqlCall {
  const { variables, extensions, ...texts } = parameters as Record<string, unknown>;
  const call = readCall({
    ...texts,
    ...(typeof variables === 'string' && { variables: parseJson(variables) }),
    ...(typeof extensions === 'string' && { extensions: parseJson(extensions) }),
  });
  return { ...call, onlyQueries: true };
}

/** The query text of an unauthenticated request, if it can be read. */
function queryTextOf(body: unknown): string | undefined {
  const call = exactJsonOr(String(body));
  return isObject(call) && typeof call.query === 'string' ? call.query : undefined;
}

/** Answers one member of a batch; its errors do not affect the others. */
async function answerMember(
  context: HttpContext,
  request: HttpRequest,
  run: () => Promise<string>,
): Promise<string> {
  try {
    return await run();
  } catch (thrown) {
    const error = await answerableError(context, request, thrown);
    return graphqlErrorText(error, showsInternal(context, request));
  }
}

/** Reads a body, which names its operation or brings it. @throws EngineError parse-failed */
export function graphqlCall(body: unknown): GraphqlCall {
  const call = readCall(body);
  const { query, documentId, hash } = call;
  if (query === undefined && documentId === undefined && hash === undefined)
    throw new EngineError('parse-failed', 'key "query" not found');
  return call;
}

/** Like graphqlCall, for the relay API. @throws EngineError parse-failed */
export function readRelayCall(body: unknown): GraphqlCall {
  return { ...graphqlCall(body), relay: true };
}

/** Like graphqlCall, for a request that has to contain its operation. @throws EngineError parse-failed */
export function graphqlRequest(body: unknown): GraphqlRequest {
  const { query, operationName, variables } = readCall(body);
  if (query === undefined) throw new EngineError('parse-failed', 'key "query" not found');
  return { query, operationName, variables };
}

function readCall(body: unknown): GraphqlCall {
  if (jsonKind(body) !== 'Object') throw mismatch('GraphQL request', 'Object', body, '$');
  const { query, documentId, operationName, variables, extensions } = body as Record<string, unknown>;
  if (jsonKind(variables ?? {}) !== 'Object') throw mismatch('HashMap', 'Object', variables, '$.variables');
  const id = optionalText('Text', documentId ?? undefined, '$.documentId');
  const hash = persistedHash(extensions);
  // Clients that name their operation may send an empty text beside it.
  const isEmpty = query === null || query === '';
  const text = isEmpty && (id ?? hash) !== undefined ? undefined : optionalText('Text', query, '$.query');
  if (id !== undefined && text !== undefined)
    throw new EngineError('bad-request', 'send either "query" or "documentId", not both', {
      path: '$.documentId',
    });
  return {
    query: text,
    documentId: id,
    hash,
    operationName: optionalText('Name', operationName ?? undefined, '$.operationName'),
    variables: (variables as Record<string, unknown> | null) ?? undefined,
  };
}

function optionalText(what: string, value: unknown, path: string): string | undefined {
  if (value !== undefined && typeof value !== 'string') throw mismatch(what, 'String', value, path);
  return value;
}

/** The hash that a client of automatic persisted queries sends. */
function persistedHash(extensions: unknown): string | undefined {
  if (jsonKind(extensions ?? null) !== 'Object') return undefined;
  const { persistedQuery } = extensions as Record<string, unknown>;
  if (persistedQuery === undefined || persistedQuery === null) return undefined;
  const path = '$.extensions.persistedQuery';
  if (jsonKind(persistedQuery) !== 'Object')
    throw mismatch('persisted query', 'Object', persistedQuery, path);
  const { version, sha256Hash } = persistedQuery as Record<string, unknown>;
  if (version !== 1) {
    throw new EngineError('parse-failed', 'the only supported version of persisted queries is 1', {
      path: `${path}.version`,
    });
  }
  if (typeof sha256Hash !== 'string') throw mismatch('Text', 'String', sha256Hash, `${path}.sha256Hash`);
  return sha256Hash;
}

function mismatch(what: string, expected: string, found: unknown, path: string): EngineError {
  return new EngineError(
    'parse-failed',
    `parsing ${what} failed, expected ${expected}, but encountered ${jsonKind(found)}`,
    { path },
  );
}
