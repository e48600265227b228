/** The HTTP server: what holds for every endpoint, and the endpoint families as plugins. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type FastifyInstance, fastify } from 'fastify';
import type { Configuration } from '../configuration/configuration.ts';
import { guarded } from '../core/guarded.ts';
import { vocabulary } from '../core/vocabulary.ts';
import type { LoggedQuery } from '../observe/logs/observe.ts';
import { traceOf } from '../outgoing/trace.ts';
import { installBodyParser } from './body.ts';
import { compress } from './compression.ts';
import { limitConnections } from './connections.ts';
import type { Endpoints, Exchange, HttpContext, HttpReply, HttpRequest } from './context.ts';
import { installCors } from './cors.ts';
import { type DirectSteps, installDirect, refuseDirectly } from './direct.ts';
import { installErrorHandlers, refuseAddress, refuseExpectation, refuseUnreadable } from './errors.ts';
import { openServerPages } from './foreign-site.ts';
import { withoutSecrets } from './masking.ts';
import { UTF8_HEADERS } from './messages.ts';
import { createOperationLog } from './operation-log.ts';
import { limitRequests } from './overload.ts';
import { addPositions } from './positions.ts';

/** Milliseconds between two looks for connections whose requests do not arrive in time. */
const CHECKING_INTERVAL = 1000;

/** Makes the server; it does not listen yet. */
export function createServer(
  given: Omit<HttpContext, 'logOperation' | 'direct'>,
  families: readonly Endpoints[],
): FastifyInstance {
  const { configuration, observe } = given;
  const context: HttpContext = {
    ...given,
    logOperation: createOperationLog(configuration, observe),
    direct: new Map(),
  };
  const app = fastify({
    logger: false,
    bodyLimit: configuration.maxRequestBodySize,
    keepAliveTimeout: configuration.serverTimeout * 1000,
    requestTimeout: configuration.requestTimeout * 1000,
    forceCloseConnections: 'idle',
    genReqId: requestId,
    frameworkErrors: (_, request, reply) => refuseDirectly(request.raw, reply.raw, steps, refuseAddress),
    clientErrorHandler: refuseUnreadable,
    http: {
      ...UTF8_HEADERS,
      maxHeaderSize: configuration.maxTotalHeaderLength,
      // The platform does not take more time for headers than for the whole request.
      headersTimeout: Math.min(configuration.requestHeaderTimeout, configuration.requestTimeout) * 1000,
      connectionsCheckingInterval: CHECKING_INTERVAL,
    },
    routerOptions: { ignoreTrailingSlash: false },
    // No route has a schema: without these, packages that compile schemas would be loaded.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
  });
  // Node would drop what comes after the 2,000th header without a word, a role that narrows an administrator for instance.
  // Their total length is limited.
  app.server.maxHeadersCount = 0;
  const report = (error: unknown, requestId?: string) =>
    observe({ kind: 'unhandled-internal-error', requestId, error });
  limitConnections(app.server, configuration.maxConnectionsPerAddress, report);
  app.decorateRequest('exchange', null as unknown as Exchange);
  app.addHook('onRequest', (request, reply, done) => {
    request.exchange = beginExchange(request.raw, request.id, given.sample);
    reply.header('x-request-id', request.id);
    done();
  });
  const admit = limitRequests(app, configuration.maxConcurrentRequests, report);
  const refusePage = openServerPages(configuration);
  if (refusePage)
    app.addHook('onRequest', async (request) => {
      refusePage(request);
    });
  installCors(app, configuration);
  installBodyParser(app);
  installErrorHandlers(app, context);
  const addHeaders = (request: HttpRequest, reply: HttpReply) => {
    addPositions(request, reply, configuration);
    const { cookies } = request.exchange;
    if (cookies.length > 0) reply.header('set-cookie', [...cookies]);
    // The client should not send its next request here.
    if (given.isDraining?.()) reply.header('connection', 'close');
  };
  const answered = (request: HttpRequest, reply: HttpReply) => {
    const { explaining, requestId } = request.exchange;
    if (explaining) {
      explaining.then(() => logRequest(request, reply)).catch((error: unknown) => report(error, requestId));
    } else logRequest(request, reply);
  };
  // One hook, because each one is a step of every answer.
  app.addHook('onSend', (request, reply, payload, done) => {
    addHeaders(request, reply);
    if (typeof payload === 'string') compress(request, reply, payload, done);
    else done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    answered(request, reply);
    done();
  });
  const steps: DirectSteps = {
    endpoint: (path) => context.direct.get(path),
    bodyLimit: configuration.maxRequestBodySize,
    admit,
    begin: (request) => beginExchange(request, requestId(request), given.sample),
    complete: (request, reply, text, done) => {
      addHeaders(request, reply);
      compress(request, reply, text, done);
    },
    answered,
    failed: report,
  };
  installDirect(app, steps);
  const expects = (request: IncomingMessage, response: ServerResponse) =>
    refuseDirectly(request, response, steps, refuseExpectation);
  app.server.on(
    'checkExpectation',
    guarded(expects, (error) => report(error)),
  );
  function logRequest(request: HttpRequest, reply: HttpReply): void {
    const { exchange, raw } = request;
    observe({
      kind: 'http-request',
      requestId: exchange.requestId,
      status: reply.statusCode,
      method: request.method,
      ip: exchange.ip.startsWith('::ffff:') ? exchange.ip.slice(7) : exchange.ip,
      url: withoutSecrets(pathOf(request.url), exchange.secrets),
      httpVersion: raw.httpVersion,
      contentEncoding: reply.getHeader('content-encoding') as string | undefined,
      userVariables: exchange.session && vocabulary().session(exchange.session.variables),
      mode: exchange.mode,
      requestSize: Number(request.headers['content-length'] ?? 0),
      responseSize: exchange.responseSize,
      uncompressedResponseSize: exchange.uncompressedResponseSize,
      executionTime: (performance.now() - exchange.startedAt) / 1000,
      readTime: exchange.readTime,
      query: queryToLog(exchange, configuration),
      rawQuery: exchange.rawQuery,
      trace: exchange.trace,
      error: withoutSecrets(exchange.error, exchange.secrets),
      route: exchange.error && (exchange.route ?? request.routeOptions?.url),
    });
  }
  for (const family of families) app.register(async (instance) => family(instance, context));
  return app;
}

/** As the client says, else a new one. */
function requestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && given !== '' ? given : randomUUID();
}

function beginExchange(
  { headers, socket }: IncomingMessage,
  requestId: string,
  sample: HttpContext['sample'],
): Exchange {
  return {
    requestId,
    startedAt: performance.now(),
    ip: socket.remoteAddress ?? '',
    session: undefined,
    mode: 'non-graphql',
    error: undefined,
    explaining: undefined,
    query: undefined,
    rawQuery: undefined,
    secrets: [],
    readTime: undefined,
    trace: traceOf(headers, sample),
    responseSize: 0,
    uncompressedResponseSize: 0,
    cookies: [],
    positions: undefined,
    route: undefined,
  };
}

function noSchemas(): never {
  throw new Error('routes have no schemas');
}

/** An address without its query, which may hold a token or the values of variables. */
function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

function queryToLog({ query, error }: Exchange, configuration: Configuration): LoggedQuery | undefined {
  if (!query || error || !configuration.httpLogQueryOnlyOnError) return query;
  return query.operationName === undefined ? {} : { operationName: query.operationName };
}
