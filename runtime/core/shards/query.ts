/** The queries of a statement: what each reads FROM, on which conditions, and which queries are inside it. */
import { ruleNodes } from '../condition/rule-nodes.ts';
import { readsOfRule } from '../condition/rule-reads.ts';
import { DECLARED_SCHEMA, objectKey } from '../names.ts';
import { remember } from '../remember.ts';
import type { Sql } from '../sql/fragment.ts';
import { type FromItem, type Meaning, meaningOf, type Visitor, visit, visitParts } from '../sql/statement.ts';

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
  readonly join?: FromItem['join'];
  /** The condition of a join. */
  readonly on?: Sql | undefined;
  readonly of: Query;
}

type Clauses = Meaning<'select' | 'insert' | 'update' | 'delete'>;

export interface Query {
  readonly clauses: Clauses;
  /** Without WITH and RETURNING. */
  readonly fragment: Sql;
  readonly outer: Query | undefined;
  readonly ctes: Map<string, Query>;
  /** In a write, the written table comes first. */
  readonly items: Item[];
  readonly where: readonly Sql[];
  /** Queries in its expressions, those of conditions among them. */
  readonly inner: Query[];
  /** Names of rows in its expressions. */
  readonly names: Set<string>;
  /** Keys of functions of the database that it calls. */
  readonly calls: string[];
  /** Tables in rules that cannot be read; undefined: any may be. */
  readonly unread: (string | undefined)[];
}

/** Rules as nodes: made once, because they are told apart. */
export type Rules = Map<Sql, Sql>;

export function ruleOfFragment(fragment: Sql, rules: Rules): Sql {
  return remember(rules, fragment, () => {
    const meaning = meaningOf(fragment);
    if (meaning?.kind !== 'rule') throw new Error('a fragment is no rule');
    return ruleNodes(meaning, fragment);
  });
}

/** Reads a query, and those inside it. @param returned what an item of WITH returns */
export function readQuery(fragment: Sql, rules: Rules, outer?: Query, returned?: Sql): Query {
  const query = {
    ...{ fragment, outer, ctes: new Map(), items: [], where: [], inner: [] },
    ...{ names: new Set(), calls: [], unread: [] },
  } as unknown as Mutable<Query>;
  const found = { query, rules };
  let columns = returned;
  let statement = fragment;
  for (;;) {
    const meaning = meaningOf(statement);
    if (meaning?.kind === 'with') {
      query.ctes.set(aliasName(meaning.name), readQuery(meaning.item, rules, query, meaning.returning));
      statement = meaning.statement;
    } else if (meaning?.kind === 'returning') {
      columns = meaning.columns;
      statement = meaning.write;
    } else break;
  }
  query.fragment = statement;
  query.clauses = clausesOf(statement);
  const read = (...expressions: readonly (Sql | undefined)[]) => {
    for (const expression of expressions) if (expression) visit(READ, expression, found);
  };
  const { clauses } = query;
  if (clauses.kind === 'select') {
    query.where = clauses.where ?? [];
    read(...(clauses.distinct ?? []), clauses.columns);
    for (const item of clauses.from ?? []) query.items.push(itemOf(item, found));
    const { group, having = [], order = [], limit, offset, ending } = clauses;
    read(...query.where, group, ...having, ...order, limit, offset, ending);
  } else {
    const table = meaningOf(clauses.table);
    if (table?.kind !== 'table') throw new Error('a write names no table');
    const key = objectKey(table.schema, table.name);
    query.items.push({ alias: aliasName(clauses.alias), table: key, of: query });
    if (clauses.kind === 'insert') {
      read(clauses.source, ...(clauses.conflict?.set.map(({ value }) => value) ?? []));
      read(...(clauses.conflict?.where ?? []));
    } else {
      query.where = clauses.where;
      if (clauses.kind === 'update') read(...clauses.set.map(({ value }) => value));
      read(...query.where);
    }
  }
  read(columns);
  return query;
}

type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

interface Found {
  readonly query: Query;
  readonly rules: Rules;
}

const READ: Visitor<Found> = {
  table: inside,
  alias: ({ name }, { query }) => query.names.add(name),
  column: ({ row }, found) => visit(READ, row, found),
  call: ({ schema, name }, found, fragment) => {
    // A native query: its SQL is not looked into.
    if (schema === DECLARED_SCHEMA) found.query.unread.push(undefined);
    else found.query.calls.push(objectKey(schema, name));
    inside(undefined, found, fragment);
  },
  comparison: inside,
  nested: inside,
  and: inside,
  or: inside,
  guarded: inside,
  constant: inside,
  list: inside,
  rows: inside,
  hole: inside,
  rule: ({ rule: { condition } }, { query, rules }, fragment) => {
    const reads = readsOfRule(condition);
    for (const { schema, name } of reads.functions) query.calls.push(objectKey(schema, name));
    if (reads.isUnknown) query.unread.push(undefined);
    if (condition.kind === 'leaf')
      for (const { schema, name } of reads.tables) query.unread.push(objectKey(schema, name));
    visit(READ, ruleOfFragment(fragment, rules), { query, rules });
  },
  saved: () => {
    throw new Error('a saved statement cannot be read');
  },
  select: query,
  insert: query,
  update: query,
  delete: query,
  with: query,
  returning: query,
};

function inside(_: unknown, found: Found, fragment: Sql): void {
  visitParts(READ, fragment, found);
}

function query(_: unknown, { query: outer, rules }: Found, fragment: Sql): void {
  outer.inner.push(readQuery(fragment, rules, outer));
}

function clausesOf(statement: Sql): Clauses {
  const meaning = meaningOf(statement);
  switch (meaning?.kind) {
    case 'select':
    case 'insert':
    case 'update':
    case 'delete':
      return meaning;
    default:
      throw new Error('a statement is not made of clauses');
  }
}

function itemOf({ rows, alias, join, on }: FromItem, found: Found): Item {
  const { query: of, rules } = found;
  const item = { alias: alias ? aliasName(alias) : '', ...(join && { join }), on, of };
  if (on) visit(READ, on, found);
  const meaning = meaningOf(rows);
  switch (meaning?.kind) {
    case 'table':
      return { ...item, table: objectKey(meaning.schema, meaning.name) };
    case 'alias':
      return { ...item, cte: meaning.name };
    case 'nested':
      // The rows of `values` belong to no table.
      if (meaningOf(meaning.inner)?.kind !== 'select') break;
      return { ...item, query: readQuery(meaning.inner, rules, of) };
    case 'rows':
      visit(READ, rows, found);
      return { ...item, rowsOf: objectKey(meaning.schema, meaning.name) };
  }
  visit(READ, rows, found);
  return item;
}

/** The name that an alias is; '' for one that is made for rows of no table. */
export function aliasName(alias: Sql): string {
  const meaning = meaningOf(alias);
  return meaning?.kind === 'alias' ? meaning.name : '';
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

/** Whether LIMIT or OFFSET ends it. */
export function isLimited({ clauses }: Query): boolean {
  return clauses.kind === 'select' && (clauses.limit ?? clauses.offset) !== undefined;
}
