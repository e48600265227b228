import type { z } from 'zod';
import type {
  ArrayRelationshipUsing,
  ForeignKeyOnOtherTable,
  ForeignKeyOnThisTable,
  JsonObject,
  ManualConfiguration,
  QualifiedName,
  RelationshipUsing,
  RemoteFieldCall,
  RemoteRelationshipDefinition,
} from '../metadata.ts';
import {
  choose,
  isObject,
  jsonObject,
  list,
  nameSchema,
  nonEmptyList,
  object,
  objectAs,
  oneOf,
  optional,
  qualifiedNameSchema,
  record,
  requiredList,
  text,
  withDefault,
  withoutUndefined,
} from './shared.ts';

const ownColumn: z.ZodType<ForeignKeyOnThisTable> = nameSchema.transform((column) => ({
  kind: 'foreign_key_on_this_table',
  columns: [column],
}));

const ownColumns: z.ZodType<ForeignKeyOnThisTable> = nonEmptyList(nameSchema).transform((columns) => ({
  kind: 'foreign_key_on_this_table',
  columns,
}));

/** One column may stand without its list. */
const oneOrMoreColumns = choose<readonly string[]>((input) =>
  typeof input === 'string' ? nameSchema.transform((column) => [column]) : nonEmptyList(nameSchema),
);

const otherColumns = objectAs<
  { table: QualifiedName; column?: string; columns?: readonly string[] },
  ForeignKeyOnOtherTable
>(
  { table: qualifiedNameSchema, column: optional(nameSchema), columns: optional(oneOrMoreColumns) },
  ({ table, column, columns }, fail) => {
    if (column === undefined && columns === undefined) fail('key "column" not found');
    if (column !== undefined && columns !== undefined) fail('only one of column/columns should be present');
    return { kind: 'foreign_key_on_other_table', table, columns: columns ?? [column ?? ''] };
  },
);

const manualConfiguration = objectAs<Omit<ManualConfiguration, 'kind'>, ManualConfiguration>(
  {
    remote_table: qualifiedNameSchema,
    column_mapping: record(nameSchema),
    insertion_order: optional(oneOf('before_parent', 'after_parent')),
  },
  (raw) => ({ kind: 'manual', ...raw }),
);

const expectingTableAndColumns = 'Expecting object { table, columns }.';

/** `foreign_key_constraint_on` of an object relationship: own column or columns, or those of another table. */
const objectForeignKey = choose<RelationshipUsing>((input) => {
  if (typeof input === 'string') return ownColumn;
  if (Array.isArray(input)) return ownColumns;
  return isObject(input) ? otherColumns : expectingTableAndColumns;
});

const arrayForeignKey = choose<ArrayRelationshipUsing>((input) =>
  isObject(input) ? otherColumns : expectingTableAndColumns,
);

function using<Using>(foreignKey: z.ZodType<Using>): z.ZodType<Using | ManualConfiguration> {
  const form = object<{ foreign_key_constraint_on: unknown; manual_configuration: unknown }>({
    foreign_key_constraint_on: optional(foreignKey),
    manual_configuration: optional(manualConfiguration),
  }).transform(
    (raw) => (raw.manual_configuration ?? raw.foreign_key_constraint_on) as Using | ManualConfiguration,
  );
  return choose<Using | ManualConfiguration>((input) => {
    if (!isObject(input)) return form;
    const isForeignKey = (input.foreign_key_constraint_on ?? null) !== null;
    const isManual = (input.manual_configuration ?? null) !== null;
    if (isForeignKey !== isManual) return form;
    return `${isManual ? 'only' : 'atleast'} one of foreign_key_constraint_on/manual_configuration should be present`;
  });
}

/** `using` of an object relationship. */
export const relationshipUsingSchema: z.ZodType<RelationshipUsing> = using(objectForeignKey);

/** `using` of an array relationship: the foreign key is never on this table. */
export const arrayRelationshipUsingSchema: z.ZodType<ArrayRelationshipUsing> = using(arrayForeignKey);

/** An entry of a table's list of relationships, without its path. */
function relationshipEntrySchema<Using>(usingSchema: z.ZodType<Using>) {
  return object<{ name: string; using: Using; comment?: string }>({
    name: nameSchema,
    using: usingSchema as never,
    comment: optional(text),
  });
}

export const objectRelationshipSchema = relationshipEntrySchema(relationshipUsingSchema);
export const arrayRelationshipSchema = relationshipEntrySchema(arrayRelationshipUsingSchema);

/** `{field: {arguments, field?: {…}}}`, one key a level, as a list from the root inwards. */
const remoteField: z.ZodType<readonly RemoteFieldCall[]> = choose((input) => {
  if (!isObject(input)) return jsonObject as never;
  if (Object.keys(input).length !== 1) return 'expecting exactly one field in remote_field';
  return record(
    object<{ arguments: JsonObject; field?: readonly RemoteFieldCall[] }>({
      arguments: withDefault<JsonObject>(jsonObject, {}),
      field: optional(remoteField),
    }),
  ).transform((calls) =>
    Object.entries(calls).flatMap(([field, call]) => [
      { field, arguments: call.arguments },
      ...(call.field ?? []),
    ]),
  );
});

const toRemoteSchema = objectAs<
  { remote_schema: string; lhs_fields: readonly string[]; remote_field: readonly RemoteFieldCall[] },
  RemoteRelationshipDefinition
>({ remote_schema: nameSchema, lhs_fields: list(nameSchema), remote_field: remoteField }, (raw) => ({
  kind: 'to_remote_schema',
  ...raw,
}));

const flatToRemoteSchema = objectAs<
  { remote_schema: string; engine_fields: readonly string[]; remote_field: readonly RemoteFieldCall[] },
  RemoteRelationshipDefinition
>(
  { remote_schema: nameSchema, engine_fields: requiredList(nameSchema), remote_field: remoteField },
  ({ remote_schema, engine_fields, remote_field }) => ({
    kind: 'to_remote_schema',
    flat: true,
    remote_schema,
    lhs_fields: engine_fields,
    remote_field,
  }),
);

const toSource = objectAs<
  Omit<Extract<RemoteRelationshipDefinition, { kind: 'to_source' }>, 'kind'>,
  RemoteRelationshipDefinition
>(
  {
    relationship_type: oneOf('object', 'array'),
    source: nameSchema,
    table: qualifiedNameSchema,
    field_mapping: record(nameSchema),
  },
  (raw) => ({ kind: 'to_source', ...raw }),
);

/** `{to_remote_schema}`, `{to_source}`, or the older flat `{remote_schema, engine_fields, remote_field}`. */
export const remoteRelationshipDefinitionSchema: z.ZodType<RemoteRelationshipDefinition> = choose((input) => {
  if (isObject(input) && 'remote_schema' in input) return flatToRemoteSchema;
  return objectAs<
    { to_source?: RemoteRelationshipDefinition; to_remote_schema?: RemoteRelationshipDefinition },
    RemoteRelationshipDefinition
  >({ to_source: optional(toSource), to_remote_schema: optional(toRemoteSchema) }, (raw, fail) => {
    if ((raw.to_source === undefined) === (raw.to_remote_schema === undefined)) {
      fail('expecting exactly one of to_source, to_remote_schema');
    }
    return (raw.to_source ?? raw.to_remote_schema)!;
  });
});

/** An entry of the remote relationships of a table or a remote schema's type, without its path. */
export const remoteRelationshipSchema = objectAs<
  { name: string; definition: RemoteRelationshipDefinition },
  { name: string; definition: RemoteRelationshipDefinition }
>({ name: nameSchema, definition: remoteRelationshipDefinitionSchema }, withoutUndefined);
