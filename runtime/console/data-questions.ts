/** What the console's data page asks: a table as a role reads and writes it through GraphQL. */

/** Answer of `POST /engine/console/table`. Names are those of the role's GraphQL schema. */
export interface TableApi {
  readonly kind: 'table' | 'view' | 'materialized view' | 'foreign table' | 'partitioned table';
  /** What the role reads: columns, and computed fields that are values. */
  readonly columns: readonly ApiColumn[];
  /** Fields that identify a row and that the role sees in every row; empty without such. */
  readonly key: readonly string[];
  readonly relationships: readonly ApiRelationship[];
  /** Rows; absent: no root field leads to them. */
  readonly select?: {
    readonly path: readonly string[];
    /** Maximum number of rows in one answer. */
    readonly limit?: number;
    readonly where: string;
    readonly orderBy: string;
  };
  /** Path to `aggregate`. */
  readonly aggregate?: readonly string[];
  readonly insert?: ApiWrite;
  readonly update?: ApiWrite;
  readonly delete?: Pick<ApiWrite, 'path'>;
  /** Input type of a condition → its operators. */
  readonly operators: Readonly<Record<string, readonly ApiOperator[]>>;
  /** What the naming convention makes of words that every schema has: `order_by` → `orderBy`. */
  readonly words: Readonly<Record<ApiWord, string>>;
}

export type ApiWord =
  | 'order_by'
  | 'affected_rows'
  | '_set'
  | '_is_null'
  | '_eq'
  | '_gt'
  | '_gte'
  | '_lt'
  | '_lte'
  | 'asc'
  | 'desc';

export interface ApiColumn {
  readonly field: string;
  /** As a document writes it, without nullability: `numeric`, `[String!]`. */
  readonly type: string;
  readonly nullable: boolean;
  /** Type of a condition on it; absent: it cannot be a condition or an order. */
  readonly condition?: string;
  /** The role sees the value in some rows only: the rule, in words. */
  readonly mask?: string;
  readonly isComputed?: true;
}

interface ApiOperator {
  readonly name: string;
  /** Of its operand. */
  readonly type: string;
}

export interface ApiRelationship {
  readonly field: string;
  readonly kind: 'object' | 'array';
  readonly source: string;
  /** Key of its target: `public.ticket`. */
  readonly table: string;
  /** Field here → field of the target; absent where the role does not see one of them. */
  readonly fields?: Readonly<Record<string, string>>;
}

export interface ApiWrite {
  readonly path: readonly string[];
  /** Type of the input of a row. */
  readonly type: string;
  readonly columns: readonly ApiInput[];
}

export interface ApiInput {
  readonly field: string;
  readonly type: string;
  /** Without a value the row is refused. */
  readonly isRequired: boolean;
  /** Of an enum table. */
  readonly values?: readonly string[];
}
