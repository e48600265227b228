/**
 * Boolean expressions of permissions: which column, relationship or computed
 * field a key means, which operator, which value. Keys are read in alphabetical order, columns before the
 * rest, so that their order in the document makes no difference to the output.
 */
import {
  COLUMN_OPERATORS,
  METADATA_SPELLINGS,
  OPERATORS,
  type Operator,
  operatorsOf,
} from '../../../runtime/core/operators.ts';
import { type ColumnType, columnType, jsonKind } from '../../../runtime/core/types.ts';
import { diagnostics } from '../../../runtime/diagnostics/catalogue.ts';
import { lossOf } from '../../../runtime/diagnostics/causes.ts';
import type { Json, JsonObject, MetadataPath, QualifiedName } from '../../../runtime/metadata/metadata.ts';
import { sessionVariable } from '../../../runtime/metadata/values.ts';
import type { Argument, Condition, Operand } from '../../model/model.ts';
import { missingTable } from './losses.ts';
import { Failure, suggest } from './report.ts';
import { type AccessScope, keyOf, quoted, type TableScope, tableNames } from './scope.ts';
import { requireEnumValues, resolveValue } from './value.ts';

/** The position of an expression. */
interface Place {
  readonly scope: AccessScope;
  /** The table whose row the expression is about. */
  readonly table: TableScope;
  /** The table that owns the permission. */
  readonly root: TableScope;
  readonly path: MetadataPath;
}

/** Resolves the boolean expression of a permission on the table. @throws Failure */
export function resolveCondition(
  scope: AccessScope,
  table: TableScope,
  expression: JsonObject,
  path: MetadataPath,
): Condition {
  return resolveExpression({ scope, table, root: table, path }, expression);
}

function resolveExpression(place: Place, json: Json): Condition {
  const expression = requireObject(json, place.path);
  const keys = Object.keys(expression).sort();
  // Conditions on the row itself come first, for readability; the order has no other meaning.
  const columns = keys.filter((key) => place.table.columns.has(key));
  const others = keys.filter((key) => !place.table.columns.has(key));
  return all(
    [...columns, ...others].map((key) =>
      resolveKey({ ...place, path: [...place.path, key] }, key, expression[key]!),
    ),
  );
}

function resolveKey(place: Place, key: string, value: Json): Condition {
  // A column may be called `not` or `_and`; then the key means the column.
  if (place.table.columns.has(key)) return resolveComparisons(place, columnOperand(place.table, key), value);
  switch (key.startsWith('$') ? `_${key.slice(1)}` : key) {
    case '_and':
      return all(resolveList(place, value));
    case '_or':
      return any(resolveList(place, value));
    case '_not':
    case 'not':
      return { kind: 'not', condition: resolveExpression(place, value) };
    case '_exists':
      return resolveExists(place, value);
  }
  return (
    resolveRelationshipKey(place, key, value) ??
    resolveComputedFieldKey(place, key, value) ??
    unknownField(place, key)
  );
}

function resolveList(place: Place, value: Json): Condition[] {
  if (!Array.isArray(value)) throw misplaced('[]', 'Array', value, place.path);
  return value.map((item: Json, index) =>
    resolveExpression({ ...place, path: [...place.path, index] }, item),
  );
}

function resolveExists(place: Place, value: Json): Condition {
  const { _table, $table, _where, $where, ...others } = requireObject(value, place.path);
  // A condition under a mistyped key must not be one that is always true.
  refuseKeys(others, ['_table', '_where'], place.path);
  const name = tableName(_table ?? $table ?? null, [...place.path, '_table']);
  const table = place.scope.tables.get(keyOf(name));
  if (!table) {
    const problem = diagnostics.expressionTableMissing({
      table: quoted(name),
      ...suggest(name.name, tableNames(place.scope)),
    });
    throw new Failure(problem, [...place.path, '_table']).missing(...missingTable(place.scope, name));
  }
  const condition = resolveExpression(
    { ...place, table, path: [...place.path, '_where'] },
    _where ?? $where ?? {},
  );
  return { kind: 'exists', target: { schema: name.schema, name: name.name }, condition };
}

function tableName(value: Json, path: MetadataPath): QualifiedName {
  if (typeof value === 'string') return { schema: 'public', name: value };
  const { schema = 'public', name = null, ...others } = requireObject(value, path);
  refuseKeys(others, ['schema', 'name'], path);
  if (typeof name !== 'string') throw misplaced('String', 'String', name, path);
  if (typeof schema !== 'string') throw misplaced('String', 'String', schema, path);
  return { schema, name };
}

function resolveRelationshipKey(place: Place, key: string, value: Json): Condition | undefined {
  const relationship = place.table.relationships.get(key);
  if (!relationship) return undefined;
  const table = place.scope.tables.get(relationship.target)!;
  return {
    kind: 'relationship',
    name: key,
    target: { schema: table.catalog.schema, name: table.catalog.name },
    columns: relationship.columns,
    single: relationship.unique === true,
    condition: resolveExpression({ ...place, table }, value),
  };
}

function resolveComputedFieldKey(place: Place, key: string, value: Json): Condition | undefined {
  const field = place.table.computedFields.get(key);
  if (!field) return undefined;
  const given = field.arguments.filter(
    (_, index) => index !== field.tableArgument && index !== field.sessionArgument,
  );
  if (given.length > 0) throw new Failure(diagnostics.expressionComputedFieldArguments(), place.path);
  if ('table' in field.returns) {
    const table = place.scope.tables.get(field.returns.table)!;
    return {
      kind: 'computed-rows',
      name: key,
      field,
      condition: resolveExpression({ ...place, table }, value),
    };
  }
  return resolveComparisons(
    place,
    { kind: 'computed-field', name: key, field, type: field.returns.type, nullable: true },
    value,
  );
}

function unknownField(place: Place, key: string): never {
  const { columns, relationships, computedFields } = place.table;
  const problem = diagnostics.expressionFieldMissing({
    field: key,
    ...suggest(key, [...columns.keys(), ...relationships.keys(), ...computedFields.keys(), ...connectives]),
  });
  throw new Failure(problem, place.path).missing(lossOf.field(place.scope.source.name, place.table.key, key));
}

const connectives = ['_and', '_or', '_not', '_exists'];

function columnOperand(table: TableScope, column: string): Operand {
  const shape = table.columns.get(column)!;
  return { kind: 'column', column, type: shape.type, nullable: !shape.notNull };
}

/** The value of a column's key: operators, or a bare value, which means `_eq`. */
function resolveComparisons(place: Place, left: Operand, value: Json): Condition {
  if (!isObject(value)) return resolveOperator(place, left, '_eq', value);
  return all(
    Object.keys(value)
      .sort()
      .map((key) => resolveOperator({ ...place, path: [...place.path, key] }, left, key, value[key]!)),
  );
}

function resolveOperator(place: Place, left: Operand, key: string, value: Json): Condition {
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

function resolveIsNull(place: Place, left: Operand, value: Json): Condition {
  if (typeof value !== 'boolean') throw misplaced('Bool', 'Bool', value, place.path);
  return { kind: 'is-null', left, negated: !value };
}

/** Casts by the name of the type they start from. */
const CASTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  jsonb: { String: 'text', text: 'text' },
  geometry: { geography: 'geography' },
  geography: { geometry: 'geometry' },
};

function resolveCast(place: Place, left: Operand, value: Json): Condition {
  const casts = requireObject(value, place.path);
  const type = columnType(place.scope.shape, left.type);
  return all(
    Object.keys(casts)
      .sort()
      .map((name) => {
        const target = CASTS[type.name]?.[name];
        const path = [...place.path, name];
        if (target === undefined)
          throw new Failure(diagnostics.operatorCastUnknown({ cast: name, type: type.scalar }), path);
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

function resolveColumnComparison(place: Place, left: Operand, operator: string, value: Json): Condition {
  const [name, of] = comparedColumn(place, value);
  const table = of === 'root' ? place.root : place.table;
  const shape = table.columns.get(name);
  if (!shape) {
    throw new Failure(
      diagnostics.permissionColumnMissing({ column: name, ...suggest(name, table.columns.keys()) }),
      place.path,
    );
  }
  const here = columnType(place.scope.shape, left.type);
  const there = columnType(place.scope.shape, shape.type);
  if (here.sql !== there.sql) {
    throw new Failure(
      diagnostics.columnsIncomparable({
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
function comparedColumn(place: Place, value: Json): [column: string, of: 'row' | 'root'] {
  if (typeof value === 'string') return [value, 'row'];
  if (Array.isArray(value)) {
    const [first, second, ...rest] = value as readonly Json[];
    if (typeof first === 'string' && second === undefined) return [first, 'row'];
    if (first === '$' && typeof second === 'string' && rest.length === 0) return [second, 'root'];
  }
  throw misplaced('column', 'a column name', value, place.path);
}

function resolveArgument(place: Place, type: ColumnType, operator: Operator, value: Json): Argument {
  const { argument } = operator;
  switch (argument.kind) {
    case 'same':
      return { kind: 'value', type: type.key, value: resolveValue(type, value, place.path) };
    case 'list':
      return resolveListArgument(place, type, value);
    case 'type': {
      const fixed = fixedType(place, type, argument.type);
      return argument.list
        ? resolveListArgument(place, fixed, value)
        : { kind: 'value', type: fixed.key, value: resolveValue(fixed, value, place.path) };
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
          return [{ type: fixed.key, value: resolveValue(fixed, given, path) }];
        }),
      };
    }
  }
}

/** An operator's fixed type: of pg_catalog, or of the extension that the column's own type belongs to. */
function fixedType(place: Place, type: ColumnType, name: string): ColumnType {
  const extension = type.key.includes('.') && !['text', 'int4', 'float4', 'float8', 'bool'].includes(name);
  return columnType(place.scope.shape, extension ? siblingType(type.key, name) : name);
}

function resolveListArgument(place: Place, type: ColumnType, value: Json): Argument {
  const name = sessionVariable(value);
  if (name !== undefined) return { kind: 'session-list', type: type.key, name };
  if (!Array.isArray(value)) throw misplaced('[]', 'Array', value, place.path);
  return {
    kind: 'list',
    type: type.key,
    values: value.map((item: Json, index) => {
      const path = [...place.path, index];
      // One null makes `in` unknown for every row that matches nothing else, and `not in` for every row.
      if (item === null) throw misplaced(type.scalar, 'a value', null, path);
      return resolveValue(type, item, path);
    }),
  };
}

function wrongOperator(place: Place, left: Operand, key: string, name: string): Failure {
  const type = columnType(place.scope.shape, left.type);
  const elsewhere = OPERATORS.filter((operator) => operator.name === name);
  if (elsewhere.length === 0) {
    const names = [...operatorsOf(type).keys(), ...Object.keys(COLUMN_OPERATORS), '_is_null', '_cast'];
    return new Failure(diagnostics.operatorUnknown({ operator: key, ...suggest(name, names) }), place.path);
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
    diagnostics.operatorMisplaced({
      column: operandName(left),
      type: type.sql,
      expected: expected.join(', '),
    }),
    place.path,
  );
}

/** A type by its bare name, whether or not the database has it. */
function knownType(place: Place, name: string): ColumnType {
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

function all(conditions: readonly Condition[]): Condition {
  return conditions.length === 1 ? conditions[0]! : { kind: 'and', conditions };
}

function any(conditions: readonly Condition[]): Condition {
  return conditions.length === 1 ? conditions[0]! : { kind: 'or', conditions };
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @throws Failure naming the first of the keys that mean nothing */
function refuseKeys(others: JsonObject, known: readonly string[], path: MetadataPath): void {
  const [field] = Object.keys(others);
  if (field === undefined) return;
  throw new Failure(diagnostics.expressionFieldMissing({ field, ...suggest(field, known) }), [
    ...path,
    field,
  ]);
}

function requireObject(value: Json, path: MetadataPath): JsonObject {
  if (isObject(value)) return value;
  throw misplaced('Object', 'Object', value, path);
}

function misplaced(type: string, expected: string, found: Json, path: MetadataPath): Failure {
  return new Failure(diagnostics.expressionValueMisplaced({ type, expected, found: jsonKind(found) }), path);
}
