/** The catalog as the statement of `statement.ts` sends it, before `normalise.ts` fills in names. */

/** Shape of the JSON value, section by section. Lists come in no order; null is "none". */
export interface RawCatalog extends Partial<ObjectTexts> {
  readonly serverVersion: number;
  readonly version: string;
  readonly extensions: readonly {
    readonly name: string;
    readonly schema: string;
    readonly version: string;
  }[];
  readonly types: readonly RawType[];
  readonly relations: readonly RawRelation[];
  readonly columns: readonly RawColumn[];
  readonly constraints: readonly RawConstraint[];
  readonly indexes: readonly RawIndex[];
  readonly reads: readonly RawRead[];
  readonly uses: readonly RawUse[];
  readonly wholes: readonly RawWholeRows[];
  readonly routines: readonly RawRoutine[];
  readonly operators: readonly { readonly name: string | null; readonly function: number }[];
  readonly inheritance: readonly { readonly relation: number; readonly parent: number }[];
  readonly calls: readonly RawCall[];
  readonly triggers: readonly RawTrigger[];
  readonly functions: readonly RawFunction[];
}

/** What the database does by itself; commands read it. */
export interface ObjectTexts {
  readonly facts: readonly RawFact[];
  readonly texts: readonly RawText[];
  readonly ties: readonly RawTie[];
  readonly named: readonly RawNamed[];
}

export interface RawType {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  /** pg_type.typtype: base, composite, domain, enum, multirange, pseudo, range. */
  readonly kind: 'b' | 'c' | 'd' | 'e' | 'm' | 'p' | 'r';
  readonly comment: string | null;
  /** Array types only: the type of the elements. */
  readonly element: number | null;
  /** An operator "=" outside pg_catalog takes it. */
  readonly own_equality: boolean;
  readonly base: number | null;
  readonly not_null: boolean;
  readonly has_default: boolean;
  readonly labels: readonly string[] | null;
  /** Composite types only: the relation, and whether that is a table or view rather than the type's own. */
  readonly relation: number | null;
  readonly row_type: boolean;
  readonly fields: readonly { readonly name: string; readonly type: number }[] | null;
}

export interface RawRelation {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly kind: 'r' | 'p' | 'v' | 'm' | 'f';
  readonly comment: string | null;
  readonly parent: number | null;
  /** A child of an older kind of inheritance. */
  readonly inherits: boolean;
  /** Other tables inherit from it; partitions are not counted. */
  readonly has_children: boolean;
  /** Bits of 1 << command: 4 update, 8 insert, 16 delete. */
  readonly events: number;
  /** Views only: the parsed query, as Postgres keeps it. */
  readonly query: string | null;
  /** Views only: hash of the query and options. */
  readonly definition: string | null;
  readonly has_side_effects: boolean;
}

export interface RawColumn {
  readonly relation: number;
  readonly position: number;
  readonly name: string;
  readonly type: number;
  readonly not_null: boolean;
  /** Logical models only: the metadata says that it is never null. */
  readonly is_promised?: true;
  /** A child or foreign partition does not enforce the NOT NULL. */
  readonly null_below: boolean;
  readonly has_default: boolean;
  readonly identity: '' | 'a' | 'd';
  readonly generated: '' | 's' | 'v';
  readonly comment: string | null;
  readonly nondeterministic: boolean;
  /** Views only. */
  readonly updatable: boolean | null;
}

export interface RawConstraint {
  readonly oid: number;
  readonly relation: number;
  readonly name: string;
  readonly kind: 'p' | 'u' | 'f' | 'c';
  readonly columns: readonly number[] | null;
  readonly referenced: number | null;
  readonly referenced_columns: readonly number[] | null;
  /** pg_constraint.confdeltype and confupdtype: no action, restrict, cascade, set null, set default; blank if no foreign key. */
  readonly on_delete: 'a' | 'r' | 'c' | 'n' | 'd' | ' ';
  readonly on_update: 'a' | 'r' | 'c' | 'n' | 'd' | ' ';
  readonly is_deferrable: boolean;
  /** Keys: the index that enforces them. */
  readonly index: number | null;
  readonly is_unvalidated: boolean;
  /** A trigger that enforces it is disabled. */
  readonly is_disabled: boolean;
  readonly definition: string | null;
}

export interface RawIndex {
  readonly oid: number;
  readonly relation: number;
  readonly name: string;
  readonly method: string;
  /** Attribute numbers separated by blanks, 0 for an expression; the first `key_length` are the key. */
  readonly columns: string;
  readonly key_length: number;
  readonly is_unique: boolean;
  readonly is_partial: boolean;
  /** Enforced at once and owned by no constraint. */
  readonly is_free: boolean;
  readonly is_valid: boolean;
  /** Unique, and equal is what `=` of PostgreSQL finds equal. */
  readonly is_exact: boolean;
  /** Unique, and of expressions or of some rows only: what names it in `on conflict`. */
  readonly inference: string | null;
}

/** What has an expression: a view, a column (its default or what generates it), or a function. What it is not is 0. */
export interface RawReader {
  readonly relation: number;
  readonly position: number;
  readonly function: number;
}

/** A column that the expression mentions. */
export interface RawRead extends RawReader {
  readonly source: number;
  readonly source_position: number;
}

/** A function that the expression calls. */
interface RawUse extends RawReader {
  readonly called: number;
}

/** Types of the whole rows in the expression. */
interface RawWholeRows extends RawReader {
  readonly types: readonly number[];
  /** All that it mentions. */
  readonly relations: readonly number[];
  /** It calls or reads what shows data of any table. */
  readonly is_opaque: boolean;
}

/** A function of any kind, procedures and aggregates as well. */
export interface RawRoutine {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly language: string;
  readonly extension: string | null;
  readonly is_aggregate: boolean;
  readonly is_immutable: boolean;
  /** In SQL and kept as text. */
  readonly body: string | null;
  readonly argument_types: string;
  readonly argument_names: readonly string[] | null;
  readonly returns: number;
  readonly definition: string | null;
}

/** A function of the database that a view's query calls, with a hash of its definition. */
export interface RawCall {
  readonly relation: number;
  readonly schema: string;
  readonly name: string;
  readonly definition: string;
}

/** A trigger, or a rule that is not a view's query, with a hash of it and of the function that it calls. */
export interface RawTrigger {
  readonly relation: number;
  readonly name: string;
  readonly definition: string;
}

export interface RawFunction {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly volatility: 'i' | 's' | 'v';
  readonly is_strict: boolean;
  readonly language: string;
  readonly comment: string | null;
  /** OIDs of the input arguments' types separated by blanks. */
  readonly argument_types: string;
  /** Names and modes of all arguments, those of the result included; modes are null if all are IN. */
  readonly argument_names: readonly string[] | null;
  readonly argument_modes: readonly string[] | null;
  readonly defaults: number;
  readonly is_variadic: boolean;
  readonly returns: number;
  readonly returns_set: boolean;
  readonly is_definer: boolean;
  readonly definition: string;
  /** Native mutations only: what their statements do to tables, by key of the table. */
  readonly writes?: Readonly<Record<string, readonly string[]>>;
}

/** Something that decides what reading, writing or calling an object means. */
interface RawFact {
  /** 0: the database as a whole. */
  readonly oid: number;
  readonly name: string;
  readonly value: string | null;
}

/** A function with the text that makes it. */
export interface RawText {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly arguments: string;
  readonly definition: string | null;
}

/** An object that is identified by kind, schema and name. */
interface RawNamed {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly kind: string;
}

/** An object that another leads to. */
interface RawTie {
  readonly oid: number;
  readonly used: number;
  readonly is_written: boolean;
}
