import { EngineError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { Codec } from '../../metadata/codec.ts';
import { object } from '../../metadata/combinators.ts';
import {
  apiLimits,
  graphqlSchemaIntrospection,
  metricsConfig,
  opentelemetry,
  tlsAllowlistEntry,
} from '../../metadata/kinds/settings.ts';
import type { Metadata } from '../../metadata/metadata.ts';
import { text } from '../../metadata/values.ts';
import { settingsProblem, unsentTypes } from '../../observe/tracing/settings.ts';
import { optionally, without } from '../change/edit.ts';
import type { WorkingCopy } from '../change/working-copy.ts';
import { noArguments } from '../request/arguments.ts';
import { warnNotServed } from '../request/not-served.ts';
import { METADATA, type MetadataOperation, operation, SUCCESS } from '../request/operation.ts';

/** Inconsistent metadata: listing and removing it. */
const WITHOUT_WARNING =
  /^(remove_|drop_|set_api_limits$|set_graphql_schema_introspection_options$|set_opentelemetry_)/;

/** An operation that sets one top-level key of the metadata. */
function setting<Value>(
  name: string,
  documentation: string,
  schema: Codec<Value>,
  change: (metadata: Metadata, value: Value) => Metadata,
): MetadataOperation {
  return operation({
    name,
    spelling: 'bare',
    endpoints: METADATA,
    documentation,
    arguments: schema,
    ...(name.startsWith('remove_') && { argumentsOptional: true as const }),
    policy: 'others',
    changesMetadata: true,
    run: (value, copy) => {
      copy.metadata = change(copy.metadata, value);
      if (name.startsWith('set_opentelemetry_')) warnOfUnsent(copy, name);
      if (!WITHOUT_WARNING.test(name)) warnNotServed(copy, 'setting', name, `The settings of ${name}`);
      return SUCCESS;
    },
  });
}

/** @throws EngineError invalid-params for settings that can never be used */
function withTelemetry(metadata: Metadata, opentelemetry: JsonObject): Metadata {
  const problem = settingsProblem(opentelemetry);
  if (problem !== undefined) throw new EngineError('invalid-params', problem);
  return { ...metadata, opentelemetry };
}

/** Only traces are sent: the other data types have ways of their own to a collector. */
function warnOfUnsent(copy: WorkingCopy, name: string): void {
  for (const type of unsentTypes(copy.metadata.opentelemetry))
    copy.warn({
      code: 'not-served-yet',
      message:
        `the data type ${JSON.stringify(type)} of opentelemetry is kept in the metadata, but not sent: only traces are. ` +
        'A collector gets metrics from /v1/metrics, and logs from the standard output',
      type: 'setting',
      name,
    });
}

export const settingOperations: readonly MetadataOperation[] = [
  setting(
    'set_api_limits',
    'Limits depth, nodes, batches, time and rate of requests.',
    apiLimits,
    (metadata, api_limits) => ({ ...metadata, api_limits }),
  ),
  setting('remove_api_limits', 'Removes all limits.', noArguments, (metadata) =>
    without(metadata, 'api_limits'),
  ),
  setting(
    'set_metrics_config',
    'Says what of requests and answers metrics analyse.',
    metricsConfig,
    (metadata, metrics_config) => ({ ...metadata, metrics_config }),
  ),
  setting('remove_metrics_config', 'Removes the configuration of metrics.', noArguments, (metadata) =>
    without(metadata, 'metrics_config'),
  ),
  setting(
    'set_graphql_schema_introspection_options',
    'Names the roles that may not introspect.',
    graphqlSchemaIntrospection,
    (metadata, graphql_schema_introspection) => ({ ...metadata, graphql_schema_introspection }),
  ),
  setting(
    'set_opentelemetry_config',
    'Sets where traces of requests are sent; metrics and logs are not sent.',
    opentelemetry,
    (metadata, opentelemetry) => withTelemetry(metadata, opentelemetry),
  ),
  setting(
    'set_opentelemetry_status',
    'Switches the sending of traces on or off.',
    object({ status: text }),
    (metadata, { status }) => withTelemetry(metadata, { ...metadata.opentelemetry, status }),
  ),
  setting(
    'add_host_to_tls_allowlist',
    'Accepts a host whose certificate cannot be verified.',
    tlsAllowlistEntry,
    (metadata, { host, suffix, permissions }) => {
      if (metadata.network.tls_allowlist.some((entry) => entry.host === host && entry.suffix === suffix)) {
        throw new EngineError('already-exists', `the host ${host} already exists in the allowlist`);
      }
      const added = { host, ...optionally('suffix', suffix), ...optionally('permissions', permissions) };
      return { ...metadata, network: { tls_allowlist: [...metadata.network.tls_allowlist, added] } };
    },
  ),
  setting(
    'drop_host_from_tls_allowlist',
    'Takes a host out of the list.',
    tlsAllowlistEntry,
    (metadata, { host, suffix }) => {
      const { tls_allowlist } = metadata.network;
      const kept = tls_allowlist.filter(
        (entry) => entry.host !== host || (suffix !== undefined && entry.suffix !== suffix),
      );
      if (kept.length === tls_allowlist.length) {
        throw new EngineError('not-found', `the host ${host} isn't present in the allowlist`);
      }
      return { ...metadata, network: { tls_allowlist: kept } };
    },
  ),
];
