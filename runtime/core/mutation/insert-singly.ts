/**
 * Inserts object by object: the rows that an object refers to, its own row, then what refers to it. This is what an insert
 * with nested data means; inserting in batches is a faster way to the same.
 */
import { EngineError } from '../errors.ts';
import type { Column, Relationship } from '../program.ts';
import type { Scope } from '../query/scope.ts';
import type { TableView } from '../schema/table-view.ts';
import { identifier, parameter, print, type Sql, sql } from '../sql/fragment.ts';
import { type Conflict, checkOfInsert, conflictClause } from './conflict.ts';
import { hasNested, type InsertObject, type NestedInsert, type RowValues } from './insert-objects.ts';
import { type FixedColumns, insertStatement, slices } from './insert-rows.ts';
import type { MutationExecution, Results } from './step.ts';
import { COUNT_OF_WRITTEN, JSON_OF_WRITTEN, rowStatement, rowsStatement, type Write } from './written.ts';

/** One statement that inserts rows. */
export function flatWrite(
  view: TableView,
  rows: readonly RowValues[],
  conflict: Conflict | undefined,
  path: string,
  fixed: FixedColumns,
  scope: Scope,
): Write {
  const alias = scope.alias();
  return {
    statement: sql`${insertStatement(view, rows, alias, fixed)}${conflictClause(conflict, view, alias, scope)}`,
    alias,
    check: checkOfInsert(view, conflict, alias, scope),
    path,
  };
}

export interface Inserted {
  /** Rows written, nested ones counted. */
  readonly affected: number;
  /** JSON of the rows of this level, in input order; several may be in one text, with commas between. */
  readonly rows: readonly string[];
}

/** Inserts a list of objects; `results` hold the values of fixed columns. */
export type InsertSet = (execution: MutationExecution, results: Results) => Promise<Inserted>;

/** @param isFirst the answer may show the rows; of nested ones without nested data only their number is known then */
export function planSet(
  view: TableView,
  objects: readonly InsertObject[],
  conflict: Conflict | undefined,
  path: string,
  fixed: FixedColumns,
  isFirst: boolean,
  scope: Scope,
): InsertSet {
  const plans = objects.some(hasNested)
    ? objects.map((object) => planObject(view, object, conflict, path, fixed, scope))
    : slices(view, objects).map((rows) =>
        planFlat(flatWrite(view, rows, conflict, path, fixed, scope), isFirst),
      );
  return async (execution, results) => {
    let affected = 0;
    const rows: string[] = [];
    for (const plan of plans) {
      const inserted = await plan(execution, results);
      affected += inserted.affected;
      rows.push(...inserted.rows);
    }
    return { affected, rows };
  };
}

function planFlat(write: Write, isFirst: boolean): InsertSet {
  const statement = rowsStatement(write, [COUNT_OF_WRITTEN, ...(isFirst ? [JSON_OF_WRITTEN] : [])]);
  return async (execution, results) => {
    const [count, texts] = await execution.read(statement, write.path, results);
    const list = texts?.slice(1, -1) ?? '';
    return { affected: Number(count), rows: list === '' ? [] : [list] };
  };
}

/** One object with what hangs on it. */
function planObject(
  view: TableView,
  object: InsertObject,
  conflict: Conflict | undefined,
  setPath: string,
  fixed: FixedColumns,
  scope: Scope,
): InsertSet {
  const own: Record<string, FixedColumns[string]> = { ...fixed };
  const parents = object.before.map((nested) => {
    for (const [column, target] of nested.relationship.columns)
      own[column.name] = resultColumn(resultName(nested.relationship, target), column);
    return { nested, plan: planParent(nested, scope) };
  });
  const children = object.after.map((nested) => ({ nested, plan: planChildren(nested, scope) }));
  const needed = object.after.flatMap(({ relationship }) => relationship.columns.map(([column]) => column));
  const write = flatWrite(view, [object], conflict, setPath, own, scope);
  const writeRow = rowWriter(write, needed);
  return async (execution, results) => {
    let affected = 0;
    const values: Record<string, string | null> = { ...results };
    for (const { nested, plan } of parents) {
      const { relationship, path } = nested;
      const parent = await plan(execution);
      if (!parent.columns) {
        throw new EngineError(
          'not-supported',
          `cannot proceed to insert object relation "${relationship.name}" since insert to table "${relationship.target.shape.name}" affects zero rows`,
          { path },
        );
      }
      affected += parent.affected;
      for (const [, target] of relationship.columns)
        values[resultName(relationship, target)] = parent.columns[target.name] ?? null;
    }
    const written = await writeRow(execution, values);
    if (!written) {
      if (children.length > 0) {
        throw new EngineError(
          'not-supported',
          `cannot proceed to insert array relations since insert to table "${view.table.shape.name}" affects zero rows`,
          { path: object.path },
        );
      }
      return { affected, rows: [] };
    }
    affected += 1;
    for (const { nested, plan } of children) {
      const child: Record<string, string | null> = {};
      for (const [column, target] of nested.relationship.columns)
        child[resultName(nested.relationship, target)] = written.columns[column.name] ?? null;
      affected += (await plan(execution, child)).affected;
    }
    return { affected, rows: [written.json] };
  };
}

/** Value of a column that another row's insert yields. */
function resultColumn(name: string, column: Column): Sql {
  return parameter({ from: 'result', name }, column.type.sql);
}

function resultName(relationship: Relationship, target: Column): string {
  return `${relationship.name}.${target.name}`;
}

interface Parent {
  readonly affected: number;
  /** Texts of the columns that the child takes over; undefined when a conflict skipped the row. */
  readonly columns: Readonly<Record<string, string | null>> | undefined;
}

function planParent(
  { view, relationship, conflict, objects, dataPath }: NestedInsert,
  scope: Scope,
): (execution: MutationExecution) => Promise<Parent> {
  const [object] = objects as [InsertObject];
  const needed = relationship.columns.map(([, target]) => target);
  if (!hasNested(object)) {
    const write = flatWrite(view, [object], conflict, dataPath, {}, scope);
    const writeRow = rowWriter(write, needed);
    return async (execution) => {
      const written = await writeRow(execution, {});
      return { affected: written ? 1 : 0, columns: written?.columns };
    };
  }
  const plan = planObject(view, object, conflict, dataPath, {}, scope);
  return async (execution) => {
    const inserted = await plan(execution, {});
    const json = inserted.rows[0];
    if (json === undefined) return { affected: inserted.affected, columns: undefined };
    const columns = await columnsOfRow(view, needed, json, execution);
    return { affected: inserted.affected, columns };
  };
}

/** Texts of columns of a row that was returned as JSON. */
async function columnsOfRow(
  view: TableView,
  needed: readonly Column[],
  json: string,
  execution: MutationExecution,
): Promise<Record<string, string | null>> {
  const row = parameter({ from: 'result', name: 'row' }, 'json');
  const list = needed.map((column) => sql`(${identifier(column.name)})::text`);
  const statement = print(
    sql`select ${list.reduce((all, item) => sql`${all}, ${item}`)} from json_populate_record(null::${view.table.sql}, ${row})`,
  );
  const texts = await execution.read(statement, '$', { row: json });
  return Object.fromEntries(needed.map((column, index) => [column.name, texts[index] ?? null]));
}

function planChildren(
  { view, relationship, conflict, objects, dataPath }: NestedInsert,
  scope: Scope,
): InsertSet {
  const fixed: Record<string, Sql> = {};
  for (const [, target] of relationship.columns)
    fixed[target.name] = resultColumn(resultName(relationship, target), target);
  return planSet(view, objects, conflict, dataPath, fixed, false, scope);
}

interface WrittenRow {
  readonly json: string;
  readonly columns: Readonly<Record<string, string | null>>;
}

/** Writes one row and yields its JSON and the texts of some columns; undefined when a conflict skipped it. */
function rowWriter(
  write: Write,
  needed: readonly Column[],
): (execution: MutationExecution, results: Results) => Promise<WrittenRow | undefined> {
  const { alias, path } = write;
  const statement = rowStatement(write, [
    sql`row_to_json(${alias})::text`,
    ...needed.map((column) => sql`(${alias}.${identifier(column.name)})::text`),
  ]);
  return async (execution, results) => {
    const [json, ...texts] = await execution.read(statement, path, results);
    if (json === null || json === undefined) return undefined;
    return {
      json,
      columns: Object.fromEntries(needed.map((column, index) => [column.name, texts[index] ?? null])),
    };
  };
}
