/** Resolves the names in a remote relationship, and returns the shape that generated files have. */

import { Kind, print as printAst, type TypeNode } from 'graphql';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { lossOf } from '../../../runtime/core/diagnostics/causes.ts';
import type { Message } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { isObject } from '../../../runtime/core/json/json.ts';
import {
  BUILT_IN_SCALARS,
  displayName,
  isGraphqlName,
  keyOf,
  quotedName,
  quotedWordList,
} from '../../../runtime/core/names.ts';
import { remember } from '../../../runtime/core/remember.ts';
import { baseName, isOneOf, type RemoteDocument } from '../../../runtime/core/remotes/document.ts';
import type {
  RemoteArgument,
  RemoteArguments,
  RemoteRelationshipShape,
} from '../../../runtime/core/remotes/shapes.ts';
import { columnType, type NumberText } from '../../../runtime/core/types.ts';
import type {
  Json,
  JsonObject,
  Metadata,
  RemoteRelationshipDefinition,
} from '../../../runtime/metadata/metadata.ts';
import { canBeEqual, canBeLookedUp, canFill, type JoinType, ofColumn } from './join-types.ts';
import type { ResolvedRemote } from './remote-schema.ts';
import { Failure, suggest } from './report.ts';
import { type SourceScope, tableNames } from './scope.ts';

/** Inputs of the resolution of remote relationships. */
export interface JoinContext {
  readonly metadata: Metadata;
  readonly scopes: ReadonlyMap<string, SourceScope>;
  readonly remotes: ReadonlyMap<string, ResolvedRemote>;
}

/** The left side: its name in messages, and the fields that a join may use. */
export interface LeftEntity {
  readonly name: string;
  readonly fields: readonly string[];
  /** Their types, as far as they are known. */
  readonly types: ReadonlyMap<string, JoinType>;
}

/** A resolved relationship, with warnings about joins that never match. */
interface ResolvedJoin {
  readonly shape: RemoteRelationshipShape;
  readonly warnings: readonly Message[];
}

/** @throws Failure */
export function resolveJoin(
  context: JoinContext,
  left: LeftEntity,
  relationship: { readonly name: string; readonly definition: RemoteRelationshipDefinition },
): ResolvedJoin {
  const { name, definition } = relationship;
  return definition.kind === 'to_source'
    ? toSource(context, left, name, definition)
    : toRemote(context, left, name, definition);
}

function requireFields({ name, fields }: LeftEntity, wanted: readonly string[]): void {
  const missing = wanted.find((each) => !fields.includes(each));
  if (missing === undefined) return;
  throw new Failure(
    messages.joinFieldMissing({
      name: missing,
      entity: name,
      allowed: quotedWordList(fields, 'or'),
      ...suggest(missing, fields),
    }),
  );
}

function toSource(
  { metadata, scopes }: JoinContext,
  left: LeftEntity,
  relationship: string,
  definition: Extract<RemoteRelationshipDefinition, { kind: 'to_source' }>,
): ResolvedJoin {
  const { source, table, relationship_type: kind, field_mapping } = definition;
  requireFields(left, Object.keys(field_mapping));
  if (!metadata.sources.some(({ name }) => name === source))
    throw new Failure(messages.sourceMissing({ name: source }));
  const other = scopes.get(source);
  const target = other?.tables.get(keyOf(table));
  if (target === undefined) {
    const near = other ? suggest(displayName(table.schema, table.name), tableNames(other)) : {};
    throw new Failure(messages.joinTableMissing({ table: quotedName(table), source, ...near })).missing(
      lossOf.table(source, keyOf(table)),
    );
  }
  for (const column of Object.values(field_mapping)) {
    if (!target.columns.has(column))
      throw new Failure(
        messages.joinColumnMissing({
          name: column,
          table: quotedName(table),
          ...suggest(column, target.columns.keys()),
        }),
      );
  }
  const unequal = Object.values(field_mapping).find(
    (column) => !canBeLookedUp(other!.shape, target.columns.get(column)!.type),
  );
  if (unequal !== undefined)
    throw wrong(`column "${unequal}" of table ${quotedName(table)} is of a type that joins cannot compare`);
  const warnings = Object.entries(field_mapping).flatMap(([field, column]) => {
    const from = left.types.get(field);
    const to = ofColumn(columnType(other!.shape, target.columns.get(column)!.type));
    if (!from || canBeEqual(from, to)) return [];
    const facts = { name: relationship, entity: left.name, field, type: from.name };
    return [messages.joinNeverEqual({ ...facts, column, columnType: to.name })];
  });
  return { shape: { to: 'source', source, target: keyOf(table), kind, columns: field_mapping }, warnings };
}

function toRemote(
  { remotes, metadata }: JoinContext,
  left: LeftEntity,
  relationship: string,
  definition: Extract<RemoteRelationshipDefinition, { kind: 'to_remote_schema' }>,
): ResolvedJoin {
  const { remote_schema: name, lhs_fields, remote_field, on_error } = definition;
  requireFields(left, lhs_fields);
  if (!metadata.remote_schemas.some((schema) => schema.name === name))
    throw new Failure(messages.remoteSchemaMissing({ name }));
  const remote = remotes.get(name);
  if (!remote) throw new Failure(messages.remoteSchemaMissing({ name })).missing(lossOf.remoteSchema(name));
  const { document } = remote;
  const used = new Map<string, TypeNode[]>();
  let type = document.roots.query!;
  const path = remote_field.map(({ field, arguments: given }) => {
    const owner = document.types.get(type);
    const isObject =
      owner?.kind === Kind.OBJECT_TYPE_DEFINITION || owner?.kind === Kind.INTERFACE_TYPE_DEFINITION;
    const found = isObject ? owner.fields?.find((each) => each.name.value === field) : undefined;
    if (!found) throw wrong(`field with name "${field}" not found in remote schema`);
    const types = new Map((found.arguments ?? []).map((each) => [each.name.value, each.type]));
    const args = readArguments(given, types, { document, lhs: lhs_fields, used });
    type = baseName(found.type);
    return { field, arguments: args };
  });
  const warnings = [...used].flatMap(([field, types]) => {
    const from = left.types.get(field);
    const refused = from && types.find((argument) => !canFill(from, argument, document));
    if (!refused) return [];
    const facts = { name: relationship, entity: left.name, field, type: from.name };
    return [messages.joinArgumentType({ ...facts, argumentType: printAst(refused) })];
  });
  // Without variables, rows whose fields are not null have the relationship.
  const keys = used.size > 0 ? [...used.keys()] : lhs_fields;
  const shape = { to: 'remote' as const, remote: name, keys, path };
  return { shape: { ...shape, ...(on_error === 'null' && { onError: on_error }) }, warnings };
}

interface Reading {
  readonly document: RemoteDocument;
  readonly lhs: readonly string[];
  /** Types of the arguments that each field of the left side fills. */
  readonly used: Map<string, TypeNode[]>;
}

function readArguments(
  given: JsonObject,
  types: ReadonlyMap<string, TypeNode>,
  reading: Reading,
): RemoteArguments {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const type = types.get(name);
      if (!type) throw wrong(`argument with name "${name}" not found in remote schema`);
      return [name, readArgument(value, type, reading)];
    }),
  );
}

function readArgument(value: Json, type: TypeNode, reading: Reading): RemoteArgument {
  const inner = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
  if (value === null) throw wrong('null is not allowed here');
  if (typeof value === 'string' && value.startsWith('$')) {
    const key = value.slice(1);
    if (key === '') throw wrong('Empty variable name');
    if (!reading.lhs.includes(key)) throw wrong(`variable "${key}" is not found`);
    remember(reading.used, key, () => []).push(inner);
    return { key };
  }
  if (Array.isArray(value)) {
    if (inner.kind !== Kind.LIST_TYPE) throw wrong(`type "${printAst(inner)}"is not a list type`);
    if (value.length > 1) throw wrong('multiple elements in list value is not supported');
    return { items: (value as readonly Json[]).map((item) => readArgument(item, inner.type, reading)) };
  }
  const named = inner.kind === Kind.LIST_TYPE ? undefined : inner.name.value;
  const definition = reading.document.types.get(named ?? baseName(inner));
  if (isObject(value)) {
    if (definition?.kind !== Kind.INPUT_OBJECT_TYPE_DEFINITION)
      throw wrong(`type "${baseName(inner)}"not an input object type`);
    const fields = new Map((definition.fields ?? []).map((field) => [field.name.value, field.type]));
    if (isOneOf(definition) && Object.keys(value).length !== 1)
      throw wrong(`type "${definition.name.value}" is a one-of input: exactly one field has to be given`);
    const read = { fields: readArguments(value as JsonObject, fields, reading) };
    return named === undefined ? { items: [read] } : read;
  }
  const literal = value as Exclude<typeof value, null | readonly Json[] | JsonObject>;
  if (definition?.kind === Kind.ENUM_TYPE_DEFINITION) throw wrong('enum value is not supported');
  requireLiteral(literal, baseName(inner));
  return named === undefined ? { items: [{ value: literal }] } : { value: literal };
}

/** Requires a literal of exactly the argument's type. @throws Failure */
function requireLiteral(value: string | number | NumberText | boolean, type: string): void {
  const found =
    typeof value === 'string'
      ? 'String'
      : typeof value === 'boolean'
        ? 'Boolean'
        : Number.isInteger(value) || /^-?\d+$/.test(String(value))
          ? 'Int'
          : 'Float';
  if (type === found || !BUILT_IN_SCALARS.has(type)) return;
  if (type === 'ID' && (found === 'Int' || found === 'String')) return;
  if (type === 'ID')
    throw wrong(
      `Only ID, Int, uuid or String scalar types can be joined to the ID type, but received "${found}"`,
    );
  throw wrong(`expected type "${type}" but got "${found}"`);
}

function wrong(reason: string): Failure {
  return new Failure(messages.remoteRelationshipInvalid({ reason }));
}

/** @throws Failure if the name is not a GraphQL name */
export function requireName(name: string): void {
  if (!isGraphqlName(name)) throw new Failure(messages.nameNotGraphql({ name }));
}
