/** The steps of a mutation's root field: prepared when it is planned, run inside the transaction of its source. */
import type { Statement } from '../sql/fragment.ts';

/** A root field of a mutation. Opaque to generated code, which only passes it on. */
export type MutationStep =
  /** Nothing to do: the answer is known. */
  | { readonly kind: 'constant'; readonly text: string }
  /** Yields the JSON text of the field's answer; where `statements` are given, by them alone. */
  | {
      readonly kind: 'run';
      readonly run: (execution: MutationExecution) => Promise<string>;
      readonly statements?: WriteStatements;
    };

/** A write as data: its statement, and one that reads the answer where that needs more than the written rows. */
export interface WriteStatements {
  /**
   * Yields one row, the answer's JSON text or, where `read` follows, the values that it takes; or none, where a single row
   * was to be written and was not. Fails unless all rows pass the role's check.
   */
  readonly write: Statement;
  /** Where errors of the database belong. */
  readonly path: string;
  readonly read?: {
    readonly statement: Statement;
    /** Names of the values, in the order of the columns. */
    readonly results: readonly string[];
  };
}

/** Values of earlier statements of the same mutation, by name. */
export type Results = Readonly<Record<string, string | null>>;

export interface MutationExecution {
  /**
   * Runs a statement with the request's values and those of earlier statements; yields the texts of its only row, none
   * if there is no row.
   * @param path where errors of the database belong
   * @param isLast the step runs no statement after it
   */
  readonly read: (
    statement: Statement,
    path: string,
    results: Results,
    isLast?: boolean,
  ) => Promise<readonly (string | null)[]>;
  /** Runs a part of the mutation: when it fails, what it did is undone, and the mutation can go on. */
  readonly attempt: <Result>(part: () => Promise<Result>) => Promise<Result>;
}
