/**
 * Conditions of a write that planners may prove to be false: Citus fails such a write instead of writing no row. All but what the shard is
 * found by gets a form that planners do not fold, and that means the same.
 */
import { builtIn, eachPart, means, raw, type Sql, sql, wholeRow } from '../sql/fragment.ts';
import { aliasNamed, columnOf, comparisonOf, meaningOf } from '../sql/statement.ts';
import { type ColumnReference, equalitiesOf, type StatementReading } from './equalities.ts';
import type { ShardFacts } from './facts.ts';
import { allQueries, type Item, itemNamed, type Query, ruleOfFragment } from './query.ts';
import type { Replacements } from './rewrite.ts';

/** Columns that are equal, and the values that they equal. */
interface Class {
  readonly columns: { readonly item: Item; readonly name: string }[];
  readonly fixed: (Condition & { readonly value: string })[];
}

interface Condition {
  readonly condition: Sql;
  readonly query: Query;
}

/** @returns what takes the places of conditions, by the query that they are of: of every query, or of none */
export function withoutContradictions(
  statement: Query,
  facts: ShardFacts,
  reading: StatementReading,
): ReadonlyMap<Sql, Replacements> {
  const queries = [...allQueries(statement)];
  if (!queries.some(({ clauses: { kind } }) => kind === 'update' || kind === 'delete')) return new Map();
  const classes = new Classes();
  const others: Condition[] = [];
  for (const query of queries) {
    for (const condition of [...query.where, ...query.items.flatMap(({ on }) => on ?? [])])
      for (const part of partsOf(condition, reading))
        if (!classes.take(part, query, reading)) others.push({ condition: part, query });
  }
  const edits = new Map(queries.map(({ fragment }) => [fragment, new Map<Sql, Sql>()]));
  const replace = ({ condition, query }: Condition, by: Sql) => edits.get(query.fragment)!.set(condition, by);
  for (const { columns, fixed } of classes.all()) {
    const kept = keptValue({ columns, fixed }, facts);
    for (const each of fixed) if (each.value !== kept) replace(each, unfolded(each.condition));
  }
  for (const { condition, query } of others) {
    const [first] = query.items;
    if (isExists(condition) || !first?.alias) continue;
    if (holdsLiteral(condition)) replace({ condition, query }, evaluatedFor(first, condition, facts));
    else if (mayFold(condition, query, classes, facts)) replace({ condition, query }, unfolded(condition));
  }
  return [...edits.values()].some(({ size }) => size > 0) ? edits : new Map();
}

class Classes {
  readonly #of = new Map<Item, Map<string, Class>>();

  /** @returns whether a condition is an equality, with a value or between columns */
  take(condition: Sql, query: Query, reading: StatementReading): boolean {
    if (meaningOf(condition)?.kind !== 'comparison') return false;
    const [equality] = equalitiesOf(condition, reading);
    if (!equality) return false;
    const own = this.find(equality.column, query);
    if ('text' in equality.other) own?.fixed.push({ value: equality.other.text, condition, query });
    else this.#join(own, this.find(equality.other, query));
    return true;
  }

  find({ alias, column }: ColumnReference, query: Query): Class | undefined {
    const item = itemNamed(alias, query);
    if (!item) return undefined;
    const columns = this.#of.get(item) ?? new Map<string, Class>();
    this.#of.set(item, columns);
    const found = columns.get(column) ?? { columns: [{ item, name: column }], fixed: [] };
    columns.set(column, found);
    return found;
  }

  #join(one: Class | undefined, other: Class | undefined): void {
    if (!one || !other || one === other) return;
    one.columns.push(...other.columns);
    one.fixed.push(...other.fixed);
    for (const { item, name } of other.columns) this.#of.get(item)!.set(name, one);
  }

  all(): Set<Class> {
    return new Set([...this.#of.values()].flatMap((columns) => [...columns.values()]));
  }
}

/** Of a distribution column, the value that tables are pruned by. */
function keptValue({ columns, fixed }: Class, facts: ShardFacts): string | undefined {
  const pruning = columns.flatMap(({ item, name }) =>
    columnOfShards(item, facts) === name ? (facts.value(item) ?? []) : [],
  );
  return (fixed.find(({ value }) => pruning.includes(value)) ?? fixed[0])?.value;
}

function columnOfShards(item: Item, facts: ShardFacts): string | undefined {
  const distribution = facts.distribution(item);
  return distribution?.kind === 'distributed' ? distribution.by : undefined;
}

/** The conditions that all have to hold. */
function partsOf(condition: Sql, reading: StatementReading): readonly Sql[] {
  const meaning = meaningOf(condition);
  switch (meaning?.kind) {
    case 'and':
      return meaning.conditions.flatMap((part) => partsOf(part, reading));
    case 'nested':
      return partsOf(meaning.inner, reading);
    case 'hole':
      return partsOf(meaning.value, reading);
    case 'rule':
      return partsOf(ruleOfFragment(condition, reading.rules), reading);
    default:
      return [condition];
  }
}

/** `exists (…)` or `not exists (…)`: its conditions are read as those of a separate query. */
function isExists(condition: Sql): boolean {
  if (meaningOf(condition)) return false;
  let isOne = false;
  eachPart(condition, (part) => {
    if (typeof part === 'string' || !('nodes' in part)) return;
    const meaning = meaningOf(part);
    isOne ||= meaning?.kind === 'nested' ? meaningOf(meaning.inner)?.kind === 'select' : isExists(part);
  });
  return isOne;
}

/** Whether a part of it is `true` or `false`, as conditions without operators are. */
function holdsLiteral(condition: Sql): boolean {
  const kind = meaningOf(condition)?.kind;
  if (kind === 'select' || kind === 'comparison' || kind === 'constant') return false;
  let holds = false;
  const isLiteral = (text: string) => text === 'true' || text === 'false';
  eachPart(condition, (part) => {
    if (typeof part === 'string') holds ||= isLiteral(part);
    else if ('nodes' in part) holds ||= holdsLiteral(part);
    else holds ||= part.kind === 'text' && isLiteral(part.text);
  });
  return holds;
}

/** Whether a planner may turn it into an equality, find it contradicted by one, or prune shards by it. */
function mayFold(condition: Sql, query: Query, classes: Classes, facts: ShardFacts): boolean {
  const meaning = meaningOf(condition);
  if (meaning?.kind === 'guarded') return false;
  if (meaning?.kind === 'comparison') {
    // A column may have no nulls.
    if (meaning.operator === 'is') return true;
    if (meaning.operator !== '=') return false;
  } else if (isNegated(condition)) return true;
  return columnsIn(condition).some((column) => {
    const found = classes.find(column, query);
    if (!found) return false;
    return (
      found.fixed.length > 0 || found.columns.some(({ item, name }) => columnOfShards(item, facts) === name)
    );
  });
}

/** Planners make `=` of what negates `<>`. */
function isNegated(condition: Sql): boolean {
  let first: unknown;
  eachPart(condition, (part) => {
    first ??= part;
  });
  return meaningOf(condition) === undefined && typeof first === 'string' && first.startsWith('not ');
}

function columnsIn(condition: Sql): readonly ColumnReference[] {
  const meaning = meaningOf(condition);
  if (meaning?.kind === 'select') return [];
  if (meaning?.kind === 'column') {
    const row = meaningOf(meaning.row);
    return row?.kind === 'alias' ? [{ alias: row.name, column: meaning.name }] : [];
  }
  const found: ColumnReference[] = [];
  eachPart(condition, (part) => {
    if (typeof part !== 'string' && 'nodes' in part) found.push(...columnsIn(part));
  });
  return found;
}

function unfolded(condition: Sql): Sql {
  return sql`(${copied(condition)}) is true`;
}

/** Holds as the condition does, and is known for a row only: a count of nulls is never negative. */
function evaluatedFor(item: Item, condition: Sql, facts: ShardFacts): Sql {
  const row = aliasNamed(item.alias);
  const by = columnOfShards(item, facts);
  const value = by === undefined ? wholeRow(row) : columnOf(row, by);
  return sql`case when ${comparisonOf(builtIn('num_nulls', value), '>=', raw('0'))} then ${copied(condition)} end`;
}

/** The same text, which is not replaced once more. */
function copied(condition: Sql): Sql {
  const parts: (string | Sql)[] = [];
  eachPart(condition, (part) => {
    parts.push(typeof part === 'string' || 'nodes' in part ? part : { nodes: [part] });
  });
  return means(undefined, parts);
}
