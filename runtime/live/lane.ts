/**
 * The order in which live queries of one database are read. A few statements run at a time, on connections of their own. Who
 * is served next is decided by what each role, session and socket has cost so far (shares.ts), so a client that subscribes to much waits for
 * its own reads, and others do not. Statements that are not known to be quick leave a connection to the others.
 */
import type { Cohort } from './cohort.ts';
import { type Kind, type Owner, Shares } from './shares.ts';

/** What one owner wants to have read by one reader. */
export interface Due {
  readonly reader: Reader;
  readonly owner: DueOwner;
  readonly cohorts: Set<Cohort>;
  /** Parts of batches that failed, each to be read by itself. */
  readonly parts: (readonly Cohort[])[];
  /** The reader has to learn what its query depends on. */
  learns: boolean;
}

export type DueOwner = Owner<Due>;

/** Something that reads in batches: a live query. */
export interface Reader {
  readonly kind: Kind;
  /** Estimated milliseconds that it takes to read one cohort. */
  readonly estimate: number;
  /** The next batch: cohorts of an owner, and some of others that are due as well. Empty: nothing is due any more. */
  readonly take: (due: Due) => Batch | undefined;
  /** Never rejects. */
  readonly read: (batch: Batch) => Promise<void>;
  /** The batch was read. @param cost milliseconds that the database took for it */
  readonly ended: (batch: Batch, cost: number) => void;
}

export interface Batch {
  readonly cohorts: readonly Cohort[];
  /** Those who pay for it. */
  readonly owners: readonly DueOwner[];
}

/** Statements that run at a time: one connection of the lane stays free for the change signals. */
const MAX_RUNNING = 3;
/** Those of them that are not known to be quick. */
const MAX_SLOW = 2;

const ANY: readonly Kind[] = ['quick', 'slow'];
const QUICK: readonly Kind[] = ['quick'];

/** Minimum cost of a statement (ms). */
export const MIN_COST = 1;

export class LiveLane {
  readonly shares = new Shares<Due>();
  #running = 0;
  #slow = 0;

  /** Notes that something is due; it is read after `fill`. */
  add(due: Due): void {
    this.shares.add(due.owner, due.reader.kind, due);
  }

  /** Begins what there is room for. */
  fill(): void {
    while (this.#running < MAX_RUNNING) {
      const next = this.shares.take(this.#slow < MAX_SLOW ? ANY : QUICK);
      if (!next) return;
      const { work: due, kind } = next;
      const { reader } = due;
      if (reader.kind !== kind) {
        // It was measured since.
        if (isWaiting(due)) this.add(due);
        continue;
      }
      const batch = reader.take(due);
      // Behind the owner's others.
      if (isWaiting(due)) this.add(due);
      if (batch) void this.#run(reader, batch, kind);
    }
  }

  async #run(reader: Reader, batch: Batch, kind: Kind): Promise<void> {
    const slow = kind === 'slow' ? 1 : 0;
    this.#running += 1;
    this.#slow += slow;
    // Before it is known, so that an owner does not get all connections at once.
    const expected = Math.max(MIN_COST, reader.estimate * batch.cohorts.length);
    this.#charge(batch, expected);
    const { idleTime } = performance.nodeTiming;
    try {
      await reader.read(batch);
    } finally {
      // After a defect as well: other readers need the place. While this process was busy, the answer may have waited for it.
      const cost = Math.max(MIN_COST, performance.nodeTiming.idleTime - idleTime);
      this.#charge(batch, Math.max(0, cost - expected));
      this.#running -= 1;
      this.#slow -= slow;
      reader.ended(batch, cost);
      this.fill();
    }
  }

  #charge({ owners }: Batch, cost: number): void {
    for (const owner of owners) this.shares.charge(owner, cost / owners.length);
  }
}

export function isWaiting({ cohorts, parts, learns }: Due): boolean {
  return cohorts.size > 0 || parts.length > 0 || learns;
}
