import type { Located } from '../../core/json/json.ts';
import type { TypeOf } from '../codec.ts';
import {
  list,
  nonEmptyList,
  object,
  optional,
  orNull,
  printedDefault,
  record,
  withNames,
} from '../combinators.ts';
import { entries } from '../entries.ts';
import { mappedTableNames } from '../references.ts';
import { boolean, graphqlName, graphqlType, json, name, oneOf, text } from '../values.ts';
import { qualifiedName } from './shared.ts';

const description = optional(text);

/** A field of an object or input object; `type` is a GraphQL type, e.g. `[String!]`. */
export type CustomField = TypeOf<typeof customField>;
const customField = object({ name: graphqlName, type: graphqlType, description });

/** `arguments` are not served; they are read so that they can be refused. */
const customObjectField = object({
  name: graphqlName,
  type: graphqlType,
  description,
  arguments: optional(json),
});

export type CustomInputObject = TypeOf<typeof customInputObject> & Located;
const customInputObject = object({ name: graphqlName, fields: nonEmptyList(customField), description });

export type CustomObjectRelationship = TypeOf<typeof customObjectRelationship>;
const customObjectRelationship = withNames(
  object({
    name: graphqlName,
    type: oneOf('object', 'array'),
    source: printedDefault(name, 'default'),
    remote_table: qualifiedName,
    /** Field of the object → column of the table. */
    field_mapping: record(name),
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
const customObject = object({
  name: graphqlName,
  fields: nonEmptyList(customObjectField),
  description,
  relationships: list(customObjectRelationship),
});

export type CustomScalar = TypeOf<typeof customScalar> & Located;
const customScalar = object({ name: graphqlName, description });

export type CustomEnumValue = TypeOf<typeof customEnumValue>;
const customEnumValue = object({
  value: graphqlName,
  description: orNull(description),
  is_deprecated: orNull(optional(boolean)),
});

export type CustomEnum = TypeOf<typeof customEnum> & Located;
const customEnum = object({ name: graphqlName, values: nonEmptyList(customEnumValue), description });

/** They may repeat a name: that is for phase 3 to judge, over all kinds of types together. */
export const customTypes = object({
  input_objects: entries(customInputObject),
  objects: entries(customObject),
  scalars: entries(customScalar),
  enums: entries(customEnum),
});

export type CustomTypes = TypeOf<typeof customTypes> & Located;

/** The same as arguments, where one bad type is an error of all. */
export const customTypesArguments = object({
  input_objects: list(customInputObject),
  objects: list(customObject),
  scalars: list(customScalar),
  enums: list(customEnum),
});
