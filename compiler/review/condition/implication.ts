/**
 * Whether every row that fulfils one condition fulfils another, for every session and whatever the tables hold. "Yes" is
 * proved; everything else is "not proved", which is no "no".
 */
import { type Atom, type Form, formOf, type Literal } from './normal-form.ts';
import { type Expression, type FromItem, parseCondition, rename, renameTokens } from './parse.ts';
import { type Token, textOf } from './tokens.ts';

/** Most combinations that are looked at; a condition beyond is compared part by part. */
const MOST = 512;
/** How deep `exists` within `exists` is followed. */
const DEEPEST = 6;

/** Whether the first rule text implies the second. */
export function implies(first: string, second: string): boolean {
  return first === second || expressionImplies(parseCondition(first), parseCondition(second), [], 0);
}

export type Comparison = 'same' | 'narrower' | 'wider' | 'undecidable';

/**
 * What became of the rows of a rule. `narrower`: no row is let through that was not before, surely. `wider`: none is lost,
 * and that none is won cannot be shown.
 */
export function compareRules(before: string, after: string): Comparison {
  if (before === after) return 'same';
  const fewer = implies(after, before);
  const more = implies(before, after);
  if (fewer && more) return 'same';
  if (fewer) return 'narrower';
  return more ? 'wider' : 'undecidable';
}

function expressionImplies(
  first: Expression,
  second: Expression,
  context: readonly Literal[],
  depth: number,
): boolean {
  if (depth > DEEPEST) return false;
  return formImplies(formOf(first), formOf(second), context, depth);
}

function formImplies(first: Form, second: Form, context: readonly Literal[], depth: number): boolean {
  const ways = alternatives(first, 'or');
  const demands = alternatives(second, 'and');
  if (ways && demands && ways.length * demands.length <= MOST)
    return ways.every((way) => {
      const known = [...context, ...way];
      return isContradiction(known) || demands.every((demand) => meets(known, demand, depth));
    });
  // Too many combinations: part by part, which finds less.
  if (sameForm(first, second)) return true;
  if (first.kind === 'or') return first.parts.every((part) => formImplies(part, second, context, depth));
  if (second.kind === 'and') return second.parts.every((part) => formImplies(first, part, context, depth));
  return (
    (second.kind === 'or' && second.parts.some((part) => formImplies(first, part, context, depth))) ||
    (first.kind === 'and' && first.parts.some((part) => formImplies(part, second, context, depth)))
  );
}

/**
 * With `or`: the sets of literals one of which holds (disjunctive normal form). With `and`: the sets one literal of each of
 * which holds (conjunctive). undefined when there are too many.
 */
function alternatives(form: Form, over: 'and' | 'or'): readonly (readonly Literal[])[] | undefined {
  if (form.kind === 'literal') return [[form.literal]];
  const parts: (readonly (readonly Literal[])[])[] = [];
  for (const part of form.parts) {
    const inner = alternatives(part, over);
    if (!inner) return undefined;
    parts.push(inner);
  }
  if (form.kind === over) {
    const all = parts.flat();
    return all.length <= MOST ? all : undefined;
  }
  let product: (readonly Literal[])[] = [[]];
  for (const part of parts) {
    if (product.length * part.length > MOST) return undefined;
    product = product.flatMap((left) => part.map((right) => [...left, ...right]));
  }
  return product;
}

/** Whether what is known makes one of the literals hold. */
function meets(known: readonly Literal[], demand: readonly Literal[], depth: number): boolean {
  if (demand.some((wanted) => known.some((literal) => literalImplies(literal, wanted, known, depth))))
    return true;
  // Something two-valued is true or false.
  return demand.some(
    ({ atom, holds }) =>
      (atom.kind === 'null' || atom.kind === 'exists') &&
      holds &&
      demand.some((other) => !other.holds && sameAtom(atom, other.atom)),
  );
}

function isContradiction(literals: readonly Literal[]): boolean {
  return literals.some(
    ({ atom, holds }) => holds && literals.some((other) => !other.holds && sameAtom(atom, other.atom)),
  );
}

function literalImplies(
  known: Literal,
  wanted: Literal,
  context: readonly Literal[],
  depth: number,
): boolean {
  const [one, other] = [known.atom, wanted.atom];
  if (known.holds === wanted.holds && sameAtom(one, other)) return true;
  if (one.kind === 'exists' && other.kind === 'exists') {
    if (known.holds !== wanted.holds) return false;
    return known.holds
      ? existsImplies(one, other, context, depth)
      : existsImplies(other, one, context, depth);
  }
  if (other.kind === 'null') return !wanted.holds && isNotNull(known, other.of);
  if (other.kind !== 'comparison') return false;
  if (one.kind === 'null') {
    return (
      known.holds &&
      wanted.holds &&
      other.operator === 'is distinct from' &&
      one.of === other.left &&
      isValue(other.right)
    );
  }
  if (one.kind !== 'comparison' || one.left !== other.left) return false;
  return comparisonImplies(one, known.holds, other, wanted.holds);
}

type ComparisonAtom = Extract<Atom, { kind: 'comparison' }>;

/** Comparisons that are unknown with a null: true or false, both sides are something. */
const STRICT = new Set(['=', '<', '<=', '>', '>=', 'like', 'ilike']);

function isNotNull({ atom, holds }: Literal, text: string): boolean {
  if (atom.kind === 'null') return !holds && atom.of === text;
  if (atom.kind !== 'comparison') return false;
  if (STRICT.has(atom.operator)) return atom.left === text || atom.right === text;
  return !holds && atom.left === text && isValue(atom.right);
}

/** A literal that is surely not null. */
function isValue(text: string): boolean {
  return /^(E?'|-? ?\d|true$|false$)/.test(text);
}

function comparisonImplies(
  one: ComparisonAtom,
  oneHolds: boolean,
  other: ComparisonAtom,
  otherHolds: boolean,
): boolean {
  if (one.right === other.right && isValue(one.right)) {
    // `is distinct from` a value, and its opposite.
    if (one.operator === '=' && other.operator === 'is distinct from') return oneHolds !== otherHolds;
    if (one.operator === 'is distinct from' && other.operator === '=') return !oneHolds && otherHolds;
  }
  const [left, right] = [integer(one.right), integer(other.right)];
  if (left === undefined || right === undefined) return false;
  const range = rangeOf(one.operator, oneHolds, left);
  const wanted = rangeOf(other.operator, otherHolds, right);
  if (range && wanted) return range.from >= wanted.from && range.to <= wanted.to;
  // `x = 5` and `x > 3` exclude other numbers.
  return (
    range !== undefined && other.operator === '=' && !otherHolds && (right < range.from || right > range.to)
  );
}

function integer(text: string): number | undefined {
  const value = /^(- ?)?\d{1,9}$/.test(text) ? Number(text.replace(' ', '')) : undefined;
  return value;
}

/**
 * Bounds of the values that a comparison with an integer lets through. The column may hold fractions: an open bound is put
 * half a step further, between the integers that bounds are.
 */
function rangeOf(operator: string, holds: boolean, value: number): { from: number; to: number } | undefined {
  if (operator === '=') return holds ? { from: value, to: value } : undefined;
  const opposite: Readonly<Record<string, string>> = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' };
  switch (holds ? operator : opposite[operator]) {
    case '<':
      return { from: -Infinity, to: value - 0.5 };
    case '<=':
      return { from: -Infinity, to: value };
    case '>':
      return { from: value + 0.5, to: Infinity };
    case '>=':
      return { from: value, to: Infinity };
    default:
      return undefined;
  }
}

type Exists = Extract<Atom, { kind: 'exists' }>;

/**
 * Rows that make the first hold make the second hold, too, when each table of the second can be one of the first such that
 * its condition follows. What else is known of the outer row may help.
 */
function existsImplies(first: Exists, second: Exists, context: readonly Literal[], depth: number): boolean {
  const others = context.filter(({ atom }) => atom !== first && atom !== second);
  return assignments(second.from, first.from).some((names) =>
    expressionImplies(first.where, rename(second.where, names), others, depth + 1),
  );
}

/** Ways to take tables of one list for those of the other, as renamings. */
function assignments(wanted: readonly FromItem[], given: readonly FromItem[]): ReadonlyMap<Token, Token>[] {
  let found: ReadonlyMap<Token, Token>[] = [new Map()];
  for (const item of wanted) {
    found = found.flatMap((names) => {
      const text = textOf(renameTokens(item.tokens, names));
      return given
        .filter(({ tokens }) => textOf(tokens) === text)
        .map(({ alias }) => new Map([...names, [item.alias, alias]]));
    });
    if (found.length > MOST) return [];
  }
  return found;
}

function sameAtom(one: Atom, other: Atom): boolean {
  if (one.kind === 'exists') return one === other;
  return other.kind !== 'exists' && JSON.stringify(one) === JSON.stringify(other);
}

function sameForm(one: Form, other: Form): boolean {
  if (one.kind === 'literal' || other.kind === 'literal')
    return (
      one.kind === 'literal' &&
      other.kind === 'literal' &&
      one.literal.holds === other.literal.holds &&
      sameAtom(one.literal.atom, other.literal.atom)
    );
  return (
    one.kind === other.kind &&
    one.parts.length === other.parts.length &&
    one.parts.every((part, index) => sameForm(part, other.parts[index]!))
  );
}
