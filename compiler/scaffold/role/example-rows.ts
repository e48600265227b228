/** Rows of two owners for the cases of a role, as SQL that needs nothing but the tables. */
import type { CatalogColumn, CatalogTable, SourceCatalog } from '../../../runtime/catalog/catalog.ts';
import { keysOf } from '../../../runtime/catalog/proven.ts';
import { keyOf } from '../../../runtime/core/names.ts';
import { quoteIdentifier, quoteLiteral } from '../../../runtime/core/sql/fragment.ts';
import type { Json } from '../../../runtime/metadata/metadata.ts';
import { valueFor } from '../../review/permission-tests/rows.ts';
import type { Tie } from './propose-table.ts';

export type ExampleRow = ReadonlyMap<string, Json>;

export interface ExampleRows {
  /** Statements that insert the rows, those that others refer to first. */
  readonly sql: readonly string[];
  /** The row of a table for each owner. */
  readonly rows: readonly ExampleRow[];
  /** Rows of the same table that are not inserted, for owner 0, which refer to what those of owner 1 refer to. */
  readonly stray: ExampleRow;
  /** Session variables of each owner. */
  readonly sessions: readonly Readonly<Record<string, string>>[];
}

/** Numbers of rows that no sample row has. */
const FIRST = 9000;

/**
 * Makes a row of the table for each of two owners, with the rows to which its ways lead and those that it cannot do without.
 * Undefined where rows require each other in a circle.
 */
export function exampleRows(
  catalog: SourceCatalog,
  table: CatalogTable,
  ties: readonly Tie[],
): ExampleRows | undefined {
  const tables = new Map(catalog.tables.map((each) => [keyOf(each), each]));
  const needed = new Set(ties.flatMap(({ steps }) => steps.map(({ key }) => key.oid)));
  const sql: string[] = [];
  const made = new Map<string, ExampleRow | 'under way'>();
  const make = (key: string, owner: number): ExampleRow | undefined => {
    const id = JSON.stringify([key, owner]);
    const known = made.get(id);
    if (known !== undefined) return known === 'under way' ? undefined : known;
    const own = tables.get(key);
    if (!own) return undefined;
    made.set(id, 'under way');
    const row = rowOf(own, owner, FIRST + owner, owner);
    if (!row) return undefined;
    sql.push(insertText(own, row));
    made.set(id, row);
    return row;
  };
  /** @param number that the values of its own keys are made of @param others owner of the rows that it refers to */
  const rowOf = (
    own: CatalogTable,
    owner: number,
    number: number,
    others: number,
  ): ExampleRow | undefined => {
    const row = new Map<string, Json>();
    for (const key of own.foreignKeys) {
      const isRequired = key.columns.every((name) => columnOf(own, name).notNull);
      if (!isRequired && !needed.has(key.oid)) continue;
      const target = make(keyOf(key.references), needed.has(key.oid) ? others : owner);
      if (!target) return undefined;
      for (const [index, name] of key.columns.entries()) {
        const value = target.get(key.references.columns[index]!);
        if (value === undefined || (row.has(name) && row.get(name) !== value)) return undefined;
        row.set(name, value);
      }
    }
    const keys = new Set([
      ...(own.primaryKey?.columns ?? []),
      ...keysOf(own).flatMap(({ columns }) => columns.filter((name) => columnOf(own, name).notNull)),
    ]);
    const referred = new Set(
      [...tables.values()].flatMap(({ foreignKeys }) =>
        foreignKeys.flatMap(({ references }) => (keyOf(references) === keyOf(own) ? references.columns : [])),
      ),
    );
    const anchored = new Set(
      ties.flatMap(({ anchor }) => (anchor.table === keyOf(own) ? [anchor.column] : [])),
    );
    for (const column of own.columns) {
      const { name } = column;
      if (row.has(name) || column.generated) continue;
      const isRequired = column.notNull && !column.hasDefault;
      if (keys.has(name) || isRequired || referred.has(name) || anchored.has(name))
        row.set(name, exampleValue(catalog, column, number));
    }
    return row;
  };
  const key = keyOf(table);
  const rows = [make(key, 0), make(key, 1)];
  const stray = rowOf(table, 0, FIRST + 2, 1);
  if (!rows[0] || !rows[1] || !stray) return undefined;
  const sessions = [0, 1].map((owner) =>
    Object.fromEntries(
      ties.map(({ anchor }) => [anchor.variable, String(make(anchor.table, owner)?.get(anchor.column))]),
    ),
  );
  return { sql, rows: rows as ExampleRow[], stray, sessions };
}

function columnOf({ columns }: CatalogTable, name: string): CatalogColumn {
  return columns.find((column) => column.name === name)!;
}

function exampleValue(catalog: SourceCatalog, column: CatalogColumn, number: number): Json {
  if (column.type.array) return [];
  const value = valueFor(catalog, column, number);
  if (value === null) return null;
  if (/^(int[248]|float[48]|numeric|oid)$/.test(column.type.name)) return Number(value);
  if (column.type.name === 'bool') return value === 'true';
  return /^jsonb?$/.test(column.type.name) ? {} : value;
}

function insertText(table: CatalogTable, row: ExampleRow): string {
  const name = quoteIdentifier(table.schema, table.name);
  const columns = [...row.keys()].map((column) => quoteIdentifier(column)).join(', ');
  const overriding = table.columns.some(({ identity }) => identity) ? ' overriding system value' : '';
  return `insert into ${name} (${columns})${overriding} values (${[...row.values()].map(valueText).join(', ')});`;
}

/** PostgreSQL reads it by the type of the column. */
function valueText(value: Json): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return String(value);
  if (Array.isArray(value)) return `'{}'`;
  return quoteLiteral(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Whether a value may be changed to any other: no key, no reference, no check. */
export function isFreeColumn(table: CatalogTable, name: string): boolean {
  return (
    !keysOf(table).some(({ columns }) => columns.includes(name)) &&
    !table.foreignKeys.some(({ columns }) => columns.includes(name)) &&
    !table.checks.some(({ definition }) => definition.includes(name))
  );
}
