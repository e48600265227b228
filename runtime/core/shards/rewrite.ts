/** The forms of a statement that Citus answers rightly. To PostgreSQL they mean what the statement meant before. */

import { holds } from '../sql/contents.ts';
import { COUNT, eachPart, means, raw, type Sql } from '../sql/fragment.ts';
import {
  aliasNamed,
  columnOf,
  comparisonOf,
  conjunction,
  deleteFrom,
  type FromItem,
  meaningOf,
  nested,
  selectStatement,
  tableNamed,
  updateOf,
} from '../sql/statement.ts';
import type { ShardFacts, TransactionFacts } from './facts.ts';
import { allQueries, type Item, isLimited, type Query, type Rules, ruleOfFragment } from './query.ts';
import type { Distribution } from './shapes.ts';

/** What takes the places of parts of a statement. */
export interface Edits {
  /** Of a SELECT, UPDATE or DELETE. */
  readonly queries: ReadonlyMap<Sql, Sql>;
  /** Of conditions, by the query that they are of: one fragment, such as `false`, can be a condition of several. */
  readonly conditions: ReadonlyMap<Sql, Replacements>;
}

export type Replacements = ReadonlyMap<Sql, Sql>;

/**
 * Says of each table that is fixed which value its distribution column equals: Citus prunes by constants, and does not follow
 * equalities into correlated subqueries. No row changes, because the equality held already.
 */
export function editsOf(statement: Query, facts: ShardFacts, isOfAllShards: boolean): Replacements {
  const edits = new Map<Sql, Sql>();
  const fenced = isOfAllShards ? fencedOf(statement) : new Set<Query>();
  for (const query of allQueries(statement)) {
    const conditions = query.items.map((item) => constantCondition(item, facts));
    if (fenced.has(query) || conditions.some((condition) => condition))
      edits.set(query.fragment, edited(query, conditions, fenced.has(query)));
  }
  return edits;
}

/**
 * Has the node that keeps rows read them where what is read is on every node: a condition that holds looks at the shard of these rows.
 * @returns undefined where another node has what is read
 */
export function anchorOf(
  statement: Query,
  facts: ShardFacts,
  { functions = {} }: Distribution,
  { table, value }: NonNullable<TransactionFacts['kept']>,
): Replacements | undefined {
  const queries = [...allQueries(statement)];
  const distribution = facts.distribution({ table });
  const { clauses: rows, fragment } = queries.find(({ items }) =>
    items.some(({ rowsOf }) => rowsOf === table),
  )!;
  const isElsewhere = queries.some(
    ({ items, unread, calls }) =>
      unread.length > 0 ||
      items.some((item) => item.table !== undefined && !facts.distribution(item)) ||
      calls.some((name) => Object.hasOwn(functions, name)),
  );
  if (rows.kind !== 'select' || isElsewhere || !distribution) return undefined;
  const by = 'by' in distribution ? distribution.by : undefined;
  const own = aliasNamed('shard');
  const names = rows.from?.map((item) => meaningOf(item.rows)).find((meaning) => meaning?.kind === 'rows');
  const one = selectStatement({
    columns: raw('1'),
    from: [{ rows: tableNamed(names!.schema, names!.name), alias: own }],
    where: by === undefined ? [] : [comparisonOf(columnOf(own, by), '=', value)],
    limit: raw('1'),
  });
  const count = selectStatement({
    columns: COUNT,
    from: [{ rows: nested(one), alias: aliasNamed('one') }],
  });
  const where = [...(rows.where ?? []).map(inParentheses), comparisonOf(nested(count), '>=', raw('0'))];
  return new Map([[fragment, selectStatement({ ...rows, where })]]);
}

/** The statement with the edits, and with rules as they were read. */
export function withEdits(statement: Sql, { queries, conditions }: Edits, rules: Rules): Sql {
  const walk = (fragment: Sql, outside: Replacements): Sql => {
    const inside = conditions.get(fragment) ?? outside;
    const now =
      queries.get(fragment) ??
      inside.get(fragment) ??
      (meaningOf(fragment)?.kind === 'rule' ? ruleOfFragment(fragment, rules) : fragment);
    const parts: (string | Sql)[] = [];
    eachPart(now, (part) => {
      if (typeof part === 'string') parts.push(part);
      else parts.push('nodes' in part ? walk(part, inside) : { nodes: [part] });
    });
    return means(undefined, parts);
  };
  return walk(statement, new Map());
}

function edited(
  { clauses, items, fragment }: Query,
  conditions: readonly (Sql | undefined)[],
  isFenced: boolean,
): Sql {
  if (clauses.kind === 'insert') return fragment;
  const own = conditions.flatMap((condition, index) => (condition && !items[index]!.on ? [condition] : []));
  const old = clauses.where ?? [];
  const where = own.length > 0 ? [...own, ...old.map(inParentheses)] : old;
  switch (clauses.kind) {
    case 'select': {
      const from = clauses.from?.map((item, index): FromItem => {
        const condition = conditions[index];
        return condition && item.on
          ? { ...item, on: conjunction([condition, inParentheses(item.on)]) }
          : item;
      });
      return selectStatement({
        ...clauses,
        ...(from && { from }),
        where,
        ...(isFenced && { offset: raw('0') }),
      });
    }
    case 'update':
      return updateOf({ ...clauses, where });
    case 'delete':
      return deleteFrom({ ...clauses, where });
  }
}

function constantCondition(item: Item, facts: ShardFacts): Sql | undefined {
  const distribution = facts.distribution(item);
  const value = facts.value(item);
  if (distribution?.kind !== 'distributed' || distribution.by === undefined) return undefined;
  if (value === undefined || facts.isPruned(item)) return undefined;
  const constant = facts.fixed(item).get(value)!;
  return comparisonOf(columnOf(aliasNamed(item.alias), distribution.by), '=', constant);
}

/** A condition of which a conjunction is made. */
function inParentheses(condition: Sql): Sql {
  return meaningOf(condition)?.kind === 'or' ? nested(condition) : condition;
}

/**
 * Queries that keep rows of several shards in their order, and under their names: without `offset 0` Citus hands the aggregate to the
 * shards, where the order and the names of columns are lost.
 */
function fencedOf(statement: Query): Set<Query> {
  const fenced = statement.inner.flatMap((query) => {
    const rows = hasList(query) ? innermost(query) : query;
    return rows === query || isLimited(rows) ? [] : [rows];
  });
  return new Set(fenced);
}

/** The query that reads and orders the rows, below those that only number them. */
function innermost(query: Query): Query {
  const [rows] = query.items;
  return query.items.length === 1 && rows?.query ? innermost(rows.query) : query;
}

function hasList({ clauses }: Query): boolean {
  return clauses.kind === 'select' && clauses.columns !== undefined && holds(clauses.columns, 'list');
}
