/**
 * Values of join columns, as the left side's JSON has them → texts that Postgres reads as the column's type.
 * @rule Which values can a join find equal?
 */

import type { SourceShape } from '../contract/shapes.ts';
import type { Column } from '../program/program.ts';

/** The texts of a tuple; undefined where a value cannot be one of its column's type, so that nothing can be equal. */
export function encodeKey(
  source: SourceShape,
  columns: readonly Column[],
  values: readonly string[],
): string[] | undefined {
  const texts = values.map(keyText);
  return columns.every((column, index) => isOfType(texts[index]!, column, source)) ? texts : undefined;
}

/** The text of a JSON value: of a string its characters, of everything else the JSON. */
export function keyText(json: string): string {
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

const INTEGER = /^[+-]?\d{1,19}$/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/;
const UUID = /^[\da-f]{8}(?:-?[\da-f]{4}){3}-?[\da-f]{12}$/i;
const DATE = /^\d{4,6}-\d\d-\d\d(?:$|[T ])/;
/** As PostgreSQL writes what is no number and no day. */
const NO_NUMBER = /^(?:NaN|-?Infinity)$/;
const NO_DAY = /^-?infinity$/;
const LIMITS: Readonly<Record<string, bigint>> = { int2: 1n << 15n, int4: 1n << 31n, int8: 1n << 63n };

function isOfType(text: string, { type, enumTable }: Column, source: SourceShape): boolean {
  if (text.includes('\0')) return false;
  if (enumTable) return Object.hasOwn(enumTable.shape.enumValues ?? {}, text);
  switch (type.family) {
    case 'integer':
      return INTEGER.test(text) && fits(text, LIMITS[type.name] ?? LIMITS.int8!);
    case 'float':
      return NUMBER.test(text) || (type.name !== 'money' && NO_NUMBER.test(text));
    case 'boolean':
      return /^(?:true|false)$/.test(text);
    case 'uuid':
      return UUID.test(text);
    case 'date':
      return type.name === 'timetz' || DATE.test(text) || NO_DAY.test(text);
    default: {
      const declared = source.types[type.key];
      return declared?.kind === 'enum' ? declared.values.includes(text) : true;
    }
  }
}

/** Comparisons of numbers with bigints are exact; up to 15 digits, a number is as well. */
function fits(text: string, limit: bigint): boolean {
  const value = text.length <= 15 ? Number(text) : BigInt(text);
  return value >= -limit && value < limit;
}

/** A list of texts as Postgres writes an array of them; undefined is its NULL. */
export function arrayText(texts: readonly (string | undefined)[]): string {
  const item = (text: string | undefined) =>
    text === undefined ? 'NULL' : `"${text.replace(/["\\]/g, '\\$&')}"`;
  return `{${texts.map(item).join(',')}}`;
}
