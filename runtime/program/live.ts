/**
 * The program that is being served. A request takes `current` once, at its start, and keeps it to its end; a swap is one
 * assignment after everything succeeded.
 */

/** Holds the snapshot that requests take. */
export interface Live<Snapshot> {
  /** Undefined until the first program is there. */
  readonly current: Snapshot | undefined;
  swap(next: Snapshot): void;
}

export function createLive<Snapshot>(): Live<Snapshot> {
  let current: Snapshot | undefined;
  return {
    get current() {
      return current;
    },
    swap: (next) => {
      current = next;
    },
  };
}
