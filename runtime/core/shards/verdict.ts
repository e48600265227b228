/**
 * Decides how Citus runs a statement, before it is sent. The rules are those that were measured on a cluster
 * (docs/citus.md): what is not known to be answered rightly is refused.
 * @rule What does a Citus cluster make of a statement, and what is refused there?
 */
import { objectKey } from '../names.ts';
import type { Facts } from './facts.ts';
import { allQueries, type Item, itemNamed, type Query } from './query.ts';
import type { Distribution, Verdict } from './shapes.ts';
import { type Group, isSign, isWord, type SqlTree, splitBy } from './tree.ts';

export function verdictOf(statement: Query, facts: Facts, { functions = [] }: Distribution): Verdict {
  const items = [...allQueries(statement)].flatMap((query) => query.items);
  const called = calledFunctions(statement.nodes).find((name) => functions.includes(name));
  if (called !== undefined)
    return refused(
      `the function ${called} reads distributed tables, which Citus does not see inside functions`,
    );
  const spread = items.filter((item) => isSpread(item, facts));
  if (spread.length === 0) return { kind: 'reference' };
  for (const query of allQueries(statement)) {
    const why = refusedWrite(query, facts);
    if (why !== undefined) return refused(why);
  }
  if (commonValue(spread, facts)) return { kind: 'router' };
  for (const island of islandsOf(statement)) {
    const why = refusedIsland(island, facts);
    if (why !== undefined) return refused(why);
  }
  const open = [
    ...new Set(spread.filter((item) => facts.fixed(item).length === 0).map(({ table }) => table!)),
  ];
  return {
    kind: 'all shards',
    why:
      open.length > 0
        ? `no condition fixes the distribution column of ${open.sort().join(', ')}`
        : 'parts of it are fixed to different values',
  };
}

function refused(why: string): Verdict {
  return { kind: 'refused', why };
}

function isSpread(item: Item, facts: Facts): boolean {
  const kind = facts.distribution(item)?.kind;
  return kind === 'distributed' || kind === 'single';
}

/** Whether all are of one group, and fixed to one value. */
function commonValue(items: readonly Item[], facts: Facts): boolean {
  const [first] = items;
  const group = groupOf(first!, facts);
  return (
    items.every((item) => groupOf(item, facts) === group) &&
    facts.fixed(first!).some((value) => items.every((item) => facts.fixed(item).includes(value)))
  );
}

/** The values that every distributed table of a statement is fixed to. */
export function commonValues(statement: Query, facts: Facts): string[] {
  const spread = [...allQueries(statement)].flatMap(({ items }) =>
    items.filter((item) => isSpread(item, facts)),
  );
  const [first, ...others] = spread.map((item) => facts.fixed(item));
  return (first ?? []).filter((value) => others.every((values) => values.includes(value)));
}

function groupOf(item: Item, facts: Facts): number | undefined {
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
  const found = new Set<Item>();
  const visit = (nodes: readonly SqlTree[]) => {
    nodes.forEach((node, index) => {
      if (node.kind === 'group') visit(node.nodes);
      else if (node.kind === 'name' && !isSign(nodes[index - 1], '.')) {
        const item = itemNamed(node.value, inside.outer);
        if (item) found.add(item);
      }
    });
  };
  visit(query.nodes);
  const own = new Set([...allQueries(query)].flatMap(({ items }) => items.map(({ alias }) => alias)));
  return [...found].filter(({ alias }) => !own.has(alias));
}

/** Why Citus refuses queries that it plans together, or answers them wrongly. */
function refusedIsland({ queries }: Island, facts: Facts): string | undefined {
  const items = queries.flatMap((query) => query.items);
  const spread = items.filter((item) => isSpread(item, facts));
  if (spread.length === 0 || commonValue(spread, facts)) return undefined;
  const [first, ...others] = spread as [Item, ...Item[]];
  const elsewhere = others.find((item) => groupOf(item, facts) !== groupOf(first, facts));
  if (elsewhere)
    return `${first.table} and ${elsewhere.table} are of different colocation groups, and are not fixed to one value`;
  const apart = others.find((item) => !facts.areJoined(first, item));
  if (apart)
    return `${apart.table} is not joined to ${first.table} by the distribution column, and they are not fixed to one value`;
  const local = items.find((item) => item.table !== undefined && !facts.distribution(item));
  if (local) return `${local.table}, which is stored on the coordinator only, is joined to ${first.table}`;
  for (const query of queries) {
    const outer = outerItems(query, query);
    if (outer.length === 0) continue;
    const isDerived = query.outer?.items.some((item) => item.query === query);
    if (query.items.length === 0)
      return `a subquery without a table looks at rows of ${first.table}, which are not fixed to one value`;
    if (isDerived || ![...allQueries(query)].some((each) => each.items.some((item) => isSpread(item, facts))))
      continue;
    for (const item of outer) {
      if (item.cte !== undefined || item.rowsOf !== undefined || item.query?.isLimited)
        return `rows of ${first.table} are looked up for rows that are no table's, and are not fixed to one value`;
      if (item.table !== undefined && !isSpread(item, facts))
        return `rows of ${first.table} are looked up for rows of the reference table ${item.table}, and are not fixed to one value`;
    }
  }
  return undefined;
}

/** Why Citus refuses a write whatever its conditions are. */
function refusedWrite(query: Query, facts: Facts): string | undefined {
  const [target] = query.items;
  if (query.kind === 'select' || query.kind === 'delete' || !target) return undefined;
  const distribution = facts.distribution(target);
  if (distribution?.kind !== 'distributed' || distribution.by === undefined) return undefined;
  const { by } = distribution;
  if (query.kind === 'insert') {
    const names = query.list.find((node) => node.kind === 'group') as Group | undefined;
    const isGiven = names?.nodes.some((node) => node.kind === 'name' && node.value === by);
    if (!isGiven && !distribution.generated)
      return `an insert into ${target.table} has to give the distribution column "${by}"`;
  }
  const set = query.nodes.findIndex((node) => isWord(node, 'set'));
  if (set < 0) return undefined;
  const assigned = splitBy(query.nodes.slice(set + 1), (node) => isSign(node, ','));
  const changes = assigned.some(
    ([name, sign]) => name?.kind === 'name' && name.value === by && isSign(sign, '='),
  );
  return changes ? `the distribution column "${by}" of ${target.table} cannot be changed` : undefined;
}

/** Keys of the functions of the database that are called. */
function calledFunctions(nodes: readonly SqlTree[]): string[] {
  return nodes.flatMap((node, index) => {
    if (node.kind !== 'group') return [];
    const [schema, dot, name] = nodes.slice(Math.max(0, index - 3), index);
    const isCall = schema?.kind === 'name' && isSign(dot, '.') && name?.kind === 'name';
    const own = isCall && !isSign(nodes[index - 4], '::') ? [objectKey(schema.value, name.value)] : [];
    return [...own, ...calledFunctions(node.nodes)];
  });
}
