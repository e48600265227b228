/**
 * The life of a live query: it is read for all its cohorts, from its first subscriber to its last.
 *
 * A cohort is read when it is *due* (due.ts): at once when a client subscribes, and in a *round* (pace.ts) when what it reads may have
 * changed (staleness.ts). What becomes due while it is being read is read once more afterwards, so the last read of a cohort
 * begins after the last change; and since a cohort is read by one batch at a time, its states never go backwards.
 *
 * Cohorts that failed are apart from that (retries.ts): no round reads them or waits for them.
 */

import { randomUUID } from 'node:crypto';
import type { SubscriptionPlan } from '../core/request/subscription.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import type { Change } from '../database/changes.ts';
import type { SourceConnection } from '../database/source.ts';
import type { Cohort, Subscriber } from './cohort.ts';
import { Cohorts } from './cohorts.ts';
import { DueCohorts } from './due.ts';
import type { Batch, Due, DueOwner, LiveLane, Reader } from './lane.ts';
import { GATHER, Pace } from './pace.ts';
import type { BatchReport, ReadReport } from './poller-log.ts';
import { type BatchOutcome, type ReadingContext, readBatch } from './reading.ts';
import { Retries } from './retries.ts';
import type { Sensitivities } from './sensitivity.ts';
import type { Kind } from './shares.ts';
import { Staleness } from './staleness.ts';

export interface PollerOptions {
  readonly vocabulary: Vocabulary;
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

/** What the live queries of one database share. */
export interface Database {
  readonly lane: LiveLane;
  readonly sensitivities: Sensitivities;
}

type PolledSource = Pick<SourceConnection, 'poll' | 'changes'>;

export class Poller implements Reader {
  readonly plan: SubscriptionPlan;
  readonly #lane: LiveLane;
  readonly #options: PollerOptions;
  readonly #pace: Pace;
  readonly #reading: ReadingContext;
  readonly #cohorts: Cohorts;
  readonly #stale: Staleness<Cohort>;
  readonly #due: DueCohorts;
  readonly #retries: Retries;
  /** Batches of cohorts that had failed. */
  readonly #retried = new Set<Batch>();
  /** Cohorts that the round waits for; undefined: there is no round. */
  #round: Set<Cohort> | undefined;
  /** The database was away. */
  #isLost = false;
  #batches = 0;
  /** When something became due, until nothing is. */
  #readingSince: number | undefined;
  #finished: BatchReport[] = [];
  readonly id = randomUUID();
  #gathering: NodeJS.Timeout | undefined;
  readonly #stopListening: () => void;

  constructor(
    plan: SubscriptionPlan,
    source: PolledSource,
    { lane, sensitivities }: Database,
    options: PollerOptions,
  ) {
    this.plan = plan;
    this.#lane = lane;
    this.#options = options;
    this.#pace = new Pace(options.interval, () => this.#beginRound());
    this.#reading = {
      vocabulary: options.vocabulary,
      plan,
      poll: source.poll,
      seed: options.seed,
      changed: (cohort) => {
        if (this.#round?.has(cohort)) this.#pace.resultChanged();
      },
      horizon: () => source.changes.begunBefore(1000 * (plan.horizon?.seconds ?? 0)),
      waits: (cohort) => this.#stale.add([cohort]),
      advance: (subscribers, values) => this.#advance(subscribers, values),
      finished: (batch) => this.#finished.push(batch),
      report: options.report,
    };
    this.#cohorts = new Cohorts(plan.parameters, (cohort) => this.#forget(cohort));
    this.#due = new DueCohorts(this, lane, plan.apart ? 1 : options.batchSize);
    this.#retries = new Retries(options.interval, (cohorts) => this.#retry(cohorts));
    this.#stale = new Staleness(plan.reads, sensitivities, this.#cohorts.index, () => options.missed(plan));
    this.#stopListening = source.changes.listen((change) => this.#changed(change));
  }

  get cohorts(): ReadonlyMap<string, Cohort> {
    return this.#cohorts.byKey;
  }

  /** Why the query, or a part of its cohorts, is read at its interval; undefined: it is read after changes of data. */
  get polledBecause(): string | undefined {
    return this.#stale.polledBecause ?? (this.#cohorts.timed.size > 0 ? 'the time in a value' : undefined);
  }

  get kind(): Kind {
    return this.#due.kind;
  }

  get estimate(): number {
    return this.#due.estimate;
  }

  /** Definitions in the database may have changed: on what the query depends is found out again. */
  relearn(): void {
    this.#stale.forget();
    this.#learn();
  }

  /** Adds a subscriber, who gets a result that is read from now on. */
  add(values: readonly (string | null)[], owner: DueOwner, join: (cohort: Cohort) => Subscriber): Subscriber {
    const cohort = this.#cohorts.of(values);
    const subscriber = join(cohort);
    cohort.subscribers.add(subscriber);
    cohort.wanted = true;
    this.#makeDue(cohort, owner);
    this.#gather();
    return subscriber;
  }

  /** @returns whether no subscriber is left */
  remove(subscriber: Subscriber): boolean {
    const { cohort } = subscriber;
    this.#cohorts.leave(subscriber);
    if (this.cohorts.size > 0) {
      this.#due.left(cohort, subscriber.owner);
      this.#settle();
      return false;
    }
    clearTimeout(this.#gathering);
    this.#pace.stop();
    this.#retries.stop();
    this.#stopListening();
    this.#logLast();
    return true;
  }

  take(due: Due): Batch | undefined {
    const batch = this.#due.take(due, (cohort) => this.#cohorts.isLive(cohort));
    if (batch) this.#batches += 1;
    return batch;
  }

  /** In the turns of the lane as well: subscribers that come and go at once must not use up the database. */
  async read(batch: Batch): Promise<void> {
    const { cohorts } = batch;
    this.#readingSince ??= performance.now();
    if (this.#retries.areRetried(cohorts)) this.#retried.add(batch);
    const isOfRound = cohorts.some((cohort) => this.#round?.has(cohort));
    const began = performance.now();
    const { idleTime } = performance.nodeTiming;
    try {
      if (cohorts.length > 0) {
        const outcome = await readBatch(this.#reading, cohorts, this.#options.joined());
        if (outcome === 'split') this.#split(cohorts);
        else for (const cohort of cohorts) this.#ended(cohort, outcome);
      }
    } catch (error) {
      // A defect, here or in a listener: it must not end the polling.
      this.#options.report(error);
      for (const cohort of cohorts) this.#ended(cohort, 'read');
    }
    if (isOfRound) this.#pace.spend(performance.now() - began);
    this.#due.took(cohorts.length, performance.nodeTiming.idleTime - idleTime);
    if (this.#stale.mustLearn && this.cohorts.size > 0) await this.#stale.learn();
  }

  ended(batch: Batch, cost: number): void {
    this.#batches -= 1;
    if (this.cohorts.size === 0) {
      this.#logLast();
      return;
    }
    this.#retries.ended(this.#retried.delete(batch) ? cost : undefined);
    this.#settle();
  }

  #gather(): void {
    this.#readingSince ??= performance.now();
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#lane.fill();
    }, GATHER);
  }

  /** Has a cohort read. @param owner who pays */
  #makeDue(cohort: Cohort, owner: DueOwner): void {
    if (cohort.reading) cohort.again = true;
    else if (this.#retries.has(cohort)) this.#due.addPart([cohort], owner);
    else this.#due.add(cohort, owner);
  }

  #learn(): void {
    const [cohort] = this.cohorts.values();
    if (!cohort) return;
    this.#due.learn(this.#due.payerOf(cohort));
    this.#lane.fill();
  }

  #changed(change: Change): void {
    const isStale = this.#stale.note(change);
    if (this.#stale.mustLearn) this.#learn();
    if (isStale && !this.#round) this.#pace.change(this.#stale.isNamed);
  }

  #beginRound(): void {
    this.#readingSince ??= performance.now();
    const round = new Set<Cohort>();
    this.#round = round;
    const stale = this.#stale.take();
    const all = stale === 'all' ? this.cohorts.values() : new Set([...stale, ...this.#cohorts.timed]);
    for (const cohort of all) {
      // One that is due already is read after this moment.
      if (cohort.paused || cohort.due || !this.#cohorts.isLive(cohort)) continue;
      if (this.#retries.has(cohort)) this.#retries.ask(cohort);
      else {
        if (!cohort.reading) round.add(cohort);
        this.#makeDue(cohort, this.#due.payerOf(cohort));
      }
    }
    this.#lane.fill();
    this.#settle();
  }

  /** Ends the round when all that it waits for is read, and plans the next one. */
  #settle(): void {
    if (this.cohorts.size === 0 || (this.#round && this.#round.size > 0)) return;
    if (this.#round || (this.#batches === 0 && this.#due.isEmpty)) this.#log();
    if (!this.#round && this.#stale.isLearning) return;
    this.#round = undefined;
    const round = this.#pace.end();
    if (round) this.#stale.ended(round);
    if (this.#isLost) {
      this.#isLost = false;
      this.#pace.retry();
      return;
    }
    // Noted while the round was read: what is read at its interval does not wait for that, either.
    if (!this.#stale.isEmpty) this.#pace.change(this.#stale.isNamed);
    if (this.polledBecause !== undefined) this.#pace.poll();
  }

  /** No subscriber is left; the last read may still run. */
  #logLast(): void {
    if (this.#batches === 0) this.#log();
  }

  #log(): void {
    const began = this.#readingSince;
    const isReading = this.#batches > 0 || !this.#due.isEmpty;
    this.#readingSince = isReading ? performance.now() : undefined;
    const batches = this.#finished.splice(0);
    const { plan, id: pollerId } = this;
    const [cohorts, ended] = [this.cohorts.size, performance.now()];
    if (began !== undefined && batches.length > 0)
      this.#options.log?.({ plan, pollerId, cohorts, began, ended, batches, options: this.#options });
  }

  /** The batch is read in halves, each in its turn, until what fails is one cohort. */
  #split(batch: readonly Cohort[]): void {
    const live = batch.filter((cohort) => this.#cohorts.isLive(cohort));
    for (const cohort of batch) this.#round?.delete(cohort);
    const half = Math.ceil(live.length / 2);
    this.#addParts([live.slice(0, half), live.slice(half)]);
  }

  #addParts(parts: readonly (readonly Cohort[])[]): void {
    for (const part of parts) if (part.length > 0) this.#due.addPart(part, this.#due.payerOf(...part));
  }

  /** A cohort was read, or its failure is known. */
  #ended(cohort: Cohort, outcome: BatchOutcome): void {
    cohort.reading = false;
    this.#round?.delete(cohort);
    if (!this.#cohorts.isLive(cohort)) return;
    const { again } = cohort;
    cohort.again = false;
    if (outcome === 'read') this.#retries.delete(cohort);
    else if (outcome === 'lost' && !this.#retries.has(cohort)) {
      this.#isLost = true;
      this.#stale.add([cohort]);
    } else {
      const passes = outcome !== 'failed' || again || this.polledBecause !== undefined;
      this.#retries.failed(cohort, passes);
      const newcomer = again && [...cohort.subscribers].find(isUntold);
      if (newcomer) this.#makeDue(cohort, newcomer.owner);
      return;
    }
    if (again) this.#makeDue(cohort, this.#due.payerOf(cohort));
  }

  #retry(cohorts: readonly Cohort[]): void {
    const parts: Cohort[][] = [];
    for (const cohort of cohorts) {
      // It is being read for a new subscriber.
      if (cohort.reading) continue;
      if (parts.length === 0 || parts.at(-1)!.length >= this.#due.limit) parts.push([]);
      parts.at(-1)!.push(cohort);
    }
    this.#addParts(parts);
    this.#lane.fill();
  }

  /** A cohort has no subscribers any more. */
  #forget(cohort: Cohort): void {
    this.#due.delete(cohort);
    this.#retries.delete(cohort);
    this.#round?.delete(cohort);
  }

  /** The receivers of a stream's batch go on, at once or when they have read what they got. More rows may follow. */
  #advance(subscribers: readonly Subscriber[], values: Cohort['values']): void {
    const current: Subscriber[] = [];
    for (const subscriber of subscribers) {
      const { listener } = subscriber;
      if (!listener.isSlow()) {
        current.push(subscriber);
        continue;
      }
      const place = this.#cohorts.pause(subscriber, values);
      listener.whenRead(() => {
        if (place.subscribers.has(subscriber)) this.#follow([subscriber], values);
      });
    }
    this.#follow(current, values);
  }

  /** Subscribers of a stream that have got equally far are one cohort from now on. */
  #follow(subscribers: readonly Subscriber[], values: Cohort['values']): void {
    if (subscribers.length === 0) return;
    const cohort = this.#cohorts.of(values);
    for (const subscriber of subscribers) {
      this.#cohorts.enter(subscriber, cohort);
      // Its values are those of a row.
      cohort.readFor = Math.max(cohort.readFor, subscriber.joined);
    }
    this.#makeDue(cohort, this.#due.payerOf(cohort));
    this.#gather();
  }
}

/** Whether a subscriber waits for its first result. */
function isUntold({ hash, failure, hasBegun }: Subscriber): boolean {
  return hash === undefined && failure === undefined && !hasBegun;
}
