/** Selections → SQL expressions that yield their JSON (reference graphql-api §2). */
import type { ComputedField } from '../program.ts';
import type { RootArguments, SelectedField, Selection } from '../request/selection.ts';
import type { Requester } from '../resolvers.ts';
import { type ColumnView, joinCondition, outputValue, type TableView } from '../schema/table-view.ts';
import type { FieldMeaning } from '../schema/types.ts';
import type { TableAccess } from '../shapes.ts';
import { identifier, isTrue, join, literal, raw, type Sql, sql } from '../sql/fragment.ts';
import type { ColumnType } from '../types.ts';
import { computedField } from './computed.ts';
import { jsonPath } from './json-path.ts';
import { distinctColumns, orderBy, sortKeys } from './order.ts';
import { columns, jsonObject, jsonRows, type Scope, scopeOf, strictParameter } from './scope.ts';
import { keyCondition, whereCondition } from './where.ts';

/** Resolver of a list field: the rows of a table that the requester's rule and the arguments allow. */
export function selectRows(
  access: TableAccess,
  requester: Requester,
  selection: Selection,
  args: RootArguments,
): Sql {
  const scope = scopeOf(requester);
  const view = scope.view.byAccess(access);
  return listOfRows(view, selection, args, tableRows(view), scope);
}

/** Resolver of a by-key field: one row or null. */
export function selectByKey(
  access: TableAccess,
  requester: Requester,
  selection: Selection,
  args: RootArguments,
): Sql {
  const scope = scopeOf(requester);
  const view = scope.view.byAccess(access);
  const alias = scope.alias();
  const conditions = [...keyCondition(view, alias, args), ...visibleRows(view, alias)];
  return jsonRows(
    'single',
    rowEntries(selection, view, alias, scope),
    sql`from ${view.table.sql} as ${alias} where ${join(conditions, ' and ')}`,
    scope,
  );
}

/** Resolver of an aggregate field. */
export function selectAggregate(
  access: TableAccess,
  requester: Requester,
  selection: Selection,
  args: RootArguments,
): Sql {
  const scope = scopeOf(requester);
  const view = scope.view.byAccess(access);
  return aggregateOfRows(view, selection, args, tableRows(view), scope);
}

/** Where rows come from: a FROM item, and the conditions that tie it to its surroundings. */
export interface RowSource {
  readonly from: Sql;
  readonly conditions: (alias: Sql) => readonly Sql[];
}

function tableRows(view: TableView): RowSource {
  return { from: view.table.sql, conditions: () => [] };
}

function relatedRows(
  view: TableView,
  relationship: Extract<FieldMeaning, { kind: 'relationship' | 'relationshipAggregate' }>['relationship'],
  outer: Sql,
): RowSource {
  return { from: view.table.sql, conditions: (alias) => [joinCondition(relationship, outer, alias)] };
}

/** The role's row condition on an alias. A view without a select permission is never asked for its rows. */
export function visibleRows(view: TableView, alias: Sql): readonly Sql[] {
  return view.select?.where ? [view.select.where(alias)] : [];
}

interface Base {
  readonly alias: Sql;
  /** `from … where …` */
  readonly rows: Sql;
  readonly distinct: readonly string[];
  readonly order: Sql;
  readonly limit: Sql;
}

/** The rows that the arguments select, with every condition in place. */
function baseRows(
  view: TableView,
  args: RootArguments,
  source: RowSource,
  limit: number | undefined,
  path: string,
  scope: Scope,
): Base {
  const alias = scope.alias();
  const name = argumentName(view);
  const conditions = [
    ...source.conditions(alias),
    ...visibleRows(view, alias),
    whereCondition(args.get('where'), alias, view, scope),
  ].filter((condition) => !isTrue(condition));
  const keys = sortKeys(args.get(name('order_by')), alias, view, scope);
  const distinct = distinctColumns(args.get(name('distinct_on')), keys, view, path);
  return {
    alias,
    rows: sql`from ${source.from} as ${alias}${conditions.length ? sql` where ${join(conditions, ' and ')}` : raw('')}`,
    distinct,
    order: orderBy(keys),
    limit: sql`${limitClause(args, limit)}${offsetClause(args)}`,
  };
}

function argumentName(view: TableView): (name: string) => string {
  return view.table.source.naming === 'graphql-default' ? view.table.names.field : (name) => name;
}

/** The smaller of the argument and the role's limit. */
function limitClause(args: RootArguments, permitted: number | undefined): Sql {
  const node = args.get('limit');
  if (!node || node.kind === 'null') return permitted === undefined ? raw('') : raw(` limit ${permitted}`);
  const wanted = strictParameter(node, 'bigint');
  return permitted === undefined
    ? sql` limit ${wanted}`
    : sql` limit least(${wanted}, ${raw(String(permitted))})`;
}

function offsetClause(args: RootArguments): Sql {
  const node = args.get('offset');
  return !node || node.kind === 'null' ? raw('') : sql` offset ${strictParameter(node, 'bigint')}`;
}

/** A list of rows as a JSON array. */
export function listOfRows(
  view: TableView,
  selection: Selection,
  args: RootArguments,
  source: RowSource,
  scope: Scope,
): Sql {
  const base = baseRows(view, args, source, view.select?.limit, selection.argumentsPath, scope);
  if (base.distinct.length === 0) {
    return jsonRows(
      'list',
      rowEntries(selection, view, base.alias, scope),
      sql`${base.rows}${base.order}${base.limit}`,
      scope,
    );
  }
  const derived = derivedRows(view, base, scope);
  return jsonRows(
    'list',
    rowEntries(selection, view, derived.alias, scope),
    sql`from ${derived.from}`,
    scope,
  );
}

/** The selected rows as a derived table, for what has to happen after the limit. */
function derivedRows(view: TableView, base: Base, scope: Scope): { readonly alias: Sql; readonly from: Sql } {
  const alias = scope.alias();
  scope.derived.add(alias);
  const distinct = base.distinct.length
    ? sql`distinct on (${join(
        base.distinct.map((name) => view.select!.columns.get(name)!.value(base.alias)),
        ', ',
      )}) `
    : raw('');
  return {
    alias,
    from: sql`(select ${distinct}${base.alias}.* ${base.rows}${base.order}${base.limit}) as ${alias}`,
  };
}

type Entry = readonly [name: string, value: Sql];

/** What a selection set shows of one row. */
export function rowEntries(selection: Selection, view: TableView, alias: Sql, scope: Scope): Entry[] {
  return selection.fields.map((field) => [
    field.responseName,
    rowValue(field, selection, view, alias, scope),
  ]);
}

function rowValue(
  field: SelectedField,
  selection: Selection,
  view: TableView,
  alias: Sql,
  scope: Scope,
): Sql {
  const { meaning } = field.definition;
  switch (meaning.kind) {
    case 'typename':
      return sql`${literal(selection.typeName)}::text`;
    case 'column':
      return columnValue(field, meaning.column, alias, scope);
    case 'relationship': {
      const related = relatedRows(meaning.view, meaning.relationship, alias);
      return meaning.relationship.shape.kind === 'array'
        ? listOfRows(meaning.view, field.selection, field.arguments, related, scope)
        : relatedRow(
            meaning.view,
            field.selection,
            related,
            meaning.relationship.shape.unique ?? false,
            scope,
          );
    }
    case 'relationshipAggregate':
      return aggregateOfRows(
        meaning.view,
        field.selection,
        field.arguments,
        relatedRows(meaning.view, meaning.relationship, alias),
        scope,
      );
    case 'computedField':
      return computedFieldValue(field, meaning.computedField, meaning.view, view, alias, scope);
    default:
      throw new Error(`a row has no field of the kind ${meaning.kind}`);
  }
}

/** The row of an object relationship. Where several match (a manual relationship to a column that is no key), any one. */
function relatedRow(
  view: TableView,
  selection: Selection,
  source: RowSource,
  unique: boolean,
  scope: Scope,
): Sql {
  const alias = scope.alias();
  const conditions = [...source.conditions(alias), ...visibleRows(view, alias)];
  return jsonRows(
    'single',
    rowEntries(selection, view, alias, scope),
    sql`from ${source.from} as ${alias} where ${join(conditions, ' and ')}${raw(unique ? '' : ' limit 1')}`,
    scope,
  );
}

function columnValue(field: SelectedField, column: ColumnView, alias: Sql, scope: Scope): Sql {
  return atJsonPath(
    field,
    outputValue(column.column.type, column.value(alias), scope.options.stringifyNumbers),
    column.column.type,
  );
}

/** `path` of json and jsonb fields: the value below it, or the whole for `$`. */
function atJsonPath(field: SelectedField, value: Sql, type: ColumnType): Sql {
  const node = field.arguments.get('path');
  if (!node || node.kind === 'null' || (type.family !== 'json' && type.family !== 'jsonb')) return value;
  return sql`(${value} #> ${strictParameter(node, 'text[]', (text) => jsonPath(text, node.path))})`;
}

function computedFieldValue(
  field: SelectedField,
  computed: ComputedField,
  target: TableView | undefined,
  view: TableView,
  alias: Sql,
  scope: Scope,
): Sql {
  const call = computedField(computed, view.table, alias, field.arguments.get('args'), scope);
  if ('type' in computed.returns) {
    return atJsonPath(
      field,
      outputValue(computed.returns.type, call, scope.options.stringifyNumbers),
      computed.returns.type,
    );
  }
  const source: RowSource = { from: call, conditions: () => [] };
  return computed.returns.set
    ? listOfRows(target!, field.selection, field.arguments, source, scope)
    : functionRow(target!, field.selection, source, scope);
}

/** The only row of a function that returns a composite value; a null result is no row. */
export function functionRow(view: TableView, selection: Selection, source: RowSource, scope: Scope): Sql {
  const alias = scope.alias();
  const conditions = [sql`not (${alias} is null)`, ...visibleRows(view, alias)];
  return jsonRows(
    'single',
    rowEntries(selection, view, alias, scope),
    sql`from ${source.from} as ${alias} where ${join(conditions, ' and ')}`,
    scope,
  );
}

/**
 * Aggregates and nodes over the selected rows, which are read once. The role's limit caps `nodes` only (reference
 * graphql-api §6.1).
 */
export function aggregateOfRows(
  view: TableView,
  selection: Selection,
  args: RootArguments,
  source: RowSource,
  scope: Scope,
): Sql {
  const base = baseRows(view, args, source, undefined, selection.argumentsPath, scope);
  const rows = derivedRows(view, base, scope);
  const limit = view.select?.limit;
  const wantsNodes = selection.fields.some((field) => field.definition.meaning.kind === 'nodes');
  const capped = limit !== undefined && wantsNodes;
  const aggregates: Entry[] = [];
  const result = scope.alias();
  const keep = (value: Sql): Sql => {
    const name = `a${aggregates.length + 1}`;
    aggregates.push([name, value]);
    return sql`${result}.${identifier(name)}`;
  };
  const entries = selection.fields.map(
    (field): Entry => [
      field.responseName,
      (() => {
        switch (field.definition.meaning.kind) {
          case 'typename':
            return sql`${literal(selection.typeName)}::text`;
          case 'aggregate':
            return jsonObject(aggregateEntries(field.selection, rows.alias, keep, view, scope), scope);
          case 'nodes': {
            const node = jsonObject(rowEntries(field.selection, view, rows.alias, scope), scope);
            const filter = capped
              ? sql` filter (where ${rows.alias}."row number" <= ${raw(String(limit))})`
              : raw('');
            return sql`coalesce(${keep(sql`json_agg(${node})${filter}`)}, '[]')`;
          }
          default:
            throw new Error(`an aggregate has no field of the kind ${field.definition.meaning.kind}`);
        }
      })(),
    ],
  );
  const from = capped ? numbered(rows) : rows.from;
  return jsonRows(
    'single',
    entries,
    sql`from (select ${aggregates.length ? columns(aggregates) : raw('')} from ${from}) as ${result}`,
    scope,
  );
}

/** The same rows with their position, under the same alias. */
function numbered(rows: { readonly alias: Sql; readonly from: Sql }): Sql {
  return sql`(select ${rows.alias}.*, row_number() over () as "row number" from ${rows.from}) as ${rows.alias}`;
}

function aggregateEntries(
  selection: Selection,
  rows: Sql,
  keep: (value: Sql) => Sql,
  view: TableView,
  scope: Scope,
): Entry[] {
  return selection.fields.map((field): Entry => {
    const { meaning } = field.definition;
    switch (meaning.kind) {
      case 'typename':
        return [field.responseName, sql`${literal(selection.typeName)}::text`];
      case 'count':
        return [field.responseName, keep(count(field, rows, view))];
      case 'aggregateFunction':
        return [
          field.responseName,
          jsonObject(functionEntries(meaning.function, field.selection, rows, keep, view, scope), scope),
        ];
      default:
        throw new Error(`aggregate fields have no ${meaning.kind}`);
    }
  });
}

function functionEntries(
  name: string,
  selection: Selection,
  rows: Sql,
  keep: (value: Sql) => Sql,
  view: TableView,
  scope: Scope,
): Entry[] {
  return selection.fields.map((field): Entry => {
    const { meaning } = field.definition;
    if (meaning.kind === 'typename') return [field.responseName, sql`${literal(selection.typeName)}::text`];
    if (meaning.kind !== 'aggregateColumn') throw new Error(`an aggregate function has no ${meaning.kind}`);
    const { column } = meaning;
    const own = 'column' in column;
    const value = own ? column.value(rows) : computedField(column, view.table, rows, undefined, scope);
    const type = own ? column.column.type : 'type' in column.returns ? column.returns.type : undefined;
    const aggregate = sql`${raw(name)}(${value})`;
    return [
      field.responseName,
      keep(type ? outputValue(type, aggregate, scope.options.stringifyNumbers) : aggregate),
    ];
  });
}

/** `count`: rows, or rows whose column is not null; several columns count as one row value. */
function count(field: SelectedField, rows: Sql, view: TableView): Sql {
  const node = field.arguments.get('columns');
  const names =
    node?.kind === 'list' ? node.items.flatMap((item) => (item.kind === 'enum' ? [item.value] : [])) : [];
  if (names.length === 0) return raw('count(*)');
  const list = join(
    names.map((name) => view.select!.columns.get(name)!.value(rows)),
    ', ',
  );
  const distinct = field.arguments.get('distinct');
  return sql`count(${raw(distinct?.kind === 'boolean' && distinct.value ? 'distinct ' : '')}${names.length > 1 ? sql`(${list})` : list})`;
}
