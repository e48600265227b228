/**
 * Boolean expressions of permissions: which column, relationship or computed field a key means; comparison.ts reads what is
 * below it. Keys are read in alphabetical order, columns before the rest, so that their order in the document makes no
 * difference to the output.
 */

import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { lossOf } from '../../../runtime/core/diagnostics/causes.ts';
import { keyOf, quotedName } from '../../../runtime/core/names.ts';
import type { Json, JsonObject, MetadataPath, QualifiedName } from '../../../runtime/metadata/metadata.ts';
import type { BooleanExpression, Operand } from '../../model/model.ts';
import {
  all,
  any,
  type ComparisonPlace,
  misplaced,
  refuseKeys,
  requireObject,
  resolveComparisons,
} from './comparison.ts';
import { missingTable } from './losses.ts';
import { Failure, suggest } from './report.ts';
import { type AccessScope, type TableScope, tableNames } from './scope.ts';

/** Resolves the boolean expression of a permission on the table. @throws Failure */
export function resolveCondition(
  scope: AccessScope,
  table: TableScope,
  expression: JsonObject,
  path: MetadataPath,
): BooleanExpression {
  return resolveExpression({ scope, table, root: table, path }, expression);
}

function resolveExpression(place: ComparisonPlace, json: Json): BooleanExpression {
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

function resolveKey(place: ComparisonPlace, key: string, value: Json): BooleanExpression {
  // A column may be called `not` or `_and`; then the key means the column.
  if (place.table.columns.get(key)?.nested)
    throw new Failure(messages.expressionOverNested({ field: key }), place.path);
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

function resolveList(place: ComparisonPlace, value: Json): BooleanExpression[] {
  if (!Array.isArray(value)) throw misplaced('[]', 'Array', value, place.path);
  return value.map((item: Json, index) =>
    resolveExpression({ ...place, path: [...place.path, index] }, item),
  );
}

function resolveExists(place: ComparisonPlace, value: Json): BooleanExpression {
  const { _table, $table, _where, $where, ...others } = requireObject(value, place.path);
  // A condition under a mistyped key must not be one that is always true.
  refuseKeys(others, ['_table', '_where'], place.path);
  const name = tableName(_table ?? $table ?? null, [...place.path, '_table']);
  const table = place.scope.tables.get(keyOf(name));
  if (!table) {
    const problem = messages.expressionTableMissing({
      table: quotedName(name),
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

function resolveRelationshipKey(
  place: ComparisonPlace,
  key: string,
  value: Json,
): BooleanExpression | undefined {
  const relationship = place.table.relationships.get(key);
  if (!relationship) return undefined;
  if (relationship.query) throw new Failure(messages.expressionOverQuery({ field: key }), place.path);
  const table = place.scope.tables.get(relationship.target)!;
  return {
    kind: 'relationship',
    name: key,
    target: { schema: table.catalog.schema, name: table.catalog.name },
    columns: relationship.columns,
    types: Object.fromEntries(
      Object.entries(relationship.columns).map(([own, other]) => [
        own,
        [place.table.columns.get(own)!.type, table.columns.get(other)!.type],
      ]),
    ),
    single: relationship.unique === true,
    condition: resolveExpression({ ...place, table }, value),
  };
}

function resolveComputedFieldKey(
  place: ComparisonPlace,
  key: string,
  value: Json,
): BooleanExpression | undefined {
  const field = place.table.computedFields.get(key);
  if (!field) return undefined;
  const given = field.arguments.filter(
    (_, index) => index !== field.tableArgument && index !== field.sessionArgument,
  );
  if (given.length > 0) throw new Failure(messages.expressionComputedFieldArguments(), place.path);
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

function unknownField(place: ComparisonPlace, key: string): never {
  const { columns, relationships, computedFields } = place.table;
  const problem = messages.expressionFieldMissing({
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
