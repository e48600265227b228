/** The operations that run on one socket. */
import type { WebSocket } from 'ws';
import { EngineError } from '../core/errors.ts';
import { remember } from '../core/remember.ts';
import type { Session } from '../core/session.ts';
import { cameFromDatabase } from '../database/failures.ts';
import type { GraphqlCall } from '../saved/call.ts';
import type { Outbox } from './outbox.ts';
import type { Messages } from './protocol.ts';
import type { Subscriptions } from './subscriptions.ts';

export interface Operations {
  readonly start: (id: string, payload: unknown, session: Session) => void;
  /** Nothing is sent for the id from now on. */
  readonly stop: (id: string) => void;
  readonly stopAll: () => void;
  /** Whether a subscription of this id is open. */
  readonly isLive: (id: string) => boolean;
  /** The form of an error for clients. */
  readonly sendable: (thrown: unknown) => EngineError;
}

export interface OperationsContext {
  readonly messages: Messages;
  readonly outbox: Outbox;
  readonly subscriptions: Subscriptions;
  /** Maximum operations at once; 0: any number. */
  readonly maximum: number;
  /** Reads the request that a message holds. @throws EngineError */
  readonly read: (payload: unknown) => GraphqlCall;
  /** Runs a query or mutation. @throws EngineError */
  readonly run: (call: GraphqlCall, session: Session, log: OperationLog) => Promise<string>;
  /** Before an operation starts. @throws EngineError when the client starts too many */
  readonly count: (session: Session) => void;
  readonly sendable: (thrown: unknown) => EngineError;
  readonly log: (id: string, call: GraphqlCall) => OperationLog;
}

export interface OperationLog {
  readonly requestId: string;
  readonly event: (
    type: 'started' | 'stopped' | 'completed' | 'query_err' | 'proto_err',
    error?: EngineError,
  ) => void;
}

export function createOperations(context: OperationsContext): Operations {
  const { messages, outbox, subscriptions, sendable, read } = context;
  const live = new Map<string, { readonly stop: () => void; readonly log: OperationLog }>();
  /** Queries and mutations that run, by id, which several may share. Stopping them only drops their answers. */
  const running = new Map<string, Set<object>>();
  /** Their number, with those that were stopped. */
  let unanswered = 0;

  const checkNumber = () => {
    const { maximum } = context;
    if (maximum > 0 && live.size + unanswered >= maximum)
      throw new EngineError('overloaded', `at most ${maximum} operations run at once on a websocket`);
  };

  const fail = (id: string, log: OperationLog, error: EngineError) => {
    log.event('query_err', error);
    outbox.send(messages.invalid(id, error));
    outbox.send(messages.complete(id));
  };

  const runOnce = async (id: string, call: GraphqlCall, session: Session, log: OperationLog) => {
    const token = {};
    const ofId = remember(running, id, () => new Set());
    ofId.add(token);
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
    if (running.get(id) !== ofId) return;
    ofId.delete(token);
    if (ofId.size === 0) running.delete(id);
    outbox.send(answer);
    outbox.send(messages.complete(id));
    log.event('completed');
  };

  return {
    sendable,
    isLive: (id) => live.has(id),
    start: (id, payload, session) => {
      let log = context.log(id, {});
      try {
        const call = read(payload);
        log = context.log(id, call);
        log.event('started');
        checkNumber();
        context.count(session);
        const stop = subscriptions.start(call, session, {
          next: (result, every) => {
            const message = () =>
              result.message(`${messages.key} ${id}`, (data) => messages.result(id, `{"data":${data}}`));
            if (every) outbox.send(message());
            else outbox.sendLatest(id, message);
          },
          isSlow: outbox.isFull,
          whenRead: outbox.whenDrained,
          failed: (error) => {
            log.event('query_err', error);
            outbox.sendLatest(id, () => messages.pollFailure(id, error));
          },
          completed: () => {
            live.delete(id);
            outbox.send(messages.complete(id));
            log.event('completed');
          },
          ended: (error) => {
            live.delete(id);
            outbox.drop(id);
            fail(id, log, error);
          },
        });
        if (stop) live.set(id, { stop, log });
        else void runOnce(id, call, session, log);
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
