/** Rows for tables that have none: some of each, joined to each other by their foreign keys. */

import { objectKey } from '../../runtime/core/names.ts';
import { identifier, print } from '../../runtime/core/sql/fragment.ts';
import type { CatalogColumn, CatalogTable, SourceCatalog } from '../model/catalog.ts';
import type { Trial } from './trial.ts';

const ROWS = 6;

export interface MadeRows {
  /** Tables that rows were made for. */
  readonly made: readonly string[];
  /** Tables that have none, and why. */
  readonly empty: ReadonlyMap<string, string>;
}

/** Makes rows for the named tables, and for those that they refer to. */
export async function makeRows(
  trial: Trial,
  catalog: SourceCatalog,
  wanted: readonly string[],
): Promise<MadeRows> {
  const tables = new Map(catalog.tables.map((table) => [objectKey(table.schema, table.name), table]));
  const made: string[] = [];
  const empty = new Map<string, string>();
  const done = new Set<string>();
  const make = async (key: string): Promise<void> => {
    const table = tables.get(key);
    if (!table || done.has(key)) return;
    done.add(key);
    if (table.kind !== 'table' && table.kind !== 'partitioned') return;
    for (const { references } of table.foreignKeys) await make(objectKey(references.schema, references.name));
    const name = print(identifier(table.schema, table.name)).text;
    const [{ count } = { count: 0 }] = await trial.run<{ count: number }>(
      `select count(*)::int as count from (select from ${name} limit 1) rows`,
    );
    if (count > 0) return;
    let problem = '';
    let written = 0;
    for (let index = 0; index < ROWS; index += 1) {
      try {
        await insertRow(trial, catalog, table, index);
        written += 1;
      } catch (error) {
        problem = (error as Error).message;
      }
    }
    if (written > 0) made.push(key);
    else empty.set(key, problem);
  };
  for (const key of wanted) await make(key);
  return { made, empty };
}

async function insertRow(
  trial: Trial,
  catalog: SourceCatalog,
  table: CatalogTable,
  index: number,
): Promise<void> {
  const values = new Map<string, unknown>();
  for (const { columns, references } of table.foreignKeys) {
    const other = print(identifier(references.schema, references.name)).text;
    const list = references.columns.map((column) => `${print(identifier(column)).text}::text`).join(', ');
    const rows = (await trial.run(`select ${list} from ${other} order by ${list} limit ${ROWS}`)).map((row) =>
      Object.values(row),
    );
    const row = rows[index % Math.max(1, rows.length)];
    // A key that several share keeps what the first gave.
    for (const [position, column] of columns.entries())
      if (row && !values.has(column)) values.set(column, row[position]);
  }
  for (const column of table.columns) {
    if (column.generated || column.identity || values.has(column.name)) continue;
    const isKey = table.primaryKey?.columns.includes(column.name);
    if (column.hasDefault && !(isKey && column.type.name.startsWith('int'))) continue;
    values.set(column.name, valueFor(catalog, column, index));
  }
  const names = [...values.keys()];
  const target = print(identifier(table.schema, table.name)).text;
  if (names.length === 0) {
    await trial.run(`insert into ${target} default values`);
    return;
  }
  const list = names.map((name) => print(identifier(name)).text).join(', ');
  const places = names.map((_, position) => `$${position + 1}`).join(', ');
  await trial.run(`insert into ${target} (${list}) values (${places})`, [...values.values()]);
}

/** Some value of the column's type, another one for each row. */
function valueFor(catalog: SourceCatalog, { type }: CatalogColumn, index: number): string | null {
  if (type.array) return '{}';
  const own = catalog.types.find(({ schema, name }) => schema === type.schema && name === type.name);
  if (own?.kind === 'enum') return own.values[index % own.values.length] ?? null;
  if (own?.kind === 'domain') return valueFor(catalog, { type: own.base } as CatalogColumn, index);
  const number = String(index + 1);
  switch (type.name) {
    case 'int2':
    case 'int4':
    case 'int8':
    case 'numeric':
    case 'float4':
    case 'float8':
    case 'oid':
    case 'money':
      return number;
    case 'bool':
      return index % 2 === 0 ? 'true' : 'false';
    case 'uuid':
      return `00000000-0000-4000-8000-${number.padStart(12, '0')}`;
    case 'date':
      return `2024-01-0${number}`;
    case 'timestamp':
    case 'timestamptz':
      return `2024-01-0${number}T12:00:00Z`;
    case 'time':
    case 'timetz':
      return `0${number}:00:00Z`;
    case 'interval':
      return `${number} days`;
    case 'json':
    case 'jsonb':
      return '{}';
    case 'bytea':
      return `\\x0${number}`;
    case 'inet':
    case 'cidr':
      return `10.0.0.${number}`;
    case 'char':
    case 'bpchar':
      return number;
    default:
      return `text ${number}`;
  }
}
