/** Questions about a change of the metadata before it is made, and their answers. */
import type { JsonObject } from '../core/json/json.ts';
import type { QualifiedName } from '../core/names.ts';

/** Asks for a ProposalAnswer. */
export interface ProposalQuestion {
  readonly kind: 'proposal';
  /** A Proposal as JSON: numbers of rules keep their digits. */
  readonly text: string;
}

/** Operations that are neither stored nor served, and what to show of the metadata that they make. */
export interface Proposal {
  /** Requests of the metadata API, in order. */
  readonly operations: readonly object[];
  readonly show: /** A ModelAnswer. */
    | { readonly page: 'model' }
    /** A TableAnswer; null for a table that the database does not have. */
    | { readonly page: 'table'; readonly source: string; readonly table: QualifiedName }
    /** A ServicesAnswer. */
    | { readonly page: 'services' }
    /** An ActionAnswer. @param text a definition in GraphQL, to be read */
    | { readonly page: 'action'; readonly name?: string; readonly text?: string }
    /** A RemotePartAnswer; null for an unknown remote schema. @param chosen fields as `Type.field`; absent: those of the role */
    | {
        readonly page: 'remote';
        readonly name: string;
        readonly role?: string;
        readonly chosen?: readonly string[];
      }
    /** A PreviewAnswer. @param since a metadata document that `patch` begins with; null: an empty folder; absent: what is served */
    | { readonly page: 'preview'; readonly since?: object | null };
  /** Reads the databases again, for tables that are new in them. */
  readonly isFresh?: boolean;
}

export interface ProposalAnswer<Shown> {
  /** Version of the metadata that is served, on which the operations build. */
  readonly resourceVersion: number;
  /** Operations that fail. The others are applied all the same. */
  readonly problems: readonly StepProblem[];
  /** Warnings of the operations. */
  readonly warnings: readonly string[];
  readonly shown: Shown;
}

export interface StepProblem {
  /** Position among the operations. */
  readonly index: number;
  readonly code: string;
  readonly message: string;
}

/** What databases have, and what of it is tracked. */
export interface ModelAnswer {
  readonly sources: readonly DiagramSource[];
  /** Roles of permissions, without `admin`. */
  readonly roles: readonly string[];
}

export interface DiagramSource {
  readonly name: string;
  /** Why the database could not be read. */
  readonly error?: string;
  readonly tables: readonly DiagramTable[];
  readonly functions: readonly DiagramFunction[];
  readonly suggestions: readonly ModelSuggestion[];
}

export interface DiagramTable extends QualifiedName {
  /** Absent for a tracked table that the database does not have. */
  readonly kind?: string;
  readonly isTracked: boolean;
  readonly customName?: string;
  /** Its rows are those of a partitioned table. */
  readonly partitionOf?: string;
  readonly columns: number;
  /** Relationships, by name, with the table that each leads to. */
  readonly relationships: readonly { readonly name: string; readonly to?: string }[];
  /** Roles with a permission. */
  readonly roles: readonly string[];
}

export interface DiagramFunction extends QualifiedName {
  readonly isTracked: boolean;
  /** Key of the table whose rows it returns. */
  readonly returns?: string;
  readonly changesData: boolean;
  /** Why it cannot be a root field. */
  readonly obstacle?: string;
}

export interface ModelSuggestion {
  readonly type: 'object' | 'array';
  readonly name: string;
  readonly from: QualifiedName;
  readonly to: QualifiedName;
  /** `customer_id → id`. */
  readonly over: string;
  /** For pg_create_object_relationship and pg_create_array_relationship. */
  readonly using: JsonObject;
}

export type PermissionOperation = 'select' | 'insert' | 'update' | 'delete';

/** A table as the editor of permissions needs it. */
export interface TableAnswer {
  readonly source: string;
  readonly table: QualifiedName;
  readonly kind: string;
  readonly isTracked: boolean;
  readonly isEnum: boolean;
  /** As in the metadata. */
  readonly configuration: JsonObject;
  readonly columns: readonly TableColumn[];
  readonly relationships: readonly TableRelationship[];
  /** Names of computed fields. */
  readonly computedFields: readonly string[];
  /** Functions that take a row of the table and are not computed fields of it. */
  readonly computable: readonly ComputableFunction[];
  /** By operation: entries of the metadata. */
  readonly permissions: Readonly<Record<PermissionOperation, readonly WrittenPermission[]>>;
  /** By operation: permissions as served. */
  readonly served: Readonly<Record<PermissionOperation, readonly WrittenPermission[]>>;
  /** Roles of the whole metadata. */
  readonly roles: readonly string[];
  /** Roles made of other roles; they have separate permissions only where given. */
  readonly inherited: readonly string[];
  /** Session variables that some permission of the metadata names. */
  readonly variables: readonly string[];
}

export interface ComputableFunction extends QualifiedName {
  /** Type or table; of several rows with `setof`. */
  readonly returns: string;
  /** The argument that gets the row, where it is not the first. */
  readonly tableArgument?: string;
}

export interface TableColumn {
  readonly name: string;
  /** `int4`. */
  readonly type: string;
  readonly input: 'number' | 'boolean' | 'text' | 'json';
  readonly isNullable: boolean;
  /** It has a default, or is generated. */
  readonly hasDefault: boolean;
  readonly customName?: string;
  /** Operators of rules, by name. */
  readonly operators: readonly ColumnOperator[];
  readonly comment?: string;
}

export interface ColumnOperator {
  readonly name: string;
  /** Kind of the operand. */
  readonly operand: 'value' | 'list' | 'column' | 'boolean' | 'json';
}

export interface TableRelationship {
  readonly name: string;
  readonly type: 'object' | 'array';
  /** Absent where the foreign key does not exist. */
  readonly to?: QualifiedName;
}

export interface WrittenPermission {
  readonly role: string;
  readonly permission: JsonObject;
  readonly comment?: string;
}

/** What operations would change, judged by the compiler and the reviews of the command line. */
export interface PreviewAnswer {
  /** Objects that would no longer be served, or never were. */
  readonly inconsistencies: readonly {
    readonly name: string;
    readonly reason: string;
    readonly isNew: boolean;
  }[];
  /** What `engine audit diff` says. */
  readonly audit: {
    readonly findings: readonly PreviewFinding[];
    readonly notCompared: string;
  };
  /** Findings that `engine lint` would have more and less, as code and message. */
  readonly lint: {
    readonly added: readonly PreviewLint[];
    readonly gone: readonly PreviewLint[];
  };
  /** Statements of roles whose permissions change. */
  readonly statements: readonly PreviewStatement[];
  /** Generated files that differ: access lines and ledgers of roles first. */
  readonly files: readonly PreviewFile[];
  /** Number of further files that differ. */
  readonly furtherFiles: number;
  /** Difference of the metadata folder, as `git apply` reads it; empty without one. */
  readonly patch: string;
  /** Places where the metadata has secrets written out, with what to write instead. */
  readonly secrets: readonly string[];
}

export interface PreviewFinding {
  readonly verdict: string;
  readonly role?: string;
  readonly table?: string;
  readonly operation?: string;
  readonly text: string;
  readonly before?: string;
  readonly after?: string;
}

export interface PreviewLint {
  readonly code: string;
  readonly message: string;
}

export interface PreviewStatement {
  readonly role: string;
  readonly source: string;
  readonly table: string;
  readonly operation: PermissionOperation;
  readonly sql: string;
}

export interface PreviewFile {
  readonly path: string;
  /** Lines marked `-` and `+`, with some around them. */
  readonly difference: string;
}
