import type { Located } from '../../core/json/json.ts';
import type { TypeOf } from '../codec.ts';
import {
  convert,
  list,
  namesInside,
  object,
  optional,
  printedDefault,
  record,
  withDefault,
} from '../combinators.ts';
import { entries, keyedEntries, printedEntries } from '../entries.ts';
import { boolean, graphqlName, name, positiveNumber, text } from '../values.ts';
import { remoteRelationship } from './remote-relationship.ts';
import { comment, headers, toAddress } from './shared.ts';

const optionalName = optional(graphqlName);
const mapping = printedDefault<Readonly<Record<string, string>>>(record(graphqlName), {});

export type RemoteSchemaCustomization = TypeOf<typeof remoteSchemaCustomization>;
const remoteSchemaCustomization = object({
  root_fields_namespace: optionalName,
  type_names: optional(object({ prefix: optionalName, suffix: optionalName, mapping })),
  field_names: list(
    object({ parent_type: graphqlName, prefix: optionalName, suffix: optionalName, mapping }),
  ),
});

export type RemoteSchemaDefinition = TypeOf<typeof remoteSchemaDefinition>;
const remoteSchemaDefinition = convert(
  object({
    url: optional(text),
    url_from_env: optional(name),
    /** Seconds; 60 unless given. */
    timeout_seconds: printedDefault(positiveNumber, 60),
    customization: optional(remoteSchemaCustomization),
    headers,
    forward_client_headers: withDefault(boolean, false),
  }),
  {
    read: ({ url, url_from_env, ...raw }, fail) => ({
      ...raw,
      url: toAddress(url, url_from_env, ['url', 'url_from_env'], fail),
    }),
    write: ({ url, ...raw }) => ({
      ...raw,
      ...(url.kind === 'template' ? { url: url.template } : { url_from_env: url.variable }),
    }),
  },
);

const headFields = { name, definition: remoteSchemaDefinition, comment };

/** A remote schema without its permissions and relationships. */
export type RemoteSchemaHead = TypeOf<typeof remoteSchemaHead>;
export const remoteSchemaHead = object(headFields);

export type RemoteSchemaPermission = TypeOf<typeof remoteSchemaPermission> & Located;
const remoteSchemaPermission = object({
  role: name,
  /** The part of the remote schema that the role sees, as SDL. */
  definition: object({ schema: text }),
  comment,
});

export type RemoteSchemaTypeRelationships = TypeOf<typeof typeRelationships> & Located;
const typeRelationshipFields = object({
  type_name: text,
  relationships: printedEntries(
    keyedEntries(remoteRelationship, {
      kind: 'remote relationships',
      key: (relationship) => relationship.name,
      order: false,
      dependent: ({ name }, { remoteSchema, typeName }) => ({
        kind: 'remote_schema_relationship',
        remoteSchema,
        typeName,
        name,
      }),
    }),
  ),
});

const typeRelationships = namesInside(typeRelationshipFields, ({ type_name }) => ({ typeName: type_name }));

export type RemoteSchema = TypeOf<typeof remoteSchema> & Located;
const remoteSchemaFields = object({
  ...headFields,
  permissions: keyedEntries(remoteSchemaPermission, {
    kind: 'permissions',
    key: ({ role }) => role,
    order: false,
  }),
  remote_relationships: entries(typeRelationships),
});
export const remoteSchema = namesInside(remoteSchemaFields, ({ name }) => ({ remoteSchema: name }));

export const remoteSchemas = keyedEntries(remoteSchema, {
  kind: 'remote schemas',
  key: (schema) => schema.name,
});
