import { quoteIdentifier } from '../core/sql/fragment.ts';
import type { Catalog, CatalogTable, EnumTableRows, RelationReference } from './catalog.ts';
import type { RunQuery } from './introspect.ts';
import { compareText } from './order.ts';

interface EnumTable {
  readonly table: CatalogTable;
  readonly value: string;
  readonly comment?: string;
}

/**
 * Reads the rows of the tables that metadata marks as enum tables, all of them in one round trip. A table that does not
 * exist or does not have the columns of an enum table is left out, and phase 3 says why; a table without rows has an empty
 * list. Fails if the database refuses to read one of them.
 */
export async function readEnumTableRows(
  query: RunQuery,
  tables: readonly RelationReference[],
  catalog: Catalog,
): Promise<EnumTableRows> {
  const marked = new Set(tables.map(enumTableKey));
  const enumTables = catalog.tables
    .filter((table) => marked.has(enumTableKey(table)))
    .flatMap((table) => findColumns(table) ?? []);
  const selects = enumTables.map(
    ({ table, value, comment }, index) =>
      `select ${index} as position, ${quoteIdentifier(value)} as value, ` +
      `${comment === undefined ? 'null' : quoteIdentifier(comment)} as comment ` +
      `from ${quoteIdentifier(table.schema, table.name)}`,
  );
  const rows = selects.length === 0 ? [] : (await query(selects.join('\nunion all\n'))).rows;
  const values = enumTables.map((): { value: string; comment: string | null }[] => []);
  for (const { position, value, comment } of rows)
    values[Number(position)]!.push({
      value: String(value),
      comment: comment === null ? null : String(comment),
    });
  return Object.fromEntries(
    enumTables.map(({ table }, index) => [
      enumTableKey(table),
      values[index]!.sort((a, b) => compareText(a.value, b.value)),
    ]),
  );
}

/** The key of a table's rows in {@link EnumTableRows}. */
function enumTableKey(table: RelationReference): string {
  return `${table.schema}.${table.name}`;
}

/**
 * The columns of an enum table: a primary key of one `text` column, and at most one further column, `text` as well, with
 * the comments. Reference: enum tables (metadata).
 */
function findColumns(table: CatalogTable): EnumTable | undefined {
  const [value, ...furtherKeys] = table.primaryKey?.columns ?? [];
  const [comment, ...furtherColumns] = table.columns.filter((column) => column.name !== value);
  const allText = table.columns.every(
    ({ type }) => type.schema === 'pg_catalog' && type.name === 'text' && !type.array,
  );
  if (value === undefined || furtherKeys.length > 0 || furtherColumns.length > 0 || !allText)
    return undefined;
  return { table, value, ...(comment && { comment: comment.name }) };
}
