/** Facts about the tables of conditions, beyond their texts. Names are quoted, as in rules. */

import { provenKeys, type TableShape } from '../contract/shapes.ts';
import { remember } from '../remember.ts';
import { identifier } from '../sql/fragment.ts';
import type { Token } from './tokens.ts';

export interface Knowledge {
  /** The table of `{row}`: `"public" . "article"`. */
  readonly row?: string;
  /**
   * True if a query of that table finds `{row}`; false: it may find another version of it. A view may compute its rows anew; a
   * written row is not visible yet, and what it was before still is.
   */
  readonly rowIsStored?: boolean;
  /**
   * Foreign keys of tables that hold for every row that a query finds: in a snapshot, once the statement that wrote the row has
   * ended. For comparisons only.
   */
  readonly references?: readonly Reference[];
  /** undefined: nothing is known, not even that its columns are scalars. */
  readonly table: (name: string) => TableFacts | undefined;
}

/** A row of which no column is null has a row of the target that is equal in these columns. */
export interface Reference {
  /** As in {@link Knowledge.row}. */
  readonly from: string;
  readonly to: string;
  readonly columns: readonly (readonly [own: Token, other: Token])[];
}

export interface TableFacts {
  readonly column: (name: Token) => ColumnFacts | undefined;
  /** Columns whose values no two rows share. */
  readonly keys: readonly (readonly Token[])[];
}

export interface ColumnFacts {
  /** Type key: `int4`, `public.mood`. Undefined where a collation finds different texts equal: that joins no two equalities. */
  readonly type: string | undefined;
  readonly notNull: boolean;
  /** `is not null` is the opposite of `is null`: no composite type, no domain (which may be over one). */
  readonly scalar: boolean;
  /** The only values, as the literals that rules write; absent: not known. Values of different texts differ. */
  readonly values?: readonly string[];
}

/**
 * Facts that shapes hold about the tables of one source: columns, their types, NOT NULL, keys and enum types. The result
 * makes the knowledge for rules of one of the tables; with `rowIsNew` for checks, whose row was just written.
 */
export function createKnowledge(
  tables: readonly TableShape[],
): (row: TableShape, rowIsNew: boolean) => Knowledge {
  const shapes = new Map(tables.map((shape) => [tableToken(shape), shape]));
  const known = new Map<string, TableFacts>();
  const table = (name: string) => {
    const shape = shapes.get(name);
    return shape && remember(known, name, () => factsOf(shape));
  };
  return (row, rowIsNew) => ({ row: tableToken(row), rowIsStored: !rowIsNew && isStored(row), table });
}

/** True if a statement that reads the table twice finds the same rows. */
export function isStored({ kind }: Pick<TableShape, 'kind'>): boolean {
  return kind === 'table' || kind === 'partitioned' || kind === 'materialized';
}

/** The table as tokens of rules write it. */
export function tableToken({ schema, name }: Pick<TableShape, 'schema' | 'name'>): string {
  return `${quoted(schema)} . ${quoted(name)}`;
}

/** A name in the quotes that rules write. */
export function quoted(name: string): Token {
  const [node] = identifier(name).nodes;
  return node?.kind === 'text' ? node.text.replaceAll('{', '{{').replaceAll('}', '}}') : name;
}

function factsOf(shape: TableShape): TableFacts {
  const { columns, source } = shape;
  const byName = new Map(
    Object.entries(columns).map(([name, { type, notNull, nondeterministic }]): [Token, ColumnFacts] => {
      const own = source.types[type];
      const values = own?.kind === 'enum' ? own.values.map(literalOf) : undefined;
      return [
        quoted(name),
        {
          type: nondeterministic ? undefined : type,
          notNull: notNull === true,
          scalar: own === undefined || !['composite', 'row', 'domain'].includes(own.kind),
          ...(values && { values }),
        },
      ];
    }),
  );
  return { column: (name) => byName.get(name), keys: provenKeys(shape).map((key) => key.map(quoted)) };
}

function literalOf(value: string): string {
  return `'${value.replaceAll("'", "''").replaceAll('{', '{{').replaceAll('}', '}}')}'`;
}
