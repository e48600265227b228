import {
  type ColumnConfiguration,
  type ComputedFieldDefinition,
  type FunctionConfiguration,
  type QualifiedName,
  type RootFieldConfiguration,
  type TableConfiguration,
  tableRootFields,
} from '../metadata.ts';
import {
  choose,
  flag,
  graphqlNameSchema,
  jsonObject,
  nameSchema,
  object,
  objectAs,
  oneOf,
  optional,
  qualifiedNameSchema,
  record,
  text,
  withDefault,
} from './shared.ts';

const rootField = choose<RootFieldConfiguration>((input) =>
  typeof input === 'string'
    ? graphqlNameSchema.transform((name) => ({ name }))
    : object<RootFieldConfiguration>({ name: optional(graphqlNameSchema), comment: optional(text) }),
);

const customRootFields = objectAs<
  TableConfiguration['custom_root_fields'],
  TableConfiguration['custom_root_fields']
>(
  Object.fromEntries(tableRootFields.map((field) => [field, optional(rootField)])) as never,
  (fields, fail) => {
    const names = Object.values(fields).flatMap(({ name }) => (name === undefined ? [] : [name]));
    const duplicated = [...new Set(names.filter((name, index) => names.indexOf(name) < index))];
    if (duplicated.length > 0) {
      fail(`the following custom root field names are duplicated: ${englishList(duplicated)}`);
    }
    return fields;
  },
);

function englishList(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

interface RawTableConfiguration {
  column_config: Readonly<Record<string, ColumnConfiguration>>;
  custom_column_names: Readonly<Record<string, string>>;
  custom_root_fields: TableConfiguration['custom_root_fields'];
  custom_name?: string;
  identifier?: string;
  comment?: string;
}

/** `identifier` is the old key of `custom_name`, `custom_column_names` the old form beneath `column_config`. */
export const tableConfigurationSchema = objectAs<RawTableConfiguration, TableConfiguration>(
  {
    column_config: withDefault(
      record(
        object<ColumnConfiguration>({ custom_name: optional(graphqlNameSchema), comment: optional(text) }),
      ),
      {},
    ),
    custom_column_names: withDefault(record(graphqlNameSchema), {}),
    custom_root_fields: withDefault(customRootFields, {}),
    custom_name: optional(graphqlNameSchema),
    identifier: optional(graphqlNameSchema),
    comment: optional(text),
  },
  ({ column_config, custom_column_names, identifier, ...raw }) => {
    const columns: Record<string, ColumnConfiguration> = {};
    for (const [column, custom_name] of Object.entries(custom_column_names))
      columns[column] = { custom_name };
    for (const [column, given] of Object.entries(column_config))
      columns[column] = { ...columns[column], ...given };
    const custom_name = raw.custom_name ?? identifier;
    return { ...raw, column_config: columns, ...(custom_name !== undefined && { custom_name }) };
  },
);

export interface TableHead {
  readonly table: QualifiedName;
  readonly is_enum: boolean;
  readonly configuration: TableConfiguration;
  readonly apollo_federation_config?: { readonly enable: 'v1' };
}

/** A table entry without its lists, which are read item by item. */
export const tableHeadSchema = object<TableHead>({
  table: qualifiedNameSchema,
  is_enum: flag,
  configuration: withDefault<TableConfiguration>(tableConfigurationSchema, {
    column_config: {},
    custom_root_fields: {},
  }),
  apollo_federation_config: optional(object<{ enable: 'v1' }>({ enable: oneOf('v1') })),
});

export const computedFieldDefinitionSchema = object<ComputedFieldDefinition>({
  function: qualifiedNameSchema,
  table_argument: optional(text),
  session_argument: optional(text),
});

/** An entry of a table's computed fields, without its path. */
export const computedFieldSchema = object<{
  name: string;
  definition: ComputedFieldDefinition;
  comment?: string;
}>({
  name: nameSchema,
  definition: computedFieldDefinitionSchema,
  comment: optional(text),
});

export const functionConfigurationSchema = object<FunctionConfiguration>({
  custom_name: optional(graphqlNameSchema),
  custom_root_fields: withDefault(
    object<FunctionConfiguration['custom_root_fields']>({
      function: optional(graphqlNameSchema),
      function_aggregate: optional(graphqlNameSchema),
    }),
    {},
  ),
  exposed_as: optional(oneOf('query', 'mutation')),
  response: optional(jsonObject),
  session_argument: optional(text),
});

export interface FunctionHead {
  readonly function: QualifiedName;
  readonly configuration: FunctionConfiguration;
  readonly comment?: string;
}

/** A function entry without its permissions. */
export const functionHeadSchema = object<FunctionHead>({
  function: qualifiedNameSchema,
  configuration: withDefault<FunctionConfiguration>(functionConfigurationSchema, { custom_root_fields: {} }),
  comment: optional(text),
});
