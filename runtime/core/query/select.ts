/** Selections → SQL expressions that yield their JSON. */

import type { JoinField } from '../join/join.ts';
import type { Relationship } from '../program/program.ts';
import { connectionOfRows } from '../relay/connection.ts';
import { nodeIdOf } from '../relay/node-id.ts';
import type { InputNode, RootArguments, SelectedField, Selection } from '../request/selection.ts';
import { roleLimit } from '../saved/holes.ts';
import { fixedType } from '../schema/shared-types.ts';
import type { FieldMeaning } from '../schema/types.ts';
import {
  outputValue,
  shownEnumValue,
  type VisibleColumn,
  type VisibleTable,
} from '../schema/visible-table.ts';
import { isDistributed } from '../shards/index.ts';
import { builtIn, filterOf, join, literal, raw, type Sql, sql } from '../sql/fragment.ts';
import { columnOf, conjunction, type FromItem, jsonList, nested, selectStatement } from '../sql/statement.ts';
import { type ColumnType, encodeList } from '../types.ts';
import { aggregateEntries, countsDistinct } from './aggregate.ts';
import { aggregateOfShards } from './aggregate-of-shards.ts';
import { computedFieldSql } from './computed.ts';
import { groupsOfRows } from './groups.ts';
import { jsonPathSteps } from './json-path.ts';
import { EMPTY_LIST, type Entry, jsonRows, lateralObject, namedColumns } from './json-rows.ts';
import { hasList, rowsFrom } from './nested.ts';
import { orderBy, type SortKey } from './order.ts';
import {
  argumentName,
  type Base,
  baseRows,
  derivedRows,
  distinctOn,
  numbered,
  type Rest,
  type RowSource,
  relatedRows,
  rowNumber,
} from './rows.ts';
import { type Scope, strictParameter } from './scope.ts';
import { related, seen } from './visible.ts';

/** A list of rows as a JSON array. */
export function listOfRows(
  visible: VisibleTable,
  selection: Selection,
  args: RootArguments,
  source: RowSource,
  scope: Scope,
): Sql {
  const base = baseRows(visible, args, source, true, selection.argumentsPath, scope);
  if (isDistributed(visible.table.source)) {
    const entries = rowEntries(selection, base.visible, base.alias, scope);
    return jsonRows('list', entries, { distinct: distinctOn(visible, base), ...restOf(base) }, scope);
  }
  const isLimited = base.limits.limit !== undefined || base.limits.offset !== undefined;
  if (base.distinct.length === 0 && !(isLimited && selection.fields.some(isCostly))) {
    const joins = noJoins();
    const entries = rowEntries(selection, base.visible, base.alias, scope, joins);
    const isSorted = !base.position || base.keys.length > 0;
    if (isSorted || joins.tables.length === 0) {
      return jsonRows('list', entries, restOf(base, joined(joins)), scope);
    }
  }
  const rows = derivedRows(visible, selection, base, scope);
  const order = rows.position ? [rows.position] : orderAgain(base.keys, visible, rows.row);
  const joins = order && noJoins();
  const entries = rowEntries(selection, base.visible, rows.row, scope, joins);
  const rest = joins?.tables.length
    ? { from: [rows.from, ...joined(joins)], order: order! }
    : { from: [rows.from] };
  return jsonRows('list', entries, rest, scope);
}

/** Everything behind the select list of the rows. @param joins behind their own */
function restOf({ from, where, keys, limits }: Base, joins: readonly FromItem[] = []): Rest {
  return { from: [...from, ...joins], where, order: orderBy(keys), ...limits };
}

/** Expressions to evaluate after limit and offset, because they cost more than the base row. */
function isCostly({ definition: { meaning } }: SelectedField): boolean {
  return meaning.kind !== 'column' && meaning.kind !== 'typename' && meaning.kind !== 'join';
}

/** The order once more, for rows of a derived table that joins may have mixed up; undefined where it cannot be told. */
function orderAgain(keys: readonly SortKey[], visible: VisibleTable, alias: Sql): readonly Sql[] | undefined {
  const again: SortKey[] = [];
  for (const { column, direction } of keys) {
    const own = column === undefined ? undefined : visible.select?.readable.get(column);
    if (!own) return undefined;
    again.push({ expression: own.value(alias), direction });
  }
  return orderBy(again);
}

/** The JSON of a query's only row, or null. @param rest its clauses but FROM */
export function singleRow(
  visible: VisibleTable,
  selection: Selection,
  rows: Sql,
  alias: Sql,
  rest: Rest,
  scope: Scope,
): Sql {
  const joins = noJoins();
  const entries = rowEntries(selection, visible, alias, scope, joins);
  return jsonRows('single', entries, { ...rest, from: [{ rows, alias }, ...joined(joins)] }, scope);
}

/**
 * Left joins to the rows of object relationships, where at most one row can match: cheaper than a subselect for each
 * row, and Postgres may choose how to join.
 */
interface Joins {
  readonly tables: FromItem[];
  /** Objects made of their columns, inner ones first. */
  readonly objects: FromItem[];
}

/** Maximum number of joins behind one FROM item: as many as Postgres plans together (join_collapse_limit). */
const MAX_JOINS = 7;

/**
 * Whether objects and lists of rows are nested below each other more than a number of times. PostgreSQL moves the object of a
 * joined row into the query around it, with every subselect in it: the time to plan such objects grows with the cube of
 * their depth (190 levels of joins took 6 s, of subselects 0.3 s).
 */
function isHigher({ fields }: Selection, levels: number): boolean {
  return fields.some(
    ({ selection: below }) => below.fields.length > 0 && (levels === 1 || isHigher(below, levels - 1)),
  );
}

function noJoins(): Joins {
  return { tables: [], objects: [] };
}

function joined({ tables, objects }: Joins): readonly FromItem[] {
  return [...tables, ...objects];
}

/** The JSON of a selection set for one row. With `joins`, object relationships may become joins behind the row's FROM. */
export function rowEntries(
  selection: Selection,
  visible: VisibleTable,
  alias: Sql,
  scope: Scope,
  joins?: Joins,
): Entry[] {
  return selection.fields.map((field) => [
    field.responseName,
    rowValue(field, selection, visible, alias, scope, joins),
  ]);
}

function rowValue(
  field: SelectedField,
  selection: Selection,
  visible: VisibleTable,
  alias: Sql,
  scope: Scope,
  joins: Joins | undefined,
): Sql {
  const { meaning } = field.definition;
  const args = field.arguments.get('args');
  switch (meaning.kind) {
    case 'typename':
      return sql`${literal(selection.typeName)}::text`;
    case 'column':
      return columnValue(field, meaning.column, alias, scope);
    case 'relationship': {
      if (meaning.relationship.shape.kind === 'array') {
        const related = relatedRows(meaning.visible, meaning.relationship, visible, alias, args);
        const list = listOfRows(meaning.visible, field.selection, field.arguments, related, scope);
        const isThere = hasList(visible, meaning.relationship, meaning.visible, alias);
        return isThere ? sql`case when ${isThere} then ${list} end` : list;
      }
      return joins && canJoin(meaning, field.selection, joins)
        ? joinedRow(meaning, field.selection, visible, alias, scope, joins)
        : relatedRow(meaning, field.selection, visible, alias, args, scope);
    }
    case 'relationshipAggregate':
    case 'relationshipGroups': {
      const ofRows = meaning.kind === 'relationshipGroups' ? groupsOfRows : aggregateOfRows;
      const related = relatedRows(meaning.visible, meaning.relationship, visible, alias, args);
      return ofRows(meaning.visible, field.selection, field.arguments, related, scope);
    }
    case 'relationshipConnection':
      return connectionOfRows(
        meaning.visible,
        field.selection,
        field.arguments,
        relatedRows(meaning.visible, meaning.relationship, visible, alias, args),
        scope,
        rowEntries,
      );
    case 'nodeId':
      return nodeIdOf(visible, scope.roleSchema.program, alias);
    case 'computedField':
      return computedFieldValue(field, meaning, visible, alias, scope);
    case 'join':
      return joinTuple(meaning.join, alias);
    default:
      throw new Error(`a row has no field of the kind ${meaning.kind}`);
  }
}

type ToOne = Extract<FieldMeaning, { kind: 'relationship' }>;

/** The row of an object relationship. If several match (a manual relationship to a column that is not a key), any of them. */
function relatedRow(
  { visible, relationship }: ToOne,
  selection: Selection,
  from: VisibleTable,
  outer: Sql,
  args: InputNode | undefined,
  scope: Scope,
): Sql {
  const alias = scope.alias(relationship.name);
  const where = related(from, relationship, visible, outer, alias);
  const rest = { where, ...(!relationship.shape.unique && { limit: raw('1') }) };
  return singleRow(
    seen(visible),
    selection,
    rowsFrom(from, relationship, visible, outer, args),
    alias,
    rest,
    scope,
  );
}

/**
 * Computed fields keep to subselects: behind a left join, a function would be called for rows that are not there. So do rules
 * that can fail: Postgres may join the rows before it asks whether the outer ones are visible.
 */
function canJoin({ relationship, visible }: ToOne, selection: Selection, joins: Joins): boolean {
  return (
    relationship.shape.unique === true &&
    !isDistributed(visible.table.source) &&
    !visible.select?.canFail &&
    joins.tables.length < MAX_JOINS &&
    !isHigher(selection, MAX_JOINS) &&
    !selection.fields.some((field) => field.definition.meaning.kind === 'computedField')
  );
}

function joinedRow(
  { visible, relationship }: ToOne,
  selection: Selection,
  from: VisibleTable,
  outer: Sql,
  scope: Scope,
  joins: Joins,
): Sql {
  const alias = scope.alias(relationship.name);
  const conditions = related(from, relationship, visible, outer, alias);
  joins.tables.push({
    join: 'left join',
    rows: rowsFrom(from, relationship, visible, outer),
    alias,
    on: conjunction(conditions),
  });
  const entries = rowEntries(selection, seen(visible), alias, scope, joins);
  const [[, key]] = relationship.columns as [Relationship['columns'][number]];
  const matched = sql`${columnOf(alias, key.name)} is not null`;
  return sql`case when ${matched} then ${lateralObject(entries, joins.objects, scope)} end`;
}

function columnValue(field: SelectedField, column: VisibleColumn, alias: Sql, scope: Scope): Sql {
  return atJsonPath(
    field,
    outputValue(
      column.column.type,
      shownEnumValue(column.column, column.value(alias)),
      scope.options.stringifyNumbers,
    ),
    column.column.type,
  );
}

/** The values that a join looks up, in the place of its result; null where one is missing, since nothing equals null. */
function joinTuple({ keys }: JoinField, alias: Sql): Sql {
  const values = keys.map(({ name, value }) => {
    if (!value) throw new Error(`the join's ${name} is not a value of a row`);
    return value(alias);
  });
  const list = builtIn('json_build_array', ...values);
  if (values.length === 0) return list;
  const present = values.map((value) => sql`${value} is not null`);
  return sql`case when ${join(present, ' and ')} then ${list} end`;
}

/** `path` of json and jsonb fields: the value below it, or the whole for `$`. */
function atJsonPath(field: SelectedField, value: Sql, type: ColumnType): Sql {
  const node = field.arguments.get('path');
  if (!node || node.kind === 'null' || (type.family !== 'json' && type.family !== 'jsonb')) return value;
  const steps = (text: string) => encodeList(fixedType('text'), jsonPathSteps(text, node.path));
  return nested(sql`${value} #> ${strictParameter(node, 'text[]', steps)}`);
}

function computedFieldValue(
  field: SelectedField,
  { computedField: computed, visible: target, aggregates }: Extract<FieldMeaning, { kind: 'computedField' }>,
  visible: VisibleTable,
  alias: Sql,
  scope: Scope,
): Sql {
  const call = computedFieldSql(computed, visible, alias, field.arguments.get('args'));
  if ('type' in computed.returns) {
    return atJsonPath(
      field,
      outputValue(computed.returns.type, call, scope.options.stringifyNumbers),
      computed.returns.type,
    );
  }
  const source: RowSource = {
    name: computed.name,
    from: call,
    conditions: () => [],
    ordered: computed.returns.set,
  };
  if (aggregates) return aggregateOfRows(target!, field.selection, field.arguments, source, scope);
  return computed.returns.set
    ? listOfRows(target!, field.selection, field.arguments, source, scope)
    : functionRow(target!, field.selection, field.arguments, source, scope);
}

/** The row of a function that returns a composite value, if the arguments select it; a null result is not a row. */
export function functionRow(
  visible: VisibleTable,
  selection: Selection,
  args: RootArguments,
  source: RowSource,
  scope: Scope,
): Sql {
  const row: RowSource = { ...source, conditions: (alias) => [sql`not ((${alias}.*) is null)`] };
  const base = baseRows(visible, args, row, false, selection.argumentsPath, scope);
  const joins = noJoins();
  const entries = rowEntries(selection, visible, base.alias, scope, joins);
  return jsonRows('single', entries, restOf({ ...base, keys: [] }, joined(joins)), scope);
}

/**
 * Aggregates and nodes over the selected rows, which are read once. The role's limit caps `nodes` only.
 */
export function aggregateOfRows(
  visible: VisibleTable,
  selection: Selection,
  args: RootArguments,
  source: RowSource,
  scope: Scope,
): Sql {
  const wantsNodes = selection.fields.some((field) => field.definition.meaning.kind === 'nodes');
  const isWhole =
    !args.has('limit') && !args.has('offset') && !args.has(argumentName(visible)('distinct_on'));
  const ordered = source.ordered === true && (wantsNodes || !isWhole);
  const base = baseRows(visible, args, { ...source, ordered }, false, selection.argumentsPath, scope);
  if (isDistributed(visible.table.source))
    return aggregateOfShards(
      visible,
      selection,
      { ...base, ordered },
      (field) => rowEntries(field.selection, base.visible, base.alias, scope),
      scope,
    );
  const rows = derivedRows(visible, selection, base, scope);
  const capped = visible.select?.limit !== undefined && wantsNodes;
  // Postgres may sort the rows for a distinct count, and the other aggregates then get them in that order.
  const reordered =
    wantsNodes && (base.keys.length > 0 || base.distinct.length > 0 || ordered) && countsDistinct(selection);
  const aggregates: Entry[] = [];
  const nodes: FromItem[] = [];
  const objects: FromItem[] = [];
  const result = scope.alias('aggregate');
  const keep = (value: Sql): Sql => {
    const name = `a${aggregates.length + 1}`;
    aggregates.push([name, value]);
    return columnOf(result, name);
  };
  const entries = selection.fields.map(
    (field): Entry => [
      field.responseName,
      (() => {
        switch (field.definition.meaning.kind) {
          case 'typename':
            return sql`${literal(selection.typeName)}::text`;
          case 'aggregate':
            return lateralObject(
              aggregateEntries(field.selection, rows.row, keep, objects, visible, scope),
              objects,
              scope,
            );
          case 'nodes': {
            const node = lateralObject(
              rowEntries(field.selection, base.visible, rows.row, scope),
              nodes,
              scope,
            );
            const position = columnOf(rows.alias, rowNumber(visible.table));
            const order = reordered ? sql` order by ${position}` : raw('');
            const filter = capped ? filterOf(sql`${position} <= ${roleLimit(visible)}`) : raw('');
            return builtIn('coalesce', keep(sql`${jsonList(node, order)}${filter}`), EMPTY_LIST);
          }
          default:
            throw new Error(`an aggregate has no field of the kind ${field.definition.meaning.kind}`);
        }
      })(),
    ],
  );
  const from = capped || reordered ? numbered(rows, visible.table) : rows.from;
  // Nothing but type names: one object, whatever the rows.
  const values = selectStatement(
    aggregates.length > 0 ? { columns: namedColumns(aggregates), from: [from, ...nodes] } : {},
  );
  return jsonRows('single', entries, { from: [{ rows: nested(values), alias: result }, ...objects] }, scope);
}
