/** Settings of the whole service: inherited roles, limits, metrics, introspection, the network. */

import type { Located } from '../../core/json/json.ts';
import type { ApiLimits, Limit, RateLimit, UnverifiedHost } from '../../core/settings.ts';
import type { Codec, TypeOf } from '../codec.ts';
import {
  asGiven,
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
import { boolean, json, name, naturalNumber, numberFrom, oneOf, text } from '../values.ts';

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
  max_reqs_per_min: numberFrom(0),
  unique_params: optional(
    choose<'IP' | readonly string[]>((input) =>
      typeof input === 'string' ? oneOf('IP') : requiredList(name),
    ),
  ),
});

export const apiLimits: Codec<ApiLimits> = sorted(
  object({
    disabled: printedDefault(boolean, false),
    depth_limit: limit(naturalNumber),
    node_limit: limit(naturalNumber),
    batch_limit: limit(naturalNumber),
    time_limit: limit(numberFrom(0)),
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

const pairs = optional(requiredList(object({ name, value: optional(text), value_from_env: optional(name) })));

/**
 * Where traces are sent, kept as it is given: values may be `{{NAME}}` for environment variables, and what is wrong with them is
 * said where they are used.
 */
export const opentelemetry = asGiven(
  object({
    status: optional(text),
    data_types: optional(requiredList(text)),
    exporter_otlp: optional(
      object({
        otlp_traces_endpoint: optional(json),
        otlp_metrics_endpoint: optional(json),
        otlp_logs_endpoint: optional(json),
        protocol: optional(json),
        headers: pairs,
        resource_attributes: pairs,
        traces_propagators: optional(json),
      }),
    ),
    batch_span_processor: optional(object({ max_export_batch_size: optional(json) })),
  }),
);
