/** The cohorts of one live query, and which subscriber is in which. A cohort lives as long as it has subscribers. */
import { remember } from '../core/remember.ts';
import type { ParameterNode } from '../core/sql/fragment.ts';
import { dependOnMoment } from '../core/sql/moments.ts';
import { type Cohort, cohortKey, createCohort, type Subscriber } from './cohort.ts';
import { ReaderIndex } from './concern.ts';

export class Cohorts {
  readonly byKey = new Map<string, Cohort>();
  readonly index: ReaderIndex<Cohort>;
  /** Those whose values mean something else as time goes by. */
  readonly timed = new Set<Cohort>();
  readonly #parameters: readonly ParameterNode[];
  readonly #emptied: (cohort: Cohort) => void;

  /** @param emptied a cohort has lost its last subscriber */
  constructor(parameters: readonly ParameterNode[], emptied: (cohort: Cohort) => void) {
    this.index = new ReaderIndex(parameters, this.byKey);
    this.#parameters = parameters;
    this.#emptied = emptied;
  }

  isLive(cohort: Cohort): boolean {
    return this.byKey.get(cohort.key) === cohort;
  }

  /** The cohort of these values. */
  of(values: Cohort['values']): Cohort {
    return remember(this.byKey, cohortKey(values), () => {
      const cohort = createCohort(values);
      this.index.add(cohort);
      if (dependOnMoment(this.#parameters, values)) this.timed.add(cohort);
      return cohort;
    });
  }

  /** A cohort of its own for a subscriber of a stream that reads slowly: nothing is read for it. */
  pause(subscriber: Subscriber, values: Cohort['values']): Cohort {
    const place = { ...createCohort(values, `paused ${subscriber.joined}`), paused: true };
    this.byKey.set(place.key, place);
    this.index.add(place);
    this.enter(subscriber, place);
    return place;
  }

  enter(subscriber: Subscriber, cohort: Cohort): void {
    if (subscriber.cohort === cohort) return;
    this.leave(subscriber);
    subscriber.cohort = cohort;
    cohort.subscribers.add(subscriber);
  }

  leave(subscriber: Subscriber): void {
    const { cohort } = subscriber;
    cohort.subscribers.delete(subscriber);
    if (cohort.subscribers.size > 0) return;
    this.byKey.delete(cohort.key);
    this.index.remove(cohort);
    this.timed.delete(cohort);
    this.#emptied(cohort);
  }
}
