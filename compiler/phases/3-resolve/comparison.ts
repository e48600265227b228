/** Comparisons of boolean expressions: the operators below the key of a column or computed field, and their operands. */

import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { isObject } from '../../../runtime/core/json/json.ts';
import {
  COLUMN_OPERATORS,
  METADATA_SPELLINGS,
  OPERATORS,
  type Operator,
  operatorsOf,
} from '../../../runtime/core/operators.ts';
import { type ColumnType, columnType, jsonKind } from '../../../runtime/core/types.ts';
import type { Json, JsonObject, MetadataPath } from '../../../runtime/metadata/metadata.ts';
import { sessionVariable } from '../../../runtime/metadata/values.ts';
import type { Argument, BooleanExpression, Operand } from '../../model/model.ts';
import { Failure, suggest } from './report.ts';
import type { AccessScope, TableScope } from './scope.ts';
import { requireEnumValues, resolveValue } from './value.ts';

/** The position of an expression. */
export interface ComparisonPlace {
  readonly scope: AccessScope;
  /** The table whose row the expression is about. */
  readonly table: TableScope;
  /** The table that owns the permission. */
  readonly root: TableScope;
  readonly path: MetadataPath;
}

/** The value of a column's key: operators, or a bare value, which means `_eq`. */
export function resolveComparisons(place: ComparisonPlace, left: Operand, value: Json): BooleanExpression {
  if (!isObject(value)) return resolveOperator(place, left, '_eq', value);
  return all(
    Object.keys(value)
      .sort()
      .map((key) => resolveOperator({ ...place, path: [...place.path, key] }, left, key, value[key]!)),
  );
}

function resolveOperator(place: ComparisonPlace, left: Operand, key: string, value: Json): BooleanExpression {
  const plain = key.startsWith('$') ? `_${key.slice(1)}` : key;
  const name = METADATA_SPELLINGS[plain] ?? plain;
  if (name === '_is_null') return resolveIsNull(place, left, value);
  if (name === '_cast') return resolveCast(place, left, value);
  if (COLUMN_OPERATORS[name] !== undefined)
    return resolveColumnComparison(place, left, COLUMN_OPERATORS[name], value);
  const type = columnType(place.scope.shape, left.type);
  const operator = operatorsOf(type).get(name);
  if (!operator) throw wrongOperator(place, left, key, name);
  // Comparing with null by `=` finds nothing; the metadata's equality is null-safe.
  if (value === null && (name === '_eq' || name === '_neq'))
    return { kind: 'is-null', left, negated: name === '_neq' };
  if (value === null) throw misplaced(type.scalar, 'a value', null, place.path);
  if (left.kind === 'column' && ENUM_OPERATORS.has(name)) {
    const column = place.table.columns.get(left.column)!;
    requireEnumValues(place.scope, column, Array.isArray(value) ? value : [value], place.path);
  }
  return { kind: 'comparison', left, operator: name, right: resolveArgument(place, type, operator, value) };
}

/** Those whose operands are values of the column itself. */
const ENUM_OPERATORS: ReadonlySet<string> = new Set(['_eq', '_neq', '_in', '_nin']);

function resolveIsNull(place: ComparisonPlace, left: Operand, value: Json): BooleanExpression {
  if (typeof value !== 'boolean') throw misplaced('Bool', 'Bool', value, place.path);
  return { kind: 'is-null', left, negated: !value };
}

/** Casts by the name of the type they start from. */
const CASTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  jsonb: { String: 'text', text: 'text' },
  geometry: { geography: 'geography' },
  geography: { geometry: 'geometry' },
};

function resolveCast(place: ComparisonPlace, left: Operand, value: Json): BooleanExpression {
  const casts = requireObject(value, place.path);
  const type = columnType(place.scope.shape, left.type);
  return all(
    Object.keys(casts)
      .sort()
      .map((name) => {
        const target = CASTS[type.name]?.[name];
        const path = [...place.path, name];
        if (target === undefined)
          throw new Failure(messages.operatorCastUnknown({ cast: name, type: type.scalar }), path);
        const key = target === 'text' ? 'text' : siblingType(left.type, target);
        return resolveComparisons({ ...place, path }, { ...left, type: key, cast: true }, casts[name]!);
      }),
  );
}

/** Key of another type of the extension that a type belongs to. */
function siblingType(key: string, name: string): string {
  const schema = key.slice(0, key.lastIndexOf('.') + 1);
  return schema + name;
}

function resolveColumnComparison(
  place: ComparisonPlace,
  left: Operand,
  operator: string,
  value: Json,
): BooleanExpression {
  const [name, of] = comparedColumn(place, value);
  const table = of === 'root' ? place.root : place.table;
  const shape = table.columns.get(name);
  if (!shape) {
    throw new Failure(
      messages.permissionColumnMissing({ column: name, ...suggest(name, table.columns.keys()) }),
      place.path,
    );
  }
  const here = columnType(place.scope.shape, left.type);
  const there = columnType(place.scope.shape, shape.type);
  if (here.sql !== there.sql) {
    throw new Failure(
      messages.columnsIncomparable({
        left: operandName(left),
        leftType: here.sql,
        right: name,
        rightType: there.sql,
      }),
      place.path,
    );
  }
  return { kind: 'column-comparison', left, operator, column: name, of };
}

/** `"col"`, `["col"]`: the row's own column; `["$", "col"]`: a column of the table that owns the permission. */
function comparedColumn(place: ComparisonPlace, value: Json): [column: string, of: 'row' | 'root'] {
  if (typeof value === 'string') return [value, 'row'];
  if (Array.isArray(value)) {
    const [first, second, ...rest] = value as readonly Json[];
    if (typeof first === 'string' && second === undefined) return [first, 'row'];
    if (first === '$' && typeof second === 'string' && rest.length === 0) return [second, 'root'];
  }
  throw misplaced('column', 'a column name', value, place.path);
}

function resolveArgument(
  place: ComparisonPlace,
  type: ColumnType,
  operator: Operator,
  value: Json,
): Argument {
  const { argument } = operator;
  switch (argument.kind) {
    case 'same':
      return {
        kind: 'value',
        type: type.key,
        value: resolveValue(type, value, place.scope.vocabulary, place.path),
      };
    case 'list':
      return resolveListArgument(place, type, value);
    case 'type': {
      const fixed = fixedType(place, type, argument.type);
      return argument.list
        ? resolveListArgument(place, fixed, value)
        : {
            kind: 'value',
            type: fixed.key,
            value: resolveValue(fixed, value, place.scope.vocabulary, place.path),
          };
    }
    case 'object': {
      const fields = requireObject(value, place.path);
      const names = argument.fields.map(({ name }) => name);
      const others = Object.entries(fields).filter(([key]) => !names.includes(key));
      refuseKeys(Object.fromEntries(others), names, place.path);
      return {
        kind: 'fields',
        values: argument.fields.flatMap((field) => {
          const given = fields[field.name] ?? field.defaultValue ?? null;
          const path = [...place.path, field.name];
          if (given === null && !field.required) return [];
          if (given === null) throw misplaced(argument.typeName, `the key "${field.name}"`, null, path);
          const fixed = field.type === 'same' ? type : fixedType(place, type, field.type);
          return [{ type: fixed.key, value: resolveValue(fixed, given, place.scope.vocabulary, path) }];
        }),
      };
    }
  }
}

/** An operator's fixed type: of pg_catalog, or of the extension that the column's own type belongs to. */
function fixedType(place: ComparisonPlace, type: ColumnType, name: string): ColumnType {
  const extension = type.key.includes('.') && !['text', 'int4', 'float4', 'float8', 'bool'].includes(name);
  return columnType(place.scope.shape, extension ? siblingType(type.key, name) : name);
}

function resolveListArgument(place: ComparisonPlace, type: ColumnType, value: Json): Argument {
  const name = sessionVariable(value, place.scope.vocabulary);
  if (name !== undefined) return { kind: 'session-list', type: type.key, name };
  if (!Array.isArray(value)) throw misplaced('[]', 'Array', value, place.path);
  return {
    kind: 'list',
    type: type.key,
    values: value.map((item: Json, index) => {
      const path = [...place.path, index];
      // One null makes `in` unknown for every row that matches nothing else, and `not in` for every row.
      if (item === null) throw misplaced(type.scalar, 'a value', null, path);
      return resolveValue(type, item, place.scope.vocabulary, path);
    }),
  };
}

function wrongOperator(place: ComparisonPlace, left: Operand, key: string, name: string): Failure {
  const type = columnType(place.scope.shape, left.type);
  const elsewhere = OPERATORS.filter((operator) => operator.name === name);
  if (elsewhere.length === 0) {
    const names = [...operatorsOf(type).keys(), ...Object.keys(COLUMN_OPERATORS), '_is_null', '_cast'];
    return new Failure(messages.operatorUnknown({ operator: key, ...suggest(name, names) }), place.path);
  }
  const known = [
    'text',
    'varchar',
    'bpchar',
    'citext',
    'jsonb',
    'geometry',
    'geography',
    'raster',
    'ltree',
    'text[]',
  ];
  const expected = known
    .filter((each) => elsewhere.some((operator) => operator.accepts(knownType(place, each))))
    .map((each) => `"${each === 'text[]' ? 'array' : each}"`);
  return new Failure(
    messages.operatorMisplaced({
      column: operandName(left),
      type: type.sql,
      expected: expected.join(', '),
    }),
    place.path,
  );
}

/** A type by its bare name, whether or not the database has it. */
function knownType(place: ComparisonPlace, name: string): ColumnType {
  const extension = ['citext', 'geometry', 'geography', 'raster', 'ltree'].includes(name);
  if (!extension) return columnType(place.scope.shape, name);
  return columnType(
    { ...place.scope.shape, types: { [`public.${name}`]: { kind: 'base' } } },
    `public.${name}`,
  );
}

function operandName(operand: Operand): string {
  return operand.kind === 'column' ? operand.column : operand.name;
}

export function all(conditions: readonly BooleanExpression[]): BooleanExpression {
  return conditions.length === 1 ? conditions[0]! : { kind: 'and', conditions };
}

export function any(conditions: readonly BooleanExpression[]): BooleanExpression {
  return conditions.length === 1 ? conditions[0]! : { kind: 'or', conditions };
}

/** @throws Failure naming the first of the keys that mean nothing */
export function refuseKeys(others: JsonObject, known: readonly string[], path: MetadataPath): void {
  const [field] = Object.keys(others);
  if (field === undefined) return;
  throw new Failure(messages.expressionFieldMissing({ field, ...suggest(field, known) }), [...path, field]);
}

export function requireObject(value: Json, path: MetadataPath): JsonObject {
  if (isObject(value)) return value;
  throw misplaced('Object', 'Object', value, path);
}

export function misplaced(type: string, expected: string, found: Json, path: MetadataPath): Failure {
  return new Failure(messages.expressionValueMisplaced({ type, expected, found: jsonKind(found) }), path);
}
