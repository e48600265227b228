/**
 * The order in which pollers of one database read. A few batches run at a time, on connections of their own; pollers take
 * turns, a batch each, so that a slow one or one with many cohorts does not hold up the others.
 */

/** Something that reads in batches. */
export interface Reader {
  /** Whether there is something to read now. */
  readonly isReady: () => boolean;
  /** Reads one batch; never rejects. */
  readonly readBatch: () => Promise<void>;
}

/** Batches that run at a time: one connection of the lane stays free for the change signals. */
const MAX_RUNNING = 3;
/** Batches of one reader. */
const MAX_OF_ONE = 2;

export class Lane {
  /** Readers that may have something to read, in the order of their turns. */
  readonly #turns = new Set<Reader>();
  readonly #running = new Map<Reader, number>();
  #count = 0;

  /** Gives a reader its turn as soon as there is room. */
  wake(reader: Reader): void {
    this.#turns.add(reader);
    this.#fill();
  }

  #fill(): void {
    for (const reader of this.#turns) {
      if (this.#count >= MAX_RUNNING) return;
      const own = this.#running.get(reader) ?? 0;
      if (own >= MAX_OF_ONE) continue;
      this.#turns.delete(reader);
      if (reader.isReady()) void this.#run(reader, own);
    }
  }

  async #run(reader: Reader, own: number): Promise<void> {
    this.#count += 1;
    this.#running.set(reader, own + 1);
    try {
      const reading = reader.readBatch();
      // Behind those that wait already.
      if (reader.isReady()) this.#turns.add(reader);
      await reading;
    } finally {
      // After a defect as well: other readers need the place.
      this.#count -= 1;
      const left = this.#running.get(reader)! - 1;
      if (left > 0) this.#running.set(reader, left);
      else this.#running.delete(reader);
      if (reader.isReady()) this.#turns.add(reader);
      this.#fill();
    }
  }
}
