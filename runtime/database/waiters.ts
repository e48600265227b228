/** The operations that wait for a connection, in one queue for each lane. */
import { MAX_TIMER } from '../core/max-timer.ts';
import type { PoolEvent } from './connections.ts';
import { LockWaitError, PoolFullError, PoolTimeoutError } from './failures.ts';
import { LANES, type Lane, type Lanes } from './lanes.ts';
import type { TaskConnection } from './task.ts';

export interface WaiterSettings {
  /** Seconds to wait for a connection; undefined = forever. */
  readonly poolTimeout?: number | undefined;
  /** How many operations may wait; absent or 0: any number. */
  readonly maxWaiting?: number | undefined;
  readonly report?: ((event: PoolEvent, seconds: number) => void) | undefined;
}

export interface Waiter {
  readonly take: (connection: TaskConnection) => void;
  readonly fail: (error: Error) => void;
  isServed?: true;
  /** Its place among all that wait. */
  number?: number;
  timer?: NodeJS.Timeout;
  /** performance.now() when the waiting began; absent where a connection was free. */
  since?: number;
}

/** Seconds that a write, whose wait for a lock was ended, waits for a place where it may wait for the lock. */
const LOCK_PATIENCE = 5;

/** See the head of this file. */
export class Waiters {
  readonly #queues: Readonly<Record<Lane, Waiter[]>> = {
    quick: [],
    write: [],
    read: [],
    alone: [],
    slow: [],
  };
  readonly #lanes: Lanes<TaskConnection>;
  readonly #settings: WaiterSettings;
  #added = 0;

  constructor(lanes: Lanes<TaskConnection>, settings: WaiterSettings) {
    this.#lanes = lanes;
    this.#settings = settings;
  }

  get size(): number {
    return LANES.reduce((sum, lane) => sum + this.#queues[lane].length, 0);
  }

  sizeOf(lane: Lane): number {
    return this.#queues[lane].length;
  }

  /**
   * Adds a waiter, which is served at once if a connection is free; otherwise it fails after the time to wait.
   * @param waitsForLock it waited for a lock already, which was ended
   */
  add(lane: Lane, waiter: Waiter, waitsForLock: boolean): void {
    const queue = this.#queues[lane];
    this.#added += 1;
    waiter.number = this.#added;
    queue.push(waiter);
    this.serve();
    if (waiter.isServed) return;
    const { maxWaiting = 0 } = this.#settings;
    // One whose wait for a lock was ended is among those that were let in.
    if (maxWaiting > 0 && this.size > maxWaiting && !waitsForLock) {
      queue.pop();
      waiter.fail(new PoolFullError());
      return;
    }
    waiter.since = performance.now();
    const { poolTimeout = Number.POSITIVE_INFINITY } = this.#settings;
    const seconds = waitsForLock ? Math.min(LOCK_PATIENCE, poolTimeout) : poolTimeout;
    if (!Number.isFinite(seconds)) return;
    waiter.timer = setTimeout(
      () => {
        queue.splice(queue.indexOf(waiter), 1);
        waiter.fail(waitsForLock ? new LockWaitError() : new PoolTimeoutError());
      },
      Math.min(seconds * 1000, MAX_TIMER),
    );
  }

  /** Gives free connections to the operations that wait for them. */
  serve(): void {
    for (let found = this.#next(); found; found = this.#next()) {
      const waiter = this.#queues[found.lane].shift()!;
      waiter.isServed = true;
      clearTimeout(waiter.timer);
      if (waiter.since !== undefined)
        this.#settings.report?.('waited', (performance.now() - waiter.since) / 1000);
      waiter.take(found.connection);
    }
  }

  /**
   * Of the lanes that have a connection now, the one whose first operation came first. In an order of lanes, reads that never end
   * would leave no place to writes that need a connection for themselves.
   */
  #next(): { readonly lane: Lane; readonly connection: TaskConnection } | undefined {
    let found: { readonly lane: Lane; readonly connection: TaskConnection } | undefined;
    let oldest = Number.POSITIVE_INFINITY;
    for (const lane of LANES) {
      const number = this.#queues[lane][0]?.number ?? Number.POSITIVE_INFINITY;
      if (number >= oldest) continue;
      const connection = this.#lanes.find(lane);
      if (!connection) continue;
      found = { lane, connection };
      oldest = number;
    }
    return found;
  }

  /** Fails all operations that wait. */
  fail(error: Error): void {
    for (const lane of LANES) {
      for (const waiter of this.#queues[lane].splice(0)) {
        clearTimeout(waiter.timer);
        waiter.fail(error);
      }
    }
  }
}
