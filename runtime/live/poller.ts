/**
 * Reads one live query for all its cohorts, from its first subscriber to its last.
 *
 * A cohort is read when it is *due*: at once when a client subscribes, and all of them together, in a *round*, when data
 * may have changed. What becomes due while it is being read is read once more afterwards, so the last read of a cohort
 * begins after the last change; and since a cohort is read by one batch at a time, its states never go backwards.
 *
 * Rounds follow from changes of data, and where those do not tell everything, from the interval as well. A round never begins sooner after the
 * one before than four times what that one took. A change that names no table may not concern this query: each round that
 * such a change began in vain makes the poller wait longer for the next one, up to a second.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { EngineError } from '../core/errors.ts';
import { remember } from '../core/remember.ts';
import type { SubscriptionPlan } from '../core/request/subscription.ts';
import { type Change, LOOK_INTERVAL } from '../database/changes.ts';
import { databaseError } from '../database/errors.ts';
import { connectionLost } from '../database/failures.ts';
import type { SourceConnection } from '../database/source.ts';
import { type Cohort, cohortKey, createCohort, deliver, Result, type Subscriber } from './cohort.ts';
import type { Lane, Reader } from './lane.ts';
import { type Sensitivity, sensitivityOf, tablesOf } from './sensitivity.ts';

export interface PollerOptions {
  /** Milliseconds between the end of a round and the next one, if no changes are reported. */
  readonly interval: number;
  /** Maximum cohorts of one statement. */
  readonly batchSize: number;
  /** Seed of the hashes. */
  readonly seed: string;
  /** How many have subscribed so far. */
  readonly joined: () => number;
  readonly report: (error: unknown) => void;
}

type PolledSource = Pick<SourceConnection, 'poll' | 'changes'>;

/** Maximum milliseconds to wait for after rounds that were in vain, or that failed. */
const MAX_PATIENCE = 1000;

/** Milliseconds after which definitions in the database are looked at again: they may change behind our back. */
const LEARN_AGAIN = 60_000;

/** Milliseconds in which subscribers and signals gather, to be read together. */
const GATHER = 3;

export class Poller implements Reader {
  readonly plan: SubscriptionPlan;
  readonly cohorts = new Map<string, Cohort>();
  readonly #source: PolledSource;
  readonly #lane: Lane;
  readonly #options: PollerOptions;
  readonly #due = new Set<Cohort>();
  #reading = 0;
  #gathering: NodeJS.Timeout | undefined;
  #nextRound: { readonly at: number; readonly timer: NodeJS.Timeout } | undefined;
  /** Result of the running round. */
  #round: { readonly began: number; isFruitful: boolean } | undefined;
  #roundEnded = 0;
  /** Milliseconds that the last round took. */
  #cost = 0;
  /** Milliseconds to wait for after a round, before one that a change without a table begins. */
  #patience = 0;
  /** A change came while cohorts were being read. */
  #missed: Change | undefined;
  /** undefined: not known yet. */
  #sensitivity: Sensitivity | undefined;
  /** When it was asked for, by performance.now(). */
  #learned = 0;
  readonly #tables: ReadonlySet<string>;
  readonly #stopListening: () => void;

  constructor(plan: SubscriptionPlan, source: PolledSource, lane: Lane, options: PollerOptions) {
    this.plan = plan;
    this.#source = source;
    this.#lane = lane;
    this.#options = options;
    this.#tables = tablesOf(plan.text);
    this.#stopListening = source.changes.listen((change) => this.#changed(change));
    this.relearn();
  }

  /** Why the query is read at its interval; undefined: it is read after changes of data. */
  get polledBecause(): string | undefined {
    return this.#sensitivity ? this.#sensitivity.polledBecause : 'nothing is known of it yet';
  }

  /** Finds out on what the query depends; definitions in the database may have changed. */
  relearn(): void {
    this.#learned = performance.now();
    const take = (sensitivity: Sensitivity | undefined) => {
      this.#sensitivity = sensitivity;
      if (this.polledBecause !== undefined && this.cohorts.size > 0)
        this.#beginRoundAt(performance.now() + this.#options.interval);
    };
    // A query whose dependencies are unknown is read at its interval.
    sensitivityOf(this.plan.text, this.#source).then(take, () => take(undefined));
  }

  /** Adds a subscriber, who gets a result that is read from now on. */
  add(values: readonly (string | null)[], join: (cohort: Cohort) => Subscriber): Subscriber {
    const cohort = remember(this.cohorts, cohortKey(values), () => createCohort(values));
    const subscriber = join(cohort);
    cohort.subscribers.add(subscriber);
    cohort.wanted = true;
    this.#due.add(cohort);
    this.#gather();
    return subscriber;
  }

  /** @returns whether no subscriber is left */
  remove(subscriber: Subscriber): boolean {
    const { cohort } = subscriber;
    cohort.subscribers.delete(subscriber);
    if (cohort.subscribers.size === 0) {
      this.cohorts.delete(cohort.key);
      this.#due.delete(cohort);
    }
    if (this.cohorts.size > 0) {
      if (this.#reading === 0 && this.#due.size === 0) this.#endRound();
      return false;
    }
    clearTimeout(this.#gathering);
    clearTimeout(this.#nextRound?.timer);
    this.#stopListening();
    return true;
  }

  isReady(): boolean {
    for (const cohort of this.#due) if (!cohort.reading) return true;
    return false;
  }

  async readBatch(): Promise<void> {
    const batch = this.#take();
    this.#reading += 1;
    const joined = this.#options.joined();
    try {
      await this.#read(batch, joined);
    } catch (error) {
      // A defect, here or in a listener: it must not end the polling.
      this.#options.report(error);
    }
    for (const cohort of batch) cohort.reading = false;
    this.#reading -= 1;
    if (this.#reading === 0 && this.#due.size === 0) this.#endRound();
  }

  #gather(): void {
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#lane.wake(this);
    }, GATHER);
  }

  #changed(change: Change): void {
    const { tables } = change;
    const isNamed = tables !== undefined;
    if (isNamed && !intersect(tables, this.#tables)) return;
    if (this.#reading > 0) {
      if (!this.#missed || isNamed) this.#missed = change;
      return;
    }
    const wait = 4 * this.#cost + (isNamed ? 0 : this.#patience);
    this.#beginRoundAt(this.#roundEnded + Math.min(wait, this.#options.interval));
  }

  #beginRoundAt(moment: number): void {
    const now = performance.now();
    const at = Math.max(moment, now + GATHER);
    if (this.#nextRound && this.#nextRound.at <= at) return;
    clearTimeout(this.#nextRound?.timer);
    const begin = () => {
      this.#nextRound = undefined;
      this.#round = { began: performance.now(), isFruitful: false };
      if (!this.#sensitivity || this.#round.began - this.#learned > LEARN_AGAIN) this.relearn();
      for (const cohort of this.cohorts.values()) if (!cohort.paused) this.#due.add(cohort);
      this.#lane.wake(this);
    };
    this.#nextRound = { at, timer: setTimeout(begin, at - now) };
  }

  #endRound(): void {
    if (this.cohorts.size === 0) return;
    const now = performance.now();
    const round = this.#round;
    this.#round = undefined;
    if (round) {
      this.#roundEnded = now;
      this.#cost = now - round.began;
      this.#patience = round.isFruitful
        ? 0
        : Math.min(Math.max(LOOK_INTERVAL, 2 * this.#patience), MAX_PATIENCE);
    }
    const isFailing = [...this.cohorts.values()].some(({ failed }) => failed);
    const { interval } = this.#options;
    if (isFailing) this.#beginRoundAt(now + Math.min(interval, MAX_PATIENCE));
    else if (this.polledBecause !== undefined) this.#beginRoundAt(now + interval);
    const missed = this.#missed;
    this.#missed = undefined;
    if (missed) this.#changed(missed);
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

  /** Reads cohorts by one statement, or, if it fails, by one for each half, until the failure is that of one cohort. */
  async #read(batch: readonly Cohort[], joined: number): Promise<void> {
    const { text, parameters, cursor } = this.plan;
    const wanted = batch.map((cohort) => cohort.wanted);
    const hashes = batch.map(({ hash }, index) => (wanted[index] ? null : (hash ?? null)));
    for (const cohort of batch) cohort.wanted = false;
    const numbers = batch.map((_, index) => String(index));
    const columns = parameters.map((_, index) => batch.map(({ values }) => values[index]!));
    let rows: readonly (readonly (string | null)[])[];
    try {
      const others = cursor ? [] : [hashes, this.#options.seed];
      rows = await this.#poll(text, [numbers, ...others, ...columns]);
    } catch (error) {
      batch.forEach((cohort, index) => {
        cohort.wanted ||= wanted[index]!;
      });
      const lost = connectionLost(error);
      if (batch.length === 1 || lost) {
        for (const cohort of batch) await this.#fail(cohort, error, joined);
        // A database that is away is not asked all the time.
        if (lost) await delay(100);
        return;
      }
      const half = Math.ceil(batch.length / 2);
      await this.#read(batch.slice(0, half), joined);
      await this.#read(batch.slice(half), joined);
      return;
    }
    for (const cohort of batch) cohort.failed = false;
    for (const [number, state, data] of rows) {
      const cohort = batch[Number(number)]!;
      if (cursor) await this.#advance(cohort, state!, data!, cursor.parameter, joined);
      else {
        cohort.hash = state!;
        if (data !== null && data !== undefined) await handOut(cohort, new Result(data, state!), joined);
      }
      if (this.#round && data !== null) this.#round.isFruitful = true;
    }
  }

  /** Asks the database; once more where the connection broke, which says nothing of the next one. */
  async #poll(
    ...statement: Parameters<PolledSource['poll']>
  ): Promise<readonly (readonly (string | null)[])[]> {
    try {
      return await this.#source.poll(...statement);
    } catch (error) {
      if (!connectionLost(error)) throw error;
      return this.#source.poll(...statement);
    }
  }

  /** Hands out a batch of a stream, and moves its receivers to the new position of the cursor. More rows may follow. */
  async #advance(
    cohort: Cohort,
    state: string,
    data: string,
    parameter: number,
    joined: number,
  ): Promise<void> {
    const values = cohort.values.map((value, index) => (index === parameter ? state : value));
    const result = new Result(data, state);
    await deliver(cohort, joined, (subscriber) => {
      subscriber.failure = undefined;
      subscriber.listener.next(result);
      const { isSlow, whenRead } = subscriber.listener;
      if (!isSlow()) {
        this.#follow(subscriber, values);
        return;
      }
      const place = { ...createCohort(values, `paused ${subscriber.joined}`), paused: true };
      this.#enter(subscriber, place);
      whenRead(() => {
        if (place.subscribers.has(subscriber)) this.#follow(subscriber, values);
      });
    });
  }

  /** Subscribers of a stream that have got equally far are one cohort from now on. */
  #follow(subscriber: Subscriber, values: readonly (string | null)[]): void {
    const cohort = remember(this.cohorts, cohortKey(values), () => createCohort(values));
    this.#enter(subscriber, cohort);
    this.#due.add(cohort);
    this.#gather();
  }

  #enter(subscriber: Subscriber, cohort: Cohort): void {
    const { cohort: before } = subscriber;
    before.subscribers.delete(subscriber);
    if (before.subscribers.size === 0) {
      this.cohorts.delete(before.key);
      this.#due.delete(before);
    }
    subscriber.cohort = cohort;
    cohort.subscribers.add(subscriber);
    this.cohorts.set(cohort.key, cohort);
  }

  async #fail(cohort: Cohort, thrown: unknown, joined: number): Promise<void> {
    const { text } = this.plan;
    const error = databaseError(thrown, { text, values: cohort.values, prepared: false });
    if (!(error instanceof EngineError)) this.#options.report(thrown);
    const shown =
      error instanceof EngineError
        ? error
        : new EngineError('unexpected', 'Internal Server Error', { status: 500 });
    const refused = shown.code === 'data-exception' && !cohort.failed && (await this.#refusal(cohort));
    cohort.failed = true;
    cohort.wanted = true;
    await deliver(cohort, joined, (subscriber) => {
      // Those who had a result have good values.
      if (refused && subscriber.hash === undefined) subscriber.listener.refused(refused);
      else if (subscriber.failure !== shown.message) {
        subscriber.hash = undefined;
        subscriber.failure = shown.message;
        subscriber.listener.failed(shown);
      }
    });
  }

  /** The error of the cohort's values themselves, if they are no values of their types. */
  async #refusal({ values }: Cohort): Promise<EngineError | undefined> {
    const { parameters } = this.plan;
    const casts = parameters.map(({ type }, index) => `(($1::text[])[${index + 1}])::${type}`);
    try {
      await this.#source.poll(`select ${casts.join(', ')}`, [values]);
      return undefined;
    } catch (thrown) {
      const error = databaseError(thrown);
      return error instanceof EngineError && error.code === 'data-exception' ? error : undefined;
    }
  }
}

async function handOut(cohort: Cohort, result: Result, joined: number): Promise<void> {
  await deliver(cohort, joined, (subscriber) => {
    if (subscriber.hash === result.hash) return;
    subscriber.hash = result.hash;
    subscriber.failure = undefined;
    subscriber.listener.next(result);
  });
}

function intersect(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  for (const item of left) if (right.has(item)) return true;
  return false;
}
