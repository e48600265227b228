/**
 * Reads texts of rules as the compiler prints them: their tokens, and the conditions that `and` connects. It understands no
 * more of SQL than that; what it cannot read it says so.
 */

/** One of the conditions that `and` connects. */
export type Conjunct =
  /** Tokens of anything else. */
  | { readonly kind: 'plain'; readonly tokens: readonly string[] }
  /** `exists (select 1 from … join … on … where …)`, ON conditions among the others: they are inner joins. */
  | {
      readonly kind: 'exists';
      readonly tables: readonly TableItem[];
      readonly conditions: readonly Tokens[];
    };

export interface TableItem {
  /** `"public"."article"`. */
  readonly table: string;
  /** `"_r1"`. */
  readonly alias: string;
}

export type Tokens = readonly string[];

/** The row that a rule is about. */
export const ROW = '{row}';

export const RULE_ALIAS_NAME = /^"_r\d+"$/;

const TOKEN =
  /\s+|\{\{|\}\}|\{[^{}]*\}|"(?:[^"]|"")*"|[eE]'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*'|\w+|::|[<>=!~@#%^&|?*+/-]+|[().,[\]]/gy;

/** Words and signs with which `and` may be something else than a conjunction, or text something else than a condition. */
const UNREADABLE = /^(between|case|--.*|.*\/\*.*)$/i;

/** The conditions that `and` connects; undefined where the text is not such a conjunction. */
export function readConjunction(text: string): Conjunct[] | undefined {
  const tokens = readTokens(text);
  return tokens && conjuncts(tokens)?.map(readConjunct);
}

/** The text's tokens without blanks; undefined where it cannot be read. */
export function readTokens(text: string): string[] | undefined {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text);
    if (!match || UNREADABLE.test(match[0])) return undefined;
    // Words are read whatever their case: a hand may have written OR.
    const token = /^\w+$/.test(match[0]) ? match[0].toLowerCase() : match[0];
    if (token.trim() !== '') tokens.push(token);
  }
  return tokens;
}

/** What `and` connects, at whatever depth of parentheses that say nothing. */
function conjuncts(tokens: Tokens): Tokens[] | undefined {
  const parts = split(tokens, 'and');
  if (!parts) return undefined;
  const all: Tokens[] = [];
  for (const part of parts) {
    const inner = withoutParentheses(part);
    const more = inner === part ? [part] : conjuncts(inner);
    if (!more) return undefined;
    all.push(...more);
  }
  return all;
}

/** What stands in parentheses, if they enclose everything. */
function withoutParentheses(tokens: Tokens): Tokens {
  if (tokens[0] !== '(') return tokens;
  let depth = 0;
  const end = tokens.findIndex((token) => {
    depth += token === '(' ? 1 : token === ')' ? -1 : 0;
    return depth === 0;
  });
  return end === tokens.length - 1 ? tokens.slice(1, -1) : tokens;
}

/** Parts between a word outside parentheses. A disjunction stays in one piece; undefined for parentheses without a partner. */
function split(tokens: Tokens, word: string): Tokens[] | undefined {
  const parts: string[][] = [[]];
  let depth = 0;
  let isOr = false;
  for (const token of tokens) {
    if (token === '(' || token === '[') depth += 1;
    if (token === ')' || token === ']') depth -= 1;
    if (depth < 0) return undefined;
    if (depth === 0 && token === 'or') isOr = true;
    if (depth === 0 && token === word) parts.push([]);
    else parts.at(-1)!.push(token);
  }
  if (depth !== 0 || parts.some((part) => part.length === 0)) return undefined;
  return isOr ? [tokens] : parts;
}

function readConjunct(tokens: Tokens): Conjunct {
  return readExists(tokens) ?? { kind: 'plain', tokens };
}

/** `exists ( select 1 from "s"."t" as "_r1" [join … on …] [where …] )`; undefined for anything else. */
export function readExists(tokens: Tokens): Conjunct | undefined {
  const [exists, open, select, one, from, ...rest] = tokens;
  if ([exists, open, select, one, from].join(' ') !== 'exists ( select 1 from') return undefined;
  if (rest.pop() !== ')') return undefined;
  const wheres = split(rest, 'where');
  if (!wheres || wheres.length > 2) return undefined;
  const [items, where] = wheres as [Tokens, Tokens?];
  const joined = split(items, 'join');
  if (!joined) return undefined;
  const tables: TableItem[] = [];
  const conditions: Tokens[] = [];
  for (const [index, item] of joined.entries()) {
    const [schema, dot, name, as, alias, on, ...condition] = item;
    const isTable = dot === '.' && as === 'as' && RULE_ALIAS_NAME.test(alias ?? '');
    if (!isTable || (index === 0) !== (on === undefined)) return undefined;
    tables.push({ table: `${schema}.${name}`, alias: alias! });
    if (on === undefined) continue;
    const parts = on === 'on' ? conjuncts(condition) : undefined;
    if (!parts) return undefined;
    conditions.push(...parts);
  }
  const parts = where ? conjuncts(where) : [];
  return parts && { kind: 'exists', tables, conditions: [...conditions, ...parts] };
}
