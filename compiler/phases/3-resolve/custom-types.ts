/**
 * Custom types and the actions that use them. They are not served, but what is wrong with them
 * is told where everything else is: one entry for all custom types, and one for each action.
 */

import type { SourceCatalog } from '../../../runtime/catalog/catalog.ts';
import { diagnostics as messages } from '../../../runtime/diagnostics/catalogue.ts';
import { lossOf } from '../../../runtime/diagnostics/causes.ts';
import type { Diagnostic } from '../../../runtime/diagnostics/diagnostic.ts';
import type {
  Action,
  CustomField,
  CustomObject,
  CustomObjectRelationship,
  CustomTypes,
  Json,
  Metadata,
} from '../../../runtime/metadata/metadata.ts';
import { attempt, because, Failure, type ReportedObject } from './report.ts';
import { keyOf, quoted, type SourceScope } from './scope.ts';

type Scopes = ReadonlyMap<string, SourceScope>;

/** Reports what is wrong with the custom types and the actions. */
export function checkCustomTypes(metadata: Metadata, scopes: Scopes, diagnostics: Diagnostic[]): void {
  const { custom_types, actions } = metadata;
  const { input_objects, objects, scalars, enums } = custom_types;
  if (actions.length + input_objects.length + objects.length + scalars.length + enums.length === 0) return;
  const report = { diagnostics };
  const kinds = typeKinds(custom_types, scopes);
  const reasons = typeReasons(custom_types, kinds, scopes);
  attempt(report, customTypesObject(custom_types), () => {
    if (reasons.length === 0) return;
    const failure = new Failure(messages.customTypesInvalid({ reasons: because(reasons) }));
    const absent = missingTables(custom_types, scopes);
    throw reasons.length === absent.length ? failure.missing(absent[0]!) : failure;
  });
  for (const action of actions) {
    attempt(report, actionObject(action), () => {
      if (reasons.length > 0)
        throw new Failure(messages.customTypesInconsistent()).missing(lossOf.customTypes);
      requireActionTypes(action, kinds);
    });
  }
}

type Kind = 'scalar' | 'enum' | 'object' | 'input_object';

const GRAPHQL_SCALARS = ['Int', 'Float', 'String', 'Boolean', 'ID'];

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

/** What the names of types mean; what a project declares itself wins over the scalars that are known anyway. */
function typeKinds(types: CustomTypes, scopes: Scopes): ReadonlyMap<string, Kind> {
  const kinds = new Map<string, Kind>();
  const add = (names: Iterable<string>, kind: Kind) => {
    for (const name of names) kinds.set(name, kind);
  };
  add([...GRAPHQL_SCALARS, ...POSTGRES_SCALARS], 'scalar');
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

function typeReasons(types: CustomTypes, kinds: ReadonlyMap<string, Kind>, scopes: Scopes): string[] {
  const { input_objects, objects, scalars, enums } = types;
  const names = [...input_objects, ...objects, ...scalars, ...enums].map(({ name }) => name);
  const repeated = repeats(names);
  return [
    ...(repeated.length === 0 ? [] : [`duplicate type names: ${list(repeated)}`]),
    ...input_objects.flatMap(({ name, fields }) => [
      ...fieldReasons('input object', name, fields, kinds, 'object'),
    ]),
    ...objects.flatMap((object) => [
      ...fieldReasons('object', object.name, object.fields, kinds, 'input_object'),
      ...object.relationships.flatMap((relationship) => relationshipReasons(object, relationship, scopes)),
    ]),
    ...enums.flatMap(({ name, values }) => {
      const same = repeats(values.map(({ value }) => value));
      return same.length === 0 ? [] : [`the enum type "${name}" has duplicate values: ${list(same)}`];
    }),
  ];
}

function fieldReasons(
  what: string,
  type: string,
  fields: readonly CustomField[],
  kinds: ReadonlyMap<string, Kind>,
  other: Kind,
): string[] {
  const repeated = repeats(fields.map(({ name }) => name));
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
  scopes: Scopes,
): string[] {
  const table = scopes.get(source)?.tables.get(keyOf(remote_table));
  const place = `for relationship "${name}" of object type "${type}" does not exist`;
  if (table === undefined) return [`the remote table ${quoted(remote_table)} ${place}`];
  // A list joins with nothing.
  const joinable = new Set(fields.filter((field) => !field.type.includes('[')).map((field) => field.name));
  return Object.entries(field_mapping).flatMap(([field, column]) => [
    ...(joinable.has(field)
      ? []
      : [`the field "${field}" for relationship "${name}" in object type "${type}" does not exist`]),
    ...(table.columns.has(column)
      ? []
      : [`the column "${column}" of remote table ${quoted(remote_table)} ${place}`]),
  ]);
}

/** Tables that relationships name and no source has. */
function missingTables({ objects }: CustomTypes, scopes: Scopes): string[] {
  return objects
    .flatMap(({ relationships }) => relationships)
    .filter(({ source, remote_table }) => !scopes.get(source)?.tables.has(keyOf(remote_table)))
    .map(({ source, remote_table }) => lossOf.table(source, keyOf(remote_table)));
}

/** @throws Failure */
function requireActionTypes({ definition }: Action, kinds: ReadonlyMap<string, Kind>): void {
  for (const argument of definition.arguments) {
    const type = baseType(argument.type);
    const kind = kinds.get(type);
    if (kind === undefined || kind === 'object')
      throw new Failure(messages.actionArgumentTypeUnknown({ name: type }));
  }
  const type = baseType(definition.output_type);
  const kind = kinds.get(type);
  if (kind === undefined || kind === 'input_object')
    throw new Failure(messages.actionOutputTypeUnknown({ name: type }));
}

/** `X` of `[X!]!`. */
function baseType(type: string): string {
  return type.replace(/[[\]!\s]/g, '');
}

function repeats(names: readonly string[]): string[] {
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
    name: 'custom_types',
    definition: withoutPaths(definition),
    context: '',
    offers: () => [lossOf.customTypes],
  };
}

function actionObject({ path, name, definition, comment }: Action): ReportedObject {
  return {
    path,
    type: 'action',
    name: `action ${name}`,
    definition: { name, definition: withoutPaths(definition), comment: comment ?? null },
    context: `in action "${name}"; `,
  };
}

function withoutPaths(value: object): Json {
  return JSON.parse(JSON.stringify(value, (key, item) => (key === 'path' ? undefined : item)));
}
