/**
 * The types of the GraphQL API as planning needs them. They are built on first use, per role and table, so that a
 * request pays only for the tables it names; introspection makes all of them, and forgets them (introspection.ts).
 * Every field carries its meaning, so planning never looks a name up twice.
 */
import type { TypeNode } from 'graphql';
import type { JoinField } from '../join/join.ts';
import type { MutationStep } from '../mutation/step.ts';
import type { Operator } from '../operators.ts';
import type { ComputedField, Relationship } from '../program/program.ts';
import type { Requester } from '../program/root-fields.ts';
import type { RemoteFieldMeaning, RemotePreset } from '../remotes/text.ts';
import type { RootArguments, Selection } from '../request/selection.ts';
import type { CallResolver } from '../request/steps.ts';
import type { Sql } from '../sql/fragment.ts';
import type { ColumnType } from '../types.ts';
import type { VisibleColumn, VisibleTable } from './visible-table.ts';

export type TypeReference = NamedType | ListType | NonNullType;

export interface ListType {
  readonly kind: 'list';
  readonly of: TypeReference;
  /** Name of Postgres' array type, which a variable may be declared with instead: `_uuid` for `[uuid!]`. */
  readonly scalar?: string;
}

export interface NonNullType {
  readonly kind: 'nonNull';
  readonly of: NamedType | ListType;
}

export type NamedType = ScalarType | EnumType | InputType | ObjectType | AbstractType;

export interface ScalarType {
  readonly kind: 'scalar';
  readonly name: string;
  readonly description?: string;
  /** The document that specifies it, of another server's scalar. */
  readonly specifiedBy?: string;
  /**
   * How values are accepted: by a column's type, leaving strings to Postgres, or strictly as the argument of a field
   * (`limit`, `path`, `distinct`); `any` value where another server decides.
   */
  readonly accepts:
    | ColumnType
    | 'count'
    | 'offset'
    | 'string'
    | 'boolean'
    | 'integer'
    | 'float'
    | 'id'
    /** A global id of the relay API; plans depend on the table that it names. */
    | 'node'
    /** A cursor of the relay API; plans depend on whether it is the empty one, that of no row. */
    | 'cursor'
    /** An entity of a federated graph; plans depend on the types that it names. */
    | 'entity'
    | 'any';
}

export interface EnumType {
  readonly kind: 'enum';
  readonly name: string;
  readonly description?: string;
  /** GraphQL value → its meaning. */
  readonly values: ReadonlyMap<string, EnumValue>;
  /** Values of an enum table: variables may give them as strings, and they are data. */
  readonly data?: true;
}

interface EnumValue {
  readonly description?: string;
  readonly deprecationReason?: string;
  /** Database name of the column, text of the enum table's row, or the value itself. */
  readonly value: string;
}

export interface InputType {
  readonly kind: 'input';
  readonly name: string;
  /** Part of a condition or an order: its fields become parts of the SQL, so that their number is bounded (expansion.ts). */
  readonly isClause?: true;
  readonly description?: string;
  readonly fields: () => ReadonlyMap<string, InputFieldDefinition>;
  /** Exactly one field is given, and it is not null. */
  readonly isOneOf?: true;
  /** Fields of another server's input that are always sent with an object, and that the client cannot give. */
  readonly presets?: () => readonly RemotePreset[];
}

export interface InputFieldDefinition {
  readonly name: string;
  readonly description?: string;
  readonly type: TypeReference;
  /** Printed default, as introspection shows it. */
  readonly defaultValue?: string;
  readonly deprecationReason?: string;
  readonly meaning: InputMeaning;
}

/** The meaning of an input field. */
export type InputMeaning =
  | { readonly kind: 'and' | 'or' | 'not' }
  | { readonly kind: 'column'; readonly column: VisibleColumn }
  | { readonly kind: 'operator'; readonly operator: Operator }
  | { readonly kind: 'isNull' }
  | { readonly kind: 'cast'; readonly type: ColumnType }
  | { readonly kind: 'relationship'; readonly relationship: Relationship; readonly visible: VisibleTable }
  | {
      readonly kind: 'aggregatePredicate';
      readonly relationship: Relationship;
      readonly visible: VisibleTable;
    }
  | {
      readonly kind: 'aggregateOrder';
      readonly relationship: Relationship | ComputedField;
      readonly visible: VisibleTable;
    }
  /** The keys, or the aggregates, in an order of groups. */
  | { readonly kind: 'groupKey' | 'groupAggregate' }
  /** In an order, or with the type of its result in a predicate. */
  | { readonly kind: 'aggregateFunction'; readonly function: string; readonly returns?: ColumnType }
  | { readonly kind: 'computedField'; readonly computedField: ComputedField; readonly visible?: VisibleTable }
  | { readonly kind: 'nestedInsert'; readonly relationship: Relationship; readonly visible: VisibleTable }
  | { readonly kind: 'relatedChanges'; readonly relationship: Relationship; readonly visible: VisibleTable }
  | { readonly kind: 'functionArgument'; readonly position: number; readonly type: ColumnType }
  /** Expressions of the legacy data operations only: a row of any table of the source. */
  | { readonly kind: 'exists'; readonly visible: VisibleTable }
  /** Compares two columns of a row, without a value. Only in the legacy data operations. */
  | {
      readonly kind: 'columnComparison';
      readonly left: VisibleColumn;
      readonly operator: string;
      readonly right: VisibleColumn;
    }
  /** A type of another server; `type` is its name there. */
  | { readonly kind: 'remote'; readonly type: TypeNode }
  | { readonly kind: 'plain' };

export interface ObjectType {
  readonly kind: 'object';
  readonly name: string;
  readonly description?: string;
  readonly fields: () => ReadonlyMap<string, FieldDefinition>;
  /** Interfaces and unions that it belongs to; absent without any. */
  readonly abstract?: () => ReadonlyMap<string, AbstractType>;
}

/** An interface or a union; only other servers have such types. */
export interface AbstractType {
  readonly kind: 'interface' | 'union';
  readonly name: string;
  readonly description?: string;
  /** A union has `__typename` alone. */
  readonly fields: () => ReadonlyMap<string, FieldDefinition>;
  readonly abstract?: () => ReadonlyMap<string, AbstractType>;
  /** Object types, by name. */
  readonly possible: () => ReadonlyMap<string, ObjectType>;
}

export interface ArgumentDefinition {
  readonly name: string;
  readonly description?: string;
  readonly type: TypeReference;
  readonly defaultValue?: string;
  readonly deprecationReason?: string;
}

export interface FieldDefinition {
  readonly name: string;
  readonly description?: string;
  readonly arguments: ReadonlyMap<string, ArgumentDefinition>;
  readonly type: TypeReference;
  readonly deprecationReason?: string;
  readonly meaning: FieldMeaning;
}

/** Plans a root field for a role; values of the request become parameters. */
type Resolve<Result> = (selection: Selection, args: RootArguments, requester: Requester) => Result;

/** The meaning of a field of an object type. */
export type FieldMeaning =
  /** `rename`: another server answers, which calls its types otherwise. */
  | { readonly kind: 'typename'; readonly rename?: (name: string) => string }
  | { readonly kind: 'column'; readonly column: VisibleColumn }
  | { readonly kind: 'relationship'; readonly relationship: Relationship; readonly visible: VisibleTable }
  | {
      readonly kind: 'relationshipAggregate';
      readonly relationship: Relationship;
      readonly visible: VisibleTable;
    }
  | {
      readonly kind: 'relationshipGroups';
      readonly relationship: Relationship;
      readonly visible: VisibleTable;
    }
  | {
      readonly kind: 'computedField';
      readonly computedField: ComputedField;
      /** Of the rows that it returns. */
      readonly visible?: VisibleTable;
      /** Aggregates of the rows are asked for, not the rows. */
      readonly aggregates?: true;
    }
  | { readonly kind: 'aggregate' | 'nodes' | 'count' | 'groupKey' }
  | { readonly kind: 'aggregateFunction'; readonly function: string }
  | { readonly kind: 'aggregateColumn'; readonly column: VisibleColumn | ComputedField }
  | { readonly kind: 'affectedRows' | 'returning' }
  | { readonly kind: 'namespace' }
  /** Looked up by another step, with values that the object has (see core/join). */
  | { readonly kind: 'join'; readonly join: JoinField }
  /** A field that another server answers, below one of its root fields. */
  | { readonly kind: 'remote'; readonly field: RemoteFieldMeaning }
  /** A value within the answer of another server. */
  | { readonly kind: 'answer' }
  /** `__schema` and `__type`; see introspection.ts. */
  | { readonly kind: 'introspection' }
  /** A value that is known when the schema is built (`no_queries_available`), or made when it is asked for. */
  | { readonly kind: 'constant'; readonly value: string | (() => string) }
  /** Parts of connections, in the relay API. */
  | {
      readonly kind: 'connection';
      readonly part:
        | 'edges'
        | 'cursor'
        | 'node'
        | 'pageInfo'
        | 'hasNextPage'
        | 'hasPreviousPage'
        | 'startCursor'
        | 'endCursor';
    }
  | {
      readonly kind: 'relationshipConnection';
      readonly relationship: Relationship;
      readonly visible: VisibleTable;
    }
  /** The global id of a row. */
  | { readonly kind: 'nodeId' }
  /** The row of a global id. */
  | { readonly kind: 'node'; readonly root: 'query' | 'subscription' }
  /** `_entities`: rows of several tables by their keys. The tables by the names of their types. */
  | { readonly kind: 'entities'; readonly tables: ReadonlyMap<string, VisibleTable> }
  /** A root field that another server answers (see core/request/steps.ts). */
  | {
      readonly kind: 'call';
      readonly caller: string;
      readonly group: string;
      readonly resolve: CallResolver;
      /** The caller can watch it for a subscription. */
      readonly watched?: true;
    }
  /** `once`: it calls a VOLATILE function, so its statement may write. */
  | {
      readonly kind: 'query';
      readonly source: string;
      readonly resolve: Resolve<Sql>;
      readonly once?: true;
    }
  /** Rows behind a cursor. */
  | { readonly kind: 'stream'; readonly source: string; readonly visible: VisibleTable }
  | { readonly kind: 'mutation'; readonly source: string; readonly resolve: Resolve<MutationStep> };

export function listOf(of: TypeReference): ListType {
  return { kind: 'list', of };
}

export function nonNull(of: NamedType | ListType): NonNullType {
  return { kind: 'nonNull', of };
}

/** The type below lists and non-null wrappers. */
export function namedType(type: TypeReference): NamedType {
  return type.kind === 'list' || type.kind === 'nonNull' ? namedType(type.of) : type;
}

/** The type as a document writes it: `[article!]!`. */
export function printType(type: TypeReference): string {
  if (type.kind === 'list') return `[${printType(type.of)}]`;
  return type.kind === 'nonNull' ? `${printType(type.of)}!` : type.name;
}

/** A map by name, in the order given. */
export function byName<T extends { readonly name: string }>(items: readonly T[]): ReadonlyMap<string, T> {
  return new Map(items.map((item) => [item.name, item]));
}

/** Comments of metadata: absent = the generated text, empty = no description. */
export function description(own: string | undefined, generated: string): { description?: string } {
  return described(own ?? generated);
}

/** The description; undefined if the text is empty. */
export function described(text: string | undefined): { description?: string } {
  return text ? { description: text } : {};
}
