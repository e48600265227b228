/** Settings of the whole service: inherited roles, limits, metrics, introspection, the network. */
import type { ApiLimits, Limit, RateLimit, UnverifiedHost } from '../../core/settings.ts';
import type { Codec, TypeOf } from '../codec.ts';
import {
  choose,
  list,
  object,
  optional,
  printedDefault,
  record,
  requiredList,
  sorted,
} from '../combinators.ts';
import { keyedEntries } from '../entries.ts';
import type { Located } from '../json.ts';
import { boolean, name, number, oneOf, text } from '../values.ts';

export type InheritedRole = TypeOf<typeof inheritedRole> & Located;
export const inheritedRole = object({ role_name: name, role_set: requiredList(name) });

export const inheritedRoles = keyedEntries(inheritedRole, {
  kind: 'inherited roles',
  key: ({ role_name }) => role_name,
});

function limit<Value>(value: Codec<Value>) {
  const per_role = printedDefault<Readonly<Record<string, Value>>>(record(value), {});
  return optional(object({ global: value, per_role }) as unknown as Codec<Limit<Value>>);
}

const rateLimit: Codec<RateLimit> = object({
  max_reqs_per_min: number,
  unique_params: optional(
    choose<'IP' | readonly string[]>((input) =>
      typeof input === 'string' ? oneOf('IP') : requiredList(name),
    ),
  ),
});

export const apiLimits: Codec<ApiLimits> = sorted(
  object({
    disabled: printedDefault(boolean, false),
    depth_limit: limit(number),
    node_limit: limit(number),
    batch_limit: limit(number),
    time_limit: limit(number),
    rate_limit: limit(rateLimit),
  }),
);

export type MetricsConfig = TypeOf<typeof metricsConfig>;
export const metricsConfig = object({ analyze_query_variables: boolean, analyze_response_body: boolean });

export const graphqlSchemaIntrospection = object({ disabled_for_roles: list(name) });

export type TlsAllowlistEntry = TypeOf<typeof tlsAllowlistEntry>;
export const tlsAllowlistEntry = object({
  host: name,
  suffix: optional(text),
  permissions: optional(requiredList(text)),
});

export const network = object({ tls_allowlist: list(tlsAllowlistEntry) });

/** Hosts whose certificates are not verified; entries with other permissions than `self-signed` have no effect. */
export function unverifiedHosts({ tls_allowlist }: TypeOf<typeof network>): readonly UnverifiedHost[] {
  return tls_allowlist.flatMap(({ host, suffix, permissions }) =>
    permissions === undefined || permissions.includes('self-signed')
      ? [{ host, ...(suffix === undefined ? {} : { suffix }) }]
      : [],
  );
}
