import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { at, type Diagnostic, hasErrors } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { nearest } from '../../../runtime/core/diagnostics/nearest.ts';
import type { Result } from '../../../runtime/core/diagnostics/result.ts';
import { parseExactJson } from '../../../runtime/core/json/exact-json.ts';
import { isObject } from '../../../runtime/core/json/json.ts';
import { fileProblem } from '../../../runtime/core/reasons.ts';
import type { Metadata } from '../../../runtime/metadata/metadata.ts';
import { emptyMetadata } from '../../../runtime/metadata/metadata.ts';
import { createOrigin, type Origin, type PositionNode } from '../../../runtime/metadata/origin.ts';
import { type ReadingOptions, readMetadata } from '../../../runtime/metadata/read-metadata.ts';
import { mergeActions } from './actions-sdl.ts';
import { JsonSyntaxError, locator, scanJson } from './json-positions.ts';
import { createYamlFiles, type ParsedFiles, readTextFile, type YamlFiles } from './yaml-files.ts';

/** Reads metadata from files, with the position of each part for later diagnostics. */
export interface FileResult extends Result<Metadata> {
  readonly origin: Origin;
}

export interface FileOptions extends Pick<ReadingOptions, 'vocabulary'> {
  readonly parsed?: ParsedFiles;
}

/**
 * Reads metadata from a file, JSON or (`.yaml`, `.yml`) YAML, or from a directory of YAML (`version.yaml`,
 * `databases/databases.yaml`, …; a flat `tables.yaml` in version 2). Never throws for bad input: a path that cannot be opened
 * is a diagnostic too.
 * @param options.parsed files that were read earlier; those that are read now are added
 * @param options.vocabulary the one that the metadata is written in; `engine` unless given
 */
export function readMetadataFile(path: string, options: FileOptions = {}): FileResult {
  const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (isDirectory) return readDirectory(path, options);
  return /\.ya?ml$/.test(path) ? readYamlFile(path, options) : readJsonFile(path, options);
}

function readJsonFile(file: string, options: FileOptions): FileResult {
  const text = readTextFile(file);
  if (typeof text !== 'string') return unreadable(file, text.code === 'ENOENT' ? NO_FILE : fileProblem(text));
  let document: unknown;
  try {
    document = parseExactJson(text);
  } catch {
    return nothing([jsonError(text, file)]);
  }
  return readDocument(document, () => scanJson(text, file), options);
}

/** All metadata in one file, as early engines of the API family export it. */
function readYamlFile(file: string, options: FileOptions): FileResult {
  const diagnostics: Diagnostic[] = [];
  const loaded = createYamlFiles(diagnostics).load(file, []);
  if (!loaded) return unreadable(file, NO_FILE);
  if (hasErrors(diagnostics)) return nothing(diagnostics);
  return readDocument(loaded.value, () => loaded.positions, options);
}

function readDocument(
  document: unknown,
  positions: () => PositionNode,
  { vocabulary }: FileOptions,
): FileResult {
  const metadata = isAnswerOfExport(document) ? document.metadata : document;
  const origin = createOrigin(metadata, () =>
    metadata === document ? positions() : positions().children?.get('metadata'),
  );
  return { ...readMetadata(metadata, { origin, vocabulary }), origin };
}

/** `{resource_version, metadata}`, as `export_metadata` answers in its version 2. */
function isAnswerOfExport(document: unknown): document is { readonly metadata: object } {
  return isObject(document) && isObject(document.metadata) && document.version === undefined;
}

/** Node's own message names no line, and not the same thing in every version. */
function jsonError(text: string, file: string): Diagnostic {
  try {
    scanJson(text, file);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const location = locator(text, file)(error.offset);
    return { ...at([], messages.metadataJsonInvalid({ reason: error.message })), location };
  }
  throw new Error(`${file}: the JSON parser and the position scanner disagree`);
}

const NO_FILE = 'there is no such file or directory';

function unreadable(file: string, reason: string): FileResult {
  const location = { file, line: 1, column: 1 };
  return nothing([{ ...at([], messages.metadataFileUnreadable({ file, reason })), location }]);
}

function nothing(diagnostics: readonly Diagnostic[]): FileResult {
  return { value: emptyMetadata, diagnostics, origin: createOrigin(undefined, () => undefined) };
}

/** Files whose whole value is the value of a key. */
const valueFiles: Readonly<Record<string, string>> = {
  'remote_schemas.yaml': 'remote_schemas',
  'query_collections.yaml': 'query_collections',
  'allow_list.yaml': 'allowlist',
  'cron_triggers.yaml': 'cron_triggers',
  'rest_endpoints.yaml': 'rest_endpoints',
  'api_limits.yaml': 'api_limits',
  'metrics_config.yaml': 'metrics_config',
  'inherited_roles.yaml': 'inherited_roles',
  'graphql_schema_introspection.yaml': 'graphql_schema_introspection',
  'network.yaml': 'network',
  'backend_configs.yaml': 'backend_configs',
  'opentelemetry.yaml': 'opentelemetry',
  // Version 2: the one source is spread over the top.
  'tables.yaml': 'tables',
  'functions.yaml': 'functions',
};

function readDirectory(directory: string, { parsed, vocabulary }: FileOptions): FileResult {
  const diagnostics: Diagnostic[] = [];
  const files = createYamlFiles(diagnostics, parsed);
  const document: Record<string, unknown> = {};
  const children = new Map<string | number, PositionNode>();
  const add = (key: string, value: unknown, positions: PositionNode) => {
    document[key] = value;
    children.set(key, positions);
  };

  const version = files.load(join(directory, 'version.yaml'), ['version']);
  if (version) {
    add('version', isObject(version.value) ? version.value.version : version.value, version.positions);
  }
  const sources = files.load(join(directory, 'databases', 'databases.yaml'), ['sources']);
  if (sources) add('sources', sources.value, sources.positions);
  for (const [file, key] of Object.entries(valueFiles)) {
    const loaded = files.load(join(directory, file), [key]);
    if (loaded) add(key, loaded.value, loaded.positions);
  }
  readActions(directory, files, diagnostics, add);
  warnOfIgnoredFiles(directory, files, diagnostics);

  // version.yaml alone is no metadata either.
  if (Object.keys(document).every((key) => key === 'version') && diagnostics.length === 0)
    return nothing([
      {
        ...at([], messages.metadataFolderEmpty({ folder: directory })),
        location: { file: directory, line: 1, column: 1 },
      },
    ]);
  // The layout tells the version of a directory without version.yaml.
  if (!version) document.version = 'tables' in document && !('sources' in document) ? 2 : 3;
  const root: PositionNode = {
    location: { file: join(directory, 'version.yaml'), line: 1, column: 1 },
    children,
  };
  const origin = createOrigin(document, () => root);
  const { value, diagnostics: found } = readMetadata(document, { origin, vocabulary });
  return { value, diagnostics: [...diagnostics, ...found], origin };
}

function readActions(
  directory: string,
  files: YamlFiles,
  diagnostics: Diagnostic[],
  add: (key: string, value: unknown, positions: PositionNode) => void,
): void {
  const yaml = files.load(join(directory, 'actions.yaml'), []);
  const sdlFile = join(directory, 'actions.graphql');
  if (existsSync(sdlFile)) {
    const sdl = readTextFile(sdlFile);
    if (typeof sdl !== 'string') {
      const reason = fileProblem(sdl);
      diagnostics.push(at(['actions'], messages.metadataFileUnreadable({ file: sdlFile, reason })));
      return;
    }
    const merged = mergeActions(sdl, sdlFile, yaml, diagnostics);
    for (const [key, value] of Object.entries(merged.value)) {
      add(key, value, merged.positions.get(key) ?? { location: { file: sdlFile, line: 1, column: 1 } });
    }
  } else if (yaml && isObject(yaml.value)) {
    for (const [key, value] of Object.entries(yaml.value)) {
      add(key, value, yaml.positions.children?.get(key) ?? yaml.positions);
    }
  }
}

/** A misspelt file name must not silently leave out all that the file says. */
function warnOfIgnoredFiles(directory: string, files: YamlFiles, diagnostics: Diagnostic[]): void {
  const known = [...Object.keys(valueFiles), 'version.yaml', 'actions.yaml', 'actions.graphql'];
  for (const name of readdirSync(directory).sort()) {
    const file = join(directory, name);
    if (!/\.(ya?ml|graphql)$/.test(name) || known.includes(name) || files.visited.has(resolve(file)))
      continue;
    const location = { file, line: 1, column: 1 };
    diagnostics.push({
      ...at([], messages.metadataFileIgnored({ file: name, nearest: nearest(name, known) })),
      location,
    });
  }
}
