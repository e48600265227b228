/** Compiles for tests: a project's metadata against the database that its SQL makes, or against a catalog. */
import type { SourceCatalog } from '../../runtime/catalog/catalog.ts';
import { loadReadBody } from '../../runtime/catalog/sql-body.ts';
import { readDatabase } from '../../runtime/database/read-database.ts';
import type { Metadata } from '../../runtime/metadata/metadata.ts';

/** Options of a server without options. */
export const SERVING = { stringifyNumbers: false, collapseNulls: false, inferFunctionPermissions: true };

/** The catalogs of all sources, each read from the same database. */
export async function catalogsOf(metadata: Metadata, url: string): Promise<Record<string, SourceCatalog>> {
  const catalogs: Record<string, SourceCatalog> = {};
  for (const source of metadata.sources) {
    const enumTables = source.tables.filter(({ is_enum }) => is_enum).map(({ table }) => table);
    catalogs[source.name] = await readDatabase({ connectionString: url }, enumTables, loadReadBody, source);
  }
  return catalogs;
}
