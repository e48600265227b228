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
  | ({ readonly kind: 'update' } & UpdateEntry)
  | ({ readonly kind: 'update by key'; readonly key: Key } & Changes)
  | { readonly kind: 'update many'; readonly entries: readonly UpdateEntry[] }
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

/** What an update does, to its rows and to those related to them. */
export interface Changes {
  readonly changes: readonly Change[];
  readonly related: readonly Related[];
}

export interface UpdateEntry extends Changes {
  readonly where: Condition;
}

/** Changes of the rows along a relationship. */
export interface Related {
  readonly relationship: string;
  readonly kind: 'object' | 'array';
  readonly target: string;
  /** The condition of a deletion. */
  readonly delete: Condition | undefined;
  /** Along an object relationship one at most. */
  readonly updates: readonly UpdateEntry[];
  readonly insert:
    | { readonly objects: readonly InsertObject[]; readonly conflict: Conflict | undefined }
    | undefined;
}

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
