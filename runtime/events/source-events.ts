/** Delivers the events of one source, for as long as its program has event triggers. */

import pg from 'pg';
import type { EventTriggerShape } from '../core/contract/events.ts';
import { beginLease } from '../database/queue/lease.ts';
import { type Claimed, Worker } from '../database/queue/worker.ts';
import type { SourceConnection } from '../database/source.ts';
import type { Trace } from '../outgoing/trace.ts';
import { attemptCall, type EventMessage, retryDelay } from './attempt.ts';
import { createBreakers } from './breaker.ts';
import type { Claimable, EventJob } from './claim.ts';
import { cleanUp, createGrowthReport, tableSize } from './cleanup.ts';
import type { EventsContext } from './delivery.ts';
import { createEventStore, type EventOutcome, NOT_SENT } from './event-store.ts';
import { failureReport } from './failure-report.ts';
import { resolveTarget, type Target } from './target.ts';

export interface SourceEventsDelivery {
  /** Takes over the triggers of a new program. */
  use(triggers: readonly EventTriggerShape[]): void;
  /** @param grace milliseconds to wait for running calls */
  stop(grace: number): Promise<void>;
  /** Calls that run. */
  readonly running: number;
}

/** Milliseconds between two looks whether a clean-up is due. */
const CLEANUP_INTERVAL = 60_000;
/** Looks at clean-ups between two looks at the size of the tables. */
const SIZE_EVERY = 60;

export function deliverSource(
  source: string,
  connection: Pick<SourceConnection, 'maintain' | 'changes' | 'withClient'>,
  context: EventsContext,
): SourceEventsDelivery {
  const { configuration, environment, observe, outgoing } = context;
  let targets = new Map<string, Target>();
  let served: readonly EventTriggerShape[] = [];
  /** Their tables, as `Change` has them. */
  let captured: readonly string[] = [];
  let orders = new Map<string, Claimable['ordering']>();
  let hasStopped = false;
  const breakers = createBreakers((message) =>
    observe({ kind: 'event-delivery', level: 'warn', message, source }),
  );
  const report = failureReport(observe, source);
  const query = (sql: string, values?: readonly unknown[]) => connection.maintain(sql, values);
  const lease = beginLease(query, () => worker.held > 0, report);
  const queue = createEventStore(query, lease, () =>
    [...targets].map(([name, { retry }]) => {
      const room = breakers.room(name, retry.breaker);
      return { name, ordering: orders.get(name) ?? 'none', ...(room !== undefined && { room }) };
    }),
  );
  const claimedAt = new WeakMap<EventJob, number>();
  const observeFetch = async (claiming: Promise<Claimed<EventJob>>) => {
    const began = performance.now();
    const end = (fetched: number, succeeded: boolean) =>
      observe({
        kind: 'event-fetch',
        source,
        seconds: (performance.now() - began) / 1000,
        fetched,
        succeeded,
      });
    try {
      const claimed = await claiming;
      end(claimed.jobs.length, true);
      return claimed;
    } catch (error) {
      end(0, false);
      throw error;
    }
  };
  const store: typeof queue = {
    ...queue,
    claim: async (limit, full) => {
      const claimed = await observeFetch(queue.claim(limit, full));
      const { jobs } = claimed;
      const at = performance.now();
      for (const job of jobs) claimedAt.set(job, at);
      for (const { trigger } of jobs) breakers.claimed(trigger, targets.get(trigger)?.retry.breaker);
      return claimed;
    },
  };

  const run = async (job: EventJob): Promise<EventOutcome> => {
    const target = targets.get(job.trigger);
    if (target === undefined) return NOT_SENT;
    const began = performance.now();
    const attempt = await attemptCall(outgoing, target, '2', () => messageOf(job, target));
    const retryIn = retryDelay(attempt, target, job.tries);
    breakers.finished(job.trigger, target.retry.breaker, attempt);
    observe({
      kind: 'event-invocation',
      source,
      trigger: job.trigger,
      eventId: job.id,
      tries: job.tries + 1,
      status: attempt.status,
      isDelivered: attempt.isDelivered,
      isLast: retryIn === undefined,
      // An event may be younger than the transaction that claims it, whose start is its now().
      waited: Math.max(0, job.due) + (began - (claimedAt.get(job) ?? began)) / 1000,
      seconds: (performance.now() - began) / 1000,
      trace: traceOfEvent(job),
      line: attempt.line,
    });
    return { ...attempt, ...(retryIn === undefined ? {} : { retryIn }) };
  };

  const worker = new Worker<EventJob, EventOutcome>({
    store,
    run,
    laneOf: ({ trigger }) => trigger,
    isShared: () => targets.size > 1,
    // Later events with its key, or of a trigger that is answered again, may be due.
    mayUnblock: ({ trigger }, { retryIn }) =>
      retryIn !== undefined ||
      (orders.get(trigger) ?? 'none') !== 'none' ||
      targets.get(trigger)?.retry.breaker !== undefined,
    concurrency: configuration.eventsHttpPoolSize,
    batchSize: configuration.eventsFetchBatchSize,
    interval: configuration.eventsFetchInterval,
    report,
    notice: (message) => observe({ kind: 'event-delivery', level: 'info', message, source }),
  });

  const reportGrowth = createGrowthReport((message) =>
    observe({ kind: 'event-delivery', level: 'warn', message, source }),
  );
  let looks = 0;
  let cleaning = Promise.resolve();
  const look = async () => {
    await cleanUp(query, connection.withClient, served, () => hasStopped);
    looks += 1;
    if (looks % SIZE_EVERY !== 1) return;
    reportGrowth(await tableSize(query));
  };
  const cleanUpNow = () => {
    cleaning = cleaning.then(look).catch((error: unknown) => {
      if (!hasStopped) report('Cleaning up events failed.', error);
    });
  };
  const timer = setInterval(cleanUpNow, CLEANUP_INTERVAL);
  timer.unref();

  // A commit, of this process or of another, may have made events; the interval is the bound besides.
  // A write of this process to other tables makes none, but by triggers and cascades, which the next look at the database finds.
  const stopListening = connection.changes.listen(({ tables }) => {
    if (tables === undefined || captured.some((table) => tables.has(table))) worker.wake();
  });
  return {
    use: (triggers) => {
      const next = new Map<string, Target>();
      for (const { name, delivery } of triggers) {
        const target = resolveTarget(delivery, environment);
        if (!('missing' in target)) next.set(name, target);
        else if (!targets.has(name) || triggers.length !== targets.size) {
          const message = `event trigger "${name}" waits: environment variables are missing: ${target.missing.join(', ')}`;
          observe({ kind: 'event-delivery', level: 'warn', message, source });
        }
      }
      targets = next;
      orders = new Map(triggers.map(({ name, order }) => [name, order?.onError ?? 'none']));
      const cleanups = (list: readonly EventTriggerShape[]) =>
        JSON.stringify(list.map(({ name, cleanup }) => [name, cleanup]));
      const isChanged = cleanups(triggers) !== cleanups(served);
      served = triggers;
      captured = triggers.map(({ table: { schema, name } }) =>
        [schema, name].map((each) => pg.escapeIdentifier(each)).join('.'),
      );
      if (isChanged) cleanUpNow();
      worker.wake();
    },
    stop: async (grace) => {
      hasStopped = true;
      clearInterval(timer);
      stopListening();
      await worker.stop(grace);
      await cleaning;
      await lease.end().catch((error: unknown) => report('Ending the lease failed.', error));
    },
    get running() {
      return worker.running;
    },
  };
}

/** The body is put together from texts of the database, so what it holds is sent as it was captured. */
function messageOf(job: EventJob, target: Target): EventMessage {
  const { id, createdAt, table, trigger, payload, tries } = job;
  const body =
    `{"id":${JSON.stringify(id)},"created_at":${createdAt},"table":${table},` +
    `"trigger":{"name":${JSON.stringify(trigger)}},"event":${payload},` +
    `"delivery_info":{"current_retry":${tries},"max_retries":${target.retry.retries}}}`;
  const variables = target.transform === undefined ? undefined : sessionVariablesOf(payload);
  return {
    id,
    body,
    sessionVariables: variables,
    trace: traceOfEvent(job),
  };
}

/** A session of the database may set any text as its session variables, which is sent as it is. */
function sessionVariablesOf(payload: string): EventMessage['sessionVariables'] {
  const { session_variables: variables } = JSON.parse(payload) as { readonly session_variables: unknown };
  if (typeof variables !== 'object' || variables === null || Array.isArray(variables)) return undefined;
  return variables as Readonly<Record<string, string>>;
}

/** The trace of the request that made the event. */
function traceOfEvent({ trace }: EventJob): Trace | undefined {
  const context = JSON.parse(trace ?? 'null') as Readonly<Record<string, unknown>> | null;
  const { trace_id: traceId, span_id: spanId, sampling_state: state } = context ?? {};
  if (typeof traceId !== 'string' || typeof spanId !== 'string') return undefined;
  return { traceId, spanId, ...(state === undefined ? {} : { sampled: state === '1' }) };
}
