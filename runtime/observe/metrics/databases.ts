/** Metrics of connections to the databases of sources, and of their health. */

import type { SourceStatus } from '../../database/health-checks.ts';
import type { PoolState } from '../../database/pool.ts';
import type { PoolObservation, ServerRole } from '../logs/observe.ts';
import { BUCKETS, type Family } from './family.ts';

export interface SourcePool {
  readonly source: string;
  /** Without credentials. */
  readonly address: string;
  readonly role: ServerRole;
  readonly state: PoolState;
  /** Seconds that a replica is late; absent: it is the primary, or not known. */
  readonly lag?: number | undefined;
}

const HEALTH = { OK: 0, TIMEOUT: 1, FAILED: 2, ERROR: 3 } as const satisfies Record<SourceStatus, number>;

export function databaseMetrics(family: Family) {
  const labels = ['source_name', 'conn_info', 'role'];
  const connections = family.gauge('postgres_connections', 'open connections to a source', labels);
  const waiting = family.gauge('pool_waiting', 'operations that wait for a connection to a source', labels);
  const openingTime = family.histogram(
    'postgres_connection_init_time',
    'seconds to open a connection to a source',
    BUCKETS.wait,
    labels,
  );
  const waitTime = family.histogram(
    'postgres_pool_wait_time',
    'seconds that operations waited for a connection to a source',
    BUCKETS.wait,
    labels,
  );
  const errors = family.counter(
    'postgres_connection_error_total',
    'connections to a source that could not be opened',
    labels,
  );
  const lag = family.gauge('replica_lag_seconds', 'seconds that a replica is late', labels, 'max');
  const health = family.gauge(
    'source_health',
    'state of a source when it was last asked: 0 OK, 1 TIMEOUT, 2 FAILED, 3 ERROR',
    ['source_name'],
    'max',
  );
  return {
    pool: (observation: PoolObservation) => {
      const values = labelsOf(observation);
      if (observation.event === 'opened') openingTime.observe(values, observation.seconds);
      else if (observation.event === 'waited') waitTime.observe(values, observation.seconds);
      else if (observation.event === 'failed') errors.inc(values);
    },
    read: (pools: readonly SourcePool[], states: Readonly<Record<string, SourceStatus>>) => {
      connections.reset();
      waiting.reset();
      lag.reset();
      health.reset();
      for (const pool of pools) {
        const values = labelsOf(pool);
        connections.set(values, pool.state.connections);
        waiting.set(values, pool.state.waiting);
        if (pool.lag !== undefined) lag.set(values, pool.lag);
      }
      for (const [source, state] of Object.entries(states))
        health.set({ source_name: source }, HEALTH[state]);
    },
  };
}

function labelsOf({ source, address, role }: Pick<SourcePool, 'source' | 'address' | 'role'>) {
  return { source_name: source, conn_info: address, role };
}
