/** Types of a table's rows, and of conditions on them, read from the literals of its file. */
import type { ColumnName, Columns } from './checked-types.ts';

/** JSON values of Postgres types, by type key; numbers that JSON cannot hold exactly may come as strings. */
interface Values {
  readonly int2: number;
  readonly int4: number;
  readonly int8: number | string;
  readonly float4: number;
  readonly float8: number | string;
  readonly numeric: number | string;
  readonly bool: boolean;
  readonly text: string;
  readonly varchar: string;
  readonly bpchar: string;
  readonly name: string;
  readonly uuid: string;
  readonly date: string;
  readonly timestamp: string;
  readonly timestamptz: string;
  readonly time: string;
  readonly timetz: string;
}

type Value<Type extends string> = Type extends keyof Values
  ? Values[Type]
  : Type extends `${infer Element}[]`
    ? readonly (Value<Element> | null)[]
    : unknown;

/** A row of a table: its columns by database name, with their JSON values. */
export type Row<Table extends Columns> = {
  readonly [Name in ColumnName<Table>]: Table['columns'][Name] extends { readonly notNull: true }
    ? Value<Table['columns'][Name]['type']>
    : Value<Table['columns'][Name]['type']> | null;
};

interface Comparison<Of> {
  readonly _eq?: Of;
  readonly _neq?: Of;
  readonly _in?: readonly Of[];
  readonly _nin?: readonly Of[];
  readonly _gt?: Of;
  readonly _lt?: Of;
  readonly _gte?: Of;
  readonly _lte?: Of;
  readonly _is_null?: boolean;
}

/** A condition on the rows of a table, by database names: what `selectRows` takes besides the request's own condition. */
export type Where<Table extends Columns> = {
  readonly [Name in ColumnName<Table>]?: Comparison<Value<Table['columns'][Name]['type']>>;
} & {
  readonly _and?: readonly Where<Table>[];
  readonly _or?: readonly Where<Table>[];
  readonly _not?: Where<Table>;
};
