/** Values of join columns, as the left side's JSON has them → texts that Postgres reads as the column's type. */
import type { Column } from '../program.ts';
import type { SourceShape } from '../shapes.ts';

/** The texts of a tuple; undefined where a value cannot be one of its column's type, so that nothing can be equal. */
export function encodeKey(
  source: SourceShape,
  columns: readonly Column[],
  values: readonly string[],
): string[] | undefined {
  const texts: string[] = [];
  for (const [index, column] of columns.entries()) {
    const text = keyText(values[index]!);
    if (!isOfType(text, column, source)) return undefined;
    texts.push(text);
  }
  return texts;
}

/** The text of a JSON value: of a string its characters, of everything else the JSON. */
function keyText(json: string): string {
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

const INTEGER = /^[+-]?\d{1,19}$/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/;
const UUID = /^[\da-f]{8}(?:-?[\da-f]{4}){3}-?[\da-f]{12}$/i;
const DATE = /^\d{4,6}-\d\d-\d\d(?:$|[T ])/;
const BITS: Readonly<Record<string, bigint>> = { int2: 15n, int4: 31n, int8: 63n };

function isOfType(text: string, { type, enumTable }: Column, source: SourceShape): boolean {
  if (text.includes('\0')) return false;
  if (enumTable) return Object.hasOwn(enumTable.shape.enumValues ?? {}, text);
  switch (type.family) {
    case 'integer':
      return INTEGER.test(text) && fits(BigInt(text), BITS[type.name] ?? 63n);
    case 'float':
      return NUMBER.test(text);
    case 'boolean':
      return /^(?:true|false)$/.test(text);
    case 'uuid':
      return UUID.test(text);
    case 'date':
      return type.name === 'timetz' || DATE.test(text);
    default: {
      const declared = source.types[type.key];
      return declared?.kind === 'enum' ? declared.values.includes(text) : true;
    }
  }
}

function fits(value: bigint, bits: bigint): boolean {
  const limit = 1n << bits;
  return value >= -limit && value < limit;
}

/** A list of texts as Postgres writes an array of them. */
export function arrayText(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
