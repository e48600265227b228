/** Metrics of event triggers, cron triggers and one-off events. */
import type { EventFetchObservation, EventInvocationObservation } from '../logs/observe.ts';
import { BUCKETS, type Family } from './family.ts';

export function eventMetrics(family: Family) {
  const trigger = ['trigger_name', 'source_name'];
  const fetchTime = family.histogram(
    'event_fetch_time_per_batch_seconds',
    'time of a look at the queue of events, with what it needs before',
    BUCKETS.fetch,
  );
  const fetchQueryTime = family.histogram(
    'events_fetch_query_time_seconds',
    'time of a look at the queue of events of a source',
    BUCKETS.fetch,
    ['status', 'source_name'],
  );
  const fetched = family.counter('events_fetched_total', 'events taken from the queue', ['source_name']);
  const perBatch = family.gauge('events_fetched_per_batch', 'events that the last look at a queue took');
  const invocations = family.counter('event_invocation_total', 'calls of webhooks of event triggers', [
    'status',
    ...trigger,
  ]);
  const processed = family.counter(
    'event_processed_total',
    'events that were delivered (success), or given up (failed)',
    ['status', ...trigger],
  );
  const queueTime = family.histogram(
    'event_queue_time_seconds',
    'time from when an event is due until its webhook is called',
    BUCKETS.long,
    trigger,
  );
  const webhookTime = family.histogram(
    'event_webhook_processing_time_seconds',
    'time until the webhook of an event trigger has answered',
    BUCKETS.short,
    trigger,
  );
  const processingTime = family.histogram(
    'event_processing_time_seconds',
    'time from when an event is due until its webhook has answered',
    BUCKETS.long,
    trigger,
  );
  const workers = family.gauge('event_trigger_http_workers', 'calls of webhooks of event triggers that run');
  const scheduled = Object.fromEntries(
    (['cron', 'oneoff'] as const).map((kind) => [
      kind,
      {
        invocations: family.counter(`${kind}_events_invocation_total`, `calls for ${kind} events`, [
          'status',
        ]),
        processed: family.counter(
          `${kind}_events_processed_total`,
          `${kind} events that were delivered (success), or given up (failed)`,
          ['status'],
        ),
      },
    ]),
  ) as Record<'cron' | 'oneoff', { invocations: typeof invocations; processed: typeof processed }>;

  return {
    fetch: ({ source, seconds, fetched: count, succeeded }: EventFetchObservation) => {
      fetchTime.observe(seconds);
      fetchQueryTime.observe({ status: succeeded ? 'success' : 'failed', source_name: source }, seconds);
      fetched.inc({ source_name: source }, count);
      perBatch.set(count);
    },
    invocation: (observation: EventInvocationObservation) => {
      const { source, trigger: name, isDelivered, isLast, waited = 0, seconds } = observation;
      const status = isDelivered ? 'success' : 'failed';
      if (source === undefined) {
        const family = scheduled[name === undefined ? 'oneoff' : 'cron'];
        family.invocations.inc({ status });
        if (isLast) family.processed.inc({ status });
        return;
      }
      const labels = { trigger_name: name ?? '', source_name: source };
      invocations.inc({ status, ...labels });
      queueTime.observe(labels, waited);
      webhookTime.observe(labels, seconds);
      processingTime.observe(labels, waited + seconds);
      if (isLast) processed.inc({ status, ...labels });
    },
    /** @param running calls of event triggers */
    read: (running: number) => workers.set(running),
  };
}
