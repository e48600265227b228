/** Log lines of the reads of a live query. */

import type { EngineError } from '../core/errors.ts';
import type { SubscriptionPlan } from '../core/request/subscription.ts';
import type { PollerOptions } from './poller.ts';

/** Outcome of a statement. Times in seconds. */
export interface BatchReport {
  readonly cohorts: number;
  /** Time that the statement took, and that the results took to reach the sockets. */
  readonly execution: number;
  readonly push: number;
  /** Length of the results that had changed. */
  readonly bytes: number;
  /** For clients. */
  readonly error?: Pick<EngineError, 'code' | 'message'> | undefined;
}

/** The reads from the moment when something was due until nothing was. */
export interface ReadReport {
  readonly plan: SubscriptionPlan;
  readonly pollerId: string;
  readonly cohorts: number;
  readonly began: number;
  readonly ended: number;
  readonly batches: readonly BatchReport[];
  readonly options: Pick<PollerOptions, 'batchSize' | 'interval'>;
}

/** The log line's detail. @param isMasked a message may quote the value of a masked variable: codes are logged alone */
export function readDetail(report: ReadReport, isMasked: boolean): object {
  const { plan, pollerId, batches, options } = report;
  const logged = batches.map(({ execution, push, bytes }, index) => ({
    batch_id: index + 1,
    db_execution_time: execution,
    push_time: push,
    batch_response_size_bytes: bytes,
  }));
  const errors = batches.flatMap(({ error }, index) =>
    error === undefined ? [] : [{ batch_id: index + 1, detail: isMasked ? error.code : error.message }],
  );
  return {
    poller_id: pollerId,
    kind: plan.cursor ? 'streaming' : 'live-query',
    snapshot_time: 0,
    batches: logged,
    execution_batches: logged,
    subscriber_count: report.cohorts,
    read_count: batches.reduce((sum, { cohorts }) => sum + cohorts, 0),
    total_time: (report.ended - report.began) / 1000,
    source: plan.source,
    generated_sql: plan.text,
    role: plan.role,
    subscription_options: { batch_size: options.batchSize, refetch_delay: options.interval / 1000 },
    ...(errors.length > 0 && { errors }),
  };
}
