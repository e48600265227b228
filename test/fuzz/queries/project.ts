/** What a random project is made of: tables with their rows, relationships, computed fields, permissions. Plain data. */
import type { Condition } from './condition.ts';
import type { TypeName, Value } from './types.ts';

export type Row = Readonly<Record<string, Value>>;

export interface Column {
  readonly name: string;
  readonly type: TypeName;
  readonly nullable: boolean;
}

export interface Table {
  readonly schema: string;
  readonly name: string;
  readonly kind: 'table' | 'view';
  readonly columns: readonly Column[];
  /** Empty: none, as views have none. */
  readonly primaryKey: readonly string[];
  readonly foreignKeys: readonly ForeignKey[];
  readonly relationships: readonly Relationship[];
  readonly computedFields: readonly ComputedField[];
  readonly permissions: readonly Permission[];
  /** Of a view: whose rows it shows, those in which a column is not null. */
  readonly view?: { readonly table: string; readonly notNull?: string };
  /** Of a table; a view's rows follow from its table. */
  readonly rows: readonly Row[];
}

export interface ForeignKey {
  readonly columns: readonly string[];
  readonly target: string;
  /** No two rows refer to the same one. */
  readonly unique: boolean;
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
