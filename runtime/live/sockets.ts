/**
 * WebSockets at the GraphQL endpoints: which upgrades are accepted. At the end all sockets are closed in a way that lets clients come
 * back.
 */

import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Configuration } from '../configuration/configuration.ts';
import { originMatcher } from '../configuration/origins.ts';
import { EngineError } from '../core/errors.ts';
import { guarded } from '../core/guarded.ts';
import { wordList } from '../core/names.ts';
import type { CurrentlyServed } from '../graphql/answer.ts';
import type { Endpoints } from '../http/context.ts';
import { errorObject, sendableError } from '../http/errors.ts';
import { isOwnOrigin, openServerPages } from '../http/foreign-site.ts';
import { RELAY } from '../http/graphql.ts';
import { refuseSecondAuthorization } from '../session/authenticate.ts';
import { ClientSocket, type SocketUpgrade } from './client-socket.ts';
import { createKeepAlive } from './keep-alive.ts';
import { chooseProtocol, type ErrorShape } from './protocol.ts';
import { closeFirmly, ServedSocket } from './socket.ts';
import { SocketLog } from './socket-log.ts';
import type { Subscriptions } from './subscriptions.ts';
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
    const sendKeepAlive = guarded(
      (client: ClientSocket) => client.sendKeepAlive(),
      (error, client) => client.lastResort(error),
    );
    const keepAlive = createKeepAlive(configuration.websocketKeepalive, sendKeepAlive);
    const check = upgradeCheck(configuration);
    const shared = { context, current, subscriptions, keepAlive, turns: new Turns() };
    let stopping = false;

    const report = (error: unknown) => context.observe({ kind: 'unhandled-internal-error', error });
    const upgrade = (request: IncomingMessage, stream: Duplex, head: Buffer) => {
      const end = () => stream.destroy();
      stream.on('error', guarded(end, report));
      let checked: SocketUpgrade;
      try {
        if (stopping) throw new EngineError('unexpected', 'Server is shutting down', { status: 503 });
        checked = check(request);
      } catch (thrown) {
        const error = sendableError(context, randomUUID(), thrown);
        refuse(stream, error);
        new SocketLog(randomUUID(), context).rejected(error);
        return;
      }
      acceptor.handleUpgrade(request, stream, head, (socket) => {
        const client = new ClientSocket(socket, checked, shared);
        client.log.accepted();
        new ServedSocket(socket, client);
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

/** The data of a request that a socket keeps. @throws EngineError when it is refused */
function upgradeCheck(configuration: Configuration): (request: IncomingMessage) => SocketUpgrade {
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
      const message = `only ${wordList(paths)} are supported on websockets`;
      throw new EngineError('not-found', message, { status: 404 });
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
