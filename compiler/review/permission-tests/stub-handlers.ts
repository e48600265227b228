/** Handlers of actions as declared cases have them: nothing leaves, and each action gets what the case says. */

import { isDeepStrictEqual } from 'node:util';
import { ACTION_CALLER } from '../../../runtime/core/action/provider.ts';
import type { Environment } from '../../../runtime/core/environment-template.ts';
import { EngineError } from '../../../runtime/core/errors.ts';
import { exactJsonOr } from '../../../runtime/core/json/exact-json.ts';
import { isObject } from '../../../runtime/core/json/json.ts';
import type { Program } from '../../../runtime/core/program/program.ts';
import { jsonText } from '../../../runtime/core/types.ts';
import type { Callers } from '../../../runtime/graphql/request.ts';
import type { CallResult } from '../../../runtime/outgoing/actions/action-log.ts';
import type { StoredCalls } from '../../../runtime/outgoing/actions/asynchronous.ts';
import { actionCaller } from '../../../runtime/outgoing/actions/caller.ts';
import type { OutcomeOptions } from '../../../runtime/outgoing/actions/stored-call.ts';
import {
  canonicalUuid,
  maySee,
  outcomeOf,
  servedActions,
} from '../../../runtime/outgoing/actions/stored-call.ts';
import type { OutgoingRequest, OutgoingResponse } from '../../../runtime/outgoing/message.ts';
import type { StubHandler } from './cases.ts';

export interface Stubs {
  readonly callers: Callers;
  /** Problems of the calls so far: an action without a handler, another body, a handler that was not called. */
  readonly problem: () => string | undefined;
}

export function stubHandlers(program: Program, handlers: Readonly<Record<string, StubHandler>>): Stubs {
  const problems: string[] = [];
  const called = new Set<string>();
  const send = async ({ body }: OutgoingRequest, action: string): Promise<OutgoingResponse> => {
    const handler = Object.hasOwn(handlers, action) ? handlers[action] : undefined;
    if (!handler) {
      problems.push(`the action ${action} was called, and the case has no handler for it`);
      throw new EngineError('unexpected', 'no handler');
    }
    called.add(action);
    const problem = compareBody(body?.toString() ?? '', handler);
    if (problem !== undefined) problems.push(`the handler of ${action} ${problem}`);
    const answer = JSON.stringify(handler.answers ?? null);
    return { status: handler.status, headers: [], body: Buffer.from(answer) };
  };
  const options = {
    vocabulary: program.vocabulary,
    send,
    environment: EVERYTHING,
    configuredFirst: false,
    observe: () => {},
    showsDetails: () => false,
  };
  return {
    callers: { [ACTION_CALLER]: actionCaller({ ...options, asynchronous: atOnce(program, options) }) },
    problem: () =>
      problems[0] ??
      Object.keys(handlers)
        .filter((action) => !called.has(action))
        .map((action) => `the handler of ${action} was not called`)[0],
  };
}

function compareBody(body: string, { receives = {} }: StubHandler): string | undefined {
  const wanted = Object.entries(receives);
  if (wanted.length === 0) return undefined;
  const value = exactJsonOr(body);
  const sent = isObject(value) ? value : undefined;
  const wrong = wanted.find(([key, value]) => !isDeepStrictEqual(sent?.[key], value));
  return wrong && `got ${short(sent?.[wrong[0]] ?? body)} as ${wrong[0]}, not ${short(wrong[1])}`;
}

/** Calls of asynchronous actions are made when they are stored, and count: the first has the id that ends in 1. */
function atOnce(
  program: Program,
  { environment, ...options }: Omit<OutcomeOptions, 'report'> & { readonly environment: Environment },
): StoredCalls {
  const served = servedActions(program, environment);
  const calls = new Map<string, CallResult>();
  const report = (_message: string, error: unknown) => {
    throw error;
  };
  return {
    enqueue: async ({ name }, input, headers, { variables }) => {
      const id = `00000000-0000-4000-8000-${String(calls.size + 1).padStart(12, '0')}`;
      const call = { id, action: name, sessionVariables: variables };
      const outcome = await outcomeOf(
        { ...call, input: jsonText(input), headers, token: null },
        served.get(name),
        {
          ...options,
          report,
        },
      );
      calls.set(id, {
        ...call,
        createdAt: '"2000-01-01T00:00:00+00:00"',
        response: null,
        errors: null,
        ...outcome,
      });
      return id;
    },
    result: async (action, id, session) => {
      const found = calls.get(canonicalUuid(id));
      return found && maySee(found, action, session) ? found : undefined;
    },
    watch: () => () => {},
  };
}

/** An environment in which every variable is an address, so that cases need none of the server's secrets. */
const EVERYTHING: Environment = new Proxy<Record<string, string>>(
  {},
  {
    getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true, value: 'http://handler.test' }),
    get: () => 'http://handler.test',
  },
);

/** JSON, cut for a message. */
export function short(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
