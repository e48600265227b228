/**
 * Reads a batch of cohorts by one statement, and hands each its result. A batch that fails is read in halves, until the failure
 * is that of one cohort.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { EngineError } from '../core/errors.ts';
import type { SubscriptionPlan } from '../core/request/subscription.ts';
import { databaseError } from '../database/errors.ts';
import { connectionLost } from '../database/failures.ts';
import type { SourceConnection } from '../database/source.ts';
import { operandPath } from '../graphql/operand-path.ts';
import { type Cohort, deliver, Result, type Subscriber } from './cohort.ts';
import type { BatchReport } from './poller-log.ts';

type Poll = SourceConnection['poll'];

export interface ReadingContext {
  readonly plan: SubscriptionPlan;
  readonly poll: Poll;
  /** Seed of the hashes. */
  readonly seed: string;
  /** A result differs from the one before. */
  readonly changed: () => void;
  /** Transactions below this number are waited for by no stream. */
  readonly horizon: () => string;
  /** Rows of a stream wait for transactions. */
  readonly waits: (cohort: Cohort) => void;
  /** A subscriber of a stream got a batch, and is at new values now. */
  readonly advance: (subscriber: Subscriber, values: Cohort['values']) => void;
  readonly finished: (batch: BatchReport) => void;
  readonly report: (error: unknown) => void;
}

/** @param joined how many had subscribed before it: those who come later have a read of their own coming */
export async function readBatch(
  context: ReadingContext,
  batch: readonly Cohort[],
  joined: number,
): Promise<void> {
  const { plan, seed } = context;
  const { text, parameters, cursor, horizon } = plan;
  const wanted = batch.map((cohort) => cohort.wanted);
  const hashes = batch.map(({ hash }, index) => (wanted[index] ? null : (hash ?? null)));
  for (const cohort of batch) cohort.wanted = false;
  const numbers = batch.map((_, index) => String(index));
  const floor = horizon && context.horizon();
  const columns = parameters.map((_, index) =>
    batch.map(({ values }) => (index === horizon?.parameter ? floor! : values[index]!)),
  );
  const began = performance.now();
  let rows: Awaited<ReturnType<Poll>>;
  try {
    const others = cursor ? [] : [hashes, seed];
    rows = await poll(context, text, [numbers, ...others, ...columns]);
  } catch (error) {
    batch.forEach((cohort, index) => {
      cohort.wanted ||= wanted[index]!;
    });
    const lost = connectionLost(error);
    if (batch.length === 1 || lost) {
      let message = '';
      for (const cohort of batch) message = await fail(context, cohort, error, joined);
      context.finished({ ...timesOf(began), cohorts: batch.length, bytes: 0, error: message });
      // A database that is away is not asked all the time.
      if (lost) await delay(100);
      return;
    }
    const half = Math.ceil(batch.length / 2);
    await readBatch(context, batch.slice(0, half), joined);
    await readBatch(context, batch.slice(half), joined);
    return;
  }
  const answered = performance.now();
  let bytes = 0;
  for (const cohort of batch) cohort.failed = false;
  for (const [number, state, data, waits] of rows) {
    const cohort = batch[Number(number)]!;
    if (waits === 't') context.waits(cohort);
    if (cursor && state === null) continue;
    if (data === null || data === undefined) {
      cohort.hash = state!;
      continue;
    }
    bytes += data.length;
    context.changed();
    const result = new Result(data, state!);
    if (cursor) await advance(context, cohort, result, cursor.parameter, joined);
    else {
      cohort.hash = state!;
      await handOut(cohort, result, joined);
    }
  }
  context.finished({ ...timesOf(began, answered), cohorts: batch.length, bytes });
}

function timesOf(began: number, answered = performance.now()): Pick<BatchReport, 'execution' | 'push'> {
  return { execution: (answered - began) / 1000, push: (performance.now() - answered) / 1000 };
}

/** Asks the database; once more where the connection broke, which says nothing of the next one. */
async function poll(context: ReadingContext, ...statement: Parameters<Poll>): ReturnType<Poll> {
  try {
    return await context.poll(...statement);
  } catch (error) {
    if (!connectionLost(error)) throw error;
    return context.poll(...statement);
  }
}

async function handOut(cohort: Cohort, result: Result, joined: number): Promise<void> {
  await deliver(cohort, joined, (subscriber) => {
    if (subscriber.hash === result.hash) return;
    subscriber.hash = result.hash;
    subscriber.failure = undefined;
    subscriber.listener.next(result);
  });
}

/** Hands out a batch of a stream, and moves its receivers to the new position of the cursor. */
async function advance(
  context: ReadingContext,
  cohort: Cohort,
  result: Result,
  parameter: number,
  joined: number,
): Promise<void> {
  const values = cohort.values.map((value, index) => (index === parameter ? result.hash : value));
  await deliver(cohort, joined, (subscriber) => {
    subscriber.failure = undefined;
    subscriber.listener.next(result);
    context.advance(subscriber, values);
  });
}

/** @returns the message that the subscribers get */
async function fail(
  context: ReadingContext,
  cohort: Cohort,
  thrown: unknown,
  joined: number,
): Promise<string> {
  const { text } = context.plan;
  const statement = { text, values: cohort.values, prepared: false };
  const error = databaseError(thrown, statement, operandPath(thrown, context.plan));
  if (!(error instanceof EngineError)) context.report(thrown);
  const shown =
    error instanceof EngineError
      ? error
      : new EngineError('unexpected', 'Internal Server Error', { status: 500 });
  const refused =
    shown.code === 'data-exception' && !cohort.failed ? await refusal(context, cohort) : undefined;
  cohort.failed = true;
  cohort.wanted = true;
  await deliver(cohort, joined, (subscriber) => {
    // Those who had a result have good values.
    if (refused && subscriber.hash === undefined) subscriber.listener.refused(refused);
    else if (subscriber.failure !== shown.message) {
      subscriber.hash = undefined;
      subscriber.failure = shown.message;
      subscriber.listener.failed(shown);
    }
  });
  return shown.message;
}

/** The error of the cohort's values themselves, if they are no values of their types. */
async function refusal(context: ReadingContext, { values }: Cohort): Promise<EngineError | undefined> {
  const { parameters } = context.plan;
  const casts = parameters.map(({ type }, index) => `(($1::text[])[${index + 1}])::${type}`);
  try {
    await context.poll(`select ${casts.join(', ')}`, [values]);
    return undefined;
  } catch (thrown) {
    const error = databaseError(thrown);
    return error instanceof EngineError && error.code === 'data-exception' ? error : undefined;
  }
}
