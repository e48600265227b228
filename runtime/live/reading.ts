/**
 * Reads a batch of cohorts by one statement, and hands each its result. From the shards of a cluster each batch reads one cohort.
 * @rule Does a failing read end a subscription?
 */

import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { EngineError } from '../core/errors.ts';
import type { SubscriptionPlan } from '../core/request/subscription.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import { databaseError } from '../database/errors.ts';
import { connectionLost, isPassing, isRaised } from '../database/failures.ts';
import type { SourceConnection } from '../database/source.ts';
import { operandPath } from '../graphql/operand-path.ts';
import { type Cohort, CohortResult, deliver, type Subscriber } from './cohort.ts';
import type { BatchReport } from './poller-log.ts';

type Poll = SourceConnection['poll'];
type Rows = Awaited<ReturnType<Poll>>;

export interface ReadingContext {
  /** How names of session variables are written in errors. */
  readonly vocabulary: Vocabulary;
  readonly plan: SubscriptionPlan;
  readonly poll: Poll;
  /** Seed of the hashes. */
  readonly seed: string;
  /** A result differs from the one before. */
  readonly changed: (cohort: Cohort) => void;
  /** Transactions below this number are waited for by no stream. */
  readonly horizon: () => string;
  /** Rows of a stream wait for transactions. */
  readonly waits: (cohort: Cohort) => void;
  /** Subscribers of a stream got a batch, and are at new values now. */
  readonly advance: (subscribers: readonly Subscriber[], values: Cohort['values']) => void;
  readonly finished: (batch: BatchReport) => void;
  readonly report: (error: unknown) => void;
}

/**
 * What became of a batch. `split`: one of its cohorts may be why it failed, so its halves are to be read, and nobody was told.
 * `failed`: the one cohort fails with these data. `failed for now`: the same read may go well later. `lost`: so may that of all.
 */
export type BatchOutcome = 'read' | 'split' | 'failed' | 'failed for now' | 'lost';

/** @param joined how many had subscribed before it: those who come later have a read of their own coming */
export async function readBatch(
  context: ReadingContext,
  batch: readonly Cohort[],
  joined: number,
): Promise<BatchOutcome> {
  const { plan, seed } = context;
  const { text, parameters, cursor, horizon, apart } = plan;
  const wanted = batch.map((cohort) => cohort.wanted);
  const hashes = batch.map(({ hash }, index) => (wanted[index] ? null : (hash ?? null)));
  for (const cohort of batch) cohort.wanted = false;
  const numbers = batch.map((_, index) => String(index));
  const floor = horizon && context.horizon();
  const columns = parameters.map((_, index) =>
    batch.map(({ values }) => (index === horizon?.parameter ? floor! : values[index]!)),
  );
  const began = performance.now();
  let rows: Rows;
  try {
    const others = cursor ? [] : [hashes, seed];
    rows = apart
      ? await readApart(context, batch[0]!, hashes[0]!)
      : await poll(context, text, [numbers, ...others, ...columns]);
  } catch (error) {
    batch.forEach((cohort, index) => {
      cohort.wanted ||= wanted[index]!;
    });
    const lost = connectionLost(error) && !isRaised(error);
    if (batch.length > 1 && !lost) return 'split';
    const outcome = lost ? 'lost' : isPassing(error) ? 'failed for now' : 'failed';
    let shown: EngineError | undefined;
    for (const cohort of batch) shown = await fail(context, cohort, error, outcome, joined);
    context.finished({ ...timesOf(began), cohorts: batch.length, bytes: 0, error: shown });
    // A database that is away is not asked all the time.
    if (lost) await delay(100);
    return outcome;
  }
  const answered = performance.now();
  let bytes = 0;
  for (const cohort of batch) cohort.readFor = joined;
  for (const [number, state, data, waits] of rows) {
    const cohort = batch[Number(number)]!;
    if (waits === 't') context.waits(cohort);
    if (data === null || data === undefined) {
      if (!cursor) cohort.hash = state!;
      else if (state !== cohort.values[cursor.parameter])
        await advance(context, cohort, state!, cursor.parameter, joined);
      continue;
    }
    bytes += data.length;
    if (cohort.hash !== state) context.changed(cohort);
    const result = new CohortResult(data, state!);
    if (cursor) await advance(context, cohort, state!, cursor.parameter, joined, result);
    else {
      cohort.hash = state!;
      await handOut(cohort, result, joined);
    }
  }
  context.finished({ ...timesOf(began, answered), cohorts: batch.length, bytes });
  return 'read';
}

/** Reads one cohort from the shards of a cluster: the rows that the statement for a batch would yield. The hash is computed here. */
async function readApart(context: ReadingContext, { values }: Cohort, known: string | null): Promise<Rows> {
  const { text, cursor } = context.plan;
  const [row] = await poll(context, text, values);
  if (cursor) {
    const [position, data, start] = row!;
    return [['0', position ?? start!, position === null ? null : data!]];
  }
  const [data] = row!;
  const hash = createHash('sha256').update(data!).digest('base64');
  return [['0', hash, hash === known ? null : data!]];
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

async function handOut(cohort: Cohort, result: CohortResult, joined: number): Promise<void> {
  await deliver(cohort, joined, (subscriber) => {
    subscriber.hasBegun = true;
    if (subscriber.hash === result.hash) return;
    subscriber.hash = result.hash;
    subscriber.failure = undefined;
    subscriber.listener.next(result);
  });
}

/**
 * Hands out a batch of a stream, if there is one, and moves the stream's subscribers to the new position of the cursor: together, when the
 * last one has it, so that they are read for together, and rows that come meanwhile are one batch.
 */
async function advance(
  context: ReadingContext,
  cohort: Cohort,
  position: string,
  parameter: number,
  joined: number,
  result?: CohortResult,
): Promise<void> {
  const values = cohort.values.map((value, index) => (index === parameter ? position : value));
  const served: Subscriber[] = [];
  try {
    await deliver(cohort, joined, (subscriber) => {
      served.push(subscriber);
      subscriber.failure = undefined;
      if (!result) return;
      subscriber.hasBegun = true;
      subscriber.listener.next(result);
    });
  } finally {
    // Nobody gets a row twice, even if a defect ended it.
    context.advance(
      served.filter((subscriber) => cohort.subscribers.has(subscriber)),
      values,
    );
  }
}

/**
 * Tells the subscribers of a cohort why it could not be read. Those who never had a result have ended where their values, with the
 * data of this moment, are why: as a query would, they get an error. The others go on, because data may change back.
 * @returns the error that they get
 */
async function fail(
  context: ReadingContext,
  cohort: Cohort,
  thrown: unknown,
  outcome: BatchOutcome,
  joined: number,
): Promise<EngineError> {
  const { vocabulary } = context;
  const { text, parameters } = context.plan;
  const statement = { text, values: cohort.values, prepared: false, origins: { parameters, vocabulary } };
  const error = databaseError(thrown, statement, operandPath(thrown, context.plan));
  if (!(error instanceof EngineError)) context.report(thrown);
  const shown =
    error instanceof EngineError
      ? error
      : new EngineError('unexpected', 'Internal Server Error', { status: 500 });
  cohort.wanted = true;
  await deliver(cohort, joined, (subscriber) => {
    const hasBegun = subscriber.hasBegun || subscriber.joined <= cohort.readFor;
    if (outcome === 'failed' && !hasBegun) subscriber.listener.refused(shown);
    else if (subscriber.failure !== shown.message) {
      subscriber.hash = undefined;
      subscriber.failure = shown.message;
      subscriber.listener.failed(shown);
    }
  });
  return shown;
}
