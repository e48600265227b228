/** All live queries of the server: who subscribes to what, and which poller reads it. */
import { randomBytes } from 'node:crypto';
import { remember } from '../core/remember.ts';
import type { SubscriptionPlan } from '../core/request/subscription.ts';
import type { SourceConnection } from '../database/source.ts';
import type { Cohort, Listener, Subscriber } from './cohort.ts';
import { Lane } from './lane.ts';
import { Poller, type PollerOptions } from './poller.ts';

/** What is read for a subscriber, and where. */
export interface Subject {
  readonly plan: SubscriptionPlan;
  /** Texts of the plan's parameters. */
  readonly values: readonly (string | null)[];
  readonly connection: SourceConnection;
}

export interface Subscription {
  /** Reads something else from now on; what the subscriber has already is not sent again. */
  readonly move: (subject: Subject) => void;
  readonly stop: () => void;
}

export interface LiveQueries {
  readonly subscribe: (subject: Subject, listener: Listener) => Subscription;
  /** Definitions in the databases may have changed. */
  readonly relearn: () => void;
}

interface Database {
  readonly lane: Lane;
  readonly pollers: Map<string, Poller>;
}

export function createLiveQueries(
  options: Pick<PollerOptions, 'interval' | 'batchSize' | 'report'>,
): LiveQueries {
  const databases = new Map<SourceConnection, Database>();
  let joined = 0;
  const pollerOptions: PollerOptions = {
    ...options,
    seed: randomBytes(8).readBigInt64LE().toString(),
    joined: () => joined,
  };

  const pollerOf = ({ plan, connection }: Subject) => {
    const database = remember(databases, connection, () => ({ lane: new Lane(), pollers: new Map() }));
    return remember(
      database.pollers,
      keyOf(plan),
      () => new Poller(plan, connection, database.lane, pollerOptions),
    );
  };
  const add = (subject: Subject, join: (cohort: Cohort) => Subscriber) => {
    joined += 1;
    return pollerOf(subject).add(subject.values, join);
  };
  const remove = ({ plan, connection }: Subject, subscriber: Subscriber) => {
    const database = databases.get(connection)!;
    const isLast = database.pollers.get(keyOf(plan))!.remove(subscriber);
    if (isLast) database.pollers.delete(keyOf(plan));
    if (database.pollers.size === 0) databases.delete(connection);
  };

  return {
    relearn: () => {
      for (const { pollers } of databases.values()) for (const poller of pollers.values()) poller.relearn();
    },
    subscribe: (first, listener) => {
      let subject = first;
      const subscriber = add(subject, (cohort) => ({
        listener,
        cohort,
        joined,
        hash: undefined,
        failure: undefined,
      }));
      return {
        move: (next) => {
          remove(subject, subscriber);
          subject = next;
          add(subject, (cohort) => Object.assign(subscriber, { cohort, joined }));
        },
        stop: () => remove(subject, subscriber),
      };
    },
  };
}

/** Subscribers of different roles never share a poller, whatever they read. */
function keyOf({ role, text }: SubscriptionPlan): string {
  return `${role}\0${text}`;
}
