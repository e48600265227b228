/**
 * Native queries and logical models as entries of functions and tables: a query is a function whose call is its SQL, a model the table
 * of its rows, which nothing but such functions reads. All that holds for tracked functions and views holds for them by that.
 * @rule What is a native query to the compiler?
 */
import type { CatalogFunction, Refusal } from '../../../runtime/catalog/catalog.ts';
import { declaredHash, modelHash } from '../../../runtime/catalog/declared.ts';
import { nestedModel } from '../../../runtime/catalog/logical-types.ts';
import type { FunctionArgumentShape } from '../../../runtime/core/contract/shapes.ts';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { DECLARED_SCHEMA, keyOf } from '../../../runtime/core/names.ts';
import type {
  FunctionEntry,
  LogicalModel,
  Metadata,
  MetadataPath,
  NativeQuery,
  QualifiedName,
  Source,
  TableEntry,
} from '../../../runtime/metadata/metadata.ts';
import type { Memory } from '../../memory/memory.ts';
import { argumentShapes } from './computed-field.ts';
import { Failure } from './report.ts';
import type { SourceScope } from './scope.ts';

/** What an entry was made of. `hash` is that of the text that the catalog knows. */
export interface OfQuery {
  readonly query: NativeQuery;
  readonly hash: string;
}
export interface OfModel {
  readonly hash: string;
  /** Fields that hold rows of other models, by name. */
  readonly nested: Readonly<Record<string, NestedRows>>;
}
export interface NestedRows {
  readonly kind: 'object' | 'array';
  readonly model: QualifiedName;
}

/** The metadata with the entries that stand for its native queries and logical models; itself without any. */
export function withDeclared(metadata: Metadata, memory: Memory): Metadata {
  const sources = metadata.sources.map((source) => memory.call(declaredIn, source));
  return sources.every((source, index) => source === metadata.sources[index])
    ? metadata
    : { ...metadata, sources };
}

/** A source with such entries in its lists of tables and functions. */
export function declaredIn(source: Source): Source {
  const { logical_models: models, native_queries: queries } = source;
  if (models.length + queries.length === 0) return source;
  return {
    ...source,
    tables: [...source.tables, ...models.map((model) => tableOf(model, queries))],
    functions: [...source.functions, ...queries.map((query) => functionOf(query, models))],
    // They are in these lists now; permissions alone change no structure.
    logical_models: [],
    native_queries: [],
  };
}

function tableOf(
  model: LogicalModel,
  queries: readonly NativeQuery[],
): TableEntry & { readonly declared: OfModel } {
  const { path, name, select_permissions } = model;
  const returning = queries.filter(({ returns }) => returns === name);
  return {
    path,
    table: { schema: DECLARED_SCHEMA, name },
    declared: { hash: modelHash(model), nested: nestedIn(model) },
    is_enum: false,
    configuration: { column_config: {}, custom_root_fields: {} },
    object_relationships: returning.flatMap(({ object_relationships }) =>
      relationshipsOf(object_relationships),
    ),
    array_relationships: returning.flatMap(({ array_relationships }) => relationshipsOf(array_relationships)),
    computed_fields: [],
    remote_relationships: [],
    insert_permissions: [],
    select_permissions: select_permissions.map(({ permission, ...entry }) => ({
      ...entry,
      permission: { ...permission, computed_fields: [] },
    })),
    update_permissions: [],
    delete_permissions: [],
    event_triggers: [],
  };
}

function nestedIn({ fields }: LogicalModel): OfModel['nested'] {
  return Object.fromEntries(
    fields.flatMap(({ name, type }): [string, NestedRows][] => {
      const model = nestedModel(type);
      if (model === undefined) return [];
      const kind = type.kind === 'array' ? 'array' : 'object';
      return [[name, { kind, model: { schema: DECLARED_SCHEMA, name: model } }]];
    }),
  );
}

function relationshipsOf(list: NativeQuery['object_relationships']): TableEntry['array_relationships'] {
  return list.map(({ path, name, using, comment }) => ({
    path,
    name,
    using: {
      kind: 'manual',
      column_mapping: using.column_mapping,
      remote_table: using.remote_table ?? { schema: DECLARED_SCHEMA, name: using.remote_native_query! },
      ...(using.argument_mapping && { argument_mapping: using.argument_mapping }),
    },
    ...(comment !== undefined && { comment }),
  }));
}

function functionOf(
  query: NativeQuery,
  models: readonly LogicalModel[],
): FunctionEntry & { readonly declared: OfQuery } {
  const comment = query.comment ?? query.description;
  return {
    path: query.path,
    function: { schema: DECLARED_SCHEMA, name: query.root_field_name },
    declared: { query, hash: declaredHash(query, models) },
    configuration: { custom_root_fields: {}, exposed_as: query.type },
    permissions: query.type === 'mutation' ? query.permissions : [],
    ...(comment !== undefined && { comment }),
  };
}

/**
 * @param code the place of the SQL that may be the reason
 * @throws Failure if PostgreSQL refused it, or the catalog was read for another text
 */
export function requireTyped(
  { catalog }: SourceScope,
  kind: string,
  name: string,
  hash: string,
  typed: string | undefined,
  code?: MetadataPath,
): void {
  if (typed === hash) return;
  const { reason, inCode }: Refusal = catalog.refused?.[keyOf({ schema: DECLARED_SCHEMA, name })] ?? {
    reason: 'the catalog was read before it was declared like this; read it from the database again',
  };
  throw new Failure(messages.declaredObjectRefused({ kind, name, reason }), inCode && code);
}

/** Arguments as the query declares them. */
export function nativeArgumentShapes(called: CatalogFunction, { query }: OfQuery): FunctionArgumentShape[] {
  return argumentShapes(called).map((argument) => {
    const { nullable, description } = query.arguments[argument.name!]!;
    return {
      ...argument,
      ...(nullable ? { hasDefault: true } : { notNull: true }),
      ...(description !== undefined && { description }),
    };
  });
}
