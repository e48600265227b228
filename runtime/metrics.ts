/**
 * Figures for Prometheus. Loaded only where the API `metrics` is enabled. Counts what the rest of the server observes
 * (observe.ts) and reads the state of connections when it is asked for the figures. Labels hold names of metadata objects
 * and never values of clients, except those that `metrics-enable-high-cardinality-labels` asks for.
 */
import { createHash } from 'node:crypto';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { PoolState } from './database/pool.ts';
import { OPERATORS_PATHS } from './http/health.ts';
import type { Observation } from './observe.ts';

const PREFIX = 'engine_';
/** Seconds. */
const OPERATION_BUCKETS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10];
const CONNECTION_BUCKETS = [0.000001, 0.0001, 0.01, 0.1, 0.3, 1, 3, 10, 30, 100];
/** Values that are read when metrics are printed. */
export interface MetricsState {
  /** Connections of each source: its name, an address without credentials, and its pool. */
  readonly pools: () => readonly SourcePool[];
  readonly httpConnections: () => Promise<number>;
}

export interface SourcePool {
  readonly source: string;
  readonly address: string;
  readonly state: PoolState;
}

export interface Metrics {
  readonly observe: (observation: Observation) => void;
  /** The figures in Prometheus' text format. */
  readonly print: (state: MetricsState) => Promise<string>;
  readonly contentType: string;
}

/** @param highCardinality adds the operation's name and the hash of its text, which clients choose, as labels */
export function createMetrics(highCardinality: boolean): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: PREFIX });
  const operationLabels = highCardinality ? ['operation_name', 'parameterized_query_hash'] : [];
  const requests = new Counter({
    name: `${PREFIX}graphql_requests_total`,
    help: 'GraphQL operations that were answered',
    labelNames: ['operation_type', 'response_status', ...operationLabels],
    registers,
  });
  const executionTime = new Histogram({
    name: `${PREFIX}graphql_execution_time_seconds`,
    help: 'time to answer a GraphQL query or mutation successfully',
    labelNames: ['operation_type'],
    buckets: OPERATION_BUCKETS,
    registers,
  });
  const requestBytes = new Counter({
    name: `${PREFIX}http_request_bytes_total`,
    help: 'bytes of request bodies',
    registers,
  });
  const responseBytes = new Counter({
    name: `${PREFIX}http_response_bytes_total`,
    help: 'bytes of response bodies, as sent',
    registers,
  });
  const shed = new Counter({
    name: `${PREFIX}shed_total`,
    help: 'requests that were refused with the code overloaded',
    registers,
  });
  const httpConnections = new Gauge({
    name: `${PREFIX}http_connections`,
    help: 'open client connections',
    registers,
  });
  const poolLabels = ['source_name', 'conn_info', 'role'];
  const connections = new Gauge({
    name: `${PREFIX}postgres_connections`,
    help: 'open connections to a source',
    labelNames: poolLabels,
    registers,
  });
  const waiting = new Gauge({
    name: `${PREFIX}pool_waiting`,
    help: 'operations that wait for a connection to a source',
    labelNames: poolLabels,
    registers,
  });
  const openingTime = new Histogram({
    name: `${PREFIX}postgres_connection_init_time`,
    help: 'seconds to open a connection to a source',
    labelNames: poolLabels,
    buckets: CONNECTION_BUCKETS,
    registers,
  });
  const waitTime = new Histogram({
    name: `${PREFIX}postgres_pool_wait_time`,
    help: 'seconds that operations waited for a connection to a source',
    labelNames: poolLabels,
    buckets: CONNECTION_BUCKETS,
    registers,
  });
  const connectionErrors = new Counter({
    name: `${PREFIX}postgres_connection_error_total`,
    help: 'connections to a source that could not be opened',
    labelNames: poolLabels,
    registers,
  });

  const missedSignals = new Counter({
    name: `${PREFIX}live_missed_signals_total`,
    help: 'changes of live queries that only a check found; 0 unless writes are not recorded completely',
    labelNames: ['source_name'],
    registers,
  });

  const observe = (observation: Observation) => {
    switch (observation.kind) {
      case 'operation': {
        const { operationType, succeeded, seconds, operationName, text } = observation;
        requests.inc({
          operation_type: operationType,
          response_status: succeeded ? 'success' : 'failed',
          ...(highCardinality && {
            operation_name: operationName ?? '',
            parameterized_query_hash: text === undefined ? '' : hashOf(text),
          }),
        });
        if (succeeded && operationType !== 'subscription')
          executionTime.observe({ operation_type: operationType }, seconds);
        return;
      }
      case 'http-request':
        if (observation.error?.code === 'overloaded') shed.inc();
        if (OPERATORS_PATHS.has(observation.url) || observation.status === 404) return;
        requestBytes.inc(observation.requestSize);
        responseBytes.inc(observation.responseSize);
        return;
      case 'missed-signal':
        missedSignals.inc({ source_name: observation.source });
        return;
      case 'pool': {
        const labels = labelsOf(observation);
        if (observation.event === 'opened') openingTime.observe(labels, observation.seconds);
        else if (observation.event === 'waited') waitTime.observe(labels, observation.seconds);
        else if (observation.event === 'failed') connectionErrors.inc(labels);
      }
    }
  };
  return {
    observe,
    contentType: registry.contentType,
    print: async (state) => {
      httpConnections.set(await state.httpConnections());
      connections.reset();
      waiting.reset();
      for (const pool of state.pools()) {
        const labels = labelsOf(pool);
        connections.set(labels, pool.state.connections);
        waiting.set(labels, pool.state.waiting);
      }
      return registry.metrics();
    },
  };
}

function labelsOf({ source, address }: { readonly source: string; readonly address: string }) {
  return { source_name: source, conn_info: address, role: 'primary' };
}

function hashOf(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
