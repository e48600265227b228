/** Questions of the console's pages for operators, and their answers. */

/** Answered from the metadata that is served and from databases. */
export type OperatorQuestion = { readonly kind: 'inconsistencies' };

/** Objects of the metadata that are not served. */
export interface InconsistenciesAnswer {
  readonly inconsistencies: readonly ConsoleInconsistency[];
}

export interface ConsoleInconsistency {
  readonly name: string;
  /** Kind of the object, `event_trigger`; absent for objects that conflict with each other. */
  readonly type?: string;
  readonly reason: string;
  /** Place in the document that export_metadata gives: `metadata.sources[0].tables[3]`. */
  readonly path: string;
  /** Place in a file, where the metadata was read from files: `tables.yaml:12`. */
  readonly place?: string;
  /** Consequence and advice, a sentence or two each. */
  readonly details: readonly string[];
  /** Path of the object without which this one cannot be served. */
  readonly because?: string;
  readonly definition: unknown;
  /** Where to read again what it depends on. Absent where only a change of the metadata helps. */
  readonly reload?: { readonly source: string } | { readonly remoteSchema: string };
}
