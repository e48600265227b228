import type { Diagnostic } from './diagnostic.ts';

/** The result of every phase: a value that always exists, perhaps incomplete, and the problems of the input. */
export interface Result<Value> {
  readonly value: Value;
  readonly diagnostics: readonly Diagnostic[];
}
