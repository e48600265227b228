/** The expected answer to a request, computed from raw rows. */
import { aggregateOf, count, extreme, present, sameCells } from './aggregates.ts';
import type { Exact, Expected } from './answer.ts';
import { exact } from './exact.ts';
import { compareSorted, expectedGroups } from './groups.ts';
import { computedRows, grantOf, holds, type Lens, relatedRows, roleLens, type ScalarField } from './lens.ts';
import {
  columnNamed,
  graphqlName,
  ownOrder,
  type Project,
  type Row,
  scalarType,
  type Table,
  tableNamed,
} from './project.ts';
import type {
  AggregateSelection,
  AggregateValue,
  Arguments,
  Connection,
  Field,
  Groups,
  Key,
  OrderKey,
  Request,
  RootField,
  Selection,
} from './request.ts';
import { applyOperator, type FuzzType, isObject, moments, TYPES, type Value } from './types.ts';

/** The answer below `data`. */
export function expectedAnswer(project: Project, request: Request): Expected {
  const lens = roleLens(project, request.session, request.role);
  const oracle = createOracle(project, request.role, lens);
  return {
    kind: 'object',
    entries: request.fields.map((field) => [field.response, oracle.rootField(field)]),
  };
}

/** What a selection shows of one row, as the lens shows it. */
export function expectedFields(
  project: Project,
  role: string,
  lens: Lens,
  table: Table,
  row: Row,
  selection: Selection,
): Expected {
  return createOracle(project, role, lens).object(table, row, selection);
}

function createOracle(
  project: Project,
  role: string,
  lens: Lens,
): {
  readonly rootField: (field: RootField) => Expected;
  readonly object: (table: Table, row: Row, selection: Selection) => Expected;
} {
  return { rootField, object };

  function rootField(field: RootField): Expected {
    const table = tableNamed(project, field.table);
    switch (field.kind) {
      case 'select':
        return list(table, lens.rows(table), field.arguments, field.selection);
      case 'aggregate':
        return aggregate(table, lens.rows(table), field.arguments, field.aggregate);
      case 'by key':
      case 'node':
        return byKey(table, field.key, field.selection);
      case 'entities':
        return inOrder(field.keys.map((key) => byKey(table, key, field.selection)));
      case 'connection':
        return connection(table, field);
      case 'groups':
        return groups(table, lens.rows(table), field.groups);
    }
  }

  function byKey(table: Table, key: Key, selection: Selection): Expected {
    const rows = lens.rows(table).filter((each) =>
      Object.entries(key).every(([column, value]) => {
        const type = TYPES[columnNamed(table, column).type];
        return applyOperator(type, '_eq', lens.cell(table, each, column), value) === true;
      }),
    );
    return oneOf(table, rows, selection);
  }

  /** One row of those that match, or null: rows of tables that inherit repeat keys, and relationships lead where there is none. */
  function oneOf(table: Table, rows: readonly Row[], selection: Selection): Expected {
    if (rows.length === 0) return exactly(null);
    return { kind: 'any', of: rows.map((row) => object(table, row, selection)) };
  }

  /**
   * The primary key decides about rows that the order does not tell apart. Rows that share it are on one page, unless a key before it is of
   * any one of several rows.
   */
  function connection(
    table: Table,
    { arguments: given, backward, count, skip, selection }: Connection,
  ): Expected {
    const last = table.primaryKey.map(
      (name): OrderKey => ({ through: [], key: { kind: 'column', name }, direction: 'asc' }),
    );
    const args = { ...given, orderBy: [...(given.orderBy ?? []), ...last] };
    const groups = chosen(table, lens.rows(table), args);
    const found = groups.flat();
    const total = found.length;
    const permitted = grantOf(project, table, role)!.limit ?? Number.POSITIVE_INFINITY;
    const size = Math.min(count ?? Number.POSITIVE_INFINITY, permitted);
    const sizes = groups.map((group) => group.length);
    const isCertain = certainKeys(table, found, args.orderBy).length === args.orderBy.length;
    const ends = (rows: number): readonly number[] =>
      isCertain
        ? [wholeGroups(backward ? sizes.toReversed() : sizes, rows)]
        : endsOf(
            rows,
            total,
            Math.max(1, ...chosen(table, found, { orderBy: last }).map(({ length }) => length)),
          );
    const edge = (row: Row): Expected => ({
      kind: 'object',
      entries: [['node', object(table, row, selection)]],
    });
    const page = (passed: number, end: number): Expected => {
      const further = exactly(total > end);
      const earlier = exactly(passed > 0);
      const rows: Expected = {
        kind: 'rows',
        groups: groups.map((group) => group.map(edge)),
        skip: backward ? total - end : passed,
        take: end - passed,
      };
      const pageInfo: Expected = {
        kind: 'object',
        entries: [
          ['hasNextPage', backward ? earlier : further],
          ['hasPreviousPage', backward ? further : earlier],
        ],
      };
      return {
        kind: 'object',
        entries: [
          ['edges', rows],
          ['pageInfo', pageInfo],
        ],
      };
    };
    const pages = ends(Math.min(skip, permitted)).flatMap((passed) =>
      (size === 0 ? [passed] : ends(passed + size)).map((end) => page(passed, end)),
    );
    return pages.length === 1 ? pages[0]! : { kind: 'any', of: pages };
  }

  function object(table: Table, row: Row, selection: Selection): Expected {
    return {
      kind: 'object',
      entries: selection.map((field) => [field.response, fieldValue(table, row, field)]),
    };
  }

  function fieldValue(table: Table, row: Row, field: Field): Expected {
    switch (field.kind) {
      case 'typename':
        return exactly(graphqlName(table));
      case 'column': {
        const value = lens.cell(table, row, field.name);
        const type = TYPES[columnNamed(table, field.name).type];
        return exactly(exact(type, field.path === undefined ? value : below(value, field.path)));
      }
      case 'computed': {
        const computed = scalarField(table, field.name);
        return exactly(exact(TYPES[scalarType(computed)], lens.computed(table, row, computed, field.added)));
      }
      case 'object': {
        const { target, rows } = relatedRows(lens, table, row, field.name);
        return oneOf(target, rows, field.selection);
      }
      case 'array': {
        const { target, rows } = relatedRows(lens, table, row, field.name);
        return list(target, rows, field.arguments, field.selection);
      }
      case 'computed rows': {
        const { target, rows } = computedRows(lens, table, row, field.name);
        return list(target, rows, field.arguments, field.selection);
      }
      case 'array aggregate': {
        const { target, rows } = relatedRows(lens, table, row, field.name);
        return aggregate(target, rows, field.arguments, field.aggregate);
      }
      case 'computed rows aggregate': {
        const { target, rows } = computedRows(lens, table, row, field.name);
        return aggregate(target, rows, field.arguments, field.aggregate);
      }
      case 'array groups': {
        const { target, rows } = relatedRows(lens, table, row, field.name);
        return groups(target, rows, field.groups);
      }
    }
  }

  function groups(table: Table, rows: readonly Row[], asked: Groups): Expected {
    const { limit = Number.POSITIVE_INFINITY } = grantOf(project, table, role)!;
    return expectedGroups(lens, table, rows, asked, limit, (members, value) =>
      aggregateValue(table, members, value),
    );
  }

  function list(table: Table, rows: readonly Row[], args: Arguments, selection: Selection): Expected {
    const permitted = grantOf(project, table, role)!.limit ?? Number.POSITIVE_INFINITY;
    return {
      kind: 'rows',
      groups: chosen(table, rows, args).map((group) => group.map((row) => object(table, row, selection))),
      skip: args.offset ?? 0,
      take: Math.min(args.limit ?? Number.POSITIVE_INFINITY, permitted),
    };
  }

  /** Filtered, sorted, one of each kind; groups of rows that the order does not tell apart. */
  function chosen(table: Table, rows: readonly Row[], args: Arguments): Row[][] {
    const { where, orderBy = [], distinctOn } = args;
    const found = where ? rows.filter((row) => holds(lens, where, table, row, row, table) === true) : rows;
    const certain = certainKeys(table, found, orderBy);
    if (certain.length < orderBy.length && distinctOn)
      throw new Error('which rows are the first is not certain');
    const own = orderBy.length === 0 ? ownOrder(table) : undefined;
    const type = own && TYPES[columnNamed(table, own.column).type];
    const compare = (left: Row, right: Row): number => {
      // By the values themselves: a view sorts before cells are hidden.
      if (own)
        return compareSorted(
          { value: left[own.column]!, type: type! },
          { value: right[own.column]!, type: type! },
          own.direction,
        );
      for (const key of certain) {
        const result = compareKeys(table, left, right, key);
        if (result !== 0) return result;
      }
      return 0;
    };
    const groups: Row[][] = [];
    for (const row of [...found].sort(compare)) {
      const last = groups.at(-1);
      if (last && compare(last[0]!, row) === 0) last.push(row);
      else groups.push([row]);
    }
    return distinctOn ? firstOfEach(table, groups, distinctOn) : groups;
  }

  /** The keys before the first that is of any one of several rows. */
  function certainKeys(table: Table, rows: readonly Row[], keys: readonly OrderKey[]): readonly OrderKey[] {
    const end = keys.findIndex(({ through }) => rows.some((row) => !leadsToOne(table, row, through)));
    return end < 0 ? keys : keys.slice(0, end);
  }

  function leadsToOne(table: Table, row: Row, through: readonly string[]): boolean {
    const [name, ...rest] = through;
    if (name === undefined) return true;
    const { target, rows } = relatedRows(lens, table, row, name);
    return rows.length === 0 || (rows.length === 1 && leadsToOne(target, rows[0]!, rest));
  }

  /** The generator orders completely where it asks for distinct rows, so a group has one row. */
  function firstOfEach(table: Table, groups: readonly Row[][], names: readonly string[]): Row[][] {
    const kept: Row[] = [];
    for (const row of groups.flat())
      if (!kept.some((other) => sameCells(lens, table, row, other, names))) kept.push(row);
    return kept.map((row) => [row]);
  }

  function compareKeys(table: Table, left: Row, right: Row, key: OrderKey): number {
    return compareSorted(keyValue(table, left, key), keyValue(table, right, key), key.direction);
  }

  function keyValue(table: Table, row: Row, { through, key }: OrderKey): { value: Value; type: FuzzType } {
    let at: Table = table;
    let on: Row | undefined = row;
    for (const name of through) {
      const target = tableNamed(project, at.relationships.find((each) => each.name === name)!.target);
      on = on && relatedRows(lens, at, on, name).rows[0];
      at = target;
    }
    switch (key.kind) {
      case 'column':
        return {
          value: on ? lens.cell(at, on, key.name) : null,
          type: TYPES[columnNamed(at, key.name).type],
        };
      case 'computed': {
        const field = scalarField(at, key.name);
        return { value: on ? lens.computed(at, on, field) : null, type: TYPES[scalarType(field)] };
      }
      case 'aggregate': {
        const isRelationship = at.relationships.some(({ name }) => name === key.of);
        const related = on && (isRelationship ? relatedRows : computedRows)(lens, at, on, key.of);
        if (key.column === undefined) return { value: related?.rows.length ?? null, type: TYPES.int4 };
        const target = related?.target;
        if (!target) return { value: null, type: TYPES.int4 };
        const type = TYPES[columnNamed(target, key.column).type];
        const values = related.rows.map((other) => lens.cell(target, other, key.column!));
        return aggregateOf(type, key.function, values);
      }
    }
  }

  function aggregate(
    table: Table,
    rows: readonly Row[],
    args: Arguments,
    selection: AggregateSelection,
  ): Expected {
    const groups = chosen(table, rows, args);
    const end = args.limit === undefined ? undefined : (args.offset ?? 0) + args.limit;
    const selected = groups.flat().slice(args.offset ?? 0, end);
    return {
      kind: 'object',
      entries: selection.map((field) => [field.response, aggregateField(table, rows, selected, args, field)]),
    };
  }

  function aggregateField(
    table: Table,
    rows: readonly Row[],
    selected: readonly Row[],
    args: Arguments,
    field: AggregateSelection[number],
  ): Expected {
    switch (field.kind) {
      case 'typename':
        return exactly(`${graphqlName(table)}_aggregate`);
      case 'nodes':
        return list(table, rows, args, field.selection);
      case 'aggregate':
        return {
          kind: 'object',
          entries: field.values.map((value) => [value.response, aggregateValue(table, selected, value)]),
        };
    }
  }

  function aggregateValue(table: Table, rows: readonly Row[], value: AggregateValue): Expected {
    switch (value.kind) {
      case 'typename':
        return exactly(`${graphqlName(table)}_aggregate_fields`);
      case 'count':
        return exactly(integer(count(lens, table, rows, value.columns ?? [], value.distinct ?? false)));
      case 'function':
        return {
          kind: 'object',
          entries: value.columns.map(({ response, name }) => {
            const column = table.columns.find((each) => each.name === name);
            const field = column ? undefined : scalarField(table, name);
            const type = TYPES[column ? column.type : scalarType(field!)];
            const values = rows.map((row) =>
              field ? lens.computed(table, row, field) : lens.cell(table, row, name),
            );
            return [response, printedAggregate(type, value.name, present(values))];
          }),
        };
    }
  }

  function scalarField(table: Table, name: string): ScalarField {
    return table.computedFields.find((field) => field.name === name) as ScalarField;
  }
}

function printedAggregate(type: FuzzType, name: string, values: readonly Value[]): Expected {
  if (values.length === 0) return exactly(null);
  switch (name) {
    case 'max':
    case 'min':
      return exactly(exact(type, extreme(type, name, values)));
    case 'sum':
      return exactly({ kind: 'number', text: String(aggregateOf(type, name, values).value) });
    case 'avg':
      return { kind: 'about', value: moments(values).mean };
    default: {
      const population = name.endsWith('_pop');
      if (values.length === 1 && !population) return exactly(null);
      const { squares } = moments(values);
      const variance = squares / (population ? values.length : values.length - 1);
      return { kind: 'about', value: name.startsWith('stddev') ? Math.sqrt(variance) : variance };
    }
  }
}

function below(value: Value, key: string): Value {
  return value !== null && isObject(value) && Object.hasOwn(value, key) ? value[key]! : null;
}

function integer(number: number): Exact {
  return { kind: 'number', text: String(number) };
}

function inOrder(items: readonly Expected[]): Expected {
  return { kind: 'rows', groups: items.map((item) => [item]), skip: 0, take: Number.POSITIVE_INFINITY };
}

function exactly(value: Exact): Expected {
  return { kind: 'exactly', value };
}

/** Rows of the first groups that have so many rows, or all. */
function wholeGroups(sizes: readonly number[], rows: number): number {
  let sum = 0;
  for (const size of sizes) {
    if (sum >= rows) break;
    sum += size;
  }
  return sum;
}

/** Where so many rows may end, with those that share the key of the last: up to `most` rows share one. */
function endsOf(rows: number, total: number, most: number): readonly number[] {
  if (rows === 0) return [0];
  const [first, last] = [Math.min(rows, total), Math.min(rows + most - 1, total)];
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
