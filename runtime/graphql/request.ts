/** A request of GraphQL, what it runs on, and who makes the calls of its steps (remote schemas, actions). */

import type { InputValidation } from '../core/contract/shapes.ts';
import { EngineError, pathStep } from '../core/errors.ts';
import type { Planner } from '../core/request/planner.ts';
import type { CallStep } from '../core/request/steps.ts';
import { hasEnded, type Session, sessionEnded } from '../core/session.ts';
import type { Statement } from '../core/sql/print.ts';
import { databaseError } from '../database/errors.ts';
import { ClientGoneError } from '../database/failures.ts';
import type { SourceConnection, SourceConnections } from '../database/source.ts';
import type { IsWanted } from '../database/task.ts';
import type { ReadRow } from '../database/text-query.ts';
import type { Limits } from './limits.ts';
import { operandPath } from './operand-path.ts';
import { type WatchStatements, watchStatements } from './watch-statements.ts';
import type { TraceContext } from './writer.ts';

/** What requests run on, which each takes once at its start: a program, its databases and its callers. */
export interface Runnable {
  readonly planner: Planner;
  readonly sources: SourceConnections;
  /** Absent: none. */
  readonly limits?: Limits;
  /** Who makes the calls of steps, by name; absent: the program has none. */
  readonly callers?: Callers | undefined;
  /** Asks webhooks about the input of mutations; absent: a mutation that needs one is refused. */
  readonly inputValidator?: InputValidator | undefined;
}

/** How a request came; absent parts: nothing of the kind. */
interface Origin {
  readonly client?: Client | undefined;
  /** The operation's text and name as the client sent them; no text: it named a saved operation. */
  readonly call?: { readonly query?: string | undefined; readonly operationName?: string | undefined };
  readonly watch?: WatchStatements | undefined;
  readonly partialErrors?: string[];
}

/**
 * One operation: who sent it, what it runs on, and what is known of it. A batch has one for each member, a socket for each of its
 * operations, so that nothing of one reaches another that runs later. Its fields are fixed: all requests have one hidden class.
 */
export class Request<Base extends Runnable = Runnable> {
  readonly served: Base;
  readonly session: Session;
  readonly client: Client | undefined;
  readonly query: string | undefined;
  readonly operationName: string | undefined;
  /** Sees the statements that run. */
  readonly watch: WatchStatements | undefined;
  /** Takes JSON texts of errors that leave the rest of the answer unchanged; undefined: an answer has no place for them. */
  readonly partialErrors: string[] | undefined;
  /** Values of the operation's variables, defaults applied. */
  variables: VariableValues = {};
  /** The servers that its statements are sent to, within its limits. */
  sources: SourceConnections;
  /** When it has to be done, by performance.now(); undefined: no limit. */
  deadline: number | undefined = undefined;

  constructor(served: Base, session: Session, { client, call, watch, partialErrors }: Origin = {}) {
    this.served = served;
    this.session = session;
    this.client = client;
    this.query = call?.query;
    this.operationName = call?.operationName;
    this.watch = watch;
    this.partialErrors = partialErrors;
    this.sources = served.sources;
  }
}

export type VariableValues = Readonly<Record<string, unknown>>;

/** Input that a webhook has to agree to. */
export interface AskedInput {
  readonly hook: InputValidation;
  /** Name of the permission's rule. */
  readonly rule: string;
  /** A list; numbers as they were written. */
  readonly input: unknown;
  /** Path of the field, for errors. */
  readonly path: string;
}

/** @throws EngineError unless the webhook agrees */
export type InputValidator = (asked: AskedInput, request: Request) => Promise<void>;

/** JSON texts of a step's columns; null is the JSON null. */
export type StepRow = readonly (string | null)[];

/** Who sent a request: what the connection knows and can do. Plain data where the request came from another thread. */
export interface Client {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The trace that the request belongs to. */
  readonly trace?: TraceContext | undefined;
  readonly requestId?: string;
  /** Refuses writes that a foreign site may have had the client send. @throws EngineError */
  checkWrite?(): void;
  /** Whether the client still waits for its answer. */
  isWaiting?(): boolean;
  /** Calls `cancel` when the client leaves before its answer. @returns forgets it */
  whenGone?(cancel: () => void): () => void;
  /** Has the answer carry these `Set-Cookie` headers, after others. */
  addCookies?(cookies: readonly string[]): void;
  /** Its answer is kept for so many seconds; absent: the client is not told. */
  keptFor?(seconds: number): void;
  /** Positions of earlier writes that its reads have to see; absent: none. */
  readonly positions?: Positions | undefined;
}

/** Positions in the logs of sources that a client's reads have to see. */
export interface Positions {
  /** Undefined: any will do. */
  readonly of: (source: string) => bigint | undefined;
  /** Its write is before this position. */
  readonly written: (source: string, position: bigint) => void;
}

/** Lookups of joins in one call: for each join the resolution of its target, and its tuples as JSON texts. */
interface JoinCall {
  readonly group: string;
  readonly joins: readonly { readonly part: unknown; readonly tuples: readonly (readonly string[])[] }[];
}

/** Takes what becomes of something that is watched. */
export interface Watcher {
  /** The answer may be another one now. Called at least once. @param isFinal it will not change any more */
  readonly changed: (isFinal: boolean) => void;
  /** Watching failed; it goes on. */
  readonly failed: (error: EngineError) => void;
}

export interface Caller {
  /** Refuses what cannot be called, before anything of the operation runs. @throws EngineError */
  readonly check?: (step: CallStep, request: Request) => void;
  /** Answers the root fields of a step. @throws EngineError */
  readonly run: (step: CallStep, request: Request) => Promise<StepRow>;
  /** Watches what a step answers, for subscriptions. Absent: nothing of it can be watched. @returns ends it */
  readonly watch?: (step: CallStep, request: Request, watcher: Watcher) => () => void;
  /** Answers joins: for each of them the result of each tuple. Absent: nothing joins to this caller. @throws EngineError */
  readonly join?: (call: JoinCall, request: Request) => Promise<readonly StepRow[]>;
}

/** Callers by name. */
export type Callers = Readonly<Record<string, Caller>>;

/** The caller of a name. @throws EngineError when the program has none */
export function callerOf(name: string, { served: { callers } }: Request): Caller {
  const caller = callers && Object.hasOwn(callers, name) ? callers[name] : undefined;
  if (caller) return caller;
  throw new EngineError('unexpected', `nothing here can call ${JSON.stringify(name)}`);
}

/** The connection of a source. */
export function connectionOf(
  source: string,
  { sources, watch }: Pick<Runnable, 'sources'> & Partial<Pick<Request, 'watch'>>,
): SourceConnection {
  const connection = sources.get(source);
  if (!connection)
    throw new EngineError('unexpected', `the source ${JSON.stringify(source)} has no connection`, {
      path: pathStep('$', 'sources'),
    });
  return watch ? watchStatements(source, connection, watch) : connection;
}

/** Runs one statement with its values on a source, unless the client has left or its session has ended. @throws EngineError */
export async function readSource(
  source: string,
  statement: Statement,
  values: readonly (string | null)[],
  request: Request,
): Promise<ReadRow> {
  const connection = connectionOf(source, request);
  try {
    return await connection.readTexts(statement, values, whileWanted(request));
  } catch (error) {
    if (isUnwanted(error, request.session)) throw sessionEnded();
    throw databaseError(
      error,
      {
        text: statement.text,
        values,
        origins: { parameters: statement.parameters, vocabulary: request.session.vocabulary },
      },
      operandPath(error, statement),
    );
  }
}

/** Whether a read is still worth sending: its client waits, and may see the answer. */
function whileWanted({ session, client }: Request): IsWanted | undefined {
  if (session.expiresAt === undefined && !client?.isWaiting) return undefined;
  return () => !hasEnded(session) && client?.isWaiting?.() !== false;
}

/** Whether a write may begin. A client that leaves does not undo what it asked for; the end of its session does, until it is sent. */
export function whileCurrent(session: Session): IsWanted | undefined {
  return session.expiresAt === undefined ? undefined : () => !hasEnded(session);
}

/** Whether an operation did not run because its session had ended. */
export function isUnwanted(error: unknown, session: Session): boolean {
  return error instanceof ClientGoneError && hasEnded(session);
}
