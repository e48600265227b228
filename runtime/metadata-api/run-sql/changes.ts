/**
 * Effects of SQL on the objects that the metadata names: compares the catalogs before and after. Tables and functions are
 * the same when their OIDs are, columns when their attribute numbers are, so that a rename is seen as a rename. One that was
 * dropped and made again is the same by its name (a function: with the same types), and so are its columns. Pure.
 */
import type {
  CatalogFunction,
  CatalogTable,
  CatalogTypeReference,
  SourceCatalog,
} from '../../catalog/catalog.ts';
import { keyOf, objectKey } from '../../core/names.ts';
import type { QualifiedName } from '../../metadata/metadata.ts';

export interface TableChange {
  /** Names before the change. */
  readonly table: QualifiedName;
  readonly droppedColumns: readonly string[];
  readonly renamedColumns: ReadonlyMap<string, string>;
  readonly retypedColumns: readonly string[];
  /** By their columns. */
  readonly droppedForeignKeys: readonly (readonly string[])[];
}

export interface CatalogChanges {
  readonly droppedTables: readonly QualifiedName[];
  /** By key of the former name. */
  readonly renamedTables: ReadonlyMap<string, QualifiedName>;
  /** Changed tables that still exist. */
  readonly tables: readonly TableChange[];
  /** Dropped, or renamed, which is the same to what names them. */
  readonly droppedFunctions: readonly QualifiedName[];
  /** Functions that were not VOLATILE before. */
  readonly nowVolatile: readonly QualifiedName[];
  /** Names that more than one function has afterwards. */
  readonly overloaded: readonly QualifiedName[];
}

/** Compares the given tables and functions in the two catalogs. Those that were not there before are passed over. */
export function compareCatalogs(
  before: SourceCatalog,
  after: SourceCatalog,
  named: { readonly tables: readonly QualifiedName[]; readonly functions: readonly QualifiedName[] },
): CatalogChanges {
  const tablesAfter = new Map(after.tables.map((table) => [table.oid, table]));
  const tablesBefore = new Map(before.tables.map((table) => [keyOf(table), table]));
  const made = madeSince(before.tables, after.tables);
  const droppedTables: QualifiedName[] = [];
  const renamedTables = new Map<string, QualifiedName>();
  const tables: TableChange[] = [];
  for (const name of named.tables) {
    const old = tablesBefore.get(keyOf(name));
    if (old === undefined) continue;
    const now = tablesAfter.get(old.oid) ?? made.get(keyOf(old))?.[0];
    if (now === undefined) {
      droppedTables.push(name);
      continue;
    }
    if (keyOf(now) !== keyOf(old)) renamedTables.set(keyOf(old), { schema: now.schema, name: now.name });
    const change = compareTables(old, now);
    if (isChange(change)) tables.push(change);
  }
  return { droppedTables, renamedTables, tables, ...compareFunctions(before, after, named.functions) };
}

function compareTables(before: CatalogTable, after: CatalogTable): TableChange {
  const identity = before.oid === after.oid ? 'position' : 'name';
  const columns = new Map(after.columns.map((column) => [column[identity], column]));
  const droppedColumns: string[] = [];
  const renamedColumns = new Map<string, string>();
  const retypedColumns: string[] = [];
  for (const column of before.columns) {
    const now = columns.get(column[identity]);
    if (now === undefined) {
      droppedColumns.push(column.name);
      continue;
    }
    if (now.name !== column.name) renamedColumns.set(column.name, now.name);
    if (typeKey(now.type) !== typeKey(column.type)) retypedColumns.push(column.name);
  }
  const keys = new Set(after.foreignKeys.map(({ columns: names }) => [...names].sort().join('\0')));
  const droppedForeignKeys = before.foreignKeys
    .filter(({ columns: names }) => {
      const now = names.map((name) => renamedColumns.get(name) ?? name).sort();
      return !keys.has(now.join('\0'));
    })
    .map(({ columns: names }) => names);
  return {
    table: { schema: before.schema, name: before.name },
    droppedColumns,
    renamedColumns,
    retypedColumns,
    droppedForeignKeys,
  };
}

function isChange(change: TableChange): boolean {
  return (
    change.droppedColumns.length +
      change.renamedColumns.size +
      change.retypedColumns.length +
      change.droppedForeignKeys.length >
    0
  );
}

function compareFunctions(
  before: SourceCatalog,
  after: SourceCatalog,
  names: readonly QualifiedName[],
): Pick<CatalogChanges, 'droppedFunctions' | 'nowVolatile' | 'overloaded'> {
  const functionsBefore = byKey(before.functions);
  const functionsAfter = byKey(after.functions);
  const byOid = new Map(after.functions.map((candidate) => [candidate.oid, candidate]));
  const made = madeSince(before.functions, after.functions);
  const droppedFunctions: QualifiedName[] = [];
  const nowVolatile: QualifiedName[] = [];
  const overloaded: QualifiedName[] = [];
  for (const name of names) {
    const [old, ...others] = functionsBefore.get(keyOf(name)) ?? [];
    // An overloaded name was inconsistent before, and this change is not to blame for it.
    if (old === undefined || others.length > 0) continue;
    const now =
      byOid.get(old.oid) ?? made.get(keyOf(old))?.find((other) => signature(other) === signature(old));
    if (now === undefined || keyOf(now) !== keyOf(old)) droppedFunctions.push(name);
    else if (now.volatility === 'volatile' && old.volatility !== 'volatile') nowVolatile.push(name);
    if ((functionsAfter.get(keyOf(name)) ?? []).length > 1) overloaded.push(name);
  }
  return { droppedFunctions, nowVolatile, overloaded };
}

/** What PostgreSQL tells functions of one name apart by, and the type of the answer. */
function signature({ arguments: inputs, returns, returnsSet }: CatalogFunction): string {
  return [...inputs.map(({ type }) => typeKey(type)), returnsSet ?? false, typeKey(returns)].join('\0');
}

/** The objects that were not there before, by the key of their names. */
function madeSince<Item extends Named>(before: readonly Item[], after: readonly Item[]) {
  const known = new Set(before.map(({ oid }) => oid));
  return byKey(after.filter(({ oid }) => !known.has(oid)));
}

type Named = Pick<CatalogTable, 'oid' | 'schema' | 'name'>;

function byKey<Item extends Named>(items: readonly Item[]): ReadonlyMap<string, readonly Item[]> {
  const found = new Map<string, Item[]>();
  for (const candidate of items) {
    const key = keyOf(candidate);
    const same = found.get(key);
    if (same === undefined) found.set(key, [candidate]);
    else same.push(candidate);
  }
  return found;
}

function typeKey(type: CatalogTypeReference): string {
  return `${objectKey(type.schema, type.name)}${type.array ? '[]' : ''}`;
}
