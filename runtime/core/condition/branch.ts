/**
 * A branch of a refutation: rows that are supposed to exist, and what is supposed of them. It conflicts when no database and
 * no session can be so.
 */

import { remember } from '../remember.ts';
import { builtinSql } from '../types.ts';
import type { RuleOperand } from './comparison.ts';
import type { ColumnFacts, Knowledge } from './knowledge.ts';
import { oneNotation } from './notation.ts';
import { emptyRange, type Range, restrict } from './range.ts';
import { isNeverNullOperand, type Literal, numberOf, type State } from './statement.ts';
import { type Token, type Tokens, textOf } from './tokens.ts';
import { renameTokens } from './tree.ts';

/** A row of a table or function. */
export interface KnownRow {
  readonly alias: Token;
  readonly source: Tokens;
  /** A query of the table may not find it. */
  readonly unstored?: boolean;
  /** It may be another version of a row that the table has, with the same key. */
  readonly version?: boolean;
}

export interface Suppositions {
  readonly literals: readonly Literal[];
  readonly rows: readonly KnownRow[];
  /** Aliases of rows that turned out to be one: alias → alias of the row. */
  readonly same: ReadonlyMap<Token, Token>;
}

/** The suppositions with rows identified that keys make one; undefined if they conflict. */
export function identifyRows(
  given: Suppositions,
  knowledge: Knowledge | undefined,
): Suppositions | undefined {
  for (let now = given; ; ) {
    const view = new Evaluation(now, knowledge);
    if (view.conflicts()) return undefined;
    const pair = view.rowsOfOneKey();
    if (!pair) return now;
    const [kept, dropped] = pair;
    const same = new Map([...now.same].map(([from, to]) => [from, to === dropped ? kept : to]));
    now = { ...now, same: same.set(dropped, kept), rows: now.rows.filter(({ alias }) => alias !== dropped) };
  }
}

/** Types whose equal values are one and the same: no numeric (1.0 = 1.00), float (0 = -0), citext, bpchar. */
const SAME_WHEN_EQUAL = new Set(['int2', 'int4', 'int8', 'bool', 'uuid', 'date', 'timestamp', 'timestamptz']);
/** Texts may be equal without being the same under a collation that says so; only equality cannot tell them apart. */
const EQUAL_AT_MOST = new Set(['text', 'varchar']);

/** True if a type of pg_catalog is known not to be composite. */
export function isPlainType(type: string): boolean {
  return SAME_WHEN_EQUAL.has(type) || EQUAL_AT_MOST.has(type);
}

/**
 * Literals of which different texts are different values, by type: every text, unless a collation says otherwise, of which column
 * facts then say no type; and what has one notation (see notation.ts): a uuid, a day, a time of a day without a zone, an instant in UTC.
 */
const UNIQUE_FORMS: Readonly<Record<string, RegExp>> = {
  text: /^'/,
  varchar: /^'/,
  uuid: /^'[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'$/,
  date: /^'\d{4}-\d\d-\d\d'$/,
  timestamp: /^'\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{0,5}[1-9])?)?'$/,
  timestamptz: /^'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{0,5}[1-9])?Z'$/,
};
const INTEGERS = new Set(['int2', 'int4', 'int8']);

/**
 * Whether `=` between columns of two types, by their keys, tells apart what it tells apart within each. Not where one side is cast to
 * a type that cannot: numeric to float8, varchar to char.
 */
export function areOfOneEquality(one: string, other: string): boolean {
  return one === other || [INTEGERS, EQUAL_AT_MOST].some((family) => family.has(one) && family.has(other));
}

/** The type that a constant or session variable is cast to, as SQL; undefined: a literal, which is of the type of the other side. */
function castOf({ tokens }: RuleOperand): string | undefined {
  const text = textOf(tokens);
  const at = text.lastIndexOf('::');
  return at === -1
    ? undefined
    : text
        .slice(at + 2)
        .replace('}', '')
        .trim();
}

/** Order of two values, as a set of bits. */
const [LESS, EQUAL, GREATER] = [1, 2, 4];
const ANY_ORDER = LESS | EQUAL | GREATER;
const ORDERS: Readonly<Record<string, number>> = {
  '=': EQUAL,
  '<': LESS,
  '<=': LESS | EQUAL,
  '>': GREATER,
  '>=': GREATER | EQUAL,
};

class Evaluation {
  readonly #given: Suppositions;
  readonly #knowledge: Knowledge | undefined;
  /** Column → a column with the same value; column → a column that equality cannot tell from it. */
  readonly #identical = new Map<string, Tokens>();
  readonly #equal = new Map<string, Tokens>();
  #partners: ReadonlyMap<string, ReadonlySet<string>> = new Map();

  constructor(given: Suppositions, knowledge: Knowledge | undefined) {
    this.#given = given;
    this.#knowledge = knowledge;
    this.#identifyColumns();
  }

  /** Columns of one type that are said to be equal. */
  #identifyColumns(): void {
    for (const { left, right } of this.#trueEqualities()) {
      if (left.kind !== 'column' || right.kind !== 'column') continue;
      const [one, other] = [this.#named(left.tokens), this.#named(right.tokens)];
      const type = this.#factsOf(one)?.type;
      if (type === undefined || type !== this.#factsOf(other)?.type) continue;
      if (SAME_WHEN_EQUAL.has(type)) {
        unite(this.#identical, one, other);
        unite(this.#equal, one, other);
      } else if (EQUAL_AT_MOST.has(type)) unite(this.#equal, one, other);
    }
  }

  *#trueEqualities(): Generator<{ readonly left: RuleOperand; readonly right: RuleOperand }> {
    for (const { atom, is } of this.#given.literals)
      if (atom.kind === 'comparison' && atom.operator === '=' && is === 'true') yield atom;
  }

  /** Two rows of a table that share the values of a key: one row, unless they may be two versions of it. */
  rowsOfOneKey(): readonly [kept: Token, dropped: Token] | undefined {
    const rows = this.#given.rows.filter(({ version }) => !version);
    this.#partners = this.#equalValues();
    for (const [index, row] of rows.entries()) {
      const source = textOf(this.#named(row.source));
      const keys = this.#knowledge?.table(source)?.keys ?? [];
      for (const other of keys.length === 0 ? [] : rows.slice(index + 1)) {
        if (textOf(this.#named(other.source)) !== source) continue;
        const isOne = keys.some(
          (key) => key.length > 0 && key.every((column) => this.#share(row, other, column)),
        );
        if (isOne) return [row.alias, other.alias];
      }
    }
    return undefined;
  }

  /** True if the column is equal in two rows: to each other, or to the same third value. */
  #share(row: KnownRow, other: KnownRow, column: Token): boolean {
    const partners = ({ alias }: KnownRow) =>
      this.#partners.get(textOf(representative(this.#equal, this.#named([alias, '.', column]))));
    const [own, others] = [partners(row), partners(other)];
    return own !== undefined && others !== undefined && [...own].some((key) => others.has(key));
  }

  /**
   * Values that are said to be equal, by each of them: by the equality of keys, so not columns of two types, one of which
   * PostgreSQL may cast to a type that tells fewer values apart. Made once: rows are compared in pairs.
   */
  #equalValues(): Map<string, Set<string>> {
    const found = new Map<string, Set<string>>();
    for (const { left, right } of this.#trueEqualities()) {
      if (!this.#isComparedAsKey(left, right)) continue;
      const keys = [this.#equalKey(left), this.#equalKey(right)];
      for (const key of keys) {
        const known = found.get(key) ?? new Set();
        for (const each of keys) known.add(each);
        found.set(key, known);
      }
    }
    return found;
  }

  conflicts(): boolean {
    const literals = this.#given.literals;
    const [nulls, values] = this.#nulls();
    for (const key of nulls) if (values.has(key)) return true;
    const isValue = (operand: RuleOperand) =>
      isNeverNullOperand(operand) || values.has(this.#key(operand)) || this.#isNotNull(operand);
    const states = new Map<string, Set<State>>();
    const orders = new Map<string, number>();
    const ranges = new Map<string, Range>();
    const excluded = new Map<string, Set<string>>();
    const texts = new Map<string, string>();
    for (const { atom, is: said } of literals) {
      if (atom.kind === 'null') {
        if (said === 'true' && isValue(atom.of)) return true;
        if (said === 'false' && atom.of.kind === 'null') return true;
        continue;
      }
      if (atom.kind === 'opaque' || atom.kind === 'null test') {
        const isScalar = atom.kind === 'null test' && this.#isScalar(atom.of);
        if (isScalar) {
          // Counted among the nulls.
          if (atom.negated !== (said === 'true') && isValue(atom.of)) return true;
          continue;
        }
        const key =
          atom.kind === 'opaque'
            ? this.#textOf(atom.tokens)
            : `${this.#key(atom.of)} is ${atom.negated ? 'not null' : 'null'}`;
        if (contradicts(states, key, said)) return true;
        continue;
      }
      const { operator, left, right } = atom;
      const isNull = [left, right].some(
        (operand) => operand.kind === 'null' || nulls.has(this.#key(operand)),
      );
      if (isNull && operator !== '= any') {
        if (said === 'true' || said === 'false') return true;
        continue;
      }
      const known = operator !== '= any' && isValue(left) && isValue(right);
      const is = known ? (said === 'true' || said === 'not false' ? 'true' : 'false') : said;
      const order = ORDERS[operator];
      if (order === undefined) {
        const key = operator === '= any' ? this.#equalKey(left) : this.#key(left);
        if (contradicts(states, `${key} ${operator} ${this.#key(right)}`, is)) return true;
        continue;
      }
      const ofEquality = operator === '=';
      const [one, two] = ofEquality
        ? [this.#equalKey(left), this.#equalKey(right)]
        : [this.#key(left), this.#key(right)];
      if (is === 'true' || is === 'false') {
        const said = is === 'true' ? order : ANY_ORDER & ~order;
        const possible = one === two ? said & EQUAL : said;
        const pairs = ofEquality
          ? [
              [this.#key(left), this.#key(right)],
              [one, two],
            ]
          : [[one, two]];
        for (const [a, b] of pairs as [string, string][]) {
          const swapped = a > b;
          const key = swapped ? `${b} ? ${a}` : `${a} ? ${b}`;
          const now = (orders.get(key) ?? ANY_ORDER) & (swapped ? swap(possible) : possible);
          if (now === 0) return true;
          orders.set(key, now);
        }
        const holds = is === 'true';
        if (this.#narrow(ranges, excluded, { left, right, operator, holds })) return true;
        if (operator === '=' && holds && this.#isSecondText(texts, left, right)) return true;
      } else {
        const key = one < two ? `${one} ${operator} ${two}` : `${two} ${operator} ${one} swapped`;
        if (contradicts(states, key, is)) return true;
      }
    }
    return false;
  }

  /** Whether a column that equals a literal equals a different value, too. */
  #isSecondText(texts: Map<string, string>, left: RuleOperand, right: RuleOperand): boolean {
    if (right.kind === 'column' && left.kind !== 'column') return this.#isSecondText(texts, right, left);
    if (left.kind !== 'column' || right.kind !== 'constant') return false;
    const type = this.#factsOf(this.#named(left.tokens))?.type ?? '';
    const cast = castOf(right);
    // Without a cast the literal is of the type of the column.
    const [value] = oneNotation([right.tokens[0]!, '::', builtinSql(type) ?? '']);
    if (!UNIQUE_FORMS[type]?.test(value!) || (cast !== undefined && cast !== builtinSql(type))) return false;
    return remember(texts, this.#equalKey(left), () => value!) !== value;
  }

  /** Takes a comparison with a constant into account; whether no value is left. */
  #narrow(
    ranges: Map<string, Range>,
    excluded: Map<string, Set<string>>,
    {
      left,
      right,
      operator,
      holds,
    }: {
      readonly left: RuleOperand;
      readonly right: RuleOperand;
      readonly operator: string;
      readonly holds: boolean;
    },
  ): boolean {
    if (left.kind === 'constant' && right.kind !== 'constant')
      return this.#narrow(ranges, excluded, {
        left: right,
        right: left,
        operator: FLIPPED[operator] ?? operator,
        holds,
      });
    const key = this.#key(left);
    const facts = left.kind === 'column' ? this.#factsOf(this.#named(left.tokens)) : undefined;
    const number = numberOf(right);
    if (number !== undefined) {
      const range = restrict(ranges.get(key), operator, holds, number, INTEGERS.has(facts?.type ?? ''));
      ranges.set(key, range);
      return emptyRange(range);
    }
    const domain = facts?.values;
    if (operator !== '=' || !domain || right.tokens.length !== 1) return false;
    const missing = excluded.get(key) ?? new Set<string>();
    excluded.set(key, missing);
    const value = right.tokens[0]!;
    if (!domain.includes(value)) return false;
    if (holds) for (const other of domain) if (other !== value) missing.add(other);
    if (!holds) missing.add(value);
    return domain.every((each) => missing.has(each));
  }

  /** Keys of operands that are required to be null, and of those that cannot be. */
  #nulls(): readonly [ReadonlySet<string>, ReadonlySet<string>] {
    const nulls = new Set<string>();
    const values = new Set<string>();
    for (const { atom, is } of this.#given.literals) {
      if (atom.kind === 'null') (is === 'true' ? nulls : values).add(this.#key(atom.of));
      else if (atom.kind === 'null test' && this.#isScalar(atom.of))
        (atom.negated !== (is === 'true') ? nulls : values).add(this.#key(atom.of));
      else if (atom.kind === 'comparison' && (is === 'true' || is === 'false')) {
        if (atom.operator === '= any') {
          if (is === 'true') values.add(this.#key(atom.left));
        } else values.add(this.#key(atom.left)).add(this.#key(atom.right));
      }
    }
    return [nulls, values];
  }

  #isNotNull({ kind, tokens }: RuleOperand): boolean {
    return kind === 'column' && this.#factsOf(this.#named(tokens))?.notNull === true;
  }

  #isScalar({ kind, tokens }: RuleOperand): boolean {
    if (!this.#knowledge || kind === 'constant' || kind === 'session') return true;
    return kind === 'column' && this.#factsOf(this.#named(tokens))?.scalar === true;
  }

  #factsOf([alias, , column]: Tokens): ColumnFacts | undefined {
    const table = this.#given.rows.find((each) => each.alias === alias)?.source;
    return table && this.#knowledge?.table(textOf(this.#named(table)))?.column(column!);
  }

  /** Whether `=` compares two operands as a key does that a column among them belongs to. */
  #isComparedAsKey(left: RuleOperand, right: RuleOperand): boolean {
    const [one, other] = [left, right].map((operand) =>
      operand.kind === 'column' ? this.#factsOf(this.#named(operand.tokens))?.type : undefined,
    );
    if (left.kind === 'column' && right.kind === 'column')
      return one !== undefined && other !== undefined && areOfOneEquality(one, other);
    const [type, value] = left.kind === 'column' ? [one, right] : [other, left];
    if (type === undefined || (value.kind !== 'constant' && value.kind !== 'session')) return false;
    const cast = castOf(value);
    return cast === undefined || cast === builtinSql(type);
  }

  #named(tokens: Tokens): Tokens {
    return this.#given.same.size === 0 ? tokens : renameTokens(tokens, this.#given.same);
  }

  #key({ tokens }: RuleOperand): string {
    return this.#textOf(tokens);
  }

  #equalKey({ tokens, kind }: RuleOperand): string {
    if (kind !== 'column') return this.#textOf(tokens);
    return textOf(representative(this.#equal, this.#named(tokens)));
  }

  /** Text in which one column represents all that have its value. */
  #textOf(tokens: Tokens): string {
    const named = this.#named(tokens);
    if (this.#identical.size === 0) return textOf(named);
    const found: Token[] = [];
    for (let at = 0; at < named.length; ) {
      const isColumn = named[at + 1] === '.' && named[at + 3] !== '.' && named[at - 1] !== '.';
      if (isColumn) found.push(...representative(this.#identical, named.slice(at, at + 3)));
      else found.push(named[at]!);
      at += isColumn ? 3 : 1;
    }
    return textOf(found);
  }
}

const FLIPPED: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };

function swap(order: number): number {
  return (order & EQUAL) | (order & LESS ? GREATER : 0) | (order & GREATER ? LESS : 0);
}

const CONTRADICTIONS: Readonly<Record<State, readonly State[]>> = {
  true: ['false', 'not true'],
  false: ['true', 'not false'],
  'not true': ['true'],
  'not false': ['false'],
};

function contradicts(states: Map<string, Set<State>>, key: string, is: State): boolean {
  const known = states.get(key) ?? new Set<State>();
  states.set(key, known.add(is));
  return CONTRADICTIONS[is].some((other) => known.has(other));
}

function representative(classes: ReadonlyMap<string, Tokens>, column: Tokens): Tokens {
  let found = column;
  for (let next = classes.get(textOf(found)); next; next = classes.get(textOf(found))) found = next;
  return found;
}

function unite(classes: Map<string, Tokens>, one: Tokens, other: Tokens): void {
  const [left, right] = [representative(classes, one), representative(classes, other)];
  if (textOf(left) !== textOf(right)) classes.set(textOf(right), left);
}
