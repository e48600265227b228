/**
 * The request as resolvers and the SQL writers see it: selections with fragments expanded and merged, arguments as
 * typed nodes whose values become parameters.
 */
import type { FieldNode } from 'graphql';
import type { Path } from '../errors.ts';
import type { FieldDefinition, InputType, ScalarType } from '../schema/types.ts';
import type { ParameterSource } from '../sql/fragment.ts';

/** One field of a selection set, after expansion of fragments and merging of equal response names. */
export interface SelectedField {
  /** Alias or name: the key in the answer. */
  readonly responseName: string;
  readonly definition: FieldDefinition;
  readonly arguments: RootArguments;
  readonly selection: Selection;
  /** Its path, for errors: `$.selectionSet.author.selectionSet.articles`. */
  readonly path: string;
  /** The document's own nodes; for introspection only, which expands them itself. */
  readonly nodes?: readonly FieldNode[];
}

/** Fields in document order. `typeName` answers `__typename`. */
export interface Selection {
  readonly typeName: string;
  /** Path of the field's arguments, for errors. */
  readonly argumentsPath: string;
  readonly fields: readonly SelectedField[];
  /** Interfaces and unions only: selections of some of the types, and everything in the order of the document. */
  readonly narrowed?: readonly Selection[];
  readonly items?: readonly (SelectedField | Selection)[];
}

/** The selection of a field whose type has no fields. */
export const LEAF: Selection = { typeName: '', argumentsPath: '$', fields: [] };

export function isLeaf(selection: Selection): boolean {
  return selection === LEAF;
}

/** The arguments of a field, by name. @template Names those that the field has */
export interface RootArguments<Names extends string = string>
  extends Omit<ReadonlyMap<string, InputNode>, 'get' | 'has'> {
  get(name: Names): InputNode | undefined;
  has(name: Names): boolean;
}

/** A value of the request, checked against its input type. Absent and omitted values have no node. */
export type InputNode = { readonly path: Path } & (
  | { readonly kind: 'null' }
  | { readonly kind: 'object'; readonly type: InputType; readonly fields: ReadonlyMap<string, InputNode> }
  | { readonly kind: 'list'; readonly items: readonly InputNode[] }
  /** `value` is the meaning of the GraphQL value: a column, an enum table's text, an order. */
  | { readonly kind: 'enum'; readonly name: string; readonly value: string }
  /** Only ever a parameter; `constant` when the document itself holds it. May be a whole list of scalars. */
  | { readonly kind: 'scalar'; readonly source: ParameterSource; readonly type: ScalarType }
  /** Booleans are known when planning: an operation has a plan for either value. */
  | {
      readonly kind: 'boolean';
      readonly value: boolean;
      readonly source: ParameterSource;
      readonly type: ScalarType;
    }
);
