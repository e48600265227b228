/**
 * The operations that run on one socket. Each belongs to the session that started it: it ends with that session, and nothing is sent for it
 * afterwards but the error that says so, even if the socket has another session by then.
 */
import type { WebSocket } from 'ws';
import { EngineError } from '../core/errors.ts';
import { remember } from '../core/remember.ts';
import { hasEnded, type Session, sessionEnded } from '../core/session.ts';
import { cameFromDatabase } from '../database/failures.ts';
import type { GraphqlCall } from '../graphql/saved/call.ts';
import type { CohortResult } from './cohort.ts';
import type { Outbox } from './outbox.ts';
import type { Messages } from './protocol.ts';
import type { SubscriptionListener, Subscriptions } from './subscriptions.ts';

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
  readonly log: { readonly operation: (id: string, call: GraphqlCall) => OperationLog };
  /** Reports a defect and closes the socket, so that it fails no other subscriber of the same query. */
  readonly lastResort: (error: unknown) => void;
}

export type OperationEvent = 'started' | 'stopped' | 'completed' | 'query_err' | 'proto_err';

export interface OperationLog {
  readonly requestId: string;
  readonly event: (type: OperationEvent, error?: EngineError) => void;
}

/** A running operation. */
interface Operation {
  readonly session: Session;
  readonly log: OperationLog;
}

/** A subscription that runs, or an operation that waits to start. */
interface LiveOperation extends Operation {
  readonly stop: () => void;
}

export class Operations {
  readonly #context: OperationsContext;
  readonly #live = new Map<string, LiveOperation>();
  /** Queries and mutations that run, by id, which several may share. Stopping them only drops their answers. */
  readonly #running = new Map<string, Set<Operation>>();
  /** Their number, with those that were stopped. */
  #unanswered = 0;

  constructor(context: OperationsContext) {
    this.#context = context;
  }

  /** Whether a subscription of this id is open. */
  isLive(id: string): boolean {
    return this.#live.has(id);
  }

  start(id: string, payload: unknown, session: Session): void {
    const context = this.#context;
    let log = context.log.operation(id, {});
    try {
      const call = context.read(payload);
      log = context.log.operation(id, call);
      log.event('started');
      this.#checkNumber();
      const counted = context.count(session);
      if (!counted) {
        this.#begin(id, call, session, log);
        return;
      }
      // Until then it is one that has begun: it may be stopped, and ends with its session.
      const waiting = { session, log, stop: () => {} };
      this.#live.set(id, waiting);
      const proceed = (start: () => void) => {
        if (this.#live.get(id) !== waiting) return;
        this.#live.delete(id);
        try {
          start();
        } catch (thrown) {
          this.#fail(id, log, context.sendable(thrown));
        }
      };
      const refuse = (thrown: unknown) => () => {
        throw thrown;
      };
      counted
        .then(
          () => proceed(() => this.#begin(id, call, session, log)),
          (thrown: unknown) => proceed(refuse(thrown)),
        )
        .catch((error) => context.lastResort(error));
    } catch (thrown) {
      this.#fail(id, log, context.sendable(thrown));
    }
  }

  /** Nothing is sent for the id from now on. */
  stop(id: string): void {
    this.#running.delete(id);
    const operation = this.#live.get(id);
    if (!operation) return;
    this.#live.delete(id);
    operation.stop();
    this.#context.outbox.drop(id);
    operation.log.event('stopped');
  }

  stopAll(): void {
    this.#running.clear();
    for (const operation of this.#live.values()) operation.stop();
    this.#live.clear();
  }

  /**
   * Ends the operations of sessions that have ended.
   * @returns whether there were any, and when the first session of the others ends, in milliseconds since 1970; Infinity: never
   */
  endExpired(): { readonly ended: boolean; readonly next: number } {
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
    for (const [id, operation] of this.#live) {
      if (!isOver(operation)) continue;
      operation.stop();
      this.end(id, operation.log, sessionEnded());
    }
    for (const [id, ofId] of this.#running) {
      for (const operation of ofId) {
        if (!isOver(operation)) continue;
        ofId.delete(operation);
        this.#fail(id, operation.log, sessionEnded());
      }
      if (ofId.size === 0) this.#running.delete(id);
    }
    return { ended, next };
  }

  /** A subscription has ended by an error. */
  end(id: string, log: OperationLog, error: EngineError): void {
    this.#live.delete(id);
    this.#context.outbox.drop(id);
    this.#fail(id, log, error);
  }

  /** Nothing follows for a subscription. */
  complete(id: string, log: OperationLog): void {
    this.#live.delete(id);
    const { messages, outbox } = this.#context;
    outbox.send(messages.complete(id));
    log.event('completed');
  }

  #checkNumber(): void {
    const { maximum } = this.#context;
    if (maximum > 0 && this.#live.size + this.#unanswered >= maximum)
      throw new EngineError('overloaded', `at most ${maximum} operations run at once on a websocket`);
  }

  #fail(id: string, log: OperationLog, error: EngineError): void {
    const { messages, outbox } = this.#context;
    log.event('query_err', error);
    outbox.send(messages.invalid(id, error));
    outbox.send(messages.complete(id));
  }

  #begin(id: string, call: GraphqlCall, session: Session, log: OperationLog): void {
    const context = this.#context;
    const listener = new SubscribedClient(this, context, id, session, log);
    const started = context.subscriptions.start(call, { session, socketId: context.socketId }, listener);
    if (!started) {
      this.#runOnce(id, call, session, log).catch((error) => context.lastResort(error));
      return;
    }
    listener.started = started;
    this.#live.set(id, listener);
  }

  async #runOnce(id: string, call: GraphqlCall, session: Session, log: OperationLog): Promise<void> {
    const context = this.#context;
    const { messages, outbox } = context;
    const running = this.#running;
    const operation = { session, log };
    const ofId = remember(running, id, () => new Set());
    ofId.add(operation);
    this.#unanswered += 1;
    let answer: string;
    try {
      answer = messages.result(id, await context.run(call, session, log));
    } catch (thrown) {
      const error = context.sendable(thrown);
      log.event('query_err', error);
      answer = cameFromDatabase(thrown) ? messages.failure(id, error) : messages.invalid(id, error);
    }
    this.#unanswered -= 1;
    // `endExpired` follows, or the socket is closed.
    if (hasEnded(session)) return;
    if (running.get(id) !== ofId || !ofId.delete(operation)) return;
    if (ofId.size === 0) running.delete(id);
    outbox.send(answer);
    outbox.send(messages.complete(id));
    log.event('completed');
  }
}

/** Sends to the client what becomes of a subscription. What fails in it closes this socket, and fails no other subscriber. */
class SubscribedClient implements SubscriptionListener, LiveOperation {
  readonly session: Session;
  readonly log: OperationLog;
  /** The subscription, once it has started. */
  started: { readonly stop: () => void } | undefined = undefined;
  readonly #operations: Operations;
  readonly #context: OperationsContext;
  readonly #id: string;

  constructor(
    operations: Operations,
    context: OperationsContext,
    id: string,
    session: Session,
    log: OperationLog,
  ) {
    this.#operations = operations;
    this.#context = context;
    this.#id = id;
    this.session = session;
    this.log = log;
  }

  stop(): void {
    this.started?.stop();
  }

  next(result: CohortResult, every: boolean): void {
    const { messages } = this.#context;
    const id = this.#id;
    this.#own(() =>
      this.#send(
        () => result.message(`${messages.key} ${id}`, (data) => messages.result(id, `{"data":${data}}`)),
        every,
      ),
    );
  }

  isSlow(): boolean {
    return this.#context.outbox.isFull;
  }

  whenRead(callback: () => void): void {
    this.#context.outbox.whenDrained(callback);
  }

  failed(error: EngineError): void {
    this.#own(() => {
      this.log.event('query_err', error);
      this.#send(() => this.#context.messages.pollFailure(this.#id, error));
    });
  }

  completed(): void {
    this.#own(() => this.#operations.complete(this.#id, this.log));
  }

  ended(error: EngineError): void {
    this.#own(() =>
      this.#operations.end(this.#id, this.log, hasEnded(this.session) ? sessionEnded() : error),
    );
  }

  /** Sends what was read, unless the session has ended by the time that the client takes it. */
  #send(message: () => string | Buffer, every = false): void {
    const { outbox } = this.#context;
    const current = () => (hasEnded(this.session) ? undefined : message());
    if (every) outbox.send(current());
    else outbox.sendLatest(this.#id, current);
  }

  #own(handle: () => void): void {
    try {
      handle();
    } catch (error) {
      this.#context.lastResort(error);
    }
  }
}

export function isSocketOpen(socket: WebSocket): boolean {
  return socket.readyState === socket.OPEN;
}
