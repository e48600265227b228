/**
 * How a GraphQL request is answered, on one page: find the operation that it means, plan it for the role, run the
 * statements of the plan. The endpoints (http/graphql.ts, http/rest.ts) authenticate the request before and send the
 * reply after. They take one snapshot of what is served at the start of a request, and the request finishes on it.
 */
import { EngineError } from '../core/errors.ts';
import { MissingSessionVariable } from '../core/request/bind.ts';
import type { Cached } from '../core/request/cached.ts';
import { chooseOperation, parseDocument } from '../core/request/document.ts';
import type { QueryPlan } from '../core/request/plan.ts';
import type { PlannedRequest } from '../core/request/planner.ts';
import type { SavedOperation } from '../core/saved/saved.ts';
import type { Session } from '../core/session.ts';
import type { OperationObservation } from '../observe/logs/observe.ts';
import { type AnswerText, enclose, wholeText } from './answer-text.ts';
import { runPlan } from './execute.ts';
import type { Limits } from './limits.ts';
import type { Request, Runnable, VariableValues } from './request.ts';
import { type Called, calledSaved, findCalled, type GraphqlCall } from './saved/call.ts';
import { planSaved, type Saved } from './saved/saved.ts';

/** Everything that requests run on. A change of metadata swaps it as a whole. */
export interface Served extends Runnable {
  /** Counts operations; absent where no metrics are kept. */
  readonly count?: CountOperation | undefined;
  readonly limits: Limits;
  readonly saved: Saved;
  /** Keeps answers of queries with `@cached`; absent: none are kept. */
  readonly cache?: AnswerCache | undefined;
}

export interface AnswerCache {
  /**
   * The text below `data`, and for how many seconds it is kept from now on; absent: it is not. `isHit`: it was not read by `run`.
   * @throws EngineError as `run` does
   */
  readonly answer: (
    plan: QueryPlan,
    cached: Cached,
    request: Request,
    run: () => Promise<string>,
  ) => Promise<{ readonly text: string; readonly seconds?: number; readonly isHit?: true }>;
}

/** Takes an operation that was answered or failed, for metrics. */
export type CountOperation = (operation: Omit<OperationObservation, 'kind'>) => void;

/** Gives what is served now. @throws EngineError with status 503 while nothing is served yet */
export type CurrentlyServed = () => Served;

/**
 * Answers a GraphQL request, which brings its operation as text or names a saved one.
 * @returns the text `{"data":…}`
 * @throws EngineError when the request is wrong or its execution fails
 */
export function answerCall(call: GraphqlCall, request: Request<Served>): Promise<AnswerText> {
  const find = () => findCalled(call, request.session.role, request.served.saved.calls);
  return answer(find, call, request, '{"data":', '}');
}

/**
 * Answers a saved operation.
 * @returns the text below `data`
 * @throws EngineError as `answerCall`
 */
export function answerSaved(
  operation: SavedOperation,
  variables: VariableValues,
  request: Request<Served>,
): Promise<AnswerText> {
  const { served, session } = request;
  return answer(() => calledSaved(operation, session.role, served.saved.calls), { variables }, request);
}

/** One function, because each further promise is a step of every request. Puts `begin` and `end` around the text. */
async function answer(
  find: () => Called,
  call: GraphqlCall,
  request: Request<Served>,
  begin = '',
  end = '',
): Promise<AnswerText> {
  const { served, session } = request;
  const counted = served.count && startCounting(served.count, call);
  let saved: SavedOperation | undefined;
  try {
    const called = find();
    const { plan, variables } = planCalled(called, call, session, served);
    if (call.onlyQueries) refuseWrite(plan);
    if ('operation' in called) saved = called.operation;
    request.variables = variables;
    counted?.planned(plan.kind);
    const data = await (plan.kind === 'query' && plan.cached && served.cache
      ? runCached(plan, plan.cached, served.cache, request, counted?.cache)
      : runPlan(plan, request));
    counted?.end(true, saved);
    const errors = begin === '' ? undefined : request.partialErrors;
    return enclose(begin, data, errors && errors.length > 0 ? `,"errors":[${errors.join(',')}]${end}` : end);
  } catch (error) {
    counted?.end(false, saved);
    throw error instanceof MissingSessionVariable && saved ? withRule(error, saved, request) : error;
  }
}

/** Tells the client for how long its answer is kept. */
async function runCached(
  plan: QueryPlan,
  cached: Cached,
  cache: AnswerCache,
  request: Request,
  note: ((status: 'hit' | 'miss') => void) | undefined,
): Promise<string> {
  const run = async () => wholeText(await runPlan(plan, request));
  const { text, seconds, isHit } = await cache.answer(plan, cached, request, run);
  note?.(isHit ? 'hit' : 'miss');
  if (seconds !== undefined) request.client?.keptFor?.(seconds);
  return text;
}

function startCounting(count: CountOperation, { operationName, query }: GraphqlCall) {
  const start = performance.now();
  let operationType: OperationObservation['operationType'] = 'unknown';
  let cache: OperationObservation['cache'];
  return {
    cache: (status: NonNullable<typeof cache>) => {
      cache = status;
    },
    planned: (kind: OperationObservation['operationType']) => {
      operationType = kind;
    },
    end: (succeeded: boolean, saved: SavedOperation | undefined) => {
      const seconds = (performance.now() - start) / 1000;
      count({ operationType, succeeded, seconds, operationName, text: query, saved, cache });
    },
  };
}

/** A saved operation runs its generated statements where it has some for the role and these values. */
function planCalled(
  called: Called,
  { variables, operationName, onlyQueries, relay }: GraphqlCall,
  session: Session,
  { planner, saved }: Served,
): PlannedRequest {
  if (onlyQueries) refuseMutation(called, operationName);
  if ('query' in called)
    return planner.plan(session, { query: called.query, operationName, variables, relay });
  const { operation } = called;
  // Saved operations were planned for the other API.
  if (relay) return planner.plan(session, { query: operation.document, variables, relay });
  return (
    planSaved(operation, variables ?? {}, session, saved) ??
    planner.plan(session, { query: operation.document, variables })
  );
}

/**
 * GET must be safe to repeat, to prefetch and to follow as a link, so it runs no mutations. Subscriptions are refused by the
 * planner, which says how they are run.
 * @throws EngineError
 */
function refuseMutation(called: Called, operationName: string | undefined): void {
  const { kind } =
    'operation' in called ? called.operation : chooseOperation(parseDocument(called.query), operationName);
  if (kind !== 'mutation') return;
  throw new EngineError('not-supported', 'only queries can be run with GET; use POST', { status: 405 });
}

/** A query that calls a VOLATILE function may write, whatever the function is exposed as. @throws EngineError */
function refuseWrite(plan: PlannedRequest['plan']): void {
  if (plan.kind !== 'query' || !plan.steps.some((step) => step.kind === 'sql' && step.once)) return;
  throw new EngineError(
    'not-supported',
    'the query calls a VOLATILE function, which may write: it cannot be run with GET; use POST',
    { status: 405 },
  );
}

/** Generated statements do not name the rule that asks for a session variable; planning the operation finds it. */
function withRule(
  error: MissingSessionVariable,
  { document }: SavedOperation,
  { served, session, variables }: Request,
): MissingSessionVariable {
  const { plan } = served.planner.plan(session, { query: document, variables });
  const statements =
    plan.kind === 'query'
      ? plan.steps.flatMap((step) => (step.kind === 'sql' ? [step.statement] : []))
      : plan.fields.flatMap((field) =>
          'step' in field && field.step.kind === 'write'
            ? field.step.statements.map(({ statement }) => statement)
            : [],
        );
  const parameter = statements
    .flatMap(({ parameters }) => parameters)
    .find(({ source }) => source.from === 'session' && source.name === error.variable);
  return new MissingSessionVariable(error.variable, session.vocabulary, parameter?.rule);
}
