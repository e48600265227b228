/** A socket's parts, and what they ask of the server: who the client is, and how its operations run. */
import type { IncomingHttpHeaders } from 'node:http';
import type { RawData, WebSocket } from 'ws';
import type { EngineError } from '../core/errors.ts';
import type { Session } from '../core/session.ts';
import { uniqueId } from '../core/unique-id.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import { answerCall, type CurrentlyServed } from '../graphql/answer.ts';
import { wholeText } from '../graphql/answer-text.ts';
import { Request } from '../graphql/request.ts';
import type { GraphqlCall } from '../graphql/saved/call.ts';
import type { HttpContext } from '../http/context.ts';
import { sendableError } from '../http/errors.ts';
import { graphqlCall, readRelayCall } from '../http/graphql.ts';
import { SeenPositions } from '../http/positions.ts';
import { type Trace, traceOf } from '../outgoing/trace.ts';
import type { KeepAlive } from './keep-alive.ts';
import { type OperationLog, Operations, type OperationsContext } from './operations.ts';
import { Outbox, type OutboxOwner } from './outbox.ts';
import { chooseProtocol, type ErrorShape, MESSAGES, type Messages, serverError } from './protocol.ts';
import { closeFirmly, type SocketContext } from './socket.ts';
import { SocketLog } from './socket-log.ts';
import { ownerOf, type Subscriptions } from './subscriptions.ts';
import type { Turn, Turns } from './turns.ts';

/** The data of a request for a socket that the socket keeps. */
export interface SocketUpgrade {
  readonly shape: ErrorShape;
  readonly relay: boolean;
  readonly headers: IncomingHttpHeaders;
  readonly address: string;
}

/** What all sockets of the server share. */
interface SocketServer {
  readonly context: HttpContext;
  readonly current: CurrentlyServed;
  readonly subscriptions: Subscriptions;
  readonly keepAlive: KeepAlive<ClientSocket>;
  readonly turns: Turns;
}

/** One object, with no functions made for it, because there may be many thousands. */
export class ClientSocket implements SocketContext, OperationsContext, OutboxOwner {
  readonly #socket: WebSocket;
  readonly #shared: SocketServer;
  readonly #upgrade: SocketUpgrade;
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

  constructor(socket: WebSocket, upgrade: SocketUpgrade, shared: SocketServer) {
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
  disconnect(): void {
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

  async run(call: GraphqlCall, session: Session, { requestId }: OperationLog): Promise<string> {
    const { context, current } = this.#shared;
    const client = { headers: this.#requestHeaders, positions: this.#positions };
    const answer = await context.logOperation({ requestId, secrets: [], query: undefined }, call, (watch) =>
      answerCall(call, new Request(current(), session, { client, call, watch, partialErrors: [] })),
    );
    return wholeText(answer);
  }
}
