/** Metrics of requests: GraphQL operations, bytes, and sockets. */
import { createHash } from 'node:crypto';
import { operationKey } from '../../core/names.ts';
import type { HttpRequestObservation, OperationObservation, WebsocketObservation } from '../logs/observe.ts';
import { BUCKETS, type Family } from './family.ts';
import type { SavedName, SavedTimes } from './saved-times.ts';

/** @param highCardinality adds the operation's name and the hash of its text, which clients choose, as labels */
export function requestMetrics(
  family: Family,
  highCardinality: boolean,
  /** Routes whose bytes are not counted. */
  uncounted: ReadonlySet<string | undefined>,
) {
  const operationLabels = highCardinality ? ['operation_name', 'parameterized_query_hash'] : [];
  const requests = family.counter('graphql_requests_total', 'GraphQL operations that were answered', [
    'operation_type',
    'response_status',
    ...operationLabels,
  ]);
  const cached = family.counter('cache_request_count', 'queries with @cached, where answers are kept', [
    'status',
  ]);
  const executionTime = family.histogram(
    'graphql_execution_time_seconds',
    'time to answer a GraphQL query or mutation successfully',
    BUCKETS.short,
    ['operation_type'],
  );
  const savedTime = family.histogram(
    'saved_operation_time_seconds',
    'time to answer a saved operation successfully',
    BUCKETS.fine,
    ['collection_name', 'operation_name'],
  );
  const requestBytes = family.counter('http_request_bytes_total', 'bytes of request bodies');
  const responseBytes = family.counter('http_response_bytes_total', 'bytes of response bodies, as sent');
  const shed = family.counter('shed_total', 'requests that were refused with the code overloaded');
  const httpConnections = family.gauge('http_connections', 'open client connections');
  const sockets = family.gauge('websocket_connections', 'open WebSockets');
  const sent = family.counter('websocket_messages_sent_bytes_total', 'bytes of messages to WebSockets');
  const received = family.counter(
    'websocket_messages_received_bytes_total',
    'bytes of messages from WebSockets',
  );
  sockets.set(0);
  const timed = new Map<string, { collection_name: string; operation_name: string }>();
  return {
    operation: (observation: OperationObservation) => {
      const { operationType, succeeded, seconds, operationName, text, saved, cache } = observation;
      requests.inc({
        operation_type: operationType,
        response_status: succeeded ? 'success' : 'failed',
        ...(highCardinality && {
          operation_name: operationName ?? '',
          parameterized_query_hash: text === undefined ? '' : hashOf(text),
        }),
      });
      if (cache) cached.inc({ status: cache });
      if (succeeded && operationType !== 'subscription')
        executionTime.observe({ operation_type: operationType }, seconds);
      if (!succeeded || !saved) return;
      const labels = { collection_name: saved.collection, operation_name: saved.name };
      savedTime.observe(labels, seconds);
      timed.set(operationKey(saved), labels);
    },
    keepSaved: (operations: readonly SavedName[]) => {
      const kept = new Set(operations.map(operationKey));
      for (const [key, labels] of timed) {
        if (kept.has(key)) continue;
        savedTime.remove(labels);
        timed.delete(key);
      }
    },
    savedTimes: async (collection: string, name: string): Promise<SavedTimes> => {
      const { values } = await savedTime.get();
      const own = values.filter(
        ({ labels }) => labels.collection_name === collection && labels.operation_name === name,
      );
      const count = own.find(({ metricName }) => metricName?.endsWith('_count'))?.value ?? 0;
      const bounds = own.flatMap(({ labels, value }) =>
        typeof labels.le === 'number' ? [{ seconds: labels.le, answered: value }] : [],
      );
      const within = (share: number) =>
        bounds.find(({ answered }) => answered >= share * count)?.seconds ?? null;
      return count === 0 ? { count } : { count, p50: within(0.5), p99: within(0.99) };
    },
    request: ({ error, url, status, requestSize, responseSize }: HttpRequestObservation) => {
      if (error?.code === 'overloaded') shed.inc();
      if (uncounted.has(url) || status === 404) return;
      requestBytes.inc(requestSize);
      responseBytes.inc(responseSize);
    },
    socket: ({ event }: WebsocketObservation) => {
      if (event === 'accepted') sockets.inc();
      else if (event === 'closed') sockets.dec();
    },
    traffic: {
      received: (bytes: number) => received.inc(bytes),
      sent: (bytes: number) => sent.inc(bytes),
    },
    /** @param count open connections */
    read: (count: number) => httpConnections.set(count),
  };
}

function hashOf(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
