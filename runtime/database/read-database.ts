import type { RelationReference, SourceCatalog } from '../catalog/catalog.ts';
import type { DeclaredObjects } from '../catalog/declared.ts';
import { readEnumTableRows } from '../catalog/enum-tables.ts';
import { introspectDatabase, type RunQuery } from '../catalog/introspect.ts';
import { catalogStatement, servedStatement } from '../catalog/statement.ts';
import { DatabaseClient } from './client.ts';
import { NO_JIT, SESSION_SETTINGS } from './session-settings.ts';
import type { ConnectionConfiguration } from './ways.ts';

/** Longest wait for a database to answer, in milliseconds. */
const CONNECT_TIMEOUT = 10_000;

/** Connects to a database and reads its catalog and the rows of enum tables; see introspectDatabase for `readBody`. @throws as `pg` does */
export async function readDatabase(
  configuration: ConnectionConfiguration,
  enumTables: readonly RelationReference[],
  readBody?: Parameters<typeof introspectDatabase>[1],
  declared?: DeclaredObjects,
): Promise<SourceCatalog> {
  const client = new DatabaseClient({ ...configuration, connectionTimeoutMillis: CONNECT_TIMEOUT });
  await client.connect();
  try {
    await client.query(READER_SETTINGS);
    const query: RunQuery = (sql, values) => client.query(sql, values ? [...values] : undefined);
    return await readConnected(query, enumTables, readBody, declared);
  } finally {
    await client.end();
  }
}

/** What a connection runs before `readConnected`. */
export const READER_SETTINGS = `${SESSION_SETTINGS}; select ${NO_JIT}`;

/** The same over a connection that is open. @throws as `pg` does */
export async function readConnected(
  query: RunQuery,
  enumTables: readonly RelationReference[],
  readBody?: Parameters<typeof introspectDatabase>[1],
  declared?: DeclaredObjects,
): Promise<SourceCatalog> {
  const statement = readBody ? catalogStatement : servedStatement;
  const catalog = await introspectDatabase(query, readBody, statement, declared);
  return { ...catalog, enumTables: await readEnumTableRows(query, enumTables, catalog) };
}
