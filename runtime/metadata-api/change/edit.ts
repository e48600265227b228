/**
 * Looking things up in the metadata and making changed copies of it. Untouched parts are shared between the copies, so
 * that a later comparison by identity finds what an operation changed.
 */

import { EngineError } from '../../core/errors.ts';
import { quotedName } from '../../core/names.ts';
import type { FunctionEntry, Metadata, QualifiedName, Source, TableEntry } from '../../metadata/metadata.ts';
import { sameName } from '../request/names.ts';

/** Entries made by operations come from no document. */
export const NO_PATH = { path: [] } as const;

/** The source; throws `not-exists`. */
export function findSource(metadata: Metadata, name: string): Source {
  const source = metadata.sources.find((candidate) => candidate.name === name);
  if (source === undefined) throw new EngineError('not-exists', `source with name "${name}" does not exist`);
  return source;
}

export function trackedTableEntry(
  metadata: Metadata,
  source: string,
  table: QualifiedName,
): TableEntry | undefined {
  return metadata.sources
    .find((candidate) => candidate.name === source)
    ?.tables.find((entry) => sameName(entry.table, table));
}

/** The tracked table; throws `not-exists`, at `path` (relative to the arguments). */
export function findTable(metadata: Metadata, source: string, table: QualifiedName, path = '$'): TableEntry {
  findSource(metadata, source);
  const entry = trackedTableEntry(metadata, source, table);
  if (entry === undefined) {
    throw new EngineError('not-exists', `table ${quotedName(table)} does not exist in source: ${source}`, {
      path,
    });
  }
  return entry;
}

export function trackedFunctionEntry(
  metadata: Metadata,
  source: string,
  name: QualifiedName,
): FunctionEntry | undefined {
  return metadata.sources
    .find((candidate) => candidate.name === source)
    ?.functions.find((entry) => sameName(entry.function, name));
}

/** The tracked function; throws `not-exists`. */
export function findFunction(metadata: Metadata, source: string, name: QualifiedName): FunctionEntry {
  findSource(metadata, source);
  const entry = trackedFunctionEntry(metadata, source, name);
  if (entry === undefined) {
    throw new EngineError('not-exists', `function ${quotedName(name)} does not exist in source: ${source}`);
  }
  return entry;
}

/** The metadata with one source changed; throws `not-exists`. */
export function withSource(metadata: Metadata, name: string, change: (source: Source) => Source): Metadata {
  findSource(metadata, name);
  return { ...metadata, sources: replaceWhere(metadata.sources, (source) => source.name === name, change) };
}

/** The metadata with one tracked table changed; throws `not-exists`. */
export function withTable(
  metadata: Metadata,
  source: string,
  table: QualifiedName,
  change: (entry: TableEntry) => TableEntry,
): Metadata {
  findTable(metadata, source, table);
  return withSource(metadata, source, (owner) => ({
    ...owner,
    tables: replaceWhere(owner.tables, (entry) => sameName(entry.table, table), change),
  }));
}

/** The metadata with one tracked function changed; throws `not-exists`. */
export function withFunction(
  metadata: Metadata,
  source: string,
  name: QualifiedName,
  change: (entry: FunctionEntry) => FunctionEntry,
): Metadata {
  findFunction(metadata, source, name);
  return withSource(metadata, source, (owner) => ({
    ...owner,
    functions: replaceWhere(owner.functions, (entry) => sameName(entry.function, name), change),
  }));
}

/** The list with the matching items changed; the others keep their identity. */
export function replaceWhere<Item>(
  list: readonly Item[],
  matches: (item: Item) => boolean,
  change: (item: Item) => Item,
): readonly Item[] {
  return list.map((item) => (matches(item) ? change(item) : item));
}

/** A tracked table with nothing but what was given. */
export function newTableEntry(
  head: Pick<TableEntry, 'table'> &
    Partial<Pick<TableEntry, 'is_enum' | 'configuration' | 'apollo_federation_config'>>,
): TableEntry {
  return {
    ...NO_PATH,
    is_enum: false,
    configuration: { column_config: {}, custom_root_fields: {} },
    object_relationships: [],
    array_relationships: [],
    computed_fields: [],
    remote_relationships: [],
    insert_permissions: [],
    select_permissions: [],
    update_permissions: [],
    delete_permissions: [],
    event_triggers: [],
    ...head,
  };
}

/** `value` under `key`, or no key at all: for optional properties. */
export function optionally<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { readonly [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]?: Value });
}

/** The object without a property. */
export function without<T extends object, Key extends keyof T>(value: T, key: Key): Omit<T, Key> {
  const { [key]: _, ...rest } = value;
  return rest;
}
