/**
 * The life of a socket, on a page: it opens, has some seconds to say who it is, runs operations, and closes. Messages are
 * handled in their order, but none before `connection_init` is answered; after that only the order of one operation's
 * messages is kept, so that a slow query does not delay the end of another one.
 */

import type { IncomingHttpHeaders } from 'node:http';
import type { RawData, WebSocket } from 'ws';
import type { EngineError } from '../core/errors.ts';
import { guarded } from '../core/guarded.ts';
import { hasEnded, requireCurrent, type Session } from '../core/session.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import { socketHeaders } from '../session/admin-secret.ts';
import { isSocketOpen, type Operations } from './operations.ts';
import type { Outbox } from './outbox.ts';
import {
  closeReason,
  InitError,
  MessageError,
  type Messages,
  readMessage,
  serverError,
  startFailed,
} from './protocol.ts';
import type { SocketLog } from './socket-log.ts';
import { Timer } from './timer.ts';
import type { Turn } from './turns.ts';

export interface SocketContext {
  /**
   * Who a client is.
   * @param own headers that `connection_init` brought
   * @throws EngineError
   */
  readonly authenticate: (
    headers: IncomingHttpHeaders,
    own: Readonly<Record<string, string>>,
  ) => Promise<Session>;
  /** Headers of the upgrade, for the first authentication. */
  readonly headers: IncomingHttpHeaders;
  readonly vocabulary: Vocabulary;
  readonly messages: Messages;
  readonly outbox: Outbox;
  readonly operations: Operations;
  /** The form of an error for clients. */
  readonly sendable: (thrown: unknown) => EngineError;
  /** Milliseconds for `connection_init` to arrive. */
  readonly initTimeout: number;
  /** The client has said who it is: keep-alive messages begin. Called once. */
  readonly opened: () => void;
  readonly log: SocketLog;
  /** Data came from the client. */
  readonly received: (data: RawData) => void;
  /** The socket is closed: its parts are released. */
  readonly closed: () => void;
  /** Reports a defect and closes this socket. */
  readonly lastResort: (error: unknown) => void;
  /** When its messages are handled. */
  readonly turn: Turn;
}

const NOTHING_LEFT = { ended: true, next: Number.POSITIVE_INFINITY } as const;

/** Milliseconds that a client has to answer when the server closes. */
const CLOSING = 2000;

/** Messages, and characters of them, that may wait for the answer to `connection_init`. */
const MAX_EARLY = 1000;
const MAX_EARLY_LENGTH = 16 * 1024 * 1024;

/** Closes a socket, also if the client does not answer the close frame. */
export function closeFirmly(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, closeReason(reason));
  setTimeout(() => socket.terminate(), CLOSING).unref();
}

export class ServedSocket {
  readonly #socket: WebSocket;
  readonly #context: SocketContext;
  readonly #initTimer: Timer;
  readonly #expiry: Timer;
  #session: Session | undefined;
  /** Messages that wait while a session is being made; undefined: none is. */
  #early: string[] | undefined;
  #earlyLength = 0;

  constructor(socket: WebSocket, context: SocketContext) {
    this.#socket = socket;
    this.#context = context;
    const lastResort = (error: unknown) => context.lastResort(error);
    this.#initTimer = new Timer(() =>
      this.#close(this.#isOld ? 1011 : 4408, closeReason('Connection initialisation timed out')),
    );
    this.#expiry = new Timer(() => this.#endSessions());
    this.#initTimer.at(Date.now() + context.initTimeout);
    socket.on(
      'message',
      guarded((data: RawData) => this.#arrived(data), lastResort),
    );
    // `ws` closes the socket after an error in a frame.
    socket.on(
      'error',
      guarded((error: Error) => context.log.protocolError(error.message), lastResort),
    );
    socket.on(
      'close',
      guarded((code: number, reason: Buffer) => this.#closed(code, reason), lastResort),
    );
  }

  get #isOld(): boolean {
    return this.#context.messages.protocol === 'graphql-ws';
  }

  #close(code: number, reason: string): void {
    if (!isSocketOpen(this.#socket)) return;
    this.#context.operations.stopAll();
    closeFirmly(this.#socket, code, reason);
  }

  #closed(code: number, reason: Buffer): void {
    const { operations, log } = this.#context;
    this.#initTimer.clear();
    this.#expiry.clear();
    this.#context.closed();
    operations.stopAll();
    log.closed(code, reason.toString());
  }

  /** Ends what the sessions of this socket have started and that may not outlive them; with the last session the socket ends. */
  #endSessions(): void {
    const socket = this.#socket;
    const session = this.#session;
    const { operations, outbox } = this.#context;
    if (!isSocketOpen(socket)) return;
    const isOver = session !== undefined && hasEnded(session);
    // Clients that come back start their operations again, unless those have ended with an error.
    const { ended, next } = isOver ? NOTHING_LEFT : operations.endExpired();
    // What a slow client has not taken yet was read for a session that has ended.
    if (ended && outbox.isFull) socket.terminate();
    else if (isOver) this.#close(4403, serverError(4403, 'Forbidden'));
    else {
      const first = Math.min(next, session?.expiresAt ?? next);
      if (first < Number.POSITIVE_INFINITY) this.#expiry.at(first);
      else this.#expiry.clear();
    }
  }

  #arrived(data: RawData): void {
    const context = this.#context;
    context.received(data);
    const text = data.toString();
    context.log.received(text);
    context.turn.take(this.#job(text));
  }

  #job(text: string): () => void {
    return guarded(
      () => this.#receive(text),
      (error) => this.#context.lastResort(error),
    );
  }

  #receive(text: string): Promise<void> | undefined {
    if (!isSocketOpen(this.#socket)) return undefined;
    if (!this.#early) return this.#handle(text);
    this.#earlyLength += text.length;
    if (this.#early.push(text) > MAX_EARLY || this.#earlyLength > MAX_EARLY_LENGTH)
      this.#close(1008, 'too many messages before connection_ack');
    return undefined;
  }

  #handle(text: string): Promise<void> | undefined {
    const { messages, outbox, operations, log } = this.#context;
    try {
      const message = readMessage(text);
      switch (message.type) {
        case 'init':
          return this.#open(message.headers);
        case 'start':
          this.#start(message.id, message.payload);
          return;
        case 'stop':
          operations.stop(message.id);
          return;
        case 'ping':
          outbox.send(messages.pong(message.payload));
          return;
        case 'terminate':
          this.#close(1000, '');
          return;
        case 'pong':
      }
    } catch (error) {
      // Any other goes to the last resort.
      if (!(error instanceof MessageError)) throw error;
      const isOld = this.#isOld;
      log.protocolError(error.message);
      if (isOld) outbox.send(messages.connectionError(error.message));
      if (!isOld || error instanceof InitError)
        this.#close(4400, serverError(4400, `Parsing client message failed: ${error.message}`));
    }
  }

  /** Makes the session, or another one: clients of the older protocol renew their tokens this way. */
  async #open(headers: Readonly<Record<string, string>>): Promise<void> {
    const context = this.#context;
    const { messages, outbox, log } = context;
    const former = this.#session;
    if (former && !this.#isOld) {
      this.#close(4429, 'Too many initialisation requests');
      return;
    }
    this.#initTimer.clear();
    const early: string[] = [];
    this.#early = early;
    try {
      const given = former ? headers : socketHeaders(context.headers, headers, context.vocabulary);
      const made = await context.authenticate(given, headers);
      if (!isSocketOpen(this.#socket)) return;
      requireCurrent(made);
      this.#session = made;
      log.session(made);
      // What the former session has started ends with that one.
      this.#endSessions();
      outbox.send(messages.ack);
      if (!former) context.opened();
    } catch (thrown) {
      const error = context.sendable(thrown);
      log.rejected(error);
      if (this.#isOld) {
        outbox.send(messages.connectionError(error.message));
        this.#close(4400, serverError(4400, `Connection initialization failed: ${error.message}`));
      } else this.#close(4403, serverError(4403, 'Forbidden'));
    }
    this.#early = undefined;
    this.#earlyLength = 0;
    // One of them may be another init, which makes those behind it wait again.
    context.turn.takeFirst(early.map((text) => this.#job(text)));
  }

  #start(id: string, payload: unknown): void {
    const { messages, outbox, operations } = this.#context;
    const session = this.#session;
    const isOld = this.#isOld;
    // The timer may be late.
    if (session && hasEnded(session)) this.#endSessions();
    else if (!session) {
      if (isOld)
        outbox.send(messages.refusal(id, startFailed('start received before the connection is initialised')));
      else this.#close(4401, 'Unauthorized');
    } else if (operations.isLive(id)) {
      if (isOld)
        outbox.send(messages.refusal(id, startFailed(`an operation already exists with this id: ${id}`)));
      else this.#close(4409, `Subscriber for ${id} already exists`);
    } else operations.start(id, payload, session);
  }
}
