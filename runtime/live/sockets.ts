/**
 * WebSockets at the GraphQL endpoints: which upgrades are accepted, and what each socket gets of the server. At the end all
 * of them are closed in a way that lets clients come back.
 */
import { randomUUID } from 'node:crypto';
import { type IncomingHttpHeaders, type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Configuration } from '../configuration/configuration.ts';
import { originMatcher } from '../configuration/origins.ts';
import { EngineError } from '../core/errors.ts';
import { guarded } from '../core/guarded.ts';
import { answerCall, type CurrentlyServed } from '../graphql/answer.ts';
import { Request } from '../graphql/request.ts';
import type { Endpoints, HttpContext } from '../http/context.ts';
import { errorObject, sendableError } from '../http/errors.ts';
import { isOwnOrigin, openServerPages } from '../http/foreign-site.ts';
import { graphqlCall, RELAY, readRelayCall } from '../http/graphql.ts';
import { SeenPositions } from '../http/positions.ts';
import { traceOf } from '../outgoing/trace.ts';
import { refuseSecondAuthorization } from '../session/authenticate.ts';
import { createKeepAlive, type KeepAlive } from './keep-alive.ts';
import { createOperations } from './operations.ts';
import { createOutbox } from './outbox.ts';
import { chooseProtocol, type ErrorShape, Messages, serverError } from './protocol.ts';
import { closeFirmly, serveSocket } from './socket.ts';
import { createSocketLog } from './socket-log.ts';
import { ownerOf, type Subscriptions } from './subscriptions.ts';
import { Turns } from './turns.ts';

/** Bytes of a message from a client. */
const MAX_MESSAGE = 16 * 1024 * 1024;

const PATHS: Readonly<Record<string, ErrorShape>> = {
  '/v1/graphql': 'graphql',
  '/v1alpha1/graphql': 'plain',
  [RELAY]: 'graphql',
};

/** Headers that belong to the upgrade, and say nothing of the client. */
const TECHNICAL = new Set(['sec-websocket-key', 'sec-websocket-version', 'upgrade', 'connection']);

/**
 * The socket endpoints.
 * @param whenSwapped is given what to call after another program is served
 */
export function socketEndpoints(
  current: CurrentlyServed,
  subscriptions: Subscriptions,
  whenSwapped: (listener: () => void) => void,
): Endpoints {
  return (app, context) => {
    const { configuration } = context;
    if (!configuration.enabledApis.includes('graphql')) return;
    const acceptor = new WebSocketServer({
      noServer: true,
      handleProtocols: (offered) => {
        const { protocol, named } = chooseProtocol([...offered].join());
        return named && protocol;
      },
      maxPayload: Math.min(MAX_MESSAGE, configuration.maxRequestBodySize),
      perMessageDeflate: configuration.websocketCompression && COMPRESSION,
    });
    const keepAlive = createKeepAlive<() => void>(configuration.websocketKeepalive, (send) => send());
    const check = upgradeCheck(configuration);
    const turns = new Turns();
    let stopping = false;

    const report = (error: unknown) => context.observe({ kind: 'unhandled-internal-error', error });
    const upgrade = (request: IncomingMessage, stream: Duplex, head: Buffer) => {
      const end = () => stream.destroy();
      stream.on('error', guarded(end, report));
      let checked: Upgrade;
      try {
        if (stopping) throw new EngineError('unexpected', 'Server is shutting down', { status: 503 });
        checked = check(request);
      } catch (thrown) {
        const error = sendableError(context, randomUUID(), thrown);
        refuse(stream, error);
        createSocketLog(randomUUID(), context, () => undefined).rejected(error);
        return;
      }
      acceptor.handleUpgrade(request, stream, head, (socket) => {
        serve(socket, checked, context, { current, subscriptions, keepAlive, turns });
        if (stopping) socket.close(1012, SHUTTING_DOWN);
      });
    };
    const failed = (error: unknown, _: IncomingMessage, stream: Duplex) => {
      report(error);
      stream.destroy();
    };
    app.server.on('upgrade', guarded(upgrade, failed));
    const spread = () => Math.min(acceptor.clients.size, configuration.gracefulShutdownTimeout * 500);
    const { closeWebsocketsOnMetadataChange: close, disableCloseWebsocketsOnMetadataChange: keep } =
      configuration;
    if (close && !keep) whenSwapped(() => closeAll([...acceptor.clients], 'the metadata changed', spread()));
    app.addHook('preClose', async () => {
      stopping = true;
      const duration = spread();
      closeAll([...acceptor.clients], SHUTTING_DOWN, duration);
      setTimeout(keepAlive.stop, duration).unref();
    });
  };
}

/** Closes sockets in equal distances: their clients connect to another server at once, which would not bear all together. */
function closeAll(sockets: readonly WebSocket[], reason: string, milliseconds: number): void {
  sockets.forEach((socket, index) => {
    const close = () => closeFirmly(socket, 1012, reason);
    setTimeout(close, (milliseconds * index) / sockets.length).unref();
  });
}

const SHUTTING_DOWN = 'shutting server down';

/** Little memory for each socket: contexts of compression take hundreds of kilobytes. */
const COMPRESSION = {
  serverNoContextTakeover: true,
  clientNoContextTakeover: true,
  threshold: 1024,
  concurrencyLimit: 4,
} as const;

interface Upgrade {
  readonly shape: ErrorShape;
  readonly relay: boolean;
  readonly headers: IncomingHttpHeaders;
  readonly address: string;
}

/** The data of a request that a socket keeps. @throws EngineError when it is refused */
function upgradeCheck(configuration: Configuration): (request: IncomingMessage) => Upgrade {
  const namesOrigins = !configuration.disableCors && !configuration.corsDomain.includes('*');
  const allows = configuration.disableCors ? () => true : originMatcher(configuration.corsDomain);
  const refusePage = openServerPages(configuration);
  return ({ url = '', headers: given, rawHeaders, socket }) => {
    refuseSecondAuthorization(rawHeaders);
    refusePage?.({ url, headers: given });
    const path = url.split('?', 1)[0]!;
    const shape = Object.hasOwn(PATHS, path) ? PATHS[path] : undefined;
    if (!shape) {
      const paths = Object.keys(PATHS).map((each) => `'${each}'`);
      const list = `${paths.slice(0, -1).join(', ')} and ${paths.at(-1)}`;
      throw new EngineError('not-found', `only ${list} are supported on websockets`, {
        status: 404,
      });
    }
    const relay = path === RELAY;
    if (relay && !configuration.enableRelay) throw new EngineError('not-supported', 'relay is not enabled');
    const { origin } = given;
    if (origin !== undefined && !allows(origin))
      throw new EngineError('access-denied', 'received origin header does not match configured CORS domains');
    const headers = Object.fromEntries(Object.entries(given).filter(([name]) => !TECHNICAL.has(name)));
    if (!configuration.wsReadCookie) {
      // Any page may open a socket, without a preflight, and browsers attach cookies and passwords: they count for origins that
      // CORS names, and for this server's own.
      const isForeign = !namesOrigins && !isOwnOrigin(given);
      if (isForeign || configuration.disableCors) delete headers.cookie;
      if (isForeign && /^basic /i.test(String(headers.authorization))) delete headers.authorization;
    }
    return { shape, relay, headers, address: socket.remoteAddress ?? '' };
  };
}

function refuse(stream: Duplex, error: EngineError): void {
  const body = JSON.stringify(errorObject(error, false));
  const headers = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(error.status === 503 ? ['Retry-After: 0'] : []),
  ];
  stream.end(`${headers.join('\r\n')}\r\n\r\n${body}`);
}

function serve(
  socket: WebSocket,
  { shape, relay, headers, address }: Upgrade,
  context: HttpContext,
  {
    current,
    subscriptions,
    keepAlive,
    turns,
  }: {
    current: CurrentlyServed;
    subscriptions: Subscriptions;
    keepAlive: KeepAlive<() => void>;
    turns: Turns;
  },
): void {
  const { configuration, logOperation } = context;
  const messages = new Messages(chooseProtocol(socket.protocol).protocol, shape);
  const id = randomUUID();
  // Those of `connection_init`: headers of the upgrade serve nothing but authentication.
  let requestHeaders: Readonly<Record<string, string>> = {};
  const log = createSocketLog(id, context, () => requestHeaders['x-request-id']);
  log.accepted();
  const sendable = (thrown: unknown) => sendableError(context, id, thrown);
  const lastResort = (thrown: unknown) => {
    const { message } = sendable(thrown);
    closeFirmly(socket, 4500, serverError(4500, message));
  };
  const { countTraffic } = context;
  if (countTraffic) {
    const count = (data: Buffer) => countTraffic.received(data.length);
    socket.on('message', guarded(count, lastResort));
  }
  const sent = (message: string | Buffer) => {
    log.sent(message);
    countTraffic?.sent(message.length);
  };
  // A client that reads too slowly will not read the close frame either.
  const giveUp = () => closeFirmly(socket, 1013, 'the client reads too slowly');
  const outbox = createOutbox(socket, sent, giveUp, lastResort);
  const trace = traceOf(headers);
  const alive = guarded(() => outbox.send(messages.keepAlive), lastResort);
  const positions = configuration.readYourWrites === 'off' ? undefined : new SeenPositions();
  const operations = createOperations({
    read: relay ? readRelayCall : graphqlCall,
    messages,
    outbox,
    subscriptions,
    socketId: id,
    maximum: configuration.websocketMaxOperations,
    sendable,
    count: (session) => context.limits?.().countRequest(session, address),
    run: (call, session, { requestId }) => {
      const client = { headers: requestHeaders, positions };
      return logOperation({ requestId, secrets: [], query: undefined }, call, (watch) =>
        answerCall(call, new Request(current(), session, { client, call, watch, partialErrors: [] })),
      );
    },
    log: (operation, call) => log.operation(operation, call),
    lastResort,
  });
  const turn = turns.open(socket, id);
  const dropped = () => {
    keepAlive.remove(alive);
    turn.close();
  };
  socket.once('close', guarded(dropped, lastResort));
  serveSocket(socket, {
    messages,
    outbox,
    operations,
    headers,
    vocabulary: configuration.vocabulary,
    log,
    initTimeout: configuration.websocketConnectionInitTimeout * 1000,
    authenticate: async (given, own) => {
      requestHeaders = own;
      const session = await context.authenticate({
        headers: given,
        rawHeaders: Object.entries(given).flatMap(([name, value]) => [name, String(value)]),
        requestId: own['x-request-id'] ?? id,
        trace,
        body: undefined,
        isKept: true,
        setCookies: () => {},
      });
      turn.identify(ownerOf(session, id));
      return session;
    },
    turn,
    opened: () => {
      alive();
      keepAlive.add(alive);
    },
    lastResort,
  });
}
