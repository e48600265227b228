/** Connects to a source as its metadata, and for what that leaves open the server's options, say. */

import { connectionUrl } from '../database/connection-url.ts';
import { connectSource, type SourceConnection } from '../database/source.ts';
import type { ConnectionInfo } from '../metadata/metadata.ts';
import type { HostContext } from './host.ts';

/** Statements kept prepared on each connection: some 13 MB in its backend. */
const PREPARED_STATEMENTS = 500;

type Surroundings = Pick<HostContext, 'configuration' | 'environment'>;

/**
 * Where a source's database is; asked anew before every connection.
 * @throws EngineError when the address cannot be made out
 */
export function sourceAddress(info: ConnectionInfo, { configuration, environment }: Surroundings) {
  return connectionUrl(info.database_url, info.ssl_configuration, {
    environment,
    allowedFolder: configuration.dynamicSecretsAllowedPathPrefix,
  });
}

/** @throws EngineError when the address cannot be made out; nothing is connected to before it is needed */
export function openSource(info: ConnectionInfo, surroundings: Surroundings): SourceConnection {
  const { configuration } = surroundings;
  const address = sourceAddress(info, surroundings);
  const pool = info.pool_settings ?? {};
  return connectSource(address, {
    maxConnections: pool.max_connections ?? configuration.connections,
    idleTimeout: pool.idle_timeout ?? configuration.timeout,
    retries: pool.retries ?? 1,
    poolTimeout: pool.pool_timeout ?? configuration.poolTimeout,
    connectionLifetime: pool.connection_lifetime ?? configuration.connLifetime,
    preparedStatements:
      (info.use_prepared_statements ?? configuration.usePreparedStatements) ? PREPARED_STATEMENTS : 0,
    isolationLevel: info.isolation_level,
  });
}
