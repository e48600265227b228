/** Answers the root fields of actions. */
import { actionAnswerText, isObjectType } from '../../core/action/answer.ts';
import { type ActionPart, argumentValues, type CalledAction } from '../../core/action/plan.ts';
import type { Environment } from '../../core/environment-template.ts';
import { EngineError } from '../../core/errors.ts';
import { parseExactJson } from '../../core/json/exact-json.ts';
import { remember } from '../../core/remember.ts';
import type { CallStep } from '../../core/request/steps.ts';
import type { Caller, Request } from '../../graphql/request.ts';
import { clientHeaders } from '../headers.ts';
import type { CallResult } from './action-log.ts';
import type { StoredCalls } from './asynchronous.ts';
import { type ActionCallOptions, callHandler } from './call.ts';
import { type PreparedAction, prepareAction } from './prepared.ts';

export interface ActionCallerOptions extends ActionCallOptions {
  readonly asynchronous: StoredCalls;
  readonly environment: Environment;
  /** Whether the role may see details of stored errors, as of errors in answers. */
  readonly showsDetails: (role: string) => boolean;
}

/** Makes the caller of a server's actions; those that are called are prepared once. */
export function actionCaller(options: ActionCallerOptions): Caller {
  const prepared = new WeakMap<CalledAction, PreparedAction>();
  const prepare = (shape: CalledAction) =>
    remember(prepared, shape, () => prepareAction(shape, options.environment));
  const answerPart = (part: ActionPart, request: Request) =>
    part.mode === 'call'
      ? runPart(part, prepare(part.action), request, options)
      : runStored(part, request, options);
  return {
    check: (step, { variables }) => {
      reportTooDeep(() => {
        for (const part of partsOf(step)) argumentValues(part.arguments, variables);
      });
    },
    watch: (step, { variables, session }, watcher) => {
      const calls = partsOf(step).map((part) => ({
        action: part.action,
        id: String(argumentValues(part.arguments, variables).id),
      }));
      return options.asynchronous.watch(calls, session, watcher);
    },
    run: async (step, request) => {
      try {
        return await Promise.all(partsOf(step).map((part) => answerPart(part, request)));
      } catch (error) {
        throw tooDeep(error) ?? error;
      }
    },
  };
}

function partsOf({ parts }: CallStep): readonly ActionPart[] {
  return parts as readonly ActionPart[];
}

function reportTooDeep(run: () => void): void {
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

/** Values of the answer's fields, in the order in which types declare them. */
async function runStored(
  part: ActionPart,
  { variables, session, client }: Request,
  { asynchronous, showsDetails }: ActionCallerOptions,
): Promise<string> {
  const { action, mode, type, selection } = part;
  const input = argumentValues(part.arguments, variables);
  if (mode === 'enqueue') {
    const headers = clientHeaders(action, client?.headers, session.vocabulary);
    const forwarded = Object.fromEntries(headers.map(({ name, value }) => [name, value]));
    return JSON.stringify(await asynchronous.enqueue(action, input, forwarded, session));
  }
  const found = await asynchronous.result(action, String(input.id), session);
  if (!found) return 'null';
  const output: unknown = found.response === null ? null : parseExactJson(found.response);
  if (!isObjectType(type)) return actionAnswerText(type, output, selection);
  const value = {
    id: found.id,
    created_at: JSON.parse(found.createdAt),
    errors: errorsOf(found, showsDetails(session.role)),
    output,
  };
  return actionAnswerText(type, value, selection);
}

function errorsOf({ errors }: CallResult, showsDetails: boolean): unknown {
  if (errors === null) return null;
  const { internal, ...shown } = parseExactJson(errors) as Record<string, unknown>;
  return showsDetails && internal !== undefined ? { ...shown, internal } : shown;
}

async function runPart(
  part: ActionPart,
  action: PreparedAction,
  { variables, session, query, client, deadline }: Request,
  options: ActionCallOptions,
): Promise<string> {
  const { shape } = action;
  const { value, cookies } = await callHandler(
    {
      action,
      output: part.type,
      input: argumentValues(part.arguments, variables),
      vocabulary: session.vocabulary,
      sessionVariables: session.vocabulary.session(session.variables),
      requestQuery: query ?? null,
      origin: client ?? {},
      deadline,
      // A client that leaves does not undo what its mutation has begun.
      whenUnwanted: shape.type === 'query' ? client?.whenGone?.bind(client) : undefined,
    },
    options,
  );
  if (shape.type === 'mutation') client?.addCookies?.(cookies);
  return actionAnswerText(part.type, value, part.selection);
}
