/** Messages between the serving thread and the metadata thread. */

import type { Configuration } from '../../configuration/configuration.ts';
import type { ConsoleQuestion } from '../../console/questions.ts';
import type { Environment } from '../../core/environment-template.ts';
import { EngineError } from '../../core/errors.ts';
import { parseExactJson } from '../../core/json/exact-json.ts';
import type { Reason } from '../../core/reason.ts';
import type { Session } from '../../core/session.ts';
import { jsonText } from '../../core/types.ts';
import type { CheckedSources } from '../../database/health-checks.ts';
import type { Client } from '../../graphql/request.ts';
import type { MetadataEndpointPath } from '../../http/metadata.ts';
import type { ConnectionInfo } from '../../metadata/metadata.ts';
import type { Observation } from '../../observe/logs/observe.ts';
import type { TranspiledFile } from '../../program/evaluator.ts';
import type { ProjectData } from './project.ts';

/** Data that the thread starts with. */
export interface ThreadData {
  readonly configuration: Configuration;
  readonly environment: Environment;
  /** Address of the compiler's module, which exports `compile`. */
  readonly compiler: string;
  /** Address of the module that exports `openReviews`; without it there is no console. */
  readonly review?: string | undefined;
  /** Files that are served instead of what the metadata database has. */
  readonly project?: ProjectData | undefined;
}

/** A database as the thread has opened it; another number means that it has to be opened anew. */
interface ThreadSource {
  readonly number: number;
  readonly name: string;
  readonly info: ConnectionInfo;
  readonly replicas?: readonly ConnectionInfo[] | undefined;
}

/** Both threads have one vocabulary, whose methods do not cross. */
export type SentSession = Omit<Session, 'vocabulary'>;

export function sentSession({ vocabulary: _, ...session }: Session): SentSession {
  return session;
}

/** Numbers match answers to messages. */
export type MessageToThread =
  | {
      readonly kind: 'request';
      readonly number: number;
      readonly path: MetadataEndpointPath;
      readonly body: string;
      readonly session: SentSession;
      /** Without functions, which do not cross threads. */
      readonly client: Client;
    }
  | { readonly kind: 'health' | 'stop'; readonly number: number }
  /** Takes over the files of the project. Answered with a `ProjectReport` as JSON. */
  | { readonly kind: 'project'; readonly number: number; readonly changed: readonly string[] }
  /** A source's cluster may distribute tables otherwise than is served. Answered when what follows is served. */
  | { readonly kind: 'cluster'; readonly number: number; readonly source: string }
  /** Answered with SQL. */
  | { readonly kind: 'dump'; readonly number: number; readonly body: string; readonly session: SentSession }
  /** Answered with a JSON array of paths. */
  | { readonly kind: 'locate'; readonly number: number; readonly reason: Reason }
  /** Answered with JSON. */
  | { readonly kind: 'console'; readonly number: number; readonly question: ConsoleQuestion }
  | { readonly kind: 'answer'; readonly number: number; readonly error?: SentError };

export type MessageFromThread =
  | { readonly kind: 'answer'; readonly number: number; readonly value?: string; readonly error?: SentError }
  /**
   * Files that differ from those sent so far, in pieces that are small enough to be received between two requests; each
   * is answered before the next one is sent.
   */
  | {
      readonly kind: 'files';
      readonly number: number;
      readonly changed: ReadonlyMap<string, TranspiledFile>;
    }
  /** Makes a program of the files that were sent, without those to be removed, and of the databases. */
  | {
      readonly kind: 'load';
      readonly number: number;
      readonly changed: ReadonlyMap<string, TranspiledFile>;
      readonly removed: readonly string[];
      readonly sources: readonly ThreadSource[];
    }
  /** Serves what was loaded under the number. */
  | { readonly kind: 'activate'; readonly number: number }
  | { readonly kind: 'observe'; readonly observation: Observation }
  /** The `health_check` of sources, after every change of the metadata. */
  | { readonly kind: 'health-checks'; readonly checks: CheckedSources }
  /** The metadata's `opentelemetry`, after every change of the metadata. */
  | { readonly kind: 'telemetry'; readonly settings: object | undefined }
  /** The metadata database cannot be used yet. */
  | { readonly kind: 'waiting'; readonly reason: string };

/** Number of the answer that says that the first program is served. */
export const STARTED = 0;

/** An error in a form that can be sent; classes get lost on the way. */
export interface SentError {
  readonly message: string;
  readonly stack?: string;
  /** Parts of an EngineError. */
  readonly engine?: Pick<EngineError, 'code' | 'path' | 'status' | 'reason'> & {
    /** JSON text: numbers with all their digits are objects of a class. */
    readonly internal: string | undefined;
  };
}

export function sentError(error: unknown): SentError {
  if (error instanceof EngineError) {
    const { code, path, status, internal, reason, message } = error;
    const text = internal === undefined ? undefined : jsonText(internal);
    return { message, engine: { code, path, status, internal: text, reason } };
  }
  return error instanceof Error
    ? { message: error.message, ...(error.stack !== undefined && { stack: error.stack }) }
    : { message: String(error) };
}

function receivedError({ message, stack, engine }: SentError): Error {
  if (engine) {
    const { internal: text, ...others } = engine;
    const internal = text === undefined ? undefined : parseExactJson(text);
    return new EngineError(engine.code, message, { ...others, internal });
  }
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}

/** Calls to the other thread that wait for their answers. */
export interface PendingCalls<Value> {
  /** Sends a message under a new number and waits for the answer. */
  call(send: (number: number) => void): Promise<Value>;
  answer(number: number, value: Value, error: SentError | undefined): void;
  /** Fails everything that waits, now and later. */
  fail(error: Error): void;
}

export function createPendingCalls<Value>(first: number): PendingCalls<Value> {
  const waiting = new Map<number, { resolve: (value: Value) => void; reject: (error: Error) => void }>();
  let next = first;
  let failure: Error | undefined;
  return {
    call: (send) =>
      new Promise((resolve, reject) => {
        if (failure) throw failure;
        waiting.set(next, { resolve, reject });
        send(next);
        next += 1;
      }),
    answer: (number, value, error) => {
      const call = waiting.get(number);
      waiting.delete(number);
      if (error) call?.reject(receivedError(error));
      else call?.resolve(value);
    },
    fail: (error) => {
      failure ??= error;
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    },
  };
}
