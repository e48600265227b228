/** Boolean expressions in the metadata's own words, for ledgers: one line, names as the metadata has them, no SQL. */

import { sessionWords } from '../../../runtime/core/condition/words.ts';
import { displayName } from '../../../runtime/core/names.ts';
import { nameText } from '../../../runtime/core/program/facts.ts';
import { jsonText } from '../../../runtime/core/types.ts';
import type { Argument, BooleanExpression, Operand, Value } from '../../model/model.ts';

/** `author_id = X-Engine-User-Id or is_published = true`. */
export function conditionWords(condition: BooleanExpression): string {
  switch (condition.kind) {
    case 'and':
    case 'or':
      if (condition.conditions.length === 0) return condition.kind === 'and' ? 'any row' : 'no row';
      return condition.conditions
        .map((each) => (isCombination(each) ? `(${conditionWords(each)})` : conditionWords(each)))
        .join(` ${condition.kind} `);
    case 'not':
      return `not (${conditionWords(condition.condition)})`;
    case 'comparison':
      return `${operandWords(condition.left)} ${operatorWords(condition)} ${argumentWords(condition.right)}`;
    case 'column-comparison':
      return `${operandWords(condition.left)} ${condition.operator} ${columnWords(condition)}`;
    case 'is-null':
      return `${operandWords(condition.left)} is ${condition.negated ? 'not null' : 'null'}`;
    case 'relationship':
    case 'computed-rows':
      return `${nameText(condition.name)} { ${conditionWords(condition.condition)} }`;
    case 'exists':
      return `exists ${nameText(displayName(condition.target.schema, condition.target.name))} { ${conditionWords(condition.condition)} }`;
  }
}

/** Words that are values where a value can be. */
const VALUES = /^(?:true|false|null|-?\d.*|x-.*|".*)$/is;

/** A column beside an operator. What could be a value is called a column. */
function columnWords({ column, of }: Extract<BooleanExpression, { kind: 'column-comparison' }>): string {
  const words = nameText(column);
  if (of === 'root') return `$.${words}`;
  return VALUES.test(words) ? `column ${words}` : words;
}

function isCombination(condition: BooleanExpression): boolean {
  return (condition.kind === 'and' || condition.kind === 'or') && condition.conditions.length > 1;
}

function operandWords(left: Operand): string {
  const words = nameText(left.kind === 'column' ? left.column : left.name);
  return left.cast ? `${words}::${left.type}` : words;
}

const SYMBOLS: Readonly<Record<string, string>> = {
  _eq: '=',
  _neq: '<>',
  _gt: '>',
  _lt: '<',
  _gte: '>=',
  _lte: '<=',
  _in: 'in',
  _nin: 'not in',
};

/** The condition that runs: "not equal" admits null if the column may be null. */
function operatorWords({
  operator,
  left,
  right,
}: Extract<BooleanExpression, { kind: 'comparison' }>): string {
  if (operator === '_neq' && left.nullable && right.kind === 'value') return 'is distinct from';
  return SYMBOLS[operator] ?? operator;
}

function argumentWords(right: Argument): string {
  switch (right.kind) {
    case 'value':
      return valueWords(right.value);
    case 'list':
      return `(${right.values.map(valueWords).join(', ')})`;
    case 'session-list':
      return sessionWords(right.name);
    case 'fields':
      return `(${right.values.map(({ value }) => valueWords(value)).join(', ')})`;
  }
}

/** A value: the name of a session variable, a call, or JSON, in which every text is in quotes. */
export function valueWords(value: Value): string {
  if (value.kind === 'session') return sessionWords(value.name);
  if (value.moment === 'now') return 'now()';
  return value.moment ? `${jsonText(value.value)} (read at each request)` : jsonText(value.value);
}
