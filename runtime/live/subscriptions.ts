/**
 * The subscriptions of all sockets, from their start to their end. When the program changes, each is planned again before
 * the change is acknowledged: one that is read as before goes on untouched, and one that is not allowed any more ends.
 */

import { EngineError } from '../core/errors.ts';
import { bindParameters } from '../core/request/bind.ts';
import { provenVariables, type Session } from '../core/session.ts';
import type { CurrentlyServed, Served } from '../graphql/answer.ts';
import { connectionOf, Request } from '../graphql/request.ts';
import { findCalled, type GraphqlCall } from '../graphql/saved/call.ts';
import { planSavedSubscription } from '../graphql/saved/saved.ts';
import type { CohortResult, Listener } from './cohort.ts';
import type { LiveQueries, LiveSubject, Subscription } from './live-queries.ts';
import { type HoldShared, Quota, type SubscriptionLimits } from './quota.ts';
import { type WatchedCalls, type WatchedSubscription, watchCalls } from './watched-calls.ts';

export interface SubscriptionListener {
  /** @param every the client must get this result, even if there is a newer one by the time that it reads */
  readonly next: (result: CohortResult, every: boolean) => void;
  readonly isSlow: () => boolean;
  readonly whenRead: (callback: () => void) => void;
  readonly failed: (error: EngineError) => void;
  /** Nothing follows: the last result will not change. */
  readonly completed: () => void;
  /** Nothing follows. */
  readonly ended: (error: EngineError) => void;
}

export interface Subscriptions {
  /**
   * Starts a subscription. Results come later, never during the call.
   * @returns what stops it; undefined when the call asks for something that runs once
   * @throws EngineError when it is wrong or not allowed
   */
  readonly start: (
    call: GraphqlCall,
    client: Subscribing,
    listener: SubscriptionListener,
  ) => { readonly stop: () => void } | undefined;
  /** Plans all of them for the current program. */
  readonly replan: () => void;
}

/** Who subscribes. */
interface Subscribing {
  readonly session: Session;
  /** Of the socket. */
  readonly socketId: string;
}

/** A subscription that runs. It listens itself, because a hundred thousand may run, and functions for each take memory. */
class Started implements Listener {
  readonly call: GraphqlCall;
  readonly session: Session;
  /** The role, the session and the socket. */
  readonly owner: readonly string[];
  readonly listener: SubscriptionListener;
  subject: LiveSubject | WatchedCalls;
  subscription!: Subscription | WatchedSubscription;
  /** Ends its count in all processes. */
  release: (() => void) | undefined = undefined;
  readonly #end: (started: Started) => void;

  constructor(
    call: GraphqlCall,
    session: Session,
    owner: readonly string[],
    listener: SubscriptionListener,
    subject: LiveSubject | WatchedCalls,
    end: (started: Started) => void,
  ) {
    this.call = call;
    this.session = session;
    this.owner = owner;
    this.listener = listener;
    this.subject = subject;
    this.#end = end;
  }

  stop(): void {
    this.#end(this);
  }

  next(result: CohortResult): void {
    const { plan } = this.subject;
    this.listener.next(result, plan.kind === 'subscription' && plan.cursor !== undefined);
  }

  failed(error: EngineError): void {
    this.listener.failed(error);
  }

  refused(error: EngineError): void {
    this.#end(this);
    this.listener.ended(error);
  }

  isSlow(): boolean {
    return this.listener.isSlow();
  }

  whenRead(callback: () => void): void {
    this.listener.whenRead(callback);
  }
}

/**
 * @param current the program that is served
 * @param shared counts over all processes; undefined: there is only this one
 */
export function createSubscriptions(
  queries: LiveQueries,
  current: CurrentlyServed,
  limits: SubscriptionLimits,
  report: (error: unknown) => void,
  shared?: HoldShared,
): Subscriptions {
  const all = new Set<Started>();
  const quota = new Quota(limits);
  const end = (started: Started) => {
    if (!all.delete(started)) return;
    quota.count(started.owner, -1);
    started.release?.();
    started.subscription.stop();
  };
  const begin = (started: Started): Started['subscription'] => {
    const { listener, subject, owner } = started;
    if (!isWatched(subject)) return queries.subscribe(subject, owner, started);
    return watchCalls(subject, {
      next: (result) => listener.next(result, true),
      failed: (error) => {
        if (!(error instanceof EngineError)) report(error);
        listener.failed(shown(error));
      },
      completed: () => {
        end(started);
        listener.completed();
      },
    });
  };
  return {
    start: (call, { session, socketId }, listener) => {
      const subject = subjectOf(call, session, current());
      if (!subject) return undefined;
      const owner = ownerOf(session, socketId);
      quota.check(owner);
      const started = new Started(call, session, owner, listener, subject, end);
      started.subscription = begin(started);
      all.add(started);
      quota.count(owner, 1);
      if (shared)
        started.release = quota.hold(owner, shared, (error) => {
          if (!all.has(started)) return;
          end(started);
          listener.ended(error);
        });
      return started;
    },
    replan: () => {
      const served = current();
      queries.relearn();
      for (const started of all) {
        try {
          const subject = subjectOf(started.call, started.session, served);
          if (!subject) throw new EngineError('not-exists', 'the subscription does not exist any more');
          if (isSame(subject, started.subject)) continue;
          const moves = isWatched(subject) === isWatched(started.subject);
          started.subject = subject;
          if (moves) started.subscription.move(subject as LiveSubject & WatchedCalls);
          else {
            started.subscription.stop();
            started.subscription = begin(started);
          }
        } catch (error) {
          end(started);
          if (!(error instanceof EngineError)) report(error);
          started.listener.ended(shown(error));
        }
      }
    },
  };
}

/** Those between whom there are fair shares: the role, the session, which sockets of equal role and variables share, and the socket. */
export function ownerOf(session: Session, socketId: string): readonly string[] {
  const { role } = session;
  const sorted = Object.entries(provenVariables(session)).sort(([left], [right]) => (left < right ? -1 : 1));
  return [role, JSON.stringify([role, ...sorted]), socketId];
}

/** The subject that a call subscribes to, for a session; undefined: the call runs once. @throws EngineError */
function subjectOf(
  call: GraphqlCall,
  session: Session,
  served: Served,
): LiveSubject | WatchedCalls | undefined {
  const planned = planCall(call, session, served);
  if (!planned) return undefined;
  const { plan, variables } = planned;
  if (plan.kind === 'watched') {
    const request = new Request(served, session);
    request.variables = variables;
    return { plan: plan.plan, request };
  }
  const connection = connectionOf(plan.source, served);
  return { plan, values: bindParameters(plan, variables, session), connection };
}

/**
 * The plan of the subscription that a call asks for; undefined when it asks for something that runs once.
 * @throws EngineError for what cannot be read, and for what the role may not ask
 */
function planCall(
  call: GraphqlCall,
  session: Session,
  { saved, planner }: Served,
): ReturnType<typeof planner.subscribe> | undefined {
  const called = findCalled(call, session.role, saved.calls);
  const { variables = {}, operationName, relay } = call;
  if ('operation' in called) {
    const { operation } = called;
    if (operation.kind !== 'subscription') return undefined;
    const request = { query: operation.document, variables, relay };
    if (relay) return planner.subscribe(session, request);
    return planSavedSubscription(operation, variables, session, saved) ?? planner.subscribe(session, request);
  }
  const request = { query: called.query, operationName, variables, relay };
  return planner.kindOf(session, request) === 'subscription'
    ? planner.subscribe(session, request)
    : undefined;
}

function shown(error: unknown): EngineError {
  return error instanceof EngineError ? error : new EngineError('unexpected', 'Internal Server Error');
}

function isWatched(subject: LiveSubject | WatchedCalls): subject is WatchedCalls {
  return subject.plan.kind === 'query';
}

function isSame(left: LiveSubject | WatchedCalls, right: LiveSubject | WatchedCalls): boolean {
  if (isWatched(left) || isWatched(right)) return false;
  return (
    left.connection === right.connection &&
    left.plan.text === right.plan.text &&
    left.values.every((value, index) => value === right.values[index])
  );
}
