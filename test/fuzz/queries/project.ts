/** What a random project is made of: tables with their rows, relationships, computed fields, permissions. Plain data. */
import type { Condition } from './condition.ts';
import type { Direction } from './request.ts';
import { equalAcross, type TypeName, type Value } from './types.ts';

export type Row = Readonly<Record<string, Value>>;

export interface Column {
  readonly name: string;
  readonly type: TypeName;
  readonly nullable: boolean;
  /**
   * The catalog says NOT NULL although rows hold null: by a constraint that is not validated (PostgreSQL 18), or that is no
   * business of tables which inherit. Such a column is nullable.
   */
  readonly claimed?: 'not validated' | 'own rows';
}

export interface Table {
  readonly schema: string;
  readonly name: string;
  readonly kind: 'table' | 'view' | 'materialized view';
  /** The table whose rows include those of this one; its columns are the first of this one. */
  readonly inherits?: string;
  readonly columns: readonly Column[];
  /** Empty: none, as views have none. Rows of tables that inherit may repeat it. */
  readonly primaryKey: readonly string[];
  /** What looks like a further key, and is one or not. */
  readonly keys: readonly Key[];
  readonly foreignKeys: readonly ForeignKey[];
  readonly relationships: readonly Relationship[];
  readonly computedFields: readonly ComputedField[];
  readonly permissions: readonly Permission[];
  /**
   * Of a view: whose rows it shows, those in which a column is not null; and by an outer join columns of another table
   * under further names. It may have an order, by one of its columns.
   */
  readonly view?: {
    readonly table: string;
    readonly notNull?: string;
    readonly outer?: OuterJoin;
    readonly order?: { readonly column: string; readonly direction: Direction };
  };
  /** Of a table, without those of tables that inherit from it; a view's rows follow from its table. */
  readonly rows: readonly Row[];
}

interface OuterJoin {
  readonly table: string;
  /** Equal columns of both. */
  readonly on: readonly [own: string, other: string];
  /** Name in the view → column of the other table. */
  readonly shown: Readonly<Record<string, string>>;
}

/** How a key is declared; those of the last four kinds do not keep rows apart by their column. */
export const KEY_KINDS = [
  'constraint',
  'deferrable',
  'index',
  'partial index',
  'index with an expression',
  'index that includes',
  'invalid index',
] as const;

export interface Key {
  readonly column: string;
  readonly kind: (typeof KEY_KINDS)[number];
}

export interface ForeignKey {
  readonly columns: readonly string[];
  readonly target: string;
  /** No two rows refer to the same one. */
  readonly unique: boolean;
  /** Rows refer to rows that do not exist: the constraint was added later, is not enforced (PostgreSQL 18), or its triggers slept. */
  readonly broken?: 'not valid' | 'not enforced' | 'bypassed';
}

export interface Relationship {
  readonly name: string;
  readonly kind: 'object' | 'array';
  readonly target: string;
  /** Own column, the target's column. */
  readonly columns: readonly (readonly [own: string, other: string])[];
  readonly declared: 'own key' | 'other key' | 'manual';
}

export type ComputedField =
  /** Twice an int4 column. */
  | { readonly kind: 'double'; readonly name: string; readonly column: string }
  /** A text column in upper case. */
  | { readonly kind: 'upper'; readonly name: string; readonly column: string }
  /** An int4 column plus an argument, which is 1 unless given. */
  | { readonly kind: 'plus'; readonly name: string; readonly column: string }
  /** An int4 column plus the session variable x-engine-int4. */
  | { readonly kind: 'session'; readonly name: string; readonly column: string }
  /** Rows of a table whose column equals the row's own. */
  | {
      readonly kind: 'rows';
      readonly name: string;
      readonly column: string;
      readonly target: string;
      readonly targetColumn: string;
    };

export interface Permission {
  readonly role: string;
  readonly columns: readonly string[];
  readonly computedFields: readonly string[];
  readonly filter: Condition;
  readonly limit?: number;
  readonly aggregations: boolean;
}

export interface InheritedRole {
  readonly name: string;
  readonly parents: readonly string[];
}

export interface Project {
  readonly tables: readonly Table[];
  readonly inheritedRoles: readonly InheritedRole[];
}

/** The order that rows of a view have by themselves; those of a materialized view are in none. */
export function ownOrder({ kind, view, columns }: Table): NonNullable<Table['view']>['order'] {
  const order = kind === 'view' ? view!.order : undefined;
  return order && columns.some(({ name }) => name === order.column) ? order : undefined;
}

/** The rows that a query of a table finds. */
export function rowsOf(project: Project, table: Table): readonly Row[] {
  if (!table.view) {
    const further = project.tables.filter(({ inherits }) => inherits === table.name);
    return [...table.rows, ...further.flatMap((each) => rowsOf(project, each))];
  }
  const { notNull, outer, table: shown } = table.view;
  const base = tableNamed(project, shown);
  const rows = rowsOf(project, base).filter((row) => notNull === undefined || row[notNull] !== null);
  if (!outer) return rows;
  const other = tableNamed(project, outer.table);
  const [own, theirs] = outer.on;
  return rows.flatMap((row) => {
    const joined = rowsOf(project, other).filter((each) => areJoined(base, own, other, theirs, row, each));
    const all: readonly (Row | undefined)[] = joined.length > 0 ? joined : [undefined];
    return all.map((each) => ({
      ...row,
      ...Object.fromEntries(
        Object.entries(outer.shown).map(([name, column]) => [name, each ? each[column]! : null]),
      ),
    }));
  });
}

/** SQL's equality of two cells; null equals nothing. */
export function areJoined(
  table: Table,
  column: string,
  otherTable: Table,
  otherColumn: string,
  row: Row,
  other: Row,
): boolean {
  const [one, two] = [row[column]!, other[otherColumn]!];
  if (one === null || two === null) return false;
  return equalAcross(columnNamed(table, column).type, columnNamed(otherTable, otherColumn).type, one, two);
}

/** Whether two rows of a table are equal in columns, none of which is null. */
export function hasSameCells(table: Table, names: readonly string[], left: Row, right: Row): boolean {
  return names.every((name) => areJoined(table, name, table, name, left, right));
}

/** Whether no two rows have the same primary key, whatever is declared. */
export function hasTrueKey(project: Project, table: Table): boolean {
  const rows = rowsOf(project, table);
  return (
    table.primaryKey.length > 0 &&
    rows.every(
      (row, index) =>
        !rows.slice(0, index).some((other) => hasSameCells(table, table.primaryKey, row, other)),
    )
  );
}

/** Whether an object relationship leads no row to several rows, whatever is declared. */
export function isSingle(project: Project, table: Table, relationship: string): boolean {
  const { target, columns } = table.relationships.find(({ name }) => name === relationship)!;
  const other = tableNamed(project, target);
  return rowsOf(project, table).every(
    (row) =>
      rowsOf(project, other).filter((each) =>
        columns.every(([own, theirs]) => areJoined(table, own, other, theirs, row, each)),
      ).length < 2,
  );
}

export function tableNamed(project: Project, name: string): Table {
  const table = project.tables.find((each) => each.name === name);
  if (!table) throw new Error(`the project has no table ${name}`);
  return table;
}

export function columnNamed(table: Table, name: string): Column {
  const column = table.columns.find((each) => each.name === name);
  if (!column) throw new Error(`the table ${table.name} has no column ${name}`);
  return column;
}

/** Base of the table's GraphQL names. */
export function graphqlName(table: Table): string {
  return table.schema === 'public' ? table.name : `${table.schema}_${table.name}`;
}

/** The type of a scalar computed field. */
export function scalarType(field: Exclude<ComputedField, { kind: 'rows' }>): TypeName {
  return field.kind === 'upper' ? 'text' : 'int4';
}
