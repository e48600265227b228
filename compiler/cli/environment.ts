/** Which environment variables the metadata takes addresses and secrets from: names only, values are never read. */
import {
  type ConfiguredHeader,
  type EnvironmentText,
  environmentVariablesOf,
} from '../../runtime/core/environment-template.ts';
import type { CronTrigger, Metadata, MetadataPath } from '../../runtime/metadata/metadata.ts';

export interface EnvironmentVariable {
  readonly name: string;
  /** The objects that need it, in document order. */
  readonly users: readonly MetadataPath[];
}

/** The variables, sorted by name. */
export function environmentVariables(metadata: Metadata): EnvironmentVariable[] {
  const users = new Map<string, MetadataPath[]>();
  const need = (name: string, path: MetadataPath) => {
    const known = users.get(name);
    if (known) known.push(path);
    else users.set(name, [path]);
  };
  const address = (text: EnvironmentText, path: MetadataPath) => {
    for (const name of environmentVariablesOf(text)) need(name, path);
  };
  const headers = (list: readonly ConfiguredHeader[], path: MetadataPath) => {
    list.forEach(({ value }, index) => {
      address(value, [...path, index]);
    });
  };
  const secrets = ({ signing, path }: Pick<CronTrigger, 'signing' | 'path'>) => {
    for (const name of signing?.secrets_from_env ?? []) need(name, [...path, 'signing']);
  };
  for (const { configuration, tables, path } of metadata.sources) {
    const connections = [
      [configuration.connection_info, [...path, 'configuration', 'connection_info']] as const,
      ...(configuration.read_replicas ?? []).map(
        (replica, index) => [replica, [...path, 'configuration', 'read_replicas', index]] as const,
      ),
    ];
    for (const [{ database_url, ssl_configuration: ssl }, place] of connections) {
      if (database_url.kind === 'template') address(database_url.template, [...place, 'database_url']);
      if (database_url.kind === 'environment') need(database_url.variable, [...place, 'database_url']);
      for (const key of ['sslrootcert', 'sslcert', 'sslkey', 'sslpassword'] as const)
        if (ssl?.[key]) need(ssl[key].from_env, [...place, 'ssl_configuration', key]);
    }
    for (const { insert_permissions, update_permissions, delete_permissions } of tables)
      for (const entry of [...insert_permissions, ...update_permissions, ...delete_permissions]) {
        const { validate_input: validation } = entry.permission;
        if (!validation) continue;
        const place = [...entry.path, 'permission', 'validate_input', 'definition'];
        address(validation.definition.url, [...place, 'url']);
        headers(validation.definition.headers, [...place, 'headers']);
      }
    for (const trigger of tables.flatMap((table) => table.event_triggers)) {
      address(trigger.webhook, trigger.path);
      headers(trigger.headers, [...trigger.path, 'headers']);
      secrets(trigger);
    }
  }
  for (const { definition, path } of metadata.remote_schemas) {
    address(definition.url, [...path, 'definition']);
    headers(definition.headers, [...path, 'definition', 'headers']);
  }
  for (const { definition, path } of metadata.actions) {
    address(definition.handler, [...path, 'definition', 'handler']);
    headers(definition.headers, [...path, 'definition', 'headers']);
  }
  for (const trigger of metadata.cron_triggers) {
    address(trigger.webhook, [...trigger.path, 'webhook']);
    headers(trigger.headers, [...trigger.path, 'headers']);
    secrets(trigger);
  }
  return [...users]
    .map(([name, paths]) => ({ name, users: paths }))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}
