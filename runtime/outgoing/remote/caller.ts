/** Runs the steps of remote schemas: one request for the root fields of a remote schema, one for its joins of a level. */

import { setImmediate } from 'node:timers/promises';
import { EngineError, UpstreamErrors } from '../../core/errors.ts';
import { parseExactJson } from '../../core/json/exact-json.ts';
import { MalformedJson } from '../../core/json/scanner.ts';
import { remember } from '../../core/remember.ts';
import type { RemoteJoinPart } from '../../core/remotes/relationship.ts';
import type { RemoteRootPart } from '../../core/remotes/remote-root.ts';
import type { RemoteSchemaShape } from '../../core/remotes/shapes.ts';
import type { Caller, Request } from '../../graphql/request.ts';
import { headersOf, type OutgoingResponse } from '../message.ts';
import {
  below,
  describeAnswer,
  hasResponseErrors,
  isEmptyList,
  type RemoteResponse,
  splitAnswer,
} from './answer.ts';
import { callRemote, type PreparedTarget, prepareTarget, type RemoteCallOptions } from './call.ts';
import { joinRequest, requestBody, rootRequest } from './document.ts';

export interface RemoteOptions extends RemoteCallOptions {
  /** If an answer has data and errors, the data counts. */
  readonly prioritizeData: boolean;
}

/** Maximum number of tuples that one request looks up. */
const MAX_TUPLES = 250;

/** Makes the caller of a server's remote schemas; those that are called are prepared once. */
export function createRemoteCaller(options: RemoteOptions): Caller {
  const prepared = new WeakMap<RemoteSchemaShape, PreparedTarget>();
  const call: Call = async (target, body, isQuery, request) => {
    const ready = remember(prepared, target, () => prepareTarget(target, options.environment));
    return callRemote(ready, body, isQuery, request, options);
  };
  return {
    run: async ({ group, parts, operation }, request) => {
      const target = remoteOf(group, request);
      const roots = parts as readonly RemoteRootPart[];
      const name = request.operationName;
      const { aliases, ...asked } = rootRequest(roots, operation, name, request);
      const body = requestBody(asked, name);
      const response = await call(target, body, operation === 'query', request);
      const cookies = headersOf(response, 'set-cookie');
      if (cookies.length > 0) request.client?.addCookies?.(cookies);
      const data = rootData(response, options);
      return aliases.map((alias) => {
        const value = data.get(alias);
        if (value === undefined) throw remoteError(`expecting key ${alias}`);
        return value;
      });
    },
    join: async ({ group, joins }, request) => {
      const target = remoteOf(group, request);
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
        const found = lookUp(target, chunk, request, call);
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

type Call = (
  target: RemoteSchemaShape,
  body: string,
  isQuery: boolean,
  request: Request,
) => Promise<OutgoingResponse>;

interface Entry {
  readonly part: RemoteJoinPart;
  readonly tuple: readonly string[];
  readonly index: number;
}

function remoteOf(name: string, { served }: Request): RemoteSchemaShape {
  const found = served.planner.program.remotes.find((remote) => remote.name === name);
  if (found) return found;
  throw new EngineError('not-exists', `remote schema ${JSON.stringify(name)} does not exist`);
}

function remoteError(message: string): EngineError {
  return new EngineError('remote-schema-error', message);
}

/** Values of root fields by alias. @throws EngineError; UpstreamErrors with the errors of the remote schema */
function rootData(
  response: OutgoingResponse,
  { prioritizeData }: RemoteOptions,
): ReadonlyMap<string, string> {
  let answer: RemoteResponse;
  try {
    answer = splitAnswer(response.body.toString('utf8'));
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error;
    const message = `the remote's answer is not valid JSON: ${error.message}; ${describeAnswer(response)}`;
    throw new EngineError('remote-schema-error', message, { cause: error });
  }
  const { data, members, errors } = answer;
  const isData = data !== undefined && data !== 'null';
  if (hasResponseErrors(answer) && !(isData && prioritizeData)) {
    if (!errors!.startsWith('[')) throw remoteError('Invalid "errors" field in response from remote');
    throw new UpstreamErrors(errors!);
  }
  if (isData) {
    if (!members) throw remoteError('Invalid "data" field in response from remote');
    return members;
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
  request: Request,
  call: Call,
): Promise<ReadonlyMap<string, string>> {
  const body = requestBody(joinRequest(entries, request));
  const errors = request.partialErrors;
  try {
    const response = await call(target, body, true, request);
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
  let answer: RemoteResponse;
  try {
    answer = splitAnswer(response.body.toString('utf8'));
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error;
    const message = `Remote server response is not valid JSON: ${error.message}; ${describeAnswer(response)}`;
    throw new EngineError('unexpected', message, { path, cause: error });
  }
  const { members } = answer;
  if (hasResponseErrors(answer)) {
    const partial =
      errors && members && answer.errors!.startsWith('[')
        ? optionalErrors(answer.errors!, entries)
        : undefined;
    if (partial) {
      errors!.push(...partial);
      return members!;
    }
    throw new EngineError('unexpected', 'Errors from remote server', {
      status: 400,
      internal: { errors: parseExactJson(answer.errors!) },
    });
  }
  if (!members) throw new EngineError('unexpected', '"data" field not found in remote response', { path });
  return members;
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
