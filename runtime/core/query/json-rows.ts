/** Rows and objects as JSON, made by Postgres of named expressions. */

import { MAX_IDENTIFIER } from '../names.ts';
import type { Table } from '../program/program.ts';
import {
  builtIn,
  CLOSE,
  identifier,
  join,
  literal,
  OPEN,
  raw,
  type Sql,
  sql,
  wholeRow,
} from '../sql/fragment.ts';
import { type FromItem, jsonList, nested, type Select, selectStatement } from '../sql/statement.ts';
import type { Scope } from './scope.ts';

/** The JSON of no rows. */
export const EMPTY_LIST = raw(`'[]'`);

/** A key of an object, and the expression of its value. */
export type Entry = readonly [name: string, value: Sql];

/** True if Postgres accepts the names as column names without truncating them. */
function areColumnNames(entries: readonly Entry[]): boolean {
  return entries.every(([name]) => Buffer.byteLength(name) <= MAX_IDENTIFIER);
}

/**
 * A JSON object with the entries in order. Names become column names of a row, which is the fastest way; names that
 * Postgres would cut off are aggregated as pairs instead.
 */
export function jsonObjectOf(entries: readonly Entry[], scope: Scope): Sql {
  const alias = scope.alias('object');
  if (areColumnNames(entries)) {
    const rows = nested(selectStatement({ columns: namedColumns(entries) }));
    return nested(
      selectStatement({ columns: builtIn('row_to_json', wholeRow(alias)), from: [{ rows, alias }] }),
    );
  }
  const rows = nested(sql`values ${pairRows(entries)}`);
  const names = [identifier('name'), identifier('value')];
  return nested(selectStatement({ columns: pairs(alias), from: [{ rows, alias, columns: names }] }));
}

/** `"value" as "name"` for each entry. */
export function namedColumns(entries: readonly Entry[]): Sql {
  return join(
    entries.map(([name, value]) => sql`${value} as ${identifier(name)}`),
    ', ',
  );
}

/**
 * The rows of a query as JSON: a list of objects, or the object of its only row (null when there is none).
 * @param rest the clauses of the query beside its select list
 */
export function jsonRows(
  form: 'list' | 'single',
  entries: readonly Entry[],
  rest: Omit<Select, 'columns'>,
  scope: Scope,
): Sql {
  const alias = scope.alias(form === 'list' ? 'rows' : 'row');
  const short = areColumnNames(entries);
  const list = short ? namedColumns(entries) : sql`${jsonObjectOf(entries, scope)} as "object"`;
  const row = short ? wholeRow(alias) : sql`${alias}."object"`;
  const result =
    form === 'list'
      ? builtIn('coalesce', jsonList(row), EMPTY_LIST)
      : short
        ? builtIn('row_to_json', row)
        : row;
  const rows = nested(selectStatement({ ...rest, columns: list }));
  return nested(selectStatement({ columns: result, from: [{ rows, alias }] }));
}

/** A column beside all of a table's: its name, made longer until the table has none like it. */
export function besideColumns(table: Table, name: string): Sql {
  return identifier(nameBeside(table, name));
}

export function nameBeside(table: Table, name: string): string {
  return Object.hasOwn(table.shape.columns, name) ? nameBeside(table, `${name}#`) : name;
}

function pairs(alias: Sql): Sql {
  return builtIn('json_object_agg', sql`${alias}."name"`, sql`${alias}."value"`);
}

function pairRows(entries: readonly Entry[]): Sql {
  return join(
    entries.map(([name, value]) => sql`${OPEN}${literal(name)}, ${builtIn('to_json', value)}${CLOSE}`),
    ', ',
  );
}

/** Maximum number of arguments of a function of Postgres, in pairs. */
const MAX_PAIRS = 50;

/** A JSON object made by a call, without a query of its own where its names are few enough. */
export function objectCall(entries: readonly Entry[], scope: Scope): Sql {
  if (entries.length > MAX_PAIRS) return jsonObjectOf(entries, scope);
  return builtIn('json_build_object', ...entries.flatMap(([name, value]) => [literal(name), value]));
}

/**
 * Maximum FROM items that make objects: one for each aggregate function, and a few. PostgreSQL takes minutes to plan 500 of
 * them, and no time worth measuring to plan as many subselects.
 */
const MAX_OBJECTS = 16;

/** An object of values that the FROM items give, made by one more FROM item in `objects`: cheaper than a subselect, which has its own plan. */
export function lateralObject(entries: readonly Entry[], objects: FromItem[], scope: Scope): Sql {
  if (!areColumnNames(entries) || objects.length >= MAX_OBJECTS) return jsonObjectOf(entries, scope);
  const object = scope.alias('object');
  const rows = nested(selectStatement({ columns: namedColumns(entries) }));
  objects.push({ join: 'cross join lateral', rows, alias: object });
  return builtIn('row_to_json', wholeRow(object));
}
