/**
 * The catalog of one database: what phase 2 reads from Postgres and phases 3–5 work with. Plain data, printable as
 * JSON, independent of a connection. Lists are sorted (tables, functions and types by schema and name; columns by
 * attribute number) so that the same database gives the same bytes. The types follow from the schema by which saved catalogs are
 * checked. It refuses unknown keys, because they would have no effect. Servers import only the types.
 */
import { z } from 'zod';
import type { Below } from '../core/contract/shapes.ts';
import type { SchemaIssue } from '../core/reasons.ts';
import type { Distribution } from '../core/shards/shapes.ts';

type DeepReadonly<Value> = Value extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
    : Value;

/** For facts that are either stated or absent. */
const stated = z.literal(true).exactOptional();
const text = z.string();
const count = z.int().nonnegative();
const comment = text.exactOptional();
const named = <Value extends z.ZodType>(value: Value) => z.record(text, value).exactOptional();

const relation = { schema: text, name: text };
const columnsOf = z.strictObject({ ...relation, columns: z.array(text) });

/**
 * Identifies a type: schema and name as in pg_type, `name` of the element type when `array` is true
 * (`{schema: 'pg_catalog', name: 'text', array: true}` is `text[]`).
 */
const typeReference = z.strictObject({ ...relation, array: stated });

/** `ownEquality`: an operator "=" outside pg_catalog takes its values: which values are equal is not PostgreSQL's to say. */
const typeHead = { ...relation, oid: count, comment, ownEquality: stated };
/** Only types outside pg_catalog that a table column or a function uses, directly or through another type. */
const type = z.discriminatedUnion('kind', [
  z.strictObject({ ...typeHead, kind: z.enum(['base', 'range', 'multirange', 'pseudo']) }),
  z.strictObject({ ...typeHead, kind: z.literal('domain'), base: typeReference, notNull: stated }),
  z.strictObject({ ...typeHead, kind: z.literal('enum'), values: z.array(text) }),
  z.strictObject({
    ...typeHead,
    kind: z.literal('composite'),
    fields: z.array(z.strictObject({ name: text, type: typeReference })),
    /** Set when this is the row type of a table or view. */
    relation: stated,
  }),
]);

const below: z.ZodType<Below> = z.strictObject({
  reads: named(z.array(text)),
  calls: named(text),
  unread: named(text),
  shows: text.exactOptional(),
});

const column = z.strictObject({
  name: text,
  /** pg_attribute.attnum; stable through renames. */
  position: count,
  type: typeReference,
  /**
   * PostgreSQL enforces NOT NULL on the rows of the table itself. Not by a domain: a subquery without a row, or an outer join,
   * gives a null of its type.
   */
  notNull: stated,
  /** Logical models only: the metadata says that it is never null, which nothing proves. */
  promised: stated,
  /** Tables below it, which a scan reads too, may hold null all the same. */
  nullBelow: stated,
  /** Has a DEFAULT (its own or its domain's), is an identity, generated or serial column. */
  hasDefault: stated,
  identity: z.enum(['always', 'by default']).exactOptional(),
  generated: z.enum(['stored', 'virtual']).exactOptional(),
  /** Its collation is nondeterministic: ILIKE, and before version 18 LIKE, fail wherever a row is reached. */
  nondeterministic: stated,
  comment,
  /**
   * For a column of a view: the table column that it shows unchanged (null where an outer join finds no row), where
   * Postgres knows; through views on views, down to a relation with its own rows.
   */
  origin: z.strictObject({ ...relation, column: text }).exactOptional(),
  /** What its default or the expression that generates it looks at; for views, that of the column shown. */
  below: below.exactOptional(),
  /**
   * For columns of views: may INSERT or UPDATE name it. Not an expression of an automatically updatable view; any column
   * where an INSTEAD OF trigger or unconditional INSTEAD rule handles INSERT or UPDATE. Absent for every other kind.
   */
  updatable: z.boolean().exactOptional(),
});

/** proven.ts decides what a key proves. */
const key = z.strictObject({
  name: text,
  columns: z.array(text),
  oid: count,
  /** It may be broken until a transaction ends. */
  deferrable: stated,
  /** Its index is not valid: one that was made partition by partition, or concurrently, and is not done. */
  invalid: stated,
  /**
   * By its operator classes or collations other values are equal than by `=` of PostgreSQL, or it is not a B-tree
   * (`without overlaps`, version 18).
   */
  otherEquality: stated,
  /** `without overlaps` (version 18): an exclusion constraint underneath. */
  temporal: stated,
});

const foreignKeyAction = z.enum(['cascade', 'set null', 'set default']).exactOptional();

const foreignKey = z.strictObject({
  name: text,
  oid: count,
  /** Columns of this table and, at the same position, of the referenced one. */
  columns: z.array(text),
  references: columnsOf,
  /** Effect on the row when the one that it refers to is deleted, or its key changed; absent: that is refused. */
  onDelete: foreignKeyAction,
  onUpdate: foreignKeyAction,
  deferrable: stated,
  /** NOT VALID or NOT ENFORCED: rows may break it. */
  unvalidated: stated,
  /** A trigger that enforces it is disabled. */
  disabled: stated,
});

const table = z.strictObject({
  ...relation,
  oid: count,
  kind: z.enum(['table', 'partitioned', 'view', 'materialized', 'foreign']),
  comment,
  /** Set on a partition: the partitioned table it belongs to. */
  partitionOf: z.strictObject(relation).exactOptional(),
  /** Set on a child of an older kind of inheritance: statements on its parents change its rows, too. */
  inherits: stated,
  /** Other tables inherit from it, partitions apart: its rows are theirs, too, for which its keys do not hold. */
  hasChildren: stated,
  /** Tables that show its rows, too: those that it inherits from or is a part of, at every level. */
  ancestors: z.array(z.strictObject(relation)).exactOptional(),
  columns: z.array(column),
  primaryKey: key.exactOptional(),
  /** UNIQUE constraints, by name (deferrable ones too); the primary key is not repeated here. */
  uniqueConstraints: z.array(key),
  /** Unique, non-partial, non-expression indexes that no constraint owns; `oid` is the index's. */
  uniqueIndexes: z.array(key),
  /** Every valid index: for advice on rules. `columns` holds null where the key is an expression. */
  indexes: z.array(
    z.strictObject({
      name: text,
      method: text,
      columns: z.array(text.nullable()),
      unique: stated,
      partial: stated,
      /** Unique, and of expressions or of some rows only: its elements and condition as `on conflict` names them. */
      inference: text.exactOptional(),
    }),
  ),
  /** By name; NOT VALID ones too, temporal ones (PERIOD) not: they do not say that columns are equal. */
  foreignKeys: z.array(foreignKey),
  /**
   * Views only: the columns that the query mentions, shown or not, through views on views down to relations with rows of
   * their own. What functions read that it calls is not known.
   */
  reads: z.array(columnsOf).exactOptional(),
  /** Views only, but for materialized ones: the query has an ORDER BY, or all that it reads is a view or subquery that has one. */
  ordered: stated,
  /** Views only: hash of the query and options, and of those of views below it. Postgres versions print queries differently. */
  definition: text.exactOptional(),
  /** Views only: functions of the database that the query calls, or that of a view below it: key → hash of the definition. */
  calls: named(text),
  /** Views only: what the query looks at through everything that it is made of. */
  below: below.exactOptional(),
  /** Triggers and rules: name → hash, of the function's definition, too. Those that Engine installs are left out. */
  triggers: named(text),
  /** CHECK constraints: name and definition text. */
  checks: z.array(z.strictObject({ name: text, definition: text })),
  /**
   * An INSERT may see or change other rows than its own: by triggers, rules or policies, by defaults and checks, those
   * of domains too, that call functions of the database, by a sequence that other tables share, or because its rows are rows
   * of another table, too.
   */
  sideEffects: stated,
  /**
   * Whether rows may be inserted, updated and deleted. Always true for tables; for views by auto-updatability, rules and INSTEAD OF triggers; for
   * foreign tables, what their wrapper says.
   */
  insertable: z.boolean(),
  updatable: z.boolean(),
  deletable: z.boolean(),
});

/** A 'function' only: aggregates, window functions and procedures are not read. */
const databaseFunction = z.strictObject({
  ...relation,
  oid: count,
  volatility: z.enum(['immutable', 'stable', 'volatile']),
  strict: stated,
  comment,
  /** Input arguments (IN, INOUT, VARIADIC), in order. */
  arguments: z.array(
    z.strictObject({ name: text.nullable(), type: typeReference, hasDefault: stated, variadic: stated }),
  ),
  returns: typeReference,
  returnsSet: stated,
  language: text,
  /** Hash of all that CREATE FUNCTION says, the body included. Not of functions that it calls. */
  definition: text.exactOptional(),
  /** It runs with the rights of its owner. */
  definer: stated,
  /** What it looks at, and what the functions do that it calls. */
  below: below.exactOptional(),
  /** Native mutations only: what their statements do to tables, by key of the table. */
  writes: named(z.array(text)),
});

const unwritable = text.exactOptional();
const distribution: z.ZodType<Distribution> = z.strictObject({
  tables: z.record(
    text,
    z.discriminatedUnion('kind', [
      z.strictObject({
        kind: z.literal('distributed'),
        by: text.exactOptional(),
        group: count,
        generated: stated,
        unwritable,
      }),
      z.strictObject({ kind: z.literal('reference'), unwritable }),
      z.strictObject({ kind: z.literal('single'), group: count, unwritable }),
      z.strictObject({ kind: z.literal('refused'), why: text }),
    ]),
  ),
  functions: named(z.strictObject({ why: text, alone: stated })),
  fingerprint: z.string({
    error: 'this catalog is of an earlier version: read it again with engine introspect',
  }),
});

/** Why a native query or a logical model is not served. `inCode`: the SQL of the query is the reason. */
const refusal = z.strictObject({ reason: text, inCode: stated });

/**
 * Facts by kind and name (`check ticket_status_check`): a hash of what PostgreSQL prints, or a few words. `uses`: objects that
 * reading or calling it leads to; `writes`: objects that only writing it leads to.
 */
const databaseObject = z.strictObject({
  facts: z.record(text, text),
  uses: z.array(text).exactOptional(),
  writes: z.array(text).exactOptional(),
});

const source = z.strictObject({
  /** Version number as the server reports it, e.g. 150018. */
  serverVersion: count,
  extensions: z.array(z.strictObject({ name: text, schema: text, version: text })),
  types: z.array(type),
  tables: z.array(table),
  functions: z.array(databaseFunction),
  /** Native queries and logical models that PostgreSQL refuses: key → why. Absent without any. */
  refused: named(refusal),
  /**
   * What the database does automatically; absent in catalogs that were saved before this was read. By key: relations and domains
   * `schema.name`, functions `schema.name()`, overloads together.
   */
  objects: named(databaseObject),
  /** Of a file that version 2 saved: it does not tell what is below views, columns and functions. */
  withoutBelow: stated,
  /** Another database that speaks the protocol of PostgreSQL; absent: PostgreSQL. */
  product: text.exactOptional(),
  /** How tables are spread over a Citus cluster; absent without the extension, and where no table is spread. Views are not in it. */
  distribution: distribution.exactOptional(),
  /** Rows of tables that metadata marks as enum tables, keyed `schema.name`, values sorted. */
  enumTables: z.record(text, z.array(z.strictObject({ value: text, comment: text.nullable() }))),
});

const catalogFile = z.strictObject({
  // Version 1 did not tell what proofs by a constraint need (proven.ts), version 2 not what audits do (below.ts).
  version: z.literal([2, 3], { error: 'this version of Engine reads versions 2 and 3' }),
  sources: z.record(text, source),
});

/** Checks a saved catalog: the catalog, in version 3, or what is wrong with it, issue by issue. */
export function checkCatalogFile(
  json: unknown,
): { readonly file: CatalogFile } | { readonly issues: readonly SchemaIssue[] } {
  const { data, error } = catalogFile.safeParse(json);
  if (error) return error;
  if (data.version === 3) return { file: { version: 3, sources: data.sources } };
  const older = Object.entries(data.sources).map(
    ([name, source]) => [name, { ...source, withoutBelow: true as const }] as const,
  );
  return { file: { version: 3, sources: Object.fromEntries(older) } };
}

/** Has the type in full, without that of the schema: the package comes without the types of zod. */
function described<Schema extends z.ZodType>(_: Schema): DeepReadonly<z.infer<Schema>>[] {
  return [];
}
const sources = described(source);

/** A catalog with the enum rows that the metadata asked for. This is what a saved catalog holds for each source. */
export type SourceCatalog = (typeof sources)[number];
/** A catalog, or why it could not be read, without passwords. */
export type CatalogOrError = SourceCatalog | { readonly error: string };
export type Catalog = Omit<SourceCatalog, 'enumTables'>;
export type EnumTableRows = SourceCatalog['enumTables'];
/** Catalogs of a compile, keyed by the name of the source; the saved form (`engine introspect`) has `version`. */
export interface CatalogFile {
  readonly version: 3;
  readonly sources: Readonly<Record<string, SourceCatalog>>;
}

export type Refusal = NonNullable<Catalog['refused']>[string];
export type DatabaseObjects = NonNullable<Catalog['objects']>;
export type DatabaseObject = DatabaseObjects[string];
export type CatalogType = Catalog['types'][number];
export type CatalogTable = Catalog['tables'][number];
export type RelationKind = CatalogTable['kind'];
export type CatalogKey = CatalogTable['uniqueConstraints'][number];
export type CatalogForeignKey = CatalogTable['foreignKeys'][number];
export type CatalogColumn = CatalogTable['columns'][number];
export type CatalogTypeReference = CatalogColumn['type'];
export type CatalogFunction = Catalog['functions'][number];
export interface RelationReference {
  readonly schema: string;
  readonly name: string;
}
