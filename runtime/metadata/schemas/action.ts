import type {
  ActionArgument,
  ActionDefinition,
  CustomEnum,
  CustomEnumValue,
  CustomField,
  CustomInputObject,
  CustomObject,
  CustomObjectRelationship,
  CustomScalar,
  Header,
  JsonObject,
} from '../metadata.ts';
import {
  boolean,
  flag,
  graphqlNameSchema,
  graphqlTypeSchema,
  headerSchema,
  jsonObject,
  list,
  nameSchema,
  nonEmptyList,
  number,
  object,
  objectAs,
  oneOf,
  optional,
  qualifiedNameSchema,
  record,
  requiredList,
  text,
  withDefault,
} from './shared.ts';

const actionArgument = object<ActionArgument>({
  name: graphqlNameSchema,
  type: graphqlTypeSchema,
  description: optional(text),
});

interface RawActionDefinition {
  handler: string;
  output_type: string;
  type: 'query' | 'mutation';
  kind: 'synchronous' | 'asynchronous' | '';
  arguments: readonly ActionArgument[];
  headers: readonly Header[];
  forward_client_headers: boolean;
  ignored_client_headers?: readonly string[];
  timeout: number;
  request_transform?: JsonObject;
  response_transform?: JsonObject;
}

/** `kind` means something for mutations only; for queries files carry `""`. */
const actionDefinitionSchema = objectAs<RawActionDefinition, ActionDefinition>(
  {
    handler: text,
    output_type: graphqlTypeSchema,
    type: withDefault<'query' | 'mutation'>(oneOf('query', 'mutation'), 'mutation'),
    kind: withDefault<RawActionDefinition['kind']>(oneOf('synchronous', 'asynchronous', ''), 'synchronous'),
    arguments: list(actionArgument),
    headers: list(headerSchema),
    forward_client_headers: flag,
    ignored_client_headers: optional(requiredList(nameSchema)),
    timeout: withDefault(number, 30),
    request_transform: optional(jsonObject),
    response_transform: optional(jsonObject),
  },
  (raw) => ({
    ...raw,
    kind: raw.type === 'mutation' && raw.kind === 'asynchronous' ? raw.kind : 'synchronous',
  }),
);

export interface ActionHead {
  readonly name: string;
  readonly definition: ActionDefinition;
  readonly comment?: string;
}

/** An action without its permissions. */
export const actionHeadSchema = object<ActionHead>({
  name: graphqlNameSchema,
  definition: actionDefinitionSchema,
  comment: optional(text),
});

const customField = object<CustomField>({
  name: graphqlNameSchema,
  type: graphqlTypeSchema,
  description: optional(text),
});

export const customInputObjectSchema = object<Omit<CustomInputObject, 'path'>>({
  name: graphqlNameSchema,
  fields: nonEmptyList(customField),
  description: optional(text),
});

const customObjectRelationship = object<CustomObjectRelationship>({
  name: graphqlNameSchema,
  type: oneOf('object', 'array'),
  source: withDefault(nameSchema, 'default'),
  remote_table: qualifiedNameSchema,
  field_mapping: record(nameSchema),
});

export const customObjectSchema = object<Omit<CustomObject, 'path'>>({
  name: graphqlNameSchema,
  fields: nonEmptyList(customField),
  description: optional(text),
  relationships: list(customObjectRelationship),
});

export const customScalarSchema = object<Omit<CustomScalar, 'path'>>({
  name: graphqlNameSchema,
  description: optional(text),
});

const customEnumValue = object<CustomEnumValue>({
  value: graphqlNameSchema,
  description: optional(text),
  is_deprecated: optional(boolean),
});

export const customEnumSchema = object<Omit<CustomEnum, 'path'>>({
  name: graphqlNameSchema,
  values: nonEmptyList(customEnumValue),
  description: optional(text),
});
