/** The equalities that a condition demands: between columns, and between a column and a value that no row decides. */
import type { Sql } from '../sql/fragment.ts';
import { type Meaning, meaningOf } from '../sql/statement.ts';
import { type Rules, ruleOfFragment } from './query.ts';

export interface ColumnReference {
  readonly alias: string;
  readonly column: string;
}

/** A value, and its text in the statement: `($1)::integer`. */
export interface Constant {
  readonly text: string;
  readonly value: Sql;
}

export interface Equality {
  readonly column: ColumnReference;
  readonly other: ColumnReference | Constant;
  /** It follows from branches of OR or CASE, in which Citus does not look for it. */
  readonly isHidden?: true;
}

/** A statement that is read: its rules, and the texts of its values. */
export interface StatementReading {
  readonly rules: Rules;
  readonly text: (value: Sql) => string;
}

/** Equalities that hold wherever the condition holds. */
export function equalitiesOf(condition: Sql, reading: StatementReading): readonly Equality[] {
  const meaning = meaningOf(condition);
  switch (meaning?.kind) {
    case 'or':
      return hidden(inAll(meaning.conditions.map((branch) => equalitiesOf(branch, reading))));
    case 'and':
      return meaning.conditions.flatMap((part) => equalitiesOf(part, reading));
    case 'guarded':
      return hidden([meaning.when, meaning.then].flatMap((part) => equalitiesOf(part, reading)));
    case 'nested':
      return equalitiesOf(meaning.inner, reading);
    case 'hole':
      return equalitiesOf(meaning.value, reading);
    case 'rule':
      return equalitiesOf(ruleOfFragment(condition, reading.rules), reading);
    case 'comparison':
      return meaning.operator === '=' ? equalityOf(meaning, reading) : [];
    default:
      return [];
  }
}

function equalityOf({ left, right }: Meaning<'comparison'>, reading: StatementReading): readonly Equality[] {
  const [a, b] = [columnOf(left), columnOf(right)];
  if (a && b)
    return [
      { column: a, other: b },
      { column: b, other: a },
    ];
  const column = a ?? b;
  const other = constantOf(a ? right : left, reading);
  return column && other ? [{ column, other }] : [];
}

function hidden(equalities: readonly Equality[]): readonly Equality[] {
  return equalities.map((equality) => ({ ...equality, isHidden: true }));
}

function inAll([first = [], ...others]: (readonly Equality[])[]): readonly Equality[] {
  const keys = others.map((branch) => new Set(branch.map(keyOf)));
  return first.filter((equality) => keys.every((branch) => branch.has(keyOf(equality))));
}

function keyOf({ column, other }: Equality): string {
  return JSON.stringify([column, 'text' in other ? other.text : other]);
}

/** `"a"."b"` or `("a"."row")."b"`, also in parentheses. */
function columnOf(fragment: Sql): ColumnReference | undefined {
  const meaning = meaningOf(fragment);
  if (meaning?.kind === 'nested') return columnOf(meaning.inner);
  if (meaning?.kind !== 'column') return undefined;
  const row = meaningOf(meaning.row);
  if (row?.kind === 'alias') return { alias: row.name, column: meaning.name };
  const whole = columnOf(meaning.row);
  return whole?.column === 'row' ? { alias: whole.alias, column: meaning.name } : undefined;
}

/** A parameter, a literal or a number, cast to a type or not. */
export function constantOf(fragment: Sql, reading: StatementReading): Constant | undefined {
  const meaning = meaningOf(fragment);
  switch (meaning?.kind) {
    case 'nested':
      return constantOf(meaning.inner, reading);
    case 'hole':
      return constantOf(meaning.value, reading);
    case 'rule':
      return constantOf(ruleOfFragment(fragment, reading.rules), reading);
    case 'constant':
      return { text: reading.text(fragment), value: fragment };
    case undefined: {
      const [value, ...others] = fragment.nodes;
      const isParameter = value?.kind === 'parameter' && others.length === 0;
      return isParameter ? { text: reading.text(fragment), value: fragment } : undefined;
    }
    default:
      return undefined;
  }
}
