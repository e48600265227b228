/** Settings of the whole service: inherited roles, limits, metrics, introspection, the network. */

import type { Located } from '../../core/json/json.ts';
import type { ApiLimits, Limit, RateLimit, UnverifiedHost } from '../../core/settings.ts';
import type { Codec, TypeOf } from '../codec.ts';
import {
  asGiven,
  choose,
  key,
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
export const inheritedRole = object(
  {
    role_name: key('Name of the role.', name),
    role_set: key('Roles whose permissions it joins.', requiredList(name)),
  },
  { title: 'Inherited role' },
);

export const inheritedRoles = keyedEntries(inheritedRole, {
  kind: 'inherited roles',
  key: ({ role_name }) => role_name,
});

function limit<Value>(meaning: string, value: Codec<Value>) {
  const per_role = printedDefault<Readonly<Record<string, Value>>>(record(value), {});
  const fields = { global: key('For every role.', value), per_role: key('Role → its own limit.', per_role) };
  return key(meaning, optional(object(fields) as unknown as Codec<Limit<Value>>));
}

const rateLimit: Codec<RateLimit> = object({
  max_reqs_per_min: key('Maximum requests a minute.', numberFrom(0)),
  unique_params: key(
    'What counts apart within a role: `"IP"` (the address of the client), or session variables. Absent: nothing.',
    optional(
      choose<'IP' | readonly string[]>((input) =>
        typeof input === 'string' ? oneOf('IP') : requiredList(name),
      ),
    ),
  ),
});

export const apiLimits: Codec<ApiLimits> = sorted(
  object(
    {
      disabled: key('Switch all limits off.', printedDefault(boolean, false)),
      depth_limit: limit('Maximum depth of fields with selections.', naturalNumber),
      node_limit: limit('Maximum number of fields with selections.', naturalNumber),
      batch_limit: limit('Maximum operations of one batched request.', naturalNumber),
      time_limit: limit('Maximum duration of an operation in seconds.', numberFrom(0)),
      rate_limit: limit('Maximum requests in a time.', rateLimit),
    },
    { title: 'API limits' },
  ),
);

export type MetricsConfig = TypeOf<typeof metricsConfig>;
const withoutEffect = 'Kept, without effect.';
export const metricsConfig = object({
  analyze_query_variables: key(withoutEffect, boolean),
  analyze_response_body: key(withoutEffect, boolean),
});

export const graphqlSchemaIntrospection = object({
  disabled_for_roles: key('Roles that may not ask for the schema.', list(name)),
});

export type TlsAllowlistEntry = TypeOf<typeof tlsAllowlistEntry>;
export const tlsAllowlistEntry = object({
  host: key('Name of the host.', name),
  suffix: key('A port, or a path. Absent: all.', optional(text)),
  permissions: key(
    '`self-signed`, also if absent: the certificate is not verified. Others have no effect.',
    optional(requiredList(text)),
  ),
});

export const network = object({
  tls_allowlist: key(
    'Hosts of webhooks and remote schemas whose certificates are not verified.',
    list(tlsAllowlistEntry),
  ),
});

/** Hosts whose certificates are not verified; entries with other permissions than `self-signed` have no effect. */
export function unverifiedHosts({ tls_allowlist }: TypeOf<typeof network>): readonly UnverifiedHost[] {
  return tls_allowlist.flatMap(({ host, suffix, permissions }) =>
    permissions === undefined || permissions.includes('self-signed')
      ? [{ host, ...(suffix === undefined ? {} : { suffix }) }]
      : [],
  );
}

function pairs(meaning: string) {
  const pair = object({
    name: key('Name.', name),
    value: key('Value.', optional(text)),
    value_from_env: key('Environment variable that holds the value.', optional(name)),
  });
  return key(meaning, optional(requiredList(pair)));
}

/**
 * Where traces are sent, kept as it is given: values may be `{{NAME}}` for environment variables, and what is wrong with them is
 * said where they are used.
 */
export const opentelemetry = asGiven(
  object(
    {
      status: key('`enabled`, `disabled` or `{{NAME}}`.', optional(text)),
      data_types: key('`[traces]`. Metrics and logs are kept, without effect.', optional(requiredList(text))),
      exporter_otlp: key(
        'The collector.',
        optional(
          object({
            otlp_traces_endpoint: key(
              'Its URL for traces, such as `http://localhost:4318/v1/traces`.',
              optional(json),
            ),
            otlp_metrics_endpoint: key(withoutEffect, optional(json)),
            otlp_logs_endpoint: key(withoutEffect, optional(json)),
            protocol: key('`http/protobuf`, whatever is given.', optional(json)),
            headers: pairs('Headers for the collector.'),
            resource_attributes: pairs('Attributes of the service.'),
            traces_propagators: key(
              'Kept, without effect: traces go on by the headers of both B3 and the W3C.',
              optional(json),
            ),
          }),
        ),
      ),
      batch_span_processor: key(
        'How spans are sent.',
        optional(object({ max_export_batch_size: key('Maximum spans of one request.', optional(json)) })),
      ),
    },
    { title: 'OpenTelemetry' },
  ),
);
