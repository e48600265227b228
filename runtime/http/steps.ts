/** The steps that every request takes, through Fastify (server.ts) or around it (direct.ts). */
import type { IncomingMessage } from 'node:http';
import type { Configuration } from '../configuration/configuration.ts';
import type { LoggedQuery } from '../observe/logs/observe.ts';
import { compress } from './compression.ts';
import type { HttpContext, HttpReply } from './context.ts';
import { withoutSecrets } from './masking.ts';
import { addPositions } from './positions.ts';
import { HttpRequest } from './request.ts';

export interface Steps {
  /** @param route the pattern of the endpoint, where its path has parameters */
  readonly begin: (message: IncomingMessage, route?: string) => HttpRequest;
  /** Adds what every answer has, and may compress a text or its bytes. */
  readonly complete: <Payload>(
    request: HttpRequest,
    reply: HttpReply,
    payload: Payload,
    done: (error: Error | null, body?: Payload | string | Uint8Array) => void,
  ) => void;
  /** The answer was handed over to the operating system. */
  readonly answered: (request: HttpRequest, reply: HttpReply) => void;
  /** No answer could be made. The id is that of the request, if it had one already. */
  readonly failed: (error: unknown, requestId?: string) => void;
}

export function createSteps(context: Omit<HttpContext, 'logOperation' | 'masking' | 'direct'>): Steps {
  const { configuration, observe, isDraining } = context;
  const failed = (error: unknown, requestId?: string) =>
    observe({ kind: 'unhandled-internal-error', requestId, error });
  const log = (request: HttpRequest, reply: HttpReply) => {
    const { ip, secrets, session, error } = request;
    observe({
      kind: 'http-request',
      requestId: request.requestId,
      status: reply.statusCode,
      method: request.method,
      ip: ip.startsWith('::ffff:') ? ip.slice(7) : ip,
      url: withoutSecrets(pathOf(request.url), secrets),
      httpVersion: request.raw.httpVersion,
      contentEncoding: reply.getHeader('content-encoding') as string | undefined,
      userVariables: session?.vocabulary.session(session.variables),
      mode: request.mode,
      requestSize: Number(request.headers['content-length'] ?? 0),
      responseSize: request.responseSize,
      uncompressedResponseSize: request.uncompressedResponseSize,
      executionTime: (performance.now() - request.startedAt) / 1000,
      readTime: request.readTime,
      query: queryToLog(request, configuration),
      rawQuery: request.rawQuery,
      trace: request.trace,
      error: withoutSecrets(error, secrets),
      route: error && request.route,
    });
  };
  return {
    begin: (message, route) => new HttpRequest(message, context, route),
    complete: (request, reply, payload, done) => {
      reply.header('x-request-id', request.requestId);
      addPositions(request, reply, configuration);
      const { cookies, maxAge } = request;
      if (cookies.length > 0) reply.header('set-cookie', [...cookies]);
      if (maxAge !== undefined) reply.header('cache-control', `max-age=${maxAge}`);
      // The client should not send its next request here.
      if (isDraining?.()) reply.header('connection', 'close');
      if (typeof payload === 'string' || payload instanceof Uint8Array)
        compress(request, reply, payload, done);
      else done(null, payload);
    },
    answered: (request, reply) => {
      const { explaining, requestId } = request;
      if (explaining)
        explaining.then(() => log(request, reply)).catch((error: unknown) => failed(error, requestId));
      else log(request, reply);
    },
    failed,
  };
}

/** An address without its query, which may hold a token or the values of variables. */
function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

function queryToLog({ query, error }: HttpRequest, configuration: Configuration): LoggedQuery | undefined {
  if (!query || error || !configuration.httpLogQueryOnlyOnError) return query;
  return query.operationName === undefined ? {} : { operationName: query.operationName };
}
