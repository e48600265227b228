/**
 * Connections: a page of rows with their cursors, and whether there are more. One row more than the page is read, and the rows on
 * the other side of the cursor are looked for only where the request asks. Where rows may share a primary key, a page has all of those
 * with equal keys, as in a stream, and may be longer than was asked for.
 */

import { mayRepeatKey } from '../contract/shapes.ts';
import { EngineError } from '../errors.ts';
import type { SqlCondition } from '../query/condition.ts';
import {
  EMPTY_LIST,
  type Entry,
  jsonObjectOf,
  jsonRows,
  nameBeside,
  namedColumns,
} from '../query/json-rows.ts';
import { orderBy } from '../query/order.ts';
import { type Base, baseRows, derivedRows, type RowSource } from '../query/rows.ts';
import { type Scope, strictParameter } from '../query/scope.ts';
import { seen } from '../query/visible.ts';
import type { InputNode, RootArguments, SelectedField, Selection } from '../request/selection.ts';
import { roleLimit } from '../saved/holes.ts';
import { sharedTypes } from '../schema/shared-types.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import {
  builtIn,
  CLOSE,
  COUNT,
  empty,
  FALSE,
  filterOf,
  identifier,
  join,
  literal,
  OPEN,
  raw,
  type Sql,
  sql,
} from '../sql/fragment.ts';
import { columnOf, type FromItem, jsonList, nested, selectStatement } from '../sql/statement.ts';
import { cursorValues } from './cursor.ts';
import {
  type ConnectionKey,
  connectionKeys,
  cursorOf,
  isLater,
  keyColumns,
  keyName,
  reversed,
} from './keys.ts';

/** The JSON of a selection set for one row: `rowEntries` of query/select.ts, which calls this module. */
type RowEntries = (selection: Selection, visible: VisibleTable, alias: Sql, scope: Scope) => Entry[];

/** The JSON of a connection. @throws EngineError for arguments that exclude each other */
export function connectionOfRows(
  visible: VisibleTable,
  selection: Selection,
  args: RootArguments,
  source: RowSource,
  scope: Scope,
  rowEntries: RowEntries,
): Sql {
  return new Connection(visible, selection, args, source, scope).json(rowEntries);
}

class Connection {
  readonly #visible: VisibleTable;
  readonly #selection: Selection;
  readonly #args: RootArguments;
  readonly #source: RowSource;
  readonly #scope: Scope;
  readonly #isBackward: boolean;
  readonly #after: InputNode | undefined;
  readonly #before: InputNode | undefined;
  readonly #distinct: readonly string[];

  constructor(
    visible: VisibleTable,
    selection: Selection,
    args: RootArguments,
    source: RowSource,
    scope: Scope,
  ) {
    this.#visible = visible;
    this.#selection = selection;
    this.#args = args;
    this.#source = source;
    this.#scope = scope;
    this.#after = given(args, 'after');
    this.#before = given(args, 'before');
    this.#isBackward = given(args, 'last') !== undefined;
    const path = selection.argumentsPath;
    if (this.#isBackward && given(args, 'first')) throw exclusive('first', 'last', path);
    if (this.#after && this.#before) throw exclusive('after', 'before', path);
    const distinct = given(args, this.#name('distinct_on'));
    const items = distinct?.kind === 'list' ? distinct.items : distinct ? [distinct] : [];
    this.#distinct = [...new Set(items.flatMap((item) => (item.kind === 'enum' ? [item.value] : [])))];
  }

  #name(argument: string): string {
    return sharedTypes(this.#visible.table.source).name(argument);
  }

  #keys(alias: Sql, visible: VisibleTable): ConnectionKey[] {
    const order = this.#args.get(this.#name('order_by'));
    return connectionKeys(order, this.#distinct, alias, visible, this.#scope);
  }

  /** The rows behind the cursor, or those that are not. */
  #condition(keys: readonly ConnectionKey[], side: 'behind' | 'other'): SqlCondition | undefined {
    const node = this.#after ?? this.#before;
    if (!node) return undefined;
    const ordered = this.#after ? keys : reversed(keys);
    const later = isLater(ordered, cursorValues(node, keys, this.#selection.argumentsPath));
    return side === 'behind' ? later : { ...later, sql: sql`${nested(later.sql)} is not true` };
  }

  /** The rows that the arguments select; a cursor is among the conditions, unless the rows are to be made distinct first. */
  #base(side: 'behind' | 'other'): Base {
    const source = this.#source;
    const visible = source.stored ? seen(this.#visible) : this.#visible;
    const further = (alias: Sql) => {
      const condition =
        this.#distinct.length > 0 ? undefined : this.#condition(this.#keys(alias, visible), side);
      return condition ? [condition] : [];
    };
    const { argumentsPath } = this.#selection;
    // The keys of a connection decide its order.
    const own = { ...source, further, ordered: false };
    return baseRows(this.#visible, this.#args, own, false, argumentsPath, this.#scope);
  }

  /** The rows as a FROM item, with their keys. */
  #rows(side: 'behind' | 'other', limits: Base['limits'] = {}) {
    const base = this.#base(side);
    const keys = this.#keys(base.alias, base.visible);
    const { table } = this.#visible;
    const further = keys.map(({ expression }, index): Entry => [keyName(table, index), expression]);
    const order = (all: readonly ConnectionKey[]) => orderBy(this.#isBackward ? reversed(all) : all);
    const derive = (part: Pick<Base, 'keys' | 'limits'>) =>
      derivedRows(this.#visible, this.#selection, { ...base, ...part }, this.#scope, further);
    if (this.#distinct.length === 0) {
      const rows = derive({ keys: this.#isBackward ? reversed(keys) : keys, limits });
      return { base, rows, keys: keyColumns(keys, rows.alias, table), from: rows.from, order };
    }
    // `offset 0` keeps the condition outside: what it leaves out has to be distinct first.
    const rows = derive({ keys, limits: { offset: raw('0') } });
    const own = keyColumns(keys, rows.alias, table);
    const condition = this.#condition(own, side);
    const kept = selectStatement({
      columns: sql`${rows.alias}.*`,
      whole: rows.alias,
      from: [rows.from],
      where: condition ? [condition.sql] : [],
      order: order(own),
      ...limits,
    });
    const from: FromItem = { rows: nested(kept), alias: rows.alias };
    return { base, rows, keys: own, from, order };
  }

  /** Rows of a page: the argument, but no more than the role's limit; undefined: all. */
  #size(): Sql | undefined {
    const node = given(this.#args, this.#isBackward ? 'last' : 'first');
    const isLimited = this.#visible.select?.limit !== undefined;
    if (!node) return isLimited ? roleLimit(this.#visible) : undefined;
    const wanted = strictParameter(node, 'bigint');
    return isLimited ? builtIn('least', wanted, roleLimit(this.#visible)) : wanted;
  }

  json(rowEntries: RowEntries): Sql {
    const size = this.#size();
    const mayTie = this.#source.stored && mayRepeatKey(this.#visible.table.shape);
    const page = (wanted: Sql): Base['limits'] =>
      mayTie ? { ending: sql`fetch first ${nested(wanted)} rows with ties` } : { limit: sql`${wanted} + 1` };
    const { base, rows, keys, from, order } = this.#rows('behind', size && page(size));
    const own = nameBeside(this.#visible.table, 'position#');
    const position = columnOf(rows.alias, own);
    const ordered = order(keys);
    const place = ordered.length > 0 ? sql`order by ${join(ordered, ', ')}` : empty;
    const numbered = selectStatement({
      columns: join(
        [
          sql`${rows.alias}.*`,
          sql`${builtIn('row_number')} over ${OPEN}${place}${CLOSE} as ${identifier(own)}`,
        ],
        ', ',
      ),
      whole: rows.alias,
      from: [from],
    });
    const kept = size && !mayTie ? filterOf(sql`${position} <= ${size}`) : empty;
    const [forward, backward] = this.#isBackward ? ([' desc', ''] as const) : (['', ' desc'] as const);
    const result = this.#scope.alias('connection');
    const aggregates: Entry[] = [];
    const keep = (value: Sql): Sql => {
      const name = `a${aggregates.length + 1}`;
      aggregates.push([name, value]);
      return columnOf(result, name);
    };
    // A page without rows ends where it was looked for, so that a client goes on from there; its other end has no rows beyond it.
    const end = (direction: string, cursor: InputNode | undefined) => {
      const none = cursor ? strictParameter(cursor, 'text') : raw(`''`);
      const first = sql`${nested(sql`${builtIn('array_agg', sql`${cursorOf(keys)} order by ${position}${raw(direction)}`)}${kept}`)}[1]`;
      return keep(builtIn('coalesce', first, none));
    };
    const more = () => {
      if (!size) return raw('false');
      if (!mayTie) return keep(builtIn('coalesce', builtIn('bool_or', sql`${position} > ${size}`), FALSE));
      return this.#exist(this.#rows('behind', { offset: keep(COUNT) }).from);
    };
    const edge = (field: SelectedField): Sql =>
      this.#object(field.selection, (inner) =>
        inner.definition.meaning.kind === 'connection' && inner.definition.meaning.part === 'cursor'
          ? cursorOf(keys)
          : jsonObjectOf(rowEntries(inner.selection, base.visible, rows.row, this.#scope), this.#scope),
      );
    const pageInfo = (field: SelectedField): Sql => {
      const { meaning } = field.definition;
      switch (meaning.kind === 'connection' && meaning.part) {
        case 'startCursor':
          return end(forward, this.#before);
        case 'endCursor':
          return end(backward, this.#after);
        case 'hasNextPage':
          return either(this.#isBackward ? undefined : more(), this.#before && this.#otherRows());
        default:
          return either(this.#isBackward ? more() : undefined, this.#after && this.#otherRows());
      }
    };
    const entries = this.#entries(this.#selection, (field) =>
      field.definition.meaning.kind === 'connection' && field.definition.meaning.part === 'edges'
        ? builtIn(
            'coalesce',
            keep(sql`${jsonList(edge(field), sql` order by ${position}${raw(forward)}`)}${kept}`),
            EMPTY_LIST,
          )
        : this.#object(field.selection, pageInfo),
    );
    const values = selectStatement(
      aggregates.length > 0
        ? { columns: namedColumns(aggregates), from: [{ rows: nested(numbered), alias: rows.alias }] }
        : {},
    );
    return jsonRows('single', entries, { from: [{ rows: nested(values), alias: result }] }, this.#scope);
  }

  /** Whether there are rows that are not behind the cursor. */
  #otherRows(): Sql {
    return this.#exist(this.#rows('other').from);
  }

  #exist(rows: FromItem): Sql {
    return sql`exists ${nested(selectStatement({ columns: raw('1'), from: [rows] }))}`;
  }

  #object(selection: Selection, value: (field: SelectedField) => Sql): Sql {
    return jsonObjectOf(this.#entries(selection, value), this.#scope);
  }

  #entries(selection: Selection, value: (field: SelectedField) => Sql): Entry[] {
    return selection.fields.map(
      (field): Entry => [
        field.responseName,
        field.definition.meaning.kind === 'typename'
          ? sql`${literal(selection.typeName)}::text`
          : value(field),
      ],
    );
  }
}

function either(...conditions: readonly (Sql | undefined)[]): Sql {
  const all = conditions.filter((condition) => condition !== undefined);
  return all.length > 0 ? nested(join(all, ' or ')) : raw('false');
}

function given(args: RootArguments, name: string): InputNode | undefined {
  const node = args.get(name);
  return node?.kind === 'null' ? undefined : node;
}

function exclusive(one: string, other: string, path: string): EngineError {
  return new EngineError('validation-failed', `"${one}" and "${other}" are not allowed at once`, { path });
}
