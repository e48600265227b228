/** What ties the rows of a condition: by their values to the session, or to the row that the rule is about. */
import type { Argument, BooleanExpression, Value } from '../../model/model.ts';
import type { PlacedPermission } from './place.ts';

/** Session variables, in lower case, and `ROW`. */
type Ties = ReadonlySet<string>;

/** The rule's own row. No session variable is called so. */
const ROW = '$';
const NONE: Ties = new Set();

/** Operators by which a value is a variable's; and those that say so when they are negated. */
const EQUALITIES = [
  ['_eq', '_in'],
  ['_neq', '_nin'],
] as const;

/**
 * What ties every row for which the condition holds, in each of its branches.
 * @param isNegated for rows for which it is false
 * @param counts the columns of the row itself that count
 */
function tiesOf(
  condition: BooleanExpression,
  isNegated = false,
  counts: (column: string) => boolean = () => true,
): Ties {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const parts = condition.conditions.map((part) => tiesOf(part, isNegated, counts));
      const [first = NONE, ...others] = parts;
      return (condition.kind === 'and') !== isNegated
        ? new Set(parts.flatMap((each) => [...each]))
        : new Set([...first].filter((tie) => others.every((each) => each.has(tie))));
    }
    case 'not':
      return tiesOf(condition.condition, !isNegated, counts);
    case 'comparison': {
      const { left, operator, right } = condition;
      const isEqual = EQUALITIES[isNegated ? 1 : 0].some((each) => each === operator);
      return isEqual && (left.kind !== 'column' || counts(left.column)) ? variablesEqual(right) : NONE;
    }
    case 'column-comparison':
      return condition.of === 'root' ? new Set([ROW]) : NONE;
    case 'is-null':
      return NONE;
    case 'relationship':
      return Object.keys(condition.columns).every(counts)
        ? ofOtherRows(condition.condition, isNegated)
        : NONE;
    case 'computed-rows':
      return ofOtherRows(condition.condition, isNegated);
    case 'exists': {
      const ties = ofOtherRows(condition.condition, isNegated);
      return ties.has(ROW) ? ties : NONE;
    }
  }
}

/** The variables that a value has to be. A list with anything else beside a variable leaves a choice. */
function variablesEqual(right: Argument): Ties {
  const of = (value: Value) => (value.kind === 'session' ? [value.name] : []);
  switch (right.kind) {
    case 'value':
      return new Set(of(right.value));
    // Two rows may have different values of the list.
    case 'session-list':
      return NONE;
    case 'fields':
      return new Set(right.values.flatMap(({ value }) => of(value)));
    case 'list': {
      const [first] = right.values;
      const isOne = right.values.every((value) => JSON.stringify(value) === JSON.stringify(first));
      return isOne && first ? new Set(of(first)) : NONE;
    }
  }
}

/** That there are no such rows says nothing of values. */
function ofOtherRows(condition: BooleanExpression, isNegated: boolean): Ties {
  const ties = tiesOf(condition, isNegated);
  return isNegated ? new Set([...ties].filter((tie) => tie === ROW)) : ties;
}

/**
 * Every `_exists` whose row need not have anything to do with the rule's own row: not in every branch are they compared, or tied to
 * the same session variable.
 * @param tied what is known of the row
 */
export function looseExists(
  condition: BooleanExpression,
  tied: Ties = NONE,
): Extract<BooleanExpression, { kind: 'exists' }>[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.flatMap((part, index) => {
        // A part decides only where the others of an `and` hold, and where those of an `or` do not.
        const others = condition.conditions.filter((_, other) => other !== index);
        const known = others.flatMap((other) => [...tiesOf(other, condition.kind === 'or')]);
        return looseExists(part, new Set([...tied, ...known]));
      });
    case 'not':
    case 'relationship':
    case 'computed-rows':
      return looseExists(condition.condition, tied);
    case 'exists': {
      const ties = tiesOf(condition.condition);
      const isTied = ties.has(ROW) || [...ties].some((tie) => tied.has(tie));
      return [
        ...(isTied ? [] : [condition]),
        ...looseExists(condition.condition, new Set([...tied, ...ties])),
      ];
    }
    default:
      return [];
  }
}

/** What ties a row that a permission writes, besides its check: presets, and its row rule where the row keeps its values. */
export function tiesOfWritten({ filter, columns, presets }: PlacedPermission): Ties {
  const isKept = (column: string) => !columns.includes(column) && !Object.hasOwn(presets, column);
  return new Set([
    ...Object.values(presets).flatMap((value) => (value.kind === 'session' ? [value.name] : [])),
    ...(filter ? tiesOf(filter, false, isKept) : NONE),
  ]);
}
