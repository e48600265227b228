/** The steps of a mutation's root field: prepared when it is planned, run inside the transaction of its source. */
import type { Statement } from '../sql/fragment.ts';

/** A root field of a mutation. Opaque to generated code, which only passes it on. */
export type MutationStep =
  /** Nothing to do: the answer is known. */
  | { readonly kind: 'constant'; readonly text: string }
  /** Yields the JSON text of the field's answer. */
  | { readonly kind: 'run'; readonly run: (execution: MutationExecution) => Promise<string> };

/** Values of earlier statements of the same mutation, by name. */
export type Results = Readonly<Record<string, string | null>>;

export interface MutationExecution {
  /**
   * Runs a statement with the request's values and those of earlier statements; yields the texts of its only row.
   * @param path where errors of the database belong
   */
  readonly read: (
    statement: Statement,
    path: string,
    results: Results,
  ) => Promise<readonly (string | null)[]>;
  /** Runs a part of the mutation: when it fails, what it did is undone, and the mutation can go on. */
  readonly attempt: <Result>(part: () => Promise<Result>) => Promise<Result>;
}
