/**
 * The INSERT statement itself: which columns, which values, in one of three forms.
 * @rule Does a preset win over the client's value, or over the key of a parent?
 */

import { EngineError, type Path } from '../errors.ts';
import type { Column } from '../program/program.ts';
import { sourceOf, valueParameter } from '../query/scope.ts';
import type { InputNode } from '../request/selection.ts';
import { presetValue } from '../saved/holes.ts';
import { fixedType } from '../schema/shared-types.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import { builtIn, identifier, join, parameter, raw, type Sql, sql, unnested } from '../sql/fragment.ts';
import { readText } from '../sql/spatial.ts';
import { type FromItem, type Insert, nested, type Select, selectStatement } from '../sql/statement.ts';
import { encodeList, encodeValue } from '../types.ts';
import type { RowValues } from './insert-objects.ts';

/** Columns whose values come from other rows of the same mutation: one value for all rows, or one for each. */
export type FixedColumns = Readonly<Record<string, Sql | ColumnList>>;

export interface ColumnList {
  readonly column: Column;
  /** An array of texts, an item a row. */
  readonly list: Sql;
  /** One of them. */
  readonly item: (index: number) => Sql;
}

/** Rows of the database that rows are inserted for: each row once for every one of them. */
export interface RowsBeside {
  /** Values of fixed columns may name its alias. */
  readonly from: FromItem;
  /** The rows for one row are in this order. */
  readonly order: readonly Sql[];
}

/**
 * The given rows as the columns and source of an INSERT. A column that only some rows give is DEFAULT in the others. Many rows of one shape
 * travel as one array per column, so that the text does not depend on their number.
 * @param each with uniform rows (see `uniformSets`) and at least one fixed column
 * @param condition evaluated for each row right before it is inserted; with uniform rows
 */
export function insertedRows(
  visible: VisibleTable,
  rows: readonly RowValues[],
  fixed: FixedColumns,
  { each, condition }: { readonly each?: RowsBeside | undefined; readonly condition?: Sql | undefined } = {},
): Pick<Insert, 'columns' | 'source' | 'values'> {
  const presets = Object.keys(visible.insert?.presets ?? {}).map(
    (name) => [name, nested(presetValue(visible, 'insert', name))] as const,
  );
  // A preset wins over the key of a parent too: it is what the role may not choose.
  const taken = Object.entries(fixed).filter(([name]) => !Object.hasOwn(visible.insert?.presets ?? {}, name));
  const lists = taken.flatMap(([, value]) => ('list' in value ? [value] : []));
  const constants = [
    ...presets,
    ...taken.flatMap(([name, value]) => ('list' in value ? [] : [[name, value] as const])),
  ];
  const constantNames = new Set([...presets, ...taken].map(([name]) => name));
  const given = givenColumns(rows).filter((column) => !constantNames.has(column.name));
  const where = condition ? [condition] : [];
  if (given.length === 0 && constantNames.size === 0) {
    if (condition) return { source: selectStatement({ from: [{ rows: positions(rows) }], where }) };
    if (rows.length === 1) return { source: raw('default values') };
    // DEFAULT VALUES is one row; any column's DEFAULT repeated is the same for many.
    const first = identifier(Object.keys(visible.table.shape.columns)[0]!);
    return { columns: [first], source: valuesOf(rows.map(() => [raw('default')])) };
  }
  const columns = [
    ...given.map((column) => identifier(column.name)),
    ...lists.map(({ column }) => identifier(column.name)),
    ...constants.map(([name]) => identifier(name)),
  ];
  if (each || (!takesItems(visible, rows) && given.length + lists.length > 0)) {
    const { values, ...select } = arraysSelect(given, lists, constants, rows, each);
    if (!condition) return { columns, source: selectStatement(select), values: [values] };
    // Postgres evaluates the condition as it takes the rows in order, not below a sort: OFFSET keeps it outside.
    const ordered = nested(selectStatement({ ...select, offset: raw('0') }));
    const from = [{ rows: ordered, alias: identifier('row') }];
    return { columns, source: selectStatement({ columns: raw('*'), from, where }) };
  }
  const cells = rows.map((row, index) => {
    const values = given.map((column) => {
      const value = row.values.get(column.name);
      return value ? valueParameter(value.node, column.type) : raw('default');
    });
    const items = lists.map(({ column, item }) => sql`${item(index)}::${raw(column.type.sql)}`);
    return [...values, ...items, ...constants.map(([, value]) => value)];
  });
  if (condition) return { columns, source: selectStatement({ columns: join(cells[0]!, ', '), where }) };
  return { columns, source: valuesOf(cells), values: cells };
}

/** `values (…), (…)`. */
function valuesOf(rows: readonly (readonly Sql[])[]): Sql {
  return sql`values ${join(
    rows.map((row) => nested(join(row, ', '))),
    ', ',
  )}`;
}

/** True if the text lists the rows one by one, with the items of their lists. */
export function takesItems(visible: VisibleTable, rows: readonly RowValues[]): boolean {
  return rows.length === 1 || !isUniform(visible, givenColumns(rows), rows);
}

/** Columns that any of the rows gives. */
function givenColumns(rows: readonly RowValues[]): Column[] {
  const columns = new Map<string, Column>();
  for (const row of rows) for (const { column } of row.values.values()) columns.set(column.name, column);
  return [...columns.values()];
}

/** True if no column is DEFAULT in one row and has a value in another; only VALUES can express that. */
function isUniform(visible: VisibleTable, given: readonly Column[], rows: readonly RowValues[]): boolean {
  return given.every(
    (column) => defaultsToNull(visible, column) || rows.every((row) => row.values.has(column.name)),
  );
}

/** All rows together, or each by itself where one statement of arrays cannot have them all. */
export function uniformSets<Row extends RowValues>(
  visible: VisibleTable,
  rows: readonly Row[],
): (readonly Row[])[] {
  return isUniform(visible, givenColumns(rows), rows) ? [rows] : rows.map((row) => [row]);
}

/** Postgres takes 65,535 parameters; some are left for presets, rules and conditions. */
const MAX_VALUES = 60_000;

/** The rows as one statement can take them: all of them, unless each value needs a parameter of its own. */
export function slices<Row extends RowValues>(
  visible: VisibleTable,
  rows: readonly Row[],
): (readonly Row[])[] {
  const given = givenColumns(rows);
  if (rows.length * given.length <= MAX_VALUES || isUniform(visible, given, rows)) return [rows];
  const size = Math.max(1, Math.floor(MAX_VALUES / given.length));
  const count = Math.ceil(rows.length / size);
  return Array.from({ length: count }, (_, index) => rows.slice(index * size, (index + 1) * size));
}

/**
 * Whether a column that an insert leaves out is null. A view's columns get the defaults of the tables behind it, and a
 * domain may have a default of its own.
 */
function defaultsToNull({ table }: VisibleTable, { shape }: Column): boolean {
  const isTable = table.shape.kind === 'table' || table.shape.kind === 'partitioned';
  return isTable && !shape.hasDefault && table.source.types[shape.type]?.kind !== 'domain';
}

/** Rows as one text array per column, in order, cast to the columns' types. */
function arraysSelect(
  given: readonly Column[],
  lists: readonly ColumnList[],
  constants: readonly (readonly [string, Sql])[],
  rows: readonly RowValues[],
  each: RowsBeside | undefined,
): Select & { readonly values: readonly Sql[] } {
  const columns = [...given.map((column) => ({ column, list: columnTexts(column, rows) })), ...lists];
  const alias = (index: number) => `column ${index + 1}`;
  const selected = [
    ...columns.map(({ column }, index) => readText(column.type, identifier('given', alias(index)))),
    ...constants.map(([, value]) => value),
  ];
  const names = [...columns.map((_, index) => identifier(alias(index))), identifier('position')];
  const arrays = columns.map(({ list }) => list);
  const items = arrays.length > 0 ? sql`${unnested(arrays)} with ordinality` : positions(rows);
  return {
    values: selected,
    columns: join(selected, ', '),
    from: [
      { rows: items, alias: identifier('given'), columns: names },
      ...(each ? [{ join: ',', ...each.from } as const] : []),
    ],
    order: [identifier('given', 'position'), ...(each?.order ?? [])],
  };
}

function positions(rows: readonly RowValues[]): Sql {
  return builtIn('generate_series', raw('1'), parameter({ from: 'constant', value: rows.length }, 'integer'));
}

/** A column's values in all rows as an array parameter. */
function columnTexts(column: Column, rows: readonly RowValues[]): Sql {
  const nodes = rows.map(
    (row): InputNode => row.values.get(column.name)?.node ?? { kind: 'null', path: row.path },
  );
  const paths = nodes.map(({ path }) => path);
  return parameter({ from: 'list', items: nodes.map(sourceOf) }, 'text[]', textsEncoder(column, paths));
}

/** Writes the values of a column. Plans are kept, so it holds on to no more than the places of the values. */
function textsEncoder({ type }: Column, paths: readonly Path[]): (values: unknown) => string {
  return (values) =>
    encodeList(
      fixedType('text'),
      (values as unknown[]).map((value, index) => {
        try {
          return encodeValue(type, value);
        } catch (error) {
          throw error instanceof EngineError ? error.below(paths[index]!) : error;
        }
      }),
    );
}
