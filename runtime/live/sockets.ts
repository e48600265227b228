/**
 * WebSockets at the GraphQL endpoints: which upgrades are accepted, and what each socket gets of the server. At the end all
 * of them are closed in a way that lets clients come back.
 */
import { randomUUID } from 'node:crypto';
import { type IncomingHttpHeaders, type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Configuration } from '../configuration/configuration.ts';
import { originMatcher } from '../configuration/origins.ts';
import { EngineError } from '../core/errors.ts';
import { guarded } from '../core/guarded.ts';
import type { Session } from '../core/session.ts';
import { uniqueId } from '../core/unique-id.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import { answerCall, type CurrentlyServed } from '../graphql/answer.ts';
import { Request } from '../graphql/request.ts';
import type { GraphqlCall } from '../graphql/saved/call.ts';
import type { Endpoints, HttpContext } from '../http/context.ts';
import { errorObject, sendableError } from '../http/errors.ts';
import { isOwnOrigin, openServerPages } from '../http/foreign-site.ts';
import { graphqlCall, RELAY, readRelayCall } from '../http/graphql.ts';
import { SeenPositions } from '../http/positions.ts';
import { type Trace, traceOf } from '../outgoing/trace.ts';
import { refuseSecondAuthorization } from '../session/authenticate.ts';
import { createKeepAlive, type KeepAlive } from './keep-alive.ts';
import { type OperationLog, Operations, type OperationsContext } from './operations.ts';
import { Outbox, type OutboxOwner } from './outbox.ts';
import { chooseProtocol, type ErrorShape, MESSAGES, type Messages, serverError } from './protocol.ts';
import { closeFirmly, ServedSocket, type SocketContext } from './socket.ts';
import { SocketLog } from './socket-log.ts';
import { ownerOf, type Subscriptions } from './subscriptions.ts';
import { type Turn, Turns } from './turns.ts';

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
      let checked: Upgrade;
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

/** What all sockets of the server share. */
interface Shared {
  readonly context: HttpContext;
  readonly current: CurrentlyServed;
  readonly subscriptions: Subscriptions;
  readonly keepAlive: KeepAlive<ClientSocket>;
  readonly turns: Turns;
}

/** A socket's parts, and what they ask of the server. One object and no functions made for it, because there may be many thousands. */
class ClientSocket implements SocketContext, OperationsContext, OutboxOwner {
  readonly #socket: WebSocket;
  readonly #shared: Shared;
  readonly #upgrade: Upgrade;
  readonly #trace: Trace;
  readonly #positions: SeenPositions | undefined;
  /** Those of `connection_init`: headers of the upgrade serve nothing but authentication. */
  #requestHeaders: Readonly<Record<string, string>> = {};
  readonly socketId = uniqueId();
  readonly messages: Messages;
  readonly log: SocketLog;
  readonly outbox: Outbox;
  readonly operations: Operations;
  readonly turn: Turn;

  constructor(socket: WebSocket, upgrade: Upgrade, shared: Shared) {
    const { context, turns } = shared;
    this.#socket = socket;
    this.#shared = shared;
    this.#upgrade = upgrade;
    this.#trace = traceOf(upgrade.headers);
    this.#positions = context.configuration.readYourWrites === 'off' ? undefined : new SeenPositions();
    this.messages = MESSAGES[chooseProtocol(socket.protocol).protocol][upgrade.shape];
    this.log = new SocketLog(this.socketId, context);
    this.outbox = new Outbox(socket, this);
    this.operations = new Operations(this);
    this.turn = turns.open(socket, this.socketId);
  }

  get headers(): IncomingHttpHeaders {
    return this.#upgrade.headers;
  }

  get vocabulary(): Vocabulary {
    return this.#shared.context.configuration.vocabulary;
  }

  get initTimeout(): number {
    return this.#shared.context.configuration.websocketConnectionInitTimeout * 1000;
  }

  get subscriptions(): Subscriptions {
    return this.#shared.subscriptions;
  }

  get maximum(): number {
    return this.#shared.context.configuration.websocketMaxOperations;
  }

  sendable(thrown: unknown): EngineError {
    return sendableError(this.#shared.context, this.socketId, thrown);
  }

  lastResort(thrown: unknown): void {
    const { message } = this.sendable(thrown);
    closeFirmly(this.#socket, 4500, serverError(4500, message));
  }

  /** A client that reads too slowly will not read the close frame either. */
  giveUp(): void {
    closeFirmly(this.#socket, 1013, 'the client reads too slowly');
  }

  received(data: RawData): void {
    // One Buffer, unless `binaryType` is set.
    this.#shared.context.countTraffic?.received((data as Buffer).length);
  }

  sent(message: string | Buffer): void {
    this.log.sent(message);
    this.#shared.context.countTraffic?.sent(message.length);
  }

  opened(): void {
    this.sendKeepAlive();
    this.#shared.keepAlive.add(this);
  }

  sendKeepAlive(): void {
    this.outbox.send(this.messages.keepAlive);
  }

  closed(): void {
    this.outbox.close();
    this.#shared.keepAlive.remove(this);
    this.turn.close();
  }

  async authenticate(given: IncomingHttpHeaders, own: Readonly<Record<string, string>>): Promise<Session> {
    this.#requestHeaders = own;
    this.log.requestId = own['x-request-id'];
    const session = await this.#shared.context.authenticate({
      headers: given,
      rawHeaders: Object.entries(given).flatMap(([name, value]) => [name, String(value)]),
      requestId: own['x-request-id'] ?? this.socketId,
      trace: this.#trace,
      body: undefined,
      isKept: true,
      setCookies: () => {},
    });
    this.turn.identify(ownerOf(session, this.socketId));
    return session;
  }

  read(payload: unknown): GraphqlCall {
    return this.#upgrade.relay ? readRelayCall(payload) : graphqlCall(payload);
  }

  count(session: Session): void | Promise<void> {
    return this.#shared.context.limits?.().countRequest(session, this.#upgrade.address);
  }

  run(call: GraphqlCall, session: Session, { requestId }: OperationLog): Promise<string> {
    const { context, current } = this.#shared;
    const client = { headers: this.#requestHeaders, positions: this.#positions };
    return context.logOperation({ requestId, secrets: [], query: undefined }, call, (watch) =>
      answerCall(call, new Request(current(), session, { client, call, watch, partialErrors: [] })),
    );
  }
}
