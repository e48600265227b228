/** GraphQL requests of the data page. They are what any client of the role could send. */
import type { ApiColumn, TableApi } from '../../data-questions.ts';
import { readObject } from '../json-object.ts';
import { valueFrom } from './values.ts';

export interface GraphqlRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string;
}

/** A condition on a column. */
export interface Line {
  readonly column: string;
  readonly operator: string;
  /** Text as typed. */
  readonly value: string;
}

export interface Asked {
  readonly lines: readonly Line[];
  /** Another condition, as JSON; empty without one. */
  readonly text: string;
  readonly order?: { readonly column: string; readonly descending: boolean };
}

export type Row = Readonly<Record<string, unknown>>;
type Condition = Readonly<Record<string, unknown>>;

/** Rows of a request, unless the role's limit is lower. */
const PAGE = 500;

/** How pages follow each other. */
export interface Paging {
  readonly by: 'key' | 'offset';
  readonly size: number;
  readonly order: readonly { readonly column: ApiColumn; readonly descending: boolean }[];
}

/** By key where each column of the order can be compared, and the last of them tell rows apart. */
export function pagingOf({ columns, key, operators, words, select }: TableApi, asked: Asked): Paging {
  const chosen = columns.find(({ field }) => field === asked.order?.column);
  const first = chosen ? [{ column: chosen, descending: asked.order?.descending === true }] : [];
  const rest = key
    .filter((field) => field !== chosen?.field)
    // The same direction, so that an index can be read backwards.
    .map((field) => ({
      column: columns.find((column) => column.field === field)!,
      descending: first[0]?.descending ?? false,
    }));
  const isCompared = ({ column: { condition } }: Paging['order'][number]) =>
    operators[condition ?? '']?.some(({ name }) => name === words._gt) === true;
  const order = [...first, ...rest];
  const isByKey = key.length > 0 && order.every(isCompared);
  return { by: isByKey ? 'key' : 'offset', size: Math.min(PAGE, select?.limit ?? PAGE), order };
}

/** The condition that is asked for; undefined for every row. @throws Error where a value cannot be read */
export function whereOf({ columns, operators }: TableApi, { lines, text }: Asked): Condition | undefined {
  const parts = lines.map(({ column, operator, value }): Condition => {
    const condition = columns.find(({ field }) => field === column)?.condition;
    const found = operators[condition ?? '']?.find(({ name }) => name === operator);
    if (!found) throw new Error(`The role has no condition ${operator} on ${column}. Remove the line.`);
    return { [column]: { [operator]: valueFrom(value, found.type) } };
  });
  if (text.trim() !== '') parts.push(readObject(text, 'The condition', '{"name": {"_eq": "Ada"}}'));
  return and(parts);
}

function and(parts: readonly (Condition | undefined)[]): Condition | undefined {
  const given = parts.filter((part) => part !== undefined);
  return given.length > 1 ? { _and: given } : given[0];
}

function or(parts: readonly Condition[]): Condition {
  return parts.length === 1 ? parts[0]! : { _or: parts };
}

/**
 * Rows behind a row in an order. Nulls are last, of a descending order first, as the API has them by default.
 * The first column is bounded alone as well, which an index can use.
 */
function behind(order: Paging['order'], row: Row, words: TableApi['words']): Condition {
  const [{ column, descending }, ...rest] = order as [Paging['order'][number], ...Paging['order']];
  const { field, nullable } = column;
  const value = row[field] ?? null;
  const is = (isNull: boolean) => ({ [field]: { [words._is_null]: isNull } });
  const beyond: Condition[] = [];
  if (value !== null) beyond.push({ [field]: { [descending ? words._lt : words._gt]: value } });
  if (nullable && (value === null) === descending) beyond.push(is(!descending));
  if (rest.length === 0) return or(beyond);
  const same = value === null ? is(true) : { [field]: { [words._eq]: value } };
  const all = or([...beyond, and([same, behind(rest, row, words)])!]);
  if (nullable) return all;
  return and([{ [field]: { [descending ? words._lte : words._gte]: value } }, all])!;
}

/**
 * A page of rows.
 * @param after the last row before it, and how many there are; absent: the first page
 */
export function pageRequest(
  api: TableApi,
  asked: Asked,
  after?: { readonly row: Row; readonly count: number },
): GraphqlRequest {
  const { words, select, columns } = api;
  if (!select) throw new Error('No root field leads to the rows.');
  const paging = pagingOf(api, asked);
  const isByKey = paging.by === 'key';
  const where = and([
    whereOf(api, asked),
    after && isByKey ? behind(paging.order, after.row, words) : undefined,
  ]);
  const order = paging.order.map(({ column, descending }) => ({
    [column.field]: descending ? words.desc : words.asc,
  }));
  const isOffset = after !== undefined && !isByKey;
  return rowsRequest(
    api,
    columns.map(({ field }) => field),
    {
      where: { type: select.where, value: where },
      [words.order_by]: { type: `[${select.orderBy}!]`, value: order.length > 0 ? order : undefined },
      limit: { type: 'Int', value: paging.size },
      offset: { type: 'Int', value: isOffset ? after.count : undefined },
    },
  );
}

/** The row with a key, as the role sees it. */
export function rowRequest(api: TableApi, row: Row): GraphqlRequest {
  return rowsRequest(
    api,
    api.columns.map(({ field }) => field),
    {
      where: { type: api.select!.where, value: keyCondition(api, row) },
    },
  );
}

/** Keys of those rows whose value in a column is not null, for each of the columns. For administrators, who see every cell. */
export function filledRequest(
  api: TableApi,
  rows: readonly Row[],
  fields: readonly string[],
): GraphqlRequest {
  const { key, words, select } = api;
  const [only] = key;
  const among =
    key.length === 1 && only !== undefined
      ? { [only]: { _in: rows.map((row) => row[only]) } }
      : or(rows.map((row) => keyCondition(api, row)));
  const parts = fields.map((field, index) => ({
    name: `where${index}`,
    alias: `column${index}`,
    value: and([among, { [field]: { [words._is_null]: false } }]),
  }));
  const declared = parts.map(({ name }) => `$${name}: ${select!.where}`).join(', ');
  const [last = '', ...outer] = [...select!.path].reverse();
  const inner = parts
    .map(({ name, alias }) => `${alias}: ${last}(where: $${name}) { ${key.join(' ')} }`)
    .join(' ');
  return {
    query: `query filled(${declared}) { ${nested(outer.reverse(), inner)} }`,
    variables: Object.fromEntries(parts.map(({ name, value }) => [name, value])),
    operationName: 'filled',
  };
}

export function countRequest(api: TableApi, asked: Asked): GraphqlRequest {
  const where = whereOf(api, asked);
  const path = api.aggregate!;
  return operation('query', 'count', path, ['aggregate { count }'], {
    where: { type: api.select!.where, value: where },
  });
}

export function insertRequest(api: TableApi, values: Row): GraphqlRequest {
  const { path, type } = api.insert!;
  return operation('mutation', 'insert_row', path, [api.words.affected_rows], {
    objects: { type: `[${type}!]!`, value: [values] },
  });
}

export function updateRequest(api: TableApi, row: Row, values: Row): GraphqlRequest {
  const { path, type } = api.update!;
  return operation('mutation', 'update_row', path, [api.words.affected_rows], {
    where: { type: `${api.select!.where}!`, value: keyCondition(api, row) },
    [api.words._set]: { type, value: values },
  });
}

export function deleteRequest(api: TableApi, row: Row): GraphqlRequest {
  return operation('mutation', 'delete_row', api.delete!.path, [api.words.affected_rows], {
    where: { type: `${api.select!.where}!`, value: keyCondition(api, row) },
  });
}

function keyCondition({ key, words }: TableApi, row: Row): Condition {
  return Object.fromEntries(key.map((field) => [field, { [words._eq]: row[field] }]));
}

interface Argument {
  readonly type: string;
  readonly value: unknown;
}

function rowsRequest(
  { select }: TableApi,
  fields: readonly string[],
  args: Readonly<Record<string, Argument>>,
): GraphqlRequest {
  return operation('query', 'rows', select!.path, fields.length > 0 ? fields : ['__typename'], args);
}

/** An operation with one root field. Arguments without a value are left out. */
function operation(
  kind: 'query' | 'mutation',
  name: string,
  path: readonly string[],
  fields: readonly string[],
  args: Readonly<Record<string, Argument>>,
): GraphqlRequest {
  const given = Object.entries(args).filter(([, { value }]) => value !== undefined);
  const variable = (argument: string) => argument.replace(/^_+/, '');
  const declared = given.map(([argument, { type }]) => `$${variable(argument)}: ${type}`).join(', ');
  const passed = given.map(([argument]) => `${argument}: $${variable(argument)}`).join(', ');
  const lines = fields.map((field) => `\n    ${field}`).join('');
  const [last = '', ...outer] = [...path].reverse();
  const body = `${last}${passed && `(${passed})`} {${lines}\n  }`;
  return {
    query: `${kind} ${name}${declared && `(${declared})`} {\n  ${nested(outer.reverse(), body)}\n}`,
    variables: Object.fromEntries(given.map(([argument, { value }]) => [variable(argument), value])),
    operationName: name,
  };
}

function nested(outer: readonly string[], inner: string): string {
  return outer.reduceRight((text, name) => `${name} { ${text} }`, inner);
}

/** What is at a path of an answer's data. */
export function at(data: unknown, path: readonly string[]): unknown {
  return path.reduce((value, name) => (value as Record<string, unknown> | null)?.[name], data);
}
