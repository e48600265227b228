/** Conditions that a resolver written by hand adds to those of the request and of the role. */

import type { Where } from '../contract/row-types.ts';
import type { DeclaredTable } from '../contract/shapes.ts';
import type { Column, Table } from '../program/program.ts';
import { type Sql, sql } from '../sql/fragment.ts';
import { asOperand, compare, quantified } from '../sql/operand.ts';
import { arrayParameter, typedParameter } from '../sql/spatial.ts';
import { columnOf, nested } from '../sql/statement.ts';
import { hasTotalComparison } from '../total-comparison.ts';
import { encodeList, encodeValue } from '../types.ts';
import { type SqlCondition, sqlAnd, sqlOr } from './condition.ts';

type OwnWhere = Where<DeclaredTable>;

const OPERATORS: Readonly<Record<string, string>> = {
  _eq: '=',
  _neq: '<>',
  _gt: '>',
  _lt: '<',
  _gte: '>=',
  _lte: '<=',
};

/** The condition on the row of an alias. @throws Error naming a column or operator that does not exist */
export function ownCondition(where: OwnWhere, alias: Sql, table: Table): SqlCondition {
  const conditions = Object.entries(where).map(([name, value]): SqlCondition => {
    if (name === '_and') return sqlAnd(items(value).map((item) => ownCondition(item, alias, table)));
    if (name === '_or') return sqlOr(items(value).map((item) => ownCondition(item, alias, table)));
    if (name === '_not') {
      const { sql: condition, isTotal } = ownCondition(value as OwnWhere, alias, table);
      return { sql: sql`not ${nested(condition)}`, isTotal };
    }
    const column = table.columns.get(name);
    if (!column) throw new Error(`the table ${table.key} has no column ${JSON.stringify(name)}`);
    return comparison(
      column,
      value as Readonly<Record<string, unknown>>,
      asOperand(columnOf(alias, name), column.type),
    );
  });
  return sqlAnd(conditions);
}

function items(value: unknown): readonly OwnWhere[] {
  return value as readonly OwnWhere[];
}

function comparison({ type }: Column, operands: Readonly<Record<string, unknown>>, left: Sql): SqlCondition {
  const list = (value: unknown) =>
    arrayParameter(type, { from: 'constant', value }, (each) => encodeList(type, each as unknown[]));
  const compared = (name: string, value: unknown): Sql => {
    if (name === '_is_null') return value === true ? sql`${left} is null` : sql`${left} is not null`;
    if (name === '_in') return quantified(left, '=', type, 'any', list(value));
    if (name === '_nin') return quantified(left, '<>', type, 'all', list(value));
    const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
    if (operator === undefined) throw new Error(`there is no operator ${JSON.stringify(name)}`);
    const operand = typedParameter(type, { from: 'constant', value }, (each) => encodeValue(type, each));
    return compare(left, operator, type, operand);
  };
  const isTotal = hasTotalComparison(type);
  return sqlAnd(Object.entries(operands).map(([name, value]) => ({ sql: compared(name, value), isTotal })));
}
