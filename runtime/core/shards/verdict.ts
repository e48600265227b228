/**
 * Decides how Citus runs a statement, before it is sent. The rules are those that were measured on a cluster
 * (docs/citus.md): what is not known to be answered rightly is refused.
 * @rule What does a Citus cluster make of a statement, and what is refused there?
 */
import { quoteIdentifier, type Sql } from '../sql/fragment.ts';
import { columnsOf, type ShardFacts } from './facts.ts';
import { allQueries, type Item, isLimited, itemNamed, type Query } from './query.ts';
import type { Distribution, ShardVerdict } from './shapes.ts';

export function verdictOf(statement: Query, facts: ShardFacts, distribution: Distribution): ShardVerdict {
  const queries = [...allQueries(statement)];
  const items = queries.flatMap((query) => query.items);
  const why =
    refusedCall(queries, facts, distribution) ??
    refusedRule(queries, facts) ??
    refusedDeleteCheck(statement, facts);
  if (why !== undefined) return refused(why);
  const spread = items.filter((item) => isSpread(item, facts));
  if (spread.length === 0) return { kind: 'reference' };
  const local = localTable(statement, facts);
  if (local !== undefined) return refused(local);
  for (const query of queries) {
    const why = refusedWrite(query, facts);
    if (why !== undefined) return refused(why);
  }
  if (commonValue(spread, facts)) return { kind: 'router' };
  for (const island of islandsOf(statement)) {
    const why = refusedIsland(island, facts);
    if (why !== undefined) return refused(why);
  }
  const open = [...new Set(spread.filter((item) => facts.fixed(item).size === 0).map(({ table }) => table!))];
  return {
    kind: 'all shards',
    why:
      open.length > 0
        ? `no condition fixes the distribution column of ${open.sort().join(', ')}`
        : 'parts of it are fixed to different values',
  };
}

/** Why functions that are called, or what the tables call, answer wrongly, whatever the query selects. */
function refusedCall(
  queries: readonly Query[],
  facts: ShardFacts,
  { functions = {} }: Distribution,
): string | undefined {
  const called = queries.flatMap(({ calls }) => calls).filter((name) => Object.hasOwn(functions, name));
  const wrong = called.find((name) => !functions[name]!.alone);
  if (wrong !== undefined)
    return `the function ${wrong} cannot be called on a cluster: ${functions[wrong]!.why}`;
  const tables = queries.flatMap(tablesOf);
  for (const table of tables) {
    const distribution = facts.distribution({ table });
    if (distribution?.kind === 'refused') return `${table} ${distribution.why}`;
  }
  const known = tables.find((table) => facts.distribution({ table }));
  return called[0] !== undefined && known !== undefined
    ? `the function ${called[0]} cannot be called for rows of ${known}, because other nodes do not have what it reads: ${functions[called[0]]!.why}`
    : undefined;
}

/** Why a rule that cannot be read may answer wrongly. */
function refusedRule(queries: readonly Query[], facts: ShardFacts): string | undefined {
  for (const table of queries.flatMap(({ unread }) => unread))
    if (table === undefined || isSpread({ table }, facts))
      return table === undefined
        ? 'a native query, or a rule whose text is not understood, may read any table, and so a distributed one'
        : `a rule whose text is not understood reads ${table}; write it as a condition in the metadata`;
  return undefined;
}

/**
 * The check of deleted rows is a query beside the delete. Only where nothing but those rows is read it does not matter which runs
 * first: a delete also takes rows that refer to the deleted ones.
 */
function refusedDeleteCheck({ ctes, inner }: Query, facts: ShardFacts): string | undefined {
  for (const { clauses, items } of ctes.values()) {
    if (clauses.kind !== 'delete' || !facts.distribution(items[0]!)) continue;
    const [other] = inner.flatMap((query) => [...allQueries(query)]).flatMap(tablesOf);
    if (other !== undefined)
      return `the check of deleted rows of ${items[0]!.table} reads ${other}, and may run after the delete, which can change what it finds there; use columns of the row only`;
  }
  return undefined;
}

/** Keys of the tables that a query names itself, rules that cannot be read included. */
function tablesOf({ items, unread }: Query): string[] {
  return [...items.map(({ table }) => table), ...unread].filter((table) => table !== undefined);
}

/** Root fields of one statement are planned apart; within one, Citus joins no table of the coordinator to shards, wherever it is. */
function localTable(statement: Query, facts: ShardFacts): string | undefined {
  const isList = statement.items.length === 0 && statement.ctes.size === 0;
  for (const root of isList ? statement.inner : [statement]) {
    const tables = [...allQueries(root)].flatMap(tablesOf);
    const local = tables.find((table) => !facts.distribution({ table }));
    const spread = tables.find((table) => isSpread({ table }, facts));
    if (local !== undefined && spread !== undefined)
      return `${local} is stored on the coordinator only, so it cannot be read together with ${spread}; make it a reference table`;
  }
  return undefined;
}

function refused(why: string): ShardVerdict {
  return { kind: 'refused', why };
}

function isSpread(item: Pick<Item, 'table'>, facts: ShardFacts): boolean {
  const kind = facts.distribution(item)?.kind;
  return kind === 'distributed' || kind === 'single';
}

/** Whether all are of one group, and fixed to one value. */
function commonValue(items: readonly Item[], facts: ShardFacts): boolean {
  const [first] = items;
  const group = groupOf(first!, facts);
  return items.every((item) => groupOf(item, facts) === group) && commonValues(items, facts).length > 0;
}

/** The values that every item is fixed to. */
function commonValues(items: readonly Item[], facts: ShardFacts): Sql[] {
  const [first = new Map<string, Sql>(), ...others] = items.map((item) => facts.fixed(item));
  return [...first].flatMap(([text, value]) => (others.every((values) => values.has(text)) ? [value] : []));
}

/** The values that every distributed table of a statement is fixed to, first the one that they are pruned by. */
export function pruningValues(statement: Query, facts: ShardFacts): Sql[] {
  const items = [...allQueries(statement)].flatMap((query) => query.items);
  const spread = items.filter((item) => isSpread(item, facts));
  const values = commonValues(spread, facts);
  const pruning = spread[0] && facts.fixed(spread[0]).get(facts.value(spread[0]) ?? '');
  return values.toSorted((a, b) => Number(b === pruning) - Number(a === pruning));
}

function groupOf(item: Item, facts: ShardFacts): number | undefined {
  const distribution = facts.distribution(item);
  return distribution && 'group' in distribution ? distribution.group : undefined;
}

/** Queries that Citus plans together: correlated ones with what is around them. Others become steps of their own. */
interface Island {
  readonly queries: Query[];
}

function islandsOf(statement: Query): Island[] {
  const islands: Island[] = [];
  const visit = (query: Query, around: Island | undefined) => {
    const island = around ?? { queries: [] };
    if (!around) islands.push(island);
    island.queries.push(query);
    for (const cte of query.ctes.values()) visit(cte, undefined);
    for (const { query: derived } of query.items) if (derived) visit(derived, island);
    for (const inner of query.inner) visit(inner, outerItems(inner, inner).length > 0 ? island : undefined);
  };
  visit(statement, undefined);
  return islands;
}

/** Items of surrounding queries that a query mentions. */
function outerItems(query: Query, inside: Query): Item[] {
  const queries = [...allQueries(query)];
  const own = new Set(queries.flatMap(({ items }) => items.map(({ alias }) => alias)));
  const names = new Set(queries.flatMap((each) => [...each.names]));
  return [...names].flatMap((name) => (own.has(name) ? [] : (itemNamed(name, inside.outer) ?? [])));
}

/** A reader can change that, by a rule, an argument or a relationship. */
const NOT_FIXED = 'no rule or argument fixes them to one value of the distribution column';

/** Of rows that a mutation wrote. */
export const KEPT_ELSEWHERE =
  'written rows can be answered with their relationships only where an argument or a rule fixes these rows, and those of the relationships, to one value of the distribution column; leave the relationships out, or query them after the mutation';

/** Why Citus refuses queries that it plans together, or answers them wrongly. */
function refusedIsland({ queries }: Island, facts: ShardFacts): string | undefined {
  const items = queries.flatMap((query) => query.items);
  const spread = items.filter((item) => isSpread(item, facts));
  if (spread.length === 0 || commonValue(spread, facts)) return undefined;
  const [first, ...others] = spread as [Item, ...Item[]];
  const elsewhere = others.find((item) => groupOf(item, facts) !== groupOf(first, facts));
  if (elsewhere)
    return `${first.table} and ${elsewhere.table} are of different colocation groups, and ${NOT_FIXED}`;
  const apart = others.find((item) => !facts.areJoined(first, item));
  if (apart)
    return `${apart.table} is not joined to ${first.table} by the distribution column, and ${NOT_FIXED}`;
  for (const query of queries) {
    const outer = outerItems(query, query);
    if (outer.length === 0) continue;
    const isDerived = query.outer?.items.some((item) => item.query === query);
    if (query.items.length === 0)
      return `a connection of the Relay API, or an object that is made of rows of ${first.table}, needs one node to answer, and ${NOT_FIXED}`;
    if (isDerived || ![...allQueries(query)].some((each) => each.items.some((item) => isSpread(item, facts))))
      continue;
    for (const item of outer) {
      if (item.rowsOf !== undefined) return KEPT_ELSEWHERE;
      if (item.of.items.some(isValues) || (item.query && isLimited(item.query)))
        return `rows of ${first.table} are looked up for rows that are not of a table, as those of an action or a remote schema, and ${NOT_FIXED}`;
      if (item.table !== undefined && !isSpread(item, facts))
        return `rows of ${first.table} are looked up for rows of the reference table ${item.table}, and ${NOT_FIXED}`;
    }
  }
  return undefined;
}

/** Rows that a function makes: Citus gives their query no correlated subqueries, also where they are joined to shards. */
function isValues({ table, query }: Item): boolean {
  return table === undefined && query === undefined;
}

/** Why Citus refuses a write whatever its conditions are. */
function refusedWrite({ clauses, items: [target] }: Query, facts: ShardFacts): string | undefined {
  if (clauses.kind === 'select' || clauses.kind === 'delete' || !target) return undefined;
  const distribution = facts.distribution(target);
  if (distribution && 'unwritable' in distribution)
    return `checks, generated columns, domains or indexes of ${target.table} read tables, which the nodes that store its rows cannot: ${distribution.unwritable}`;
  if (distribution?.kind !== 'distributed' || distribution.by === undefined) return undefined;
  const { by, generated } = distribution;
  if (clauses.kind === 'insert' && !generated && !columnsOf(clauses).includes(quoteIdentifier(by)))
    return `an insert into ${target.table} has to give the distribution column "${by}", by its objects or a preset`;
  const { set = [] } = clauses.kind === 'update' ? clauses : (clauses.conflict ?? {});
  return set.some(({ column }) => column === by)
    ? `the distribution column "${by}" of ${target.table} cannot be changed`
    : undefined;
}
