/** Global ids and cursors: JSON in base64, made by Postgres, read here. Clients may send anything in their place. */
import { parseExactJson } from '../json/exact-json.ts';
import { builtIn, raw, type Sql, sql } from '../sql/fragment.ts';
import { nested } from '../sql/statement.ts';
import { type ColumnType, encodeValue, NumberText } from '../types.ts';

/** SQL of the text for a JSON value. Postgres breaks base64 into lines. */
export function base64Json(json: Sql): Sql {
  return builtIn(
    'translate',
    builtIn('encode', builtIn('convert_to', sql`${nested(json)}::text`, raw(`'UTF8'`)), raw(`'base64'`)),
    builtIn('chr', raw('10')),
    raw(`''`),
  );
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

/**
 * Types whose JSON is another text than the one that Postgres reads, or loses something: of a jsonb value, whether it is the
 * null of JSON or none.
 */
function isWrittenAsText({ family, element }: ColumnType): boolean {
  return element !== undefined || TEXTS.has(family);
}

const TEXTS: ReadonlySet<ColumnType['family']> = new Set([
  ...(['unknown', 'json', 'jsonb', 'geometry', 'geography', 'raster'] as const),
]);

/** SQL of the value as it goes into the JSON. */
export function jsonValue(type: ColumnType, value: Sql): Sql {
  return isWrittenAsText(type) ? sql`(${value})::text` : value;
}

/**
 * The text that Postgres reads as the value again; undefined if `jsonValue` cannot have written it for the type.
 * @throws EngineError as encodeValue
 */
export function readJsonValue(type: ColumnType, value: unknown): string | null | undefined {
  if (value === null) return null;
  if (isWrittenAsText(type)) return typeof value === 'string' ? value : undefined;
  return isJsonValue(type, value) ? encodeValue(type, value) : undefined;
}

function isJsonValue(type: ColumnType, value: unknown): boolean {
  switch (type.family) {
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
