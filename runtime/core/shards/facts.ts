/**
 * By which value each table of a statement is fixed, and which tables are joined by their distribution columns. Citus prunes
 * each table by constants; it does not follow equalities into correlated subqueries, so this does.
 */
import { remember } from '../remember.ts';
import { type ColumnReference, constantOf, equalitiesOf } from './equalities.ts';
import { allQueries, cteNamed, type Item, itemNamed, listItems, type Query } from './query.ts';
import type { Distribution, TableDistribution } from './shapes.ts';
import { type Group, isSign, isWord, type SqlTree, splitBy } from './tree.ts';

type Distributed = Extract<TableDistribution, { kind: 'distributed' }>;

export interface Facts {
  /** Values that the distribution column of an item equals; none where it is not fixed. Texts of the statement. */
  readonly fixed: (item: Item) => readonly string[];
  /** Whether a condition of the item's own query says so. */
  readonly isPruned: (item: Item) => boolean;
  /** Whether the distribution columns of two items are equal, by whatever chain. */
  readonly areJoined: (left: Item, right: Item) => boolean;
  readonly distribution: (item: Item) => TableDistribution | undefined;
}

export function factsOf(statement: Query, sql: string, { tables }: Distribution): Facts {
  const values = new Map<Item, Set<string>>();
  const pruned = new Set<Item>();
  const flows = new Map<Item, Set<Item>>();
  const joined = new Map<Item, Set<Item>>();
  const distributions = new Map<Item, Distributed | undefined>();
  const of = (table: string | undefined): TableDistribution | undefined =>
    table !== undefined && Object.hasOwn(tables, table) ? tables[table] : undefined;
  /** The distribution of the rows of an item, those of derived tables among them. */
  const rows = (item: Item): Distributed | undefined =>
    remember(distributions, item, () => {
      const own = of(item.table ?? item.rowsOf);
      if (own) return own.kind === 'distributed' ? own : undefined;
      const inner = starOf(item);
      if (!inner) return undefined;
      flow(inner, item);
      return rows(inner);
    });
  const flow = (from: Item, to: Item) => {
    remember(flows, from, () => new Set()).add(to);
    remember(joined, from, () => new Set()).add(to);
    remember(joined, to, () => new Set()).add(from);
  };
  const itemOf = (reference: ColumnReference, query: Query): Item | undefined => {
    const item = itemNamed(reference.alias, query);
    return item && rows(item)?.by === reference.column ? item : undefined;
  };
  /** @param only the joined item, of a left join: its condition says nothing of the others */
  const take = (condition: readonly SqlTree[], query: Query, only?: Item) => {
    for (const { column, other, isHidden } of equalitiesOf(condition, sql)) {
      const item = itemOf(column, query);
      if (!item || item.of !== query || (only && item !== only)) continue;
      if ('text' in other) {
        remember(values, item, () => new Set()).add(other.text);
        if (!isHidden) pruned.add(item);
        continue;
      }
      const from = itemOf(other, query);
      if (from && rows(from)!.group === rows(item)!.group) flow(from, item);
    }
  };
  for (const query of allQueries(statement)) {
    // In an insert, it is about rows that are there already.
    if (query.kind !== 'insert') take(query.where, query);
    for (const item of query.items) {
      rows(item);
      if (item.join === 'left') take(item.on, query, item);
      else take(item.on, query);
      const single = of(item.table);
      if (single?.kind === 'single') remember(values, item, () => new Set()).add(`the group ${single.group}`);
    }
    const [target] = query.items;
    if (query.kind === 'insert' && target) {
      const value = insertedValue(query, rows(target)?.by, sql);
      if (value !== undefined) remember(values, target, () => new Set()).add(value);
    }
  }
  propagate(values, flows);
  return {
    fixed: (item) => [...(values.get(item) ?? [])].sort(),
    isPruned: (item) => pruned.has(item),
    areJoined: (left, right) => reaches(left, right, joined),
    distribution: (item) => of(item.table),
  };
}

/** The item whose rows a derived table or a WITH item hands on whole. */
function starOf(item: Item): Item | undefined {
  if (item.cte !== undefined) return cteNamed(item.cte, item.of)?.items[0];
  const { query } = item;
  if (!query) return undefined;
  for (const entry of listItems(query)) {
    const [alias, sign, star] = unwrapped(entry.slice(afterDistinct(entry)));
    const isStar = isSign(sign, '.') && isSign(star, '*');
    const isRow = isWord(sign, 'as') && star?.kind === 'name' && star.value === 'row';
    if (alias?.kind === 'name' && (isStar || isRow)) return itemNamed(alias.value, query);
  }
  return undefined;
}

/** `row("a".*)::"s"."t" as "row"` is `"a" as "row"` in the form that workers take. */
function unwrapped(nodes: readonly SqlTree[]): readonly SqlTree[] {
  const [word, group] = nodes;
  return isWord(word, 'row') && group?.kind === 'group' ? group.nodes : nodes;
}

function afterDistinct(entry: readonly SqlTree[]): number {
  if (!isWord(entry[0], 'distinct')) return 0;
  return isWord(entry[1], 'on') ? 3 : 1;
}

/** The value of a column in each inserted row; undefined where there are several, or where a row decides it. */
function insertedValue({ list }: Query, by: string | undefined, sql: string): string | undefined {
  const at = list.findIndex((node) => node.kind === 'group');
  if (by === undefined || at < 0) return undefined;
  const isComma = (node: SqlTree) => isSign(node, ',');
  const names = splitBy((list[at] as Group).nodes, isComma).map(([name]) => name);
  const position = names.findIndex((name) => name?.kind === 'name' && name.value === by);
  if (position < 0) return undefined;
  const rest = list.slice(at + 1);
  const conflict = rest.findIndex((node) => isWord(node, 'on'));
  const source = conflict < 0 ? rest : rest.slice(0, conflict);
  const tuples = isWord(source[0], 'select')
    ? [splitBy(source.slice(1), isComma)]
    : source.flatMap((node) => (node.kind === 'group' ? [splitBy(node.nodes, isComma)] : []));
  const texts = new Set(tuples.map((tuple) => constantOf(tuple[position] ?? [], sql)?.text));
  return texts.size === 1 ? [...texts][0] : undefined;
}

function propagate(values: Map<Item, Set<string>>, flows: ReadonlyMap<Item, ReadonlySet<Item>>): void {
  const changed = [...values.keys()];
  for (let item = changed.pop(); item; item = changed.pop()) {
    const own = values.get(item)!;
    for (const next of flows.get(item) ?? []) {
      const theirs = remember(values, next, () => new Set<string>());
      const before = theirs.size;
      for (const value of own) theirs.add(value);
      if (theirs.size > before) changed.push(next);
    }
  }
}

function reaches(from: Item, to: Item, edges: ReadonlyMap<Item, ReadonlySet<Item>>): boolean {
  const seen = new Set([from]);
  for (const item of seen) for (const next of edges.get(item) ?? []) seen.add(next);
  return seen.has(to);
}
