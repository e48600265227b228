/** The context that endpoint families receive, and the state of a request while it is processed. */
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeader } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Configuration } from '../configuration/configuration.ts';
import { EngineError } from '../core/errors.ts';
import { guarded } from '../core/guarded.ts';
import { adminOnly, type Reason } from '../core/reason.ts';
import { remember } from '../core/remember.ts';
import { ADMIN_ROLE, type Session } from '../core/session.ts';
import type { ClientRequest } from '../graphql/execution.ts';
import type { Limits } from '../graphql/limits.ts';
import type { HttpRequestObservation, LoggedError, LoggedQuery, Observer } from '../observe/logs/observe.ts';
import type { Trace } from '../outgoing/trace.ts';
import type { Authenticate } from '../session/incoming.ts';
import type { DirectEndpoint } from './direct.ts';
import { refuseForeignWrite } from './foreign-site.ts';
import type { LogOperation } from './operation-log.ts';
import { positionsOf, type SeenPositions } from './positions.ts';

export interface HttpContext {
  readonly configuration: Configuration;
  readonly observe: Observer;
  readonly authenticate: Authenticate;
  /** Limits of the served program; absent: none. */
  readonly limits?: () => Limits;
  readonly logOperation: LogOperation;
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

/** Data for the log line of a request; endpoints fill it in. */
export interface Exchange {
  readonly requestId: string;
  /** performance.now() when the request arrived. */
  readonly startedAt: number;
  /** The client's address, which its socket no longer knows when it is closed. */
  readonly ip: string;
  session: Session | undefined;
  mode: HttpRequestObservation['mode'];
  error: LoggedError | undefined;
  /** The path with names in place of values, where the endpoint knows it better than its address. */
  route: string | undefined;
  /** Settles when the reason of the error is known. */
  explaining: Promise<void> | undefined;
  /** The operation, where logs show it; of a batch the last. */
  query: LoggedQuery | undefined;
  rawQuery: string | undefined;
  /** Values of masked variables. */
  secrets: readonly string[];
  /** Seconds until the whole request was there. */
  readTime: number | undefined;
  readonly trace: Trace;
  responseSize: number;
  uncompressedResponseSize: number;
  /** Cookies that the answer carries. */
  cookies: readonly string[];
  /** Positions of its writes, and of earlier writes that it has to see; undefined: it does not matter. */
  positions: SeenPositions | undefined;
}

/** A request as endpoints see it: one of Fastify, or of direct.ts. */
export interface HttpRequest {
  readonly exchange: Exchange;
  readonly headers: IncomingHttpHeaders;
  readonly raw: IncomingMessage;
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
  /** The pattern of the endpoint, such as `/v1/actions/:id/complete`; absent if no endpoint matches. */
  readonly routeOptions?: { readonly url?: string | undefined };
}

/** The answer, of Fastify or of direct.ts. Names of headers are in lower case. */
export interface HttpReply {
  readonly statusCode: number;
  code(status: number): this;
  header(name: string, value: OutgoingHttpHeader): this;
  getHeader(name: string): OutgoingHttpHeader | undefined;
  send(text: string): this;
}

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange;
  }
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
  const { exchange, headers, raw, id } = request;
  exchange.readTime = (performance.now() - exchange.startedAt) / 1000;
  const incoming = {
    headers,
    rawHeaders: raw.rawHeaders,
    requestId: id,
    trace: exchange.trace,
    body,
    isKept: false,
    setCookies: cookiesOf(exchange),
  };
  const session = await context.authenticate(incoming);
  exchange.session = session;
  context.limits?.().countRequest(session, exchange.ip);
  return session;
}

/** The request as the calls that its operation makes may see it. */
export function clientOf(
  { configuration }: HttpContext,
  request: HttpRequest,
  { query, operationName }: Pick<ClientRequest, 'query' | 'operationName'>,
  partialErrors?: string[],
): ClientRequest {
  const { headers, method, exchange, raw } = request;
  return {
    headers,
    query,
    operationName,
    requestId: exchange.requestId,
    trace: exchange.trace,
    checkWrite: () => {
      if (exchange.session?.fromCookie) refuseForeignWrite({ method, headers }, configuration);
    },
    isWaiting: () => !raw.socket.destroyed,
    signal: () => signalOfClient(raw.socket),
    positions: positionsOf(request, configuration),
    partialErrors,
    addCookies: (cookies) => {
      // Members of a batch share one answer.
      if (exchange.mode === 'batched') return;
      exchange.cookies = [...exchange.cookies, ...cookies];
    },
  };
}

const signals = new WeakMap<Socket, AbortSignal>();

/** Aborted when the connection closes. */
function signalOfClient(socket: Socket): AbortSignal {
  return remember(signals, socket, () => {
    const controller = new AbortController();
    const gone = () => controller.abort();
    socket.once(
      'close',
      guarded(gone, () => socket.destroy()),
    );
    return controller.signal;
  });
}

function cookiesOf(exchange: Exchange): (cookies: readonly string[]) => void {
  return (cookies) => {
    exchange.cookies = cookies;
  };
}

/**
 * Like authenticateRequest, for endpoints of administrators.
 * @throws EngineError access-denied for any other role
 */
export async function authenticateAdmin(
  context: HttpContext,
  request: HttpRequest,
  message = 'You have to be an admin to access this endpoint',
  path = '$',
): Promise<Session> {
  const session = await authenticateRequest(context, request);
  if (session.role !== ADMIN_ROLE)
    throw new EngineError('access-denied', message, { path, reason: adminOnly(session.role) });
  return session;
}

/** Seconds after which a client may ask again where the server could not answer. */
const RETRY_AFTER = 1;

/** Answers with JSON text that is passed through as it is. */
export function sendJson<Reply extends HttpReply>(
  reply: Reply,
  json: string,
  status = 200,
  type = JSON_TYPE,
): Reply {
  if (status === 503) reply.header('retry-after', RETRY_AFTER);
  return reply.code(status).header('content-type', type).send(json);
}
