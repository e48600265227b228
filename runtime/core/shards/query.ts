/** The queries of a statement: what each reads FROM, on which conditions, and which queries are inside it. */
import { objectKey } from '../names.ts';
import { type Group, isQuery, isSign, isWord, type Leaf, queriesIn, type SqlTree, splitBy } from './tree.ts';

/** An entry of FROM, or the table that is written. */
export interface Item {
  readonly alias: string;
  /** Key of the table. */
  readonly table?: string;
  /** A derived table. */
  readonly query?: Query;
  /** A WITH item by name. */
  readonly cte?: string;
  /** Rows of this table that an array holds: `unnest(…::"public"."ticket"[])`. */
  readonly rowsOf?: string;
  readonly join: 'from' | 'inner' | 'left' | 'lateral';
  /** The condition of a join. */
  readonly on: readonly SqlTree[];
  readonly of: Query;
}

export interface Query {
  readonly kind: 'select' | 'insert' | 'update' | 'delete';
  readonly outer: Query | undefined;
  readonly ctes: ReadonlyMap<string, Query>;
  /** In a write, the written table comes first. */
  readonly items: readonly Item[];
  readonly where: readonly SqlTree[];
  /** SELECT list, or what is between the written table and WHERE. */
  readonly list: readonly SqlTree[];
  /** Queries in its expressions, those of conditions among them. */
  readonly inner: readonly Query[];
  /** Whether it ends in LIMIT or OFFSET. */
  readonly isLimited: boolean;
  /** Where its conditions begin, or where WHERE has to be put. */
  readonly conditionsAt: number;
  readonly hasWhere: boolean;
  /** Where it ends. */
  readonly end: number;
  /** Everything in it. */
  readonly nodes: readonly SqlTree[];
}

const CLAUSES = ['from', 'where', 'group', 'having', 'window', 'order', 'limit', 'offset', 'returning'];
const JOINS = ['join', 'left', 'inner', 'cross'];

/** Reads a query, and those inside it. @param end where its text ends */
export function readQuery(nodes: readonly SqlTree[], outer: Query | undefined, end: number): Query {
  const ctes = new Map<string, Query>();
  const query = { outer, ctes, nodes, end } as unknown as Mutable<Query>;
  let rest = nodes;
  if (isWord(rest[0], 'with')) {
    let index = 1;
    while (rest[index]?.kind === 'name') {
      const name = (rest[index] as Leaf).value;
      index += 1;
      while (rest[index] && !isQuery(rest[index])) index += 1;
      const body = rest[index] as Group;
      ctes.set(name, readQuery(body.nodes, query, body.end - 1));
      index += 1;
      if (isSign(rest[index], ',')) index += 1;
    }
    rest = rest.slice(index);
  }
  const clauses = clausesOf(rest);
  const kind = isWord(rest[0], 'select') ? 'select' : (rest[0] as Leaf).value;
  if (kind !== 'select' && kind !== 'insert' && kind !== 'update' && kind !== 'delete')
    throw new Error(`a statement begins with ${kind}`);
  query.kind = kind;
  const where = clauses.get('where');
  query.where = where?.nodes ?? [];
  query.hasWhere = where !== undefined;
  query.isLimited = clauses.has('limit') || clauses.has('offset');
  const first = clauses.get('')!;
  query.list = first.nodes;
  query.items =
    kind === 'select'
      ? itemsOf(clauses.get('from')?.nodes ?? [], query)
      : [writtenItem(kind === 'delete' ? clauses.get('from')!.nodes : first.nodes, query)];
  const conditions = clauses.get('from') ?? first;
  query.conditionsAt = where ? where.start : conditions.end;
  const named = new Set(query.items.flatMap((item) => (item.query ? [item.query.nodes] : [])));
  const cteNodes = new Set([...ctes.values()].map((cte) => cte.nodes));
  query.inner = queriesIn(rest)
    .filter((group) => !named.has(group.nodes) && !cteNodes.has(group.nodes))
    .map((group) => readQuery(group.nodes, query, group.end - 1));
  return query;
}

type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

interface Clause {
  readonly nodes: SqlTree[];
  /** Behind its keyword. */
  readonly start: number;
  end: number;
}

/** The clauses by keyword; what comes before the first is ''. */
function clausesOf(nodes: readonly SqlTree[]): Map<string, Clause> {
  let clause: Clause = { nodes: [], start: nodes[0]?.start ?? 0, end: nodes[0]?.end ?? 0 };
  const clauses = new Map([['', clause]]);
  let before: SqlTree | undefined;
  let cases = 0;
  for (const node of nodes) {
    if (isWord(node, 'case')) cases += 1;
    else if (isWord(node, 'end')) cases -= 1;
    const isComparison = isWord(node, 'from') && isWord(before, 'distinct');
    const isClause = cases === 0 && isWord(node, ...CLAUSES) && !isComparison;
    // `within group (…)` is part of an expression; a second WHERE belongs to ON CONFLICT.
    if (isClause && !isWord(before, 'within') && !clauses.has((node as Leaf).value)) {
      clause = { nodes: [], start: node.end, end: node.end };
      clauses.set((node as Leaf).value, clause);
    } else {
      clause.nodes.push(node);
      clause.end = node.end;
    }
    before = node;
  }
  return clauses;
}

/** `insert into "s"."t" as "a" …`, `update "s"."t" as "a" set …`, `delete from "s"."t" as "a"`. */
function writtenItem(nodes: readonly SqlTree[], of: Query): Item {
  const at = nodes.findIndex((node) => node.kind === 'name');
  const named = nodes.slice(at, at + 3);
  const as = nodes[at + 4];
  const table = tableKey(named);
  if (table === undefined) throw new Error('a write names no table');
  return { alias: as?.kind === 'name' ? as.value : table, table, join: 'from', on: [], of };
}

function itemsOf(nodes: readonly SqlTree[], of: Query): Item[] {
  const items: Item[] = [];
  let start = 0;
  const flush = (end: number) => {
    if (end > start) items.push(itemOf(nodes.slice(start, end), of));
    start = end;
  };
  let wasJoin = false;
  nodes.forEach((node, index) => {
    if (isSign(node, ',')) {
      flush(index);
      start = index + 1;
    } else if (isWord(node, ...JOINS)) {
      if (!wasJoin) flush(index);
      wasJoin = true;
      return;
    }
    wasJoin = false;
  });
  flush(nodes.length);
  return items;
}

function itemOf(nodes: readonly SqlTree[], of: Query): Item {
  const keywords = nodes.findIndex((node) => !isWord(node, ...JOINS, 'lateral'));
  const words = nodes.slice(0, keywords).map((node) => (node as Leaf).value);
  const on = nodes.findIndex((node, index) => index > keywords && isWord(node, 'on'));
  const head = nodes.slice(keywords, on < 0 ? undefined : on);
  const as = head.findIndex((node) => isWord(node, 'as'));
  const named = as < 0 ? undefined : head[as + 1];
  const what = as < 0 ? head : head.slice(0, as);
  const join = words.includes('left')
    ? 'left'
    : words.includes('lateral')
      ? 'lateral'
      : words.length > 0
        ? 'inner'
        : 'from';
  const item = {
    alias: named?.kind === 'name' ? named.value : '',
    join,
    on: on < 0 ? [] : nodes.slice(on + 1),
    of,
  } as const;
  const [first] = what;
  if (first?.kind === 'group' && isQuery(first))
    return { ...item, query: readQuery(first.nodes, of, first.end - 1) };
  const table = tableKey(what);
  if (table !== undefined && what.length === 3) return { ...item, table };
  if (first?.kind === 'name' && what.length === 1) return { ...item, cte: first.value };
  const rowsOf = isWord(first, 'unnest') ? unnested(what[1]) : undefined;
  return { ...item, ...(rowsOf !== undefined && { rowsOf }) };
}

function unnested(call: SqlTree | undefined): string | undefined {
  return call?.kind === 'group' ? tableKey(call.nodes.slice(-5, -2)) : undefined;
}

function tableKey([schema, dot, name]: readonly SqlTree[]): string | undefined {
  return schema?.kind === 'name' && isSign(dot, '.') && name?.kind === 'name'
    ? objectKey(schema.value, name.value)
    : undefined;
}

/** The item that an alias names inside a query. */
export function itemNamed(alias: string, query: Query | undefined): Item | undefined {
  for (let place = query; place; place = place.outer) {
    const found = place.items.find((item) => item.alias === alias);
    if (found) return found;
  }
  return undefined;
}

/** The query of a WITH item. */
export function cteNamed(name: string, query: Query | undefined): Query | undefined {
  for (let place = query; place; place = place.outer) {
    const found = place.ctes.get(name);
    if (found) return found;
  }
  return undefined;
}

/** A query and all queries inside it, outer ones first. */
export function* allQueries(query: Query): Generator<Query> {
  yield query;
  for (const cte of query.ctes.values()) yield* allQueries(cte);
  for (const { query: derived } of query.items) if (derived) yield* allQueries(derived);
  for (const inner of query.inner) yield* allQueries(inner);
}

/** The items of a SELECT list. */
export function listItems(query: Query): (readonly SqlTree[])[] {
  return splitBy(query.list.slice(1), (node) => isSign(node, ','));
}
