/**
 * Custom types, which actions take and return. Everything that is wrong with them is one entry
 * for the whole set, with one reason for each problem.
 */

import type { CatalogKey, SourceCatalog } from '../../../runtime/catalog/catalog.ts';
import { isUnique, keysOf } from '../../../runtime/catalog/proven.ts';
import { nativeScalarKey } from '../../../runtime/core/action/native-scalars.ts';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { lossOf } from '../../../runtime/core/diagnostics/causes.ts';
import { at } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { isObject } from '../../../runtime/core/json/json.ts';
import {
  BUILT_IN_SCALARS,
  isEnumValueName,
  isGraphqlName,
  keyOf,
  quotedName,
} from '../../../runtime/core/names.ts';
import type {
  CustomField,
  CustomObject,
  CustomObjectRelationship,
  CustomTypes,
  Json,
  JsonObject,
} from '../../../runtime/metadata/metadata.ts';
import { attempt, because, Failure, type PhaseReport, type ReportedObject } from './report.ts';
import type { SourceScope } from './scope.ts';
import type { TakenType } from './type-register.ts';

export type Scopes = ReadonlyMap<string, SourceScope>;

/** Kinds of types by name. */
export type TypeKinds = ReadonlyMap<string, Kind>;
type Kind = 'scalar' | 'enum' | 'object' | 'input_object';

/** Checks the custom types: the kinds of all types that actions may name; undefined when the set cannot be used. */
export function resolveCustomTypes(
  types: CustomTypes,
  scopes: Scopes,
  taken: ReadonlyMap<string, TakenType>,
  report: PhaseReport,
): TypeKinds | undefined {
  const kinds = typeKinds(types, scopes);
  const reasons = [...typeReasons(types, kinds, scopes), ...nameReasons(types, kinds, taken)];
  attempt(report, customTypesObject(types), () => {
    if (reasons.length === 0) return;
    const failure = new Failure(messages.customTypesInvalid({ reasons: because(reasons) }));
    const absent = missingTables(types, scopes);
    throw reasons.length === absent.length ? failure.missing(absent[0]!) : failure;
  });
  if (reasons.length > 0) return undefined;
  for (const object of types.objects) warnOfRelationships(object, scopes, report);
  return kinds;
}

/** Names that every schema has. */
const RESERVED: ReadonlySet<string> = new Set([
  ...['query_root', 'mutation_root', 'subscription_root', 'order_by', 'cursor_ordering'],
  ...BUILT_IN_SCALARS,
]);

/** Names of types of pg_catalog that columns have; a source's catalog knows its others. */
const POSTGRES_SCALARS = [
  ...[
    'smallint',
    'integer',
    'bigint',
    'int2',
    'int4',
    'int8',
    'float4',
    'float8',
    'real',
    'numeric',
    'money',
  ],
  ...['text', 'varchar', 'bpchar', 'char', 'name', 'citext', 'bool', 'bytea', 'uuid', 'json', 'jsonb', 'xml'],
  ...[
    'date',
    'time',
    'timetz',
    'timestamp',
    'timestamptz',
    'interval',
    'inet',
    'cidr',
    'macaddr',
    'macaddr8',
  ],
  ...[
    'bit',
    'varbit',
    'point',
    'line',
    'lseg',
    'box',
    'path',
    'polygon',
    'circle',
    'oid',
    'tsvector',
    'tsquery',
  ],
  ...['int4range', 'int8range', 'numrange', 'tsrange', 'tstzrange', 'daterange', 'pg_lsn', 'jsonpath'],
  ...['geometry', 'geography', 'raster', 'ltree', 'lquery', 'ltxtquery', 'hstore'],
];

/** Types by name; a type that a project declares wins over a built-in scalar. */
function typeKinds(types: CustomTypes, scopes: Scopes): TypeKinds {
  const kinds = new Map<string, Kind>();
  const add = (names: Iterable<string>, kind: Kind) => {
    for (const name of names) kinds.set(name, kind);
  };
  add([...BUILT_IN_SCALARS, ...POSTGRES_SCALARS], 'scalar');
  for (const { catalog } of scopes.values()) add(typeNames(catalog), 'scalar');
  const named = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);
  add(named(types.scalars), 'scalar');
  add(named(types.enums), 'enum');
  add(named(types.objects), 'object');
  add(named(types.input_objects), 'input_object');
  return kinds;
}

function typeNames({ types }: SourceCatalog): string[] {
  return types.map(({ name }) => name);
}

function typeReasons(types: CustomTypes, kinds: TypeKinds, scopes: Scopes): string[] {
  const { input_objects, objects, scalars, enums } = types;
  const names = [...input_objects, ...objects, ...scalars, ...enums].map(({ name }) => name);
  const repeated = [...repeats(names), ...names.filter((name) => RESERVED.has(name))];
  return [
    ...(repeated.length === 0 ? [] : [`duplicate type names: ${list(repeated)}`]),
    ...input_objects.flatMap(({ name, fields }) => [
      ...fieldReasons('input object', name, fields, kinds, 'object'),
    ]),
    ...objects.flatMap((object) => [
      ...fieldReasons('object', object.name, object.fields, kinds, 'input_object', object.relationships),
      ...(object.fields.some((field) => (field.arguments ?? null) !== null)
        ? [`the object "${object.name}" can't have arguments`]
        : []),
      ...object.relationships.flatMap((relationship) =>
        relationshipReasons(object, relationship, kinds, scopes),
      ),
      ...(new Set(object.relationships.map(({ source }) => source)).size > 1
        ? [`the object "${object.name}" has relationships refers to tables in multiple sources`]
        : []),
    ]),
    ...enums.flatMap(({ name, values }) => {
      const same = repeats(values.map(({ value }) => value));
      return same.length === 0 ? [] : [`the enum type "${name}" has duplicate values: ${list(same)}`];
    }),
  ];
}

/** Names that the schema cannot have, or that something else has. A scalar may be that of a column. */
function nameReasons(
  { input_objects, objects, scalars, enums }: CustomTypes,
  kinds: TypeKinds,
  taken: ReadonlyMap<string, TakenType>,
): string[] {
  const fields = [...input_objects, ...objects].flatMap((type) => type.fields);
  const names = [
    ...[...input_objects, ...objects, ...scalars, ...enums, ...fields].map(({ name }) => name),
    ...objects.flatMap(({ relationships }) => relationships.map(({ name }) => name)),
  ];
  const own = [...input_objects, ...objects, ...scalars, ...enums].map(({ name }) => name);
  const used = fields.map(({ type }) => baseType(type));
  const values = enums.flatMap((type) => type.values.map(({ value }) => ({ type: type.name, value })));
  return [
    ...names.filter((name) => !isGraphqlName(name)).map((name) => `"${name}" is not a valid GraphQL name`),
    ...values.flatMap(({ type, value }) =>
      isEnumValueName(value)
        ? []
        : [`the value "${value}" of the enum type "${type}" is not a valid GraphQL name`],
    ),
    ...[...new Set([...own, ...used])].flatMap((name) => {
      const other = RESERVED.has(name) ? undefined : taken.get(name);
      if (!other || other.apart || (kinds.get(name) === 'scalar' && other.form === 'scalar')) return [];
      return [`the type name "${name}" is taken by ${other.owner}`];
    }),
  ];
}

function fieldReasons(
  what: string,
  type: string,
  fields: readonly CustomField[],
  kinds: TypeKinds,
  other: Kind,
  relationships: readonly CustomObjectRelationship[] = [],
): string[] {
  const further = relationships.flatMap(({ name, type: kind }) =>
    kind === 'array' ? [name, `${name}_aggregate`] : [name],
  );
  const repeated = repeats([...fields.map(({ name }) => name), ...further]);
  const unknown = fields.filter((field) => {
    const kind = kinds.get(baseType(field.type));
    return kind === undefined || kind === other;
  });
  return [
    ...(repeated.length === 0 ? [] : [`the ${what} "${type}" has duplicate fields: ${list(repeated)}`]),
    ...unknown.map(
      // Two blanks, as the reference has them.
      (field) =>
        `the type "${baseType(field.type)}" for field "${field.name}" in  ${what} type "${type}" does not exist`,
    ),
  ];
}

function relationshipReasons(
  { name: type, fields }: CustomObject,
  { name, source, remote_table, field_mapping }: CustomObjectRelationship,
  kinds: TypeKinds,
  scopes: Scopes,
): string[] {
  const table = scopes.get(source)?.tables.get(keyOf(remote_table));
  const place = `for relationship "${name}" of object type "${type}" does not exist`;
  if (table === undefined) return [`the remote table ${quotedName(remote_table)} ${place}`];
  const types = new Map(fields.map((field) => [field.name, field.type]));
  const fieldReason = (field: string): string[] => {
    const given = types.get(field);
    if (given === undefined)
      return [`the field "${field}" for relationship "${name}" in object type "${type}" does not exist`];
    if (given.includes('['))
      return [
        `the type of the field "${field}" for relationship "${name}" in object type "${type}" is a list type`,
      ];
    if (kinds.get(baseType(given)) !== 'object') return [];
    return [
      `the type "${given}" of the field "${field}" in the object type "${type}" is object type which isn't allowed`,
    ];
  };
  return Object.entries(field_mapping).flatMap(([field, column]) => [
    ...fieldReason(field),
    ...(table.columns.has(column)
      ? []
      : [`the column "${column}" of remote table ${quotedName(remote_table)} ${place}`]),
  ]);
}

/** Warnings for relationships that work but are probably mistakes: values that cannot be equal, one row chosen among several. */
function warnOfRelationships(
  { name: type, fields, relationships, path }: CustomObject,
  scopes: Scopes,
  { diagnostics }: PhaseReport,
): void {
  const types = new Map(fields.map((field) => [field.name, baseType(field.type)]));
  for (const [index, relationship] of relationships.entries()) {
    const table = scopes.get(relationship.source)!.tables.get(keyOf(relationship.remote_table))!;
    const place = [...path, 'relationships', index];
    const mapping = Object.entries(relationship.field_mapping);
    const about = { relationship: relationship.name, type, table: quotedName(relationship.remote_table) };
    for (const [field, column] of mapping) {
      const given = types.get(field)!;
      const wanted = table.columns.get(column)!.type;
      if (isComparable(given, wanted)) continue;
      diagnostics.push(
        at(
          [...place, 'field_mapping', field],
          messages.actionRelationshipTypes({ ...about, field, given, column, wanted }),
        ),
      );
    }
    if (relationship.type !== 'object') continue;
    const columns = new Set(mapping.map(([, column]) => column));
    const isCovered = ({ columns: key }: CatalogKey) => key.every((column) => columns.has(column));
    if (keysOf(table.catalog).some((key) => isCovered(key) && isUnique(table.catalog, key).holds)) continue;
    diagnostics.push(at(place, messages.actionRelationshipNotUnique(about)));
  }
}

/** Which columns a field can be equal to: numbers with numbers; texts with whatever is written as text. */
function isComparable(field: string, column: string): boolean {
  const isNumber = isNumeric(column);
  switch (field) {
    case 'Int':
    case 'Float':
      return isNumber;
    case 'Boolean':
      return column === 'bool';
    case 'String':
    case 'ID':
      return column !== 'bool';
    default:
      return (nativeScalarKey(field) ?? column) === column || (isNumber && isNumeric(nativeScalarKey(field)));
  }
}

function isNumeric(type: string | undefined): boolean {
  return /^(int[248]|float[48]|numeric|money|oid)$/.test(type ?? '');
}

/** Tables that relationships name and no source has. */
function missingTables({ objects }: CustomTypes, scopes: Scopes): string[] {
  return objects
    .flatMap(({ relationships }) => relationships)
    .filter(({ source, remote_table }) => !scopes.get(source)?.tables.has(keyOf(remote_table)))
    .map(({ source, remote_table }) => lossOf.table(source, keyOf(remote_table)));
}

/** `X` of `[X!]!`. */
export function baseType(type: string): string {
  return type.replace(/[[\]!\s]/g, '');
}

export function repeats(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) < index))];
}

function list(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}

function customTypesObject(types: CustomTypes): ReportedObject {
  const { path, ...definition } = types;
  return {
    path,
    type: 'custom_types',
    name: 'custom_types custom_types',
    definition: withoutPaths(definition),
    context: '',
    offers: () => [lossOf.customTypes],
  };
}

/** The form in which the metadata API shows it. */
export function withoutPaths(value: object): Json {
  return plain(value as JsonObject);
}

function plain(value: Json): Json {
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([key, item]) => key !== 'path' && item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [key, plain(item)]));
}
