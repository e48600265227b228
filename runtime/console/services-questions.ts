/** What the console's pages of services ask: actions, triggers, remote schemas, saved operations and endpoints as the metadata has them. */
import type { JsonObject } from '../core/json/json.ts';
import type { QualifiedName } from '../core/names.ts';

/** Services of the metadata, with the changes that wait. Entries are as the metadata writes them. */
export interface ServicesAnswer {
  /** Roles of the whole metadata, without `admin`. */
  readonly roles: readonly string[];
  /** Tracked tables. */
  readonly tables: readonly SourceTable[];
  readonly triggers: readonly {
    readonly source: string;
    readonly table: QualifiedName;
    readonly trigger: NamedEntry;
  }[];
  readonly actions: readonly ActionEntry[];
  readonly crons: readonly NamedEntry[];
  readonly remotes: readonly RemoteEntry[];
  readonly collections: readonly CollectionEntry[];
  readonly allowlist: readonly AllowlistAnswer[];
  readonly endpoints: readonly EndpointEntry[];
}

export interface SourceTable extends QualifiedName {
  readonly source: string;
}

/** An entry of a list of the metadata. */
export type NamedEntry = JsonObject & { readonly name: string };

interface RoleEntry {
  readonly role: string;
}

export type ActionEntry = NamedEntry & {
  readonly definition: JsonObject;
  readonly comment?: string;
  readonly permissions?: readonly RoleEntry[];
};

export type RemoteEntry = NamedEntry & {
  readonly definition: JsonObject;
  readonly permissions?: readonly (RoleEntry & { readonly definition: { readonly schema: string } })[];
};

export type CollectionEntry = NamedEntry & {
  readonly definition: { readonly queries: readonly { readonly name: string; readonly query: string }[] };
};

export interface AllowlistAnswer {
  readonly collection: string;
  readonly scope: { readonly global: boolean; readonly roles?: readonly string[] };
}

export type EndpointEntry = NamedEntry & {
  readonly url: string;
  readonly methods: readonly string[];
  readonly comment?: string | null;
  readonly definition: {
    readonly query: { readonly collection_name: string; readonly query_name: string };
  };
};

/** An action: its definition, and what to write its handler and to call it with. */
export interface ActionAnswer {
  /** The field and its types in GraphQL; absent for an unknown action. */
  readonly definition?: string;
  /** An operation that calls it, with values to fill in. */
  readonly call?: { readonly query: string; readonly variables: JsonObject };
  /** Arguments of `set_custom_types` once it is dropped; absent where its types are not its alone. */
  readonly remaining?: JsonObject;
  /** TypeScript for its handler; absent where the action cannot be served. */
  readonly handler?: { readonly types: string; readonly stub: string };
  /** What a text means. */
  readonly read?: ReadAction | { readonly problem: string };
}

/** The meaning of a definition in GraphQL. */
export interface ReadAction {
  readonly name: string;
  /** `arguments`, `output_type` and `type` of the definition. */
  readonly signature: JsonObject;
  /** Arguments of `set_custom_types`: the types that there are, with those of the text. */
  readonly types: JsonObject;
  /** The same without types that nothing uses any more; absent where there are none. */
  readonly remaining?: JsonObject;
}

/** A remote schema, and the part of it that a role sees. */
export interface RemotePartAnswer {
  /** Why there is nothing to choose from. */
  readonly problem?: string;
  /** Types with fields; root types first. */
  readonly types?: readonly RemotePartType[];
  /** Fields as `Type.field`, with the fields that the chosen ones need. */
  readonly chosen?: readonly string[];
  /** SDL of a permission. */
  readonly schema?: string;
}

export interface RemotePartType {
  readonly name: string;
  readonly kind: 'query' | 'mutation' | 'subscription' | 'object' | 'interface';
  readonly fields: readonly { readonly name: string; readonly type: string }[];
}
