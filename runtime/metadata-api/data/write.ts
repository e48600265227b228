/** The data operations that write. */

import type { InsertRule, UpdateRule } from '../../core/contract/shapes.ts';
import { EngineError, pathStep } from '../../core/errors.ts';
import type { Assignment } from '../../core/mutation/assignments.ts';
import { type Conflict, targetOf } from '../../core/mutation/conflict.ts';
import { deleteRows, ruleCondition } from '../../core/mutation/delete.ts';
import { asking, inputSource, question } from '../../core/mutation/input-validation.ts';
import { insertValues } from '../../core/mutation/insert.ts';
import type { RowValues } from '../../core/mutation/insert-objects.ts';
import { changeRows } from '../../core/mutation/update.ts';
import { quotedName } from '../../core/names.ts';
import type { Column } from '../../core/program/program.ts';
import { whereCondition } from '../../core/query/where.ts';
import type { Selection } from '../../core/request/selection.ts';
import { ADMIN_ROLE } from '../../core/session.ts';
import type { ParameterSource } from '../../core/sql/fragment.ts';
import { type ColumnType, isNumeric } from '../../core/types.ts';
import type { Request } from '../../graphql/request.ts';
import { type ColumnItem, field, rowSelection } from './columns.ts';
import { dataRequest, type TableArguments } from './request.ts';
import { columnDenied, type RequestedTable, readableTable, writeRule } from './table.ts';
import { valueNode } from './value.ts';
import { whereNode } from './where.ts';

type JsonObject = Readonly<Record<string, unknown>>;

interface ConflictArguments {
  readonly action: 'ignore' | 'update';
  readonly constraint?: string | undefined;
  readonly constraint_on?: readonly string[] | undefined;
}

export interface InsertArguments extends TableArguments {
  readonly objects: readonly JsonObject[];
  readonly on_conflict?: ConflictArguments | undefined;
  readonly returning?: readonly ColumnItem[] | undefined;
}

/** `insert`: the JSON text of `{affected_rows, returning?}`. @throws EngineError */
export async function insert(args: InsertArguments, request: Request): Promise<string> {
  const { table, scope, write } = dataRequest('insert', args, request);
  const rule = writeRule(table, 'insert');
  const rows = args.objects.map((object, index) => rowOf(object, table, rule, `$.objects[${index}]`));
  const conflict = args.on_conflict && conflictOf(args.on_conflict, table, rows);
  const selection = answerSelection(args.returning, table);
  const step = insertValues(table.visible, rows, conflict, '$', selection, 'object', scope);
  const upserts = conflict && conflict.columns.length > 0 ? args.objects.map(taken(conflict.columns)) : [];
  return write(
    asking(step, [
      ...question(table.visible, 'insert', args.objects.map(constant)),
      ...(upserts.length > 0 ? question(table.visible, 'update', upserts) : []),
    ]),
  );
}

function constant(value: unknown): ParameterSource {
  return { from: 'constant', value };
}

/** The changes of an upsert, as the input of an update. */
function taken(columns: readonly string[]): (object: JsonObject) => ParameterSource {
  return (object) =>
    constant({ _set: Object.fromEntries(Object.entries(object).filter(([name]) => columns.includes(name))) });
}

function rowOf(object: JsonObject, table: RequestedTable, rule: InsertRule, path: string): RowValues {
  const values = Object.entries(object).map(([name, value]) => {
    const valuePath = pathStep(path, name);
    const column = writableColumn(name, table, rule, 'insert', valuePath);
    return [name, { column, node: valueNode(column.type, value, valuePath) }] as const;
  });
  return { path, values: new Map(values) };
}

/** An update takes over every column that any of the rows gives. */
function conflictOf(
  { action, constraint, constraint_on: columns }: ConflictArguments,
  table: RequestedTable,
  rows: readonly RowValues[],
): Conflict {
  const path = '$.on_conflict';
  const { visible, role } = table;
  if (constraint !== undefined && columns !== undefined)
    throw unexpected('"constraint" and "constraint_on" cannot be set at a time', path);
  columns?.forEach((name, index) => {
    if (!isKnown(name, table)) throw noColumn(name, `${path}.constraint_on[${index}]`);
  });
  const named = constraint === undefined ? columns : constraintColumns(constraint, table, path);
  const target = named && targetOf(named);
  if (action === 'ignore') return { target, columns: [], where: undefined };
  if (target === undefined)
    throw unexpected('Expecting "constraint" or "constraint_on" when the "action" is "update"', path);
  const rule = visible.update;
  if (!rule) {
    throw new EngineError(
      'permission-denied',
      `upsert is not allowed for role "${role}" since update permissions are not defined`,
      { path },
    );
  }
  const given = new Set(rows.flatMap(({ values }) => [...values.keys()]));
  const taken = [...given].filter((name) => !Object.hasOwn(rule.presets ?? {}, name));
  for (const name of taken) writableColumn(name, table, rule, 'update', path);
  return { target, columns: taken, where: undefined };
}

/** Whether a column of a conflict exists, as far as the role may know: one that it may use, or one of a key. */
function isKnown(name: string, { visible, role }: RequestedTable): boolean {
  const { columns, shape } = visible.table;
  if (role === ADMIN_ROLE) return columns.has(name);
  const { primaryKey, unique = {} } = shape;
  return [
    [...(visible.select?.readable.keys() ?? [])],
    visible.insert?.columns ?? [],
    visible.update?.columns ?? [],
    primaryKey?.columns ?? [],
    ...Object.values(unique),
  ].some((known) => known.includes(name));
}

function constraintColumns(name: string, { visible }: RequestedTable, path: string): readonly string[] {
  const { primaryKey, unique = {} } = visible.table.shape;
  if (name === primaryKey?.name) return primaryKey.columns;
  if (Object.hasOwn(unique, name)) return unique[name]!;
  throw new EngineError(
    'unexpected',
    `constraint "${name}" for table ${quotedName(visible.table.shape)} does not exist`,
    { path: `${path}.constraint`, status: 400 },
  );
}

/** The operators of an update, by the key that a request gives them under, and the columns they take. */
const OPERATORS = [
  ['$set', '_set', () => true],
  ['$inc', '_inc', isNumeric],
  // Postgres has no product of two amounts of money.
  ['$mul', 'multiply', (type: ColumnType) => isNumeric(type) && type.name !== 'money'],
] as const;

export interface UpdateArguments extends TableArguments {
  readonly where: JsonObject;
  readonly $set?: JsonObject | undefined;
  readonly $inc?: JsonObject | undefined;
  readonly $mul?: JsonObject | undefined;
  readonly $default?: readonly string[] | undefined;
  readonly returning?: readonly ColumnItem[] | undefined;
}

/** `update`: the JSON text of `{affected_rows, returning?}`. @throws EngineError */
export async function update(args: UpdateArguments, request: Request): Promise<string> {
  const { table, scope, write } = dataRequest('update', args, request);
  const rule = writeRule(table, 'update');
  const assignments = assignmentsOf(args, table, rule);
  const readable = readableTable(table, '$', needsSelect('update'));
  const alias = scope.alias(table.visible.table.shape.name);
  const where = whereNode(args.where, readable, '$.where');
  const condition = whereCondition(
    where,
    alias,
    table.visible,
    scope,
    ruleCondition(table.visible, 'update', alias),
  );
  const selection = answerSelection(args.returning, table);
  const step = changeRows(table.visible, alias, [condition], assignments, selection, 'object', scope);
  const { $set, $inc, $mul, $default } = args;
  const changes = Object.entries({ _set: $set, _inc: $inc, _mul: $mul, _default: $default });
  const given = changes.flatMap(([key, value]) =>
    value === undefined ? [] : [[key, constant(value)] as const],
  );
  const item = { from: 'object', fields: [['where', inputSource(where)], ...given] } as const;
  return write(asking(step, question(table.visible, 'update', [item])));
}

function assignmentsOf(args: UpdateArguments, table: RequestedTable, rule: UpdateRule): Assignment[] {
  const assignments: Assignment[] = [];
  for (const [key, operator, accepts] of OPERATORS) {
    for (const [name, value] of Object.entries(args[key] ?? {})) {
      const path = pathStep(pathStep('$', key), name);
      const column = writableColumn(name, table, rule, 'update', path);
      if (!accepts(column.type))
        throw unexpected(`"${name}" is of type "${column.type.sql}", on which ${key} does not work`, path);
      assignments.push({ column, operator, value: valueNode(column.type, value, path) });
    }
  }
  args.$default?.forEach((name, index) => {
    const path = pathStep(pathStep('$', '$default'), index);
    assignments.push({ column: writableColumn(name, table, rule, 'update', path), operator: 'default' });
  });
  if (assignments.length === 0 && Object.keys(rule.presets ?? {}).length === 0)
    throw unexpected('atleast one of $set, $inc, $mul has to be present', '$');
  const names = assignments.map(({ column }) => column.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw unexpected(`column "${twice}" is found in several operators`, '$');
  return assignments;
}

export interface DeleteArguments extends TableArguments {
  readonly where: JsonObject;
  readonly returning?: readonly ColumnItem[] | undefined;
}

/** `delete`: the JSON text of `{affected_rows, returning?}`. @throws EngineError */
export async function remove(args: DeleteArguments, request: Request): Promise<string> {
  const { table, scope, write } = dataRequest('delete', args, request);
  writeRule(table, 'delete');
  const readable = readableTable(table, '$', needsSelect('delete'));
  const where = whereNode(args.where, readable, '$.where');
  const selection = answerSelection(args.returning, table);
  return write(
    deleteRows({
      of: table.visible.table.shape,
      requester: scope,
      selection,
      args: new Map([['where', where]]),
    }),
  );
}

function needsSelect(operation: string): string {
  return `; "${operation}" is only allowed if the role has "select" permission as "where" can't be used without "select" permission on the table`;
}

function answerSelection(returning: readonly ColumnItem[] | undefined, table: RequestedTable): Selection {
  const count = field('affected_rows', { kind: 'affectedRows' }, '$');
  if (returning === undefined) return { typeName: '', argumentsPath: '$', fields: [count] };
  const note = '; "returning" can only be used if the role has "select" permission on the table';
  const selection = rowSelection(returning, readableTable(table, '$', note), '$.returning');
  const rows = field('returning', { kind: 'returning' }, '$.returning', selection);
  return { typeName: '', argumentsPath: '$', fields: [count, rows] };
}

/** A column that the role may give a value to: allowed, no preset, not generated. @throws EngineError */
function writableColumn(
  name: string,
  { visible, role }: RequestedTable,
  rule: InsertRule | UpdateRule,
  verb: 'insert' | 'update',
  path: string,
): Column {
  const column = visible.table.columns.get(name);
  const preset = Object.hasOwn(rule.presets ?? {}, name);
  if (!column || !rule.columns.includes(name) || preset) {
    throw role === ADMIN_ROLE ? noColumn(name, path) : columnDenied(role, verb, name, path);
  }
  if (column.shape.generated || column.shape.readOnly) {
    const able = verb === 'insert' ? 'insertable' : 'updatable';
    throw new EngineError('not-supported', `column "${name}" is not ${able}`, { path });
  }
  return column;
}

function noColumn(name: string, path: string): EngineError {
  return new EngineError('not-exists', `column "${name}" does not exist`, { path });
}

function unexpected(message: string, path: string): EngineError {
  return new EngineError('unexpected-payload', message, { path });
}
