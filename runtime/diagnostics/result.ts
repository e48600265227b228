import type { Diagnostic } from './diagnostic.ts';

/** What every phase returns: a value that always exists, perhaps incomplete, and what was wrong with the input. */
export interface Result<Value> {
  readonly value: Value;
  readonly diagnostics: readonly Diagnostic[];
}
