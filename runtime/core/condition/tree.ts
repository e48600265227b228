/**
 * Conditions as trees: what rule texts say, and what the compiler prints them from. Plain values; functions return changed
 * copies.
 */
import { readTokens, type Token, type Tokens } from './tokens.ts';

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }
  /** `case when … then … end`: the second condition is evaluated only where the first one holds. Null elsewhere. */
  | { readonly kind: 'guarded'; readonly when: Condition; readonly part: Condition }
  /** Some combination of rows of the tables fulfils the condition; joins are inner joins. */
  | Exists
  | Leaf;

export interface Exists {
  readonly kind: 'exists';
  readonly from: readonly RuleFromItem[];
  readonly where: Condition;
}

export interface RuleFromItem {
  /** A table (`"public"."article"`) or the call of a function, as text. */
  readonly source: string;
  readonly tokens: Tokens | undefined;
  /** Quoted: `"_r1"`. */
  readonly alias: Token;
  /** The condition of the join; absent for the first item. */
  readonly on?: Condition;
}

/** A comparison, in one piece. It binds tighter than `not`. */
export interface Leaf {
  readonly kind: 'leaf';
  readonly text: string;
  /** undefined: the text cannot be read, and may mean anything. */
  readonly tokens: Tokens | undefined;
}

export const TRUE_CONDITION: Condition = { kind: 'and', parts: [] };

/** A comparison that is printed as it is. */
export function leaf(text: string): Leaf {
  return {
    kind: 'leaf',
    text,
    get tokens() {
      return readTokens(text);
    },
  };
}

/** An item of `from`: a table or the call of a function under an alias. */
export function fromItem(source: string, alias: Token, on?: Condition): RuleFromItem {
  return {
    source,
    alias,
    get tokens() {
      return readTokens(source);
    },
    ...(on && { on }),
  };
}

/** Conjunction without nesting and repetition; of nothing: true. */
export function allOf(conditions: readonly Condition[]): Condition {
  return combine('and', conditions);
}

/** Disjunction without nesting and repetition; of nothing: false. */
export function anyOf(conditions: readonly Condition[]): Condition {
  return combine('or', conditions);
}

function combine(kind: 'and' | 'or', conditions: readonly Condition[]): Condition {
  const flat = conditions.flatMap((condition) => (condition.kind === kind ? condition.parts : [condition]));
  const said = new Set<string>();
  const distinct = flat.filter((condition) => {
    if (condition.kind !== 'leaf') return true;
    const isNew = !said.has(condition.text);
    said.add(condition.text);
    return isNew;
  });
  return distinct.length === 1 ? distinct[0]! : { kind, parts: distinct };
}

export function not(part: Condition): Condition {
  return { kind: 'not', part };
}

/** The conditions that `and` connects, at any depth. */
export function conjuncts(condition: Condition): readonly Condition[] {
  return condition.kind === 'and' ? condition.parts.flatMap(conjuncts) : [condition];
}

/** The conditions that combinations of rows of an `exists` have to fulfil, those of its joins included. */
export function conditionsOf({ from, where }: Exists): readonly Condition[] {
  return [...from.flatMap(({ on }) => (on ? conjuncts(on) : [])), ...conjuncts(where)];
}

/** True if the text was parsed. A condition that was not equals only itself, and nothing follows from it. */
export function isReadable(condition: Condition): boolean {
  return condition.kind !== 'leaf' || condition.tokens !== undefined;
}

/**
 * The condition about other rows: aliases, or `{row}`, under other names. Names that an `exists` declares stay its own.
 * @throws for text that cannot be read
 */
export function rename(condition: Condition, names: ReadonlyMap<Token, Token>): Condition {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return { kind: condition.kind, parts: condition.parts.map((part) => rename(part, names)) };
    case 'not':
      return { kind: 'not', part: rename(condition.part, names) };
    case 'guarded':
      return {
        kind: 'guarded',
        when: rename(condition.when, names),
        part: rename(condition.part, names),
      };
    case 'exists': {
      const inner = new Map(names);
      for (const { alias } of condition.from) inner.delete(alias);
      return {
        kind: 'exists',
        from: condition.from.map((item) => ({
          source: item.source,
          alias: item.alias,
          tokens: item.tokens && renameTokens(item.tokens, inner),
          ...(item.on && { on: rename(item.on, inner) }),
        })),
        where: rename(condition.where, inner),
      };
    }
    case 'leaf':
      if (!condition.tokens) throw new Error(`cannot rename the rows of ${condition.text}`);
      return { kind: 'leaf', text: condition.text, tokens: renameTokens(condition.tokens, names) };
  }
}

/** A name after a dot is a column, whatever it is called. */
export function renameTokens(tokens: Tokens, names: ReadonlyMap<Token, Token>): Tokens {
  return tokens.map((token, index) => (tokens[index - 1] === '.' ? token : (names.get(token) ?? token)));
}
