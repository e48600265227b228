/**
 * The program that is being served. A request takes `current` once, at its start, and keeps it to its end; a swap is one
 * assignment after everything succeeded.
 */

/** Holds the snapshot that requests take. */
export interface Live<Snapshot> {
  /** Undefined until the first program is there. */
  readonly current: Snapshot | undefined;
  swap(next: Snapshot): void;
  /** Calls the listener after each swap but the first. */
  whenSwapped(listener: () => void): void;
}

export function createLive<Snapshot>(): Live<Snapshot> {
  let current: Snapshot | undefined;
  const listeners: (() => void)[] = [];
  return {
    get current() {
      return current;
    },
    swap: (next) => {
      const isFirst = current === undefined;
      current = next;
      if (!isFirst) for (const listener of listeners) listener();
    },
    whenSwapped: (listener) => {
      listeners.push(listener);
    },
  };
}
