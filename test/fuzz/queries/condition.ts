/**
 * Boolean expressions as data, of permissions and of requests alike, and the two notations they are written in. Their
 * meaning is in oracle.ts.
 */
import type { Json } from '../../../runtime/metadata/metadata.ts';
import { postgresText, TYPES, type TypeName, type Value } from './types.ts';

export type Condition =
  /** An object with several keys: all must hold. */
  | { readonly kind: 'object'; readonly parts: readonly Condition[] }
  | { readonly kind: 'and' | 'or'; readonly items: readonly Condition[] }
  | { readonly kind: 'not'; readonly item: Condition }
  | {
      readonly kind: 'column' | 'computed';
      readonly name: string;
      readonly type: TypeName;
      readonly comparisons: readonly Comparison[];
    }
  | { readonly kind: 'relationship' | 'computed rows'; readonly name: string; readonly item: Condition }
  | AggregateCondition
  /** Permissions only. */
  | { readonly kind: 'exists'; readonly schema: string; readonly table: string; readonly item: Condition };

/** Requests only: an aggregate of an array relationship, or without a name of the rows of a group. */
export interface AggregateCondition {
  readonly kind: 'aggregate';
  readonly name: string;
  readonly function: string;
  readonly columns: readonly string[];
  /** Conditions on groups only: relationships do not heed it. */
  readonly distinct?: boolean;
  readonly where?: Condition;
  readonly type: TypeName;
  readonly comparisons: readonly Comparison[];
}

export type Comparison =
  | {
      readonly kind: 'operator';
      readonly operator: string;
      readonly operand: Operand;
      /** Permissions: another way to write the operator, `$eq` or `_ne`. */
      readonly spelling?: string;
    }
  | { readonly kind: 'null'; readonly isNull: boolean }
  /** jsonb as text. */
  | { readonly kind: 'cast'; readonly comparisons: readonly Comparison[] }
  /** Permissions only: another column, of the row itself or of the row that the permission is about. */
  | { readonly kind: 'columns'; readonly operator: string; readonly column: string; readonly root: boolean };

export type Operand =
  | {
      readonly kind: 'value';
      readonly value: Value /** Permissions: written without its operator. */;
      readonly bare?: true;
    }
  /** Permissions only. */
  | { readonly kind: 'session'; readonly name: string };

/** The key under which a condition stands in its object. */
export function keyOf(condition: Condition): string {
  switch (condition.kind) {
    case 'and':
    case 'or':
    case 'not':
    case 'exists':
      return `_${condition.kind}`;
    case 'aggregate':
      return `${condition.name}_aggregate`;
    case 'object':
      throw new Error('an object has no key of its own');
    default:
      return condition.name;
  }
}

/** The JSON of a condition: of metadata, or of a GraphQL variable, which knows fewer kinds. */
export function conditionJson(condition: Condition): Json {
  switch (condition.kind) {
    case 'object':
      return Object.fromEntries(condition.parts.map((part) => [keyOf(part), partJson(part)]));
    default:
      return { [keyOf(condition)]: partJson(condition) };
  }
}

function partJson(condition: Condition): Json {
  switch (condition.kind) {
    case 'object':
      throw new Error('an object is no part of an object');
    case 'and':
    case 'or':
      return condition.items.map(conditionJson);
    case 'not':
    case 'relationship':
    case 'computed rows':
      return conditionJson(condition.item);
    case 'aggregate':
      return aggregateJson(condition);
    case 'exists':
      return {
        _table:
          condition.schema === 'public'
            ? condition.table
            : { schema: condition.schema, name: condition.table },
        _where: conditionJson(condition.item),
      };
    case 'column':
    case 'computed':
      return comparisonsJson(condition.type, condition.comparisons);
  }
}

export function aggregateJson(condition: AggregateCondition): Json {
  return {
    [condition.function]: {
      ...(condition.columns.length > 0 && { arguments: aggregateArguments(condition) }),
      ...(condition.distinct && { distinct: true }),
      ...(condition.where && { filter: conditionJson(condition.where) }),
      predicate: comparisonsJson(condition.type, condition.comparisons),
    },
  };
}

function comparisonsJson(type: TypeName, comparisons: readonly Comparison[]): Json {
  const [only] = comparisons;
  if (
    comparisons.length === 1 &&
    only?.kind === 'operator' &&
    only.operand.kind === 'value' &&
    only.operand.bare
  )
    return operandJson(type, only.operand.value);
  return Object.fromEntries(
    comparisons.map((comparison) => [spelling(comparison), comparisonJson(type, comparison)]),
  );
}

function spelling(comparison: Comparison): string {
  return (comparison.kind === 'operator' ? comparison.spelling : undefined) ?? comparisonKey(comparison);
}

export function comparisonKey(comparison: Comparison): string {
  switch (comparison.kind) {
    case 'null':
      return '_is_null';
    case 'cast':
      return '_cast';
    default:
      return comparison.operator;
  }
}

function comparisonJson(type: TypeName, comparison: Comparison): Json {
  switch (comparison.kind) {
    case 'null':
      return comparison.isNull;
    case 'cast':
      return { String: comparisonsJson('text', comparison.comparisons) };
    case 'columns':
      return comparison.root ? ['$', comparison.column] : comparison.column;
    case 'operator':
      return comparison.operand.kind === 'session'
        ? comparison.operand.name
        : operandJson(type, comparison.operand.value);
  }
}

/** Items of arrays are never null in JSON; Postgres' text has them. */
export function operandJson(type: TypeName, value: Value): Json {
  return TYPES[type].element && Array.isArray(value) && value.includes(null)
    ? postgresText(TYPES[type], value)
    : value;
}

/** A list for a count, a column, or two of them by name. */
export function aggregateArguments({
  function: name,
  columns,
}: AggregateCondition): string | readonly string[] | Readonly<Record<string, string>> {
  if (name === 'count') return columns;
  const [first = '', second] = columns;
  return second === undefined ? first : { X: first, Y: second };
}
