import { diagnostics as messages } from '../diagnostics/catalogue.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Result } from '../diagnostics/result.ts';
import type {
  Action,
  CustomTypes,
  Metadata,
  MetadataPath,
  RemoteSchema,
  RemoteSchemaTypeRelationships,
  Source,
  SourceConfiguration,
} from './metadata.ts';
import type { Origin } from './origin.ts';
import {
  createReader,
  type Reader,
  readEntries,
  readList,
  readValue,
  reportUnknownKeys,
  withoutDuplicates,
} from './reader.ts';
import {
  actionHeadSchema,
  customEnumSchema,
  customInputObjectSchema,
  customObjectSchema,
  customScalarSchema,
} from './schemas/action.ts';
import { rolePermissionSchema } from './schemas/permission.ts';
import { remoteRelationshipSchema } from './schemas/relationship.ts';
import { remoteSchemaHeadSchema, remoteSchemaPermissionSchema } from './schemas/remote-schema.ts';
import {
  allowlistEntrySchema,
  apiLimitsSchema,
  graphqlSchemaIntrospectionSchema,
  inheritedRoleSchema,
  metricsConfigSchema,
  networkSchema,
  queryCollectionSchema,
  restEndpointSchema,
} from './schemas/service.ts';
import { isObject, jsonObject } from './schemas/shared.ts';
import { sourceHeadSchema } from './schemas/source.ts';
import { cronTriggerSchema } from './schemas/trigger.ts';
import { pick, readFunctions, readTables } from './tables.ts';

/** The keys of metadata version 3, in the order of an export. */
export const metadataKeys = [
  'version',
  'sources',
  'remote_schemas',
  'query_collections',
  'allowlist',
  'actions',
  'custom_types',
  'cron_triggers',
  'rest_endpoints',
  'api_limits',
  'metrics_config',
  'inherited_roles',
  'graphql_schema_introspection',
  'network',
  'backend_configs',
  'opentelemetry',
] as const;

/** Versions 1 and 2 have the tables and functions of their one source at the top. */
const oldMetadataKeys = ['tables', 'functions', ...metadataKeys.filter((key) => key !== 'sources')];

/** Address of the source `default` where the metadata itself names none. */
const defaultSourceConfiguration: SourceConfiguration = {
  connection_info: {
    database_url: { kind: 'environment', variable: 'ENGINE_GRAPHQL_DATABASE_URL' },
    isolation_level: 'read-committed',
  },
  extensions_schema: 'public',
};

/** Metadata in which nothing is declared. */
export const emptyMetadata: Metadata = {
  version: 3,
  sources: [],
  remote_schemas: [],
  query_collections: [],
  allowlist: [],
  actions: [],
  custom_types: { path: ['custom_types'], input_objects: [], objects: [], scalars: [], enums: [] },
  cron_triggers: [],
  rest_endpoints: [],
  inherited_roles: [],
  graphql_schema_introspection: { disabled_for_roles: [] },
  network: { tls_allowlist: [] },
};

/**
 * Reads metadata given as JSON: version 3, and the older versions 1 and 2 as one source `default`. Never throws for bad
 * input; what is bad is reported and left out. `origin` gives diagnostics their file positions.
 */
export function readMetadata(input: unknown, origin?: Origin): Result<Metadata> {
  const diagnostics: Diagnostic[] = [];
  const reader = createReader(diagnostics, origin);
  const document = readValue(reader, jsonObject, input, []);
  return { value: document ? readDocument(reader, document) : emptyMetadata, diagnostics };
}

function readDocument(reader: Reader, document: Readonly<Record<string, unknown>>): Metadata {
  const version = document.version ?? 1;
  if (version !== 1 && version !== 2 && version !== 3) {
    reader.report(['version'], messages.metadataVersionUnsupported({ version: JSON.stringify(version) }));
    return emptyMetadata;
  }
  reportUnknownKeys(reader, document, version === 3 ? metadataKeys : oldMetadataKeys, []);
  const optional = <Key extends string, Value>(key: Key, value: Value | undefined) =>
    (value === undefined ? {} : { [key]: value }) as { [Name in Key]?: Value };
  const given = <Value>(key: string, schema: Parameters<typeof readValue<Value>>[1]) =>
    isEmpty(document[key]) ? undefined : readValue(reader, schema, document[key], [key]);
  const list = <Entry extends object>(
    key: string,
    kind: string,
    schema: Parameters<typeof readEntries<Entry>>[3],
    nameOf: (entry: Entry) => string,
  ) => readEntries(document[key], [key], reader, schema, kind, nameOf);

  return {
    version: 3,
    sources: version === 3 ? readSources(reader, document) : [readOldSource(reader, document)],
    remote_schemas: withoutDuplicates(
      readList(document.remote_schemas, ['remote_schemas'], reader, readRemoteSchema),
      'remote schemas',
      ({ name }) => name,
      reader,
    ),
    query_collections: list(
      'query_collections',
      'query collections',
      queryCollectionSchema,
      ({ name }) => name,
    ),
    allowlist: list('allowlist', 'allowlist entries', allowlistEntrySchema, ({ collection }) => collection),
    actions: withoutDuplicates(
      readList(document.actions, ['actions'], reader, readAction),
      'actions',
      ({ name }) => name,
      reader,
    ),
    custom_types: readCustomTypes(reader, document.custom_types ?? {}),
    cron_triggers: list('cron_triggers', 'cron triggers', cronTriggerSchema, ({ name }) => name),
    rest_endpoints: list('rest_endpoints', 'rest endpoints', restEndpointSchema, ({ name }) => name),
    ...optional('api_limits', given('api_limits', apiLimitsSchema)),
    ...optional('metrics_config', given('metrics_config', metricsConfigSchema)),
    inherited_roles: list(
      'inherited_roles',
      'inherited roles',
      inheritedRoleSchema,
      ({ role_name }) => role_name,
    ),
    graphql_schema_introspection:
      given('graphql_schema_introspection', graphqlSchemaIntrospectionSchema) ??
      emptyMetadata.graphql_schema_introspection,
    network: given('network', networkSchema) ?? emptyMetadata.network,
    ...optional('backend_configs', given('backend_configs', jsonObject)),
    ...optional('opentelemetry', given('opentelemetry', jsonObject)),
  };
}

/** Files carry `{}` for settings that were never made. */
function isEmpty(input: unknown): boolean {
  return input === undefined || input === null || (isObject(input) && Object.keys(input).length === 0);
}

function readSources(reader: Reader, document: Readonly<Record<string, unknown>>): Source[] {
  if (!('sources' in document)) {
    reader.report([], messages.metadataValueInvalid({ reason: 'key "sources" not found' }));
  }
  const sources = readList(document.sources, ['sources'], reader, readSource);
  return withoutDuplicates(sources, 'sources', ({ name }) => name, reader);
}

const sourceHeadKeys = [
  'name',
  'kind',
  'native_queries',
  'stored_procedures',
  'logical_models',
  'configuration',
  'query_tags',
  'customization',
  'health_check',
];

function readSource(reader: Reader, input: unknown, path: MetadataPath): Source | undefined {
  const entry = isObject(input) ? input : {};
  reportUnknownKeys(reader, entry, [...sourceHeadKeys, 'tables', 'functions'], path);
  const head = readValue(
    reader,
    sourceHeadSchema,
    isObject(input) ? pick(entry, sourceHeadKeys) : input,
    path,
  );
  if (head && head.kind !== 'postgres' && head.kind !== 'pg') {
    reader.report([...path, 'kind'], messages.sourceKindUnsupported({ source: head.name, kind: head.kind }));
    return undefined;
  }
  if (head && !('tables' in entry)) {
    reader.report(path, messages.metadataValueInvalid({ reason: 'key "tables" not found' }));
  }
  const tables = readTables(reader, entry.tables, [...path, 'tables']);
  const functions = readFunctions(reader, entry.functions, [...path, 'functions']);
  return head && { ...head, kind: 'postgres', tables, functions, path };
}

function readOldSource(reader: Reader, document: Readonly<Record<string, unknown>>): Source {
  return {
    name: 'default',
    kind: 'postgres',
    tables: readTables(reader, document.tables, ['tables']),
    functions: readFunctions(reader, document.functions, ['functions']),
    configuration: defaultSourceConfiguration,
    path: [],
  };
}

const remoteSchemaHeadKeys = ['name', 'definition', 'comment'];

function readRemoteSchema(reader: Reader, input: unknown, path: MetadataPath): RemoteSchema | undefined {
  const entry = isObject(input) ? input : {};
  reportUnknownKeys(reader, entry, [...remoteSchemaHeadKeys, 'permissions', 'remote_relationships'], path);
  const head = readValue(
    reader,
    remoteSchemaHeadSchema,
    isObject(input) ? pick(entry, remoteSchemaHeadKeys) : input,
    path,
  );
  const permissions = readEntries(
    entry.permissions,
    [...path, 'permissions'],
    reader,
    remoteSchemaPermissionSchema,
    'permissions',
    ({ role }) => role,
  );
  const relationships = readList(
    entry.remote_relationships,
    [...path, 'remote_relationships'],
    reader,
    readTypeRelationships,
  );
  return head && { ...head, permissions, remote_relationships: relationships, path };
}

function readTypeRelationships(
  reader: Reader,
  input: unknown,
  path: MetadataPath,
): RemoteSchemaTypeRelationships | undefined {
  const entry = readValue(reader, jsonObject, input, path);
  if (!entry) return undefined;
  reportUnknownKeys(reader, entry, ['type_name', 'relationships'], path);
  const relationships = readEntries(
    entry.relationships,
    [...path, 'relationships'],
    reader,
    remoteRelationshipSchema,
    'remote relationships',
    ({ name }) => name,
  );
  if (typeof entry.type_name !== 'string') {
    reader.report(path, messages.metadataValueInvalid({ reason: 'key "type_name" not found' }));
    return undefined;
  }
  return { type_name: entry.type_name, relationships, path };
}

const actionHeadKeys = ['name', 'definition', 'comment'];

function readAction(reader: Reader, input: unknown, path: MetadataPath): Action | undefined {
  const entry = isObject(input) ? input : {};
  reportUnknownKeys(reader, entry, [...actionHeadKeys, 'permissions'], path);
  const head = readValue(
    reader,
    actionHeadSchema,
    isObject(input) ? pick(entry, actionHeadKeys) : input,
    path,
  );
  const permissions = readEntries(
    entry.permissions,
    [...path, 'permissions'],
    reader,
    rolePermissionSchema,
    'permissions',
    ({ role }) => role,
  );
  return head && { ...head, permissions, path };
}

/** Custom types may repeat a name: that is for phase 3 to judge, over all kinds of types together. */
function readCustomTypes(reader: Reader, input: unknown): CustomTypes {
  const path = ['custom_types'];
  const types = readValue(reader, jsonObject, input, path) ?? {};
  reportUnknownKeys(reader, types, ['input_objects', 'objects', 'scalars', 'enums'], path);
  const read = <Type extends object>(key: string, schema: Parameters<typeof readValue<Type>>[1]) =>
    readList(types[key], [...path, key], reader, (itemReader, item, itemPath) => {
      const value = readValue(itemReader, schema, item, itemPath);
      return value && { ...value, path: itemPath };
    });
  return {
    path,
    input_objects: read('input_objects', customInputObjectSchema),
    objects: read('objects', customObjectSchema),
    scalars: read('scalars', customScalarSchema),
    enums: read('enums', customEnumSchema),
  };
}
