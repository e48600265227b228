/** Answers the root fields of actions. */
import { answerText } from '../core/action/answer.ts';
import { type ActionPart, argumentValues, type CalledAction } from '../core/action/plan.ts';
import { EngineError } from '../core/errors.ts';
import { remember } from '../core/remember.ts';
import type { CallStep } from '../core/request/steps.ts';
import type { CallContext, Caller } from '../graphql/execution.ts';
import { type CallOptions, callHandler } from './call.ts';
import { type Environment, type PreparedAction, prepareAction } from './prepared.ts';

export interface ActionCallerOptions extends CallOptions {
  readonly environment: Environment;
}

/** Makes the caller of a server's actions; those that are called are prepared once. */
export function actionCaller(options: ActionCallerOptions): Caller {
  const prepared = new WeakMap<CalledAction, PreparedAction>();
  const prepare = (shape: CalledAction) =>
    remember(prepared, shape, () => prepareAction(shape, options.environment));
  return {
    check: (step, { variables }) => {
      shallow(() => {
        for (const part of partsOf(step)) argumentValues(part.arguments, variables);
      });
    },
    run: (step, context) =>
      Promise.all(
        partsOf(step).map((part) =>
          runPart(part, prepare(part.action), context, options).catch((error: unknown) => {
            throw tooDeep(error) ?? error;
          }),
        ),
      ),
  };
}

function partsOf({ parts }: CallStep): readonly ActionPart[] {
  return parts as readonly ActionPart[];
}

function shallow(run: () => void): void {
  try {
    run();
  } catch (error) {
    throw tooDeep(error) ?? error;
  }
}

/** The error for a value of a client or handler that is nested deeper than the call stack. */
function tooDeep(error: unknown): EngineError | undefined {
  return error instanceof RangeError && error.message.includes('call stack')
    ? new EngineError('unexpected', 'a value is nested too deeply', { status: 400 })
    : undefined;
}

async function runPart(
  part: ActionPart,
  action: PreparedAction,
  { variables, session, execution }: CallContext,
  options: CallOptions,
): Promise<string> {
  const { client, deadline } = execution;
  const { shape } = action;
  if (part.mode !== 'call') throw new EngineError('not-supported', 'asynchronous actions are not served yet');
  const { value, cookies } = await callHandler(
    {
      action,
      output: part.type,
      input: argumentValues(part.arguments, variables),
      sessionVariables: session.variables,
      requestQuery: client?.query ?? null,
      origin: client ?? {},
      timeLimit: deadline === undefined ? undefined : deadline - performance.now(),
      // What a mutation has begun is not undone by leaving.
      signal: shape.type === 'query' ? client?.signal?.() : undefined,
    },
    options,
  );
  if (shape.type === 'mutation') client?.addCookies?.(cookies);
  return answerText(part.type, value, part.selection);
}
