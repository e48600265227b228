import { diagnostics as messages } from '../../core/diagnostics/catalogue.ts';
import { nearest } from '../../core/diagnostics/nearest.ts';
import type { Located } from '../../core/json/json.ts';
import { displayName } from '../../core/names.ts';
import { isNamedKind, ROOT_FIELD_KINDS, type RootFieldKind } from '../../core/program/root-fields.ts';
import type { Codec, TypeOf } from '../codec.ts';
import {
  choose,
  convert,
  namesInside,
  object,
  optional,
  orNull,
  printedDefault,
  record,
  sorted,
  withDefault,
  withNames,
} from '../combinators.ts';
import { type EntriesCodec, keyedEntries } from '../entries.ts';
import { columnKeyNames, type Dependent } from '../references.ts';
import { boolean, graphqlName, name, oneOf, text } from '../values.ts';
import { eventTrigger } from './event-trigger.ts';
import { permissionEntries, permissionList } from './permission.ts';
import { arrayRelationship, objectRelationship } from './relationship.ts';
import { remoteRelationship } from './remote-relationship.ts';
import { comment, qualifiedName, tableName } from './shared.ts';

export type RootFieldConfiguration = TypeOf<typeof rootFieldObject>;
const rootFieldObject = object({ name: orNull(optional(graphqlName)), comment });

const rootFieldName: Codec<RootFieldConfiguration> = convert(graphqlName, {
  read: (given): RootFieldConfiguration => ({ name: given }),
  write: (given) => given.name!,
});

const rootField = choose<RootFieldConfiguration>(
  (input) => (typeof input === 'string' ? rootFieldName : rootFieldObject),
  (field) => (field.comment === undefined ? rootFieldName : rootFieldObject),
);

type RootFields = Readonly<Partial<Record<RootFieldKind, RootFieldConfiguration>>>;

const customRootFields: Codec<RootFields> = convert(
  object(
    Object.fromEntries(
      Object.values(ROOT_FIELD_KINDS)
        .flat()
        .filter(isNamedKind)
        .map((field) => [field, optional(rootField)]),
    ),
  ) as unknown as Codec<RootFields>,
  {
    read: (fields, fail) => {
      const names = Object.values(fields).flatMap(({ name: given }) => (given === undefined ? [] : [given]));
      const duplicated = [...new Set(names.filter((given, index) => names.indexOf(given) < index))];
      if (duplicated.length > 0) {
        fail(`the following custom root field names are duplicated: ${englishList(duplicated)}`);
      }
      // A field for which nothing is set is as good as absent.
      return Object.fromEntries(
        Object.entries(fields).filter(([, field]) => Object.keys(field).length > 0),
      ) as RootFields;
    },
    write: (fields) => fields,
  },
);

function englishList(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

export type ColumnConfiguration = TypeOf<typeof columnConfiguration>;
const columnConfiguration = object({ custom_name: optional(graphqlName), comment });

export interface TableConfiguration {
  /** The older `custom_column_names` is merged beneath this; export derives it again. */
  readonly column_config: Readonly<Record<string, ColumnConfiguration>>;
  readonly custom_root_fields: RootFields;
  readonly custom_name?: string;
  readonly comment?: string;
}

/** `identifier` is the old key of `custom_name`, `custom_column_names` the old form beneath `column_config`. */
export const tableConfiguration: Codec<TableConfiguration> = withNames(
  convert(
    sorted(
      object({
        column_config: printedDefault(record(columnConfiguration), {}),
        comment,
        custom_column_names: printedDefault(record(graphqlName), {}),
        custom_name: optional(graphqlName),
        custom_root_fields: printedDefault<RootFields>(customRootFields, {}),
        identifier: optional(graphqlName),
      }),
    ),
    {
      read: ({ column_config, custom_column_names, identifier, ...raw }) => {
        const columns: Record<string, ColumnConfiguration> = {};
        for (const [column, custom_name] of Object.entries(custom_column_names))
          columns[column] = { custom_name };
        for (const [column, given] of Object.entries(column_config))
          columns[column] = { ...columns[column], ...given };
        const custom_name = raw.custom_name ?? identifier;
        return { ...raw, column_config: columns, ...(custom_name !== undefined && { custom_name }) };
      },
      write: (configuration) => ({
        ...configuration,
        custom_column_names: Object.fromEntries(
          Object.entries(configuration.column_config).flatMap(([column, { custom_name }]) =>
            custom_name === undefined ? [] : [[column, custom_name]],
          ),
        ),
      }),
    },
  ),
  (configuration, walk) => ({
    ...configuration,
    column_config: columnKeyNames(configuration.column_config, walk),
  }),
);

export type ComputedFieldDefinition = TypeOf<typeof computedFieldDefinition>;
const computedFieldDefinition = object({
  function: withNames(qualifiedName, (given, walk) => {
    walk.returnedTable(given);
    return walk.function(given);
  }),
  table_argument: optional(text),
  session_argument: optional(text),
});

export type ComputedField = TypeOf<typeof computedField> & Located;
export const computedField = object({ name, definition: computedFieldDefinition, comment });

export const apolloFederation = optional(object({ enable: oneOf('v1') }));

/** A list of a table whose entries have names, and depend on what they name. */
function namedEntries<Item extends { readonly name: string }>(
  kind: Extract<Dependent, { readonly name: string; readonly table: unknown }>['kind'],
  plural: string,
  item: Codec<Item>,
): EntriesCodec<Item> {
  return keyedEntries(item, {
    kind: plural,
    key: ({ name: given }) => given,
    dependent: ({ name: given }, { source, table }) => ({ kind, source, table, name: given }),
  });
}

const fields = {
  table: tableName,
  is_enum: withDefault(boolean, false),
  configuration: withDefault<TableConfiguration>(tableConfiguration, {
    column_config: {},
    custom_root_fields: {},
  }),
  object_relationships: namedEntries('relationship', 'object relationships', objectRelationship),
  array_relationships: namedEntries('relationship', 'array relationships', arrayRelationship),
  computed_fields: namedEntries('computed_field', 'computed fields', computedField),
  remote_relationships: namedEntries('remote_relationship', 'remote relationships', remoteRelationship),
  insert_permissions: permissionList('insert', permissionEntries.insert),
  select_permissions: permissionList('select', permissionEntries.select),
  update_permissions: permissionList('update', permissionEntries.update),
  delete_permissions: permissionList('delete', permissionEntries.delete),
  event_triggers: namedEntries('event_trigger', 'event triggers', eventTrigger),
  apollo_federation_config: apolloFederation,
};

/** An entry of a source's tables. An unknown key in it is an error, because a misspelt key could hide a permission. */
const tableFields = object(fields, {
  reportUnknown: (unknown, known, reading) => {
    const keys = unknown.map((key) => JSON.stringify(key)).join(',');
    const near = nearest(unknown[0]!, known);
    reading.diagnostic(messages.tableKeysUnexpected({ keys, nearest: near }), [...reading.path, unknown[0]!]);
  },
});

export const tableEntry = namesInside(tableFields, ({ table }) => ({ table }));

export type TableEntry = TypeOf<typeof tableEntry> & Located;

export const tableEntries = keyedEntries(tableEntry, {
  kind: 'tables',
  key: ({ table }) => displayName(table.schema, table.name),
  order: ({ table }) => [table.schema, table.name],
});
