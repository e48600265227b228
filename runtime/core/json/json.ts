/** JSON values, and places in a document of them. */

import { NumberText } from './json-value.ts';

/** A number is a NumberText if JavaScript's number would print another value. `jsonText` prints both. */
export type Json = null | boolean | number | NumberText | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** `['sources', 0, 'tables', 3, 'select_permissions', 1]`: keys and indexes from the top of the metadata document. */
export type MetadataPath = readonly (string | number)[];

/** An entry that a diagnostic can point at. */
export interface Located {
  readonly path: MetadataPath;
}

/** True for a JSON object. A number with all its digits does not count. */
export function isObject(input: Json | undefined): input is JsonObject;
export function isObject(input: unknown): input is Readonly<Record<string, unknown>>;
export function isObject(input: unknown): boolean {
  return (
    typeof input === 'object' && input !== null && !Array.isArray(input) && !(input instanceof NumberText)
  );
}

/** The same JSON with the keys of every object inside it in alphabetical order. */
export function sortKeys<Value extends Json>(value: Value): Value {
  return sortJson(value) as Value;
}

function sortJson(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortJson);
  if (!isObject(value)) return value;
  const sorted = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, inner]) => [key, sortJson(inner)]));
}
