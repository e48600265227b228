/** Types that do not belong to a table: scalars, comparison inputs, the order enum. */

import type { SourceShape } from '../contract/shapes.ts';
import { conventionalName, type NamingConvention, pascalCase } from '../names.ts';
import { type OperatorArgument, operatorsOf } from '../operators.ts';
import type { Column, Table } from '../program/program.ts';
import { lazy, remember } from '../remember.ts';
import { type ColumnType, columnType } from '../types.ts';
import {
  byName,
  type EnumType,
  type FieldDefinition,
  type InputFieldDefinition,
  type InputType,
  listOf,
  nonNull,
  type ScalarType,
  type TypeReference,
} from './types.ts';

/** By name and SQL type, for all programs of the process: a scalar is nothing but the two. */
const scalars = new Map<string, ScalarType>();

/** The scalar of a column type; one object per name, so that types are compared by identity. */
export function scalarOf(type: ColumnType): ScalarType {
  const base = type.element ?? type;
  const key = `${base.scalar} ${base.sql}`;
  return remember(scalars, key, () => ({ kind: 'scalar', name: base.scalar, accepts: base }));
}

/** Arguments that are checked strictly. */
export const COUNT_SCALAR: ScalarType = { kind: 'scalar', name: 'Int', accepts: 'count' };
export const OFFSET: ScalarType = { kind: 'scalar', name: 'Int', accepts: 'offset' };
export const INT: ScalarType = { kind: 'scalar', name: 'Int', accepts: 'integer' };
export const FLOAT: ScalarType = { kind: 'scalar', name: 'Float', accepts: 'float' };
export const STRING: ScalarType = { kind: 'scalar', name: 'String', accepts: 'string' };
export const ID: ScalarType = { kind: 'scalar', name: 'ID', accepts: 'id' };
export const BOOLEAN: ScalarType = { kind: 'scalar', name: 'Boolean', accepts: 'boolean' };

/** `__typename`, which every object type has and introspection does not list. */
export function typename(): FieldDefinition {
  return { name: '__typename', arguments: new Map(), type: nonNull(STRING), meaning: { kind: 'typename' } };
}

/** GraphQL type of a column's value, without nullability: scalar, list for arrays, enum for enum-table columns. */
export function columnGraphqlType(
  column: Column,
  types: SharedTypes,
): ScalarType | EnumType | { kind: 'list'; of: TypeReference } {
  if (column.enumTable) return types.enumOf(column.enumTable);
  const scalar = scalarOf(column.type);
  return column.type.element ? listOf(nonNull(scalar)) : scalar;
}

export interface SharedTypes {
  readonly naming: NamingConvention;
  readonly orderBy: EnumType;
  readonly cursorOrdering: EnumType;
  /** `<T>_comparison_exp` of a column's type. */
  readonly comparison: (column: Column) => InputType;
  readonly comparisonOf: (type: ColumnType) => InputType;
  /** `<t>_enum` of an enum table. */
  readonly enumOf: (table: Table) => EnumType;
  /** An argument or input-field name by the convention. */
  readonly name: (name: string) => string;
}

/** By naming convention, for all programs of the process: the types depend on nothing else. */
const registry = new Map<string, SharedTypes>();

/** The shared types of a naming convention. */
export function sharedTypes(source: SourceShape): SharedTypes {
  const { naming = 'engine-default', earlyNames } = source;
  return remember(registry, `${naming} ${earlyNames}`, () =>
    createSharedTypes(naming, (name) => conventionalName(source, name)),
  );
}

const ORDERS: readonly (readonly [name: string, sql: string, description: string])[] = [
  ['asc', 'asc', 'in ascending order, nulls last'],
  ['asc_nulls_first', 'asc nulls first', 'in ascending order, nulls first'],
  ['asc_nulls_last', 'asc nulls last', 'in ascending order, nulls last'],
  ['desc', 'desc', 'in descending order, nulls first'],
  ['desc_nulls_first', 'desc nulls first', 'in descending order, nulls first'],
  ['desc_nulls_last', 'desc nulls last', 'in descending order, nulls last'],
];

/** Name of the comparison of an enum table's values. */
export function enumComparisonName({ naming }: SourceShape, enumName: string): string {
  return sharedTypeName(naming, enumName, 'comparison_exp');
}

function sharedTypeName(naming: NamingConvention | undefined, scalar: string, part: string): string {
  return naming === 'graphql-default' ? pascalCase(scalar) + pascalCase(part) : `${scalar}_${part}`;
}

function createSharedTypes(naming: NamingConvention, name: SharedTypes['name']): SharedTypes {
  const camel = naming === 'graphql-default';
  const typeName = (scalar: string, part: string) => sharedTypeName(naming, scalar, part);
  const comparisons = new Map<string, InputType>();
  const enums = new WeakMap<Table, EnumType>();
  const enumComparisons = new WeakMap<Table, InputType>();
  const types: SharedTypes = {
    naming,
    name,
    orderBy: {
      kind: 'enum',
      name: camel ? 'OrderBy' : 'order_by',
      description: 'column ordering options',
      values: new Map(
        ORDERS.map(([value, sql, description]) => [
          camel ? value.toUpperCase() : value,
          { value: sql, description },
        ]),
      ),
    },
    cursorOrdering: {
      kind: 'enum',
      name: camel ? 'CursorOrdering' : 'cursor_ordering',
      description: 'ordering argument of a cursor',
      values: new Map([
        ['ASC', { value: 'asc', description: 'ascending ordering of the cursor' }],
        ['DESC', { value: 'desc', description: 'descending ordering of the cursor' }],
      ]),
    },
    comparison: (column) => {
      const { enumTable } = column;
      return enumTable
        ? remember(enumComparisons, enumTable, () => enumComparison(enumTable))
        : comparisonOf(column.type);
    },
    comparisonOf,
    enumOf: (table) => remember(enums, table, () => enumType(table, camel)),
  };
  return types;

  function comparisonOf(type: ColumnType): InputType {
    const key = type.element ? `${type.element.sql}[]` : `${type.scalar} ${type.sql}`;
    let comparison = comparisons.get(key);
    if (!comparison) {
      const base = type.element ?? type;
      comparison = {
        kind: 'input',
        isClause: true,
        name: typeName(base.scalar, type.element ? 'array_comparison_exp' : 'comparison_exp'),
        description: `Boolean expression to compare columns of type "${base.scalar}". All fields are combined with logical 'AND'.`,
        fields: lazy(() => comparisonFields(type)),
      };
      comparisons.set(key, comparison);
    }
    return comparison;
  }

  function comparisonFields(type: ColumnType): ReadonlyMap<string, InputFieldDefinition> {
    const scalar = scalarOf(type);
    const same: TypeReference = type.element ? listOf(nonNull(scalar)) : scalar;
    const fields: InputFieldDefinition[] = [...operatorsOf(type).values()].map((operator) => ({
      name: name(operator.name),
      ...(operator.description ? { description: operator.description } : {}),
      type: operatorType(operator.argument, same),
      meaning: { kind: 'operator', operator },
    }));
    fields.push({ name: name('_is_null'), type: BOOLEAN, meaning: { kind: 'isNull' } });
    const target = castTarget(type);
    if (target) {
      fields.push({ name: '_cast', type: castType(type, target), meaning: { kind: 'cast', type: target } });
    }
    return byName(fields);
  }

  function operatorType(argument: OperatorArgument, same: TypeReference): TypeReference {
    if (argument.kind === 'same') return same;
    if (argument.kind === 'list') return listOf(nonNull(same as ScalarType));
    if (argument.kind === 'type') {
      const scalar = fixedScalar(argument.type);
      return argument.list ? listOf(nonNull(scalar)) : scalar;
    }
    return {
      kind: 'input',
      isClause: true,
      name: argument.typeName,
      fields: lazy(() =>
        byName(
          argument.fields.map((field) => {
            const type = field.type === 'same' ? (same as ScalarType) : fixedScalar(field.type);
            return {
              name: field.name,
              type: field.required ? nonNull(type) : type,
              ...(field.defaultValue === undefined ? {} : { defaultValue: String(field.defaultValue) }),
              meaning: { kind: 'plain' as const },
            };
          }),
        ),
      ),
    };
  }

  function castType(type: ColumnType, target: ColumnType): InputType {
    return {
      kind: 'input',
      isClause: true,
      name: typeName(type.scalar, 'cast_exp'),
      fields: lazy(() =>
        byName([{ name: target.scalar, type: comparisonOf(target), meaning: { kind: 'plain' } }]),
      ),
    };
  }

  function enumComparison(table: Table): InputType {
    const type = types.enumOf(table);
    const operators = operatorsOf(columnOfEnum(table));
    const fields: InputFieldDefinition[] = ['_eq', '_neq', '_in', '_nin'].map((operator) => ({
      name: name(operator),
      type: operator.endsWith('in') ? listOf(nonNull(type)) : type,
      meaning: { kind: 'operator', operator: operators.get(operator)! },
    }));
    fields.push({ name: name('_is_null'), type: BOOLEAN, meaning: { kind: 'isNull' } });
    return {
      kind: 'input',
      isClause: true,
      name: typeName(type.name, 'comparison_exp'),
      description: `Boolean expression to compare columns of type "${type.name}". All fields are combined with logical 'AND'.`,
      fields: lazy(() => byName(fields)),
    };
  }
}

function columnOfEnum(table: Table): ColumnType {
  return table.primaryKey[0]?.type ?? columnType(table.source, 'text');
}

function enumType(table: Table, camel: boolean): EnumType {
  return {
    kind: 'enum',
    name: table.names.derived('enum'),
    data: true,
    values: new Map(
      Object.entries(table.shape.enumValues ?? {}).map(([value, description]) => [
        camel ? value.toUpperCase() : value,
        { value, ...(description ? { description } : {}) },
      ]),
    ),
  };
}

/** Types without a table behind them, for fixed operator arguments. */
const PLAIN_SOURCE: SourceShape = { name: '', kind: 'postgres', types: {} };

/** Scalar of a fixed argument type; types of extensions are cast by bare name and found through the search path. */
function fixedScalar(key: string): ScalarType {
  return scalarOf(fixedType(key));
}

export function fixedType(key: string): ColumnType {
  const type = columnType(PLAIN_SOURCE, key);
  return type.family === 'unknown' ? { ...type, sql: key } : type;
}

/** The types that `_cast` offers. */
function castTarget(type: ColumnType): ColumnType | undefined {
  if (type.family === 'jsonb') return fixedType('text');
  if (type.family === 'geometry') return fixedType('geography');
  if (type.family === 'geography') return fixedType('geometry');
  return undefined;
}
