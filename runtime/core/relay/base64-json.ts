/** Global ids and cursors: JSON in base64, made by Postgres, read here. Clients may send anything in their place. */
import { parseExactJson } from '../json/exact-json.ts';
import { type Sql, sql } from '../sql/fragment.ts';
import { type ColumnType, NumberText } from '../types.ts';

/** SQL of the text for a JSON value. Postgres breaks base64 into lines. */
export function base64Json(json: Sql): Sql {
  return sql`translate(encode(convert_to((${json})::text, 'UTF8'), 'base64'), chr(10), '')`;
}

/** The JSON value of a text; undefined if the text is not of that form. */
export function readBase64Json(text: unknown): unknown {
  if (typeof text !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  try {
    return parseExactJson(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'base64')));
  } catch {
    return undefined;
  }
}

/** Types whose JSON is another text than the one that Postgres reads, or loses something. */
function isWrittenAsText({ family, element }: ColumnType): boolean {
  return element !== undefined || ['unknown', 'geometry', 'geography', 'raster'].includes(family);
}

/** SQL of the value as it goes into the JSON. */
export function jsonValue(type: ColumnType, value: Sql): Sql {
  return isWrittenAsText(type) ? sql`(${value})::text` : value;
}

/** True if a value of the JSON is one that `jsonValue` may have written for the type, or null. */
export function isJsonValue(type: ColumnType, value: unknown): boolean {
  if (value === null) return true;
  if (isWrittenAsText(type)) return typeof value === 'string';
  switch (type.family) {
    case 'json':
    case 'jsonb':
      return true;
    case 'boolean':
      return typeof value === 'boolean';
    case 'integer':
      return value instanceof NumberText ? /^-?\d+$/.test(value.text) : Number.isInteger(value);
    case 'float':
      // money is a text, and so are the values that JSON has no number for.
      if (typeof value === 'string') return type.name === 'money' || /^(?:NaN|-?Infinity)$/.test(value);
      return typeof value === 'number' || value instanceof NumberText;
    default:
      return typeof value === 'string';
  }
}
