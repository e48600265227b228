/** JSON objects as people type them. */
import { parseExactJson } from '../../core/json/exact-json.ts';
import { isObject, type Json, type JsonObject } from '../../core/json/json.ts';

/** @param what the text, for the error @throws Error where it is not a JSON object */
export function readObject(text: string, what: string, example: string): JsonObject {
  let value: Json;
  try {
    value = parseExactJson(text) as Json;
  } catch (error) {
    throw new Error(`${what} is not JSON: ${(error as Error).message}`);
  }
  if (!isObject(value)) throw new Error(`${what} has to be an object: ${example}`);
  return value;
}

/** Variables of an operation; an empty text has none. @throws Error */
export function readVariables(text: string): JsonObject {
  return readObject(text.trim() || '{}', 'The text of variables', '{"name": "value"}');
}
