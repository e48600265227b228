/** Custom types and actions as generated files declare them: plain data, the same for every role. */
import type { ConfiguredHeader } from '../environment-template.ts';

/** Types that actions take and return. Names are unique over all kinds. */
export interface CustomTypesShape {
  readonly scalars?: Readonly<Record<string, { readonly description?: string }>>;
  readonly enums?: Readonly<Record<string, CustomEnumShape>>;
  readonly inputs?: Readonly<Record<string, CustomFieldsShape>>;
  readonly objects?: Readonly<Record<string, CustomObjectShape>>;
  /** Scalars of PostgreSQL that fields or arguments use: name → type key. */
  readonly postgres?: Readonly<Record<string, string>>;
}

interface CustomEnumShape {
  readonly description?: string;
  readonly values: Readonly<Record<string, { readonly description?: string; readonly deprecated?: true }>>;
}

export interface CustomFieldsShape {
  readonly description?: string;
  readonly fields: Readonly<Record<string, CustomFieldShape>>;
}

/** A field or argument; `type` is a GraphQL type, such as `[String!]`. */
export interface CustomFieldShape {
  readonly type: string;
  readonly description?: string;
}

export interface CustomObjectShape extends CustomFieldsShape {
  readonly relationships?: Readonly<Record<string, CustomRelationshipShape>>;
}

/** Rows of a table that belong to an object, found by equality of a field and a column. */
export interface CustomRelationshipShape {
  readonly kind: 'object' | 'array';
  readonly source: string;
  /** `schema.name`, as in `objectKey`. */
  readonly table: string;
  /** Field of the object → column of the table. */
  readonly columns: Readonly<Record<string, string>>;
}

export interface ActionShape {
  readonly name: string;
  readonly description?: string;
  readonly type: 'query' | 'mutation';
  readonly kind: 'synchronous' | 'asynchronous';
  readonly arguments: Readonly<Record<string, CustomFieldShape>>;
  /** A GraphQL type; what the handler must answer. */
  readonly output: string;
  /** Address of the handler; may hold `{{NAME}}` for environment variables. */
  readonly handler: string;
  readonly headers?: readonly ConfiguredHeader[];
  readonly forwardClientHeaders?: true;
  /** Lower case; replaces the default list. */
  readonly ignoredClientHeaders?: readonly string[];
  /** Seconds for the whole call. */
  readonly timeout: number;
  readonly requestTransform?: unknown;
  readonly responseTransform?: unknown;
  /** Roles besides admin that may call it; those that inherit it included. */
  readonly roles: readonly string[];
}

/** Actions with the types that they use. */
export interface ActionsProgram {
  readonly types: CustomTypesShape;
  readonly actions: readonly ActionShape[];
}

/** Declares the custom types. */
export function customTypes(shape: CustomTypesShape): CustomTypesShape {
  return Object.freeze(shape);
}

/** Declares an action. */
export function action(shape: ActionShape): ActionShape {
  return Object.freeze(shape);
}
