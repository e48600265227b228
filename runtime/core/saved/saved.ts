/**
 * The data of generated files about saved operations: the operations of query collections, which documents the allow-list
 * lets through, and which URLs run which operation. Plain data, as in shapes.ts; how a file has an operation: saved-file.ts.
 */

import type { WriteStatement, WriteStep } from '../mutation/step.ts';
import type { SchemaOptions } from '../program/program.ts';
import type { PlanOptions } from '../query/scope.ts';
import type { When } from '../request/analyse.ts';
import type { CacheRequest } from '../request/cached.ts';
import type { AnswerPart } from '../request/plan.ts';
import type { Encoding } from '../sql/fragment.ts';

export interface SavedOperation {
  readonly collection: string;
  readonly name: string;
  readonly kind: 'query' | 'mutation' | 'subscription';
  /** The document as it was saved. */
  readonly document: string;
  readonly variables?: Readonly<Record<string, SavedVariable>>;
  /** Why there are no plans: the SQL depends on the request, so the document is planned per request. */
  readonly template?: string;
  /** How variables are written for Postgres, by variable and type: `id::integer`. Regular expressions: `"^a"::text`. */
  readonly values?: Readonly<Record<string, SavedValue>>;
  /**
   * Of a subscription, by role: what a write has to concern for it to be read again; see wakes.ts. For people: a server finds
   * it in `reads` and in the rules.
   */
  readonly wakes?: Readonly<Record<string, readonly string[]>>;
  /** The plans of roles; the first one whose conditions hold runs. */
  readonly plans?: readonly SavedPlan[];
}

/** The statements of an operation for some roles and some kinds of values. */
export interface SavedPlan {
  readonly roles: readonly string[];
  readonly when?: When;
  /** Where they differ from those of the operation. */
  readonly values?: Readonly<Record<string, SavedValue>>;
  /** One for each source of a query, or one for each root field of a mutation. */
  readonly steps: readonly (SavedStep | SavedWrite)[];
  readonly answer: readonly AnswerPart[];
  /** Of a query with `@cached`. */
  readonly cached?: CacheRequest;
}

/** SQL with holes, see saved-sql.ts. */
export interface SavedStatement {
  readonly sql: string;
}

/** A statement whose single row holds JSON texts. */
export interface SavedStep extends SavedStatement {
  readonly source: string;
  /** The same as in a step of a request (request/steps.ts). */
  readonly once?: true;
  /** Of a subscription and of a query with `@cached`: what the statement reads beside the rules in its holes. Absent: not known. */
  readonly reads?: SavedReads;
}

export interface SavedReads {
  readonly tables: readonly SavedRead[];
  readonly functions?: readonly (readonly [schema: string, name: string])[];
  /** Of a rule that no hole could name: functions without a schema and keywords, a text that is a moment, a part that cannot be read. */
  readonly words?: readonly string[];
  readonly moment?: true;
  readonly unknown?: true;
}

/** A table at one place of a statement. */
export interface SavedRead {
  readonly table: string;
  readonly as?: string;
  /** Absent: whole rows. */
  readonly columns?: readonly string[];
  /** What columns have to equal, as holes name it: `$id::integer`. */
  readonly where?: Readonly<Record<string, string>>;
  /** The role's rule is among its conditions: that of the table, or of rows `through SCHEMA.TABLE RELATIONSHIP`. */
  readonly rule?: true | string;
}

/** `path` is absent for `$`. */
export type SavedWriteStatement = SavedStatement &
  Pick<WriteStatement, 'noRow'> & {
    readonly path?: string;
    /** Keys of the tables that it writes. */
    readonly writes?: readonly string[];
  };

/** A root field of a mutation (see WriteStep). */
export interface SavedWrite {
  readonly source: string;
  readonly statements: readonly SavedWriteStatement[];
  readonly answer: WriteStep['answer'];
  readonly once?: true;
}

/** How a variable or regular expression is written for Postgres, and its path in the document, for errors. */
export interface SavedValue {
  readonly encoding: Encoding;
  readonly path: string;
}

/** Options that the statements were made for; a server with other options plans anew. */
export type SavedOptions = PlanOptions & SchemaOptions;

/** A variable as the document declares it. */
export interface SavedVariable {
  /** Type in the document: `uuid!`, `[Int!]`. */
  readonly type: string;
  /** Value, if the document gives one. */
  readonly default?: unknown;
  /** The type is an input object, or a list of them: a text of a URL is read as JSON. */
  readonly input?: true;
}

/** A document of the allow-list, in the form in which documents are compared. */
export interface AllowedDocument {
  readonly collection: string;
  readonly name: string;
  /** Absent: every role. */
  readonly roles?: readonly string[];
  /** Absent: that of the operation; present if the document cannot be called, because it has several operations. */
  readonly document?: string;
}

export type RestMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A URL below `/api/rest/` and what it runs. */
export interface RestRoute {
  readonly name: string;
  readonly methods: readonly RestMethod[];
  /** Segments that begin with `:` are variables. */
  readonly url: string;
  readonly operation: SavedOperation;
  readonly comment?: string;
}

export interface SavedProgram {
  readonly options: SavedOptions;
  readonly operations: readonly SavedOperation[];
  readonly allowlist: readonly AllowedDocument[];
  readonly routes: readonly RestRoute[];
}

/** Declares what the allow-list lets through. */
export function allowedDocuments(documents: readonly AllowedDocument[]): readonly AllowedDocument[] {
  return Object.freeze(documents);
}

/** Declares the REST endpoints. */
export function restRoutes(routes: readonly RestRoute[]): readonly RestRoute[] {
  return Object.freeze(routes);
}
