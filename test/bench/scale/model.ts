/**
 * What a deployment needs for a number of connected clients, from the measured figures. Plain arithmetic: each cost times how often it
 * occurs. What is not measured is an assumption, named here.
 */
import { FIGURES } from './figures.ts';

/** What a client does, and what is taken for granted of machines. Assumed, not measured. */
export const ASSUMED = {
  /** A client has one socket with one live query with separate values; requests and live queries have two levels. */
  requestsPerClient: 0.1,
  writesPerClient: 0.01,
  /** Live queries whose result a write changes. */
  resultsPerWrite: 2,
  /** Share of a core that a process may use, so that answers do not wait. */
  load: 0.7,
  /** Cores of the largest PostgreSQL server at hand. */
  databaseCores: 64,
  /** Connections for each core of PostgreSQL beyond which more are seldom faster (docs/operate.md). */
  connectionsPerCore: 4,
  /** Connections of each process beside its pool: live queries and events (docs/operate.md). */
  furtherConnections: 6,
  /** Looks for changes that a process sends a second where writes are recorded (docs/live-queries.md). */
  looks: 100,
  /** Milliseconds of a router query of a cluster (docs/citus.md), and statements of live queries that a process runs at a time. */
  routerQuery: 3,
  lanes: 3,
} as const;

export interface Need {
  readonly clients: number;
  readonly requests: number;
  readonly writes: number;
  /** Cores of servers, and of the database, without a margin. */
  readonly cores: number;
  readonly databaseCores: number;
  /** The same of the reads that a replica may answer. */
  readonly replicaCores: number;
  readonly processes: number;
  readonly because: 'sockets' | 'processor time';
  /** GB of all sockets, and of all processes. */
  readonly socketMemory: number;
  readonly memory: number;
  readonly connections: number;
  /** Servers that deliver an event for each write. */
  readonly deliverers: number;
  /** Seconds from one read of a live query to the next on a cluster. */
  readonly clusterRound: number;
}

const per = (microseconds: number) => microseconds / 1_000_000;

/** Recorded writes, an event for each write, and no replica. */
export function needOf(clients: number): Need {
  const requests = clients * ASSUMED.requestsPerClient;
  const writes = clients * ASSUMED.writesPerClient;
  const results = writes * ASSUMED.resultsPerWrite;
  const f = FIGURES;
  const cores =
    requests * per(f.nestedAll.value - f.nested.value) +
    writes * per(f.write.value) +
    results / f.results.value +
    (clients / 4000) * (f.idle.value / 100);
  const bySockets = Math.ceil(clients / f.sockets.value);
  const byCores = Math.ceil(cores / ASSUMED.load);
  const processes = Math.max(bySockets, byCores);
  const reads = requests * per(f.nested.value);
  const databaseCores =
    reads +
    writes * per(f.writeDatabase.value + f.recorded.value + f.captured.value) +
    // A live query is read as a request is.
    results * per(f.nested.value) +
    processes * ASSUMED.looks * per(f.readDatabase.value);
  const socketMemory = (clients * f.socket.value) / 1_000_000;
  return {
    ...{ clients, requests, writes, cores, databaseCores, replicaCores: reads, processes, socketMemory },
    because: bySockets >= byCores ? 'sockets' : 'processor time',
    memory: socketMemory + (processes * f.memory.value) / 1000,
    connections:
      Math.max(processes, Math.ceil((databaseCores / ASSUMED.load) * ASSUMED.connectionsPerCore)) +
      processes * ASSUMED.furtherConnections,
    deliverers: Math.ceil(writes / f.events.value),
    clusterRound: ((clients / processes) * ASSUMED.routerQuery) / ASSUMED.lanes / 1000,
  };
}

/** Most clients for which something holds, in steps of a thousand. */
export function mostClients(holds: (need: Need) => boolean): number {
  let clients = 0;
  for (let step = 1_048_576; step >= 1; step /= 2)
    if (holds(needOf((clients + step) * 1000))) clients += step;
  return clients * 1000;
}
