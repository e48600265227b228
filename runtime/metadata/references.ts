/**
 * The names in the metadata that refer to other objects: sources, tables, columns, functions, relationships, computed
 * fields, remote schemas. The codecs of `kinds/` say where they are; one walk serves dependencies (a visitor that notes),
 * renaming (a visitor that answers with new names) and removing (a visitor that leaves objects out). Pure.
 * @rule Which keys of the metadata name other objects, so that renames and drops follow?
 */

import { isObject, type Json, type JsonObject } from '../core/json/json.ts';
import type { QualifiedName } from '../core/names.ts';
import { COLUMN_OPERATORS } from '../core/operators.ts';

/** A table with the source that has it. */
export interface SourceTableReference {
  readonly source: string;
  readonly table: QualifiedName;
}

/** An object that others can depend on. */
export type Needed =
  | { readonly kind: 'source'; readonly source: string }
  | { readonly kind: 'remote_schema'; readonly name: string }
  | ({ readonly kind: 'table' } & SourceTableReference)
  | ({ readonly kind: 'column'; readonly column: string } & SourceTableReference)
  /** The foreign key that a relationship follows, by the columns of the table that has it. */
  | ({ readonly kind: 'foreign_key'; readonly columns: readonly string[] } & SourceTableReference)
  | ({ readonly kind: 'relationship' | 'computed_field'; readonly name: string } & SourceTableReference)
  /** A function of the database, tracked or used by a computed field. */
  | { readonly kind: 'function'; readonly source: string; readonly function: QualifiedName };

/** An object of the metadata that needs others, and is dropped with them. */
export type Dependent =
  | ({
      readonly kind: 'relationship' | 'computed_field' | 'event_trigger' | 'remote_relationship';
      readonly name: string;
    } & SourceTableReference)
  | ({
      readonly kind: 'permission';
      readonly role: string;
      readonly operation: 'insert' | 'select' | 'update' | 'delete';
    } & SourceTableReference)
  | { readonly kind: 'function'; readonly source: string; readonly function: QualifiedName }
  | {
      readonly kind: 'remote_schema_relationship';
      readonly remoteSchema: string;
      readonly typeName: string;
      readonly name: string;
    };

/**
 * Called for each name, in the terms of the metadata before a change. Methods that answer give the name to write; names
 * whose method is absent stay.
 */
export interface ReferenceVisitor {
  /** Called at each object, before its names: gives the visitor for them, or null to leave the object out. */
  enter?(object: Dependent): ReferenceVisitor | null;
  /** Called for each name. */
  note?(needed: Needed): void;
  /** Called for a column with the values in the metadata that it is compared with, or that are preset: literals and session variables. */
  values?(of: SourceTableReference, column: string, values: readonly Json[]): void;
  source?(name: string): string;
  table?(table: SourceTableReference): QualifiedName;
  column?(of: SourceTableReference, column: string): string;
  relationship?(of: SourceTableReference, name: string): string;
}

/** The meaning of names in one source. */
export interface ReferenceContext {
  /** Null for a name that is neither a column nor a relationship nor a computed field, as far as is known. */
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
  /** The table whose rows a function returns. */
  returnedTable(name: QualifiedName): QualifiedName | undefined;
}

/** Where a walk is; outside of sources and tables their names are empty. */
interface Place extends SourceTableReference {
  readonly remoteSchema: string;
  readonly typeName: string;
  readonly context: ReferenceContext;
}

const NOWHERE: Place = {
  source: '',
  table: { schema: '', name: '' },
  remoteSchema: '',
  typeName: '',
  context: { field: () => null, referencedTable: () => undefined, returnedTable: () => undefined },
};

/** A walk through the names of the metadata. Its methods report a name to the visitor and give the name to write. */
export class Walk {
  readonly #visitor: ReferenceVisitor;
  readonly #contextOf: (source: string) => ReferenceContext;
  readonly place: Place;

  /** `contextOf` is asked once for each source that the walk enters. */
  constructor(visitor: ReferenceVisitor, contextOf: (source: string) => ReferenceContext, place = NOWHERE) {
    this.#visitor = visitor;
    this.#contextOf = contextOf;
    this.place = place;
  }

  /** The walk through a part of the metadata. */
  inside(part: Partial<Omit<Place, 'context'>>): Walk {
    const context = part.source === undefined ? this.place.context : this.#contextOf(part.source);
    return new Walk(this.#visitor, this.#contextOf, { ...this.place, context, ...part });
  }

  /** The walk through an object; null if the visitor leaves it out. */
  enter(object: Dependent): Walk | null {
    if (this.#visitor.enter === undefined) return this;
    const visitor = this.#visitor.enter(object);
    return visitor && new Walk(visitor, this.#contextOf, this.place);
  }

  source(name: string): string {
    this.#visitor.note?.({ kind: 'source', source: name });
    return this.#visitor.source?.(name) ?? name;
  }

  remoteSchema(name: string): string {
    this.#visitor.note?.({ kind: 'remote_schema', name });
    return name;
  }

  /** A table of the walk's source unless another is given. */
  table(name: QualifiedName, source = this.place.source): QualifiedName {
    const table = { source, table: name };
    this.#visitor.note?.({ kind: 'table', ...table });
    return this.#visitor.table?.(table) ?? name;
  }

  /** A column of the walk's table unless another is given. */
  column(name: string, of: Partial<SourceTableReference> = {}): string {
    const table = { ...this.#table, ...of };
    this.#visitor.note?.({ kind: 'column', ...table, column: name });
    return this.#visitor.column?.(table, name) ?? name;
  }

  relationship(name: string, table: QualifiedName): string {
    const of = { ...this.#table, table };
    this.#visitor.note?.({ kind: 'relationship', ...of, name });
    return this.#visitor.relationship?.(of, name) ?? name;
  }

  computedField(name: string, table: QualifiedName = this.place.table): string {
    this.#visitor.note?.({ kind: 'computed_field', ...this.#table, table, name });
    return name;
  }

  /** A function of the walk's source. */
  function(name: QualifiedName): QualifiedName {
    this.#visitor.note?.({ kind: 'function', source: this.place.source, function: name });
    return name;
  }

  /** The table whose rows a function returns, which the metadata does not name. */
  returnedTable(of: QualifiedName): void {
    const table = this.place.context.returnedTable(of);
    if (table !== undefined) this.table(table);
  }

  foreignKey(columns: readonly string[], table: QualifiedName = this.place.table): void {
    this.#visitor.note?.({ kind: 'foreign_key', ...this.#table, table, columns });
  }

  values(column: string, values: readonly Json[], table: QualifiedName = this.place.table): void {
    this.#visitor.values?.({ ...this.#table, table }, column, values);
  }

  get #table(): SourceTableReference {
    return { source: this.place.source, table: this.place.table };
  }
}

/** The names of a table of any source, and of the columns that the fields of this side are equal to. */
export function mappedTableNames(
  mapped: SourceTableReference & { readonly field_mapping: Readonly<Record<string, string>> },
  walk: Walk,
): typeof mapped {
  const { source, table, field_mapping } = mapped;
  const columns = Object.entries(field_mapping).map(([field, column]) => [
    field,
    walk.column(column, { source, table }),
  ]);
  return {
    source: walk.source(source),
    table: walk.table(table, source),
    field_mapping: Object.fromEntries(columns),
  };
}

/** Walks a boolean expression over the walk's table. */
export function expressionNames(expression: JsonObject, walk: Walk): JsonObject {
  return mapExpressionOver(expression, walk.place.table, walk);
}

function mapExpressionOver(expression: JsonObject, table: QualifiedName, walk: Walk): JsonObject {
  return Object.fromEntries(
    Object.entries(expression).map(([key, value]) => mapCondition(key, value, table, walk)),
  );
}

function mapCondition(key: string, value: Json, table: QualifiedName, walk: Walk): readonly [string, Json] {
  const nested = (over: QualifiedName) => (part: Json) =>
    isObject(part) ? mapExpressionOver(part, over, walk) : part;
  switch (underscored(key)) {
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
  const field = walk.place.context.field(table, key);
  switch (field?.kind) {
    case 'column':
      walk.values(key, comparedValues(value), table);
      return [walk.column(key, { table }), mapOperators(value, table, walk)];
    case 'relationship':
      return [walk.relationship(key, table), field.target ? nested(field.target)(value) : value];
    case 'computed_field':
      return [walk.computedField(key, table), field.target ? nested(field.target)(value) : value];
    default:
      return [key, value];
  }
}

function mapExists(exists: JsonObject, walk: Walk): JsonObject {
  const tableKey = '_table' in exists ? '_table' : '$table';
  const whereKey = '_where' in exists ? '_where' : '$where';
  const named = readTableName(exists[tableKey]);
  if (named === undefined) return exists;
  const where = exists[whereKey];
  const renamed = walk.table(named);
  return {
    ...exists,
    // The spelling stays as it was given unless the name changes.
    [tableKey]: renamed === named ? exists[tableKey]! : { name: renamed.name, schema: renamed.schema },
    ...(isObject(where) && { [whereKey]: mapExpressionOver(where, named, walk) }),
  };
}

/** The operators of a column. Those that compare with another column name it: `"col"`, `["col"]`, or `["$", "col"]` of the root table. */
function mapOperators(value: Json, table: QualifiedName, walk: Walk): Json {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([operator, operand]) => {
      if (!comparesColumns(operator)) return [operator, operand];
      if (typeof operand === 'string') return [operator, walk.column(operand, { table })];
      if (!Array.isArray(operand)) return [operator, operand];
      const [first, second] = operand;
      if (first === '$' && typeof second === 'string') return [operator, ['$', walk.column(second)]];
      return [operator, typeof first === 'string' ? [walk.column(first, { table })] : operand];
    }),
  );
}

/** Walks column presets of the walk's table. */
export function presetNames(presets: JsonObject, walk: Walk): JsonObject {
  for (const [column, value] of Object.entries(presets)) walk.values(column, [value]);
  return columnKeyNames(presets, walk);
}

/** The values in a column's condition, which is a bare value or operators with operands. */
function comparedValues(condition: Json): readonly Json[] {
  if (!isObject(condition)) return [condition];
  return Object.entries(condition).flatMap(([operator, operand]): readonly Json[] => {
    const name = underscored(operator);
    if (comparesColumns(operator) || name === '_is_null' || name === '_cast') return [];
    return Array.isArray(operand) ? operand : [operand];
  });
}

function comparesColumns(operator: string): boolean {
  return Object.hasOwn(COLUMN_OPERATORS, underscored(operator));
}

/** Operators are written with `_` or `$`. */
function underscored(operator: string): string {
  return operator.replace(/^\$/, '_');
}

/** Walks the keys of a record that are columns of the walk's table. */
export function columnKeyNames<Value>(
  values: Readonly<Record<string, Value>>,
  walk: Walk,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(values).map(([column, value]) => [walk.column(column), value]));
}

function readTableName(value: Json | undefined): QualifiedName | undefined {
  if (typeof value === 'string') return { schema: 'public', name: value };
  if (!isObject(value) || typeof value.name !== 'string') return undefined;
  return { schema: typeof value.schema === 'string' ? value.schema : 'public', name: value.name };
}
