import type { Located } from '../../core/json/json.ts';
import type { TypeOf } from '../codec.ts';
import {
  key,
  list,
  nonEmptyList,
  object,
  optional,
  orNull,
  printedDefault,
  record,
  withNames,
} from '../combinators.ts';
import { locatedEntries } from '../entries.ts';
import { mappedTableNames } from '../references.ts';
import { boolean, graphqlName, graphqlType, json, name, oneOf, text } from '../values.ts';
import { qualifiedName } from './shared.ts';

const description = key('Text for the GraphQL schema.', optional(text));

const typeName = key('Name of the type.', graphqlName);

/** A field of an object or input object; `type` is a GraphQL type, e.g. `[String!]`. */
export type CustomField = TypeOf<typeof customField>;
const customField = object({
  name: key('Name of the field.', graphqlName),
  type: key('Its GraphQL type, such as `[String!]`.', graphqlType),
  description,
});

const customObjectField = object({
  name: key('Name of the field.', graphqlName),
  type: key('Its GraphQL type: a scalar, an enum, or another object.', graphqlType),
  description,
  arguments: key('Not supported: the set of types is refused if a field has arguments.', optional(json)),
});

export type CustomInputObject = TypeOf<typeof customInputObject> & Located;
const customInputObject = object(
  {
    name: typeName,
    fields: key('Fields of the input object.', nonEmptyList(customField)),
    description,
  },
  { title: 'Input object' },
);

export type CustomObjectRelationship = TypeOf<typeof customObjectRelationship>;
const customObjectRelationship = withNames(
  object({
    name: key('Name of the field that leads to the table.', graphqlName),
    type: key('One row, or a list of rows.', oneOf('object', 'array')),
    source: key('Source of the table.', printedDefault(name, 'default')),
    remote_table: key('The table.', qualifiedName),
    field_mapping: key('Field of the object → column of the table.', record(name)),
  }),
  (relationship, walk) => {
    const { table, ...mapped } = mappedTableNames(
      { ...relationship, table: relationship.remote_table },
      walk,
    );
    return { ...relationship, ...mapped, remote_table: table };
  },
);

export type CustomObject = TypeOf<typeof customObject> & Located;
const customObject = object(
  {
    name: typeName,
    fields: key('Fields of the object.', nonEmptyList(customObjectField)),
    description,
    relationships: key(
      'Fields that lead from the answer of an action to tables.',
      list(customObjectRelationship),
    ),
  },
  { title: 'Object' },
);

export type CustomScalar = TypeOf<typeof customScalar> & Located;
const customScalar = object({ name: typeName, description }, { title: 'Scalar' });

export type CustomEnumValue = TypeOf<typeof customEnumValue>;
const customEnumValue = object({
  value: key('Name of the value.', graphqlName),
  description: orNull(description),
  is_deprecated: key('Mark the value as deprecated in the schema.', orNull(optional(boolean))),
});

export type CustomEnum = TypeOf<typeof customEnum> & Located;
const customEnum = object(
  { name: typeName, values: key('Values of the enum.', nonEmptyList(customEnumValue)), description },
  { title: 'Enum' },
);

/** They may repeat a name: that is for phase 3 to judge, over all kinds of types together. */
export const customTypes = object(
  {
    input_objects: key('Types of arguments.', locatedEntries(customInputObject)),
    objects: key('Types of answers.', locatedEntries(customObject)),
    scalars: key('Scalars, whose values are passed on as they are.', locatedEntries(customScalar)),
    enums: key('Enums.', locatedEntries(customEnum)),
  },
  { title: 'Custom types' },
);

export type CustomTypes = TypeOf<typeof customTypes> & Located;

/** The same as arguments, where one bad type is an error of all. */
export const customTypesArguments = object({
  input_objects: list(customInputObject),
  objects: list(customObject),
  scalars: list(customScalar),
  enums: list(customEnum),
});
