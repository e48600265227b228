/** Comparisons of legacy expressions: the values of a column or a scalar computed field. */

import type { SourceShape } from '../../core/contract/shapes.ts';
import { EngineError, pathStep } from '../../core/errors.ts';
import { isObject } from '../../core/json/json.ts';
import {
  COLUMN_OPERATORS,
  METADATA_SPELLINGS,
  OPERATORS,
  type Operator,
  type OperatorArgument,
  operatorsOf,
} from '../../core/operators.ts';
import type { InputNode } from '../../core/request/selection.ts';
import { fixedType, sharedTypes } from '../../core/schema/shared-types.ts';
import type { VisibleColumn } from '../../core/schema/visible-table.ts';
import { sql } from '../../core/sql/fragment.ts';
import type { ColumnType } from '../../core/types.ts';
import { type ReadableTable, readableColumn } from './table.ts';
import {
  booleanNode,
  listNode,
  misplacedValue,
  objectNode,
  type Part,
  requireArgumentObject,
  underscored,
  valueNode,
} from './value.ts';

/** Left side of a comparison. */
export interface Left {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
}

/** An object of operators, or a bare value, which means `_eq`. */
export function comparisons(left: Left, value: unknown, path: string): InputNode {
  if (!isObject(value)) return objectNode(path, [operatorPart(left, '_eq', value, path)]);
  const own = Object.entries(value).filter(([key]) => columnOperator(key) === undefined);
  return objectNode(
    path,
    own.map(([key, operand]) => operatorPart(left, key, operand, pathStep(path, key))),
  );
}

/** `_ceq` and its like: comparisons with another column of the same row. */
export function columnComparisons(
  left: VisibleColumn,
  value: unknown,
  table: ReadableTable,
  path: string,
): readonly Part[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, operand]) => {
    const operator = columnOperator(key);
    if (operator === undefined) return [];
    const operandPath = pathStep(path, key);
    const right = readableColumn(table, comparedColumn(operand, operandPath), operandPath);
    const [here, there] = [left.column.type.sql, right.column.type.sql];
    if (here !== there) {
      throw new EngineError(
        'unexpected-payload',
        `incompatible column types: "${left.column.name}" has type "${here}", but "${right.column.name}" has type "${there}"`,
        { path: operandPath },
      );
    }
    const name = `${left.column.name} ${key}`;
    const node: InputNode = { kind: 'null', path: operandPath };
    return [{ name, meaning: { kind: 'columnComparison', left, operator, right }, node }];
  });
}

function columnOperator(key: string): string | undefined {
  const name = underscored(key);
  return Object.hasOwn(COLUMN_OPERATORS, name) ? COLUMN_OPERATORS[name] : undefined;
}

/** `"col"` or `["col"]`. */
function comparedColumn(operand: unknown, path: string): string {
  const [name, ...rest] = Array.isArray(operand) ? (operand as unknown[]) : [operand];
  if (typeof name === 'string' && rest.length === 0) return name;
  if (name === '$')
    throw new EngineError('not-supported', 'columns of the root table can be named in permissions only', {
      path,
    });
  throw misplacedValue('column', 'a column name', operand, path);
}

function operatorPart(left: Left, key: string, operand: unknown, path: string): Part {
  const plain = underscored(key);
  const name = Object.hasOwn(METADATA_SPELLINGS, plain) ? METADATA_SPELLINGS[plain]! : plain;
  if (name === '_is_null') {
    if (typeof operand !== 'boolean') throw misplacedValue('Bool', 'Bool', operand, path);
    return { name: key, meaning: { kind: 'isNull' }, node: booleanNode(operand, path) };
  }
  if (name === '_cast') return castPart(left, key, operand, path);
  const operator = operatorsOf(left.type).get(name);
  if (!operator) throw wrongOperator(left, key, name, path);
  if (operand === null) {
    // Comparing with null by `=` finds nothing; this language's equality is null-safe.
    if (name === '_eq' || name === '_neq')
      return { name: key, meaning: { kind: 'isNull' }, node: booleanNode(name === '_eq', path) };
    throw misplacedValue(left.type.scalar, 'a value', null, path);
  }
  const meaning = { kind: 'operator', operator: nullSafe(operator, left) } as const;
  return { name: key, meaning, node: argumentNode(operator.argument, left.type, operand, path) };
}

/** `<>` of this language holds for rows without a value too. */
function nullSafe(operator: Operator, left: Left): Operator {
  if (operator.name !== '_neq' || !left.nullable) return operator;
  return {
    ...operator,
    sql: (type, column, value) => sql`(${operator.sql(type, column, value!)} or ${column} is null)`,
  };
}

function argumentNode(
  argument: OperatorArgument,
  type: ColumnType,
  operand: unknown,
  path: string,
): InputNode {
  switch (argument.kind) {
    case 'same':
      return valueNode(type, operand, path);
    case 'list':
      return listNode(type, operand, path);
    case 'type':
      return argument.list
        ? listNode(fixedType(argument.type), operand, path)
        : valueNode(fixedType(argument.type), operand, path);
    case 'object': {
      const given = requireArgumentObject(operand, path);
      const parts = argument.fields.flatMap((field): Part[] => {
        const value = given[field.name] ?? null;
        const fieldPath = pathStep(path, field.name);
        if (value === null) {
          if (!field.required) return [];
          throw new EngineError('parse-failed', `key "${field.name}" not found`, { path });
        }
        const fieldType = field.type === 'same' ? type : fixedType(field.type);
        return [
          { name: field.name, meaning: { kind: 'plain' }, node: valueNode(fieldType, value, fieldPath) },
        ];
      });
      return objectNode(path, parts);
    }
  }
}

/** Any source: the casts of a type do not depend on it. */
const SOURCE: SourceShape = { name: '', kind: 'postgres', types: {} };

/** `{text: {…}}`: comparisons of the value as another type, of those that GraphQL casts to. */
function castPart(left: Left, key: string, operand: unknown, path: string): Part {
  const meaning = sharedTypes(SOURCE).comparisonOf(left.type).fields().get('_cast')?.meaning;
  const parts = Object.entries(requireArgumentObject(operand, path)).map(([name, value]): Part => {
    if (meaning?.kind !== 'cast' || (name !== meaning.type.scalar && name !== meaning.type.name)) {
      throw new EngineError(
        'unexpected-payload',
        `cannot cast column of type "${left.type.name}" to type "${name}"`,
        { path },
      );
    }
    const node = comparisons({ ...left, type: meaning.type }, value, pathStep(path, name));
    return { name, meaning: { kind: 'plain' }, node };
  });
  return { name: key, meaning: meaning ?? { kind: 'plain' }, node: objectNode(path, parts) };
}

/** Types that operators are said to work on, as messages name them. */
const NAMED_TYPES: readonly ColumnType[] = [
  ...['text', 'varchar', 'bpchar', 'jsonb', 'text[]'].map(fixedType),
  ...(['ltree', 'geometry', 'geography', 'raster'] as const).map((family) => ({
    ...fixedType(family),
    family,
  })),
];

function wrongOperator(left: Left, key: string, name: string, path: string): EngineError {
  const elsewhere = OPERATORS.filter((operator) => operator.name === name);
  if (elsewhere.length === 0)
    return new EngineError('unexpected-payload', `Unknown operator: ${key}`, { path });
  const names = NAMED_TYPES.filter((type) => elsewhere.some((operator) => operator.accepts(type)))
    .map((type) => `"${type.element ? 'array' : type.name}"`)
    .join(', ');
  return new EngineError(
    'unexpected-payload',
    `"${left.name}" is of type "${left.type.sql}"; this operator works only on columns of type ${names}`,
    { path },
  );
}
