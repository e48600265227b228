import type { Catalog } from './catalog.ts';
import { readDistribution } from './distribution.ts';
import { normaliseCatalog } from './normalise.ts';
import type { RawCatalog } from './raw-catalog.ts';
import { catalogStatement } from './statement.ts';

/** Runs one SQL statement with positional parameters. Both `pg.Client` and `pg.Pool` can be handed in as `query`. */
export type Query = (
  sql: string,
  values?: readonly unknown[],
) => Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;

/**
 * Reads the catalog of a database in one round trip, two more on a Citus cluster: every table, view and function that metadata could track, sorted,
 * the same bytes for the same database. Fails only as the connection fails.
 */
export async function introspectDatabase(query: Query): Promise<Catalog> {
  const { rows } = await query(catalogStatement);
  const catalog = normaliseCatalog(JSON.parse(String(rows[0]?.catalog)) as RawCatalog);
  const distribution = await readDistribution(query, catalog);
  return distribution ? { ...catalog, distribution } : catalog;
}
