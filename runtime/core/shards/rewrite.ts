/** The forms of a statement that Citus answers rightly. To PostgreSQL they mean what the statement meant before. */
import { quoteIdentifier } from '../sql/fragment.ts';
import type { Facts } from './facts.ts';
import { allQueries, type Item, type Query } from './query.ts';
import { isWord, splitBy } from './tree.ts';

interface Edit {
  readonly at: number;
  readonly text: string;
}

/**
 * Says of each table that is fixed which value its distribution column equals: Citus prunes by constants, and does not follow
 * equalities into correlated subqueries. No row changes, because the equality held already.
 */
export function withConstants(statement: Query, sql: string, facts: Facts): string {
  const edits: Edit[] = [];
  for (const query of allQueries(statement)) {
    const conditions: Edit[] = [];
    for (const item of query.items) {
      const condition = constantCondition(item, facts);
      if (condition === undefined) continue;
      if (item.join === 'from' || item.join === 'lateral') conditions.push({ at: 0, text: condition });
      else edits.push(...around(item.on, `${condition} and `));
    }
    if (conditions.length === 0 || query.kind === 'insert') continue;
    const all = conditions.map(({ text }) => text).join(' and ');
    if (query.hasWhere) edits.push(...around(query.where, `${all} and `));
    else edits.push({ at: query.conditionsAt, text: ` where ${all}` });
  }
  return edited(sql, edits);
}

function constantCondition(item: Item, facts: Facts): string | undefined {
  const distribution = facts.distribution(item);
  const [value] = facts.fixed(item);
  if (distribution?.kind !== 'distributed' || distribution.by === undefined) return undefined;
  if (value === undefined || facts.isPruned(item)) return undefined;
  return `${quoteIdentifier(item.alias, distribution.by)} = ${value}`;
}

/** Puts text ahead of a condition, which gets parentheses where it needs them. */
function around(condition: Query['where'], text: string): Edit[] {
  const at = condition[0]!.start;
  if (splitBy(condition, (node) => isWord(node, 'or')).length === 1) return [{ at, text }];
  return [
    { at, text: `${text}(` },
    { at: condition.at(-1)!.end, text: ')' },
  ];
}

/**
 * Keeps rows of several shards in their order, and under their names: without `offset 0` Citus hands the aggregate to the
 * shards, where the order and the names of columns are lost.
 */
export function withFence(statement: Query, sql: string): string {
  const edits: Edit[] = [];
  for (const query of statement.inner) {
    const rows = hasAggregate(query) ? innermost(query) : query;
    if (rows !== query && !rows.isLimited) edits.push({ at: rows.end, text: ' offset 0' });
  }
  return edited(sql, edits);
}

/** The query that reads and orders the rows, below those that only number them. */
function innermost(query: Query): Query {
  const [rows] = query.items;
  return query.items.length === 1 && rows?.query ? innermost(rows.query) : query;
}

function hasAggregate({ list }: Query): boolean {
  return JSON.stringify(list).includes('"json_agg"');
}

function edited(sql: string, edits: readonly Edit[]): string {
  let result = '';
  let end = 0;
  for (const { at, text } of edits.toSorted((left, right) => left.at - right.at)) {
    result += sql.slice(end, at) + text;
    end = at;
  }
  return result + sql.slice(end);
}
