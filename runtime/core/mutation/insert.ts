/**
 * Inserts (reference graphql-api §3.1). Rows without nested data are one statement; with nested data, object by object:
 * the objects that the row refers to, the row, then what refers to the row.
 */
import { EngineError } from '../errors.ts';
import type { Column, Relationship } from '../program.ts';
import { objectOf } from '../query/comparison.ts';
import { type Scope, scopeOf } from '../query/scope.ts';
import type { InputNode, RootArguments, Selection } from '../request/selection.ts';
import type { Requester } from '../resolvers.ts';
import type { TableView } from '../schema/table-view.ts';
import type { TableAccess } from '../shapes.ts';
import { identifier, parameter, print, type Sql, type Statement, sql } from '../sql/fragment.ts';
import { type Conflict, conflictClause, conflictOf } from './conflict.ts';
import {
  checkOfInsert,
  type FixedColumns,
  insertStatement,
  type RowValues,
  rowValues,
} from './insert-rows.ts';
import type { MutationExecution, MutationStep, Results } from './step.ts';
import {
  type AnswerForm,
  checkPassed,
  nothingWritten,
  readWritten,
  requireCheck,
  WRITTEN,
  type Write,
  writeStep,
  writtenRows,
} from './written.ts';

type ObjectNode = Extract<InputNode, { kind: 'object' }>;

/** Resolver of `insert_<t>`. */
export function insertRows(
  access: TableAccess,
  requester: Requester,
  selection: Selection,
  args: RootArguments,
): MutationStep {
  const scope = scopeOf(requester);
  const view = scope.view.byAccess(access);
  const node = args.get('objects');
  const objects = node?.kind === 'list' ? node.items.map(objectOf) : [];
  if (!node) return nothingWritten(selection, 'object');
  const conflict = conflictOf(args.get(scopeName(view)('on_conflict')), view);
  const rows = objects.map((object) => rowValues(object, view));
  return insertValues(view, rows, conflict, node.path, selection, 'object', scope);
}

/** Resolver of `insert_<t>_one`: the row, or null when a conflict skipped it. */
export function insertRow(
  access: TableAccess,
  requester: Requester,
  selection: Selection,
  args: RootArguments,
): MutationStep {
  const scope = scopeOf(requester);
  const view = scope.view.byAccess(access);
  const object = objectOf(args.get('object')!);
  const conflict = conflictOf(args.get(scopeName(view)('on_conflict')), view);
  return insertValues(view, [rowValues(object, view)], conflict, object.path, selection, 'row', scope);
}

/** Inserts rows, whoever read them from whichever request; `path` is where failures belong. */
export function insertValues(
  view: TableView,
  rows: readonly RowValues[],
  conflict: Conflict | undefined,
  path: string,
  selection: Selection,
  form: AnswerForm,
  scope: Scope,
): MutationStep {
  if (rows.length === 0) return nothingWritten(selection, form);
  if (rows.every((row) => row.nested.length === 0)) {
    return writeStep(flatWrite(view, rows, conflict, path, {}, scope), view, selection, form, scope);
  }
  const set = planSet(view, rows, conflict, path, {}, scope);
  const finish = readWritten(view, selection, form, scope);
  return {
    kind: 'run',
    run: async (execution) => {
      const result = await set(execution, {});
      return finish(execution, String(result.affected), `[${result.rows.join(',')}]`);
    },
  };
}

function scopeName(view: TableView): (name: string) => string {
  return view.table.source.naming === 'graphql-default' ? view.table.names.field : (name) => name;
}

function flatWrite(
  view: TableView,
  rows: readonly RowValues[],
  conflict: Conflict | undefined,
  path: string,
  fixed: FixedColumns,
  scope: Scope,
): Write {
  const alias = scope.alias();
  const clause = conflictClause(conflict, view, alias, scope);
  return {
    statement: sql`${insertStatement(view, rows, alias, fixed)}${clause.sql}`,
    alias,
    check: checkOfInsert(view, alias, clause.updates),
    path,
    checkPath: path,
  };
}

interface Inserted {
  /** Rows written, nested ones counted. */
  readonly affected: number;
  /** JSON of the rows of this level, in input order. */
  readonly rows: readonly string[];
}

/** Inserts a list of objects; `results` hold the values of fixed columns. */
type InsertSet = (execution: MutationExecution, results: Results) => Promise<Inserted>;

function planSet(
  view: TableView,
  rows: readonly RowValues[],
  conflict: Conflict | undefined,
  path: string,
  fixed: FixedColumns,
  scope: Scope,
): InsertSet {
  if (rows.every((row) => row.nested.length === 0)) {
    const write = flatWrite(view, rows, conflict, path, fixed, scope);
    const statement = print(
      sql`${writtenRows(write)} select ${checkPassed(write)}::text, (select count(*) from ${WRITTEN})::text, (select coalesce(json_agg(${WRITTEN}), '[]') from ${WRITTEN})::text`,
    );
    return async (execution, results) => {
      const [passed, count, texts] = await execution.read(statement, path, results);
      requireCheck(passed, path);
      const list = texts!.slice(1, -1);
      return { affected: Number(count), rows: list === '' ? [] : [list] };
    };
  }
  const plans = rows.map((row) => planRow(view, row, conflict, path, fixed, scope));
  return async (execution, results) => {
    let affected = 0;
    const all: string[] = [];
    for (const plan of plans) {
      const inserted = await plan(execution, results);
      affected += inserted.affected;
      all.push(...inserted.rows);
    }
    return { affected, rows: all };
  };
}

/** One object with what hangs on it. */
function planRow(
  view: TableView,
  row: RowValues,
  conflict: Conflict | undefined,
  setPath: string,
  fixed: FixedColumns,
  scope: Scope,
): (execution: MutationExecution, results: Results) => Promise<Inserted> {
  const before = row.nested.filter(
    ({ relationship }) => relationship.shape.kind === 'object' && !relationship.shape.insertAfter,
  );
  const after = row.nested.filter((nested) => !before.includes(nested));
  const own: Record<string, Sql> = { ...fixed };
  const parents = before.map((nested) => {
    const { relationship, node } = nested;
    const determined = relationship.columns
      .map(([column]) => column)
      .filter((column) => row.values.has(column.name) || Object.hasOwn(own, column.name));
    if (determined.length > 0) {
      throw new EngineError(
        'validation-failed',
        `cannot insert object relationship "${relationship.name}" as ${quoted(determined)} column values are already determined`,
        { path: node.path },
      );
    }
    const plan = planParent(nested.view, relationship, node, scope);
    for (const [column, target] of relationship.columns)
      own[column.name] = resultColumn(resultName(relationship, target), column);
    return { relationship, node, plan };
  });
  const children = after.map(({ relationship, node, view: target }) => ({
    relationship,
    plan: planChildren(target, relationship, node, scope),
  }));
  const needed = after.flatMap(({ relationship }) => relationship.columns.map(([column]) => column));
  const write = flatWrite(view, [row], conflict, setPath, own, scope);
  const statement = rowStatement(write, needed);
  return async (execution, results) => {
    let affected = 0;
    const values: Record<string, string | null> = { ...results };
    for (const { relationship, node, plan } of parents) {
      const parent = await plan(execution);
      if (!parent.columns) {
        throw new EngineError(
          'not-supported',
          `cannot proceed to insert object relation "${relationship.name}" since insert to table "${relationship.target.shape.name}" affects zero rows`,
          { path: node.path },
        );
      }
      affected += parent.affected;
      for (const [, target] of relationship.columns)
        values[resultName(relationship, target)] = parent.columns[target.name] ?? null;
    }
    const written = await writeRow(statement, needed, execution, values, setPath);
    if (!written) {
      if (children.length > 0) {
        throw new EngineError(
          'not-supported',
          `cannot proceed to insert array relations since insert to table "${view.table.shape.name}" affects zero rows`,
          { path: row.path },
        );
      }
      return { affected, rows: [] };
    }
    affected += 1;
    for (const { relationship, plan } of children) {
      const child: Record<string, string | null> = {};
      for (const [column, target] of relationship.columns)
        child[resultName(relationship, target)] = written.columns[column.name] ?? null;
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
  view: TableView,
  relationship: Relationship,
  node: ObjectNode,
  scope: Scope,
): (execution: MutationExecution) => Promise<Parent> {
  const data = objectOf(node.fields.get('data')!);
  const conflict = conflictOf(node.fields.get(scopeName(view)('on_conflict')), view);
  const row = rowValues(data, view);
  const needed = relationship.columns.map(([, target]) => target);
  if (row.nested.length === 0) {
    const write = flatWrite(view, [row], conflict, data.path, {}, scope);
    const statement = rowStatement(write, needed);
    return async (execution) => {
      const written = await writeRow(statement, needed, execution, {}, data.path);
      return { affected: written ? 1 : 0, columns: written?.columns };
    };
  }
  const plan = planRow(view, row, conflict, data.path, {}, scope);
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
  view: TableView,
  relationship: Relationship,
  node: ObjectNode,
  scope: Scope,
): InsertSet {
  const data = node.fields.get('data')!;
  const objects = data.kind === 'list' ? data.items.map(objectOf) : [objectOf(data)];
  const conflict = conflictOf(node.fields.get(scopeName(view)('on_conflict')), view);
  const fixed: Record<string, Sql> = {};
  for (const [, target] of relationship.columns)
    fixed[target.name] = resultColumn(resultName(relationship, target), target);
  const rows = objects.map((object) => {
    const row = rowValues(object, view);
    const determined = relationship.columns
      .map(([, target]) => target)
      .filter((target) => row.values.has(target.name));
    if (determined.length > 0) {
      throw new EngineError(
        'validation-failed',
        `cannot insert ${quoted(determined)} columns as their values are already being determined by parent insert`,
        { path: object.path },
      );
    }
    return row;
  });
  if (rows.length === 0) return async () => ({ affected: 0, rows: [] });
  return planSet(view, rows, conflict, data.path, fixed, scope);
}

function quoted(columns: readonly Column[]): string {
  return columns.map((column) => `"${column.name}"`).join(', ');
}

/** Writes one row and yields its JSON and the texts of some columns. */
function rowStatement(write: Write, needed: readonly Column[]): Statement {
  const columns = needed.map((column) => sql`, (select (${identifier(column.name)})::text from ${WRITTEN})`);
  return print(
    columns.reduce(
      (all, column) => sql`${all}${column}`,
      sql`${writtenRows(write)} select ${checkPassed(write)}::text, (select row_to_json(${WRITTEN}) from ${WRITTEN})::text`,
    ),
  );
}

async function writeRow(
  statement: Statement,
  needed: readonly Column[],
  execution: MutationExecution,
  results: Results,
  path: string,
): Promise<{ readonly json: string; readonly columns: Readonly<Record<string, string | null>> } | undefined> {
  const [passed, json, ...texts] = await execution.read(statement, path, results);
  requireCheck(passed, path);
  if (json === null || json === undefined) return undefined;
  return {
    json,
    columns: Object.fromEntries(needed.map((column, index) => [column.name, texts[index] ?? null])),
  };
}
