import type { Catalog } from './catalog.ts';
import { addDeclared, type DeclaredObjects } from './declared.ts';
import { readDistribution } from './distribution.ts';
import { normaliseCatalog } from './normalise.ts';
import { explainedFailure, otherDatabase } from './other-databases.ts';
import type { RawCatalog } from './raw-catalog.ts';
import type { ReadBody } from './sql-body.ts';
import { catalogStatement } from './statement.ts';

/** Runs one SQL statement with positional parameters. Both `pg.Client` and `pg.Pool` can be handed in as `query`. */
export type RunQuery = (
  sql: string,
  values?: readonly unknown[],
) => Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;

/**
 * Reads the catalog of a database in one round trip, three more on a Citus cluster: every table, view and function that metadata could track, sorted,
 * the same bytes for the same database. Fails only as the connection fails.
 *
 * @param readBody loads what reads the bodies of functions in SQL, for audits; without it they are said not to be read
 * @param statement `servedStatement` leaves out what only comparisons need
 * @param declared the native queries and logical models of the source, a few round trips more
 */
export async function introspectDatabase(
  query: RunQuery,
  readBody?: () => Promise<ReadBody>,
  statement: string = catalogStatement,
  declared: DeclaredObjects = { logical_models: [], native_queries: [] },
): Promise<Catalog> {
  const { rows } = await query(statement).catch(async (error: unknown) => {
    throw await explainedFailure(error, query);
  });
  const database = JSON.parse(String(rows[0]?.catalog)) as RawCatalog;
  const { raw, refused } = await addDeclared(query, database, declared);
  const hasBodies = raw.routines.some(({ body }) => body !== null);
  const reader =
    hasBodies || raw.extensions.some(({ name }) => name === 'citus') ? await readBody?.() : undefined;
  const normalised = normaliseCatalog(raw, reader);
  const catalog = Object.keys(refused).length > 0 ? { ...normalised, refused } : normalised;
  const product = otherDatabase(raw.version);
  const distribution = await readDistribution(query, raw, catalog, reader);
  return { ...catalog, ...(product && { product }), ...(distribution && { distribution }) };
}
