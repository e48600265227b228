/** The INSERT statement itself: which columns, which values, in one of three forms. */

import { EngineError } from '../errors.ts';
import type { Column, Relationship } from '../program.ts';
import { objectOf } from '../query/comparison.ts';
import { sourceOf } from '../query/scope.ts';
import type { InputNode } from '../request/selection.ts';
import { fixedType } from '../schema/shared-types.ts';
import { boundRule, type TableView } from '../schema/table-view.ts';
import { EVERY_ROW } from '../shapes.ts';
import { identifier, join, parameter, raw, type Sql, sql } from '../sql/fragment.ts';
import { parseRule } from '../sql/rule.ts';
import { encodeList, encodeValue } from '../types.ts';
import { columnParameter } from './update.ts';

type ObjectNode = Extract<InputNode, { kind: 'object' }>;

/** One object of an insert, taken apart. */
export interface RowValues {
  readonly path: string;
  /** Database column → value. */
  readonly values: ReadonlyMap<string, { readonly column: Column; readonly node: InputNode }>;
  readonly nested: readonly {
    readonly relationship: Relationship;
    readonly view: TableView;
    readonly node: ObjectNode;
  }[];
}

/** Columns whose values come from another row of the same mutation. */
export type FixedColumns = Readonly<Record<string, Sql>>;

/** Separates columns from nested data; a relationship that is null or empty is skipped. */
export function rowValues(object: ObjectNode, view: TableView): RowValues {
  const definitions = object.type.fields();
  const values = new Map<string, { column: Column; node: InputNode }>();
  const nested: RowValues['nested'][number][] = [];
  for (const [name, node] of object.fields) {
    const { meaning } = definitions.get(name)!;
    if (meaning.kind === 'column')
      values.set(meaning.column.column.name, { column: meaning.column.column, node });
    else if (meaning.kind === 'nestedInsert') {
      if (node.kind === 'null') continue;
      const inner = objectOf(node);
      const data = inner.fields.get('data');
      if (!data || data.kind === 'null' || (data.kind === 'list' && data.items.length === 0)) continue;
      nested.push({
        relationship: meaning.relationship,
        view: view.of(meaning.relationship.target),
        node: inner,
      });
    } else throw new Error(`an insert has no ${meaning.kind}`);
  }
  return { path: object.path, values, nested };
}

/**
 * `insert into … ` of the given rows. A column that only some rows give is DEFAULT in the others. Many rows of one shape
 * travel as one array per column, so that the text does not depend on their number.
 */
export function insertStatement(
  view: TableView,
  rows: readonly RowValues[],
  alias: Sql,
  fixed: FixedColumns,
): Sql {
  const presets = Object.entries(view.insert?.presets ?? {}).map(
    ([name, text]) => [name, sql`(${parseRule(text)})`] as const,
  );
  // A preset wins over the key of a parent too: it is what the role may not choose.
  const taken = Object.entries(fixed).filter(([name]) => !Object.hasOwn(view.insert?.presets ?? {}, name));
  const constants = [...presets, ...taken];
  const columns = new Map<string, Column>();
  for (const row of rows) for (const { column } of row.values.values()) columns.set(column.name, column);
  const constantNames = new Set(constants.map(([name]) => name));
  const given = [...columns.values()].filter((column) => !constantNames.has(column.name));
  const into = sql`insert into ${view.table.sql} as ${alias}`;
  if (given.length === 0 && constants.length === 0) {
    if (rows.length === 1) return sql`${into} default values`;
    // DEFAULT VALUES is one row; any column's DEFAULT repeated is the same for many.
    const first = identifier(Object.keys(view.table.shape.columns)[0]!);
    return sql`${into} (${first}) values ${join(
      rows.map(() => raw('(default)')),
      ', ',
    )}`;
  }
  const names = join(
    [...given.map((column) => identifier(column.name)), ...constants.map(([name]) => identifier(name))],
    ', ',
  );
  const uniform = given.every(
    (column) => defaultsToNull(view, column) || rows.every((row) => row.values.has(column.name)),
  );
  if (rows.length > 1 && uniform && given.length > 0) {
    return sql`${into} (${names}) ${arraysSelect(given, constants, rows)}`;
  }
  const tuples = rows.map((row) => {
    const values = given.map((column) => {
      const value = row.values.get(column.name);
      return value ? columnParameter(value.node, column) : raw('default');
    });
    return sql`(${join([...values, ...constants.map(([, value]) => value)], ', ')})`;
  });
  return sql`${into} (${names}) values ${join(tuples, ', ')}`;
}

/**
 * Whether a column that an insert leaves out is null. A view's columns get the defaults of the tables behind it, and a
 * domain may have a default of its own.
 */
function defaultsToNull({ table }: TableView, { shape }: Column): boolean {
  const isTable = table.shape.kind === 'table' || table.shape.kind === 'partitioned';
  return isTable && !shape.hasDefault && table.source.types[shape.type]?.kind !== 'domain';
}

/** Rows as one text array per column, in order, cast to the columns' types. */
function arraysSelect(
  given: readonly Column[],
  constants: readonly (readonly [string, Sql])[],
  rows: readonly RowValues[],
): Sql {
  const arrays = given.map((column) => {
    const nodes = rows.map(
      (row): InputNode => row.values.get(column.name)?.node ?? { kind: 'null', path: row.path },
    );
    const texts = (values: readonly unknown[]) =>
      values.map((value, index) => {
        try {
          return encodeValue(column.type, value);
        } catch (error) {
          throw error instanceof EngineError ? error.at(nodes[index]!.path) : error;
        }
      });
    return parameter({ from: 'list', items: nodes.map(sourceOf) }, 'text[]', (value) =>
      encodeList(fixedType('text'), texts(value as unknown[])),
    );
  });
  const item = (index: number) => identifier('given', `column ${index + 1}`);
  const list = [
    ...given.map((column, index) => sql`${item(index)}::${raw(column.type.sql)}`),
    ...constants.map(([, value]) => value),
  ];
  const names = [...given.map((_, index) => identifier(`column ${index + 1}`)), raw('"position"')];
  return sql`select ${join(list, ', ')} from unnest(${join(arrays, ', ')}) with ordinality as "given" (${join(names, ', ')}) order by "given"."position"`;
}

/**
 * The check of inserted rows; with an upsert, rows that existed are checked by the update rule if it has a check. Which
 * rows those are is told by xmax, which is zero in a row that this statement inserted.
 */
export function checkOfInsert(view: TableView, alias: Sql, updates: boolean): Sql | undefined {
  const inserted = view.insert?.check ?? EVERY_ROW;
  const updated = updates ? view.update?.check : undefined;
  const bound = (text: string) => (text === EVERY_ROW ? raw('true') : boundRule(text)(alias));
  if (updated !== undefined && updated !== inserted) {
    return sql`case when ${alias}.xmax = 0 then ${bound(inserted)} else ${bound(updated)} end`;
  }
  return inserted === EVERY_ROW ? undefined : bound(inserted);
}
