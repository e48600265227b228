/** Pieces that every part of an export is made with. */
import type { Json, JsonObject, QualifiedName } from './metadata.ts';

/** A name the way exports print it. */
export function exportName({ schema, name }: QualifiedName): JsonObject {
  return { name, schema };
}

/** An object without its undefined properties. */
export function present(properties: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).filter(([, value]) => value !== undefined),
  ) as JsonObject;
}

/** A part of the model whose properties are the metadata's own, as JSON. */
export function plain(value: object): JsonObject {
  return value as JsonObject;
}

/** Undefined instead of an empty list. */
export function nonEmpty<Item>(items: readonly Item[]): readonly Item[] | undefined {
  return items.length === 0 ? undefined : items;
}

/** Undefined instead of an object without keys; else with its keys sorted. */
export function nonEmptyObject(object: JsonObject): JsonObject | undefined {
  return Object.keys(object).length === 0 ? undefined : sortKeys(object);
}

/** The same JSON with the keys of every object inside it in alphabetical order. */
export function sortKeys(value: JsonObject): JsonObject {
  return sortJson(value) as JsonObject;
}

function sortJson(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortJson);
  if (typeof value !== 'object' || value === null) return value;
  const sorted = Object.entries(value as JsonObject).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, inner]) => [key, sortJson(inner)]));
}
