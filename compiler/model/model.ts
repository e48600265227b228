/**
 * The model: the result of phase 3. Every name of the metadata is resolved to its object; objects that could not be
 * resolved were left out with a diagnostic. Plain readonly data, no behaviour. Parts that do not depend on a role are
 * already in the form of the generated files (`TableShape` and the like); permissions are trees that phase 4 turns into
 * row rules and ledger lines.
 */

import type { ActionsProgram } from '../../runtime/core/action/shapes.ts';
import type {
  ComputedFieldShape,
  FunctionShape,
  InputValidation,
  SourceShape,
  TableShape,
} from '../../runtime/core/contract/shapes.ts';
import type { RootFieldKind } from '../../runtime/core/program/root-fields.ts';
import type { RemoteSchemaShape } from '../../runtime/core/remotes/shapes.ts';
import type { ProgramSettings } from '../../runtime/core/settings.ts';
import type { Json, QueryRootField, SubscriptionRootField } from '../../runtime/metadata/metadata.ts';
import type { ModelEvents } from './events.ts';

export interface Model {
  readonly settings: ProgramSettings;
  readonly sources: readonly ModelSource[];
  readonly events: ModelEvents;
  /** Absent without any. */
  readonly remotes?: readonly RemoteSchemaShape[];
  /** Absent when no action is served. */
  readonly actions?: ActionsProgram;
}

export interface ModelSource {
  readonly shape: SourceShape;
  /** Tables that are served, sorted by schema and name. */
  readonly tables: readonly ModelTable[];
  readonly functions: readonly ModelFunction[];
}

export interface ModelTable {
  /** `objectKey(schema, name)`. */
  readonly key: string;
  readonly shape: TableShape;
  readonly rootFields: readonly RootField[];
  readonly permissions: TablePermissions;
}

export interface RootField {
  readonly kind: RootFieldKind;
  /** Final name, customizations of table and source applied. */
  readonly name: string;
  /** Absent = generated text, empty = none. */
  readonly description?: string;
}

export interface ModelFunction {
  readonly shape: FunctionShape;
  readonly exposedAs: 'query' | 'mutation';
  /** Root fields: the rows, and for queries their aggregate. */
  readonly rootFields: readonly { readonly kind: 'function' | 'function_aggregate'; readonly name: string }[];
  /** Roles with a permission of their own, sorted. */
  readonly roles: readonly string[];
}

/** Permissions of roles other than admin: role → permission, roles sorted. */
export interface TablePermissions {
  readonly select: Readonly<Record<string, ModelSelectPermission>>;
  readonly insert: Readonly<Record<string, ModelInsertPermission>>;
  readonly update: Readonly<Record<string, ModelUpdatePermission>>;
  readonly delete: Readonly<Record<string, ModelDeletePermission>>;
}

export interface ModelSelectPermission {
  /** In the order of the table. */
  readonly columns: readonly string[];
  readonly computedFields: readonly string[];
  readonly filter: BooleanExpression;
  readonly limit?: number;
  readonly aggregations: boolean;
  /** Absent = all. */
  readonly queryRoots?: readonly QueryRootField[];
  readonly subscriptionRoots?: readonly SubscriptionRootField[];
  /** Inherited roles: columns and computed fields shown only in rows where the condition holds. */
  readonly cells?: Readonly<Record<string, BooleanExpression>>;
}

export interface ModelInsertPermission {
  /** Without the preset ones. */
  readonly columns: readonly string[];
  readonly check: BooleanExpression;
  readonly checkMessage?: string;
  readonly presets: Presets;
  readonly backendOnly: boolean;
  readonly validateInput?: InputValidation;
}

export interface ModelUpdatePermission {
  /** Without the preset ones. */
  readonly columns: readonly string[];
  readonly filter: BooleanExpression;
  readonly check?: BooleanExpression;
  readonly checkMessage?: string;
  readonly presets: Presets;
  readonly backendOnly: boolean;
  readonly validateInput?: InputValidation;
}

export interface ModelDeletePermission {
  readonly filter: BooleanExpression;
  /** Absent: the filter alone decides. */
  readonly check?: BooleanExpression;
  readonly checkMessage?: string;
  readonly backendOnly: boolean;
  readonly validateInput?: InputValidation;
}

/** Column → value, columns in the order of the table. */
export type Presets = Readonly<Record<string, Value>>;

/** A value of the metadata. Whether it is a session variable is decided here, once, never at run time. */
export type Value =
  /** `moment`: it means the moment of the request (`momentOf`). */
  | { readonly kind: 'literal'; readonly value: Json; readonly moment?: 'now' | 'text' }
  /** `name` in lower case: `x-engine-user-id`. */
  | { readonly kind: 'session'; readonly name: string };

/** Left side of a comparison: a column of the row, or a computed field of it; `type` is that after the cast. */
export type Operand = {
  /** Type key of what is compared. */
  readonly type: string;
  /** False if it is never null. */
  readonly nullable: boolean;
  /** Set when the value is cast to `type` before it is compared. */
  readonly cast?: true;
} & (
  | { readonly kind: 'column'; readonly column: string }
  | { readonly kind: 'computed-field'; readonly name: string; readonly field: ComputedFieldShape }
);

/** The right side of an operator, in the forms of `OperatorArgument`. */
export type Argument =
  | { readonly kind: 'value'; readonly type: string; readonly value: Value }
  /** A list written in the metadata. */
  | { readonly kind: 'list'; readonly type: string; readonly values: readonly Value[] }
  /** A list that a session variable holds. */
  | { readonly kind: 'session-list'; readonly type: string; readonly name: string }
  | { readonly kind: 'fields'; readonly values: readonly { readonly type: string; readonly value: Value }[] };

export interface TableReference {
  readonly schema: string;
  readonly name: string;
}

/** A boolean expression of a permission, over one row. An empty `and` is true, an empty `or` false. */
export type BooleanExpression =
  | { readonly kind: 'and' | 'or'; readonly conditions: readonly BooleanExpression[] }
  | { readonly kind: 'not'; readonly condition: BooleanExpression }
  | {
      readonly kind: 'comparison';
      readonly left: Operand;
      /** Name in the table of operators. */
      readonly operator: string;
      readonly right: Argument;
    }
  | {
      readonly kind: 'column-comparison';
      readonly left: Operand;
      /** SQL operator. */
      readonly operator: string;
      readonly column: string;
      /** `root`: the table that owns the permission. */
      readonly of: 'row' | 'root';
    }
  | { readonly kind: 'is-null'; readonly left: Operand; readonly negated: boolean }
  /** Some row of the related table matches. Permissions of that table do not apply. */
  | {
      readonly kind: 'relationship';
      readonly name: string;
      readonly target: TableReference;
      /** Column of this row → column of the target. */
      readonly columns: Readonly<Record<string, string>>;
      /** Column of this row → the types of both columns. */
      readonly types: Readonly<Record<string, readonly [own: string, other: string]>>;
      /** At most one row is related. */
      readonly single: boolean;
      readonly condition: BooleanExpression;
    }
  /** Some row that a computed field returns matches. */
  | {
      readonly kind: 'computed-rows';
      readonly name: string;
      readonly field: ComputedFieldShape;
      readonly condition: BooleanExpression;
    }
  /** Some row of any table matches. */
  | { readonly kind: 'exists'; readonly target: TableReference; readonly condition: BooleanExpression };
