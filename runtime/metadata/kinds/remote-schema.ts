import type { Located } from '../../core/json/json.ts';
import type { TypeOf } from '../codec.ts';
import {
  convert,
  key,
  list,
  namesInside,
  object,
  optional,
  printedDefault,
  record,
  withDefault,
} from '../combinators.ts';
import { keyedEntries, locatedEntries, printedEntries } from '../entries.ts';
import { boolean, graphqlName, name, positiveNumber, text } from '../values.ts';
import { remoteRelationship } from './remote-relationship.ts';
import { comment, headers, toAddress } from './shared.ts';

const prefix = key('Put before each name.', optional(graphqlName));
const suffix = key('Put after each name.', optional(graphqlName));
const mapping = key(
  'Name there → name here; wins over prefix and suffix.',
  printedDefault<Readonly<Record<string, string>>>(record(graphqlName), {}),
);

export type RemoteSchemaCustomization = TypeOf<typeof remoteSchemaCustomization>;
const remoteSchemaCustomization = object({
  root_fields_namespace: key(
    'Field of the root types that holds all its root fields.',
    optional(graphqlName),
  ),
  type_names: key('Names of its types.', optional(object({ prefix, suffix, mapping }))),
  field_names: key(
    'Names of its fields, a type at a time.',
    list(
      object({
        parent_type: key('Type there whose fields are renamed.', graphqlName),
        prefix,
        suffix,
        mapping,
      }),
    ),
  ),
});

export type RemoteSchemaDefinition = TypeOf<typeof remoteSchemaDefinition>;
const remoteSchemaDefinition = convert(
  object({
    url: key(
      'URL of the GraphQL server; `{{NAME}}` stands for an environment variable. This key or `url_from_env` is required.',
      optional(text),
    ),
    url_from_env: key('Environment variable that holds the URL.', optional(name)),
    timeout_seconds: key('Maximum duration of a request in seconds.', printedDefault(positiveNumber, 60)),
    customization: key('Other names for its types and fields.', optional(remoteSchemaCustomization)),
    headers,
    forward_client_headers: key('Pass the headers of the client on.', withDefault(boolean, false)),
  }),
  {
    read: ({ url, url_from_env, ...raw }, fail) => ({
      ...raw,
      url: toAddress(url, url_from_env, ['url', 'url_from_env'], fail),
    }),
    write: ({ url, ...raw }) => ({
      ...raw,
      ...(typeof url === 'string' ? { url } : { url_from_env: url.env }),
    }),
  },
);

const headFields = {
  name: key('Name of the remote schema.', name),
  definition: key('Where it is and how it is called.', remoteSchemaDefinition),
  comment,
};

/** A remote schema without its permissions and relationships. */
export type RemoteSchemaHead = TypeOf<typeof remoteSchemaHead>;
export const remoteSchemaHead = object(headFields);

export type RemoteSchemaPermission = TypeOf<typeof remoteSchemaPermission> & Located;
const remoteSchemaPermission = object({
  role: key('Name of the role.', name),
  definition: key(
    'The part that the role sees.',
    object({
      schema: key('SDL of that part; `@preset` gives arguments values that the role cannot choose.', text),
    }),
  ),
  comment,
});

export type RemoteSchemaTypeRelationships = TypeOf<typeof typeRelationships> & Located;
const typeRelationshipFields = object({
  type_name: key('Type of the remote schema.', text),
  relationships: key(
    'Fields that it gets.',
    printedEntries(
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
  ),
});

const typeRelationships = namesInside(typeRelationshipFields, ({ type_name }) => ({ typeName: type_name }));

export type RemoteSchema = TypeOf<typeof remoteSchema> & Located;
const remoteSchemaFields = object(
  {
    ...headFields,
    permissions: key(
      'Parts that roles see. They count with `enable-remote-schema-permissions`; without it every role sees everything.',
      keyedEntries(remoteSchemaPermission, {
        kind: 'permissions',
        key: ({ role }) => role,
        order: false,
      }),
    ),
    remote_relationships: key('Fields of its types that lead elsewhere.', locatedEntries(typeRelationships)),
  },
  { title: 'Remote schema' },
);
export const remoteSchema = namesInside(remoteSchemaFields, ({ name }) => ({ remoteSchema: name }));

export const remoteSchemas = keyedEntries(remoteSchema, {
  kind: 'remote schemas',
  key: (schema) => schema.name,
});
