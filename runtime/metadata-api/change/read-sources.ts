/** Reads what the metadata is compiled against: catalogs of databases, and remote schemas. */
import type { Catalog, CatalogOrError, SourceCatalog } from '../../catalog/catalog.ts';
import type { DeclaredObjects } from '../../catalog/declared.ts';
import { introspectDatabase, type RunQuery, readEnumTableRows } from '../../catalog/index.ts';
import { loadReadBody } from '../../catalog/sql-body.ts';
import { catalogStatement, servedStatement } from '../../catalog/statement.ts';
import { EngineError } from '../../core/errors.ts';
import type { RemoteOrError } from '../../core/remotes/shapes.ts';
import { describeConnectionError } from '../../database/connection-error.ts';
import type { RemoteSchema, Source } from '../../metadata/metadata.ts';
import type { CopyServices, MetadataOptions } from './state.ts';

/** Reads a database's catalog and the rows of the enum tables that the metadata marks. */
export async function introspectSource(
  query: RunQuery,
  source: Source,
  options: Pick<MetadataOptions, 'writesFiles'>,
  declared: DeclaredObjects = source,
): Promise<SourceCatalog> {
  return withEnumTables(query, await introspect(query, options, declared), source);
}

/** Generated files that are written have what comparisons of versions need. */
export function introspect(
  query: RunQuery,
  { writesFiles }: Pick<MetadataOptions, 'writesFiles'>,
  declared: DeclaredObjects,
): Promise<Catalog> {
  return introspectDatabase(query, loadReadBody, writesFiles ? catalogStatement : servedStatement, declared);
}

export async function withEnumTables(
  query: RunQuery,
  catalog: Catalog,
  source: Source,
): Promise<SourceCatalog> {
  const enumTables = source.tables.filter((entry) => entry.is_enum).map((entry) => entry.table);
  return { ...catalog, enumTables: await readEnumTableRows(query, enumTables, catalog) };
}

/** The catalog, or why it cannot be read. */
export async function readSourceCatalog(
  query: RunQuery,
  source: Source,
  options: Pick<MetadataOptions, 'writesFiles'>,
): Promise<CatalogOrError> {
  try {
    return await introspectSource(query, source, options);
  } catch (error) {
    return { error: describeConnectionError(error) };
  }
}

/** A remote schema of its lock, or introspected; what cannot be reached is as it was read last. */
export async function readRemote(
  remote: RemoteSchema,
  known: RemoteOrError | undefined,
  services: Pick<CopyServices, 'readRemote' | 'lockedRemote'>,
): Promise<RemoteOrError> {
  const locked = services.lockedRemote(remote.name);
  if (locked) return JSON.stringify(locked) === JSON.stringify(known) ? known! : locked;
  try {
    const sdl = await services.readRemote(remote);
    // The identical result as long as nothing changed.
    return known && 'sdl' in known && known.sdl === sdl && known.stale === undefined ? known : { sdl };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    if (known && 'sdl' in known)
      return known.stale === error.message ? known : { sdl: known.sdl, stale: error.message };
    return { error: error.message };
  }
}
