import type {
  Header,
  RemoteSchemaCustomization,
  RemoteSchemaDefinition,
  RemoteSchemaPermission,
} from '../metadata.ts';
import {
  flag,
  graphqlNameSchema,
  headerSchema,
  list,
  nameSchema,
  number,
  object,
  objectAs,
  optional,
  record,
  text,
  toAddress,
  withDefault,
} from './shared.ts';

const optionalName = optional(graphqlNameSchema);
const mapping = withDefault<Readonly<Record<string, string>>>(record(graphqlNameSchema), {});

const remoteSchemaCustomizationSchema = object<RemoteSchemaCustomization>({
  root_fields_namespace: optionalName,
  type_names: optional(
    object<NonNullable<RemoteSchemaCustomization['type_names']>>({
      prefix: optionalName,
      suffix: optionalName,
      mapping,
    }),
  ),
  field_names: list(
    object<RemoteSchemaCustomization['field_names'][number]>({
      parent_type: graphqlNameSchema,
      prefix: optionalName,
      suffix: optionalName,
      mapping,
    }),
  ),
});

interface RawDefinition {
  url?: string;
  url_from_env?: string;
  timeout_seconds: number;
  customization?: RemoteSchemaCustomization;
  headers: readonly Header[];
  forward_client_headers: boolean;
}

const remoteSchemaDefinitionSchema = objectAs<RawDefinition, RemoteSchemaDefinition>(
  {
    url: optional(text),
    url_from_env: optional(nameSchema),
    timeout_seconds: withDefault(number, 60),
    customization: optional(remoteSchemaCustomizationSchema),
    headers: list(headerSchema),
    forward_client_headers: flag,
  },
  ({ url, url_from_env, ...raw }, fail) => ({
    ...raw,
    url: toAddress(url, url_from_env, ['url', 'url_from_env'], fail),
  }),
);

export interface RemoteSchemaHead {
  readonly name: string;
  readonly definition: RemoteSchemaDefinition;
  readonly comment?: string;
}

/** A remote schema without its permissions and relationships. */
export const remoteSchemaHeadSchema = object<RemoteSchemaHead>({
  name: nameSchema,
  definition: remoteSchemaDefinitionSchema,
  comment: optional(text),
});

export const remoteSchemaPermissionSchema = object<Omit<RemoteSchemaPermission, 'path'>>({
  role: nameSchema,
  definition: object<{ schema: string }>({ schema: text }),
  comment: optional(text),
});
