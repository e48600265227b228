/**
 * The life of a live query: it is read for all its cohorts, from its first subscriber to its last.
 *
 * A cohort is read when it is *due*: at once when a client subscribes, and in a *round* (pace.ts) when what it reads may have
 * changed (staleness.ts). What becomes due while it is being read is read once more afterwards, so the last read of a cohort
 * begins after the last change; and since a cohort is read by one batch at a time, its states never go backwards.
 */
import { randomUUID } from 'node:crypto';
import type { SubscriptionPlan } from '../core/request/subscription.ts';
import type { Change } from '../database/changes.ts';
import type { SourceConnection } from '../database/source.ts';
import type { Cohort, Subscriber } from './cohort.ts';
import { Cohorts } from './cohorts.ts';
import type { Lane, Reader } from './lane.ts';
import { GATHER, Pace } from './pace.ts';
import type { BatchReport, ReadReport } from './poller-log.ts';
import { type ReadingContext, readBatch } from './reading.ts';
import { Staleness } from './staleness.ts';

export interface PollerOptions {
  /** Milliseconds between the end of a round and the next one, if no changes are reported. */
  readonly interval: number;
  /** Maximum cohorts of one statement. */
  readonly batchSize: number;
  /** Seed of the hashes. */
  readonly seed: string;
  /** How many have subscribed so far. */
  readonly joined: () => number;
  /** A change that nothing had reported was found by a look for such changes. */
  readonly missed: (plan: SubscriptionPlan) => void;
  /** undefined: it is not logged. */
  readonly log: ((report: ReadReport) => void) | undefined;
  readonly report: (error: unknown) => void;
}

type PolledSource = Pick<SourceConnection, 'poll' | 'changes'>;

export class Poller implements Reader {
  readonly plan: SubscriptionPlan;
  readonly #lane: Lane;
  readonly #options: PollerOptions;
  readonly #pace: Pace;
  readonly #reading: ReadingContext;
  readonly #cohorts: Cohorts;
  readonly #stale: Staleness;
  readonly #due = new Set<Cohort>();
  #batches = 0;
  /** When something became due, until nothing is. */
  #readingSince: number | undefined;
  #finished: BatchReport[] = [];
  readonly id = randomUUID();
  #gathering: NodeJS.Timeout | undefined;
  readonly #stopListening: () => void;

  constructor(plan: SubscriptionPlan, source: PolledSource, lane: Lane, options: PollerOptions) {
    this.plan = plan;
    this.#lane = lane;
    this.#options = options;
    this.#pace = new Pace(options.interval, () => this.#beginRound());
    this.#reading = {
      plan,
      poll: source.poll,
      seed: options.seed,
      changed: () => this.#pace.bearFruit(),
      horizon: () => source.changes.begunBefore(1000 * (plan.horizon?.seconds ?? 0)),
      waits: (cohort) => this.#stale.add([cohort]),
      advance: (subscriber, values) => this.#advance(subscriber, values),
      finished: (batch) => this.#finished.push(batch),
      report: options.report,
    };
    this.#cohorts = new Cohorts(plan.parameters, (cohort) => this.#due.delete(cohort));
    this.#stale = new Staleness(plan, source, this.#cohorts.index, options.missed);
    this.#stopListening = source.changes.listen((change) => this.#changed(change));
  }

  get cohorts(): ReadonlyMap<string, Cohort> {
    return this.#cohorts.byKey;
  }

  /** Why the query is read at its interval; undefined: it is read after changes of data. */
  get polledBecause(): string | undefined {
    return this.#stale.polledBecause;
  }

  /** Definitions in the database may have changed: on what the query depends is found out again. */
  relearn(): void {
    this.#stale.forget();
    this.#lane.wake(this);
  }

  /** Adds a subscriber, who gets a result that is read from now on. */
  add(values: readonly (string | null)[], join: (cohort: Cohort) => Subscriber): Subscriber {
    const cohort = this.#cohorts.of(values);
    const subscriber = join(cohort);
    cohort.subscribers.add(subscriber);
    cohort.wanted = true;
    this.#due.add(cohort);
    this.#gather();
    return subscriber;
  }

  /** @returns whether no subscriber is left */
  remove(subscriber: Subscriber): boolean {
    this.#cohorts.leave(subscriber);
    if (this.cohorts.size > 0) {
      this.#endRoundIfDone();
      return false;
    }
    clearTimeout(this.#gathering);
    this.#pace.stop();
    this.#stopListening();
    return true;
  }

  isReady(): boolean {
    for (const cohort of this.#due) if (!cohort.reading) return true;
    return this.#stale.mustLearn && this.#batches === 0 && this.cohorts.size > 0;
  }

  /** In the turns of the lane as well: subscribers that come and go at once must not use up the database. */
  async readBatch(): Promise<void> {
    this.#readingSince ??= performance.now();
    const batch = this.#take();
    this.#batches += 1;
    try {
      if (batch.length > 0) await readBatch(this.#reading, batch, this.#options.joined());
    } catch (error) {
      // A defect, here or in a listener: it must not end the polling.
      this.#options.report(error);
    }
    for (const cohort of batch) cohort.reading = false;
    if (this.#stale.mustLearn && this.cohorts.size > 0) await this.#stale.learn();
    this.#batches -= 1;
    this.#endRoundIfDone();
  }

  #gather(): void {
    this.#readingSince ??= performance.now();
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#lane.wake(this);
    }, GATHER);
  }

  #changed(change: Change): void {
    const isStale = this.#stale.note(change);
    if (this.#stale.mustLearn) this.#lane.wake(this);
    if (isStale && this.#batches === 0) this.#pace.change(this.#stale.isNamed);
  }

  #beginRound(): void {
    this.#readingSince ??= performance.now();
    const stale = this.#stale.take();
    for (const cohort of stale === 'all' ? this.cohorts.values() : stale)
      if (!cohort.paused && this.#cohorts.isLive(cohort)) this.#due.add(cohort);
    this.#lane.wake(this);
    this.#endRoundIfDone();
  }

  #endRoundIfDone(): void {
    const began = this.#readingSince;
    if (began === undefined || this.#batches > 0 || this.#due.size > 0 || this.cohorts.size === 0) return;
    this.#readingSince = undefined;
    this.#log(began);
    const round = this.#pace.end();
    if (round) this.#stale.ended(round);
    const failed = [...this.cohorts.values()].filter((cohort) => cohort.failed);
    if (failed.length > 0) {
      this.#stale.add(failed);
      this.#pace.retry();
    } else if (this.polledBecause !== undefined) {
      this.#stale.addAll();
      this.#pace.poll();
    } else if (!this.#stale.isEmpty) this.#pace.change(this.#stale.isNamed);
  }

  #log(began: number): void {
    const batches = this.#finished.splice(0);
    const { plan, id: pollerId } = this;
    const [cohorts, ended] = [this.cohorts.size, performance.now()];
    if (batches.length > 0)
      this.#options.log?.({ plan, pollerId, cohorts, began, ended, batches, options: this.#options });
  }

  /** The cohorts of the next statement. One that failed is read by itself. */
  #take(): Cohort[] {
    const batch: Cohort[] = [];
    for (const cohort of this.#due) {
      if (cohort.reading || (cohort.failed && batch.length > 0)) continue;
      this.#due.delete(cohort);
      cohort.reading = true;
      batch.push(cohort);
      if (cohort.failed || batch.length >= this.#options.batchSize) break;
    }
    return batch;
  }

  /** A receiver of a stream's batch goes on, at once or when it has read what it got. More rows may follow. */
  #advance(subscriber: Subscriber, values: Cohort['values']): void {
    const { isSlow, whenRead } = subscriber.listener;
    if (!isSlow()) {
      this.#follow(subscriber, values);
      return;
    }
    const place = this.#cohorts.pause(subscriber, values);
    whenRead(() => {
      if (place.subscribers.has(subscriber)) this.#follow(subscriber, values);
    });
  }

  /** Subscribers of a stream that have got equally far are one cohort from now on. */
  #follow(subscriber: Subscriber, values: Cohort['values']): void {
    const cohort = this.#cohorts.of(values);
    this.#cohorts.enter(subscriber, cohort);
    this.#due.add(cohort);
    this.#gather();
  }
}
