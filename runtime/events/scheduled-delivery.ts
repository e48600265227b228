/** Delivers cron and one-off events from the metadata database; see `cron-events.ts` for how cron events are made. */

import type { CronTriggerShape, DeliveryShape } from '../core/contract/events.ts';
import { jsonText } from '../core/types.ts';
import { beginLease, type QueueQuery } from '../database/queue/lease.ts';
import { Worker } from '../database/queue/worker.ts';
import { attemptCall, retryDelay } from './attempt.ts';
import { scheduleAhead } from './cron-events.ts';
import type { EventsContext } from './delivery.ts';
import { type EventOutcome, NOT_SENT } from './event-store.ts';
import { failureReport } from './failure-report.ts';
import { createScheduledStore, type ScheduledJob, type Tolerance } from './scheduled-store.ts';
import { resolveTarget, type Target } from './target.ts';

export interface ScheduledDelivery {
  /** Takes over the cron triggers that are served. */
  use(triggers: readonly CronTriggerShape[]): void;
  /** Looks for due events now. */
  wake(): void;
  /** @param grace milliseconds to wait for running calls */
  stop(grace: number): Promise<void>;
}

/** Milliseconds between two looks while nothing is known to be due. */
const INTERVAL = 2_000;
/** Milliseconds between two looks whether triggers need more events. */
const MAKE_AHEAD = 60_000;

interface Active {
  readonly shape: CronTriggerShape;
  readonly target: Target;
}

/** @param stored SQL for the stored schedules; see `scheduleAhead` */
export function deliverScheduled(
  query: QueueQuery,
  context: EventsContext,
  stored?: string,
): ScheduledDelivery {
  const { configuration, environment, observe, outgoing } = context;
  if (configuration.disableEventing) return { use: () => {}, wake: () => {}, stop: async () => {} };
  const report = failureReport(observe);
  const lease = beginLease(query, () => workers.some(({ held }) => held > 0), report);
  let active = new Map<string, Active>();

  const observed = (job: ScheduledJob, outcome: EventOutcome, began: number): EventOutcome => {
    const { status, isDelivered, retryIn, line } = outcome;
    observe({
      kind: 'event-invocation',
      eventId: job.id,
      ...(job.trigger === null ? {} : { trigger: job.trigger }),
      tries: job.tries + 1,
      status,
      isDelivered,
      isLast: retryIn === undefined,
      seconds: (performance.now() - began) / 1000,
      line,
    });
    return outcome;
  };
  const send = async (job: ScheduledJob, target: Target, body: string): Promise<EventOutcome> => {
    const began = performance.now();
    const attempt = await attemptCall(outgoing, target, '1', () => ({
      id: job.id,
      body,
      sessionVariables: undefined,
    }));
    const retryIn = retryDelay(attempt, target, job.tries);
    return observed(job, { ...attempt, ...(retryIn === undefined ? {} : { retryIn }) }, began);
  };
  const runCron = async (job: ScheduledJob): Promise<EventOutcome> => {
    const trigger = active.get(job.trigger ?? '');
    return trigger === undefined ? NOT_SENT : send(job, trigger.target, cronBody(job, trigger.shape));
  };
  const runOneOff = async (job: ScheduledJob): Promise<EventOutcome> => {
    const delivery = oneOffDelivery(job);
    const target = resolveTarget(delivery, environment);
    if ('missing' in target)
      return observed(job, missingVariables(target.missing, job, delivery), performance.now());
    return send(job, target, oneOffBody(job));
  };
  const tolerances = (): readonly Tolerance[] =>
    [...active.values()].map(({ shape: { name, tolerance, missed = 'all' as const } }) => ({
      name,
      tolerance,
      missed,
    }));
  const workers = (
    [
      [runCron, tolerances, () => active.size > 1],
      [runOneOff, undefined, () => true],
    ] as const
  ).map(
    ([run, triggers, isShared]) =>
      new Worker<ScheduledJob, EventOutcome>({
        store: createScheduledStore(query, lease, triggers),
        run,
        // A slow webhook holds up events of its own trigger or, with one-off events, its own address only.
        laneOf: ({ trigger, webhook }) => trigger ?? webhook ?? '',
        isShared,
        concurrency: configuration.eventsHttpPoolSize,
        batchSize: Math.max(1, configuration.eventsFetchBatchSize),
        interval: INTERVAL,
        report,
        notice: (message) => observe({ kind: 'event-delivery', level: 'info', message }),
      }),
  );
  const wake = () => {
    for (const worker of workers) worker.wake();
  };
  const makeAhead = () => {
    scheduleAhead(
      query,
      [...active.values()].map(({ shape }) => shape),
      stored,
    )
      .then(wake)
      .catch((error: unknown) => report('Making the next events of cron triggers failed.', error));
  };
  const timer = setInterval(makeAhead, MAKE_AHEAD);
  timer.unref();

  return {
    use: (triggers) => {
      const next = new Map<string, Active>();
      for (const shape of triggers) {
        const target = resolveTarget(shape.delivery, environment);
        if (!('missing' in target)) next.set(shape.name, { shape, target });
        else if (!active.has(shape.name)) {
          const message = `cron trigger "${shape.name}" waits: environment variables are missing: ${target.missing.join(', ')}`;
          observe({ kind: 'event-delivery', level: 'warn', message });
        }
      }
      active = next;
      makeAhead();
    },
    wake,
    stop: async (grace) => {
      clearInterval(timer);
      await Promise.all(workers.map((worker) => worker.stop(grace)));
      await lease.end().catch((error: unknown) => report('Ending the lease failed.', error));
    },
  };
}

function cronBody({ id, scheduledTime }: ScheduledJob, { name, payload, comment }: CronTriggerShape): string {
  const remark = comment === undefined ? '' : `,"comment":${JSON.stringify(comment)}`;
  return (
    `{"id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"scheduled_time":${inUtc(scheduledTime)},` +
    `"payload":${jsonText(payload ?? null)}${remark}}`
  );
}

function oneOffBody({ id, scheduledTime, createdAt, payload, comment }: ScheduledJob): string {
  const remark = comment === null ? '' : `,"comment":${JSON.stringify(comment)}`;
  return (
    `{"id":${JSON.stringify(id)},"scheduled_time":${inUtc(scheduledTime)},"created_at":${inUtc(createdAt)},` +
    `"payload":${payload ?? 'null'}${remark}}`
  );
}

/** JSON text of a time without zone → with the one that it is in. */
function inUtc(time: string): string {
  return `${time.slice(0, -1)}Z"`;
}

function oneOffDelivery({ webhook, headers, retry }: ScheduledJob): DeliveryShape {
  const given = JSON.parse(webhook!) as string | { readonly from_env: string };
  const {
    num_retries = 0,
    retry_interval_seconds = 10,
    timeout_seconds = 60,
  } = JSON.parse(retry ?? '{}') as {
    readonly [key: string]: number;
  };
  const list = JSON.parse(headers ?? '[]') as readonly {
    readonly name: string;
    readonly value?: string;
    readonly value_from_env?: string;
  }[];
  return {
    webhook: typeof given === 'string' ? given : { env: given.from_env },
    headers: list.map(({ name, value, value_from_env }) => ({
      name,
      value: value_from_env === undefined ? (value ?? '') : { env: value_from_env },
    })),
    retry: { retries: num_retries, interval: retry_interval_seconds, timeout: timeout_seconds },
  };
}

/** An attempt that failed before there was a request. */
function missingVariables(
  missing: readonly string[],
  { tries }: ScheduledJob,
  { webhook, retry }: DeliveryShape,
): EventOutcome {
  const error = `Error creating the request. The value for environment variables not found: ${missing.join(', ')}`;
  return {
    isDelivered: false,
    isHopeless: false,
    status: null,
    request: JSON.stringify({ error }),
    response: JSON.stringify({ type: 'client_error', version: '1', data: { message: error } }),
    line: {
      request: { url: typeof webhook === 'string' ? webhook : webhook.env },
      response: { type: 'internal', status: null, detail: error },
    },
    ...(tries < retry.retries ? { retryIn: retry.interval } : {}),
  };
}
