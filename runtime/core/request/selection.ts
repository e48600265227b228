/**
 * The request as resolvers and the SQL writers see it: selections with fragments expanded and merged, arguments as
 * typed nodes whose values become parameters.
 */
import type { ParameterSource } from '../sql/fragment.ts';
import type { FieldDefinition } from '../schema/types.ts';

/** One field of a selection set, after expansion of fragments and merging of equal response names. */
export interface SelectedField {
  /** Alias or name: the key in the answer. */
  readonly responseName: string;
  readonly definition: FieldDefinition;
  readonly arguments: RootArguments;
  readonly selection: Selection;
  /** Where it stands, for errors: `$.selectionSet.author.selectionSet.articles`. */
  readonly path: string;
}

/** Fields in document order. `typeName` answers `__typename`. */
export interface Selection {
  readonly typeName: string;
  readonly fields: readonly SelectedField[];
}

export type RootArguments = Readonly<Record<string, InputNode>>;

/** A value of the request, checked against its input type. Absent and omitted values have no node. */
export type InputNode = { readonly path: string } & (
  | { readonly kind: 'null' }
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, InputNode>> }
  | { readonly kind: 'list'; readonly items: readonly InputNode[] }
  | { readonly kind: 'enum'; readonly name: string }
  /** A value that only runs as a parameter; `constant` when the document holds it. */
  | { readonly kind: 'scalar'; readonly source: ParameterSource }
);
