/**
 * The cohorts of a live query that are due, by the owner who pays for the read, and how many are read at a time. Values that
 * were never read may make a statement fail, so they are not in one batch with those that were: who has a result does not wait until the
 * failing values are found.
 */
import { remember } from '../core/remember.ts';
import type { Cohort } from './cohort.ts';
import {
  type Batch,
  type Due,
  type DueOwner,
  isWaiting,
  type LiveLane,
  MIN_COST,
  type Reader,
} from './lane.ts';
import type { Kind } from './shares.ts';

/** Milliseconds: a batch should not hold a connection for longer, because others wait for it. */
const SLOW = 100;

export class DueCohorts {
  readonly #reader: Reader;
  readonly #lane: LiveLane;
  readonly #maximum: number;
  readonly #byOwner = new Map<DueOwner, Due>();
  /** In the order in which they became due. */
  readonly #tried = new Set<Cohort>();
  readonly #untried = new Set<Cohort>();
  /** Maximum cohorts of the next batch. */
  limit: number;
  /** It is not known to be quick before it was read. */
  kind: Kind = 'slow';
  estimate = MIN_COST;

  /** @param maximum cohorts of one statement */
  constructor(reader: Reader, lane: LiveLane, maximum: number) {
    this.#reader = reader;
    this.#lane = lane;
    this.#maximum = maximum;
    this.limit = maximum;
  }

  get isEmpty(): boolean {
    return this.#byOwner.size === 0;
  }

  add(cohort: Cohort, owner: DueOwner): void {
    if (cohort.due) {
      if (this.#lane.shares.first(cohort.due.owner, owner) !== owner) return;
      this.delete(cohort);
    }
    const due = this.#of(owner);
    cohort.due = due;
    due.cohorts.add(cohort);
    (cohort.readFor > 0 ? this.#tried : this.#untried).add(cohort);
    this.#lane.add(due);
  }

  /** Has cohorts read by a statement of their own. */
  addPart(cohorts: readonly Cohort[], owner: DueOwner): void {
    for (const cohort of cohorts) cohort.reading = true;
    const due = this.#of(owner);
    due.parts.push(cohorts);
    this.#lane.add(due);
  }

  learn(owner: DueOwner): void {
    const due = this.#of(owner);
    due.learns = true;
    this.#lane.add(due);
  }

  delete(cohort: Cohort): void {
    const { due } = cohort;
    if (!due) return;
    cohort.due = undefined;
    due.cohorts.delete(cohort);
    this.#tried.delete(cohort);
    this.#untried.delete(cohort);
    this.#dropIfEmpty(due);
  }

  /** An owner subscribes to a cohort no more: if it would have paid, another one does. */
  left(cohort: Cohort, owner: DueOwner): void {
    if (cohort.due?.owner !== owner) return;
    this.delete(cohort);
    const [other] = cohort.subscribers;
    if (other) this.add(cohort, other.owner);
  }

  /** The owner that was served least, of all whose subscribers get these cohorts. */
  payerOf(...cohorts: readonly Cohort[]): DueOwner {
    let payer: DueOwner | undefined;
    for (const { subscribers } of cohorts)
      for (const { owner } of subscribers)
        if (owner !== payer) payer = payer ? this.#lane.shares.first(payer, owner) : owner;
    return payer!;
  }

  /** The next batch of an owner. Cohorts of others, which are due as well, fill it up. */
  take(due: Due, isLive: (cohort: Cohort) => boolean): Batch | undefined {
    const [first] = due.cohorts;
    const batch = first
      ? this.#fill(due, this.#tried.has(first) ? this.#tried : this.#untried)
      : this.#nextPart(due, isLive);
    this.#dropIfEmpty(due);
    return batch;
  }

  #fill(due: Due, set: ReadonlySet<Cohort>): Batch {
    const cohorts: Cohort[] = [];
    const owners: DueOwner[] = [];
    for (const from of [due.cohorts, set])
      for (const cohort of from) {
        if (cohorts.length >= this.limit) break;
        if (!set.has(cohort)) continue;
        owners.push(cohort.due!.owner);
        cohorts.push(cohort);
        this.delete(cohort);
        cohort.reading = true;
      }
    return { cohorts, owners };
  }

  #nextPart(due: Due, isLive: (cohort: Cohort) => boolean): Batch | undefined {
    for (let part = due.parts.shift(); part; part = due.parts.shift()) {
      const cohorts = part.filter(isLive);
      if (cohorts.length > 0) return { cohorts, owners: cohorts.map((cohort) => this.payerOf(cohort)) };
    }
    if (!due.learns) return undefined;
    due.learns = false;
    return { cohorts: [], owners: [due.owner] };
  }

  /** A batch of so many cohorts was read. @param cost milliseconds */
  took(count: number, cost: number): void {
    if (count === 0) return;
    this.estimate = cost / count;
    this.kind = cost > SLOW ? 'slow' : 'quick';
    if (cost > SLOW) this.limit = Math.max(1, Math.floor(count / 2));
    else if (cost < SLOW / 4) this.limit = Math.min(this.#maximum, 2 * this.limit);
  }

  #of(owner: DueOwner): Due {
    return remember(this.#byOwner, owner, () => ({
      reader: this.#reader,
      owner,
      cohorts: new Set(),
      parts: [],
      learns: false,
    }));
  }

  #dropIfEmpty(due: Due): void {
    if (isWaiting(due) || this.#byOwner.get(due.owner) !== due) return;
    this.#byOwner.delete(due.owner);
  }
}
