/** Random mutations as data. */
import type { Condition } from '../queries/condition.ts';
import type { SessionValues } from '../queries/lens.ts';
import type { Selection } from '../queries/request.ts';
import type { Value } from '../queries/types.ts';

export interface Mutation {
  readonly role: string;
  readonly session: SessionValues;
  /** Permissions for the backend only count. */
  readonly backend: boolean;
  readonly fields: readonly MutationField[];
}

export type MutationField = {
  readonly response: string;
  readonly table: string;
  /** Of the rows; undefined: only `affected_rows` is asked for. */
  readonly returning: Selection | undefined;
} & (
  | {
      readonly kind: 'insert' | 'insert one';
      /** Of `insert one` exactly one. */
      readonly objects: readonly InsertObject[];
      readonly conflict: Conflict | undefined;
    }
  | { readonly kind: 'update'; readonly where: Condition; readonly changes: readonly Change[] }
  | { readonly kind: 'update by key'; readonly key: Key; readonly changes: readonly Change[] }
  | {
      readonly kind: 'update many';
      readonly entries: readonly { readonly where: Condition; readonly changes: readonly Change[] }[];
    }
  | { readonly kind: 'delete'; readonly where: Condition }
  | { readonly kind: 'delete by key'; readonly key: Key }
  | {
      readonly kind: 'call';
      readonly function: string;
      readonly arguments: Readonly<Record<string, Value>>;
      readonly where: Condition;
      /** Of a function that answers with several rows. */
      readonly limit: number | undefined;
    }
);

export type Key = Readonly<Record<string, Value>>;

export interface InsertObject {
  readonly columns: Readonly<Record<string, Value>>;
  readonly nested: readonly Nested[];
}

export interface Nested {
  readonly relationship: string;
  readonly kind: 'object' | 'array';
  readonly target: string;
  /** Of an object relationship exactly one. */
  readonly objects: readonly InsertObject[];
  readonly conflict: Conflict | undefined;
}

export interface Conflict {
  readonly constraint: string;
  readonly columns: readonly string[];
  readonly where: Condition | undefined;
}

export const OPERATORS = [
  '_set',
  '_inc',
  '_append',
  '_prepend',
  '_delete_key',
  '_delete_elem',
  '_delete_at_path',
] as const;

export interface Change {
  readonly operator: (typeof OPERATORS)[number];
  readonly column: string;
  readonly value: Value;
}
