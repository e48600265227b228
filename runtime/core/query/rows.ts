/**
 * Which rows a list or an aggregate is about: FROM, WHERE, ORDER BY and LIMIT of arguments and rules together.
 * @rule How do limit, offset, order and the role's limit combine?
 */
import { conventionalName } from '../names.ts';
import type { Relationship, Table } from '../program/program.ts';
import type { InputNode, RootArguments, Selection } from '../request/selection.ts';
import { roleLimit } from '../saved/holes.ts';
import { joinCondition, type VisibleTable } from '../schema/visible-table.ts';
import { isDistributed } from '../shards/index.ts';
import { holdsStatement } from '../sql/contents.ts';
import { builtIn, identifier, isTrue, join, raw, type Sql, sql } from '../sql/fragment.ts';
import { columnOf, type FromItem, nested, type Select, selectStatement } from '../sql/statement.ts';
import { NumberText } from '../types.ts';
import { rowArgument } from './computed.ts';
import type { SqlCondition } from './condition.ts';
import { type Entry, nameBeside, namedColumns } from './json-rows.ts';
import { rowsFrom } from './nested.ts';
import { distinctColumns, orderBy, orderByKeys, type SortKey } from './order.ts';
import { type Scope, strictParameter } from './scope.ts';
import { reached, rowRule, seen, visibleThrough } from './visible.ts';
import { whereCondition } from './where.ts';

/** Where rows come from: a FROM item, and the conditions that tie it to its surroundings. */
export interface RowSource {
  /** The name of its rows in aliases: the table, the relationship or the function. */
  readonly name: string;
  /** Items of FROM before it, which its conditions may name. */
  readonly beside?: readonly FromItem[];
  readonly from: Sql;
  readonly conditions: (alias: Sql) => readonly Sql[];
  /** The rest of the role's rule beyond those; default: the whole rule. */
  readonly rule?: (alias: Sql) => readonly Sql[];
  /** Conditions on the rows before the `where` of the request. */
  readonly further?: (alias: Sql) => readonly SqlCondition[];
  /** The rows are read from the table itself. */
  readonly stored?: true;
  /** The rows come in an order of their own, which is kept where the request gives none. */
  readonly ordered?: boolean;
}

export function tableRows(visible: VisibleTable): RowSource {
  const { shape, sql: from } = visible.table;
  return { name: shape.name, from, conditions: () => [], stored: true, ordered: shape.ordered === true };
}

/** @param from what the role sees of the table that the relationship leads from, whose alias is `outer` */
export function relatedRows(
  visible: VisibleTable,
  relationship: Relationship,
  from: VisibleTable,
  outer: Sql,
  args?: InputNode,
): RowSource {
  return {
    name: relationship.name,
    from: rowsFrom(from, relationship, visible, outer, args),
    conditions: (alias) => [joinCondition(relationship, outer, alias)],
    rule: (alias) => visibleThrough(from, relationship, visible, alias),
    stored: true,
    ordered: visible.table.shape.ordered === true || relationship.shape.nested !== undefined,
  };
}

/** The rows that the arguments select, with every condition in place. */
export interface Base {
  /** The rows as the role sees them. */
  readonly visible: VisibleTable;
  readonly alias: Sql;
  /** With joins that neither add rows nor take any away that the conditions would not. */
  readonly from: readonly FromItem[];
  readonly where: readonly Sql[];
  /** Columns of `distinct_on`, by database name. */
  readonly distinct: readonly string[];
  readonly keys: readonly SortKey[];
  /** The place of a row in the order of its source, where that order is kept. */
  readonly position?: Sql;
  readonly limits: Limits;
}

type Limits = Pick<Select, 'limit' | 'offset' | 'ending'>;

/** Everything behind the select list. */
export type Rest = Omit<Select, 'columns'>;

/** @param capped the limit of the role holds for these rows */
export function baseRows(
  target: VisibleTable,
  args: RootArguments,
  source: RowSource,
  capped: boolean,
  path: string,
  scope: Scope,
): Base {
  const alias = scope.alias(source.name);
  const visible = source.stored ? seen(target) : target;
  const name = argumentName(visible);
  const read = (row: Sql) => readRow(row, visible, args, source, scope);
  const { joins, conditions } = read(alias);
  const keys = orderByKeys(args.get(name('order_by')), alias, visible, scope);
  const distinct = distinctColumns(args.get(name('distinct_on')), keys, visible, path);
  const limits = { limit: limitOf(args, target, capped), offset: offsetOf(args) };
  const isKept = source.ordered && keys.length === 0 && !isDistributed(visible.table.source);
  const isAlone = joins.length === 0 && distinct.length === 0 && conditions.every(isOfRow);
  if (isKept && !isAlone) return { ...inOwnOrder(alias, visible, source, read), distinct, limits };
  return {
    visible,
    alias,
    from: [...itemsOf(source, alias), ...joins],
    where: asked(conditions),
    distinct,
    keys,
    ...(isKept && { position: PLACE }),
    limits,
  };
}

function itemsOf({ beside = [], from: rows }: RowSource, alias: Sql): readonly FromItem[] {
  return [...beside, { rows, alias, ...(beside.length > 0 && { join: 'cross join' }) }];
}

/** The joins and conditions that arguments and rules ask of a row. */
function readRow(
  row: Sql,
  visible: VisibleTable,
  args: RootArguments,
  source: RowSource,
  scope: Scope,
): { readonly joins: readonly FromItem[]; readonly conditions: readonly Sql[] } {
  const joins: FromItem[] = [];
  const ties = source.conditions(row);
  const rule = reached(ties, visible, rowRule(visible, row));
  const conditions = [
    ...ties,
    ...(source.rule ? reached(ties, visible, source.rule(row)) : rule),
    whereCondition(args.get('where'), row, visible, scope, rule, joins, source.further?.(row)),
  ];
  return { joins, conditions };
}

/** The conditions that demand something. */
export function asked(conditions: readonly Sql[]): readonly Sql[] {
  return conditions.filter((condition) => !isTrue(condition));
}

/** The place of a row among those that its SELECT gives, which reads nothing but their source. */
const PLACE = sql`${builtIn('row_number')} over ()`;

/**
 * Rows that are joined with others, or asked whether there are others, while the order in which their source gives them is kept:
 * PostgreSQL joins in any order that it likes, so the rows are numbered before, where their source is alone in its SELECT.
 * Conditions on the row itself stay there, because a condition does not pass a numbering. Computed fields take rows of
 * the table, and rows of a derived table have no type, so tables that have such fields hand them on whole.
 */
function inOwnOrder(
  alias: Sql,
  visible: VisibleTable,
  source: RowSource,
  read: (row: Sql) => ReturnType<typeof readRow>,
): Pick<Base, 'visible' | 'alias' | 'from' | 'where' | 'keys' | 'position'> {
  const isWhole = visible.table.computedFields.size > 0;
  const row = isWhole ? sql`(${alias}."row")` : alias;
  const inside = read(alias);
  const { joins, conditions } = isWhole ? read(row) : inside;
  const isInside = inside.conditions.map(isOfRow);
  // What `where` joins with is known outside only.
  if (joins.length > 0) isInside[isInside.length - 1] = false;
  const own = asked(inside.conditions.filter((_, index) => isInside[index]));
  const place = nameBeside(visible.table, 'engine order');
  const position = columnOf(alias, place);
  const selected = isWhole ? sql`${rowValue(visible.table, alias)} as "row"` : sql`${alias}.*`;
  const rows = selectStatement({
    columns: join([selected, sql`${PLACE} as ${identifier(place)}`], ', '),
    from: itemsOf(source, alias),
    where: own,
  });
  return {
    visible,
    alias: row,
    from: [{ rows: nested(rows), alias }, ...joins],
    where: asked(conditions.filter((_, index) => !isInside[index])),
    keys: [{ expression: position, direction: 'asc' }],
    position,
  };
}

/** True if a condition asks nothing but the row: Postgres may answer a subquery by a join. */
function isOfRow(condition: Sql): boolean {
  return !holdsStatement(condition);
}

/** Writes the name of an argument by the naming convention. */
export function argumentName(visible: VisibleTable): (name: string) => string {
  return (name) => conventionalName(visible.table.source, name);
}

/** The argument or, where it holds (`capped`), the smaller of it and the role's limit. */
export function limitOf(args: RootArguments, visible: VisibleTable, capped: boolean): Sql | undefined {
  const node = args.get('limit');
  const isLimited = capped && visible.select?.limit !== undefined;
  if (!node || node.kind === 'null') return isLimited ? roleLimit(visible) : undefined;
  const written = writtenLimit(node);
  if (written !== undefined) return capped ? roleLimit(visible, written) : raw(String(written));
  const wanted = strictParameter(node, 'bigint');
  return isLimited ? builtIn('least', wanted, roleLimit(visible)) : wanted;
}

/**
 * A limit that the document itself holds stays a number in the SQL: Postgres plans by it, while of a parameter it assumes
 * a tenth of all rows.
 */
function writtenLimit(node: InputNode): number | undefined {
  if (node.kind !== 'scalar' || node.source.from !== 'constant') return undefined;
  const { value } = node.source;
  return value instanceof NumberText && /^\d{1,15}$/.test(value.text) ? Number(value.text) : undefined;
}

export function offsetOf(args: RootArguments): Sql | undefined {
  const node = args.get('offset');
  return !node || node.kind === 'null' ? undefined : strictParameter(node, 'bigint');
}

export interface DerivedRows {
  /** The row whose columns are read. */
  readonly row: Sql;
  readonly alias: Sql;
  readonly from: FromItem;
  /** The place of a row in an order that joins have to keep. */
  readonly position?: Sql;
}

/**
 * The selected rows as a derived table, for what has to happen after the limit. Its rows have no type of their own, but
 * computed fields, also those in rules, take rows of the table: where one is called, rows are handed on whole.
 * @param further columns beside the row
 */
export function derivedRows(
  visible: VisibleTable,
  selection: Selection,
  base: Base,
  scope: Scope,
  further: readonly Entry[] = [],
): DerivedRows {
  const alias = scope.alias('selected');
  const whole = needsWholeRows(visible, selection);
  const row = whole ? sql`${rowValue(visible.table, base.alias)} as "row"` : sql`${base.alias}.*`;
  const list = [row, ...(further.length > 0 ? [namedColumns(further)] : [])];
  const derived = { row: whole ? nested(columnOf(alias, 'row')) : alias, alias };
  const distinct = distinctOn(visible, base);
  const rest = { distinct, from: base.from, where: base.where, whole: base.alias };
  const rows = (statement: Select): FromItem => ({ rows: nested(selectStatement(statement)), alias });
  const ordered = { ...rest, order: orderBy(base.keys), ...base.limits };
  if (!base.position) return { ...derived, from: rows({ columns: join(list, ', '), ...ordered }) };
  const name = nameBeside(visible.table, 'engine position');
  const position = columnOf(alias, name);
  const placed = join([...list, sql`${base.position} as ${identifier(name)}`], ', ');
  if (distinct.length === 0) return { ...derived, position, from: rows({ columns: placed, ...ordered }) };
  // The first of equal rows stays, at its place.
  const leading = distinct.map((expression): SortKey => ({ expression, direction: 'asc' }));
  const first = rows({ columns: placed, ...rest, order: orderBy([...leading, ...base.keys]) });
  const from = rows({
    columns: sql`${alias}.*`,
    whole: alias,
    from: [first],
    order: [position],
    ...base.limits,
  });
  return { ...derived, position, from };
}

/** The values of `distinct_on`. */
export function distinctOn(
  visible: VisibleTable,
  { distinct, alias }: Pick<Base, 'distinct' | 'alias'>,
): Sql[] {
  return distinct.map((name) => visible.select!.readable.get(name)!.value(alias));
}

/** True if the selection contains a function that receives the row. */
function needsWholeRows(visible: VisibleTable, selection: Selection): boolean {
  if (visible.table.computedFields.size === 0) return false;
  if ([...(visible.select?.readable.values() ?? [])].some(({ needsWholeRow }) => needsWholeRow)) return true;
  return selection.fields.some(({ definition: { meaning }, selection: inner }) => {
    switch (meaning.kind) {
      case 'computedField':
        return true;
      case 'join':
        return meaning.join.keys.some(({ needsWholeRow }) => needsWholeRow);
      case 'aggregateColumn':
        return !('column' in meaning.column);
      case 'aggregate':
      case 'aggregateFunction':
      case 'nodes':
      case 'connection':
        return needsWholeRows(visible, inner);
      default:
        return false;
    }
  });
}

/** The row of an alias in a list of columns, where a star would give them one by one. A row that is a value already stays one. */
function rowValue(table: Table, alias: Sql): Sql {
  const row = rowArgument(table, alias);
  return isDistributed(table.source) || row === alias ? row : sql`${nested(row)}::${table.rowType}`;
}

/** The same rows with their position, under the same alias. */
export function numbered({ alias, from }: DerivedRows, table: Table): FromItem {
  const columns = join([sql`${alias}.*`, sql`${PLACE} as ${identifier(rowNumber(table))}`], ', ');
  return { rows: nested(selectStatement({ columns, whole: alias, from: [from] })), alias };
}

/** Name of the column with the position. */
export function rowNumber(table: Table): string {
  return nameBeside(table, 'row number');
}
