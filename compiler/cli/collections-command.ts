/** `engine collections import`: a client's manifest of persisted operations becomes a query collection of the metadata. */

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Document, isMap, isSeq, LineCounter, parseDocument, type YAMLMap } from 'yaml';
import { parseExactJson, TooDeep } from '../../runtime/core/json/exact-json.ts';
import { fileProblem, jsonProblem } from '../../runtime/core/reasons.ts';
import { jsonText } from '../../runtime/core/types.ts';
import { yamlProblem } from '../yaml-problem.ts';
import { ManifestError, type ManifestOperation, readManifest } from './client-manifest.ts';
import type { CommandContext } from './command.ts';

export interface ImportOptions {
  /** JSON file (ends in `.json`) or directory. */
  readonly metadata: string;
  /** The collection's name. */
  readonly name: string;
  readonly comment?: string;
}

/** Writes the manifest's operations into the metadata, where they replace those of the collection. */
export function importCommand(manifest: string, options: ImportOptions, context: CommandContext): number {
  const { operations, calledById } = readManifest(readJson(manifest));
  const directory = statSync(options.metadata, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const file = directory ? join(options.metadata, 'query_collections.yaml') : options.metadata;
  const { before, text } = directory
    ? intoDirectory(options.metadata, file, operations, options)
    : intoJson(file, operations, options);
  const count = `${operations.length} operation${operations.length === 1 ? '' : 's'}`;
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new ManifestError(`Cannot write ${file}: ${fileProblem(error)}.`);
  }
  context.stdout(`${options.name}: ${count} (${differences(before, operations)}) → ${file}\n`);
  if (calledById.length > 0)
    context.stdout(`Called by ids that are not hashes of their texts: ${calledById.join(', ')}\n`);
  return 0;
}

interface Imported {
  /** Previous operations of the collection, name → text; undefined if it is new. */
  readonly before: ReadonlyMap<string, string> | undefined;
  /** Content of the file to write. */
  readonly text: string;
}

/** Touches the one collection only: comments and order of the others stay. */
function intoDirectory(
  directory: string,
  file: string,
  operations: readonly ManifestOperation[],
  { name, comment }: ImportOptions,
): Imported {
  if (!statSync(join(directory, 'version.yaml'), { throwIfNoEntry: false }))
    throw new ManifestError(`The directory ${directory} holds no metadata: it has no version.yaml.`);
  const exists = statSync(file, { throwIfNoEntry: false }) !== undefined;
  const lines = new LineCounter();
  const document: Document = parseDocument(exists ? read(file) : '[]', {
    version: '1.2',
    schema: 'core',
    lineCounter: lines,
    prettyErrors: false,
  });
  const error = document.errors[0];
  if (error) throw new ManifestError(`${file} is not YAML: ${yamlProblem(error, lines)}.`);
  document.contents ??= document.createNode([]);
  const { contents } = document;
  if (!isSeq(contents)) throw new ManifestError(`${file} is not a list of collections.`);
  if (contents.items.length === 0) contents.flow = false;
  const known = contents.items.find((item) => isMap(item) && item.get('name') === name) as
    | YAMLMap
    | undefined;
  const before = known && namedTexts((known.toJSON() as Collection).definition?.queries);
  if (known) {
    known.setIn(['definition', 'queries'], document.createNode(operations));
    if (comment !== undefined) known.set('comment', comment);
  } else contents.add(document.createNode(collection(name, comment, operations)));
  return { before, text: document.toString({ lineWidth: 0 }) };
}

function intoJson(
  file: string,
  operations: readonly ManifestOperation[],
  { name, comment }: ImportOptions,
): Imported {
  const metadata = readJson(file);
  if (typeof metadata !== 'object' || metadata === null || !('version' in metadata))
    throw new ManifestError(`${file} holds no metadata: it has no version.`);
  const { query_collections: collections = [] } = metadata as { query_collections?: Collection[] };
  const known = collections.find((entry) => entry.name === name);
  const before = known && namedTexts(known.definition?.queries);
  const next = { ...known, ...collection(name, comment ?? known?.comment, operations) };
  const all = known ? collections.map((entry) => (entry === known ? next : entry)) : [...collections, next];
  return { before, text: `${jsonText({ ...metadata, query_collections: all }, '  ')}\n` };
}

interface Collection {
  readonly name: string;
  readonly comment?: string | undefined;
  readonly definition?: { readonly queries?: readonly ManifestOperation[] };
}

function collection(
  name: string,
  comment: string | undefined,
  queries: readonly ManifestOperation[],
): Collection {
  return { name, ...(comment === undefined ? {} : { comment }), definition: { queries } };
}

function namedTexts(queries: readonly ManifestOperation[] = []): ReadonlyMap<string, string> {
  return new Map(queries.map(({ name, query }) => [name, query]));
}

function differences(
  before: ReadonlyMap<string, string> | undefined,
  operations: readonly ManifestOperation[],
): string {
  if (!before) return 'a new collection';
  const names = new Set(operations.map(({ name }) => name));
  const added = operations.filter(({ name }) => !before.has(name)).length;
  const changed = operations.filter(
    ({ name, query }) => before.has(name) && before.get(name) !== query,
  ).length;
  const removed = [...before.keys()].filter((name) => !names.has(name)).length;
  return `${added} added, ${changed} changed, ${removed} removed`;
}

function readJson(file: string): unknown {
  const text = read(file);
  try {
    return parseExactJson(text);
  } catch (error) {
    const reason = error instanceof TooDeep ? error.message : jsonProblem(text);
    throw new ManifestError(`${file} is not JSON: ${reason}.`);
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ManifestError(`Cannot read ${file}: ${fileProblem(error)}.`);
  }
}
