/** Compiles for tests: a project's metadata against the database that its SQL makes, or against a catalog. */
import pg from 'pg';
import type { SourceCatalog } from '../../compiler/model/catalog.ts';
import type { Metadata } from '../../compiler/model/metadata.ts';
import {
  introspectDatabase,
  type Query,
  readEnumTableRows,
} from '../../compiler/phases/2-introspect/index.ts';

/** The catalogs of all sources, each read from the same database. */
export async function catalogsOf(metadata: Metadata, url: string): Promise<Record<string, SourceCatalog>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const query: Query = (text, values) => client.query(text, values ? [...values] : undefined);
    const catalog = await introspectDatabase(query);
    const catalogs: Record<string, SourceCatalog> = {};
    for (const source of metadata.sources) {
      const enumTables = source.tables.filter(({ is_enum }) => is_enum).map(({ table }) => table);
      catalogs[source.name] = { ...catalog, enumTables: await readEnumTableRows(query, enumTables, catalog) };
    }
    return catalogs;
  } finally {
    await client.end();
  }
}
