/**
 * Rule text as a tree: `and`, `or`, `not`, `exists` and comparisons. Anything that is not clearly one of these stays one
 * opaque comparison, which is equal to itself and to nothing else; nothing is ever guessed.
 */
import { type Token, textOf, tokensOf } from './tokens.ts';

export type Expression =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Expression[] }
  | { readonly kind: 'not'; readonly part: Expression }
  /** Some combination of rows fulfils the condition; the conditions of joins are part of it. */
  | { readonly kind: 'exists'; readonly from: readonly FromItem[]; readonly where: Expression }
  | { readonly kind: 'comparison'; readonly tokens: readonly Token[] };

export interface FromItem {
  /** A table or a call of a function. */
  readonly tokens: readonly Token[];
  /** Quoted, as the condition names it; made unique, so that no two conditions share one. */
  readonly alias: Token;
}

const TRUE: Expression = { kind: 'and', parts: [] };

/** Words with which `and` and `or` are not what they seem, or a comparison reaches further than it seems. */
const UNCLEAR = new Set([
  'between',
  'case',
  'union',
  'intersect',
  'except',
  'group',
  'having',
  'limit',
  'offset',
  'order',
  'left',
  'right',
  'full',
  'outer',
  'natural',
  'using',
  'lateral',
  'with',
]);

let aliases = 0;

/** Reads rule text. */
export function parseCondition(text: string): Expression {
  const tokens = tokensOf(text);
  if (!tokens) return { kind: 'comparison', tokens: [text] };
  if (tokens.some((token) => UNCLEAR.has(token.toLowerCase()))) return { kind: 'comparison', tokens };
  return parse(tokens) ?? { kind: 'comparison', tokens };
}

/** undefined: the parentheses do not fit, or a part is missing. */
function parse(tokens: readonly Token[]): Expression | undefined {
  for (const kind of ['or', 'and'] as const) {
    const parts = split(tokens, kind);
    if (!parts) return undefined;
    if (parts.length > 1) return combination(kind, parts);
  }
  const [first, second] = tokens;
  if (first === undefined) return undefined;
  if (first === 'true' && tokens.length === 1) return TRUE;
  if (first === 'false' && tokens.length === 1) return { kind: 'or', parts: [] };
  if (first === 'not') {
    const part = parse(tokens.slice(1));
    return part && { kind: 'not', part };
  }
  const last = tokens.length - 1;
  if (first === '(' && closing(tokens, 0) === last) {
    const inside = parse(tokens.slice(1, last));
    // A value in parentheses is a comparison only with what stands beside it; alone it is a condition.
    return inside;
  }
  if (first === 'exists' && second === '(' && closing(tokens, 1) === last)
    return parseExists(tokens.slice(2, last)) ?? { kind: 'comparison', tokens };
  return { kind: 'comparison', tokens };
}

function combination(kind: 'and' | 'or', lists: readonly (readonly Token[])[]): Expression | undefined {
  const parts = lists.map(parse);
  return parts.every((part) => part !== undefined) ? { kind, parts } : undefined;
}

/** Parts between a word outside of parentheses; undefined when the parentheses do not fit. */
function split(tokens: readonly Token[], word: string): Token[][] | undefined {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (token === '(' || token === '[') depth += 1;
    if (token === ')' || token === ']') depth -= 1;
    if (depth < 0) return undefined;
    if (depth === 0 && token === word) parts.push([]);
    else parts.at(-1)!.push(token);
  }
  return depth === 0 ? parts : undefined;
}

/** Index of the parenthesis that closes the one at `start`. */
function closing(tokens: readonly Token[], start: number): number | undefined {
  let depth = 0;
  for (let index = start; index < tokens.length; index += 1) {
    if (tokens[index] === '(') depth += 1;
    if (tokens[index] === ')') {
      depth -= 1;
      if (depth === 0) return index;
    }
  }
  return undefined;
}

/** `select 1 from A as "a" join B as "b" on … where …`; joins are inner ones. */
function parseExists(tokens: readonly Token[]): Expression | undefined {
  if (textOf(tokens.slice(0, 3)) !== 'select 1 from') return undefined;
  const [head, where, ...more] = split(tokens.slice(3), 'where') ?? [];
  if (!head || more.length > 0) return undefined;
  const [first, ...joins] = split(head, 'join') ?? [];
  const conditions: Expression[] = [];
  const from: { tokens: readonly Token[]; alias: Token }[] = [];
  for (const [index, item] of [first ?? [], ...joins].entries()) {
    const [source, on, ...rest] = split(item, 'on') ?? [];
    if (!source || rest.length > 0 || (index === 0) !== (on === undefined)) return undefined;
    const alias = source.at(-1);
    if (!alias?.startsWith('"') || source.at(-2) !== 'as') return undefined;
    // A comma would be a further table.
    if (split(source, ',')?.length !== 1) return undefined;
    from.push({ tokens: source.slice(0, -2), alias });
    if (on) {
      const condition = parse(on);
      if (!condition) return undefined;
      conditions.push(condition);
    }
  }
  if (where) {
    const condition = parse(where);
    if (!condition) return undefined;
    conditions.push(condition);
  }
  const names = from.map(({ alias }) => alias);
  if (new Set(names).size !== names.length) return undefined;
  const renamed = new Map(
    names.map((alias) => {
      aliases += 1;
      return [alias, `"_r ${aliases}"`] as const;
    }),
  );
  return {
    kind: 'exists',
    from: from.map((item) => ({
      tokens: renameTokens(item.tokens, renamed),
      alias: renamed.get(item.alias)!,
    })),
    where: rename({ kind: 'and', parts: conditions }, renamed),
  };
}

/** The expression with other aliases. */
export function rename(expression: Expression, names: ReadonlyMap<Token, Token>): Expression {
  switch (expression.kind) {
    case 'and':
    case 'or':
      return { kind: expression.kind, parts: expression.parts.map((part) => rename(part, names)) };
    case 'not':
      return { kind: 'not', part: rename(expression.part, names) };
    case 'exists':
      return {
        kind: 'exists',
        from: expression.from.map((item) => ({ ...item, tokens: renameTokens(item.tokens, names) })),
        where: rename(expression.where, names),
      };
    case 'comparison':
      return { kind: 'comparison', tokens: renameTokens(expression.tokens, names) };
  }
}

/** What follows a dot is a column, whatever it is called. */
export function renameTokens(tokens: readonly Token[], names: ReadonlyMap<Token, Token>): Token[] {
  return tokens.map((token, index) => (tokens[index - 1] === '.' ? token : (names.get(token) ?? token)));
}
