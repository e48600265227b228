/** GET /v1alpha1/config: what the server is set to, for administrators. It contains no secrets. */
import {
  adminSecrets,
  type Configuration,
  jwtConfigurations,
  servingOptions,
} from '../configuration/configuration.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import type { JwtConfiguration } from '../session/jwt/configuration.ts';
import { adminEndpoint, type Endpoints } from './context.ts';

export function configEndpoints(version: string): Endpoints {
  return (app, context) => {
    const { configuration } = context;
    if (!configuration.enabledApis.includes('config')) return;
    const report = JSON.stringify(configReport(configuration, version));
    adminEndpoint(app, context, 'GET', '/v1alpha1/config', () => report);
  };
}

function configReport(configuration: Configuration, version: string): object {
  const tokens = jwtConfigurations(configuration) ?? [];
  const [first] = tokens;
  const report = (token: JwtConfiguration) => jwtReport(token, configuration.vocabulary);
  return {
    version,
    is_function_permissions_inferred: configuration.inferFunctionPermissions,
    is_remote_schema_permissions_enabled: configuration.enableRemoteSchemaPermissions,
    is_admin_secret_set: adminSecrets(configuration).length > 0,
    is_auth_hook_set: configuration.authHook !== undefined,
    is_jwt_set: first !== undefined,
    // A list only if there is more than one.
    jwt: first === undefined ? null : tokens.length === 1 ? report(first) : tokens.map(report),
    is_allow_list_enabled: configuration.enableAllowlist,
    live_queries: {
      batch_size: configuration.liveQueriesMultiplexedBatchSize,
      refetch_delay: configuration.liveQueriesMultiplexedRefetchInterval / 1000,
    },
    streaming_queries: {
      batch_size: configuration.streamingQueriesMultiplexedBatchSize,
      refetch_delay: configuration.streamingQueriesMultiplexedRefetchInterval / 1000,
    },
    console_assets_dir: configuration.consoleAssetsDir ?? null,
    experimental_features: configuration.experimentalFeatures,
    is_prometheus_metrics_enabled: configuration.enabledApis.includes('metrics'),
    default_naming_convention: configuration.vocabulary.naming(configuration.defaultNamingConvention),
    feature_flags: [],
    is_apollo_federation_enabled: servingOptions(configuration).apolloFederation === true,
  };
}

function jwtReport({ claims, claimsFormat }: JwtConfiguration, { claimsNamespace }: Vocabulary): object {
  return {
    claims_namespace:
      claims.kind === 'namespace' ? claims.name : claims.kind === 'path' ? claims.text : claimsNamespace,
    claims_format: claimsFormat,
    claims_map: claims.kind === 'map' ? claims.written : null,
  };
}
