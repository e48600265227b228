/** What becomes of the stored call of an asynchronous action, and who may see it. */
import type { CalledAction } from '../core/action/plan.ts';
import { actionTypes } from '../core/action/types.ts';
import { EngineError } from '../core/errors.ts';
import { parseExactJson } from '../core/json/exact-json.ts';
import type { Program } from '../core/program.ts';
import type { TypeReference } from '../core/schema/types.ts';
import { ADMIN_ROLE, type Session } from '../core/session.ts';
import { jsonText } from '../core/types.ts';
import type { CallOutcome, LoggedCall, StoredCall } from './action-log.ts';
import { type CallOptions, callHandler } from './call.ts';
import { type Environment, type PreparedAction, prepareAction } from './prepared.ts';

/** An asynchronous action that a program serves. */
export interface ServedAction {
  readonly action: PreparedAction;
  readonly output: TypeReference;
}

export interface OutcomeOptions extends CallOptions {
  readonly report: (message: string, error: unknown) => void;
}

/** The asynchronous actions of a program, by name. */
export function servedActions(program: Program, environment: Environment): Map<string, ServedAction> {
  const { actions } = program;
  if (!actions) return new Map();
  const types = actionTypes(actions.types, program.roleSchema(ADMIN_ROLE, false));
  return new Map(
    actions.actions.flatMap((shape) =>
      shape.kind === 'asynchronous'
        ? [[shape.name, { action: prepareAction(shape, environment), output: types.output(shape.output) }]]
        : [],
    ),
  );
}

/** Makes a stored call. @returns what is stored of it; never throws */
export async function outcomeOf(
  { input, headers, sessionVariables, action: name }: LoggedCall,
  served: ServedAction | undefined,
  options: OutcomeOptions,
): Promise<CallOutcome> {
  try {
    // The metadata changed between the claim and the call.
    if (!served)
      throw new EngineError('not-exists', `action with name ${JSON.stringify(name)} does not exist`);
    const { action, output } = served;
    const { value } = await callHandler(
      {
        action,
        output,
        input: parseExactJson(input) as Readonly<Record<string, unknown>>,
        sessionVariables,
        requestQuery: null,
        origin: { headers },
      },
      options,
    );
    return { response: jsonText(value) };
  } catch (error) {
    if (error instanceof EngineError) {
      const { message, path, code, internal } = error;
      return { errors: JSON.stringify({ error: message, path, code, ...(internal ? { internal } : {}) }) };
    }
    options.report('An asynchronous action failed in an unexpected way.', error);
    return { errors: JSON.stringify({ error: 'Internal Server Error', path: '$', code: 'unexpected' }) };
  }
}

/** Whether a session may see the result of a call: administrators, and sessions with exactly the caller's variables. */
export function maySee(
  { action, sessionVariables }: StoredCall,
  { name }: CalledAction,
  session: Session,
): boolean {
  return action === name && (session.role === ADMIN_ROLE || isSameSession(sessionVariables, session));
}

/** An id as Postgres writes it. */
export function canonicalUuid(id: string): string {
  const digits = id.toLowerCase().replaceAll('-', '');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function isSameSession(stored: Readonly<Record<string, string>>, { variables }: Session): boolean {
  const names = Object.keys(stored);
  return (
    names.length === Object.keys(variables).length &&
    names.every((name) => Object.hasOwn(variables, name) && variables[name] === stored[name])
  );
}
