/** The context that endpoint families receive, and what all of them do. */
import type { OutgoingHttpHeader } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Configuration } from '../configuration/configuration.ts';
import { EngineError } from '../core/errors.ts';
import { adminOnly, type Reason } from '../core/reason.ts';
import { ADMIN_ROLE, type Session } from '../core/session.ts';
import type { AnswerText } from '../graphql/answer-text.ts';
import type { Limits } from '../graphql/limits.ts';
import type { Observer } from '../observe/logs/observe.ts';
import type { Authenticate } from '../session/incoming.ts';
import type { DirectEndpoint } from './direct.ts';
import type { Masking } from './masking.ts';
import type { LogOperation } from './operation-log.ts';
import type { HttpRequest } from './request.ts';

export interface HttpContext {
  readonly configuration: Configuration;
  readonly observe: Observer;
  readonly authenticate: Authenticate;
  /** Limits of the served program; absent: none. */
  readonly limits?: () => Limits;
  readonly logOperation: LogOperation;
  /** Absent: no values are masked in logs. */
  readonly masking: Masking | undefined;
  /** Endpoints of POST that requests may reach without Fastify, by path; see direct.ts. */
  readonly direct: Map<string, DirectEndpoint>;
  /** Counts the messages of sockets; absent where no metrics are kept. */
  readonly countTraffic?: CountTraffic;
  /** Whether a request is traced that its caller has not decided about; see Tracing. */
  readonly sample?: (traceId: string) => boolean | undefined;
  /** The server is about to stop; absent: never. */
  readonly isDraining?: () => boolean;
  /** Finds the rule of a denial in the metadata; absent without metadata. */
  readonly locate?: LocateRule;
}

/** Takes the length of each message. */
export interface CountTraffic {
  readonly received: (length: number) => void;
  readonly sent: (length: number) => void;
}

/** Paths into the metadata. */
export type LocateRule = (reason: Reason) => Promise<readonly string[]>;

/** One family of endpoints. It gets an encapsulated instance; bodies arrive as text (see body.ts). */
export type Endpoints = (app: FastifyInstance, context: HttpContext) => void | Promise<void>;

/** The answer, of Fastify or of direct.ts. Names of headers are in lower case. */
export interface HttpReply {
  readonly statusCode: number;
  code(status: number): this;
  header(name: string, value: OutgoingHttpHeader): this;
  getHeader(name: string): OutgoingHttpHeader | undefined;
  send(text: string | Buffer): this;
}

/** The endpoint as Fastify calls it. */
export function throughFastify({ handler, errorHandler }: DirectEndpoint) {
  return {
    handler: ({ own }: FastifyRequest, reply: FastifyReply) => handler(own, reply),
    errorHandler: (error: unknown, { own }: FastifyRequest, reply: FastifyReply) =>
      errorHandler(error, own, reply),
  };
}

export const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Who sent the request.
 * @param body of GraphQL requests, which an authentication webhook may want to see
 * @throws EngineError as the mode of authentication decides, or when the role sends too many requests
 */
export async function authenticateRequest(
  context: HttpContext,
  request: HttpRequest,
  body?: unknown,
): Promise<Session> {
  const { headers, raw, requestId, trace } = request;
  request.readTime = (performance.now() - request.startedAt) / 1000;
  const incoming = {
    headers,
    rawHeaders: raw.rawHeaders,
    requestId,
    trace,
    body,
    isKept: false,
    setCookies: (cookies: readonly string[]) => {
      request.cookies = cookies;
    },
  };
  const session = await context.authenticate(incoming);
  request.session = session;
  const counted = context.limits?.().countRequest(session, request.ip);
  if (counted) await counted;
  return session;
}

/**
 * Like authenticateRequest, for endpoints of administrators.
 * @throws EngineError access-denied for any other role
 */
export async function authenticateAdmin(context: HttpContext, request: HttpRequest): Promise<void> {
  const { role } = await authenticateRequest(context, request);
  if (role === ADMIN_ROLE) return;
  const message = 'You have to be an admin to access this endpoint';
  throw new EngineError('access-denied', message, { path: '$', reason: adminOnly(role) });
}

/** An endpoint that asks `answer` for administrators only: a text of JSON, or a value that becomes one. */
export function adminEndpoint(
  app: FastifyInstance,
  context: HttpContext,
  method: 'GET' | 'POST',
  url: string,
  answer: (body: unknown, query: Readonly<Record<string, unknown>>) => unknown,
): void {
  const handler = async ({ own, query }: FastifyRequest, reply: FastifyReply) => {
    await authenticateAdmin(context, own);
    const found = await answer(own.body, query as Readonly<Record<string, unknown>>);
    return sendJson(reply, typeof found === 'string' ? found : JSON.stringify(found));
  };
  app.route({ method, url, handler });
}

/** Seconds after which a client may ask again where the server could not answer. */
const RETRY_AFTER = 1;

/** Answers with JSON text that is passed through as it is. */
export function sendJson<Reply extends HttpReply>(
  reply: Reply,
  json: AnswerText,
  status = 200,
  type = JSON_TYPE,
): Reply {
  if (status === 503) reply.header('retry-after', RETRY_AFTER);
  return reply
    .code(status)
    .header('content-type', type)
    .send(typeof json === 'string' ? json : Buffer.concat(json));
}
