import { messages } from '../../core/diagnostics/catalogue.ts';
import { nearest } from '../../core/diagnostics/nearest.ts';
import type { Located } from '../../core/json/json.ts';
import { displayName, wordList } from '../../core/names.ts';
import { isNamedKind, ROOT_FIELD_KINDS, type RootFieldKind } from '../../core/program/root-fields.ts';
import type { Codec, TypeOf } from '../codec.ts';
import {
  choose,
  convert,
  key,
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
const rootFieldObject = object(
  {
    name: key('Name of the field.', orNull(optional(graphqlName))),
    comment,
  },
  { title: 'Root field' },
);

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
        .map((field) => [
          field,
          key(`The root field of kind \`${field}\`: its name, or an object.`, optional(rootField)),
        ]),
    ),
  ) as unknown as Codec<RootFields>,
  {
    read: (fields, fail) => {
      const names = Object.values(fields).flatMap(({ name: given }) => (given === undefined ? [] : [given]));
      const duplicated = [...new Set(names.filter((given, index) => names.indexOf(given) < index))];
      if (duplicated.length > 0) {
        fail(`the following custom root field names are duplicated: ${wordList(duplicated)}`);
      }
      // A field for which nothing is set is as good as absent.
      return Object.fromEntries(
        Object.entries(fields).filter(([, field]) => Object.keys(field).length > 0),
      ) as RootFields;
    },
    write: (fields) => fields,
  },
);

export type ColumnConfiguration = TypeOf<typeof columnConfiguration>;
const columnConfiguration = object({
  custom_name: key('Name in GraphQL in place of the name in the database.', optional(graphqlName)),
  comment,
});

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
      object(
        {
          column_config: key('Column → its settings.', printedDefault(record(columnConfiguration), {})),
          comment,
          custom_column_names: key(
            'Older form of `column_config`: column → name.',
            printedDefault(record(graphqlName), {}),
          ),
          custom_name: key('Name in GraphQL in place of the name in the database.', optional(graphqlName)),
          custom_root_fields: key(
            'Names of single root fields; they win over `custom_name`.',
            printedDefault<RootFields>(customRootFields, {}),
          ),
          identifier: key('Older form of `custom_name`.', optional(graphqlName)),
        },
        { title: 'Table configuration' },
      ),
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
  function: key(
    'The function that computes it.',
    withNames(qualifiedName, (given, walk) => {
      walk.returnedTable(given);
      return walk.function(given);
    }),
  ),
  table_argument: key('Argument that gets the row. Absent: the first.', optional(text)),
  session_argument: key(
    'Argument (of type `json` or `jsonb`) that gets the session variables.',
    optional(text),
  ),
});

export type ComputedFieldEntry = TypeOf<typeof computedField> & Located;
export const computedField = object(
  {
    name: key('Name of the field.', name),
    definition: key('The function.', computedFieldDefinition),
    comment,
  },
  { title: 'Computed field' },
);

export const apolloFederation = key(
  'Make the type an entity of Apollo federation, by its primary key.',
  optional(object({ enable: key('Version of the configuration.', oneOf('v1')) })),
);

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
  table: key('The table, view or materialized view: a name in `public`, or an object.', tableName),
  is_enum: key(
    'The rows are the values of a GraphQL enum: see [enums](graphql.md).',
    withDefault(boolean, false),
  ),
  configuration: key(
    'Names and comments.',
    withDefault<TableConfiguration>(tableConfiguration, {
      column_config: {},
      custom_root_fields: {},
    }),
  ),
  object_relationships: key(
    'Fields that lead to one row.',
    namedEntries('relationship', 'object relationships', objectRelationship),
  ),
  array_relationships: key(
    'Fields that lead to a list of rows.',
    namedEntries('relationship', 'array relationships', arrayRelationship),
  ),
  computed_fields: key(
    'Fields that a function computes of a row.',
    namedEntries('computed_field', 'computed fields', computedField),
  ),
  remote_relationships: key(
    'Fields that lead to other sources and to remote schemas.',
    namedEntries('remote_relationship', 'remote relationships', remoteRelationship),
  ),
  insert_permissions: key('What roles may insert.', permissionList('insert', permissionEntries.insert)),
  select_permissions: key('What roles may read.', permissionList('select', permissionEntries.select)),
  update_permissions: key('What roles may change.', permissionList('update', permissionEntries.update)),
  delete_permissions: key('What roles may delete.', permissionList('delete', permissionEntries.delete)),
  event_triggers: key(
    'Webhooks that are called for written rows.',
    namedEntries('event_trigger', 'event triggers', eventTrigger),
  ),
  apollo_federation_config: apolloFederation,
};

/** An entry of a source's tables. An unknown key in it is an error, because a misspelt key could hide a permission. */
const tableFields = object(fields, {
  title: 'Table',
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
