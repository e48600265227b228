/**
 * The operations that run on one socket. Each belongs to the session that started it: it ends with that session, and nothing is sent for it
 * afterwards but the error that says so, even if the socket has another session by then.
 */
import type { WebSocket } from 'ws';
import { EngineError } from '../core/errors.ts';
import { guarded } from '../core/guarded.ts';
import { remember } from '../core/remember.ts';
import { hasEnded, type Session, sessionEnded } from '../core/session.ts';
import { cameFromDatabase } from '../database/failures.ts';
import type { GraphqlCall } from '../graphql/saved/call.ts';
import type { Result } from './cohort.ts';
import type { Outbox } from './outbox.ts';
import type { Messages } from './protocol.ts';
import type { Subscriptions } from './subscriptions.ts';

export interface Operations {
  readonly start: (id: string, payload: unknown, session: Session) => void;
  /** Nothing is sent for the id from now on. */
  readonly stop: (id: string) => void;
  readonly stopAll: () => void;
  /**
   * Ends the operations of sessions that have ended.
   * @returns whether there were any, and when the first session of the others ends, in milliseconds since 1970; Infinity: never
   */
  readonly endExpired: () => { readonly ended: boolean; readonly next: number };
  /** Whether a subscription of this id is open. */
  readonly isLive: (id: string) => boolean;
  /** The form of an error for clients. */
  readonly sendable: (thrown: unknown) => EngineError;
}

export interface OperationsContext {
  readonly messages: Messages;
  readonly outbox: Outbox;
  readonly subscriptions: Subscriptions;
  /** Of the socket. */
  readonly socketId: string;
  /** Maximum operations at once; 0: any number. */
  readonly maximum: number;
  /** Reads the request that a message holds. @throws EngineError */
  readonly read: (payload: unknown) => GraphqlCall;
  /** Runs a query or mutation. @throws EngineError */
  readonly run: (call: GraphqlCall, session: Session, log: OperationLog) => Promise<string>;
  /** Before an operation starts. @throws EngineError when the client starts too many */
  readonly count: (session: Session) => void | Promise<void>;
  readonly sendable: (thrown: unknown) => EngineError;
  readonly log: (id: string, call: GraphqlCall) => OperationLog;
  /** Reports a defect and closes the socket, so that it fails no other subscriber of the same query. */
  readonly lastResort: (error: unknown) => void;
}

export interface OperationLog {
  readonly requestId: string;
  readonly event: (
    type: 'started' | 'stopped' | 'completed' | 'query_err' | 'proto_err',
    error?: EngineError,
  ) => void;
}

/** A running operation. */
interface Operation {
  readonly session: Session;
  readonly log: OperationLog;
}

export function createOperations(context: OperationsContext): Operations {
  const { messages, outbox, subscriptions, sendable, read, lastResort } = context;
  const own = <Event extends readonly unknown[]>(handle: (...event: Event) => unknown) =>
    guarded(handle, (error: unknown, ..._: Event) => lastResort(error));
  const live = new Map<string, Operation & { readonly stop: () => void }>();
  /** Queries and mutations that run, by id, which several may share. Stopping them only drops their answers. */
  const running = new Map<string, Set<Operation>>();
  /** Their number, with those that were stopped. */
  let unanswered = 0;

  const checkNumber = () => {
    const { maximum } = context;
    if (maximum > 0 && live.size + unanswered >= maximum)
      throw new EngineError('overloaded', `at most ${maximum} operations run at once on a websocket`);
  };

  /** Sends what a subscription has read, unless its session has ended by the time that the client takes it. */
  const send = (id: string, session: Session, message: () => string | Buffer, every = false) => {
    const current = () => (hasEnded(session) ? undefined : message());
    if (every) outbox.send(current());
    else outbox.sendLatest(id, current);
  };

  const fail = (id: string, log: OperationLog, error: EngineError) => {
    log.event('query_err', error);
    outbox.send(messages.invalid(id, error));
    outbox.send(messages.complete(id));
  };

  const runOnce = own(async (id: string, call: GraphqlCall, session: Session, log: OperationLog) => {
    const operation = { session, log };
    const ofId = remember(running, id, () => new Set());
    ofId.add(operation);
    unanswered += 1;
    let answer: string;
    try {
      answer = messages.result(id, await context.run(call, session, log));
    } catch (thrown) {
      const error = sendable(thrown);
      log.event('query_err', error);
      answer = cameFromDatabase(thrown) ? messages.failure(id, error) : messages.invalid(id, error);
    }
    unanswered -= 1;
    // `endExpired` follows, or the socket is closed.
    if (hasEnded(session)) return;
    if (running.get(id) !== ofId || !ofId.delete(operation)) return;
    if (ofId.size === 0) running.delete(id);
    outbox.send(answer);
    outbox.send(messages.complete(id));
    log.event('completed');
  });

  const begin = (id: string, call: GraphqlCall, session: Session, log: OperationLog) => {
    const stop = subscriptions.start(
      call,
      { session, socketId: context.socketId },
      {
        next: own((result: Result, every: boolean) => {
          const message = () =>
            result.message(`${messages.key} ${id}`, (data) => messages.result(id, `{"data":${data}}`));
          send(id, session, message, every);
        }),
        isSlow: outbox.isFull,
        whenRead: outbox.whenDrained,
        failed: own((error: EngineError) => {
          log.event('query_err', error);
          send(id, session, () => messages.pollFailure(id, error));
        }),
        completed: own(() => {
          live.delete(id);
          outbox.send(messages.complete(id));
          log.event('completed');
        }),
        ended: own((error: EngineError) => {
          live.delete(id);
          outbox.drop(id);
          fail(id, log, hasEnded(session) ? sessionEnded() : error);
        }),
      },
    );
    if (stop) live.set(id, { session, stop, log });
    else runOnce(id, call, session, log);
  };

  const endExpired = () => {
    let next = Number.POSITIVE_INFINITY;
    let ended = false;
    const isOver = ({ session }: Operation) => {
      if (hasEnded(session)) {
        ended = true;
        return true;
      }
      next = Math.min(next, session.expiresAt ?? next);
      return false;
    };
    for (const [id, operation] of live) {
      if (!isOver(operation)) continue;
      live.delete(id);
      operation.stop();
      outbox.drop(id);
      fail(id, operation.log, sessionEnded());
    }
    for (const [id, ofId] of running) {
      for (const operation of ofId) {
        if (!isOver(operation)) continue;
        ofId.delete(operation);
        fail(id, operation.log, sessionEnded());
      }
      if (ofId.size === 0) running.delete(id);
    }
    return { ended, next };
  };

  return {
    sendable,
    endExpired,
    isLive: (id) => live.has(id),
    start: (id, payload, session) => {
      let log = context.log(id, {});
      try {
        const call = read(payload);
        log = context.log(id, call);
        log.event('started');
        checkNumber();
        const counted = context.count(session);
        if (!counted) return begin(id, call, session, log);
        // Until then it is one that has begun: it may be stopped, and ends with its session.
        const waiting = { session, log, stop: () => {} };
        live.set(id, waiting);
        const proceed = (start: () => void) => {
          if (live.get(id) !== waiting) return;
          live.delete(id);
          try {
            start();
          } catch (thrown) {
            fail(id, log, sendable(thrown));
          }
        };
        const refuse = (thrown: unknown) => () => {
          throw thrown;
        };
        counted
          .then(
            () => proceed(() => begin(id, call, session, log)),
            (thrown: unknown) => proceed(refuse(thrown)),
          )
          .catch(lastResort);
      } catch (thrown) {
        fail(id, log, sendable(thrown));
      }
    },
    stop: (id) => {
      running.delete(id);
      const operation = live.get(id);
      if (!operation) return;
      live.delete(id);
      operation.stop();
      outbox.drop(id);
      operation.log.event('stopped');
    },
    stopAll: () => {
      running.clear();
      for (const { stop } of live.values()) stop();
      live.clear();
    },
  };
}

export function isOpen(socket: WebSocket): boolean {
  return socket.readyState === socket.OPEN;
}
