/**
 * When the rounds of a poller begin. A round never begins sooner after the one before than four times what that one took, so
 * that frequent changes of a slow query cannot use up the database; but it need not wait for longer than the interval. A change
 * that names no table may not concern the query: after each round in which nothing had changed the next one waits longer, up to
 * a second.
 * @rule When is a live query read again?
 */
import { LOOK_INTERVAL } from '../database/changes.ts';

/** Milliseconds in which subscribers and signals gather, to be read together. */
export const GATHER = 3;

/** Maximum milliseconds to wait for after rounds in which nothing had changed, or that failed. */
export const MAX_BACKOFF = 1000;

export interface Round {
  /** By performance.now(). */
  readonly began: number;
  /** Something that it read had changed. */
  hasChanged: boolean;
  /** Milliseconds that its batches took. */
  spent: number;
}

export class Pace {
  readonly #interval: number;
  readonly #begin: () => void;
  #next: { readonly at: number; readonly timer: NodeJS.Timeout } | undefined;
  #round: Round | undefined;
  #ended = 0;
  /** Milliseconds that the last round took. */
  #cost = 0;
  /** Milliseconds to wait for after a round, before one that a change without a table begins. */
  #backoff = 0;

  /**
   * @param interval milliseconds between the end of a round and the next one, if no changes are reported
   * @param begin begins a round
   */
  constructor(interval: number, begin: () => void) {
    this.#interval = interval;
    this.#begin = begin;
  }

  /** A change is to be read. @param isNamed it is known to concern the query */
  change(isNamed: boolean): void {
    const wait = 4 * this.#cost + (isNamed ? 0 : this.#backoff);
    this.#beginAt(this.#ended + Math.min(wait, this.#interval));
  }

  /** The next round begins in an interval at the latest. */
  poll(): void {
    this.#beginAt(performance.now() + this.#interval);
  }

  /** After a failure the next read comes soon. */
  retry(): void {
    this.#beginAt(performance.now() + Math.min(this.#interval, MAX_BACKOFF));
  }

  /** Something was read that had changed. */
  resultChanged(): void {
    if (this.#round) this.#round.hasChanged = true;
  }

  /** A batch of the round took so many milliseconds. */
  spend(time: number): void {
    if (this.#round) this.#round.spent += time;
  }

  /** Everything that was due has been read. @returns the round, if it was one */
  end(): Round | undefined {
    const round = this.#round;
    if (!round) return undefined;
    this.#round = undefined;
    // It read nothing: all that it concerned was being read already. That says nothing of what the next one is good for.
    if (round.spent === 0) return round;
    this.#ended = performance.now();
    // Not what it waited for while others were read.
    this.#cost = Math.min(this.#ended - round.began, round.spent);
    this.#backoff = round.hasChanged ? 0 : Math.min(Math.max(LOOK_INTERVAL, 2 * this.#backoff), MAX_BACKOFF);
    return round;
  }

  stop(): void {
    clearTimeout(this.#next?.timer);
  }

  #beginAt(moment: number): void {
    const now = performance.now();
    const at = Math.max(moment, now + GATHER);
    if (this.#next && this.#next.at <= at) return;
    clearTimeout(this.#next?.timer);
    const begin = () => {
      this.#next = undefined;
      this.#round = { began: performance.now(), hasChanged: false, spent: 0 };
      this.#begin();
    };
    this.#next = { at, timer: setTimeout(begin, at - now) };
  }
}
