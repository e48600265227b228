/**
 * Which rows a list or an aggregate is about: FROM, WHERE, ORDER BY and LIMIT of arguments and rules together.
 * @rule How do limit, offset, order and the role's limit combine?
 */
import { conventionalName } from '../names.ts';
import type { Relationship, Table } from '../program/program.ts';
import type { InputNode, RootArguments, Selection } from '../request/selection.ts';
import { isMark, roleLimit } from '../saved/mark.ts';
import { joinCondition, type VisibleTable } from '../schema/visible-table.ts';
import { isDistributed } from '../shards/index.ts';
import { isTrue, join, raw, type Sql, sql } from '../sql/fragment.ts';
import { NumberText } from '../types.ts';
import { rowArgument } from './computed.ts';
import { besideColumns, columns, type Entry } from './json-rows.ts';
import { distinctColumns, orderBy, type SortKey, sortKeys } from './order.ts';
import { type Scope, strictParameter } from './scope.ts';
import { reached, rowRule, seen, visibleThrough } from './visible.ts';
import { whereCondition } from './where.ts';

/** Where rows come from: a FROM item, and the conditions that tie it to its surroundings. */
export interface RowSource {
  /** The name of its rows in aliases: the table, the relationship or the function. */
  readonly name: string;
  readonly from: Sql;
  readonly conditions: (alias: Sql) => readonly Sql[];
  /** The rest of the role's rule beyond those; default: the whole rule. */
  readonly rule?: (alias: Sql) => readonly Sql[];
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
): RowSource {
  return {
    name: relationship.name,
    from: visible.table.sql,
    conditions: (alias) => [joinCondition(relationship, outer, alias)],
    rule: (alias) => visibleThrough(from, relationship, visible, alias),
    stored: true,
    ordered: visible.table.shape.ordered === true,
  };
}

/** The rows that the arguments select, with every condition in place. */
export interface Base {
  /** The rows as the role sees them. */
  readonly visible: VisibleTable;
  readonly alias: Sql;
  /** `from …`, with joins that neither add rows nor take any away that the conditions would not. */
  readonly from: Sql;
  /** ` where …`, or nothing. */
  readonly where: Sql;
  /** Columns of `distinct_on`, by database name. */
  readonly distinct: readonly string[];
  readonly keys: readonly SortKey[];
  /** The place of a row in the order of its source, where that order is kept. */
  readonly position?: Sql;
  /** ` limit … offset …`, or nothing. */
  readonly limit: Sql;
  readonly limited: boolean;
}

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
  const keys = sortKeys(args.get(name('order_by')), alias, visible, scope);
  const distinct = distinctColumns(args.get(name('distinct_on')), keys, visible, path);
  const clauses = [...limitClause(args, target, capped), ...offsetClause(args)];
  const limits = { limit: join(clauses, ''), limited: clauses.length > 0 };
  const isKept = source.ordered && keys.length === 0 && !isDistributed(visible.table.source);
  const isAlone = joins.length === 0 && distinct.length === 0 && conditions.every(isOfRow);
  if (isKept && !isAlone) return { ...inOwnOrder(alias, visible, source, read), distinct, ...limits };
  return {
    visible,
    alias,
    from: sql`from ${source.from} as ${alias}${join(joins, '')}`,
    where: whereOf(conditions),
    distinct,
    keys,
    ...(isKept && { position: PLACE }),
    ...limits,
  };
}

/** The joins and conditions that arguments and rules ask of a row. */
function readRow(
  row: Sql,
  visible: VisibleTable,
  args: RootArguments,
  source: RowSource,
  scope: Scope,
): { readonly joins: readonly Sql[]; readonly conditions: readonly Sql[] } {
  const joins: Sql[] = [];
  const ties = source.conditions(row);
  const rule = reached(ties, visible, rowRule(visible, row));
  const conditions = [
    ...ties,
    ...(source.rule ? reached(ties, visible, source.rule(row)) : rule),
    whereCondition(args.get('where'), row, visible, scope, rule, joins),
  ];
  return { joins, conditions };
}

/** ` where …`, or nothing. */
function whereOf(conditions: readonly Sql[]): Sql {
  const all = conditions.filter((condition) => !isTrue(condition));
  return all.length > 0 ? sql` where ${join(all, ' and ')}` : raw('');
}

/** The place of a row among those that its SELECT gives, which reads nothing but their source. */
const PLACE = raw('row_number() over ()');

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
  const own = whereOf(inside.conditions.filter((_, index) => isInside[index]));
  const place = besideColumns(visible.table, 'engine order');
  const position = sql`${alias}.${place}`;
  const selected = isWhole ? sql`${rowValue(visible.table, alias)} as "row"` : sql`${alias}.*`;
  const numbered = sql`select ${selected}, ${PLACE} as ${place} from ${source.from} as ${alias}${own}`;
  return {
    visible,
    alias: row,
    from: sql`from (${numbered}) as ${alias}${join(joins, '')}`,
    where: whereOf(conditions.filter((_, index) => !isInside[index])),
    keys: [{ expression: position, direction: 'asc' }],
    position,
  };
}

/** True if a condition asks nothing but the row: Postgres may answer a subquery by a join. */
function isOfRow({ nodes }: Sql): boolean {
  return nodes.every(
    (node) => node.kind !== 'text' || isMark(node.text) || !/\b(?:select|values|table)\b/i.test(node.text),
  );
}

/** Writes the name of an argument by the naming convention. */
export function argumentName(visible: VisibleTable): (name: string) => string {
  return (name) => conventionalName(visible.table.source, name);
}

/** ` limit …`, or nothing: the argument or, where it holds (`capped`), the smaller of it and the role's limit. */
export function limitClause(args: RootArguments, visible: VisibleTable, capped: boolean): readonly Sql[] {
  const node = args.get('limit');
  const isLimited = capped && visible.select?.limit !== undefined;
  if (!node || node.kind === 'null') return isLimited ? [sql` limit ${roleLimit(visible)}`] : [];
  const written = writtenLimit(node);
  if (written !== undefined)
    return [sql` limit ${capped ? roleLimit(visible, written) : raw(String(written))}`];
  const wanted = strictParameter(node, 'bigint');
  return [isLimited ? sql` limit least(${wanted}, ${roleLimit(visible)})` : sql` limit ${wanted}`];
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

/** ` offset …`, or nothing. */
export function offsetClause(args: RootArguments): readonly Sql[] {
  const node = args.get('offset');
  return !node || node.kind === 'null' ? [] : [sql` offset ${strictParameter(node, 'bigint')}`];
}

export interface DerivedRows {
  /** The row whose columns are read. */
  readonly row: Sql;
  readonly alias: Sql;
  /** The FROM item, alias included. */
  readonly from: Sql;
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
  const more = further.length > 0 ? sql`, ${columns(further)}` : raw('');
  const derived = { row: whole ? sql`(${alias}."row")` : alias, alias };
  const rest = sql`${base.from}${base.where}`;
  if (!base.position) {
    const select = sql`select ${distinctOn(visible, base)}${row}${more}`;
    return { ...derived, from: sql`(${select} ${rest}${orderBy(base.keys)}${base.limit}) as ${alias}` };
  }
  const name = besideColumns(visible.table, 'engine position');
  const position = sql`${alias}.${name}`;
  const select = sql`select ${distinctOn(visible, base)}${row}${more}, ${base.position} as ${name}`;
  if (base.distinct.length === 0)
    return {
      ...derived,
      position,
      from: sql`(${select} ${rest}${orderBy(base.keys)}${base.limit}) as ${alias}`,
    };
  // The first of equal rows stays, at its place.
  const leading = distinctValues(visible, base).map(
    (expression): SortKey => ({ expression, direction: 'asc' }),
  );
  const first = sql`(${select} ${rest}${orderBy([...leading, ...base.keys])}) as ${alias}`;
  const from = sql`(select ${alias}.* from ${first} order by ${position}${base.limit}) as ${alias}`;
  return { ...derived, position, from };
}

/** `distinct on (…) `, or nothing. */
export function distinctOn(visible: VisibleTable, { distinct, alias }: Base): Sql {
  if (distinct.length === 0) return raw('');
  return sql`distinct on (${join(distinctValues(visible, { distinct, alias }), ', ')}) `;
}

function distinctValues(visible: VisibleTable, { distinct, alias }: Pick<Base, 'distinct' | 'alias'>): Sql[] {
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
  return isDistributed(table.source) || row === alias ? row : sql`(${row})::${table.sql}`;
}

/** The same rows with their position, under the same alias. */
export function numbered(rows: DerivedRows, table: Table): Sql {
  return sql`(select ${rows.alias}.*, row_number() over () as ${rowNumber(table)} from ${rows.from}) as ${rows.alias}`;
}

/** The column with the position. */
export function rowNumber(table: Table): Sql {
  return besideColumns(table, 'row number');
}
