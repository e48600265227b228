/** An operation of a pool: the statements that it sends, and what became of them so far. */
import type { PooledConnection, TextRequest } from './connection.ts';
import type { Known } from './history.ts';
import type { TextRow } from './text-query.ts';
import type { Writer } from './writer.ts';

/**
 * `shared`: a write of one object. `alone`: any other. `once`: one that may do what a transaction does not
 * undo, so it must not be undone and run again, whatever it waits for.
 */
export type WriteManner = 'shared' | 'alone' | 'once';

export interface Task {
  /** Isolation level and access mode of the transaction that it is, as SQL has them; undefined: it only reads. */
  readonly writes: string | undefined;
  readonly manner: WriteManner;
  readonly requests: readonly TextRequest[];
  readonly writer: Writer | undefined;
  readonly known: Known;
  readonly resolve: (rows: readonly TextRow[]) => void;
  readonly reject: (error: Error) => void;
  /** Counts sendings and the end: the answer to an earlier sending is ignored. */
  turn: number;
  retried: boolean;
  unnamed: boolean;
  /** It needs a BEGIN, because the session's transactions are others by default. */
  begins: boolean;
  /** `ending`: its wait for a lock is being ended. `ended`: it was, which undid it. */
  wait: 'ending' | 'ended' | undefined;
}

/** A task on a connection. It is stale when the task was sent again, or is done. */
export interface Sent {
  readonly task: Task;
  readonly turn: number;
}

export type TaskConnection = PooledConnection<Sent>;
