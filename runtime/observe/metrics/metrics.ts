/**
 * Figures for Prometheus and administrators. Loaded only where the API `metrics` or `developer` is enabled. Counts what the
 * rest of the server observes (observe.ts) and reads the state of connections when it is asked for the figures. Labels hold
 * names of metadata objects and never values of clients, except those that `metrics-enable-high-cardinality-labels` asks for.
 */

import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Vocabulary } from '../../core/vocabulary.ts';
import type { SourceStatus } from '../../database/health-checks.ts';
import type { CountTraffic } from '../../http/context.ts';
import { operatorsPaths } from '../../http/health.ts';
import type { Observation } from '../logs/observe.ts';
import type { CountSpans } from '../tracing/exporter.ts';
import { callMetrics, metadataMetrics } from './calls.ts';
import { databaseMetrics, type SourcePool } from './databases.ts';
import { eventMetrics } from './events.ts';
import { familyOf, prefixOf } from './family.ts';
import { type MetricsReport, reportOf } from './report.ts';
import { requestMetrics } from './requests.ts';
import type { SavedName, SavedTimes } from './saved-times.ts';
import { type LiveReader, subscriptionMetrics } from './subscriptions.ts';
import { type Figures, sumOf, WORKER_LABEL } from './sum.ts';

/** Values that are read when metrics are printed. */
export interface MetricsState {
  /** Connections of each source: its name, an address without credentials, and its pool. */
  readonly pools: () => readonly SourcePool[];
  readonly liveReaders: () => readonly LiveReader[];
  /** Calls of webhooks of event triggers that run. */
  readonly runningEvents: () => number;
  /** Last known health of the sources; answers soon. */
  readonly health: () => Promise<Readonly<Record<string, SourceStatus>>>;
}

export interface Metrics {
  readonly observe: (observation: Observation) => void;
  /** Counts spans of traces. */
  readonly countSpans: CountSpans;
  /** Counts the messages of sockets. */
  readonly traffic: CountTraffic;
  /**
   * The figures in Prometheus' text format.
   * @param all those of all processes, where there are several
   */
  readonly print: (all?: readonly Figures[]) => Promise<string>;
  /** Reads values that nothing counts, before figures are asked for. @param httpConnections open connections of clients */
  readonly read: (state: MetricsState, httpConnections: number) => Promise<void>;
  /** The figures of this process as data. */
  readonly figures: () => Promise<Figures>;
  readonly contentType: string;
  /** Drops the figures of saved operations that are no longer served. */
  readonly keepSaved: (operations: readonly SavedName[]) => void;
  /** Figures of one saved operation. */
  readonly savedTimes: (collection: string, name: string) => Promise<SavedTimes>;
  /** The same figures by name, without the buckets of histograms. */
  readonly report: (all?: readonly Figures[]) => Promise<MetricsReport>;
}

/**
 * @param highCardinality adds the operation's name and the hash of its text, which clients choose, as labels
 * @param worker name of this process, where there are several
 */
export function createMetrics(highCardinality: boolean, vocabulary: Vocabulary, worker?: string): Metrics {
  const prefix = prefixOf(vocabulary);
  const registry = new Registry();
  const labels = worker === undefined ? undefined : { [WORKER_LABEL]: worker };
  collectDefaultMetrics({ register: registry, prefix, ...(labels && { labels }) });
  const family = familyOf(registry, prefix);
  const requests = requestMetrics(family, highCardinality, operatorsPaths(vocabulary));
  const databases = databaseMetrics(family);
  const events = eventMetrics(family);
  const subscriptions = subscriptionMetrics(family, highCardinality);
  const calls = callMetrics(family);
  const metadata = metadataMetrics(family);

  const observe = (observation: Observation) => {
    switch (observation.kind) {
      case 'operation':
        return requests.operation(observation);
      case 'http-request':
        return requests.request(observation);
      case 'websocket':
        return requests.socket(observation);
      case 'pool':
        return databases.pool(observation);
      case 'event-fetch':
        return events.fetch(observation);
      case 'event-invocation':
        return events.invocation(observation);
      case 'live-query-read':
        return subscriptions.reading(observation.read);
      case 'missed-signal':
        return subscriptions.missedSignal(observation);
      case 'action':
        return calls.action(observation);
      case 'remote-call':
        return calls.remote(observation);
      case 'metadata-served':
        return metadata.served(observation);
    }
  };
  const read = async ({ pools, liveReaders, runningEvents, health }: MetricsState, connections: number) => {
    requests.read(connections);
    databases.read(pools(), await health());
    events.read(runningEvents());
    subscriptions.read(liveReaders());
  };
  return {
    observe,
    traffic: requests.traffic,
    keepSaved: requests.keepSaved,
    savedTimes: requests.savedTimes,
    countSpans: calls.spans,
    contentType: registry.contentType,
    read,
    print: async (all) => (all ? sumOf(all) : registry).metrics(),
    report: async (all) => reportOf(all ? sumOf(all) : registry),
    figures: () => registry.getMetricsAsJSON() as Promise<Figures>,
  };
}
