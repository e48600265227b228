/**
 * Metadata as a directory of YAML files, one table a file: what
 * `readMetadataFile` reads. The same metadata gives the same texts.
 */
import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type NameNode,
  parseType,
  print,
  type StringValueNode,
} from 'graphql';
import { type ScalarTag, stringify } from 'yaml';
import { jsonText } from '../../runtime/core/json/json-value.ts';
import { objectKey } from '../../runtime/core/names.ts';
import { NumberText } from '../../runtime/core/types.ts';
import { inStoredOrder } from '../../runtime/metadata/export-metadata.ts';
import type {
  Action,
  CustomTypes,
  Json,
  JsonObject,
  Metadata,
  QualifiedName,
} from '../../runtime/metadata/metadata.ts';
import { exportMetadata } from '../phases/1-read/index.ts';

/** Files whose whole value is that of a key, by key. */
const VALUE_FILES: Readonly<Record<string, string>> = {
  remote_schemas: 'remote_schemas.yaml',
  query_collections: 'query_collections.yaml',
  allowlist: 'allow_list.yaml',
  cron_triggers: 'cron_triggers.yaml',
  rest_endpoints: 'rest_endpoints.yaml',
  api_limits: 'api_limits.yaml',
  metrics_config: 'metrics_config.yaml',
  inherited_roles: 'inherited_roles.yaml',
  graphql_schema_introspection: 'graphql_schema_introspection.yaml',
  network: 'network.yaml',
  backend_configs: 'backend_configs.yaml',
  opentelemetry: 'opentelemetry.yaml',
};

/**
 * Path below the directory → text, sorted by path. Names that cannot be file names are spelt with underscores.
 * @param comments lines for the beginning of a table's file, by the table's key
 */
export function metadataFolder(
  metadata: Metadata,
  comments: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  return new Map(
    [...filesOf(metadata)].map(([path, { table, value }]) => [
      path,
      `${(table !== undefined && comments.get(table)) || ''}${printed(value)}`,
    ]),
  );
}

/** A file that two folders have with other texts, or that one of them lacks. */
export interface DifferingFile {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/**
 * The files that differ, sorted by path. Others are not printed, which takes seconds where there are thousands.
 * @param before null: an empty folder
 */
export function differingFiles(before: Metadata | null, after: Metadata): DifferingFile[] {
  const [old, next] = [before ? filesOf(before) : new Map<string, MetadataFile>(), filesOf(after)];
  return [...new Set([...old.keys(), ...next.keys()])].sort().flatMap((path) => {
    const [was, is] = [old.get(path), next.get(path)];
    if (was?.entry && was.entry === is?.entry) return [];
    // The order of keys is a part of the text.
    if (was && is && jsonText(was.value) === jsonText(is.value)) return [];
    const [left, right] = [was, is].map((file) => file && printed(file.value));
    return left === right ? [] : [{ path, before: left, after: right }];
  });
}

interface MetadataFile {
  /** YAML prints it, unless it is a text. */
  readonly value: unknown;
  /** Key of the table that it is about. */
  readonly table?: string | undefined;
  /** The typed metadata that it is about alone. */
  readonly entry?: object | undefined;
}

function printed(value: unknown): string {
  return typeof value === 'string' ? value : yaml(value);
}

function filesOf(metadata: Metadata): ReadonlyMap<string, MetadataFile> {
  const ordered = inStoredOrder(metadata);
  const exported = exportMetadata(ordered);
  const files = new Map<string, MetadataFile>();
  const write = (path: string, value: unknown, about?: Omit<MetadataFile, 'value'>) =>
    files.set(path, { value, ...about });
  write('version.yaml', { version: exported.version });
  const folders = uniqueNames();
  const databases = (exported.sources as readonly JsonObject[]).map((source, position) => {
    const folder = folders(source.name as string);
    const list = (key: 'tables' | 'functions', nameKey: string) => {
      const unique = uniqueNames();
      const entries = (source[key] ?? []) as readonly JsonObject[];
      const includes = entries.map((entry, index) => {
        const { schema, name } = entry[nameKey] as unknown as QualifiedName;
        const file = `${unique(`${schema}_${name}`)}.yaml`;
        const table = key === 'tables' ? objectKey(schema, name) : undefined;
        const typed = ordered.sources[position]![key][index];
        write(`databases/${folder}/${key}/${file}`, entry, { table, entry: typed });
        return `!include ${file}`;
      });
      const file = `${folder}/${key}/${key}.yaml`;
      write(`databases/${file}`, includes);
      return `!include ${file}`;
    };
    const tables = list('tables', 'table');
    return {
      ...source,
      tables,
      ...(source.functions === undefined ? {} : { functions: list('functions', 'function') }),
    };
  });
  write('databases/databases.yaml', databases);
  for (const [key, file] of Object.entries(VALUE_FILES)) {
    if (exported[key] !== undefined) write(file, exported[key]);
  }
  if (exported.actions !== undefined || exported.custom_types !== undefined) {
    write('actions.graphql', printSignatures(metadata.actions, metadata.custom_types));
    write('actions.yaml', remainder(exported));
  }
  return new Map([...files].sort(([left], [right]) => (left < right ? -1 : 1)));
}

function yaml(value: unknown): string {
  return stringify(value, {
    version: '1.2',
    schema: 'core',
    lineWidth: 0,
    aliasDuplicateObjects: false,
    customTags: (tags) => [numberTag, ...tags],
  });
}

/** Prints numbers with the digits that they were written with. */
const numberTag: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: (value) => value instanceof NumberText,
  resolve: (text) => text,
  stringify: ({ value }) => String(value),
};

/** Spells names as file names, each differently, also where case does not count. */
function uniqueNames(): (name: string) => string {
  const taken = new Set<string>();
  return (name) => {
    const plain = name.replaceAll(/[^\p{L}\p{N}_-]/gu, '_');
    let unique = plain;
    for (let count = 2; taken.has(unique.toLowerCase()); count += 1) unique = `${plain}_${count}`;
    taken.add(unique.toLowerCase());
    return unique;
  };
}

/** `actions.yaml`: handlers and permissions of actions, relationships of types. */
function remainder({ actions = [], custom_types = {} }: JsonObject): JsonObject {
  const withoutSignature = (actions as readonly JsonObject[]).map((action) => {
    const { arguments: _, output_type: __, type: ___, ...definition } = action.definition as JsonObject;
    return { ...action, definition };
  });
  const named = Object.entries(custom_types as Readonly<Record<string, readonly JsonObject[]>>).map(
    ([kind, types]): [string, Json] => [
      kind,
      types.map(
        ({ name, relationships }) => ({ name, ...(relationships && { relationships }) }) as JsonObject,
      ),
    ],
  );
  return { actions: withoutSignature, custom_types: Object.fromEntries(named) };
}

/** `actions.graphql`: actions as fields of Query and Mutation, and their types. */
export function printSignatures(actions: readonly Action[], types: CustomTypes): string {
  const roots = (['query', 'mutation'] as const).flatMap((root): DefinitionNode[] => {
    const fields = actions
      .filter(({ definition }) => definition.type === root)
      .toSorted((left, right) => (left.name < right.name ? -1 : 1))
      .map(({ name, definition }) => ({
        ...field({ name, type: definition.output_type }),
        arguments: definition.arguments.map(argument),
      }));
    if (fields.length === 0) return [];
    return [
      { kind: Kind.OBJECT_TYPE_DEFINITION, name: nameNode(root === 'query' ? 'Query' : 'Mutation'), fields },
    ];
  });
  const definitions: DefinitionNode[] = [
    ...roots,
    ...types.input_objects.map(
      (type): DefinitionNode => ({
        kind: Kind.INPUT_OBJECT_TYPE_DEFINITION,
        ...named(type),
        fields: type.fields.map(argument),
      }),
    ),
    ...types.objects.map(
      (type): DefinitionNode => ({
        kind: Kind.OBJECT_TYPE_DEFINITION,
        ...named(type),
        fields: type.fields.map(field),
      }),
    ),
    ...types.scalars.map((type): DefinitionNode => ({ kind: Kind.SCALAR_TYPE_DEFINITION, ...named(type) })),
    ...types.enums.map(
      (type): DefinitionNode => ({
        kind: Kind.ENUM_TYPE_DEFINITION,
        ...named(type),
        values: type.values.map(({ value, description, is_deprecated }) => ({
          kind: Kind.ENUM_VALUE_DEFINITION,
          ...named({ name: value, description }),
          directives: is_deprecated ? [DEPRECATED] : [],
        })),
      }),
    ),
  ];
  return `${definitions.map(print).join('\n\n')}\n`;
}

interface Named {
  readonly name: string;
  readonly description?: string | null | undefined;
}

const DEPRECATED: ConstDirectiveNode = { kind: Kind.DIRECTIVE, name: nameNode('deprecated') };

function nameNode(value: string): NameNode {
  return { kind: Kind.NAME, value };
}

function named({ name, description }: Named): { name: NameNode; description?: StringValueNode } {
  if (description === undefined || description === null) return { name: nameNode(name) };
  return { name: nameNode(name), description: { kind: Kind.STRING, value: description, block: true } };
}

function field(item: Named & { readonly type: string }): FieldDefinitionNode {
  return { kind: Kind.FIELD_DEFINITION, ...named(item), type: parseType(item.type) };
}

function argument(item: Named & { readonly type: string }): InputValueDefinitionNode {
  return { kind: Kind.INPUT_VALUE_DEFINITION, ...named(item), type: parseType(item.type) };
}
