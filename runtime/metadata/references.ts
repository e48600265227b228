/**
 * Every place where an object of the metadata names something else: a table, a column, a relationship, a computed field.
 * One walk serves both who depends on what (a visitor that notes) and renaming (a visitor that answers with new names).
 * Pure; names that the context does not know are left as they are.
 */
import { isObject, type Json, type JsonObject } from './json.ts';
import type { QualifiedName } from './kinds/shared.ts';

/** Told of each name, in the terms of the metadata before a change; answers with the name to write. */
export interface ReferenceVisitor {
  table(name: QualifiedName): QualifiedName;
  column(table: QualifiedName, column: string): string;
  relationship(table: QualifiedName, name: string): string;
  computedField(table: QualifiedName, name: string): string;
  /** The foreign key that a relationship follows, by the columns of the table that has it. */
  foreignKey(table: QualifiedName, columns: readonly string[]): void;
  /** A value written in the metadata that has to fit the column's type: compared with it or preset. */
  literal?(table: QualifiedName, column: string): void;
}

/** What a name in an expression can mean. */
export interface ReferenceContext {
  /** Null for what is neither known as a column, nor as a relationship, nor as a computed field. */
  field(
    table: QualifiedName,
    name: string,
  ):
    | { readonly kind: 'column' }
    | { readonly kind: 'relationship'; readonly target: QualifiedName | undefined }
    | { readonly kind: 'computed_field'; readonly target: QualifiedName | undefined }
    | null;
  /** The table that a foreign key on these columns references. */
  referencedTable(table: QualifiedName, columns: readonly string[]): QualifiedName | undefined;
}

/** The walk through the objects of one table. */
export interface TableWalk {
  readonly table: QualifiedName;
  readonly visitor: ReferenceVisitor;
  readonly context: ReferenceContext;
}

/** Walks a boolean expression over the walk's table. */
export function expressionNames(expression: JsonObject, walk: TableWalk): JsonObject {
  return mapExpressionOver(expression, walk.table, walk);
}

function mapExpressionOver(expression: JsonObject, table: QualifiedName, walk: TableWalk): JsonObject {
  return Object.fromEntries(
    Object.entries(expression).map(([key, value]) => mapCondition(key, value, table, walk)),
  );
}

function mapCondition(
  key: string,
  value: Json,
  table: QualifiedName,
  walk: TableWalk,
): readonly [string, Json] {
  const nested = (over: QualifiedName) => (part: Json) =>
    isObject(part) ? mapExpressionOver(part, over, walk) : part;
  switch (key.startsWith('$') ? `_${key.slice(1)}` : key) {
    case '_and':
    case '_or':
      return [key, Array.isArray(value) ? value.map(nested(table)) : nested(table)(value)];
    case '_not':
    case 'not':
      return [key, nested(table)(value)];
    case '_exists':
      return [key, isObject(value) ? mapExists(value, walk) : value];
    default:
  }
  const { context, visitor } = walk;
  const field = context.field(table, key);
  switch (field?.kind) {
    case 'column':
      if (hasLiteral(value)) visitor.literal?.(table, key);
      return [visitor.column(table, key), mapOperators(value, table, walk)];
    case 'relationship':
      return [visitor.relationship(table, key), field.target ? nested(field.target)(value) : value];
    case 'computed_field':
      return [visitor.computedField(table, key), field.target ? nested(field.target)(value) : value];
    default:
      return [key, value];
  }
}

function mapExists(exists: JsonObject, walk: TableWalk): JsonObject {
  const tableKey = '_table' in exists ? '_table' : '$table';
  const whereKey = '_where' in exists ? '_where' : '$where';
  const named = readTableName(exists[tableKey]);
  if (named === undefined) return exists;
  const where = exists[whereKey];
  const renamed = walk.visitor.table(named);
  return {
    ...exists,
    // The spelling stays as it was given unless the name changes.
    [tableKey]: renamed === named ? exists[tableKey]! : { name: renamed.name, schema: renamed.schema },
    ...(isObject(where) && { [whereKey]: mapExpressionOver(where, named, walk) }),
  };
}

/** Operators that compare with another column, given as `"col"`, `["col"]`, or `["$", "col"]` of the root table. */
const COLUMN_OPERATORS = new Set(['_ceq', '_cne', '_cneq', '_cgt', '_clt', '_cgte', '_clte']);

function mapOperators(value: Json, table: QualifiedName, walk: TableWalk): Json {
  if (!isObject(value)) return value;
  const { visitor } = walk;
  return Object.fromEntries(
    Object.entries(value).map(([operator, operand]) => {
      if (!COLUMN_OPERATORS.has(operator.replace(/^\$/, '_'))) return [operator, operand];
      if (typeof operand === 'string') return [operator, visitor.column(table, operand)];
      if (!Array.isArray(operand)) return [operator, operand];
      const [first, second] = operand;
      if (first === '$' && typeof second === 'string')
        return [operator, ['$', visitor.column(walk.table, second)]];
      return [operator, typeof first === 'string' ? [visitor.column(table, first)] : operand];
    }),
  );
}

/** Walks column presets of the walk's table. */
export function presetNames(presets: JsonObject, walk: TableWalk): JsonObject {
  for (const [column, value] of Object.entries(presets)) {
    if (!isSessionVariable(value)) walk.visitor.literal?.(walk.table, column);
  }
  return columnKeyNames(presets, walk);
}

/** Whether a column's condition, a bare value or operators with operands, holds a value that is no session variable. */
function hasLiteral(condition: Json): boolean {
  if (!isObject(condition)) return !isSessionVariable(condition);
  return Object.entries(condition).some(([operator, operand]) => {
    const name = operator.replace(/^\$/, '_');
    if (COLUMN_OPERATORS.has(name) || name === '_is_null' || name === '_cast') return false;
    return Array.isArray(operand) ? !operand.every(isSessionVariable) : !isSessionVariable(operand);
  });
}

function isSessionVariable(value: Json): boolean {
  return typeof value === 'string' && (/^x-engine-/i.test(value) || value.toLowerCase() === 'req_user_id');
}

/** Walks the keys of a record that are columns of the walk's table. */
export function columnKeyNames<Value>(
  values: Readonly<Record<string, Value>>,
  { table, visitor }: TableWalk,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(
    Object.entries(values).map(([column, value]) => [visitor.column(table, column), value]),
  );
}

function readTableName(value: Json | undefined): QualifiedName | undefined {
  if (typeof value === 'string') return { schema: 'public', name: value };
  if (!isObject(value) || typeof value.name !== 'string') return undefined;
  return { schema: typeof value.schema === 'string' ? value.schema : 'public', name: value.name };
}
