/** Catalogs for the command line: from a saved file, or from the databases themselves. */
import pg from 'pg';
import type { ConnectionConfiguration } from '../runtime/database/connection.ts';
import { connectionUrl } from '../runtime/database/connection-url.ts';
import { describeConnectionError } from '../runtime/metadata/connection-error.ts';
import type { CatalogFile, SourceCatalog } from './model/catalog.ts';
import type { Source } from './model/metadata.ts';
import { introspectDatabase, type Query, readEnumTableRows } from './phases/2-introspect/index.ts';
import type { CatalogResult } from './phases/3-resolve/index.ts';

/** Longest wait for a database to answer, in milliseconds. */
const CONNECT_TIMEOUT = 10_000;

export interface CatalogOptions {
  /** A saved catalog, which stands in for every source that it holds. */
  readonly saved?: CatalogFile;
  /** Addresses by name of the source; they win over saved catalogs and over the metadata. */
  readonly addresses: ReadonlyMap<string, string>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Folder below which addresses may be read from files. */
  readonly allowedFolder?: string | undefined;
}

/** The catalog of a source, or why there is none. Never throws; reasons hold no addresses. */
export async function readCatalog(source: Source, options: CatalogOptions): Promise<CatalogResult> {
  const enumTables = source.tables.filter(({ is_enum }) => is_enum).map(({ table }) => table);
  try {
    const database = databaseOf(source, options);
    return database ? await introspect(database, enumTables) : options.saved!.sources[source.name]!;
  } catch (error) {
    return { error: describeConnectionError(error) };
  }
}

/**
 * Where the database of a source is; undefined if a saved catalog stands in for it.
 * @throws EngineError when the metadata's address cannot be made out
 */
export function databaseOf(source: Source, options: CatalogOptions): ConnectionConfiguration | undefined {
  const { addresses, saved, environment, allowedFolder } = options;
  const address = addresses.get(source.name);
  if (address !== undefined) return { connectionString: address };
  if (saved && Object.hasOwn(saved.sources, source.name)) return undefined;
  const { database_url, ssl_configuration } = source.configuration.connection_info;
  return connectionUrl(database_url, ssl_configuration, { environment, allowedFolder })();
}

/** The catalog of a database that no metadata describes. @throws as `pg` does */
export function readDatabase(address: string): Promise<SourceCatalog> {
  return introspect({ connectionString: address }, []);
}

async function introspect(
  configuration: ConnectionConfiguration,
  enumTables: readonly { readonly schema: string; readonly name: string }[],
): Promise<SourceCatalog> {
  const client = new pg.Client({ ...configuration, connectionTimeoutMillis: CONNECT_TIMEOUT });
  // A connection that breaks while idle is reported by the next query.
  client.on('error', () => {});
  await client.connect();
  try {
    const query: Query = (sql, values) => client.query(sql, values ? [...values] : undefined);
    const catalog = await introspectDatabase(query);
    return { ...catalog, enumTables: await readEnumTableRows(query, enumTables, catalog) };
  } finally {
    await client.end();
  }
}
