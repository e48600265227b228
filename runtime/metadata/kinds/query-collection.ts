/** Saved queries, and what refers to them: the allow-list and REST endpoints. */

import type { Located } from '../../core/json/json.ts';
import type { Codec, TypeOf } from '../codec.ts';
import {
  convert,
  nonEmptyList,
  object,
  optional,
  orNull,
  printedDefault,
  requiredList,
} from '../combinators.ts';
import { keyedEntries } from '../entries.ts';
import { boolean, name, oneOf, text } from '../values.ts';
import { comment } from './shared.ts';

export type CollectionQuery = TypeOf<typeof collectionQuery>;
const collectionQuery = object({ name, query: text });

export type QueryCollection = TypeOf<typeof queryCollection> & Located;
export const queryCollection = object({
  name,
  definition: object({ queries: requiredList(collectionQuery) }),
  comment,
});

export const queryCollections = keyedEntries(queryCollection, {
  kind: 'query collections',
  key: (collection) => collection.name,
});

export type AllowlistScope =
  | { readonly global: true }
  | { readonly global: false; readonly roles: readonly string[] };

export const allowlistScope: Codec<AllowlistScope> = convert(
  object({ global: boolean, roles: optional(nonEmptyList(name)) }),
  {
    read: ({ global, roles }, fail): AllowlistScope => {
      if (global) {
        if (roles !== undefined) fail('roles are not allowed when global is true');
        return { global };
      }
      if (roles === undefined) fail('key "roles" not found');
      if (new Set(roles).size !== (roles ?? []).length) fail('duplicate roles are not allowed');
      return { global, roles: roles ?? [] };
    },
    write: (scope) => scope,
  },
);

export type AllowlistEntry = TypeOf<typeof allowlistEntry> & Located;
export const allowlistEntry = object({
  collection: name,
  scope: printedDefault<AllowlistScope>(allowlistScope, { global: true }),
});

export const allowlist = keyedEntries(allowlistEntry, {
  kind: 'allowlist entries',
  key: ({ collection }) => collection,
});

export type RestMethod = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';

export type RestEndpoint = TypeOf<typeof restEndpoint> & Located;
export const restEndpoint = object({
  comment: orNull(comment),
  definition: object({ query: object({ collection_name: name, query_name: name }) }),
  methods: nonEmptyList<RestMethod>(oneOf('GET', 'POST', 'PUT', 'DELETE', 'PATCH')),
  name,
  url: name,
});

export const restEndpoints = keyedEntries(restEndpoint, {
  kind: 'rest endpoints',
  key: (endpoint) => endpoint.name,
  order: ({ url }) => url,
});
