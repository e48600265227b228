import type { Catalog } from './catalog.ts';
import { readDistribution } from './distribution.ts';
import { normaliseCatalog } from './normalise.ts';
import type { RawCatalog } from './raw-catalog.ts';
import type { ReadBody } from './sql-body.ts';
import { catalogStatement } from './statement.ts';

/** Runs one SQL statement with positional parameters. Both `pg.Client` and `pg.Pool` can be handed in as `query`. */
export type Query = (
  sql: string,
  values?: readonly unknown[],
) => Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;

/**
 * Reads the catalog of a database in one round trip, two more on a Citus cluster: every table, view and function that metadata could track, sorted,
 * the same bytes for the same database. Fails only as the connection fails.
 *
 * @param readBody loads what reads the bodies of functions in SQL, for audits; without it they are said not to be read
 * @param statement `servedStatement` leaves out what only comparisons need
 */
export async function introspectDatabase(
  query: Query,
  readBody?: () => Promise<ReadBody>,
  statement: string = catalogStatement,
): Promise<Catalog> {
  const { rows } = await query(statement);
  const raw = JSON.parse(String(rows[0]?.catalog)) as RawCatalog;
  const hasBodies = raw.routines.some(({ body }) => body !== null);
  const catalog = normaliseCatalog(raw, hasBodies ? await readBody?.() : undefined);
  const distribution = await readDistribution(query, catalog);
  return distribution ? { ...catalog, distribution } : catalog;
}
