/** Random requests as data. */
import type { Json } from '../../../runtime/metadata/metadata.ts';
import type { AggregateCondition, Condition } from './condition.ts';
import type { SessionValues } from './lens.ts';

export interface Request {
  readonly role: string;
  /** For the relay API, whose root fields are connections and nodes. */
  readonly relay?: true;
  readonly session: SessionValues;
  readonly fields: readonly RootField[];
}

export type RootField = { readonly response: string; readonly table: string } & (
  | { readonly kind: 'select'; readonly arguments: Arguments; readonly selection: Selection }
  | { readonly kind: 'by key'; readonly key: Key; readonly selection: Selection }
  | { readonly kind: 'aggregate'; readonly arguments: Arguments; readonly aggregate: AggregateSelection }
  | { readonly kind: 'entities'; readonly keys: readonly Key[]; readonly selection: Selection }
  | { readonly kind: 'node'; readonly key: Key; readonly selection: Selection }
  | ({ readonly kind: 'connection' } & Connection)
  | { readonly kind: 'groups'; readonly groups: Groups }
);

export type Key = Readonly<Record<string, Json>>;

/** A page of a connection. */
export interface Connection {
  readonly arguments: Pick<Arguments, 'where' | 'orderBy' | 'distinctOn'>;
  /** From the end: `last` and `before` instead of `first` and `after`. */
  readonly backward: boolean;
  /** Rows of the page; absent: all, forwards. */
  readonly count?: number;
  /** Rows before the page. A cursor leads there, which an earlier request asks for. */
  readonly skip: number;
  readonly selection: Selection;
}

/** Groups of rows with aggregates. */
export interface Groups {
  readonly keys: readonly string[];
  readonly where?: Condition;
  readonly having?: readonly AggregateCondition[];
  readonly orderBy?: readonly GroupOrder[];
  readonly limit?: number;
  readonly offset?: number;
  readonly fields: readonly GroupField[];
}

export interface GroupOrder {
  /** A key, or an aggregate of a column; of all rows for `count`. */
  readonly key:
    | { readonly kind: 'key'; readonly name: string }
    | { readonly kind: 'aggregate'; readonly function: string; readonly column?: string };
  readonly direction: Direction;
}

export type GroupField = { readonly response: string } & (
  | { readonly kind: 'typename' }
  | {
      readonly kind: 'key';
      readonly columns: readonly { readonly response: string; readonly name: string }[];
    }
  | { readonly kind: 'aggregate'; readonly values: readonly AggregateValue[] }
);

export interface Arguments {
  readonly where?: Condition;
  readonly orderBy?: readonly OrderKey[];
  readonly distinctOn?: readonly string[];
  readonly limit?: number;
  readonly offset?: number;
}

export interface OrderKey {
  /** Object relationships from the row to where the key is. */
  readonly through: readonly string[];
  readonly key:
    | { readonly kind: 'column' | 'computed'; readonly name: string }
    | {
        readonly kind: 'aggregate';
        /** An array relationship, or a table computed field. */
        readonly of: string;
        readonly function: string;
        /** Absent for `count`. */
        readonly column?: string;
      };
  readonly direction: Direction;
}

export const DIRECTIONS = [
  'asc',
  'asc_nulls_first',
  'asc_nulls_last',
  'desc',
  'desc_nulls_first',
  'desc_nulls_last',
] as const;
export type Direction = (typeof DIRECTIONS)[number];

export type Selection = readonly Field[];

export type Field = { readonly response: string } & (
  | { readonly kind: 'typename' }
  | {
      readonly kind: 'column';
      readonly name: string /** jsonb: the key whose value is wanted. */;
      readonly path?: string;
    }
  | { readonly kind: 'computed'; readonly name: string; readonly added?: number }
  | { readonly kind: 'object'; readonly name: string; readonly selection: Selection }
  | {
      readonly kind: 'array' | 'computed rows';
      readonly name: string;
      readonly arguments: Arguments;
      readonly selection: Selection;
    }
  | {
      readonly kind: 'array aggregate' | 'computed rows aggregate';
      readonly name: string;
      readonly arguments: Arguments;
      readonly aggregate: AggregateSelection;
    }
  | { readonly kind: 'array groups'; readonly name: string; readonly groups: Groups }
);

export type AggregateSelection = readonly AggregateField[];

type AggregateField = { readonly response: string } & (
  | { readonly kind: 'typename' }
  | { readonly kind: 'nodes'; readonly selection: Selection }
  | { readonly kind: 'aggregate'; readonly values: readonly AggregateValue[] }
);

export type AggregateValue = { readonly response: string } & (
  | { readonly kind: 'typename' }
  | { readonly kind: 'count'; readonly columns?: readonly string[]; readonly distinct?: boolean }
  | {
      readonly kind: 'function';
      readonly name: string;
      readonly columns: readonly { readonly response: string; readonly name: string }[];
    }
);
