/**
 * Settings that decide which data is served and where it goes, and that no served file holds: which database is behind a source,
 * how its connections are encrypted, where traces are sent. Addresses are hashes; of a database account and password are left out.
 */
import { createHash } from 'node:crypto';
import { isObject } from '../../../runtime/core/json/json.ts';
import type { ConnectionInfo, Metadata } from '../../../runtime/metadata/metadata.ts';

/** Setting → value, in a stable order. */
export function settingFacts({ sources, opentelemetry }: Metadata): Record<string, string> {
  const facts: [string, string][] = sources.flatMap(({ name, configuration }) => [
    ...connectionFacts(`source ${name}`, configuration.connection_info),
    ...(configuration.read_replicas ?? []).flatMap((replica, index) =>
      connectionFacts(`source ${name} replica ${index + 1}`, replica),
    ),
  ]);
  for (const [key, value] of Object.entries(opentelemetry ?? {}))
    for (const [inner, part] of isObject(value) ? Object.entries(value) : [['', value]])
      facts.push([['telemetry', key, inner].filter(Boolean).join(' '), hash(JSON.stringify(part ?? null))]);
  return Object.fromEntries(facts.sort(([left], [right]) => (left < right ? -1 : 1)));
}

function connectionFacts(
  name: string,
  { database_url: url, ssl_configuration: ssl }: ConnectionInfo,
): [string, string][] {
  // A connection string may say it, too.
  const [, mode] = (url.kind === 'template' && /[?&]sslmode=([^&]*)/.exec(url.template)) || [];
  return [
    [`${name} database`, databaseOf(url)],
    ...(mode !== undefined && !ssl ? [[`${name} TLS`, mode] as [string, string]] : []),
    ...(ssl
      ? [
          [`${name} TLS`, ssl.sslmode] as [string, string],
          [`${name} certificates`, hash(JSON.stringify([ssl.sslrootcert, ssl.sslcert, ssl.sslkey]))] as [
            string,
            string,
          ],
        ]
      : []),
  ];
}

function databaseOf(url: ConnectionInfo['database_url']): string {
  switch (url.kind) {
    case 'environment':
      return `of the variable ${url.variable}`;
    case 'file':
      return `of the file ${url.file}`;
    case 'parameters': {
      const { host, port, database } = url.parameters;
      return hash(JSON.stringify([host, port, database]));
    }
    case 'template':
      return hash(url.template.replace(/^([^:]+:\/\/).*@/, '$1').replace(/\?.*$/, ''));
  }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
