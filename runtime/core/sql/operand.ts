/**
 * Values as PostgreSQL's operators take them. For most types operators look through domains to the type below. They do not
 * below the elements of an array, nor where they are polymorphic over enums; and arrays are compared by elements of one type
 * only, while the elements themselves could be.
 * @rule When is a value cast before it is compared?
 */
import type { ColumnType } from '../types.ts';
import { builtIn, CLOSE, identifier, OPEN, raw, type Sql, sql } from './fragment.ts';
import { comparisonOf } from './statement.ts';

/** Whether a value of the type is to be cast to the type below its domain, which is `sql` of the type. */
export function needsBaseType({ element, isDomain, native }: ColumnType): boolean {
  return element?.isDomain === true || (isDomain === true && native === 'enum');
}

/** A value of a column's type as the operand of an operator, or the argument of an aggregate that compares. */
export function asOperand(value: Sql, type: ColumnType): Sql {
  return needsBaseType(type) ? sql`(${value})::${raw(type.sql)}` : value;
}

/**
 * An operator between two values of a type, with blanks around it. PostgreSQL's operators on arrays take arrays of any type, so one of a
 * user or an extension (intarray) that takes exactly this type would be found before them, wherever the search path has it. It may
 * fail for nulls or call what is equal different. For other types `pg_catalog` is first on the path; see docs/security.md.
 */
export function infixOperator(symbol: string, type: ColumnType): Sql {
  return raw(` ${operatorOf(symbol, type)} `);
}

function operatorOf(symbol: string, { element }: ColumnType): string {
  return element ? `operator(pg_catalog.${symbol})` : symbol;
}

/** `left <symbol> right` of values of a type. */
export function compare(left: Sql, symbol: string, type: ColumnType, right: Sql): Sql {
  return comparisonOf(left, operatorOf(symbol, type), right);
}

/** `left <symbol> any (…)` of the items of an array; also `all`. */
export function quantified(
  left: Sql,
  symbol: string,
  type: ColumnType,
  quantifier: 'any' | 'all',
  array: Sql,
): Sql {
  return sql`${left}${infixOperator(symbol, type)}${raw(quantifier)} ${OPEN}${array}${CLOSE}`;
}

/** `left = right` of values of two columns' types. */
export function equality(left: Sql, leftType: ColumnType, right: Sql, rightType: ColumnType): Sql {
  const common = commonArray(leftType, rightType);
  const operand = (value: Sql, type: ColumnType) =>
    common !== undefined && type.sql !== common ? sql`(${value})::${raw(common)}` : asOperand(value, type);
  return compare(operand(left, leftType), '=', leftType, operand(right, rightType));
}

/** Element types by the type that PostgreSQL compares two of them as: the later one of a row. */
const COMMON: readonly (readonly string[])[] = [
  ['int2', 'int4', 'int8', 'numeric', 'float4', 'float8'],
  ['date', 'timestamp', 'timestamptz'],
  ['name', 'bpchar', 'varchar', 'text'],
];

/** The array type as which arrays of two types are compared; undefined where they need no cast, or none helps. */
function commonArray({ element: left }: ColumnType, { element: right }: ColumnType): string | undefined {
  if (!left || !right || left.sql === right.sql) return undefined;
  const family = COMMON.find((names) => names.includes(left.name) && names.includes(right.name));
  if (!family) return undefined;
  const later = family.indexOf(left.name) > family.indexOf(right.name) ? left : right;
  return `${later.sql}[]`;
}

/**
 * A call of an aggregate of one value. The types of extensions bring aggregates of their own (`max` of citext), which the search
 * path finds.
 */
export function aggregateCall(name: string, value: Sql, type: ColumnType | undefined): Sql {
  const own = type !== undefined && EXTENSION_AGGREGATES.has(type.family) && type.sql.startsWith('"');
  const operand = type ? asOperand(value, type) : value;
  return own ? sql`${identifier(name)}${OPEN}${operand}${CLOSE}` : builtIn(name, operand);
}

const EXTENSION_AGGREGATES: ReadonlySet<string> = new Set(['text', 'ltree']);
