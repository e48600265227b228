/**
 * Reads one live query for all its cohorts, from its first subscriber to its last.
 *
 * A cohort is read when it is *due*: at once when somebody subscribes, and all of them together, in a *round*, when data
 * may have changed. What becomes due while it is being read is read once more afterwards, so the last read of a cohort
 * begins after the last change; and since a cohort is read by one batch at a time, its states never go backwards.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { EngineError } from '../core/errors.ts';
import type { SubscriptionPlan } from '../core/request/subscription.ts';
import { databaseError } from '../database/errors.ts';
import { connectionLost } from '../database/failures.ts';
import type { SourceConnection } from '../database/source.ts';
import { type Cohort, createCohort, deliver, Result, type Subscriber } from './cohort.ts';
import type { Lane, Reader } from './lane.ts';

export interface PollerOptions {
  /** Milliseconds between the end of a round and the next one, where nothing tells of changes. */
  readonly interval: number;
  /** Maximum cohorts of one statement. */
  readonly batchSize: number;
  /** Seed of the hashes. */
  readonly seed: string;
  /** How many have subscribed so far. */
  readonly joined: () => number;
  readonly report: (error: unknown) => void;
}

/** Milliseconds in which subscribers and signals gather, to be read together. */
const GATHER = 3;

export class Poller implements Reader {
  readonly plan: SubscriptionPlan;
  readonly cohorts = new Map<string, Cohort>();
  readonly #source: Pick<SourceConnection, 'poll'>;
  readonly #lane: Lane;
  readonly #options: PollerOptions;
  readonly #due = new Set<Cohort>();
  #reading = 0;
  #gathering: NodeJS.Timeout | undefined;
  #nextRound: NodeJS.Timeout | undefined;

  constructor(
    plan: SubscriptionPlan,
    source: Pick<SourceConnection, 'poll'>,
    lane: Lane,
    options: PollerOptions,
  ) {
    this.plan = plan;
    this.#source = source;
    this.#lane = lane;
    this.#options = options;
  }

  /** Adds a subscriber, who gets a result that is read from now on. */
  add(values: readonly (string | null)[], join: (cohort: Cohort) => Subscriber): Subscriber {
    const key = JSON.stringify(values);
    let cohort = this.cohorts.get(key);
    if (!cohort) {
      cohort = createCohort(key, values);
      this.cohorts.set(key, cohort);
    }
    const subscriber = join(cohort);
    cohort.subscribers.add(subscriber);
    cohort.wanted = true;
    this.#due.add(cohort);
    this.#gather();
    return subscriber;
  }

  /** @returns whether nobody is left */
  remove(subscriber: Subscriber): boolean {
    const { cohort } = subscriber;
    cohort.subscribers.delete(subscriber);
    if (cohort.subscribers.size === 0) {
      this.cohorts.delete(cohort.key);
      this.#due.delete(cohort);
    }
    if (this.cohorts.size > 0) return false;
    clearTimeout(this.#gathering);
    clearTimeout(this.#nextRound);
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

  #endRound(): void {
    clearTimeout(this.#nextRound);
    if (this.cohorts.size === 0) return;
    this.#nextRound = setTimeout(() => {
      for (const cohort of this.cohorts.values()) this.#due.add(cohort);
      this.#lane.wake(this);
    }, this.#options.interval);
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
    const { text, parameters } = this.plan;
    const wanted = batch.map((cohort) => cohort.wanted);
    const hashes = batch.map(({ hash }, index) => (wanted[index] ? null : (hash ?? null)));
    for (const cohort of batch) cohort.wanted = false;
    const numbers = batch.map((_, index) => String(index));
    const columns = parameters.map((_, index) => batch.map(({ values }) => values[index]!));
    let rows: readonly (readonly (string | null)[])[];
    try {
      rows = await this.#source.poll(text, [numbers, hashes, this.#options.seed, ...columns]);
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
    for (const [number, hash, data] of rows) {
      const cohort = batch[Number(number)]!;
      cohort.failed = false;
      cohort.hash = hash!;
      if (data !== null && data !== undefined) await handOut(cohort, new Result(data, hash!), joined);
    }
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
