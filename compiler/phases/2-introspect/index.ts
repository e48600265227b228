/** Catalogs for the command line: from a saved file, or from the databases themselves. */

import type { CatalogFile, CatalogOrError } from '../../../runtime/catalog/catalog.ts';
import { loadReadBody } from '../../../runtime/catalog/sql-body.ts';
import type { Environment } from '../../../runtime/core/environment-template.ts';
import type { Vocabulary } from '../../../runtime/core/vocabulary.ts';
import { describeConnectionError } from '../../../runtime/database/connection-error.ts';
import { connectionUrl } from '../../../runtime/database/connection-url.ts';
import { readDatabase } from '../../../runtime/database/read-database.ts';
import type { ConnectionConfiguration } from '../../../runtime/database/ways.ts';
import type { Source } from '../../../runtime/metadata/metadata.ts';

export interface CatalogOptions {
  /** A saved catalog, used instead of the database for every source that it holds. */
  readonly saved?: CatalogFile;
  /** Addresses by name of the source; they win over saved catalogs and over the metadata. */
  readonly addresses: ReadonlyMap<string, string>;
  readonly environment: Environment;
  /** Folder below which addresses may be read from files. */
  readonly allowedFolder?: string | undefined;
  readonly vocabulary: Vocabulary;
}

/** The catalog of a source, or why it cannot be read. Never throws; reasons hold no addresses. */
export async function readCatalog(source: Source, options: CatalogOptions): Promise<CatalogOrError> {
  const enumTables = source.tables.filter(({ is_enum }) => is_enum).map(({ table }) => table);
  try {
    const database = databaseOf(source, options);
    return database
      ? await readDatabase(database, enumTables, loadReadBody, source)
      : options.saved!.sources[source.name]!;
  } catch (error) {
    return { error: describeConnectionError(error) };
  }
}

/**
 * Where the database of a source is; undefined if its catalog is a saved one.
 * @throws EngineError when the metadata's address cannot be made out
 */
export function databaseOf(source: Source, options: CatalogOptions): ConnectionConfiguration | undefined {
  const { addresses, saved } = options;
  const address = addresses.get(source.name);
  if (address !== undefined) return { connectionString: address };
  if (saved && Object.hasOwn(saved.sources, source.name)) return undefined;
  const { database_url, ssl_configuration } = source.configuration.connection_info;
  return connectionUrl(database_url, ssl_configuration, options)();
}
