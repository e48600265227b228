/** What belongs to the whole service: collections, allow-list, REST endpoints, inherited roles, limits. */

import type { z } from 'zod';
import type { ApiLimits, Limit, RateLimit } from '../../core/settings.ts';
import type {
  AllowlistEntry,
  AllowlistScope,
  CollectionQuery,
  InheritedRole,
  MetricsConfig,
  QueryCollection,
  RestEndpoint,
  RestMethod,
  TlsAllowlistEntry,
} from '../metadata.ts';
import {
  boolean,
  choose,
  flag,
  list,
  nameSchema,
  nonEmptyList,
  number,
  object,
  objectAs,
  oneOf,
  optional,
  record,
  requiredList,
  text,
  withDefault,
} from './shared.ts';

const collectionQuerySchema = object<CollectionQuery>({ name: nameSchema, query: text });

export const queryCollectionSchema = object<Omit<QueryCollection, 'path'>>({
  name: nameSchema,
  definition: object<QueryCollection['definition']>({ queries: requiredList(collectionQuerySchema) }),
  comment: optional(text),
});

export const allowlistScopeSchema = objectAs<{ global: boolean; roles?: readonly string[] }, AllowlistScope>(
  { global: boolean, roles: optional(nonEmptyList(nameSchema)) },
  ({ global, roles }, fail) => {
    if (global) {
      if (roles !== undefined) fail('roles are not allowed when global is true');
      return { global };
    }
    if (roles === undefined) fail('key "roles" not found');
    if (new Set(roles).size !== (roles ?? []).length) fail('duplicate roles are not allowed');
    return { global, roles: roles ?? [] };
  },
);

export const allowlistEntrySchema = object<Omit<AllowlistEntry, 'path'>>({
  collection: nameSchema,
  scope: withDefault<AllowlistScope>(allowlistScopeSchema, { global: true }),
});

export const restEndpointSchema = object<Omit<RestEndpoint, 'path'>>({
  name: nameSchema,
  url: nameSchema,
  methods: nonEmptyList(oneOf<RestMethod>('GET', 'POST', 'PUT', 'DELETE', 'PATCH')),
  definition: object<RestEndpoint['definition']>({
    query: object<RestEndpoint['definition']['query']>({
      collection_name: nameSchema,
      query_name: nameSchema,
    }),
  }),
  comment: optional(text),
});

export const inheritedRoleSchema = object<Omit<InheritedRole, 'path'>>({
  role_name: nameSchema,
  role_set: requiredList(nameSchema),
});

function limit<Value>(value: z.ZodType<Value>): z.ZodType<Limit<Value>> {
  return object<Limit<Value>>({ global: value, per_role: withDefault(record(value), {}) } as never);
}

const rateLimit = object<RateLimit>({
  max_reqs_per_min: number,
  unique_params: optional(
    choose<'IP' | readonly string[]>((input) =>
      typeof input === 'string' ? oneOf('IP') : requiredList(nameSchema),
    ),
  ),
});

export const apiLimitsSchema = object<ApiLimits>({
  disabled: flag,
  depth_limit: optional(limit(number)),
  node_limit: optional(limit(number)),
  batch_limit: optional(limit(number)),
  time_limit: optional(limit(number)),
  rate_limit: optional(limit(rateLimit)),
});

export const metricsConfigSchema = object<MetricsConfig>({
  analyze_query_variables: boolean,
  analyze_response_body: boolean,
});

export const graphqlSchemaIntrospectionSchema = object<{ disabled_for_roles: readonly string[] }>({
  disabled_for_roles: list(nameSchema),
});

export const networkSchema = object<{ tls_allowlist: readonly TlsAllowlistEntry[] }>({
  tls_allowlist: list(
    object<TlsAllowlistEntry>({
      host: nameSchema,
      suffix: optional(text),
      permissions: optional(requiredList(text)),
    }),
  ),
});
