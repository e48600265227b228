/** An operation of a pool: the statements that it sends, and what became of them so far. */
import type { PooledConnection, TextRequest } from './connection.ts';
import { ClientGoneError } from './failures.ts';
import type { Known } from './history.ts';
import type { ReadRow } from './text-query.ts';
import type { Writer } from './writer.ts';

/**
 * `shared`: a write of one object. `alone`: any other. `once`: one that may do what a transaction does not
 * undo, so it must not be undone and run again, whatever it waits for.
 */
export type WriteManner = 'shared' | 'alone' | 'once';

/** Asked before an operation is sent, and of a read while it holds a connection for long. */
export type IsWanted = () => boolean;

export interface Task {
  /** Isolation level and access mode of the transaction that it is, as SQL has them; undefined: it only reads. */
  readonly writes: string | undefined;
  readonly manner: WriteManner;
  readonly requests: readonly TextRequest[];
  readonly writer: Writer | undefined;
  readonly known: Known;
  readonly resolve: (rows: readonly ReadRow[]) => void;
  readonly reject: (error: Error) => void;
  /** Whether a client still waits for it, and may have it; absent: always. */
  readonly isWanted?: IsWanted | undefined;
  /** Counts sendings and the end: the answer to an earlier sending is ignored. */
  turn: number;
  retried: boolean;
  unnamed: boolean;
  /** Commands behind a BEGIN, which it gets wherever it runs then. */
  readonly commands: readonly string[] | undefined;
  /** It needs a BEGIN, because the session's transactions are others by default. */
  begins: boolean;
  /** `ending`: its wait for a lock is being ended. `ended`: it was, which undid it. */
  wait: 'ending' | 'ended' | undefined;
}

/** Ends an operation that is not wanted any more. Whether it did: what was sent of it is stale then. */
export function cancelUnwanted(task: Task): boolean {
  if (task.isWanted?.() !== false) return false;
  task.turn += 1;
  task.reject(new ClientGoneError());
  return true;
}

/** A task on a connection. It is stale when the task was sent again, or is done. */
export interface Sent {
  readonly task: Task;
  readonly turn: number;
}

export type TaskConnection = PooledConnection<Sent>;
