/**
 * Comparisons of rules: which operator, between which operands. A leaf that is not clearly one comparison is opaque: it is
 * true, false or unknown, and nothing else is concluded from it.
 */
import { oneNotation, withOneNotation } from './notation.ts';
import {
  closingOf,
  isNumberToken,
  isQuotedName,
  isSession,
  isString,
  isWord,
  ROW,
  type Token,
  type Tokens,
  textOf,
} from './tokens.ts';

export interface RuleOperand {
  readonly tokens: Tokens;
  readonly kind: 'column' | 'constant' | 'session' | 'null' | 'other';
}

export type Comparison =
  | {
      readonly kind: 'binary';
      readonly operator: RuleOperator;
      readonly left: RuleOperand;
      readonly right: RuleOperand;
    }
  | { readonly kind: 'null'; readonly of: RuleOperand; readonly negated: boolean }
  | {
      readonly kind: 'in';
      readonly of: RuleOperand;
      readonly items: readonly RuleOperand[];
      readonly negated: boolean;
    }
  | {
      readonly kind: 'distinct';
      readonly left: RuleOperand;
      readonly right: RuleOperand;
      readonly negated: boolean;
    }
  /** A value that is a boolean itself. */
  | { readonly kind: 'operand'; readonly of: RuleOperand }
  | { readonly kind: 'opaque' };

/**
 * Operators that answer null where an operand is null, and true or false elsewhere; `= any` may also answer null for an
 * element, and its right operand is the list.
 */
export type RuleOperator =
  | ('=' | '<>' | '<' | '<=' | '>' | '>=')
  | ('like' | 'not like' | 'ilike' | 'not ilike' | '= any');

const OPERATORS: Readonly<Record<Token, RuleOperator>> = {
  '=': '=',
  '<>': '<>',
  '!=': '<>',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
  like: 'like',
  ilike: 'ilike',
};

const OPAQUE: Comparison = { kind: 'opaque' };

/** Reads the tokens of a leaf. */
export function readComparison(tokens: Tokens): Comparison {
  const end = operandEnd(tokens, 0);
  if (end === undefined) return OPAQUE;
  const left = operandOf(tokens.slice(0, end));
  const rest = tokens.slice(end);
  if (rest.length === 0) return { kind: 'operand', of: left };
  const words = textOf(rest);
  if (words === 'is null' || words === 'is not null')
    return { kind: 'null', of: left, negated: words === 'is not null' };
  const negated = rest[0] === 'not' || (rest[0] === 'is' && rest[1] === 'not');
  const plain = negated ? rest.filter((_, index) => index !== (rest[0] === 'is' ? 1 : 0)) : rest;
  if (plain[0] === 'is') {
    const right = plain[1] === 'distinct' && plain[2] === 'from' ? wholeOperand(plain.slice(3)) : undefined;
    return right ? { kind: 'distinct', left, right, negated } : OPAQUE;
  }
  if (plain[0] === 'in') {
    const items = listItems(plain.slice(1));
    return items ? { kind: 'in', of: left, items, negated } : OPAQUE;
  }
  if (plain[0] === '=' && plain[1] === 'any' && plain[2] === '(') {
    const list = closingOf(plain, 2) === plain.length - 1 ? wholeOperand(plain.slice(3, -1)) : undefined;
    return list && !negated ? { kind: 'binary', operator: '= any', left, right: list } : OPAQUE;
  }
  const operator = Object.hasOwn(OPERATORS, plain[0]!) ? OPERATORS[plain[0]!] : undefined;
  const right = wholeOperand(plain.slice(1));
  if (!operator || !right) return OPAQUE;
  if (!negated) return { kind: 'binary', operator, left, right };
  if (operator !== 'like' && operator !== 'ilike') return OPAQUE;
  return { kind: 'binary', operator: `not ${operator}`, left, right };
}

function wholeOperand(tokens: Tokens): RuleOperand | undefined {
  return tokens.length > 0 && operandEnd(tokens, 0) === tokens.length ? operandOf(tokens) : undefined;
}

/** Items of `( a, b )`. */
function listItems(tokens: Tokens): RuleOperand[] | undefined {
  if (tokens[0] !== '(' || closingOf(tokens, 0) !== tokens.length - 1) return undefined;
  const items: RuleOperand[] = [];
  for (let at = 1; at < tokens.length; ) {
    const end = operandEnd(tokens, at);
    if (end === undefined || (tokens[end] !== ',' && end !== tokens.length - 1)) return undefined;
    items.push(operandOf(tokens.slice(at, end)));
    at = end + 1;
  }
  return items;
}

function operandOf(tokens: Tokens): RuleOperand {
  const plain = withOneNotation(oneNotation(tokens));
  return { tokens: plain, kind: operandKind(plain) };
}

function operandKind(tokens: Tokens): RuleOperand['kind'] {
  const [first, second] = tokens;
  if (first === 'null') return 'null';
  const cast = tokens.indexOf('::');
  const base = cast === -1 ? tokens : tokens.slice(0, cast);
  if (isSession(first) && tokens.length === 1) return 'session';
  if (base.length === 1 && (isString(first) || isNumberToken(first) || first === 'true' || first === 'false'))
    return 'constant';
  if (base.length === 2 && first === '-' && isNumberToken(second)) return 'constant';
  const isColumn = tokens.length === 3 && second === '.' && isQuotedName(tokens[2]);
  return isColumn ? 'column' : 'other';
}

/** End of the operand that begins at `start`; undefined if no operand begins there. */
function operandEnd(tokens: Tokens, start: number): number | undefined {
  let at = primaryEnd(tokens, start);
  while (at !== undefined && tokens[at] === '::') at = typeEnd(tokens, at + 1);
  return at;
}

function primaryEnd(tokens: Tokens, start: number): number | undefined {
  const token = tokens[start];
  if (token === undefined) return undefined;
  if (isString(token) || isNumberToken(token) || isSession(token)) return start + 1;
  if (token === '-') return isNumberToken(tokens[start + 1]) ? start + 2 : undefined;
  if (token === '(') return after(closingOf(tokens, start));
  if (token === 'array') return tokens[start + 1] === '[' ? after(closingOf(tokens, start + 1)) : undefined;
  if (token === 'true' || token === 'false' || token === 'null') return start + 1;
  const isName = token === ROW || /^#\d+$/.test(token) || isQuotedName(token);
  if (!isName && !(isWord(token) && tokens[start + 1] === '(' && !NO_CALLS.has(token))) return undefined;
  let at = start + 1;
  while (tokens[at] === '.' && isQuotedName(tokens[at + 1])) at += 2;
  return tokens[at] === '(' ? after(closingOf(tokens, at)) : at;
}

/** Words before a parenthesis that are not functions. */
const NO_CALLS: ReadonlySet<Token> = new Set([
  'any',
  'all',
  'some',
  'row',
  'in',
  'not',
  'is',
  'distinct',
  'exists',
]);

function after(index: number | undefined): number | undefined {
  return index === undefined ? undefined : index + 1;
}

const TYPE_WORDS = new Set(['precision', 'varying', 'with', 'without', 'time', 'zone']);

function typeEnd(tokens: Tokens, start: number): number | undefined {
  if (!isWord(tokens[start]) && !isQuotedName(tokens[start])) return undefined;
  let at: number | undefined = start + 1;
  while (tokens[at] === '.' && isQuotedName(tokens[at + 1])) at += 2;
  while (TYPE_WORDS.has(tokens[at] ?? '')) at += 1;
  if (tokens[at] === '(') at = after(closingOf(tokens, at));
  while (at !== undefined && TYPE_WORDS.has(tokens[at] ?? '')) at += 1;
  while (at !== undefined && tokens[at] === '[') at = after(closingOf(tokens, at));
  return at;
}
