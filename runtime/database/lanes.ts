/**
 * Which connection an operation gets: the policy of docs/connections.md, without sockets and clocks. A pool of N connections
 * has two kinds of work. *Shared*: quick reads, and writes of one object; several are sent on one connection
 * before their answers are there. *Alone*: everything else; a connection has one such operation at a time.
 *
 * - At most three quarters of the connections run operations alone, so that quick reads and writes always have some.
 * - At most half run what is known to be slow or to wait for a lock, so that other operations find some to run alone.
 */

/**
 * `quick`: reads known to take less than a millisecond. `write`: writes of one object. `read`: other known reads. `alone`:
 * transactions and reads without a history. `slow`: what held a connection for long the last time, or waited for a
 * lock.
 */
export type Lane = 'quick' | 'write' | 'read' | 'alone' | 'slow';

export const LANES: readonly Lane[] = ['quick', 'write', 'read', 'alone', 'slow'];

/** How much of a connection an operation takes. */
export const WEIGHT: Readonly<Record<Lane, number>> = { quick: 1, write: 1, read: 8, alone: 8, slow: 8 };
/** Sum of the weights on one connection while others can be had or opened; twice as much at the maximum of connections. */
const FULL = 8;
/** Ticks after which the operation at the head of a connection holds it for long; see Pool. */
export const LONG = 2;

/** Input of the policy. */
export interface LaneState {
  /**
   * `shared`: takes operations of everyone. `reserved`: takes no more, and goes to an operation that runs alone. `taken`:
   * runs one alone. `retiring`: closes once its operations are answered. `closed`: never to be used again.
   */
  readonly state: 'shared' | 'reserved' | 'taken' | 'retiring' | 'closed';
  readonly inFlight: number;
  /** Sum of weights. */
  readonly load: number;
  /** Operations of the lane `read` in flight. */
  readonly reads: number;
  /** The operations in flight write. */
  readonly writes: boolean;
  /** Whether the operation that runs alone is slow. */
  readonly isSlow: boolean;
  /** Ticks that passed while one operation was at the head. */
  readonly ticks: number;
}

export class Lanes<Connection extends LaneState> {
  readonly #connections: readonly Connection[];
  readonly #max: number;
  /** Maximum number of connections that run operations alone. */
  readonly #maxAlone: number;

  /**
   * @param connections those that are open, which the pool changes
   * @param isShared there are shared operations, for which connections are kept
   */
  constructor(connections: readonly Connection[], max: number, isShared = true) {
    this.#connections = connections;
    this.#max = max;
    const kept = isShared && max > 1 ? Math.max(1, Math.floor(max / 4)) : 0;
    this.#maxAlone = max - kept;
  }

  /** The connection for an operation, if it can be sent now. */
  find(lane: Lane): Connection | undefined {
    switch (lane) {
      case 'quick':
      case 'write':
        return this.#packed(lane);
      case 'read': {
        const room = this.room('read') > 0;
        const idle = room ? this.#idle() : undefined;
        return idle ?? (room && this.#connections.length < this.#max ? undefined : this.#leastLoaded('read'));
      }
      case 'alone':
      case 'slow':
        return this.room(lane) > 0 ? this.#idle() : undefined;
    }
  }

  /** How many more connections operations of this lane may have for themselves. */
  room(lane: Lane): number {
    if (lane === 'quick' || lane === 'write') return this.#max;
    let held = 0;
    for (const connection of this.#connections) if (isHeld(connection)) held += 1;
    const room = this.#maxAlone - held;
    return lane === 'slow' ? Math.min(room, this.slowRoom()) : room;
  }

  /** How many more connections may be held by what is slow or waits for a lock. */
  slowRoom(): number {
    let held = 0;
    for (const connection of this.#connections) if (isHeldForLong(connection)) held += 1;
    return Math.max(1, Math.floor(this.#max / 2)) - held;
  }

  /** How many connections would take so many waiting operations. */
  wanted(lane: Lane, waiting: number): number {
    if (waiting === 0) return 0;
    const connections = Math.ceil((waiting * WEIGHT[lane]) / FULL);
    return Math.max(0, Math.min(connections, this.room(lane)));
  }

  /** The connection to be emptied for an operation that needs one for itself. */
  leastBusy(): Connection | undefined {
    let least: Connection | undefined;
    for (const connection of this.#connections) {
      if (connection.state !== 'shared' || isHeld(connection)) continue;
      if (!least || connection.inFlight < least.inFlight) least = connection;
    }
    return least;
  }

  /**
   * The first connections are filled before others are used: answers arrive in larger portions, and connections that the
   * load does not need become idle and are closed.
   */
  #packed(lane: 'quick' | 'write'): Connection | undefined {
    for (const connection of this.#connections) {
      if (connection.state !== 'shared') continue;
      if (connection.inFlight === 0) return connection;
      if (connection.writes !== (lane === 'write') || connection.ticks > 0) continue;
      if (connection.load + WEIGHT[lane] <= FULL) return connection;
    }
    return this.#connections.length < this.#max ? undefined : this.#leastLoaded(lane);
  }

  /** At the maximum of connections, the one with the smallest load. Reads and writes mix only where they cannot be apart. */
  #leastLoaded(lane: 'quick' | 'read' | 'write'): Connection | undefined {
    let least: Connection | undefined;
    let other: Connection | undefined;
    for (const connection of this.#connections) {
      if (connection.state !== 'shared' || connection.ticks >= LONG) continue;
      if (lane === 'read' && connection.reads === 0) continue;
      if (connection.writes === (lane === 'write')) {
        if (!least || connection.load < least.load) least = connection;
      } else if (!other || connection.load < other.load) other = connection;
    }
    const found = least ?? other;
    return found && found.load + WEIGHT[lane] <= 2 * FULL ? found : undefined;
  }

  /** An idle connection. Searches from the end, because shared work fills the first ones. */
  #idle(): Connection | undefined {
    for (let index = this.#connections.length - 1; index >= 0; index--) {
      const connection = this.#connections[index]!;
      const { state, inFlight } = connection;
      if (inFlight === 0 && (state === 'shared' || state === 'reserved')) return connection;
    }
    return undefined;
  }
}

/** One operation has it, or will have it. */
function isHeld({ state, reads, ticks }: LaneState): boolean {
  return state === 'taken' || reads > 0 || ticks >= LONG;
}

function isHeldForLong({ state, isSlow, ticks }: LaneState): boolean {
  return ticks >= LONG || (state === 'taken' && isSlow);
}
