/**
 * Lower bounds for reads of the queue. While a transaction keeps an old snapshot, the index keeps an entry for each event that
 * was waiting in this snapshot, and a look from the beginning reads all of these entries. After a slow look the next ones
 * therefore begin behind the numbers that have passed: all their events were tried.
 *
 * Numbers of events are not in the order of commits. A number counts as passed only when every transaction that could have
 * taken it, or a lower one, has ended: the last number is read, the next statement's snapshot has a higher `xmax` than any such
 * transaction, and they have all ended once a later snapshot's `xmin` has reached that. Events that become new again (delivered
 * anew), or that a transaction without a number of its own writes (foreign tables), are found by looks from the beginning.
 */

/** State of the queue, as a claim reads it. */
export interface Look {
  /** Lowest number of a waiting event that was never tried, behind what had passed, by trigger; null for none. */
  readonly first: Readonly<Record<string, number | null>>;
  /** Highest number that an event has, committed or not. */
  readonly last: number;
  /** Bounds of the statement's snapshot. */
  readonly xmin: number;
  readonly xmax: number;
  /** That it took in the database. */
  readonly milliseconds: number;
}

interface Passed {
  /** Numbers behind which the next look begins, one for each trigger; 0 for the beginning. */
  next(triggers: readonly string[]): readonly number[];
  /** The look that was begun last has ended. */
  looked(look: Look): void;
}

/** Milliseconds; looks that take less begin at the beginning. */
const SLOW = 20;
/** Slow looks from the beginning take at most this part of the time, but are made at least every so many milliseconds. */
const PART = 1 / 20;
const AT_LEAST = 30_000;

export function createPassed(now: () => number = () => performance.now()): Passed {
  const passed = new Map<string, number>();
  /** Every transaction that took this number or a lower one has ended. */
  let settled = 0;
  /** The next number that will be settled: once all transactions before `until` have ended. */
  let candidate: { readonly last: number; until?: number } | undefined;
  let isWhole = true;
  let nextWhole = 0;
  return {
    next: (triggers) => {
      isWhole = now() >= nextWhole;
      return triggers.map((trigger) => (isWhole ? 0 : (passed.get(trigger) ?? 0)));
    },
    looked: ({ first, last, xmin, xmax, milliseconds }) => {
      if (last < settled) {
        // Numbers begin anew: the tables were made again.
        settled = 0;
        candidate = undefined;
        passed.clear();
      }
      if (candidate) candidate.until ??= xmax;
      if (candidate?.until !== undefined && xmin >= candidate.until) {
        settled = candidate.last;
        candidate = undefined;
      }
      candidate ??= { last };
      for (const [trigger, waiting] of Object.entries(first))
        passed.set(trigger, Math.min(settled, (waiting ?? Number.POSITIVE_INFINITY) - 1));
      if (isWhole) nextWhole = milliseconds < SLOW ? 0 : now() + Math.min(AT_LEAST, milliseconds / PART);
    },
  };
}
