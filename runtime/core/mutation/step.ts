/** The steps of a mutation's root field: statements, prepared when it is planned, run inside the transaction of its source. */

import type { InputValidation } from '../contract/shapes.ts';
import type { Path } from '../errors.ts';
import type { OperationSize } from '../request/size.ts';
import type { ParameterSource } from '../sql/fragment.ts';
import type { Statement } from '../sql/print.ts';

/** A root field of a mutation. Opaque to generated code, which only passes it on. */
export type MutationStep =
  /** Nothing to do: the answer is known. */
  { readonly kind: 'constant'; readonly text: string } | WriteStep;

/**
 * Statements that run one after the other, whatever they yield: what one needs of the others' rows it finds in the
 * transaction, where they kept it (see `keep`). So all of a mutation travels at once.
 */
export interface WriteStep {
  readonly kind: 'write';
  readonly statements: readonly WriteStatement[];
  /** The answer's JSON: texts as they are, and statements by position, whose first column it is; null if they have no row. */
  readonly answer: readonly (string | number)[];
  /**
   * To be run instead where other steps come before, and in a new transaction when one of the statements fails: it says
   * better what is wrong.
   */
  readonly instead?: () => WriteStep;
  /** It writes one row by its key or a new one, and what is nested in that. */
  readonly isOneObject?: true;
  /** Changes of related rows that its arguments ask for, which limits of roles count. */
  readonly size?: OperationSize;
  /** Webhooks to be asked before anything of the mutation is written. */
  readonly questions?: readonly InputQuestion[];
  /** It calls a function, which may do what a transaction does not undo: it is not tried, undone and run again. */
  readonly once?: true;
  /**
   * Commands that follow BEGIN. The transaction needs one, and a connection of its own: statements that are sent together
   * are no transaction to the database.
   */
  readonly begins?: readonly string[];
}

/** A statement that returns at most one row of texts. */
export interface WriteStatement {
  readonly statement: Statement;
  /** Where errors of the database belong. */
  readonly path: Path;
  /** It fails where it writes no row (see `orFail`): what is to be said then. */
  readonly noRow?: { readonly message: string; readonly path: Path };
}

/** One question: all must be agreed to before anything of the mutation is written. */
export interface InputQuestion {
  readonly hook: InputValidation;
  /** `source.schema.table.operation.role`, for logs. */
  readonly rule: string;
  /** Makes a list. */
  readonly input: ParameterSource;
}
