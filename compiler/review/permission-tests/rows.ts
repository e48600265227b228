/** Makes rows for empty tables, joined by their foreign keys. */

import type {
  CatalogColumn,
  CatalogForeignKey,
  CatalogTable,
  SourceCatalog,
} from '../../../runtime/catalog/catalog.ts';
import { objectKey } from '../../../runtime/core/names.ts';
import { identifier } from '../../../runtime/core/sql/fragment.ts';
import { print } from '../../../runtime/core/sql/print.ts';
import type { BooleanExpression, TableReference, Value } from '../../model/model.ts';
import type { Trial } from './trial.ts';

const ROWS = 6;

export interface MadeRows {
  /** Tables that rows were made for. */
  readonly made: readonly string[];
  /** Tables for which no rows could be made, and why. */
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
    if (written > 0) {
      made.push(key);
      await countOn(trial, table);
    } else empty.set(key, problem);
  };
  for (const key of wanted) await make(key);
  return { made, empty };
}

/** Lets the sequences of a table count on from the keys of its rows: what is inserted later gets keys of its own. */
async function countOn(trial: Trial, { schema, name, columns }: CatalogTable): Promise<void> {
  const table = print(identifier(schema, name)).text;
  for (const column of columns) {
    if (!column.hasDefault || column.identity || !column.type.name.startsWith('int') || column.type.array)
      continue;
    await trial.run(
      `select setval(pg_get_serial_sequence($1, $2), max(${print(identifier(column.name)).text})) from ${table}`,
      [table, column.name],
    );
  }
}

/** Values of columns, by name. */
type Values = ReadonlyMap<string, unknown>;

/**
 * Inserts the row of a number.
 * @param given values that it has
 * @param named columns that have a value, whichever it is
 * @throws when it is refused
 */
async function insertRow(
  trial: Trial,
  catalog: SourceCatalog,
  table: CatalogTable,
  index: number,
  given: Values = new Map(),
  named: ReadonlyMap<string, unknown> = new Map(),
): Promise<Values> {
  const values = new Map(given);
  const keys = [table.primaryKey, ...table.uniqueConstraints, ...table.uniqueIndexes].flatMap(
    (key) => key?.columns ?? [],
  );
  for (const { columns, references } of table.foreignKeys) {
    const pairs = columns.map((column, position) => [column, references.columns[position]!] as const);
    if (columns.every((column) => values.has(column))) continue;
    // A key that several share keeps what the first gave.
    const known = new Map(
      pairs.flatMap(([own, other]) => (values.has(own) ? [[other, values.get(own)]] : [])),
    );
    const isNew = known.size === 0 && columns.every((column) => keys.includes(column));
    const row = await referredRow(trial, catalog, references, index, known, isNew);
    for (const [own, other] of pairs) if (row && !values.has(own)) values.set(own, row.get(other));
  }
  for (const column of table.columns) {
    if (column.generated || column.identity || values.has(column.name)) continue;
    const isKey = keys.includes(column.name);
    if (column.hasDefault && !(isKey && column.type.name.startsWith('int'))) continue;
    values.set(column.name, valueFor(catalog, column, isKey ? index : index % 9));
  }
  try {
    return await insert(trial, table, values);
  } catch (error) {
    // The refused value may be in a column that may be left out.
    const needed = table.columns.filter(({ name, notNull }) => notNull || given.has(name) || named.has(name));
    const fewer = new Map(needed.flatMap(({ name }) => (values.has(name) ? [[name, values.get(name)]] : [])));
    if (fewer.size === values.size) throw error;
    return await insert(trial, table, fewer);
  }
}

/** Like insertRow, with a number that no row has yet. */
function insertNext(
  trial: Trial,
  catalog: SourceCatalog,
  table: CatalogTable,
  given?: Values,
  named?: ReadonlyMap<string, unknown>,
): Promise<Values> {
  return insertRow(trial, catalog, table, trial.nextRow(), given, named);
}

/** A row to refer to: one of those that are there, or a new one where each is referred to once. */
async function referredRow(
  trial: Trial,
  catalog: SourceCatalog,
  { schema, name, columns }: CatalogForeignKey['references'],
  index: number,
  known: Values,
  isNew: boolean,
): Promise<Values | undefined> {
  const table = catalog.tables.find((each) => each.schema === schema && each.name === name);
  if (isNew && table && index >= ROWS) return insertNext(trial, catalog, table);
  const list = columns.map((column) => print(identifier(column)).text).join(', ');
  const rows = await trial.run<{ row: object }>(
    `select to_jsonb(t.*) as row from ${print(identifier(schema, name)).text} as t where to_jsonb(t.*) @> $1 order by ${list} limit ${ROWS}`,
    [JSON.stringify(Object.fromEntries(known))],
  );
  const row = rows[index % Math.max(1, rows.length)];
  return row && new Map(Object.entries(row.row));
}

async function insert(trial: Trial, table: CatalogTable, values: Values): Promise<Values> {
  const target = print(identifier(table.schema, table.name)).text;
  const list = [...values.keys()].map((name) => print(identifier(name)).text).join(', ');
  const places = [...values.keys()].map((_, position) => `$${position + 1}`).join(', ');
  const what = values.size === 0 ? 'default values' : `(${list}) values (${places})`;
  const [row] = await trial.run<{ row: object }>(
    `insert into ${target} as t ${what} returning to_jsonb(t.*) as row`,
    [...values.values()].map((value) =>
      typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
    ),
  );
  // A trigger may have swallowed it.
  return new Map(Object.entries(row?.row ?? {}));
}

/** Context in which rows are made for a rule. */
interface Making {
  readonly trial: Trial;
  readonly catalog: SourceCatalog;
  /** Values of the rows that the rule compares with a session variable. */
  readonly session: Map<string, unknown>;
}

/**
 * Inserts a row for which a condition holds, with the rows to which it leads; of an `or` the first part holds.
 * @param given values that it has because of what leads to it
 * @throws when a row is refused
 */
export async function insertMatching(
  making: Making,
  place: TableReference,
  condition: BooleanExpression,
  given: Values = new Map(),
): Promise<Values> {
  const { trial, catalog, session } = making;
  const table = catalog.tables.find(({ schema, name }) => schema === place.schema && name === place.name)!;
  const values = new Map(given);
  const named = new Map<string, string>();
  const later: Extract<BooleanExpression, { kind: 'relationship' }>[] = [];
  const wish = async (part: BooleanExpression): Promise<void> => {
    switch (part.kind) {
      case 'and':
        for (const each of part.conditions) await wish(each);
        return;
      case 'or':
        if (part.conditions[0]) await wish(part.conditions[0]);
        return;
      case 'exists':
        await insertMatching(making, part.target, part.condition);
        return;
      case 'relationship': {
        const own = Object.keys(part.columns);
        const isReferring = table.foreignKeys.some(({ columns: key }) =>
          own.every((name) => key.includes(name)),
        );
        // Several rows, or the one that refers to this row's key.
        if (!part.single || (!isReferring && own.every((name) => table.primaryKey?.columns.includes(name)))) {
          later.push(part);
          return;
        }
        const other = await insertMatching(making, part.target, part.condition);
        for (const [own, theirs] of Object.entries(part.columns)) values.set(own, other.get(theirs));
        return;
      }
      case 'is-null':
        if (part.left.kind === 'column' && !part.negated) values.set(part.left.column, null);
        return;
      case 'comparison': {
        const value = wanted(part);
        if (part.left.kind !== 'column' || !value) return;
        if (value.kind === 'literal') values.set(part.left.column, value.value);
        else if (session.has(value.name)) values.set(part.left.column, session.get(value.name));
        else named.set(part.left.column, value.name);
      }
    }
  };
  await wish(condition);
  const row = await insertNext(trial, catalog, table, values, named);
  for (const [column, variable] of named) if (!session.has(variable)) session.set(variable, row.get(column));
  for (const { target, columns, condition: inner } of later)
    await insertMatching(
      making,
      target,
      inner,
      new Map(Object.entries(columns).map(([own, theirs]) => [theirs, row.get(own)])),
    );
  return row;
}

/** The value a column must have for a comparison to hold; undefined when nearly every value will do. */
function wanted({ operator, right }: Extract<BooleanExpression, { kind: 'comparison' }>): Value | undefined {
  if (right.kind === 'session-list')
    return operator === '_in' ? { kind: 'session', name: right.name } : undefined;
  if (right.kind === 'list') return operator === '_in' ? right.values[0] : undefined;
  return right.kind === 'value' && ['_eq', '_gte', '_lte'].includes(operator) ? right.value : undefined;
}

/** Some value of the column's type, another one for each row. */
export function valueFor(
  catalog: SourceCatalog,
  { name, type }: Pick<CatalogColumn, 'name' | 'type'>,
  index: number,
): string | null {
  if (type.array) return '{}';
  const own = catalog.types.find((each) => each.schema === type.schema && each.name === type.name);
  if (own?.kind === 'enum') return own.values[index % own.values.length] ?? null;
  if (own?.kind === 'domain')
    return valueFor(catalog, { name: `${name} ${own.name}`, type: own.base }, index);
  const number = String(index + 1);
  const digit = String((index % 9) + 1);
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
      return `2024-01-0${digit}`;
    case 'timestamp':
    case 'timestamptz':
      return `2024-01-0${digit}T12:00:00Z`;
    case 'time':
    case 'timetz':
      return `0${digit}:00:00Z`;
    case 'interval':
      return `${number} days`;
    case 'json':
    case 'jsonb':
      return '{}';
    case 'bytea':
      return `\\x0${digit}`;
    case 'inet':
    case 'cidr':
      return `10.0.0.${digit}`;
    case 'char':
    case 'bpchar':
      return digit;
    default:
      return /mail/i.test(`${name} ${type.name}`) ? `text${number}@example.org` : `text${number}`;
  }
}
