/** Saved queries, and what refers to them: the allow-list and REST endpoints. */

import type { Located } from '../../core/json/json.ts';
import type { RestMethod } from '../../core/saved/saved.ts';
import type { Codec, TypeOf } from '../codec.ts';
import {
  convert,
  key,
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
const collectionQuery = object({
  name: key('Name of the operation in its collection.', name),
  query: key('Text of the GraphQL operation.', text),
});

export type QueryCollection = TypeOf<typeof queryCollection> & Located;
export const queryCollection = object(
  {
    name: key('Name of the collection.', name),
    definition: key(
      'Its content.',
      object({ queries: key('The operations.', requiredList(collectionQuery)) }),
    ),
    comment,
  },
  { title: 'Query collection' },
);

export const queryCollections = keyedEntries(queryCollection, {
  kind: 'query collections',
  key: (collection) => collection.name,
});

export type AllowlistScope =
  | { readonly global: true }
  | { readonly global: false; readonly roles: readonly string[] };

export const allowlistScope: Codec<AllowlistScope> = convert(
  object({
    global: key('For every role.', boolean),
    roles: key('Of `global: false`: the roles.', optional(nonEmptyList(name))),
  }),
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
export const allowlistEntry = object(
  {
    collection: key('Collection whose operations are allowed.', name),
    scope: key(
      'Roles to which they are allowed.',
      printedDefault<AllowlistScope>(allowlistScope, { global: true }),
    ),
  },
  { title: 'Allow-list entry' },
);

export const allowlist = keyedEntries(allowlistEntry, {
  kind: 'allowlist entries',
  key: ({ collection }) => collection,
});

export type RestEndpoint = TypeOf<typeof restEndpoint> & Located;
export const restEndpoint = object(
  {
    comment: orNull(comment),
    definition: key(
      'What it runs.',
      object({
        query: key(
          'A saved operation.',
          object({
            collection_name: key('Its collection.', name),
            query_name: key('Its name in the collection.', name),
          }),
        ),
      }),
    ),
    methods: key(
      'Methods of HTTP that it answers.',
      nonEmptyList<RestMethod>(oneOf('GET', 'POST', 'PUT', 'DELETE', 'PATCH')),
    ),
    name: key('Name of the endpoint.', name),
    url: key('Path below `/api/rest/`; a segment `:name` gives the variable `name`.', name),
  },
  { title: 'REST endpoint' },
);

export const restEndpoints = keyedEntries(restEndpoint, {
  kind: 'rest endpoints',
  key: (endpoint) => endpoint.name,
  order: ({ url }) => url,
});
