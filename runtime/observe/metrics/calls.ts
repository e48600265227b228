/** Metrics of calls to handlers of actions and to remote schemas, and of the metadata that is served. */
import type { FinishedCall } from '../../outgoing/actions/call.ts';
import type { FinishedRemoteCall } from '../../outgoing/remote/call.ts';
import type { MetadataServedObservation } from '../logs/observe.ts';
import type { CountSpans } from '../tracing/exporter.ts';
import { BUCKETS, type Family } from './family.ts';

export function callMetrics(family: Family) {
  const actions = family.counter('action_requests_total', 'calls of handlers of actions', [
    'action_name',
    'status',
  ]);
  const actionTime = family.histogram(
    'action_duration_seconds',
    'time until the handler of an action has answered',
    BUCKETS.short,
    ['action_name'],
  );
  const remotes = family.counter('remote_schema_requests_total', 'requests to remote schemas', [
    'remote_schema_name',
    'status',
  ]);
  const remoteTime = family.histogram(
    'remote_schema_duration_seconds',
    'time until a remote schema has answered',
    BUCKETS.short,
    ['remote_schema_name'],
  );
  const sentSpans = family.counter('otel_sent_spans', 'spans of traces that a collector has taken');
  const droppedSpans = family.counter('otel_dropped_spans', 'spans of traces that were lost', ['reason']);
  return {
    spans: (outcome: Parameters<CountSpans>[0], count: number) => {
      if (outcome === 'sent') sentSpans.inc(count);
      else if (count > 0) droppedSpans.inc({ reason: outcome }, count);
    },
    action: ({ action, status, seconds }: FinishedCall) => {
      actions.inc({ action_name: action, status: statusClass(status) });
      actionTime.observe({ action_name: action }, seconds);
    },
    remote: ({ remote, status, seconds }: FinishedRemoteCall) => {
      remotes.inc({ remote_schema_name: remote, status: statusClass(status) });
      remoteTime.observe({ remote_schema_name: remote }, seconds);
    },
  };
}

/** `2xx` to `5xx`, or `none` without an answer. */
function statusClass(status: number | undefined): string {
  return status === undefined ? 'none' : `${Math.floor(status / 100)}xx`;
}

export function metadataMetrics(family: Family) {
  const version = family.gauge(
    'metadata_resource_version',
    'resource_version of the metadata that is served',
  );
  const inconsistent = family.gauge('inconsistent_objects', 'objects of the metadata that are not served');
  const swaps = family.counter('metadata_swaps_total', 'programs that were served since the start');
  return {
    served: (observation: MetadataServedObservation) => {
      version.set(observation.resourceVersion);
      inconsistent.set(observation.inconsistent);
      swaps.inc();
    },
  };
}
