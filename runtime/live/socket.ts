/**
 * The life of a socket, on a page: it opens, has some seconds to say who it is, runs operations, and closes. Messages are
 * handled in their order, but none before `connection_init` is answered; after that only the order of one operation's
 * messages is kept, so that a slow query does not delay the end of another one.
 */

import type { IncomingHttpHeaders } from 'node:http';
import type { RawData, WebSocket } from 'ws';
import { guarded } from '../core/guarded.ts';
import { hasEnded, requireCurrent, type Session } from '../core/session.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import { socketHeaders } from '../session/admin-secret.ts';
import { isOpen, type Operations } from './operations.ts';
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
import { createTimer } from './timer.ts';
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
  /** Milliseconds for `connection_init` to arrive. */
  readonly initTimeout: number;
  /** The client has said who it is: keep-alive messages begin. Called once. */
  readonly opened: () => void;
  readonly log: SocketLog;
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

export function serveSocket(socket: WebSocket, context: SocketContext): void {
  const { messages, outbox, operations, log, turn, lastResort } = context;
  const isOld = messages.protocol === 'graphql-ws';
  let session: Session | undefined;
  /** Messages that wait while a session is being made; undefined: none is. */
  let early: string[] | undefined;
  let earlyLength = 0;
  const initTimer = createTimer(() =>
    close(isOld ? 1011 : 4408, closeReason('Connection initialisation timed out')),
  );
  const expiry = createTimer(endSessions);
  initTimer.at(Date.now() + context.initTimeout);

  function close(code: number, reason: string): void {
    if (!isOpen(socket)) return;
    operations.stopAll();
    closeFirmly(socket, code, reason);
  }

  /** Ends what the sessions of this socket have started and that may not outlive them; with the last session the socket ends. */
  function endSessions(): void {
    if (!isOpen(socket)) return;
    const isOver = session !== undefined && hasEnded(session);
    // Clients that come back start their operations again, unless those have ended with an error.
    const { ended, next } = isOver ? NOTHING_LEFT : operations.endExpired();
    // What a slow client has not taken yet was read for a session that has ended.
    if (ended && outbox.isFull()) socket.terminate();
    else if (isOver) close(4403, serverError(4403, 'Forbidden'));
    else {
      const first = Math.min(next, session?.expiresAt ?? next);
      if (first < Number.POSITIVE_INFINITY) expiry.at(first);
      else expiry.clear();
    }
  }

  const arrived = (data: RawData) => {
    const text = data.toString();
    log.received(text);
    turn.take(job(text));
  };
  socket.on('message', guarded(arrived, lastResort));
  function job(text: string): () => void {
    return guarded(() => receive(text), lastResort);
  }
  function receive(text: string): Promise<void> | undefined {
    if (!isOpen(socket)) return undefined;
    if (!early) return handle(text);
    earlyLength += text.length;
    if (early.push(text) > MAX_EARLY || earlyLength > MAX_EARLY_LENGTH)
      close(1008, 'too many messages before connection_ack');
    return undefined;
  }
  // An error in a frame closes the socket by itself.
  socket.on(
    'error',
    guarded((error: Error) => log.protocolError(error.message), lastResort),
  );
  const closed = (code: number, reason: Buffer) => {
    initTimer.clear();
    expiry.clear();
    operations.stopAll();
    log.closed(code, reason.toString());
  };
  socket.on('close', guarded(closed, lastResort));

  function handle(text: string): Promise<void> | undefined {
    try {
      const message = readMessage(text);
      switch (message.type) {
        case 'init':
          return open(message.headers);
        case 'start':
          start(message.id, message.payload);
          return;
        case 'stop':
          operations.stop(message.id);
          return;
        case 'ping':
          outbox.send(messages.pong(message.payload));
          return;
        case 'terminate':
          close(1000, '');
          return;
        case 'pong':
      }
    } catch (error) {
      // Any other goes to the last resort.
      if (!(error instanceof MessageError)) throw error;
      log.protocolError(error.message);
      if (isOld) outbox.send(messages.connectionError(error.message));
      if (!isOld || error instanceof InitError)
        close(4400, serverError(4400, `Parsing client message failed: ${error.message}`));
    }
  }

  /** Makes the session, or another one: clients of the older protocol renew their tokens this way. */
  async function open(headers: Readonly<Record<string, string>>): Promise<void> {
    if (session && !isOld) {
      close(4429, 'Too many initialisation requests');
      return;
    }
    initTimer.clear();
    early = [];
    try {
      const made = await context.authenticate(
        session ? headers : socketHeaders(context.headers, headers, context.vocabulary),
        headers,
      );
      if (!isOpen(socket)) return;
      requireCurrent(made);
      const isFirst = session === undefined;
      session = made;
      log.session(made);
      // What the former session has started ends with that one.
      endSessions();
      outbox.send(messages.ack);
      if (isFirst) context.opened();
    } catch (thrown) {
      const error = operations.sendable(thrown);
      log.rejected(error);
      if (isOld) {
        outbox.send(messages.connectionError(error.message));
        close(4400, serverError(4400, `Connection initialization failed: ${error.message}`));
      } else close(4403, serverError(4403, 'Forbidden'));
    }
    const waiting = early;
    early = undefined;
    earlyLength = 0;
    // One of them may be another init, which makes those behind it wait again.
    turn.takeFirst(waiting.map(job));
  }

  function start(id: string, payload: unknown): void {
    // The timer may be late.
    if (session && hasEnded(session)) endSessions();
    else if (!session) {
      if (isOld)
        outbox.send(messages.refusal(id, startFailed('start received before the connection is initialised')));
      else close(4401, 'Unauthorized');
    } else if (operations.isLive(id)) {
      if (isOld)
        outbox.send(messages.refusal(id, startFailed(`an operation already exists with this id: ${id}`)));
      else close(4409, `Subscriber for ${id} already exists`);
    } else operations.start(id, payload, session);
  }
}
