import { CANONICAL } from '../../runtime/core/vocabulary.ts';
import { connectSource, type SourceConnection, type SourceOptions } from '../../runtime/database/source.ts';

/** Connects to a database as a server does by default, with at most four connections, unless `options` say otherwise. */
export function openSource(url: string, options: Partial<SourceOptions> = {}): SourceConnection {
  return connectSource(() => ({ connectionString: url }), {
    vocabulary: CANONICAL,
    maxConnections: 4,
    idleTimeout: 180,
    retries: 0,
    connectionLifetime: 600,
    preparedStatements: 500,
    isolationLevel: 'read-committed',
    ...options,
  });
}
