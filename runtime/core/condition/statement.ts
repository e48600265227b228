/**
 * Statements about conditions. In SQL a condition is true, false or unknown; a statement says which, and is itself either so
 * or not. The opposite of "is true" is "is not true": false or unknown.
 */
import { type RuleOperand, type RuleOperator, readComparison } from './comparison.ts';
import { withOneNotation } from './notation.ts';
import { isNumberToken, type Tokens } from './tokens.ts';
import { type Condition, conditionsOf, type Exists, type Leaf } from './tree.ts';

export type State = 'true' | 'false' | 'not true' | 'not false';

export interface Proposition {
  readonly condition: Condition;
  readonly is: State;
}

/** The logical content of a statement. */
export type Form =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly (Form | Proposition)[] }
  | { readonly kind: 'literal'; readonly literal: Literal }
  /** Such rows exist, or do not. */
  | { readonly kind: 'rows'; readonly exists: Exists; readonly some: boolean };

export interface Literal {
  readonly atom: Atom;
  readonly is: State;
}

type Atom =
  | {
      readonly kind: 'comparison';
      readonly operator: AtomOperator;
      readonly left: RuleOperand;
      readonly right: RuleOperand;
    }
  /** The value is null. */
  | { readonly kind: 'null'; readonly of: RuleOperand }
  /** `is null` or `is not null`: of a composite value that is null or not, and both may be false. */
  | { readonly kind: 'null test'; readonly of: RuleOperand; readonly negated: boolean }
  | { readonly kind: 'opaque'; readonly tokens: Tokens };

type AtomOperator = Exclude<RuleOperator, '<>' | 'not like' | 'not ilike'>;

/** The statement that holds exactly where the other does not. */
const OPPOSITE = { true: 'not true', false: 'not false', 'not true': 'true', 'not false': 'false' } as const;
/** The value of a condition's negation, by the value of the condition. */
const NEGATED = { true: 'false', false: 'true', 'not true': 'not false', 'not false': 'not true' } as const;

export function opposite({ condition, is }: Proposition): Proposition {
  return { condition, is: OPPOSITE[is] };
}

const ALWAYS: Form = { kind: 'and', parts: [] };
const NEVER: Form = { kind: 'or', parts: [] };

export function propositionForm({ condition, is }: Proposition): Form {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      // Every part of a conjunction has to be true, or not false; one is enough for the opposites.
      const every = (condition.kind === 'and') === (is === 'true' || is === 'not false');
      return { kind: every ? 'and' : 'or', parts: condition.parts.map((part) => ({ condition: part, is })) };
    }
    case 'not':
      return propositionForm({ condition: condition.part, is: NEGATED[is] });
    case 'guarded': {
      // It is null where the first condition does not hold.
      const asks = is === 'true' || is === 'false';
      const when: Proposition = { condition: condition.when, is: asks ? 'true' : 'not true' };
      return { kind: asks ? 'and' : 'or', parts: [when, { condition: condition.part, is }] };
    }
    case 'exists':
      return { kind: 'rows', exists: condition, some: is === 'true' || is === 'not false' };
    case 'leaf':
      return leafForm(condition, is);
  }
}

/** The condition that the rows of an `exists` fulfil. */
export function insideOf(exists: Exists): Condition {
  return { kind: 'and', parts: conditionsOf(exists) };
}

function literal(atom: Atom, is: State): Form {
  return { kind: 'literal', literal: { atom, is } };
}

function leafForm({ text, tokens }: Leaf, is: State): Form {
  const comparison = tokens ? readComparison(tokens) : ({ kind: 'opaque' } as const);
  switch (comparison.kind) {
    case 'binary':
      return binaryForm(comparison.operator, comparison.left, comparison.right, is);
    case 'operand':
      return equality(comparison.of, BOOLEAN_TRUE, is);
    case 'null':
      return literal({ kind: 'null test', of: comparison.of, negated: comparison.negated }, twoValued(is));
    case 'in': {
      // `a in (x, y)` is `a = x or a = y`, also where something is null.
      const wanted = comparison.negated ? NEGATED[is] : is;
      const some = wanted === 'true' || wanted === 'not false';
      const parts = comparison.items.map((item) => equality(comparison.of, item, wanted));
      return { kind: some ? 'or' : 'and', parts };
    }
    case 'distinct':
      return distinctForm(comparison.left, comparison.right, comparison.negated ? NEGATED[is] : is);
    case 'opaque':
      return literal({ kind: 'opaque', tokens: tokens ? withOneNotation(tokens) : [text] }, is);
  }
}

const BOOLEAN_TRUE: RuleOperand = { tokens: ['true'], kind: 'constant' };

function binaryForm(operator: RuleOperator, left: RuleOperand, right: RuleOperand, is: State): Form {
  switch (operator) {
    case '=':
      return equality(left, right, is);
    case '<>':
      return equality(left, right, NEGATED[is]);
    case 'not like':
    case 'not ilike':
      return binaryForm(operator === 'not like' ? 'like' : 'ilike', left, right, NEGATED[is]);
    case 'like':
    case 'ilike':
      // Every text is like '%'; null is not.
      if (right.tokens.length === 1 && /^'%+'$/.test(right.tokens[0]!)) {
        if (is === 'true' || is === 'not true') return nullForm(left, is === 'true' ? 'false' : 'true');
        return is === 'false' ? NEVER : ALWAYS;
      }
      return literal({ kind: 'comparison', operator, left, right }, is);
    default:
      return literal({ kind: 'comparison', operator, left, right }, is);
  }
}

function equality(left: RuleOperand, right: RuleOperand, is: State): Form {
  // A boolean that equals false is one that does not equal true.
  if (right.tokens[0] === 'false' && right.tokens.length === 1)
    return equality(left, BOOLEAN_TRUE, NEGATED[is]);
  if (isBoolean(left) && isBoolean(right))
    return textOfBoolean(left) === (is === 'true' || is === 'not false') ? ALWAYS : NEVER;
  return literal({ kind: 'comparison', operator: '=', left, right }, is);
}

/** `true` or `false` where a condition is. */
function isBoolean({ tokens }: RuleOperand): boolean {
  return tokens.length === 1 && (tokens[0] === 'true' || tokens[0] === 'false');
}

function textOfBoolean({ tokens }: RuleOperand): boolean {
  return tokens[0] === 'true';
}

/** Never unknown. */
function nullForm(of: RuleOperand, is: State): Form {
  return literal({ kind: 'null', of }, twoValued(is));
}

/** The state of something that is never unknown. */
function twoValued(is: State): 'true' | 'false' {
  return is === 'true' || is === 'not false' ? 'true' : 'false';
}

/** Never unknown: two nulls are not distinct, a null and a value are. */
function distinctForm(left: RuleOperand, right: RuleOperand, is: State): Form {
  const distinct = is === 'true' || is === 'not false';
  if (isNeverNullOperand(left) || isNeverNullOperand(right))
    return equality(left, right, distinct ? 'not true' : 'true');
  const both = (state: State) => [nullForm(left, state), nullForm(right, state)];
  return distinct
    ? { kind: 'and', parts: [equality(left, right, 'not true'), { kind: 'or', parts: both('false') }] }
    : { kind: 'or', parts: [equality(left, right, 'true'), { kind: 'and', parts: both('true') }] };
}

/** Constants, and session variables: a request without the variable fails. */
export function isNeverNullOperand({ kind }: RuleOperand): boolean {
  return kind === 'constant' || kind === 'session';
}

/** A number that is written without quotes and cast, and that a double represents well enough to be compared. */
export function numberOf({ tokens }: RuleOperand): number | undefined {
  const [sign, digits] = tokens.length === 2 && tokens[0] === '-' ? [-1, tokens[1]] : [1, tokens[0]];
  if (tokens.length > 2 || (tokens.length === 2 && sign === 1) || !isNumberToken(digits)) return undefined;
  return /^\d+(\.\d+)?$/.test(digits!) && digits!.length <= 15 ? sign * Number(digits) : undefined;
}
