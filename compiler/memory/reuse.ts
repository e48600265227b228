/**
 * Keeps the identity of what did not change, so that everything made of it can be recognised by identity. Plain data
 * only; the order of keys counts, because it is the order in the output.
 * @rule What counts as unchanged between two compiles?
 */

import type { SourceCatalog } from '../../runtime/catalog/catalog.ts';
import { objectKey } from '../../runtime/core/names.ts';
import { NumberText } from '../../runtime/core/types.ts';
import type { Metadata, QueryCollection, Source } from '../../runtime/metadata/metadata.ts';
import type { Memory } from './memory.ts';

/** `previous` if it says the same as `next`, else `next`. */
export function reuse<Value>(next: Value, previous: Value | undefined): Value {
  return previous !== undefined && equal(next, previous) ? previous : next;
}

/**
 * A function for `Memory.update` that gives the last value of the owner where the next one says the same. Each has values of
 * its own.
 */
export function reuser<Value>(): (last: Value | undefined, owner: object, next: Value) => Value {
  return (last, _, next) => reuse(next, last);
}

function equal(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (left instanceof Map) return right instanceof Map && equal([...left], [...right]);
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    for (let index = 0; index < left.length; index += 1) if (!equal(left[index], right[index])) return false;
    return true;
  }
  if (left instanceof NumberText) return right instanceof NumberText && left.text === right.text;
  // Other objects are compared by identity only.
  if (!isPlain(left) || !isPlain(right)) return false;
  const keys = Object.keys(left);
  const others = Object.keys(right);
  if (keys.length !== others.length) return false;
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index]!;
    if (key !== others[index] || !equal(left[key], right[key])) return false;
  }
  return true;
}

function isPlain(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The metadata with the entries of tables, functions and collections, and the list of inherited roles, that are as before. */
export function reuseMetadata(next: Metadata, previous: Metadata | undefined, memory: Memory): Metadata {
  if (previous === undefined || next === previous) return next;
  const before = new Map(previous.sources.map((source) => [source.name, source]));
  return {
    ...next,
    sources: next.sources.map((source) => reuseSource(source, before.get(source.name), memory)),
    query_collections: next.query_collections.map((collection) =>
      reuseCollection(
        collection,
        previous.query_collections.find(({ name }) => name === collection.name),
      ),
    ),
    inherited_roles: reuse(next.inherited_roles, previous.inherited_roles),
  };
}

function reuseCollection(next: QueryCollection, previous: QueryCollection | undefined): QueryCollection {
  if (previous === undefined || next === previous) return next;
  const before = new Map(previous.definition.queries.map((query) => [query.name, query]));
  const queries = next.definition.queries.map((query) => reuse(query, before.get(query.name)));
  return { ...next, definition: { ...next.definition, queries } };
}

function reuseSource(next: Source, previous: Source | undefined, memory: Memory): Source {
  if (previous === undefined || next === previous) return next;
  const tables = new Map(
    previous.tables.map((entry) => [objectKey(entry.table.schema, entry.table.name), entry]),
  );
  const functions = new Map(
    previous.functions.map((entry) => [objectKey(entry.function.schema, entry.function.name), entry]),
  );
  return {
    ...next,
    configuration: reuse(next.configuration, previous.configuration),
    ...(next.customization && { customization: reuse(next.customization, previous.customization) }),
    tables: next.tables.map((entry) =>
      compareOnce(entry, tables.get(objectKey(entry.table.schema, entry.table.name)), reuseParts, memory),
    ),
    functions: next.functions.map((entry) =>
      compareOnce(
        entry,
        functions.get(objectKey(entry.function.schema, entry.function.name)),
        reuseParts,
        memory,
      ),
    ),
  };
}

/** `previous` if it says the same, else `next` with those of its properties that are as before. */
function reuseParts<Value extends object>(next: Value, previous: Value): Value {
  const value = reuse(next, previous);
  if (value === previous) return value;
  const entries = Object.entries(value).map(([key, part]) => [
    key,
    reuse(part, previous[key as keyof Value]),
  ]);
  return Object.fromEntries(entries) as Value;
}

/** Compares an input once: it is passed again with every compile. */
function compareOnce<Value extends object>(
  next: Value,
  previous: Value | undefined,
  compare: (next: Value, previous: Value) => Value,
  memory: Memory,
): Value {
  if (previous === undefined || next === previous) return next;
  return memory.call(compare, next, previous);
}

/** The catalog with the tables, types and functions that are as before. */
export function reuseCatalog(
  next: SourceCatalog,
  previous: SourceCatalog | undefined,
  memory: Memory,
): SourceCatalog {
  return compareOnce(next, previous, reuseCatalogParts, memory);
}

function reuseCatalogParts(next: SourceCatalog, previous: SourceCatalog): SourceCatalog {
  const tables = new Map(previous.tables.map((table) => [objectKey(table.schema, table.name), table]));
  const catalog = {
    ...next,
    tables: next.tables.map((table) => reuse(table, tables.get(objectKey(table.schema, table.name)))),
    types: reuse(next.types, previous.types),
    functions: reuse(next.functions, previous.functions),
    enumTables: reuse(next.enumTables, previous.enumTables),
  };
  return reuse(catalog, previous);
}
