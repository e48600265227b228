/** The servers on which an offline compile makes databases. */
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from './embedded.ts';
import type { Supplies } from './missing.ts';
import { installStubs } from './stubs.ts';

/** A server for the databases of sources that have the same migrations. */
export interface OfflineServer {
  /** Creates a database, empty or as a copy. Returns its connection address. */
  createDatabase(copied?: string): Promise<string>;
  /** What migrations need beside the database. */
  readonly supplies: Supplies;
  /** Removes the databases. Safe to call twice. */
  stop(): Promise<void>;
}

/** No migration names it, and none can lock it out. */
const SUPERUSER = 'engine_offline';
/** Written without quotes by migrations that build statements with `current_database()`. */
const DATABASE = 'engine_source';

/**
 * Starts a cluster of its own: roles, tablespaces and settings are not shared with other sources. The name `postgres` is not
 * its superuser's: dumps of whole servers create that role, and change its password.
 * @param stubs SQL by name of an extension
 * @throws EmbeddedPostgresError
 */
export async function startOwnServer(stubs: ReadonlyMap<string, string>): Promise<OfflineServer> {
  const cluster = await startEmbeddedPostgres({ superuser: SUPERUSER });
  const folder = join(cluster.dataDirectory, 'stubs');
  let count = 0;
  return {
    supplies: stubs.size > 0 ? { stubs: installStubs(stubs, folder, folder) } : {},
    createDatabase: async (copied) => {
      count += 1;
      const name = `${DATABASE}_${count}`;
      if (copied === undefined) return cluster.createDatabase(name);
      const client = new pg.Client({ connectionString: cluster.url });
      await client.connect();
      try {
        const template = decodeURIComponent(new URL(copied).pathname.slice(1));
        await client.query(
          `create database ${pg.escapeIdentifier(name)} template ${pg.escapeIdentifier(template)}`,
        );
        return cluster.databaseUrl(name);
      } finally {
        await client.end();
      }
    },
    stop: cluster.stop,
  };
}
