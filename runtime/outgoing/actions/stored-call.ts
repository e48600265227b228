/** Makes stored calls of asynchronous actions, and decides who may see their results. */
import type { CalledAction } from '../../core/action/plan.ts';
import { actionTypes } from '../../core/action/types.ts';
import type { Environment } from '../../core/environment-template.ts';
import { EngineError, type ErrorCode } from '../../core/errors.ts';
import { parseExactJson } from '../../core/json/exact-json.ts';
import type { Program } from '../../core/program/program.ts';
import type { TypeReference } from '../../core/schema/types.ts';
import { ADMIN_ROLE, type Session } from '../../core/session.ts';
import { jsonText } from '../../core/types.ts';
import type { Vocabulary } from '../../core/vocabulary.ts';
import type { ShownHeader } from '../headers.ts';
import type { CallOutcome, LoggedCall, StoredCall } from './action-log.ts';
import { type ActionCallOptions, askHandler, type CheckedCall, checkAnswer, payloadOf } from './call.ts';
import { CallDetails } from './call-details.ts';
import { type PreparedAction, prepareAction } from './prepared.ts';

/** An asynchronous action that a program serves. */
export interface ServedAction {
  readonly action: PreparedAction;
  readonly output: TypeReference;
}

export interface OutcomeOptions extends ActionCallOptions {
  readonly vocabulary: Vocabulary;
  /** The address at which the handler of a call may complete it later; absent: it may not. */
  readonly completionUrl?: ((id: string, token: string) => string) | undefined;
  readonly report: (message: string, error: unknown) => void;
}

/** How a handler completes a call: what it could have answered at once. */
export interface Completion {
  readonly status: typeof ANSWERED | typeof REFUSED;
  readonly body: unknown;
}

export const ANSWERED = 200;
export const REFUSED = 400;

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

/** Status with which a handler says that it completes the call later. */
const ACCEPTED = 202;

/** Makes a stored call. @returns its outcome; never throws */
export function outcomeOf(
  stored: LoggedCall,
  served: ServedAction | undefined,
  options: OutcomeOptions,
): Promise<CallOutcome> {
  const { id, token, headers } = stored;
  const { vocabulary } = options;
  return outcomeFrom(async () => {
    const completionUrl = token === null ? undefined : options.completionUrl?.(id, token);
    const completion = completionUrl === undefined ? undefined : completionHeader(completionUrl, vocabulary);
    const call = { ...checkedCall(stored, served, vocabulary), vocabulary, origin: { headers, completion } };
    const answer = await askHandler(call, options);
    if (completionUrl !== undefined && answer.response.status === ACCEPTED) return { isPostponed: true };
    return { response: jsonText(checkAnswer(call, answer).value) };
  }, options);
}

/** Ends a call with its completion, which is checked like an answer. @returns its outcome; never throws */
export function completedOutcome(
  stored: LoggedCall,
  served: ServedAction | undefined,
  { status, body }: Completion,
  options: OutcomeOptions,
): Promise<CallOutcome> {
  return outcomeFrom(async () => {
    const call = checkedCall(stored, served, options.vocabulary);
    const details = new CallDetails(call.action, [], payloadOf(call));
    const response = { status, headers: [], body: Buffer.from(jsonText(body)) };
    return { response: jsonText(checkAnswer(call, { response, details }).value) };
  }, options);
}

/** The address holds a token. */
function completionHeader(url: string, vocabulary: Vocabulary): ShownHeader {
  return { name: vocabulary.titled('Completion-Url'), value: url, shown: '<redacted>' };
}

/** @throws EngineError when the metadata has no such action any more */
function checkedCall(
  { input, sessionVariables, action: name }: LoggedCall,
  served: ServedAction | undefined,
  vocabulary: Vocabulary,
): CheckedCall {
  if (!served) throw new EngineError('not-exists', `action with name ${JSON.stringify(name)} does not exist`);
  return {
    ...served,
    input: parseExactJson(input) as Readonly<Record<string, unknown>>,
    sessionVariables: vocabulary.session(sessionVariables),
    requestQuery: null,
  };
}

async function outcomeFrom(
  run: () => Promise<CallOutcome>,
  { report }: OutcomeOptions,
): Promise<CallOutcome> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof EngineError) return { errors: errorText(error) };
    report('An asynchronous action failed in an unexpected way.', error);
    return { errors: errorText(new EngineError('unexpected', 'Internal Server Error')) };
  }
}

/** An error as it is stored. */
function errorText({ message, path, code, internal }: EngineError): string {
  return jsonText({ error: message, path, code, ...(internal ? { internal } : {}) });
}

/** The stored error of a call that was postponed and not completed in time. */
export const NOT_COMPLETED = errorText(
  new EngineError('unexpected', 'the handler did not complete the call in time'),
);

/** A stored error, without what only administrators may see. */
export function readError(stored: string): EngineError {
  const { error, path, code } = JSON.parse(stored) as { error: string; path: string; code: ErrorCode };
  return new EngineError(code, error, { path, status: 400 });
}

/** Whether a session may see the result of a call: administrators, and sessions with exactly the caller's variables. */
export function maySee(
  { action, sessionVariables }: StoredCall,
  { name }: CalledAction,
  session: Session,
): boolean {
  return action === name && (session.role === ADMIN_ROLE || isSameSession(sessionVariables, session));
}

const UUID = /^[\da-f]{8}(?:-?[\da-f]{4}){3}-?[\da-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
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
