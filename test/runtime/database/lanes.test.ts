/**
 * A model of the policy of docs/connections.md: its lanes and queues, on a machine that is computed. Postgres has two cores, which
 * the heads of all connections share; a backend that was idle takes processor time to wake up; other programs take a part of
 * the machine. No decision depends on a clock, so every run gives the same figures.
 */
import { describe, expect, test } from 'vitest';
import { LANES, type Lane, type LaneState, Lanes, LONG, WEIGHT } from '../../../runtime/database/lanes.ts';
import type { TaskConnection } from '../../../runtime/database/task.ts';
import { Waiters } from '../../../runtime/database/waiters.ts';

const CONNECTIONS = 16;
const CORES = 2;
/** Milliseconds of processor time. */
const WAKING = 0.03;
const STALL = 4;
/** Milliseconds between looks. */
const LOOK = 50;

interface Kind {
  readonly lane: Lane;
  /** Milliseconds of processor time. */
  readonly work: number;
  /** Waits for a lock until the end instead of working. */
  readonly waits?: true;
}

interface Operation extends Kind {
  readonly client: number;
  left: number;
  /** Milliseconds for which other programs have its core when it begins. */
  stall: number;
  readonly since: number;
}

class Connection implements LaneState {
  state: 'shared' | 'reserved' | 'taken' = 'shared';
  readonly queue: Operation[] = [];
  isSlow = false;
  ticks = 0;
  get inFlight(): number {
    return this.queue.length;
  }
  get load(): number {
    return this.queue.reduce((sum, { lane }) => sum + WEIGHT[lane], 0);
  }
  get reads(): number {
    return this.queue.filter(({ lane }) => lane === 'read').length;
  }
  get writes(): boolean {
    return this.queue[0]?.lane === 'write';
  }
}

interface Outcome {
  /** Operations done, and the longest time of one in milliseconds, by lane. */
  readonly done: Readonly<Record<Lane, number>>;
  readonly longest: Readonly<Record<Lane, number>>;
  /** At the highest: connections that ran operations alone, and those of the lane `slow`. */
  readonly alone: number;
  readonly slow: number;
}

interface Run {
  /** What each client asks for again and again. */
  readonly clients: readonly Kind[];
  /** Part of the machine that other programs leave. */
  readonly speed: number;
  /** Part of the operations that find another program on their core, which has it for `STALL` milliseconds. */
  readonly stalls?: number;
  readonly milliseconds: number;
  /** The floor: every operation has a connection for itself while it runs. */
  readonly isFloor?: boolean;
}

function simulate({ clients, speed, stalls = 0, milliseconds, isFloor = false }: Run): Outcome {
  const open: Connection[] = [];
  const lanes = new Lanes(open, CONNECTIONS);
  if (isFloor) lanes.find = () => open.find(({ inFlight }) => inFlight === 0);
  const waiters = new Waiters(lanes as unknown as Lanes<TaskConnection>, {});
  const zero = () => Object.fromEntries(LANES.map((lane) => [lane, 0])) as Record<Lane, number>;
  const [done, longest] = [zero(), zero()];
  let [alone, slow, now, nextLook] = [0, 0, 0, LOOK];
  const send = (connection: Connection, operation: Operation) => {
    if (connection.inFlight === 0) {
      operation.left += WAKING;
      connection.ticks = 0;
    }
    connection.queue.push(operation);
    if (isFloor || (operation.lane !== 'alone' && operation.lane !== 'slow')) return;
    connection.state = 'taken';
    connection.isSlow = operation.lane === 'slow';
  };
  const wait = (operation: Operation) => {
    const take = (connection: unknown) => send(connection as Connection, operation);
    waiters.add(operation.lane, { take, fail: () => {} }, false);
    // What pool.ts does for those that wait.
    const wanted = isFloor || LANES.some((lane) => lanes.wanted(lane, waiters.sizeOf(lane)) > 0);
    if (waiters.size > 0 && wanted && open.length < CONNECTIONS) {
      open.push(new Connection());
      waiters.serve();
    }
    const isAloneWanted = LANES.slice(2).some((lane) => lanes.wanted(lane, waiters.sizeOf(lane)) > 0);
    if (!isAloneWanted || open.length < CONNECTIONS || open.some(({ state }) => state === 'reserved')) return;
    const least = lanes.leastBusy();
    if (least) least.state = 'reserved';
  };
  const random = randomNumbers();
  const ask = (client: number) => {
    const stall = random() < stalls ? STALL : 0;
    wait({ ...clients[client]!, client, left: clients[client]!.work, stall, since: now });
  };
  const end = (connection: Connection) => {
    const { lane, since, client } = connection.queue.shift()!;
    done[lane] += 1;
    longest[lane] = Math.max(longest[lane], now - since);
    connection.ticks = 0;
    if (connection.inFlight === 0) connection.state = 'shared';
    waiters.serve();
    ask(client);
  };
  /** A writer that waits for a lock while it shares a connection is undone, and waits in its own lane; see held.ts. */
  const look = () => {
    for (const connection of open) {
      const [head] = connection.queue;
      if (!head) continue;
      connection.ticks += 1;
      if (isFloor || connection.ticks < LONG || !head.waits || connection.state === 'taken') continue;
      connection.queue.shift();
      connection.ticks = 0;
      wait({ ...head, lane: 'slow' });
    }
  };
  for (const client of clients.keys()) ask(client);
  while (now < milliseconds) {
    const working: Connection[] = [];
    let step = nextLook - now;
    for (const connection of open) {
      const [head] = connection.queue;
      if (!head || head.waits) continue;
      if (head.stall > 0) step = Math.min(step, head.stall);
      else working.push(connection);
    }
    const share = speed * Math.min(1, CORES / Math.max(1, working.length));
    for (const { queue } of working) step = Math.min(step, queue[0]!.left / share);
    now += step;
    for (const {
      queue: [head],
    } of open)
      if (head && head.stall > 0) head.stall -= step;
    for (const connection of working) {
      const [head] = connection.queue;
      head!.left -= step * share;
      if (head!.left < 1e-9) end(connection);
    }
    if (now >= nextLook) {
      look();
      nextLook += LOOK;
    }
    alone = Math.max(alone, open.filter(({ state, reads }) => state === 'taken' || reads > 0).length);
    slow = Math.max(slow, open.filter(({ state, isSlow }) => state === 'taken' && isSlow).length);
  }
  return { done, longest, alone, slow };
}

/** The same numbers from 0 to 1 each time. */
function randomNumbers(): () => number {
  let state = 1;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

const times = (count: number, kind: Kind): Kind[] => Array.from({ length: count }, () => kind);
const BY_KEY: Kind = { lane: 'quick', work: 0.03 };
const WRITE: Kind = { lane: 'write', work: 0.06 };
const LIST: Kind = { lane: 'read', work: 1 };
const REPORT: Kind = { lane: 'slow', work: 20 };
const BULK: Kind = { lane: 'alone', work: 5 };
const LOCKED: Kind = { lane: 'write', work: 0.06, waits: true };

describe('shared connections', () => {
  // The second value: quick operations done, in relation to the floor, on a quiet machine at least.
  const mixes: [string, number, Kind[]][] = [
    ['reads by key', 1.9, times(64, BY_KEY)],
    ['reads and writes by key', 1.7, [...times(16, BY_KEY), ...times(16, WRITE)]],
    ['with lists', 0.7, [...times(16, BY_KEY), ...times(8, LIST)]],
    [
      'with bulk writes and reports',
      10,
      [...times(16, BY_KEY), ...times(8, WRITE), ...times(4, BULK), ...times(12, REPORT)],
    ],
  ];

  test.each(mixes)('%s: in relation to a floor the same on a busy machine', (_name, least, clients) => {
    const ratio = (speed: number, stalls: number) => {
      // As much work each time.
      const run = { clients, speed, stalls, milliseconds: 200 / speed };
      const quick = ({ done }: Outcome) => done.quick + done.write;
      return quick(simulate(run)) / quick(simulate({ ...run, isFloor: true }));
    };
    const quiet = ratio(1, 0);
    expect(quiet).toBeGreaterThan(least);
    const busy = [ratio(0.5, 0.002), ratio(0.25, 0.01)];
    for (const each of busy) {
      expect(each / quiet).toBeGreaterThan(0.85);
      expect(each / quiet).toBeLessThan(1.15);
    }
  });

  test('any number of slow operations, bulk writes and lists leaves connections to the others, and each gets its turn', () => {
    const kinds = [REPORT, BULK, LIST, BY_KEY, WRITE];
    const clients = kinds.flatMap((kind) =>
      times(kind.lane === 'quick' || kind.lane === 'write' ? 2 : 40, kind),
    );
    const { alone, slow, done } = simulate({ clients, speed: 1, milliseconds: 2000 });
    expect(slow).toBeLessThanOrEqual(CONNECTIONS / 2);
    expect(alone).toBeLessThanOrEqual((CONNECTIONS * 3) / 4);
    for (const lane of ['read', 'alone', 'slow'] as const) expect(done[lane]).toBeGreaterThanOrEqual(40);
    for (const lane of ['quick', 'write'] as const) expect(done[lane]).toBeGreaterThan(1000);
  });

  test('writers that wait for a lock delay others for no more than two looks', () => {
    const clients = [...times(100, LOCKED), ...times(8, BY_KEY), ...times(8, WRITE)];
    const { done, longest, slow } = simulate({ clients, speed: 1, milliseconds: 500 });
    expect(slow).toBeLessThanOrEqual(CONNECTIONS / 2);
    expect(longest.quick).toBeLessThanOrEqual((LONG + 1) * LOOK);
    expect(done.quick).toBeGreaterThan(1_000);
  });
});
