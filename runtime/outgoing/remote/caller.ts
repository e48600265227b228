/** Runs the steps of remote schemas: one request for the root fields of a remote schema, one for its joins of a level. */

import { setImmediate } from 'node:timers/promises';
import { EngineError, UpstreamErrors } from '../../core/errors.ts';
import { parseExactJson } from '../../core/json/exact-json.ts';
import { MalformedJson } from '../../core/json/scanner.ts';
import { remember } from '../../core/remember.ts';
import type { RemoteJoinPart } from '../../core/remotes/relationship.ts';
import type { RemoteRootPart } from '../../core/remotes/remote-root.ts';
import type { RemoteSchemaShape } from '../../core/remotes/shapes.ts';
import type { CallContext, Caller } from '../../graphql/execution.ts';
import { headersOf, type OutgoingResponse } from '../message.ts';
import {
  below,
  describeAnswer,
  hasErrors,
  isEmptyList,
  membersOf,
  type RemoteAnswer,
  splitAnswer,
} from './answer.ts';
import { type CallOptions, type CallOrigin, callRemote } from './call.ts';
import { joinRequest, requestBody, rootRequest } from './document.ts';

export interface RemoteOptions extends CallOptions {
  /** If an answer has data and errors, the data counts. */
  readonly prioritizeData: boolean;
}

/** Maximum number of tuples that one request looks up. */
const MAX_TUPLES = 250;

export function createRemoteCaller(options: RemoteOptions): Caller {
  return {
    run: async ({ group, parts, operation }, context) => {
      const target = remoteOf(group, context);
      const roots = parts as readonly RemoteRootPart[];
      const { client } = context.execution;
      const name = client?.operationName;
      const { aliases, ...request } = rootRequest(roots, operation, name, context);
      const body = requestBody(request, name);
      const response = await call(target, body, operation === 'query', originOf(context), options);
      const cookies = headersOf(response, 'set-cookie');
      if (cookies.length > 0) client?.addCookies?.(cookies);
      const data = rootData(response, options);
      return aliases.map((alias) => {
        const value = data.get(alias);
        if (value === undefined) throw remoteError(`expecting key ${alias}`);
        return value;
      });
    },
    join: async ({ group, joins }, context) => {
      const target = remoteOf(group, context);
      const entries = new Map<string, Entry>();
      // Joins with the same text and equal tuples share a field.
      const placed = joins.map(({ part, tuples }) => {
        const { text } = part as RemoteJoinPart;
        const identity = JSON.stringify(text);
        const hasKeys = text.some((piece) => typeof piece !== 'string' && 'key' in piece);
        return tuples.map((tuple) =>
          remember(entries, hasKeys ? `${identity} ${JSON.stringify(tuple)}` : identity, () => ({
            part: part as RemoteJoinPart,
            tuple,
            index: entries.size,
          })),
        );
      });
      const list = [...entries.values()];
      const chunks = Array.from({ length: Math.ceil(list.length / MAX_TUPLES) }, (_, index) =>
        list.slice(index * MAX_TUPLES, (index + 1) * MAX_TUPLES),
      );
      const running: Promise<ReadonlyMap<string, string>>[] = [];
      for (const chunk of chunks) {
        // Other requests have a turn between the texts of large joins.
        if (running.length > 0) await setImmediate();
        const found = lookUp(target, chunk, context, options);
        // Handled below; one may fail before the last one begins.
        found.catch(() => {});
        running.push(found);
      }
      const results = await Promise.all(running);
      return placed.map((places) =>
        places.map(({ part, index }) => {
          const value = results[Math.floor(index / MAX_TUPLES)]!.get(`f${index % MAX_TUPLES}`);
          if (value === undefined) throw missingKey(`f${index % MAX_TUPLES}`, part.path);
          return at(part.path, () => below(value, part.below));
        }),
      );
    },
  };
}

/** Calls the remote schema and reports the finished call to `observe`. @throws as callRemote */
async function call(
  target: RemoteSchemaShape,
  body: string,
  isQuery: boolean,
  origin: CallOrigin,
  options: CallOptions,
): Promise<OutgoingResponse> {
  const { observe } = options;
  if (!observe) return callRemote(target, body, isQuery, origin, options);
  const began = performance.now();
  let status: number | undefined;
  try {
    const response = await callRemote(target, body, isQuery, origin, options);
    status = response.status;
    return response;
  } finally {
    const seconds = (performance.now() - began) / 1000;
    observe({
      remote: target.name,
      seconds,
      trace: origin.client?.trace,
      ...(status === undefined ? {} : { status }),
    });
  }
}

interface Entry {
  readonly part: RemoteJoinPart;
  readonly tuple: readonly string[];
  readonly index: number;
}

function remoteOf(name: string, { execution }: CallContext): RemoteSchemaShape {
  const found = execution.planner.program.remotes.find((remote) => remote.name === name);
  if (found) return found;
  throw new EngineError('not-exists', `remote schema ${JSON.stringify(name)} does not exist`);
}

function originOf({ session, execution }: CallContext): CallOrigin {
  return { session, client: execution.client, deadline: execution.deadline };
}

function remoteError(message: string): EngineError {
  return new EngineError('remote-schema-error', message);
}

/** Values of root fields by alias. @throws EngineError; UpstreamErrors with the errors of the remote schema */
function rootData(
  response: OutgoingResponse,
  { prioritizeData }: RemoteOptions,
): ReadonlyMap<string, string> {
  let answer: RemoteAnswer;
  try {
    answer = splitAnswer(response.body.toString('utf8'));
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error;
    const message = `the remote's answer is not valid JSON: ${error.message}; ${describeAnswer(response)}`;
    throw new EngineError('remote-schema-error', message, { cause: error });
  }
  const { data, errors } = answer;
  const isData = data !== undefined && data !== 'null';
  if (hasErrors(answer) && !(isData && prioritizeData)) {
    if (!errors!.startsWith('[')) throw remoteError('Invalid "errors" field in response from remote');
    throw new UpstreamErrors(errors!);
  }
  if (isData) {
    if (!data.startsWith('{')) throw remoteError('Invalid "data" field in response from remote');
    return membersOf(data);
  }
  if (errors !== undefined && isEmptyList(errors))
    throw remoteError('Empty "errors" field in response from remote');
  const { status } = response;
  const of = status === 200 ? '' : `, which answered with status ${status}`;
  throw remoteError(
    data === undefined
      ? `Missing "data" field with no errors in response from remote${of}`
      : `Received null "data" field with no errors in response from remote${of}`,
  );
}

async function lookUp(
  target: RemoteSchemaShape,
  entries: readonly Entry[],
  context: CallContext,
  options: RemoteOptions,
): Promise<ReadonlyMap<string, string>> {
  const body = requestBody(joinRequest(entries, context));
  const errors = context.execution.client?.partialErrors;
  try {
    const response = await call(target, body, true, originOf(context), options);
    return joinData(response, entries, errors);
  } catch (error) {
    if (!errors || !(error instanceof EngineError) || !entries.every(({ part }) => part.isOptional))
      throw error;
    for (const path of new Set(entries.map(({ part }) => part.path)))
      errors.push(partialError(error.message, path));
    return new Map(entries.map((_, index) => [`f${index}`, 'null']));
  }
}

/** The JSON of an error of one field, while the rest of the answer stays. */
function partialError(message: string, path: string): string {
  return JSON.stringify({ message, extensions: { path, code: 'remote-schema-error' } });
}

/** The errors of the remote schema as errors of optional fields; undefined if one of them is about another field. */
function optionalErrors(text: string, entries: readonly Entry[]): string[] | undefined {
  const found: string[] = [];
  for (const error of parseExactJson(text) as readonly ({ message?: unknown; path?: unknown } | null)[]) {
    const alias: unknown = Array.isArray(error?.path) ? error.path[0] : undefined;
    const part = entries.find((_, index) => alias === `f${index}`)?.part;
    if (!part?.isOptional) return undefined;
    const message =
      typeof error?.message === 'string' ? error.message : 'the remote schema answered with an error';
    found.push(partialError(message, part.path));
  }
  return found;
}

function joinData(
  response: OutgoingResponse,
  entries: readonly Entry[],
  errors: string[] | undefined,
): ReadonlyMap<string, string> {
  const { path } = entries[0]!.part;
  let answer: RemoteAnswer;
  try {
    answer = splitAnswer(response.body.toString('utf8'));
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error;
    const message = `Remote server response is not valid JSON: ${error.message}; ${describeAnswer(response)}`;
    throw new EngineError('unexpected', message, { path, cause: error });
  }
  if (hasErrors(answer)) {
    const partial =
      errors && answer.data?.startsWith('{') && answer.errors!.startsWith('[')
        ? optionalErrors(answer.errors!, entries)
        : undefined;
    if (partial) {
      errors!.push(...partial);
      return membersOf(answer.data!);
    }
    throw new EngineError('unexpected', 'Errors from remote server', {
      status: 400,
      internal: { errors: parseExactJson(answer.errors!) },
    });
  }
  if (answer.data === undefined || !answer.data.startsWith('{'))
    throw new EngineError('unexpected', '"data" field not found in remote response', { path });
  return membersOf(answer.data);
}

function missingKey(key: string, path: string): EngineError {
  return new EngineError('unexpected', `failed to lookup key '${key}' in response`, { path });
}

/** Gives errors without a path this one. */
function at(path: string, run: () => string): string {
  try {
    return run();
  } catch (error) {
    throw error instanceof EngineError && error.path === '$' ? error.at(path) : error;
  }
}
