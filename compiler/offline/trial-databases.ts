/** The databases that permissions are tried on: never those that are served. */
import type { SourceCatalog } from '../../runtime/catalog/catalog.ts';
import type { ConnectionConfiguration } from '../../runtime/database/ways.ts';
import { openTrialDatabase, type TrialDatabase } from '../review/permission-tests/trial.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded.ts';
import { createStandIn } from './stand-in.ts';

export interface TrialDatabases {
  /** By source. */
  readonly databases: ReadonlyMap<string, TrialDatabase>;
  readonly close: () => Promise<void>;
}

/**
 * Opens databases of migrations, and stand-ins for sources of which there is only the catalog.
 * @param made databases that live as long as the command, by source
 * @throws EmbeddedPostgresError
 */
export async function openTrialDatabases(
  catalogs: Readonly<Record<string, SourceCatalog>>,
  made: ReadonlyMap<string, ConnectionConfiguration>,
): Promise<TrialDatabases> {
  const databases = new Map<string, TrialDatabase>();
  let server: EmbeddedPostgres | undefined;
  const close = async () => {
    for (const database of databases.values()) await database.close();
    await server?.stop();
  };
  try {
    for (const [source, catalog] of Object.entries(catalogs)) {
      let configuration = made.get(source);
      if (!configuration) {
        server ??= await startEmbeddedPostgres();
        const url = await server.createDatabase(`source ${source}`);
        await createStandIn(url, catalog);
        configuration = { connectionString: url };
      }
      databases.set(source, await openTrialDatabase(configuration));
    }
    return { databases, close };
  } catch (error) {
    await close();
    throw error;
  }
}
