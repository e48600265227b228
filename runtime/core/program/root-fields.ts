/** The root fields that generated files declare: name → kind, or an object for a field with more to say. */

import type { DeclaredFunction, DeclaredTable } from '../contract/shapes.ts';
import type { MutationStep } from '../mutation/step.ts';
import type { RootArguments, Selection } from '../request/selection.ts';
import type { Sql } from '../sql/fragment.ts';

/** Kinds of root fields of a table, named as in `custom_root_fields`, by the section that declares them. */
export const ROOT_FIELD_KINDS = {
  query: ['select', 'select_by_pk', 'select_aggregate', 'select_group_by'],
  subscription: ['select_stream'],
  mutation: ['insert', 'insert_one', 'update', 'update_by_pk', 'update_many', 'delete', 'delete_by_pk'],
} as const;

/** Kinds that metadata does not name, being extensions: `select_group_by` is offered where `select_aggregate` is. */
type UnnamedKind = 'select_group_by';

type Kinds = typeof ROOT_FIELD_KINDS;
export type QueryFieldKind = Kinds['query'][number];
export type SubscriptionFieldKind = Kinds['subscription'][number];
export type MutationFieldKind = Kinds['mutation'][number];
export type RootFieldKind = Kinds[keyof Kinds][number];
export type NamedKind<Kind extends RootFieldKind> = Exclude<Kind, UnnamedKind>;
export type FunctionFieldKind = 'function' | 'function_aggregate';

/** True if metadata may name the kind, in `custom_root_fields` and in lists of root fields. */
export function isNamedKind<Kind extends RootFieldKind>(kind: Kind): kind is NamedKind<Kind> {
  return kind !== ('select_group_by' satisfies UnnamedKind);
}

/** Who the plan is made for. Values of session variables are parameters of the plan, never seen by resolvers. */
export interface Requester {
  readonly role: string;
}

/** A call of a root field, as its resolver gets it: when an operation is planned for a role, not for every request. */
export interface Call<Of, Names extends string = string> {
  /** The table or function that the field belongs to. */
  readonly of: Of;
  readonly selection: Selection;
  /** Values of the request, as nodes that become parameters. */
  readonly args: RootArguments<Names>;
  readonly requester: Requester;
}

export type TableCall = Call<DeclaredTable>;
export type FunctionCall = Call<DeclaredFunction>;

/** Resolves a root field of a query: the SQL expression that yields its JSON. */
export type QueryResolver<Of, Names extends string = string> = (call: Call<Of, Names>) => Sql;

/** Resolves a root field of a mutation: the steps that write and then read what the selection asks for. */
export type MutationResolver<Of, Names extends string = string> = (call: Call<Of, Names>) => MutationStep;

interface FieldOptions<Kind> {
  readonly field: Kind;
  /** Absent = generated text, empty = no description. */
  readonly description?: string;
}

/** A root field with a description, or with a hand-written resolver, which audits report. */
export type QueryField<Of, Kind extends string = QueryFieldKind> = Kind extends string
  ? FieldOptions<Kind> & { readonly resolve?: QueryResolver<Of, ArgumentOf<Kind>> }
  : never;

export type MutationField<Of, Kind extends string = MutationFieldKind> = Kind extends string
  ? FieldOptions<Kind> & { readonly resolve?: MutationResolver<Of, ArgumentOf<Kind>> }
  : never;

type List = Named<'where' | 'order_by' | 'limit' | 'offset' | 'distinct_on'>;
type Changes = Named<
  '_set' | '_inc' | '_append' | '_prepend' | '_delete_key' | '_delete_elem' | '_delete_at_path'
>;

/** The name in either naming convention. */
type Named<Name extends string> = Name extends `_${infer Rest}`
  ? Name | `_${Camel<Rest>}`
  : Name | Camel<Name>;
type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;

/** Names of the arguments of a kind of root field, as a resolver asks for them. Those of a key are fields. */
interface Arguments {
  readonly select: List;
  readonly select_aggregate: List;
  readonly select_group_by: Named<'keys' | 'where' | 'having' | 'order_by' | 'limit' | 'offset'>;
  readonly function: List | 'args';
  readonly function_aggregate: List | 'args';
  readonly insert: 'objects' | Named<'on_conflict'>;
  readonly insert_one: 'object' | Named<'on_conflict'>;
  readonly update: 'where' | Changes;
  readonly update_by_pk: Named<'pk_columns'> | Changes;
  readonly update_many: 'updates';
  readonly delete: 'where';
}

type ArgumentOf<Kind extends string> = Kind extends keyof Arguments ? Arguments[Kind] : string;

/** A stream with a description. */
export type StreamField = FieldOptions<SubscriptionFieldKind>;

export interface RootFields<Table = DeclaredTable> {
  /** Offered on query and subscription roots alike, as the role's rule allows. */
  readonly query?: Readonly<Record<string, QueryFieldKind | QueryField<Table>>>;
  readonly subscription?: Readonly<Record<string, SubscriptionFieldKind | StreamField>>;
  readonly mutation?: Readonly<Record<string, MutationFieldKind | MutationField<Table>>>;
}

export interface FunctionFields {
  readonly query?: Readonly<
    Record<string, FunctionFieldKind | QueryField<DeclaredFunction, FunctionFieldKind>>
  >;
  readonly mutation?: Readonly<Record<string, 'function' | MutationField<DeclaredFunction, 'function'>>>;
}

/** The entries of a section, each in its long form. */
export function fieldEntries<Entry extends string | { readonly field: string }>(
  section: Readonly<Record<string, Entry>> | undefined,
): [name: string, field: LongForm<Entry>][] {
  return Object.entries(section ?? {}).map(([name, entry]) => [
    name,
    (typeof entry === 'string' ? { field: entry } : entry) as LongForm<Entry>,
  ]);
}

/** The entry with more to say than its kind. */
type LongForm<Entry> = Exclude<Entry, string>;
