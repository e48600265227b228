/** All live queries of the server: who subscribes to what, and which poller reads it. */
import { randomBytes } from 'node:crypto';
import { remember } from '../core/remember.ts';
import type { SubscriptionPlan } from '../core/request/subscription.ts';
import type { SourceConnection } from '../database/source.ts';
import type { Cohort, Listener, Subscriber } from './cohort.ts';
import { type DueOwner, LiveLane } from './lane.ts';
import { type Database, Poller, type PollerOptions } from './poller.ts';
import { Sensitivities } from './sensitivity.ts';

/** The plan that is read for a subscriber, with its values and connection. */
export interface LiveSubject {
  readonly plan: SubscriptionPlan;
  /** Texts of the plan's parameters. */
  readonly values: readonly (string | null)[];
  readonly connection: SourceConnection;
}

export interface Subscription {
  /** Reads something else from now on; what the subscriber has already is not sent again. */
  readonly move: (subject: LiveSubject) => void;
  readonly stop: () => void;
}

export interface LiveQueries {
  /** @param owner who shares connections with others: from the role to the socket */
  readonly subscribe: (subject: LiveSubject, owner: readonly string[], listener: Listener) => Subscription;
  /** Definitions in the databases may have changed. */
  readonly relearn: () => void;
  readonly pollers: () => readonly Poller[];
  readonly paces: { readonly liveQueries: Pace; readonly streams: Pace };
}

interface LiveDatabase extends Database {
  readonly pollers: Map<string, Poller>;
}

/** How live queries are read, or streams. */
type Pace = Pick<PollerOptions, 'interval' | 'batchSize'>;

export function createLiveQueries(options: {
  readonly vocabulary: PollerOptions['vocabulary'];
  readonly liveQueries: Pace;
  readonly streams: Pace;
  readonly missed: PollerOptions['missed'];
  readonly log: PollerOptions['log'];
  readonly report: PollerOptions['report'];
}): LiveQueries {
  const databases = new Map<SourceConnection, LiveDatabase>();
  /** What outlives pollers, whose last batches may still run. */
  const kept = new WeakMap<SourceConnection, Database>();
  let joined = 0;
  const { vocabulary, missed, log, report } = options;
  const shared = {
    vocabulary,
    missed,
    log,
    report,
    seed: randomBytes(8).readBigInt64LE().toString(),
    joined: () => joined,
  };

  const pollerOf = ({ plan, connection }: LiveSubject) => {
    const own = remember(kept, connection, () => ({
      lane: new LiveLane(),
      sensitivities: new Sensitivities(connection),
    }));
    const database = remember(databases, connection, () => ({ ...own, pollers: new Map() }));
    return remember(
      database.pollers,
      keyOf(plan),
      () =>
        new Poller(plan, connection, own, {
          ...shared,
          ...(plan.cursor ? options.streams : options.liveQueries),
        }),
    );
  };
  const place: Place = {
    add: (subject, path, join) => {
      joined += 1;
      const poller = pollerOf(subject);
      const owner = kept.get(subject.connection)!.lane.shares.enter(path);
      return poller.add(subject.values, owner, (cohort: Cohort) => join(cohort, owner, joined));
    },
    remove: ({ plan, connection }, subscriber) => {
      const database = databases.get(connection)!;
      const isLast = database.pollers.get(keyOf(plan))!.remove(subscriber);
      if (isLast) database.pollers.delete(keyOf(plan));
      if (database.pollers.size === 0) databases.delete(connection);
      database.lane.shares.leave(subscriber.owner);
    },
  };

  return {
    pollers: () => [...databases.values()].flatMap(({ pollers }) => [...pollers.values()]),
    paces: options,
    relearn: () => {
      for (const { pollers } of databases.values()) for (const poller of pollers.values()) poller.relearn();
    },
    subscribe: (subject, path, listener) => new OpenSubscription(place, subject, path, listener),
  };
}

/** Where subscribers are read. */
interface Place {
  readonly add: (
    subject: LiveSubject,
    path: readonly string[],
    join: (cohort: Cohort, owner: DueOwner, joined: number) => Subscriber,
  ) => Subscriber;
  readonly remove: (subject: LiveSubject, subscriber: Subscriber) => void;
}

class OpenSubscription implements Subscription {
  readonly #place: Place;
  readonly #path: readonly string[];
  readonly #subscriber: Subscriber;
  #subject: LiveSubject;

  constructor(place: Place, subject: LiveSubject, path: readonly string[], listener: Listener) {
    this.#place = place;
    this.#path = path;
    this.#subject = subject;
    this.#subscriber = place.add(subject, path, (cohort, owner, joined) => ({
      listener,
      owner,
      cohort,
      joined,
      hash: undefined,
      failure: undefined,
      hasBegun: false,
    }));
  }

  move(next: LiveSubject): void {
    const subscriber = this.#subscriber;
    const reached = subscriber.cohort.values;
    this.#place.remove(this.#subject, subscriber);
    this.#subject = { ...next, values: goOn(this.#subject.plan, reached, next) };
    this.#place.add(this.#subject, this.#path, (cohort, owner, joined) =>
      Object.assign(subscriber, { cohort, owner, joined }),
    );
  }

  stop(): void {
    this.#place.remove(this.#subject, this.#subscriber);
  }
}

/** Subscribers of different roles never share a poller, even for equal queries. */
function keyOf({ role, text }: SubscriptionPlan): string {
  return `${role}\0${text}`;
}

/** A stream goes on where it is, if it still follows the same column. */
function goOn(
  { cursor }: SubscriptionPlan,
  reached: LiveSubject['values'],
  { plan, values }: LiveSubject,
): LiveSubject['values'] {
  if (!cursor || cursor.field !== plan.cursor?.field) return values;
  return values.map((value, index) =>
    index === plan.cursor?.parameter ? (reached[cursor.parameter] ?? value) : value,
  );
}
