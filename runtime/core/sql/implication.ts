/**
 * What a rule already says of the rows that a relationship leads to. If `{row}` is a row that a rule lets through, and
 * another row is joined to it, then some conditions hold of the other row without being asked: "the invoice's customer is
 * mine" of the invoices of a customer that is mine. Conditions that follow are left out of statements, which spares
 * Postgres a subquery for each row.
 *
 * Everything here is about texts of conjunctions as the compiler prints them. What cannot be read counts as nothing known
 * and as something to ask, so an unusual rule costs speed and never rows.
 *
 * **Facts** about a row are conditions that are true of it. From the facts of a row `o` those of a row `t`, joined by
 * `t.other = o.own` for pairs of columns, follow in three ways:
 *   1. *Same column.* A fact that speaks of `o` only by `own` columns is true of `t` by the `other` ones. Proof: the
 *      values are equal. Equal values must be the same value, so this holds for columns of one type whose equal values
 *      cannot be told apart (see `sameValue`).
 *   2. *There and back.* If `o` is a stored row of its table `S`, then for `t` there is a row in `S` (namely `o`) with
 *      `S.own = t.other`, and all facts of `o` are true of it: an `exists` over `S` about `t`.
 *   3. *The only one.* If the columns `other` of t's table are unique and a fact of `o` says that a row `u` of that table
 *      with `u.other = o.own` exists, then `u` is `t`, and what the fact says of `u` is true of `t`.
 *
 * A condition follows from facts if it is one of them, or if it is an `exists` whose tables can be found among the tables
 * of one fact such that each of its conditions is a condition of the fact: the rows that make the fact true make it true.
 */
import {
  type Conjunct,
  ROW,
  RULE_ALIAS_NAME,
  readConjunction,
  type TableItem,
  type Tokens,
} from './conjunction.ts';

/** How the other row is joined. */
export interface JoinedBy {
  /** Name of the table of the row that facts are about, as rules write it; undefined: the row may not be stored there. */
  readonly from: string | undefined;
  readonly to: string;
  readonly pairs: readonly JoinedColumns[];
  /** At most one row of the other table is joined. */
  readonly unique: boolean;
}

interface JoinedColumns {
  /** Quoted names. */
  readonly own: string;
  readonly other: string;
  /** Name of the type of both, if it is one. */
  readonly type: string | undefined;
}

/** Whether a rule follows for the joined row from the rule that the first row meets. */
export function followsByJoin(known: string, asked: string, join: JoinedBy): boolean {
  const conditions = readConjunction(asked);
  if (!conditions) return false;
  const facts = factsOfJoined(readConjunction(known) ?? [], join);
  return conditions.every((condition) => facts.some((fact) => follows(condition, fact)));
}

function factsOfJoined(facts: readonly Conjunct[], join: JoinedBy): Conjunct[] {
  return [
    ...facts.flatMap((fact) => bySameColumn(fact, join) ?? []),
    ...(join.from === undefined ? [] : [thereAndBack(facts, join.from, join)]),
    ...(join.unique ? facts.flatMap((fact) => byOnlyOne(fact, join)) : []),
  ];
}

function bySameColumn(fact: Conjunct, join: JoinedBy): Conjunct | undefined {
  if (fact.kind === 'plain') {
    const tokens = throughColumns(fact.tokens, join);
    return tokens && { kind: 'plain', tokens };
  }
  const conditions: Tokens[] = [];
  for (const condition of fact.conditions) {
    const tokens = throughColumns(condition, join);
    if (!tokens) return undefined;
    conditions.push(tokens);
  }
  return { ...fact, conditions };
}

/** Types whose equal values are one and the same: no numeric (1.0 = 1.00), float (0 = -0), citext, bpchar. */
const SAME_WHEN_EQUAL = new Set(['int2', 'int4', 'int8', 'bool', 'uuid', 'date', 'timestamp', 'timestamptz']);

/**
 * Texts may be equal without being the same under a collation that says so, and then only what asks for equality again
 * cannot tell them apart.
 */
function sameValue({ type }: JoinedColumns, tokens: Tokens): boolean {
  if (type === undefined) return false;
  if (SAME_WHEN_EQUAL.has(type)) return true;
  const asksEquality =
    tokens[0] === ROW && tokens[3] === '=' && tokens.filter((token) => token === ROW).length === 1;
  return (type === 'text' || type === 'varchar') && asksEquality;
}

/** The condition with the other columns in place of the own ones; undefined where it speaks of anything else of the row. */
function throughColumns(tokens: Tokens, { pairs }: JoinedBy): Tokens | undefined {
  const result = [...tokens];
  for (const [index, token] of tokens.entries()) {
    if (token !== ROW) continue;
    const pair = tokens[index + 1] === '.' ? pairs.find(({ own }) => own === tokens[index + 2]) : undefined;
    if (!pair || !sameValue(pair, tokens)) return undefined;
    result[index + 2] = pair.other;
  }
  return result;
}

function thereAndBack(facts: readonly Conjunct[], table: string, { pairs }: JoinedBy): Conjunct {
  const alias = '"there"';
  const tables: TableItem[] = [{ table, alias }];
  const conditions: Tokens[] = pairs.map(({ own, other }) => [alias, '.', own, '=', ROW, '.', other]);
  for (const fact of facts) {
    if (fact.kind === 'plain') {
      conditions.push(rename(fact.tokens, new Map([[ROW, alias]])));
      continue;
    }
    // Each fact has tables of its own, so its aliases get names of their own.
    const names = new Map([[ROW, alias]]);
    for (const item of fact.tables) {
      names.set(item.alias, `"there${tables.length}"`);
      tables.push({ table: item.table, alias: `"there${tables.length}"` });
    }
    conditions.push(...fact.conditions.map((condition) => rename(condition, names)));
  }
  return { kind: 'exists', tables, conditions };
}

function byOnlyOne(fact: Conjunct, { to, pairs }: JoinedBy): Conjunct[] {
  if (fact.kind === 'plain') return [];
  return fact.tables.flatMap((item): Conjunct[] => {
    const ties = pairs.map(({ own, other }) => keyOf([item.alias, '.', other, '=', ROW, '.', own], NO_NAMES));
    const said = new Set(fact.conditions.map((condition) => keyOf(condition, NO_NAMES)));
    if (item.table !== to || !ties.every((tie) => said.has(tie))) return [];
    // What else the fact says of the first row has nothing to say of this one.
    const others = fact.conditions.filter((condition) => !condition.includes(ROW));
    const names = new Map([[item.alias, ROW]]);
    const conditions = others.map((condition) => rename(condition, names));
    const rest = fact.tables.filter((each) => each !== item);
    const speaksOf = (condition: Tokens) => rest.some(({ alias }) => condition.includes(alias));
    const own = conditions.filter((condition) => !speaksOf(condition));
    return [
      ...own.map((tokens): Conjunct => ({ kind: 'plain', tokens })),
      ...(rest.length > 0 ? [{ kind: 'exists', tables: rest, conditions } as const] : []),
    ];
  });
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

function rename(tokens: Tokens, names: ReadonlyMap<string, string>): Tokens {
  return tokens.map((token) => names.get(token) ?? token);
}

function follows(asked: Conjunct, fact: Conjunct): boolean {
  if (asked.kind === 'plain')
    return fact.kind === 'plain' && keyOf(asked.tokens, NO_NAMES) === keyOf(fact.tokens, NO_NAMES);
  if (fact.kind === 'plain') return false;
  // The aliases of a fact stand for its rows; those within its conditions are told apart by their order.
  const own = new Map(fact.tables.map(({ alias }) => [alias, alias]));
  const said = new Set(fact.conditions.map((condition) => keyOf(condition, own)));
  const place = (index: number, names: ReadonlyMap<string, string>): boolean => {
    const item = asked.tables[index];
    if (!item) return asked.conditions.every((condition) => said.has(keyOf(condition, names)));
    return fact.tables.some(
      ({ table, alias }) =>
        table === item.table && place(index + 1, new Map([...names, [item.alias, alias]])),
    );
  };
  return asked.tables.length <= MOST_TABLES && fact.tables.length <= MOST_TABLES && place(0, NO_NAMES);
}

/** More tables than a rule has, so that comparing them ends. */
const MOST_TABLES = 6;

/** One text for conditions that differ in nothing but the names of inner aliases and the sides of an equality. */
function keyOf(tokens: Tokens, names: ReadonlyMap<string, string>): string {
  const inner = new Map<string, string>();
  const named = tokens.map((token) => {
    const known = names.get(token);
    if (known !== undefined || !RULE_ALIAS_NAME.test(token)) return known ?? token;
    if (!inner.has(token)) inner.set(token, `inner ${inner.size}`);
    return inner.get(token)!;
  });
  const [left, right] = [named.slice(0, 3), named.slice(4)];
  const equality = named.length === 7 && named[1] === '.' && named[3] === '=' && named[5] === '.';
  const sides = equality ? [left.join(' '), right.join(' ')].sort().join(' = ') : undefined;
  return sides ?? named.join(' ');
}
