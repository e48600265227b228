/** The operations that wait for a connection, in one queue for each lane. */
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
    waiter.timer = setTimeout(() => {
      queue.splice(queue.indexOf(waiter), 1);
      waiter.fail(waitsForLock ? new LockWaitError() : new PoolTimeoutError());
    }, seconds * 1000);
  }

  /** Gives waiting operations the connections that are free for them. */
  serve(): void {
    for (const lane of LANES) {
      const queue = this.#queues[lane];
      while (queue.length > 0) {
        const connection = this.#lanes.find(lane);
        if (!connection) break;
        const waiter = queue.shift()!;
        waiter.isServed = true;
        clearTimeout(waiter.timer);
        if (waiter.since !== undefined)
          this.#settings.report?.('waited', (performance.now() - waiter.since) / 1000);
        waiter.take(connection);
      }
    }
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
