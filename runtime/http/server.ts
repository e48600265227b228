/** The HTTP server: what holds for every endpoint, and the endpoint families as plugins. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type FastifyInstance, fastify } from 'fastify';
import { shareOf } from '../configuration/configuration.ts';
import { guarded } from '../core/guarded.ts';
import { installBodyParser } from './body.ts';
import { limitConnections } from './connections.ts';
import type { Endpoints, HttpContext } from './context.ts';
import { installCors } from './cors.ts';
import { installDirect, refuseDirectly } from './direct.ts';
import { installErrorHandlers, refuseAddress, refuseExpectation, refuseUnreadable } from './errors.ts';
import { openServerPages } from './foreign-site.ts';
import { createMasking } from './masking.ts';
import { UTF8_HEADERS } from './messages.ts';
import { createOperationLog } from './operation-log.ts';
import { limitRequests } from './overload.ts';
import type { HttpRequest } from './request.ts';
import { createSteps } from './steps.ts';

/** Milliseconds between two looks for connections whose requests do not arrive in time. */
const CHECKING_INTERVAL = 1000;

/** Makes the server; it does not listen yet. */
export function createServer(
  given: Omit<HttpContext, 'logOperation' | 'masking' | 'direct'>,
  families: readonly Endpoints[],
): FastifyInstance {
  const { configuration, observe } = given;
  const masking = createMasking(configuration.logMaskedVariables);
  const context: HttpContext = {
    ...given,
    masking,
    logOperation: createOperationLog(configuration, observe, masking),
    direct: new Map(),
  };
  const steps = createSteps(given);
  const app = fastify({
    logger: false,
    bodyLimit: configuration.maxRequestBodySize,
    keepAliveTimeout: configuration.serverTimeout * 1000,
    requestTimeout: configuration.requestTimeout * 1000,
    forceCloseConnections: 'idle',
    // What still arrives while it stops listening is answered, too.
    return503OnClosing: false,
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
  limitConnections(app.server, configuration.maxConnectionsPerAddress, steps.failed);
  app.decorateRequest('own', null as unknown as HttpRequest);
  app.addHook('onRequest', (request, _reply, done) => {
    request.own = steps.begin(request.raw, request.routeOptions.url);
    done();
  });
  const admit = limitRequests(
    app,
    shareOf(configuration.maxConcurrentRequests, configuration),
    configuration.vocabulary,
    steps.failed,
  );
  const refusePage = openServerPages(configuration);
  if (refusePage)
    app.addHook('onRequest', async (request) => {
      refusePage(request);
    });
  installCors(app, configuration);
  installBodyParser(app);
  installErrorHandlers(app, context);
  // One hook, because each one is a step of every answer.
  app.addHook('onSend', (request, reply, payload, done) => steps.complete(request.own, reply, payload, done));
  app.addHook('onResponse', (request, reply, done) => {
    steps.answered(request.own, reply);
    done();
  });
  installDirect(app, context, steps, admit);
  const expects = (request: IncomingMessage, response: ServerResponse) =>
    refuseDirectly(request, response, steps, refuseExpectation);
  app.server.on(
    'checkExpectation',
    guarded(expects, (error) => steps.failed(error)),
  );
  for (const family of families) app.register(async (instance) => family(instance, context));
  return app;
}

function noSchemas(): never {
  throw new Error('routes have no schemas');
}
