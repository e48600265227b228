/** Metrics of live queries and streams. */
import { createHash } from 'node:crypto';
import { remember } from '../../core/remember.ts';
import type { SubscriptionPlan } from '../../core/request/subscription.ts';
import type { ReadReport } from '../../live/poller-log.ts';
import { BUCKETS, type Family } from './family.ts';

/** Kinds of reads for subscribers. */
export interface LiveReader {
  readonly plan: SubscriptionPlan;
  readonly cohorts: ReadonlyMap<
    string,
    { readonly subscribers: ReadonlySet<{ readonly failure: string | undefined }> }
  >;
}

/** @param highCardinality adds the hash of the statement as a label */
export function subscriptionMetrics(family: Family, highCardinality: boolean) {
  const kind = ['subscription_kind'];
  const labels = highCardinality ? [...kind, 'parameterized_query_hash'] : kind;
  const active = family.gauge('active_subscriptions', 'subscriptions that are read', labels);
  const pollers = family.gauge(
    'active_subscription_pollers',
    'statements that are read for subscriptions',
    kind,
  );
  const failing = family.gauge(
    'active_subscription_pollers_in_error_state',
    'statements for subscriptions that failed when they were last read',
    kind,
  );
  const totalTime = family.histogram(
    'subscription_total_time_seconds',
    'time to read what was due of a subscription and to hand it to the sockets',
    BUCKETS.wait,
    labels,
  );
  const databaseTime = family.histogram(
    'subscription_db_execution_time_seconds',
    'time of a statement for subscriptions',
    BUCKETS.wait,
    labels,
  );
  const missed = family.counter(
    'live_missed_signals_total',
    'changes of live queries that only a check found; 0 unless writes are not recorded completely',
    ['source_name'],
  );
  const labelsOf = (plan: SubscriptionPlan): Record<string, string> => ({
    subscription_kind: kindOf(plan),
    ...(highCardinality && { parameterized_query_hash: hashOf(plan) }),
  });
  return {
    missedSignal: ({ source }: { readonly source: string }) => missed.inc({ source_name: source }),
    reading: ({ plan, batches, began, ended }: ReadReport) => {
      const values = labelsOf(plan);
      totalTime.observe(values, (ended - began) / 1000);
      for (const { execution } of batches) databaseTime.observe(values, execution);
    },
    read: (readers: readonly LiveReader[]) => {
      for (const gauge of [active, pollers, failing]) {
        gauge.reset();
        if (highCardinality && gauge === active) continue;
        for (const each of ['live-query', 'streaming']) gauge.set({ subscription_kind: each }, 0);
      }
      for (const { plan, cohorts } of readers) {
        let subscribers = 0;
        let isFailing = false;
        for (const cohort of cohorts.values()) {
          subscribers += cohort.subscribers.size;
          isFailing ||= [...cohort.subscribers].some(({ failure }) => failure !== undefined);
        }
        active.inc(labelsOf(plan), subscribers);
        pollers.inc({ subscription_kind: kindOf(plan) });
        if (isFailing) failing.inc({ subscription_kind: kindOf(plan) });
      }
    },
  };
}

function kindOf({ cursor }: SubscriptionPlan): string {
  return cursor ? 'streaming' : 'live-query';
}

/** Memo: a plan never changes. */
const hashes = new WeakMap<SubscriptionPlan, string>();

function hashOf(plan: SubscriptionPlan): string {
  return remember(hashes, plan, () => createHash('sha1').update(plan.text).digest('hex'));
}
