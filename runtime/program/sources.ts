/** Connects to a source as its metadata, and for what that leaves open the server's options, say. */

import { shareOf } from '../configuration/configuration.ts';
import { connectionUrl } from '../database/connection-url.ts';
import { withReplicas } from '../database/replicas.ts';
import { connectSource, type SourceConnection } from '../database/source.ts';
import type { ConnectionInfo, DatabaseUrl } from '../metadata/metadata.ts';
import type { ServerRole } from '../observe/logs/observe.ts';
import type { HostContext } from './host.ts';

/** Statements kept prepared on each connection; their size is limited as well (see database/statements.ts). */
const PREPARED_STATEMENTS = 500;

type SourceContext = Pick<HostContext, 'configuration' | 'environment'> &
  Partial<Pick<HostContext, 'observe' | 'memory'>> & {
    /** Looks whether the cluster of a source distributes its tables otherwise. Absent: what is served cannot follow. */
    readonly look?: (source: string) => Promise<void>;
  };

/**
 * Where a source's database is; asked anew before every connection.
 * @throws EngineError when the address cannot be made out
 */
export function sourceAddress(info: ConnectionInfo, { configuration, environment }: SourceContext) {
  return connectionUrl(info.database_url, info.ssl_configuration, {
    environment,
    allowedFolder: configuration.dynamicSecretsAllowedPathPrefix,
    vocabulary: configuration.vocabulary,
  });
}

/**
 * Opens the pool of a source, and those of its replicas. Without replicas nothing is connected to before it is needed. A replica
 * whose address cannot be made out is reported and left out: the primary answers in its place.
 * @throws EngineError when the address of the primary cannot be made out
 */
export function openSource(
  source: string,
  info: ConnectionInfo,
  context: SourceContext,
  replicas: readonly ConnectionInfo[] = [],
): SourceConnection {
  const { configuration, observe } = context;
  const primary = openServer(source, info, context, 'primary');
  const report = (message: string) =>
    observe?.({
      kind: 'unstructured',
      level: 'warn',
      message: `source ${JSON.stringify(source)}: ${message}`,
    });
  const connections = replicas.flatMap((replica, index) => {
    try {
      return [openServer(source, replica, context, 'replica')];
    } catch (error) {
      report(`read_replicas[${index}] is not used: ${(error as Error).message}`);
      return [];
    }
  });
  if (connections.length === 0) return primary;
  return withReplicas(primary, connections, { maxLag: configuration.replicaMaxLag, report });
}

function openServer(
  source: string,
  info: ConnectionInfo,
  context: SourceContext,
  role: ServerRole,
): SourceConnection {
  const { configuration, observe, memory, look } = context;
  const label = addressLabel(info.database_url);
  const address = sourceAddress(info, context);
  const pool = info.pool_settings ?? {};
  return connectSource(address, {
    vocabulary: configuration.vocabulary,
    maxConnections: shareOf(pool.max_connections ?? configuration.connections, configuration),
    idleTimeout: pool.idle_timeout ?? configuration.timeout,
    // The primary answers what a replica cannot.
    retries: pool.retries ?? (role === 'primary' ? 1 : 0),
    isReplica: role === 'replica',
    poolTimeout: pool.pool_timeout ?? configuration.poolTimeout,
    maxWaiting: shareOf(configuration.maxWaitingOperations, configuration),
    connectionLifetime: pool.connection_lifetime ?? configuration.connLifetime,
    // Exports of this API say `false` where nothing was set, so `false` means unset: the server's option decides.
    preparedStatements:
      info.use_prepared_statements || configuration.usePreparedStatements ? PREPARED_STATEMENTS : 0,
    memory,
    isolationLevel: info.isolation_level,
    address: label,
    look: look && (() => look(source)),
    report:
      observe &&
      ((event, seconds) => observe({ kind: 'pool', source, address: label, role, event, seconds })),
  });
}

/** Names a database without its credentials: for metrics. */
function addressLabel(url: DatabaseUrl): string {
  switch (url.kind) {
    case 'environment':
      return url.variable;
    case 'file':
      return url.file;
    case 'parameters':
      return `${url.parameters.host}:${url.parameters.port}/${url.parameters.database}`;
    case 'template':
      return URL.canParse(url.template) ? hostAndDatabase(new URL(url.template)) : 'connection string';
  }
}

function hostAndDatabase({ host, pathname }: URL): string {
  return `${host}${pathname}`;
}
