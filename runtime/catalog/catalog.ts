/**
 * The catalog of one database: what phase 2 reads from Postgres and phases 3–5 work with. Plain data, printable as
 * JSON, independent of a connection. Lists are sorted (tables, functions and types by schema and name; columns by
 * attribute number) so that the same database gives the same bytes.
 */

import type { Below, ForeignKeyAction } from '../core/contract/shapes.ts';
import type { Distribution } from '../core/shards/shapes.ts';

/** Catalogs of a compile, keyed by the name of the source; the saved form (`engine introspect`) has `version`. */
export interface CatalogFile {
  readonly version: 3;
  readonly sources: Readonly<Record<string, SourceCatalog>>;
}

/** Why a native query or a logical model is not served. */
export interface Refusal {
  readonly reason: string;
  /** The SQL of the query is the reason. */
  readonly inCode?: true;
}

export interface Catalog {
  /** Version number as the server reports it, e.g. 150018. */
  readonly serverVersion: number;
  readonly extensions: readonly {
    readonly name: string;
    readonly schema: string;
    readonly version: string;
  }[];
  readonly types: readonly CatalogType[];
  readonly tables: readonly CatalogTable[];
  readonly functions: readonly CatalogFunction[];
  /** Native queries and logical models that PostgreSQL refuses: key → why. Absent without any. */
  readonly refused?: Readonly<Record<string, Refusal>>;
  /** What the database does by itself; absent in catalogs that were saved before this was read. */
  readonly objects?: DatabaseObjects;
  /** Of a file that version 2 saved: it does not tell what is below views, columns and functions. */
  readonly withoutBelow?: true;
  /** Another database that speaks the protocol of PostgreSQL; absent: PostgreSQL. */
  readonly product?: string;
  /** How tables are spread over a Citus cluster; absent without the extension, and where no table is spread. Views are not in it. */
  readonly distribution?: Distribution;
}

/** By key: relations and domains `schema.name`, functions `schema.name()`, overloads together. */
export type DatabaseObjects = Readonly<Record<string, DatabaseObject>>;

/**
 * Facts by kind and name (`check ticket_status_check`): a hash of what PostgreSQL prints, or a few words. `uses`: objects that
 * reading or calling it leads to; `writes`: those that only writing it leads to.
 */
export interface DatabaseObject {
  readonly facts: Readonly<Record<string, string>>;
  readonly uses?: readonly string[];
  readonly writes?: readonly string[];
}

/**
 * Identifies a type: schema and name as in pg_type, `name` of the element type when `array` is true
 * (`{schema: 'pg_catalog', name: 'text', array: true}` is `text[]`).
 */
export interface CatalogTypeReference {
  readonly schema: string;
  readonly name: string;
  readonly array?: true;
}

/** Only types outside pg_catalog that a table column or a function uses, directly or through another type. */
export type CatalogType = {
  readonly schema: string;
  readonly name: string;
  readonly oid: number;
  readonly comment?: string;
  /** An operator "=" outside pg_catalog takes its values: which values are equal is not PostgreSQL's to say. */
  readonly ownEquality?: true;
} & (
  | { readonly kind: 'base' | 'range' | 'multirange' | 'pseudo' }
  | { readonly kind: 'domain'; readonly base: CatalogTypeReference; readonly notNull?: true }
  | { readonly kind: 'enum'; readonly values: readonly string[] }
  | {
      readonly kind: 'composite';
      readonly fields: readonly { readonly name: string; readonly type: CatalogTypeReference }[];
      /** Set when this is the row type of a table or view. */
      readonly relation?: true;
    }
);

export type RelationKind = 'table' | 'partitioned' | 'view' | 'materialized' | 'foreign';

export interface CatalogTable {
  readonly schema: string;
  readonly name: string;
  readonly oid: number;
  readonly kind: RelationKind;
  readonly comment?: string;
  /** Set on a partition: the partitioned table it belongs to. */
  readonly partitionOf?: RelationReference;
  /** Set on a child of an older kind of inheritance: statements on its parents change its rows, too. */
  readonly inherits?: true;
  /** Other tables inherit from it, partitions apart: its rows are theirs, too, for which its keys do not hold. */
  readonly hasChildren?: true;
  /** Tables that show its rows, too: those that it inherits from or is a part of, at every level. */
  readonly ancestors?: readonly RelationReference[];
  readonly columns: readonly CatalogColumn[];
  readonly primaryKey?: CatalogKey;
  /** UNIQUE constraints, by name (deferrable ones too); the primary key is not repeated here. */
  readonly uniqueConstraints: readonly CatalogKey[];
  /** Unique, non-partial, non-expression indexes that no constraint owns; `oid` is the index's. */
  readonly uniqueIndexes: readonly CatalogKey[];
  /** Every valid index: for advice on rules. `columns` holds null where the key is an expression. */
  readonly indexes: readonly {
    readonly name: string;
    readonly method: string;
    readonly columns: readonly (string | null)[];
    readonly unique?: true;
    readonly partial?: true;
    /** Unique, and of expressions or of some rows only: its elements and condition as `on conflict` names them. */
    readonly inference?: string;
  }[];
  /** By name; NOT VALID ones too, temporal ones (PERIOD) not: they do not say that columns are equal. */
  readonly foreignKeys: readonly CatalogForeignKey[];
  /**
   * Views only: the columns that the query mentions, shown or not, through views on views down to relations with rows of
   * their own. What functions read that it calls is not known.
   */
  readonly reads?: readonly (RelationReference & { readonly columns: readonly string[] })[];
  /** Views only: what the query looks at through everything that it is made of. */
  readonly below?: Below;
  /** Views only, but for materialized ones: the query has an ORDER BY, or all that it reads is a view or subquery that has one. */
  readonly ordered?: true;
  /** Views only: hash of the query and options, and of those of views below it. Postgres versions print queries differently. */
  readonly definition?: string;
  /** Views only: functions of the database that the query calls, or that of a view below it: key → hash of the definition. */
  readonly calls?: Readonly<Record<string, string>>;
  /** Triggers and rules: name → hash, of the function's definition, too. Those that Engine installs are left out. */
  readonly triggers?: Readonly<Record<string, string>>;
  /** CHECK constraints: name and definition text. */
  readonly checks: readonly { readonly name: string; readonly definition: string }[];
  /**
   * An INSERT may see or change other rows than its own: by triggers, rules or policies, by defaults and checks, those
   * of domains too, that call functions of the database, by a sequence that other tables share, or because its rows are rows
   * of another table, too.
   */
  readonly sideEffects?: true;
  /**
   * Whether rows may be inserted, updated and deleted. Always true for tables; for views by auto-updatability, rules and INSTEAD OF triggers; for
   * foreign tables, what their wrapper says.
   */
  readonly insertable: boolean;
  readonly updatable: boolean;
  readonly deletable: boolean;
}

export interface RelationReference {
  readonly schema: string;
  readonly name: string;
}

/** What it proves is decided in proven.ts. */
export interface CatalogKey {
  readonly name: string;
  readonly columns: readonly string[];
  readonly oid: number;
  /** It may be broken until a transaction ends. */
  readonly deferrable?: true;
  /** Its index is not valid: one that was made partition by partition, or concurrently, and is not done. */
  readonly invalid?: true;
  /**
   * By its operator classes or collations other values are equal than by `=` of PostgreSQL, or it is not a B-tree
   * (`without overlaps`, version 18).
   */
  readonly otherEquality?: true;
  /** `without overlaps` (version 18): an exclusion constraint underneath. */
  readonly temporal?: true;
}

export interface CatalogForeignKey {
  readonly name: string;
  readonly oid: number;
  /** Columns of this table and, at the same position, of the referenced one. */
  readonly columns: readonly string[];
  readonly references: RelationReference & { readonly columns: readonly string[] };
  /** Effect on the row when the one that it refers to is deleted, or its key changed; absent: that is refused. */
  readonly onDelete?: ForeignKeyAction;
  readonly onUpdate?: ForeignKeyAction;
  readonly deferrable?: true;
  /** NOT VALID or NOT ENFORCED: rows may break it. */
  readonly unvalidated?: true;
  /** A trigger that enforces it is disabled. */
  readonly disabled?: true;
}

export interface CatalogColumn {
  readonly name: string;
  /** pg_attribute.attnum; stable through renames. */
  readonly position: number;
  readonly type: CatalogTypeReference;
  /**
   * PostgreSQL enforces NOT NULL on the rows of the table itself. Not by a domain: a subquery without a row, or an outer join,
   * gives a null of its type.
   */
  readonly notNull?: true;
  /** Logical models only: the metadata says that it is never null, which nothing proves. */
  readonly promised?: true;
  /** Tables below it, which a scan reads too, may hold null all the same. */
  readonly nullBelow?: true;
  /** Has a DEFAULT (its own or its domain's), is an identity, generated or serial column. */
  readonly hasDefault?: true;
  readonly identity?: 'always' | 'by default';
  readonly generated?: 'stored' | 'virtual';
  /** Its collation is nondeterministic: ILIKE, and before version 18 LIKE, fail wherever a row is reached. */
  readonly nondeterministic?: true;
  readonly comment?: string;
  /**
   * For a column of a view: the table column that it shows unchanged (null where an outer join finds no row), where
   * Postgres knows; through views on views, down to a relation with rows of its own.
   */
  readonly origin?: RelationReference & { readonly column: string };
  /** What its default or the expression that generates it looks at; for views, that of the column shown. */
  readonly below?: Below;
  /**
   * For columns of views: may INSERT or UPDATE name it. Not an expression of an automatically updatable view; any column
   * where an INSTEAD OF trigger or unconditional INSTEAD rule handles INSERT or UPDATE. Absent for every other kind.
   */
  readonly updatable?: boolean;
}

export interface CatalogFunction {
  readonly schema: string;
  readonly name: string;
  readonly oid: number;
  readonly volatility: 'immutable' | 'stable' | 'volatile';
  readonly strict?: true;
  readonly comment?: string;
  /** Input arguments (IN, INOUT, VARIADIC), in order. */
  readonly arguments: readonly {
    readonly name: string | null;
    readonly type: CatalogTypeReference;
    readonly hasDefault?: true;
    readonly variadic?: true;
  }[];
  readonly returns: CatalogTypeReference;
  readonly returnsSet?: true;
  /** 'function' only: aggregates, window functions and procedures are not read. */
  readonly language: string;
  /** Hash of all that CREATE FUNCTION says, the body included. Not of functions that it calls. */
  readonly definition?: string;
  /** It runs with the rights of its owner. */
  readonly definer?: true;
  /** What it looks at, and what the functions do that it calls. */
  readonly below?: Below;
  /** Native mutations only: what their statements do to tables, by key of the table. */
  readonly writes?: Readonly<Record<string, readonly string[]>>;
}

/** Rows of tables that metadata marks as enum tables, keyed `schema.name`, values sorted. */
export type EnumTableRows = Readonly<
  Record<string, readonly { readonly value: string; readonly comment: string | null }[]>
>;

/** A catalog with the enum rows that the metadata asked for. This is what a saved catalog holds for each source. */
export interface SourceCatalog extends Catalog {
  readonly enumTables: EnumTableRows;
}
