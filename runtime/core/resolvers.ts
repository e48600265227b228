/** The form of generated resolver files: one entry per root field, and what the entry's function may use. */
import type { MutationStep } from './mutation/step.ts';
import type { RootArguments, Selection } from './request/selection.ts';
import type { SavedProgram } from './saved.ts';
import type { ProgramSettings } from './settings.ts';
import type { FunctionAccess, SourceShape, TableAccess } from './shapes.ts';
import type { Sql } from './sql/fragment.ts';

/** Kinds of root fields, named as in `custom_root_fields`. */
export type QueryFieldKind = 'select' | 'select_by_pk' | 'select_aggregate';
export type SubscriptionFieldKind = 'select_stream';
export type MutationFieldKind =
  | 'insert'
  | 'insert_one'
  | 'update'
  | 'update_by_pk'
  | 'update_many'
  | 'delete'
  | 'delete_by_pk';

/** Who the plan is made for. Values of session variables are parameters of the plan, never seen by resolvers. */
export interface Requester {
  readonly role: string;
}

/**
 * Resolves a root field of a query: the SQL expression that yields its JSON. Called when an operation is planned for a
 * role, not for every request; `args` hold the request's values as nodes that become parameters.
 */
export type QueryResolver = (selection: Selection, args: RootArguments, requester: Requester) => Sql;

/** Resolves a root field of a mutation: the steps that write and then read what the selection wants. */
export type MutationResolver = (
  selection: Selection,
  args: RootArguments,
  requester: Requester,
) => MutationStep;

export interface QueryField<Kind extends string = QueryFieldKind> {
  readonly field: Kind;
  /** Absent = generated text, empty = none. */
  readonly description?: string;
  readonly resolve: QueryResolver;
}

export interface MutationField {
  readonly field: MutationFieldKind;
  readonly description?: string;
  readonly resolve: MutationResolver;
}

export interface RootFields {
  /** Offered on query and subscription roots alike, as the role's rule allows. */
  readonly query?: Readonly<Record<string, QueryField>>;
  readonly subscription?: Readonly<Record<string, QueryField<SubscriptionFieldKind>>>;
  readonly mutation?: Readonly<Record<string, MutationField>>;
}

export interface TableResolvers extends RootFields {
  readonly access: TableAccess;
}

/** Declares the root fields of a table. */
export function resolvers(access: TableAccess, fields: RootFields): TableResolvers {
  return Object.freeze({ access, ...fields });
}

export interface FunctionResolvers {
  readonly access: FunctionAccess;
  readonly query?: Readonly<
    Record<
      string,
      {
        readonly field: 'function' | 'function_aggregate';
        readonly description?: string;
        readonly resolve: QueryResolver;
      }
    >
  >;
  readonly mutation?: Readonly<
    Record<
      string,
      { readonly field: 'function'; readonly description?: string; readonly resolve: MutationResolver }
    >
  >;
}

/** Declares the root fields of a tracked function. */
export function functionResolvers(
  access: FunctionAccess,
  fields: Omit<FunctionResolvers, 'access'>,
): FunctionResolvers {
  return Object.freeze({ access, ...fields });
}

/** What `generated/index.ts` exports: everything that is served. */
export interface GeneratedProgram extends ProgramSettings {
  readonly sources: readonly SourceShape[];
  readonly tables: readonly TableResolvers[];
  readonly functions: readonly FunctionResolvers[];
  /** Absent when nothing is saved. */
  readonly saved?: SavedProgram;
}

/** Declares the program. */
export function program(parts: GeneratedProgram): GeneratedProgram {
  return Object.freeze(parts);
}
