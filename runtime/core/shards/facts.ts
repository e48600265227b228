/**
 * By which value each table of a statement is fixed, and which tables are joined by their distribution columns. Citus prunes
 * each table by constants; it does not follow equalities into correlated subqueries, so this does.
 */
import { remember } from '../remember.ts';
import { quoteIdentifier, raw, type Sql } from '../sql/fragment.ts';
import type { Insert } from '../sql/statement.ts';
import {
  type ColumnReference,
  type Constant,
  constantOf,
  equalitiesOf,
  type StatementReading,
} from './equalities.ts';
import { aliasName, allQueries, cteNamed, type Item, itemNamed, type Query } from './query.ts';
import type { Distribution, TableDistribution } from './shapes.ts';

type Distributed = Extract<TableDistribution, { kind: 'distributed' }>;

export interface ShardFacts {
  /** Values that the distribution column of an item equals, by their texts in the statement; none where it is not fixed. */
  readonly fixed: (item: Item) => ReadonlyMap<string, Sql>;
  /** The text of the one of these values that tables are pruned by: where they contradict each other, the one that most tables name. */
  readonly value: (item: Item) => string | undefined;
  /** Whether a condition of the item's own query says that it equals this value. */
  readonly isPruned: (item: Item) => boolean;
  /** Whether the distribution columns of two items are equal, by whatever chain. */
  readonly areJoined: (left: Item, right: Item) => boolean;
  readonly distribution: (item: Pick<Item, 'table'>) => TableDistribution | undefined;
}

/** What is known of a statement from others of its transaction. */
export interface TransactionFacts {
  /** Values that tables are pruned by, where they are fixed to them; see `valueKey`. */
  readonly preferred?: ReadonlySet<string>;
  /** What the distribution column equals in each kept row of a table. */
  readonly kept?: { readonly table: string; readonly value: Sql } | undefined;
}

export function factsOf(
  statement: Query,
  { tables }: Distribution,
  reading: StatementReading,
  { preferred, kept }: TransactionFacts = {},
): ShardFacts {
  const values: Values = new Map();
  const named = new Map<string, Set<Item>>();
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
  const fix = (item: Item, { text, value }: Constant) =>
    remember(values, item, () => new Map()).set(text, value);
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
  const take = (condition: Sql, query: Query, only?: Item) => {
    for (const { column, other, isHidden } of equalitiesOf(condition, reading)) {
      const item = itemOf(column, query);
      if (!item || item.of !== query || (only && item !== only)) continue;
      if ('text' in other) {
        fix(item, other);
        if (isHidden) continue;
        remember(named, other.text, () => new Set()).add(item);
        continue;
      }
      const from = itemOf(other, query);
      if (from && rows(from)!.group === rows(item)!.group) flow(from, item);
    }
  };
  for (const query of allQueries(statement)) {
    for (const condition of query.where) take(condition, query);
    for (const item of query.items) {
      rows(item);
      if (item.on) take(item.on, query, item.join === 'left join' ? item : undefined);
      const single = of(item.table);
      if (single?.kind === 'single') {
        const text = `the group ${single.group}`;
        fix(item, { text, value: raw(text) });
      }
      if (kept && item.rowsOf === kept.table)
        fix(item, { text: reading.text(kept.value), value: kept.value });
    }
    const [target] = query.items;
    const value = target && insertedValue(query, rows(target)?.by, reading);
    if (value) fix(target!, value);
  }
  propagate(values, flows);
  const rank = (text: string, value: Sql): number =>
    preferred?.has(valueKey(value)) ? Number.POSITIVE_INFINITY : (named.get(text)?.size ?? 0);
  const value = (item: Item): string | undefined => {
    const ranked = [...(values.get(item) ?? [])].map(([text, found]) => ({ text, rank: rank(text, found) }));
    return ranked.sort((a, b) => (a.rank === b.rank ? (a.text < b.text ? -1 : 1) : b.rank - a.rank))[0]?.text;
  };
  return {
    fixed: (item) => values.get(item) ?? new Map(),
    value,
    isPruned: (item) => named.get(value(item) ?? '')?.has(item) ?? false,
    areJoined: (left, right) => reaches(left, right, joined),
    distribution: (item) => of(item.table),
  };
}

/** Equal for values that are the same in every statement of a request. */
export function valueKey({ nodes }: Sql): string {
  return JSON.stringify(nodes.map((node) => (node.kind === 'parameter' ? [node.source, node.type] : node)));
}

/** The item whose rows a derived table or a WITH item hands on whole. */
function starOf(item: Item): Item | undefined {
  if (item.cte !== undefined) return cteNamed(item.cte, item.of)?.items[0];
  const { query } = item;
  const whole = query?.clauses.kind === 'select' ? query.clauses.whole : undefined;
  return whole && itemNamed(aliasName(whole), query);
}

/** The value of a column in each inserted row; undefined where there are several, or where a row decides it. */
function insertedValue(
  { clauses }: Query,
  by: string | undefined,
  reading: StatementReading,
): Constant | undefined {
  if (clauses.kind !== 'insert' || by === undefined) return undefined;
  const position = columnsOf(clauses).indexOf(quoteIdentifier(by));
  const values = clauses.values?.map((row) => row[position] && constantOf(row[position], reading)) ?? [];
  const [first] = values;
  return values.every((value) => value?.text === first?.text) ? first : undefined;
}

/** The columns that an insert names, quoted. */
export function columnsOf({ columns = [] }: Pick<Insert, 'columns'>): readonly string[] {
  return columns.map(({ nodes: [name] }) => (name?.kind === 'text' ? name.text : ''));
}

type Values = Map<Item, Map<string, Sql>>;

function propagate(values: Values, flows: ReadonlyMap<Item, ReadonlySet<Item>>): void {
  const changed = [...values.keys()];
  for (let item = changed.pop(); item; item = changed.pop()) {
    const own = values.get(item)!;
    for (const next of flows.get(item) ?? []) {
      const theirs = remember(values, next, () => new Map<string, Sql>());
      const before = theirs.size;
      for (const [text, value] of own) theirs.set(text, value);
      if (theirs.size > before) changed.push(next);
    }
  }
}

function reaches(from: Item, to: Item, edges: ReadonlyMap<Item, ReadonlySet<Item>>): boolean {
  const seen = new Set([from]);
  for (const item of seen) for (const next of edges.get(item) ?? []) seen.add(next);
  return seen.has(to);
}
