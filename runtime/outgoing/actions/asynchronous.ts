/**
 * Asynchronous actions: a mutation stores the call and answers its id, a worker makes the call, a query reads its
 * result. A call is made once; it is made again only where the instance that worked on it died. Where handlers may, they answer
 * 202 and complete the call later.
 */

import { randomBytes, randomUUID } from 'node:crypto';
import type { CalledAction } from '../../core/action/plan.ts';
import type { Environment } from '../../core/environment-template.ts';
import { EngineError } from '../../core/errors.ts';
import type { Program } from '../../core/program/program.ts';
import type { Session } from '../../core/session.ts';
import { jsonText } from '../../core/types.ts';
import type { Vocabulary } from '../../core/vocabulary.ts';
import { beginLease, type Lease } from '../../database/queue/lease.ts';
import { Worker } from '../../database/queue/worker.ts';
import type { Watcher } from '../../graphql/request.ts';
import {
  type ActionLog,
  type CallOutcome,
  type CallResult,
  type LoggedCall,
  openActionLog,
} from './action-log.ts';
import type { ActionCallOptions } from './call.ts';
import { forgetEndedCalls } from './forget-calls.ts';
import { createResultWatch } from './result-watch.ts';
import {
  ANSWERED,
  type Completion,
  canonicalUuid,
  completedOutcome,
  isUuid,
  maySee,
  NOT_COMPLETED,
  type OutcomeOptions,
  outcomeOf,
  readError,
  type ServedAction,
  servedActions,
} from './stored-call.ts';

export interface AsynchronousOptions extends ActionCallOptions {
  readonly vocabulary: Vocabulary;
  /** Address of the metadata database; undefined: asynchronous actions cannot be called. */
  readonly databaseUrl: string | undefined;
  readonly environment: Environment;
  /** Milliseconds between looks for calls that other instances stored; 0: this instance makes no calls. */
  readonly interval: number;
  /** Milliseconds between looks at calls that clients watch. */
  readonly watchInterval: number;
  /** Calls claimed at a time. */
  readonly batchSize: number;
  /** Days that ended calls are kept; 0: for ever. */
  readonly retention: number;
  /** How handlers complete calls later; undefined: they may not. */
  readonly completion: CompletionOptions | undefined;
  readonly report: (message: string, error: unknown) => void;
  readonly notice: (message: string) => void;
}

interface CompletionOptions {
  /** Address of this server as handlers reach it. */
  readonly url: string;
  /** Seconds that a handler has. */
  readonly timeout: number;
}

export interface Asynchronous {
  /** Works on the asynchronous actions of a program from now on. */
  readonly use: (program: Program) => void;
  /** Stores a call. @returns its id @throws EngineError when the metadata database cannot be reached */
  readonly enqueue: (
    action: CalledAction,
    input: Readonly<Record<string, unknown>>,
    headers: Readonly<Record<string, string>>,
    session: Session,
  ) => Promise<string>;
  /** Outcome of a call; undefined when the session may not see it or it does not exist. */
  readonly result: (action: CalledAction, id: string, session: Session) => Promise<CallResult | undefined>;
  /**
   * Completes a call whose handler answered 202; a token does so once.
   * @returns why the completion was refused after it had ended the call: it does not fit
   * @throws EngineError not-found when the call does not wait for this token
   */
  readonly complete: (id: string, token: string, completion: Completion) => Promise<EngineError | undefined>;
  /** Watches calls until they end. @returns ends the watch */
  readonly watch: (
    calls: readonly { readonly action: CalledAction; readonly id: string }[],
    session: Session,
    watcher: Watcher,
  ) => () => void;
  /** Waits for running calls and gives the others back. @param grace milliseconds */
  readonly stop: (grace: number) => Promise<void>;
}

/** The part that answers root fields. */
export type StoredCalls = Pick<Asynchronous, 'enqueue' | 'result' | 'watch'>;

/** Calls that run at once. */
const CONCURRENCY = 100;

/** The log and its worker; the worker is absent if this instance makes no calls. */
interface Opened {
  readonly log: ActionLog;
  readonly worker?: Worker<LoggedCall, CallOutcome>;
  readonly lease?: Lease;
  readonly timers?: readonly NodeJS.Timeout[];
}

export function createAsynchronous(options: AsynchronousOptions): Asynchronous {
  const { databaseUrl, interval, report, completion } = options;
  const outcomes: AsynchronousOptions & OutcomeOptions = {
    ...options,
    completionUrl:
      completion && ((id, token) => `${completion.url}/v1/actions/${id}/complete?token=${token}`),
  };
  let served = new Map<string, ServedAction>();
  let opening: Promise<Opened> | undefined;

  const open = (): Promise<Opened> => {
    if (databaseUrl === undefined) {
      const message = 'asynchronous actions need a metadata database: set metadata-database-url';
      throw new EngineError('not-supported', message);
    }
    const logOptions = {
      completionTimeout: completion?.timeout,
      changed: interval === 0 ? undefined : () => void opening?.then(({ worker }) => worker?.wake()),
    };
    opening ??= openActionLog(databaseUrl, logOptions).then(
      (log) => (interval === 0 ? { log } : { log, ...workOff(log, () => served, watch.ended, outcomes) }),
      (error: unknown) => {
        opening = undefined;
        throw error;
      },
    );
    return opening;
  };
  const reach = async <Value>(ask: (opened: Opened) => Promise<Value>): Promise<Value> => {
    try {
      return await ask(await open());
    } catch (error) {
      if (error instanceof EngineError) throw error;
      report('The log of asynchronous actions cannot be reached.', error);
      throw new EngineError('unexpected', 'the log of asynchronous actions cannot be reached', {
        status: 500,
      });
    }
  };
  const watch = createResultWatch({
    pending: (ids) => reach(({ log }) => log.pending(ids)),
    interval: options.watchInterval,
  });
  const read = batched((ids: readonly string[]) => reach(({ log }) => log.read(ids)));

  return {
    use: (program) => {
      served = servedActions(program, options.environment);
      if (served.size === 0 || databaseUrl === undefined) return;
      // A database that cannot be reached now is tried again with the next call or change.
      open()
        .then(({ worker }) => worker?.wake())
        .catch((error: unknown) => report('The log of asynchronous actions cannot be opened.', error));
    },
    enqueue: (action, input, headers, session) =>
      reach(async (opened) => {
        const id = randomUUID();
        const { variables: sessionVariables } = session;
        const token = completion ? randomBytes(32).toString('hex') : null;
        await store(
          { id, action: action.name, input: jsonText(input), headers, sessionVariables, token },
          opened,
        );
        return id;
      }),
    result: async (action, id, session) => {
      const found = await read(canonicalUuid(id));
      return found && maySee(found, action, session) ? found : undefined;
    },
    complete: (id, token, given) =>
      reach(async ({ log }) => {
        const known = isUuid(id) ? await log.postponed(id, token) : undefined;
        const outcome = known && (await completedOutcome(known, served.get(known.action), given, outcomes));
        if (!outcome || !(await log.complete(id, token, outcome)))
          throw new EngineError('not-found', 'no call waits for this completion', { status: 404 });
        watch.ended([known.id]);
        return given.status === ANSWERED && 'errors' in outcome ? readError(outcome.errors) : undefined;
      }),
    watch: (calls, session, watcher) =>
      watch.watch(
        calls.map(({ id }) => canonicalUuid(id)),
        (stored) => calls.some(({ action }) => maySee(stored, action, session)),
        watcher,
      ),
    stop: async (grace) => {
      watch.stop();
      const opened = await opening?.catch(() => undefined);
      if (!opened) return;
      for (const timer of opened.timers ?? []) clearInterval(timer);
      await opened.worker?.stop(grace);
      // Ending the lease releases calls that still run, for other instances.
      await opened.lease
        ?.end()
        .catch((error: unknown) => report('Giving asynchronous actions back failed.', error));
      await opened.log.close().catch(() => {});
    },
  };
}

/** Stores a call. It is made here at once if there is room. */
async function store(call: LoggedCall, { log, worker, lease }: Opened): Promise<void> {
  const take = worker?.reserve(call.action);
  if (!take || !lease) {
    await log.add(call);
    worker?.wake();
    return;
  }
  try {
    await log.add(call, lease.owner);
  } catch (error) {
    take();
    throw error;
  }
  take(call);
}

function workOff(
  log: ActionLog,
  served: () => ReadonlyMap<string, ServedAction>,
  ended: (ids: readonly string[]) => void,
  options: AsynchronousOptions & OutcomeOptions,
): Omit<Opened, 'log'> {
  const { report, notice, batchSize, interval } = options;
  const lease = beginLease(log.query, () => worker.held > 0, report);
  const worker: Worker<LoggedCall, CallOutcome> = new Worker({
    store: {
      claim: async (limit, full) => {
        const names = [...served().keys()].filter((name) => !full.includes(name));
        if (names.length === 0) return { jobs: [], hasMore: false };
        const jobs = await log.claim(names, limit, lease.owner);
        return { jobs, hasMore: jobs.length > 0 };
      },
      settle: async (outcomes) => {
        await Promise.all(outcomes.map(([{ id }, outcome]) => log.settle(id, outcome)));
        ended(outcomes.flatMap(([{ id }, outcome]) => ('isPostponed' in outcome ? [] : [id])));
      },
      release: (calls) => log.release(calls.map(({ id }) => id)),
    },
    run: (call) => outcomeOf(call, served().get(call.action), options),
    laneOf: ({ action }) => action,
    isShared: () => served().size > 1,
    concurrency: CONCURRENCY,
    batchSize,
    interval,
    report,
    notice,
  });
  return { worker, lease, timers: [...cleanUp(log, options), ...expire(log, options)] };
}

/** Milliseconds between two looks for postponed calls whose time is over. */
const EXPIRE = 60_000;

/** Ends postponed calls that were not completed in time. */
function expire(log: ActionLog, { completion, report }: AsynchronousOptions): NodeJS.Timeout[] {
  if (!completion) return [];
  const run = () => {
    log
      .expire(NOT_COMPLETED)
      .catch((error: unknown) => report('Ending calls that were not completed failed.', error));
  };
  run();
  return [setInterval(run, EXPIRE).unref()];
}

/** Milliseconds between two clean-ups. */
const CLEAN_UP = 3_600_000;

/** Deletes old calls from time to time, beginning now. */
function cleanUp(log: ActionLog, { retention, report }: AsynchronousOptions): NodeJS.Timeout[] {
  if (retention === 0) return [];
  const run = () => {
    forgetEndedCalls(log.query, retention).catch((error: unknown) =>
      report('Deleting old calls of asynchronous actions failed.', error),
    );
  };
  run();
  return [setInterval(run, CLEAN_UP).unref()];
}

/** One statement for all ids that are asked for at the same time. */
function batched(
  readAll: (ids: readonly string[]) => Promise<readonly CallResult[]>,
): (id: string) => Promise<CallResult | undefined> {
  let next:
    | { readonly ids: Set<string>; readonly results: Promise<ReadonlyMap<string, CallResult>> }
    | undefined;
  return async (id) => {
    if (!next) {
      const ids = new Set<string>();
      const results = new Promise<void>((resolve) => setImmediate(resolve)).then(async () => {
        next = undefined;
        return new Map((await readAll([...ids])).map((result) => [result.id, result] as const));
      });
      next = { ids, results };
    }
    next.ids.add(id);
    return (await next.results).get(id);
  };
}
