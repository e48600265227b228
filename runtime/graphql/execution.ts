/** Plans, databases and callers (remote schemas, actions) that a request runs on. */

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
import type { Limits } from './limits.ts';
import { operandPath } from './operand-path.ts';
import { type WatchStatements, watchStatements } from './watch-statements.ts';
import type { TraceContext } from './writer.ts';

/** Everything that a request runs on, taken once at its start. */
export interface Execution {
  readonly planner: Planner;
  readonly sources: SourceConnections;
  /** Absent: none. */
  readonly limits?: Limits;
  /** Sees what runs. */
  readonly watch?: WatchStatements | undefined;
  /** Who makes the calls of steps, by name; absent: the program has none. */
  readonly callers?: Callers | undefined;
  /** Asks webhooks about the input of mutations; absent: a mutation that needs one is refused. */
  readonly inputValidator?: InputValidator | undefined;
  /** When the operation has to be done, by performance.now(); absent: no limit. */
  readonly deadline?: number;
  /** The HTTP request behind the operation, for callers; absent if no HTTP request caused it. */
  readonly client?: ClientRequest | undefined;
}

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
export type InputValidator = (asked: AskedInput, session: Session, execution: Execution) => Promise<void>;

/** JSON texts of a step's columns; null is the JSON null. */
export type StepRow = readonly (string | null)[];

/** The part of a request that its calls may use. */
export interface CallContext {
  /** Values of the operation's variables, defaults applied. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly session: Session;
  readonly execution: Execution;
}

/** The HTTP request that brought an operation. */
export interface ClientRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The operation's text and name as the client sent them; absent for saved operations. */
  readonly query?: string | undefined;
  readonly operationName?: string | undefined;
  /** The trace that the request belongs to. */
  readonly trace?: TraceContext | undefined;
  readonly requestId?: string;
  /** Refuses writes that a foreign site may have had the client send. @throws EngineError */
  readonly checkWrite?: () => void;
  /** Whether the client still waits for its answer. */
  readonly isWaiting?: () => boolean;
  /** Aborted when the client leaves before its answer. */
  readonly signal?: () => AbortSignal;
  /** Has the answer carry these `Set-Cookie` headers, after others. */
  readonly addCookies?: (cookies: readonly string[]) => void;
  /** Positions of earlier writes that its reads have to see; absent: none. */
  readonly positions?: Positions | undefined;
  /** Takes JSON texts of errors that leave the rest of the answer as it is; absent where an answer has no place for them. */
  readonly partialErrors?: string[] | undefined;
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
  readonly check?: (step: CallStep, context: CallContext) => void;
  /** Answers the root fields of a step. @throws EngineError */
  readonly run: (step: CallStep, context: CallContext) => Promise<StepRow>;
  /** Watches what a step answers, for subscriptions. Absent: nothing of it can be watched. @returns ends it */
  readonly watch?: (step: CallStep, context: CallContext, watcher: Watcher) => () => void;
  /** Answers joins: for each of them the result of each tuple. Absent: nothing joins to this caller. @throws EngineError */
  readonly join?: (call: JoinCall, context: CallContext) => Promise<readonly StepRow[]>;
}

/** Callers by name. */
export type Callers = Readonly<Record<string, Caller>>;

/** The caller of a name. @throws EngineError when the program has none */
export function callerOf(name: string, { callers }: Execution): Caller {
  const caller = callers && Object.hasOwn(callers, name) ? callers[name] : undefined;
  if (caller) return caller;
  throw new EngineError('unexpected', `nothing here can call ${JSON.stringify(name)}`);
}

/** The connection of a source. */
export function connectionOf(source: string, execution: Execution): SourceConnection {
  const connection = execution.sources.get(source);
  if (!connection)
    throw new EngineError('unexpected', `the source ${JSON.stringify(source)} has no connection`, {
      path: pathStep('$', 'sources'),
    });
  return execution.watch ? watchStatements(source, connection, execution.watch) : connection;
}

/** Runs one statement with its values on a source, unless the client has left or its session has ended. @throws EngineError */
export async function readSource(
  source: string,
  statement: Statement,
  values: readonly (string | null)[],
  session: Session,
  execution: Execution,
): Promise<readonly (string | null)[]> {
  const connection = connectionOf(source, execution);
  try {
    return await connection.readTexts(statement, values, whileWanted(session, execution.client));
  } catch (error) {
    if (isUnwanted(error, session)) throw sessionEnded();
    throw databaseError(
      error,
      { text: statement.text, values, parameters: statement.parameters },
      operandPath(error, statement),
    );
  }
}

/** Whether a read is still worth sending: its client waits, and may see the answer. */
function whileWanted(session: Session, client: ClientRequest | undefined): IsWanted | undefined {
  if (session.expiresAt === undefined) return client?.isWaiting;
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
