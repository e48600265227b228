/**
 * Conditions without `not`: combinations of literals, each of which says that a comparison is true, or that it is false. In
 * SQL a comparison can be neither; "true" and "false" themselves are two-valued, so what holds for them holds for rows.
 */
import type { Expression, FromItem } from './parse.ts';
import { type Token, textOf } from './tokens.ts';

export type Form =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Form[] }
  | { readonly kind: 'literal'; readonly literal: Literal };

export interface Literal {
  readonly atom: Atom;
  /** Whether the comparison is said to be true, or to be false. */
  readonly holds: boolean;
}

export type Atom =
  | {
      readonly kind: 'comparison';
      /** `=`, `<`, `like` and so on; negated spellings are their opposite, said to be false. */
      readonly operator: string;
      readonly left: string;
      readonly right: string;
    }
  /** Never unknown, like `exists`. */
  | { readonly kind: 'null'; readonly of: string }
  | { readonly kind: 'exists'; readonly from: readonly FromItem[]; readonly where: Expression }
  | { readonly kind: 'opaque'; readonly text: string };

/** The form of "the condition is true", or of "it is false". */
export function formOf(expression: Expression, holds = true): Form {
  switch (expression.kind) {
    case 'and':
    case 'or': {
      const kind = (expression.kind === 'and') === holds ? 'and' : 'or';
      return { kind, parts: expression.parts.map((part) => formOf(part, holds)) };
    }
    case 'not':
      return formOf(expression.part, !holds);
    case 'exists':
      return literal({ kind: 'exists', from: expression.from, where: expression.where }, holds);
    case 'comparison':
      return comparisonForm(expression.tokens, holds);
  }
}

function literal(atom: Atom, holds: boolean): Form {
  return { kind: 'literal', literal: { atom, holds } };
}

const BINARY = new Set(['=', '<>', '<', '<=', '>', '>=', 'like', 'ilike']);

function comparisonForm(tokens: readonly Token[], holds: boolean): Form {
  const opaque = literal({ kind: 'opaque', text: textOf(tokens) }, holds);
  const found = findOperator(tokens);
  if (!found) return opaque;
  const { operator, left, right } = found;
  switch (operator) {
    case 'is null':
      return literal({ kind: 'null', of: textOf(left) }, holds);
    case 'is not null':
      return literal({ kind: 'null', of: textOf(left) }, !holds);
    case 'in':
    case 'not in': {
      const items = listItems(right);
      if (!items) return opaque;
      // `a in (x, y)` is `a = x or a = y`, also where something is null.
      const equal = (operator === 'in') === holds;
      return { kind: equal ? 'or' : 'and', parts: items.map((item) => equality(left, item, equal)) };
    }
    case 'is distinct from':
      return literal(
        { kind: 'comparison', operator: 'is distinct from', left: textOf(left), right: textOf(right) },
        holds,
      );
    case '=':
      return equality(left, right, holds);
    case '<>':
      return equality(left, right, !holds);
    case 'not like':
    case 'not ilike':
      return literal(
        { kind: 'comparison', operator: operator.slice(4), left: textOf(left), right: textOf(right) },
        !holds,
      );
    default:
      return literal({ kind: 'comparison', operator, left: textOf(left), right: textOf(right) }, holds);
  }
}

function equality(left: readonly Token[], right: readonly Token[], holds: boolean): Form {
  const [one, other] = [textOf(left), textOf(right)];
  // A boolean that equals false is one that does not equal true.
  if (other === 'false') return equality(left, ['true'], !holds);
  // Equality has no direction, except that a constant stands on the right.
  const swap = !isConstant(other) && (isConstant(one) || other < one);
  return literal(
    { kind: 'comparison', operator: '=', left: swap ? other : one, right: swap ? one : other },
    holds,
  );
}

/** A literal, a number or a session variable: no column. */
function isConstant(text: string): boolean {
  return /^(E?'|-? ?\d|\{session|true$|false$)/.test(text);
}

interface Found {
  readonly operator: string;
  readonly left: readonly Token[];
  readonly right: readonly Token[];
}

/** The one operator outside of parentheses; undefined when there is none, or more than one. */
function findOperator(tokens: readonly Token[]): Found | undefined {
  let depth = 0;
  let found: Found | undefined;
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index]!;
    if (token === '(' || token === '[') depth += 1;
    if (token === ')' || token === ']') depth -= 1;
    if (depth > 0) continue;
    const operator = operatorAt(tokens, index);
    if (operator === undefined) {
      // Any other sign or word may be an operator that binds less than the one found.
      if (
        /^[-+*/<>=~!@#%^&|`?]+$/.test(token) ||
        /^(and|or|not|is|in|any|all|some|similar|to|collate|at|escape)$/i.test(token)
      )
        return undefined;
      continue;
    }
    if (found || index === 0) return undefined;
    found = {
      operator,
      left: tokens.slice(0, index),
      right: tokens.slice(index + operator.split(' ').length),
    };
    index += operator.split(' ').length - 1;
  }
  const postfix = found?.operator === 'is null' || found?.operator === 'is not null';
  return found && postfix === (found.right.length === 0) ? found : undefined;
}

const WORDS = [
  'is not null',
  'is null',
  'is distinct from',
  'not in',
  'not like',
  'not ilike',
  'in',
] as const;

function operatorAt(tokens: readonly Token[], index: number): string | undefined {
  for (const words of WORDS) {
    const length = words.split(' ').length;
    if (textOf(tokens.slice(index, index + length)) === words) return words;
  }
  return BINARY.has(tokens[index]!) ? tokens[index] : undefined;
}

/** Items of `( a, b )`. */
function listItems(tokens: readonly Token[]): Token[][] | undefined {
  if (tokens[0] !== '(' || tokens.at(-1) !== ')') return undefined;
  const items: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens.slice(1, -1)) {
    if (token === '(' || token === '[') depth += 1;
    if (token === ')' || token === ']') depth -= 1;
    if (depth < 0) return undefined;
    if (token === 'select') return undefined;
    if (depth === 0 && token === ',') items.push([]);
    else items.at(-1)!.push(token);
  }
  return items.every((item) => item.length > 0) ? items : undefined;
}
