/** Which rows a list or an aggregate is about: FROM, WHERE, ORDER BY and LIMIT of arguments and rules together. */
import type { Relationship } from '../program.ts';
import type { InputNode, RootArguments, Selection } from '../request/selection.ts';
import { joinCondition, type TableView } from '../schema/table-view.ts';
import { isTrue, join, raw, type Sql, sql } from '../sql/fragment.ts';
import { NumberText } from '../types.ts';
import { distinctColumns, orderBy, type SortKey, sortKeys } from './order.ts';
import { type Scope, strictParameter } from './scope.ts';
import { seen, visible, visibleThrough } from './visible.ts';
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
}

export function tableRows(view: TableView): RowSource {
  return { name: view.table.shape.name, from: view.table.sql, conditions: () => [], stored: true };
}

/** @param from the view of the row that the relationship leads from, whose alias is `outer` */
export function relatedRows(
  view: TableView,
  relationship: Relationship,
  from: TableView,
  outer: Sql,
): RowSource {
  return {
    name: relationship.name,
    from: view.table.sql,
    conditions: (alias) => [joinCondition(relationship, outer, alias)],
    rule: (alias) => visibleThrough(from, relationship, view, alias),
    stored: true,
  };
}

/** The rows that the arguments select, with every condition in place. */
export interface Base {
  /** The view of a row of them. */
  readonly view: TableView;
  readonly alias: Sql;
  /** `from …`, with joins that neither add rows nor take any away that the conditions would not. */
  readonly from: Sql;
  /** ` where …`, or nothing. */
  readonly where: Sql;
  /** Columns of `distinct_on`, by database name. */
  readonly distinct: readonly string[];
  readonly keys: readonly SortKey[];
  /** ` limit … offset …`, or nothing. */
  readonly limit: Sql;
  readonly limited: boolean;
}

/** @param limit limit of the role; undefined = unlimited */
export function baseRows(
  target: TableView,
  args: RootArguments,
  source: RowSource,
  limit: number | undefined,
  path: string,
  scope: Scope,
): Base {
  const alias = scope.alias(source.name);
  const view = source.stored ? seen(target) : target;
  const name = argumentName(view);
  const joins: Sql[] = [];
  const conditions = [
    ...source.conditions(alias),
    ...(source.rule?.(alias) ?? visible(view, alias)),
    whereCondition(args.get('where'), alias, view, scope, visible(view, alias), joins),
  ].filter((condition) => !isTrue(condition));
  const keys = sortKeys(args.get(name('order_by')), alias, view, scope);
  const clauses = [...limitClause(args, limit), ...offsetClause(args)];
  return {
    view,
    alias,
    from: sql`from ${source.from} as ${alias}${join(joins, '')}`,
    where: conditions.length ? sql` where ${join(conditions, ' and ')}` : raw(''),
    distinct: distinctColumns(args.get(name('distinct_on')), keys, view, path),
    keys,
    limit: join(clauses, ''),
    limited: clauses.length > 0,
  };
}

function argumentName(view: TableView): (name: string) => string {
  return view.table.source.naming === 'graphql-default' ? view.table.names.field : (name) => name;
}

/** The smaller of the argument and the role's limit. */
function limitClause(args: RootArguments, permitted: number | undefined): readonly Sql[] {
  const node = args.get('limit');
  if (!node || node.kind === 'null') return permitted === undefined ? [] : [raw(` limit ${permitted}`)];
  const written = writtenLimit(node);
  const wanted = written === undefined ? strictParameter(node, 'bigint') : raw(String(written));
  if (permitted === undefined) return [sql` limit ${wanted}`];
  return written === undefined
    ? [sql` limit least(${wanted}, ${raw(String(permitted))})`]
    : [raw(` limit ${Math.min(written, permitted)}`)];
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

function offsetClause(args: RootArguments): readonly Sql[] {
  const node = args.get('offset');
  return !node || node.kind === 'null' ? [] : [sql` offset ${strictParameter(node, 'bigint')}`];
}

export interface DerivedRows {
  /** The row whose columns are read. */
  readonly row: Sql;
  readonly alias: Sql;
  /** The FROM item, alias included. */
  readonly from: Sql;
}

/**
 * The selected rows as a derived table, for what has to happen after the limit. Its rows have no type of their own, but
 * computed fields, also those in rules, take rows of the table: where one is called, rows are handed on whole.
 */
export function derivedRows(view: TableView, selection: Selection, base: Base, scope: Scope): DerivedRows {
  const alias = scope.alias('selected');
  const whole = needsWholeRows(view, selection);
  const distinct = base.distinct.length
    ? sql`distinct on (${join(
        base.distinct.map((name) => view.select!.readable.get(name)!.value(base.alias)),
        ', ',
      )}) `
    : raw('');
  return {
    row: whole ? sql`(${alias}."row")` : alias,
    alias,
    from: sql`(select ${distinct}${whole ? sql`${base.alias} as "row"` : sql`${base.alias}.*`} ${base.from}${base.where}${orderBy(base.keys)}${base.limit}) as ${alias}`,
  };
}

/** True if the selection contains a function that receives the row. */
function needsWholeRows(view: TableView, selection: Selection): boolean {
  if (view.table.computedFields.size === 0) return false;
  if ([...(view.select?.readable.values() ?? [])].some(({ needsWholeRow }) => needsWholeRow)) return true;
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
        return needsWholeRows(view, inner);
      default:
        return false;
    }
  });
}
