/**
 * A subscription to what callers answer, the results of asynchronous actions for instance. Its plan runs whenever a caller
 * says that the answer may have changed. The subscription completes when no caller will change its answer any more.
 */
import type { QueryPlan } from '../core/request/plan.ts';
import { wholeText } from '../graphql/answer-text.ts';
import { runPlan } from '../graphql/execute.ts';
import { callerOf, type Request } from '../graphql/request.ts';
import { CohortResult } from './cohort.ts';

export interface WatchedCalls {
  /** All of its steps are calls. */
  readonly plan: QueryPlan;
  readonly request: Request;
}

export interface WatchedSubscription {
  /** Runs another plan from now on, whose calls are watched as before. */
  readonly move: (subject: WatchedCalls) => void;
  readonly stop: () => void;
}

interface WatchedListener {
  readonly next: (result: CohortResult) => void;
  /** Reading failed; it is tried again. */
  readonly failed: (error: unknown) => void;
  readonly completed: () => void;
}

/** Milliseconds before a read that failed is tried again. */
const RETRY = 1000;

export function watchCalls(first: WatchedCalls, listener: WatchedListener): WatchedSubscription {
  let subject = first;
  let isStopped = false;
  let isReading = false;
  let isStale = false;
  let last: string | undefined;
  let retry: NodeJS.Timeout | undefined;
  const steps = first.plan.steps.filter((step) => step.kind === 'call');
  let open = steps.length;

  const readOnce = async () => {
    const isLast = open === 0;
    const data = wholeText(await runPlan(subject.plan, subject.request));
    if (isStopped) return;
    if (data !== last) listener.next(new CohortResult(data, ''));
    last = data;
    if (isLast) listener.completed();
  };
  const read = async () => {
    isStale = true;
    if (isReading) return;
    isReading = true;
    while (isStale && !isStopped) {
      isStale = false;
      try {
        await readOnce();
      } catch (error) {
        if (!isStopped) {
          last = undefined;
          listener.failed(error);
          clearTimeout(retry);
          retry = setTimeout(read, RETRY).unref();
        }
      }
    }
    isReading = false;
  };
  const ends = steps.map((step) =>
    callerOf(step.caller, first.request).watch!(step, first.request, {
      changed: (isFinal) => {
        if (isFinal) open -= 1;
        void read();
      },
      failed: (error) => {
        last = undefined;
        listener.failed(error);
      },
    }),
  );
  return {
    move: (next) => {
      subject = next;
    },
    stop: () => {
      isStopped = true;
      clearTimeout(retry);
      for (const end of ends) end();
    },
  };
}
