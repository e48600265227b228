/** The configuration as the server logs it when it starts. */
import { type Configuration, jwtConfigurations } from './configuration.ts';

/** The configuration for the log, without secrets. */
export function describeConfiguration(configuration: Configuration): object {
  return {
    port: configuration.serverPort,
    server_host: configuration.serverHost ?? null,
    transaction_isolation: configuration.txIso,
    admin_secret_set:
      configuration.adminSecret !== undefined ||
      configuration.accessKey !== undefined ||
      configuration.adminSecrets !== undefined,
    auth_hook: configuration.authHook === undefined ? null : new URL(configuration.authHook).origin,
    auth_hook_mode: configuration.authHook === undefined ? null : configuration.authHookMode,
    jwt_secret:
      jwtConfigurations(configuration)?.map(({ type, keys }) => ({ type, keys: keys.kind })) ?? null,
    unauth_role: configuration.unauthorizedRole ?? null,
    cors_config: configuration.disableCors ? 'disabled' : configuration.corsDomain,
    enable_console: configuration.enableConsole,
    console_assets_dir: configuration.consoleAssetsDir ?? null,
    use_prepared_statements: configuration.usePreparedStatements,
    stringify_numeric_types: configuration.stringifyNumericTypes,
    enabled_apis: configuration.enabledApis,
    enabled_log_types: configuration.enabledLogTypes,
    log_level: configuration.logLevel,
    dev_mode: configuration.devMode,
  };
}
