/**
 * The data that generated files declare: sources, tables and the access rules of every role. Plain readonly objects;
 * the constructors check the names in them, in types and again when they run, and freeze. Nothing here evaluates
 * anything: rules are SQL texts with holes (see condition/rule.ts), tables refer to each other by key, so files can be
 * replaced one by one.
 * @rule Which keys and indexes does `on_conflict` offer?
 */
import type { ConfiguredHeader } from '../environment-template.ts';
import type { Extension, NamingConvention } from '../names.ts';
import type { FunctionFields, RootFields } from '../program/root-fields.ts';
import type { RemoteRelationshipShape } from '../remotes/shapes.ts';
import type { Distribution } from '../shards/shapes.ts';
import type { CheckedFunction, CheckedRules, CheckedShape } from './checked-types.ts';
import { checkAccess, checkFunction, checkTable } from './declared.ts';

export interface SourceShape {
  readonly name: string;
  readonly kind: 'postgres';
  /** How derived GraphQL names are written; absent = engine-default. */
  readonly naming?: NamingConvention;
  /** The names of `graphql-default` as its first version had them. */
  readonly earlyNames?: true;
  /** Arrays are scalars, `_text`, and not lists. */
  readonly arraysAsScalars?: true;
  /** Extensions of the API that its tables have; absent without any. */
  readonly extensions?: readonly Extension[];
  /** Major version of the Postgres whose catalog was read. Versions print queries differently, so their hashes differ. */
  readonly postgres?: number;
  /** Customization of root fields; names in table files are final already, only `namespace` is applied at run time. */
  readonly rootNamespace?: string;
  /** Prefix and suffix of types derived from this source's tables. */
  readonly typePrefix?: string;
  readonly typeSuffix?: string;
  /** Maximum seconds that rows of streams wait for older transactions; absent: they do not wait. */
  readonly streamHorizon?: number;
  /** Servers install what records writes for live queries. */
  readonly recordWrites?: true;
  /** How the statements of requests are tagged; absent: as the server's option says. */
  readonly queryTags?: QueryTagFormat | 'off';
  /** The catalog was saved by an earlier version: what is below views, columns and functions is not known. Only audits read this. */
  readonly withoutBelow?: true;
  /** How its tables are spread over a Citus cluster; absent: plain PostgreSQL. */
  readonly distribution?: Distribution;
  /** Types outside pg_catalog, by type key (`public.mood`). */
  readonly types: Readonly<Record<string, TypeShape>>;
}

export type QueryTagFormat = 'standard' | 'standard_prepended' | 'sqlcommenter';

/** A user-defined Postgres type, reduced to what serving needs. */
export type TypeShape =
  /** `row` is the composite type that every table has. */
  | { readonly kind: 'base' | 'range' | 'multirange' | 'composite' | 'row' }
  | { readonly kind: 'enum'; readonly values: readonly string[] }
  /** `ownEquality`: by an operator "=" of the database other values are equal than by the one of the base. */
  | { readonly kind: 'domain'; readonly base: string; readonly ownEquality?: true };

export interface TableShape {
  readonly source: SourceShape;
  readonly schema: string;
  readonly name: string;
  readonly kind: 'table' | 'partitioned' | 'view' | 'materialized' | 'foreign';
  /** Base name of the GraphQL types (`article` → `article_bool_exp`), before the source's prefix and suffix. */
  readonly graphqlName: string;
  /** The name is a custom one, which a naming convention leaves as written. */
  readonly customName?: true;
  /** Description of the object type; absent = generated text, empty = no description. */
  readonly description?: string;
  /** By database name, in the order of the table. */
  readonly columns: Readonly<Record<string, ColumnShape>>;
  readonly primaryKey?: KeyShape;
  /** A federated graph may refer to its rows by the primary key, where the server has Apollo federation enabled. */
  readonly federated?: true;
  /** Unique constraints and unique indexes, without the primary key: name → columns. */
  readonly unique?: Readonly<Record<string, readonly string[]>>;
  /**
   * Unique indexes over expressions or over some rows only, which prove nothing: name → SQL that names it in `on conflict`, as
   * PostgreSQL writes it.
   */
  readonly conditionallyUnique?: Readonly<Record<string, string>>;
  /** Keys of the above that `on_conflict` does not offer: deferrable, not valid, without overlaps, or with a name that GraphQL does not allow. */
  readonly notInferable?: readonly string[];
  /** Keys of the above whose values two rows may share: name → why. Nothing is concluded from them. */
  readonly unprovenKeys?: Readonly<Record<string, string>>;
  readonly relationships?: Readonly<Record<string, RelationshipShape>>;
  readonly computedFields?: Readonly<Record<string, ComputedFieldShape>>;
  /** Relationships that another step looks up: remote schemas, tables of other sources. */
  readonly remoteRelationships?: Readonly<Record<string, RemoteRelationshipShape>>;
  /** Values of an enum table: value → description. */
  readonly enumValues?: Readonly<Record<string, string | null>>;
  /** For views: the query has an ORDER BY, whose order is kept where a request gives none. */
  readonly ordered?: true;
  /** For views: what the query looks at. Only audits read this. */
  readonly below?: Below;
  /** Other tables with the same rows, by inheritance or as partitions: tracked ones, and those above it. Only audits read this. */
  readonly sharesRows?: readonly string[];
  /** For views: hash of the query, those of views below included. Only audits and verification read this and what follows. */
  readonly bodyHash?: string;
  /** For views: functions of the database that the query calls: key → hash of the definition. */
  readonly calls?: Readonly<Record<string, string>>;
  /** Triggers and rules: name → hash of the definition, of the function that a trigger calls, too. */
  readonly triggers?: Readonly<Record<string, string>>;
  /** Effects of this table's foreign keys on its rows when rows of the named tables are deleted, or their keys change. */
  readonly onDelete?: ForeignKeyActions;
  readonly onUpdate?: ForeignKeyActions;
  /** Foreign keys to tracked tables that no relationship follows; `to`: columns of the target, where they are not its primary key. */
  readonly references?: readonly {
    readonly columns: readonly string[];
    readonly target: string;
    readonly to?: readonly string[];
  }[];
  /** An INSERT may see or change other rows than its own, by triggers and the like. */
  readonly sideEffects?: true;
  /** Columns that Postgres refuses to write, mostly of views. */
  readonly readOnly?: readonly ('insert' | 'update' | 'delete')[];
}

/** What an object of the database looks at through everything that it is made of. Only audits read it. Absent parts are empty. */
export interface Below {
  /** Columns by key of their relation, views included; of functions in SQL perhaps more than they read. */
  readonly reads?: Readonly<Record<string, readonly string[]>>;
  /** Functions that run, by key: hash of the definition, of all that share the name. */
  readonly calls?: Readonly<Record<string, string>>;
  /** Functions, views and columns that may look at anything: key → why. */
  readonly unread?: Readonly<Record<string, string>>;
  /** Functions only: the rows of this relation are the result as they are; `reads` has what chooses them. */
  readonly shows?: string;
}

/** Columns of the keys whose values no two rows share, the primary key first. */
export function provenKeys({
  primaryKey,
  unique = {},
  unprovenKeys = {},
}: Pick<TableShape, 'primaryKey' | 'unique' | 'unprovenKeys'>): readonly (readonly string[])[] {
  const keys = [
    ...(primaryKey ? [[primaryKey.name, primaryKey.columns] as const] : []),
    ...Object.entries(unique),
  ];
  return keys.flatMap(([name, columns]) => (Object.hasOwn(unprovenKeys, name) ? [] : [columns]));
}

/** Names of the keys and unique indexes that `on_conflict` offers. */
export function inferableKeys({
  primaryKey,
  unique = {},
  conditionallyUnique = {},
  notInferable = [],
}: Pick<TableShape, 'primaryKey' | 'unique' | 'conditionallyUnique' | 'notInferable'>): readonly string[] {
  return [
    ...(primaryKey ? [primaryKey.name] : []),
    ...Object.keys(unique),
    ...Object.keys(conditionallyUnique),
  ].filter((name) => !notInferable.includes(name));
}

/** Whether the primary key is there, and two rows may share its values all the same. */
export function mayRepeatKey({
  primaryKey,
  unprovenKeys,
}: Pick<TableShape, 'primaryKey' | 'unprovenKeys'>): boolean {
  return primaryKey !== undefined && unprovenKeys?.[primaryKey.name] !== undefined;
}

export type ForeignKeyAction = 'cascade' | 'set null' | 'set default';

/** By key of the table that is referred to; where several foreign keys refer to it, by their columns. */
export type ForeignKeyActions = Readonly<
  Record<string, ForeignKeyAction | Readonly<Record<string, ForeignKeyAction>>>
>;

interface KeyShape {
  readonly name: string;
  readonly columns: readonly string[];
}

export interface ColumnShape {
  /** Type key: `int4`, `text[]`, `public.mood`. */
  readonly type: string;
  readonly notNull?: true;
  /** Of logical models: GraphQL promises a value. Nothing is concluded from it. */
  readonly promised?: true;
  /** Of logical models: it holds rows of another one, which the relationship of its name leads to. It is never shown itself. */
  readonly nested?: true;
  readonly hasDefault?: true;
  /** Generated and identity ALWAYS columns are never written. */
  readonly generated?: true;
  /** Its collation is nondeterministic. */
  readonly nondeterministic?: true;
  /** A view's column that Postgres will not write. */
  readonly readOnly?: true;
  /** For views: the column of a table that this column shows unchanged. Only audits read this. */
  readonly origin?: { readonly table: string; readonly column: string };
  /** What its default, or what generates it, looks at. Only audits read this. */
  readonly below?: Below;
  /** GraphQL field; absent = the column's name, null = left out (not a valid GraphQL name and no custom name). */
  readonly field?: string | null;
  /** The field name is custom: a naming convention leaves it as written. */
  readonly customField?: true;
  /** Absent or empty = no description. */
  readonly description?: string;
  /** Key of the enum table whose values this column holds. */
  readonly enumTable?: string;
}

/** A native query as an item of FROM. */
export type NativeShape = Pick<FunctionShape, 'name' | 'sql' | 'arguments'>;

export interface RelationshipShape {
  readonly kind: 'object' | 'array';
  /** Key of the target table, in the same source. */
  readonly target: string;
  /** Column of this table → column of the target. */
  readonly columns: Readonly<Record<string, string>>;
  /** The target is a logical model: the native query whose rows it leads to. */
  readonly query?: NativeShape;
  /** With `query`: argument → column of this table that gives its value; clients give the others. */
  readonly given?: Readonly<Record<string, string>>;
  /** The column of this table that holds the rows, as JSON or composite values. Then `columns` is empty. */
  readonly nested?: string;
  /** Object only: the row is always there, by a foreign key on this side (proven by catalog/proven.ts). */
  readonly notNull?: true;
  /** Object only: at most one target row matches, by a key of the target (proven by catalog/proven.ts). */
  readonly unique?: true;
  /** Object only: the key sits on the target, so a nested insert writes it after this row. */
  readonly insertAfter?: true;
  readonly description?: string;
}

/** The arguments of a relationship to a native query that clients give. */
export function askedArguments({
  query,
  given = {},
}: Pick<RelationshipShape, 'query' | 'given'>): readonly FunctionArgumentShape[] {
  return (query?.arguments ?? []).filter(({ name }) => !Object.hasOwn(given, name!));
}

export interface ComputedFieldShape {
  readonly function: { readonly schema: string; readonly name: string };
  /** Position of the row argument among the function's inputs. */
  readonly tableArgument: number;
  readonly sessionArgument?: number;
  /** Every input of the function, in order. */
  readonly arguments: readonly FunctionArgumentShape[];
  /** A scalar's type key, or the key of the table whose rows it returns. */
  readonly returns: { readonly type: string } | { readonly table: string; readonly set: boolean };
  /** Hash of the function's definition. Only audits and verification read this. */
  readonly bodyHash?: string;
  /** What it looks at. Only audits read this and what follows. */
  readonly below?: Below;
  /** It runs with the rights of its owner. */
  readonly definer?: true;
  readonly description?: string;
}

export interface FunctionArgumentShape {
  /** Database name; null if unnamed. */
  readonly name: string | null;
  readonly type: string;
  readonly hasDefault?: true;
  /** Of native queries: clients must supply a value. */
  readonly notNull?: true;
  /** Of native queries. */
  readonly description?: string;
}

export interface FunctionShape {
  readonly source: SourceShape;
  readonly schema: string;
  readonly name: string;
  readonly graphqlName: string;
  readonly customName?: true;
  readonly volatile?: true;
  readonly arguments: readonly FunctionArgumentShape[];
  readonly sessionArgument?: number;
  /** A native query: the SQL of its rows, which stands in place of a call; `{{name}}` is the value of an argument. */
  readonly sql?: string;
  /** Native mutations only: what the statements of its SQL do to tables, by key: insert, update, delete, merge. */
  readonly writes?: Readonly<Record<string, readonly string[]>>;
  /** Key of the tracked table or logical model whose rows it returns. */
  readonly returns: { readonly table: string; readonly set: boolean };
  /** Hash of the function's definition. Only audits and verification read this. */
  readonly bodyHash?: string;
  /** What it looks at. Only audits read this and what follows. */
  readonly below?: Below;
  /** It runs with the rights of its owner. */
  readonly definer?: true;
  readonly description?: string;
}

/** A row condition: SQL text with the holes `{row}` and `{session.x-engine-…::type}`, or EVERY_ROW. See condition/rule.ts. */
export type RuleText = string;

/** The rule text of an unconditional permission. */
export const EVERY_ROW: RuleText = 'true';

export interface SelectRule {
  readonly columns: readonly string[];
  readonly computedFields?: readonly string[];
  readonly where: RuleText;
  /** `where`, or one of `cells`, can raise an error for some row: it is evaluated for no row that nothing visible leads to. */
  readonly canFail?: true;
  /**
   * Relationships along which statements do not ask the rule of the related table, because it follows from `where`: each with
   * the hash of what was proved, both rules and the join. One with the hash of anything else is not believed (see condition/implied.ts).
   */
  readonly implies?: Readonly<Record<string, string>>;
  /** Maximum number of rows of one list. */
  readonly limit?: number;
  readonly aggregations?: true;
  /** Root fields offered; absent = all. */
  readonly queryRoots?: readonly ('select' | 'select_by_pk' | 'select_aggregate')[];
  readonly subscriptionRoots?: readonly ('select' | 'select_by_pk' | 'select_aggregate' | 'select_stream')[];
  /** Inherited roles: cells shown only in rows where the condition holds; null elsewhere. */
  readonly cells?: Readonly<Record<string, RuleText>>;
}

/** A webhook that has to agree to the input before anything is written. */
export interface InputValidation {
  /** May hold `{{NAME}}` for environment variables. */
  readonly url: string;
  readonly headers?: readonly ConfiguredHeader[];
  readonly forwardClientHeaders?: true;
  /** Seconds for the whole call. */
  readonly timeout: number;
}

export interface InsertRule {
  readonly columns: readonly string[];
  /** Holds for every inserted row, or the request fails. */
  readonly check: RuleText;
  /** Error message when the check fails. Absent: a general one. */
  readonly checkMessage?: string;
  /** Column → SQL expression with holes; the client cannot give these. */
  readonly presets?: Readonly<Record<string, RuleText>>;
  readonly backendOnly?: true;
  readonly validateInput?: InputValidation;
}

export interface UpdateRule {
  readonly columns: readonly string[];
  /** Rows that may be changed. */
  readonly where: RuleText;
  /** Holds for every changed row afterwards, or the request fails. */
  readonly check?: RuleText;
  readonly checkMessage?: string;
  readonly presets?: Readonly<Record<string, RuleText>>;
  readonly backendOnly?: true;
  readonly validateInput?: InputValidation;
}

export interface DeleteRule {
  /** Rows that may be deleted. */
  readonly where: RuleText;
  /** Holds for every deleted row as it was, or the request fails. */
  readonly check?: RuleText;
  readonly checkMessage?: string;
  readonly backendOnly?: true;
  readonly validateInput?: InputValidation;
}

/** Everything that roles other than admin may do with one table: operation → role → rule. */
export interface AccessRules {
  readonly select?: Readonly<Record<string, SelectRule>>;
  readonly insert?: Readonly<Record<string, InsertRule>>;
  readonly update?: Readonly<Record<string, UpdateRule>>;
  readonly delete?: Readonly<Record<string, DeleteRule>>;
}

/** Whether no rule decides about rows. A preset binds its column and not the row. */
export function isOpen({
  where = EVERY_ROW,
  check = EVERY_ROW,
}: {
  readonly where?: RuleText;
  readonly check?: RuleText;
}): boolean {
  return where === EVERY_ROW && check === EVERY_ROW;
}

export interface TableAccess<Table extends DeclaredTable = DeclaredTable> extends AccessRules {
  readonly table: Table;
}

/** A tracked table as its file declares it. */
export interface DeclaredTable extends TableShape {
  /** Root fields, each offered to a role as its rules allow. */
  readonly fields: RootFields;
}

/** A tracked function as its file declares it. */
export interface DeclaredFunction extends FunctionShape {
  /**
   * Roles permitted by name. Functions that only read are open to every role that may select from their table, unless the
   * server is configured otherwise.
   */
  readonly roles: readonly string[];
  /** Root fields, below query or below mutation. */
  readonly fields: FunctionFields;
}

/** Declares a source. */
export function source<const Shape extends SourceShape>(shape: Shape): Shape {
  return Object.freeze(shape);
}

/** A table with the literal types of its file, from which `access`, `Row` and `Where` take its names. */
export type TableOf<Owner extends SourceShape, Shape extends Omit<TableShape, 'source'>> = Readonly<Shape> & {
  readonly source: Owner;
} & Pick<DeclaredTable, 'fields'>;

/**
 * Declares a tracked table, view, materialized view or foreign table: its shape, and its root fields.
 * @throws Error naming a column that a key or a relationship uses and the table does not have
 */
export function table<Owner extends SourceShape, const Shape extends Omit<TableShape, 'source'>>(
  owner: Owner,
  shape: Shape & CheckedShape<Owner, Shape>,
  fields: RootFields<TableOf<Owner, Shape>>,
): TableOf<Owner, Shape> {
  const declared = Object.freeze({ source: owner, ...(shape as Shape), fields });
  checkTable(declared as DeclaredTable);
  return declared as unknown as TableOf<Owner, Shape>;
}

/**
 * Declares what each role may do with a table. The role `admin` may do everything and is not listed.
 * @throws Error naming the column, preset or cast of a session variable that does not exist
 */
export function access<Table extends DeclaredTable, const Rules extends AccessRules>(
  of: Table,
  rules: Rules & CheckedRules<Table, Rules>,
): Readonly<Rules> & { readonly table: Table } {
  checkAccess(of, rules);
  return Object.freeze({ table: of, ...(rules as Rules) });
}

/**
 * Declares a tracked function, who may call it, and its root fields.
 * @throws Error naming the type of an argument that does not exist
 */
export function trackedFunction<
  Owner extends SourceShape,
  const Shape extends Omit<DeclaredFunction, 'source'>,
>(owner: Owner, shape: Shape & CheckedFunction<Owner, Shape>): Readonly<Shape> & { readonly source: Owner } {
  checkFunction(owner, shape as Shape);
  return Object.freeze({ source: owner, ...(shape as Shape) });
}
