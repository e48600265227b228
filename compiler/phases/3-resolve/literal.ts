/**
 * Literals that PostgreSQL would refuse to read as values of a type, at each request that needs the rule. Known are the types whose
 * values have one notation; of others (dates, ranges, types of extensions) only a database can tell: see `compile --prove`.
 */
import { type ColumnType, NumberText } from '../../../runtime/core/types.ts';
import type { Json } from '../../../runtime/metadata/metadata.ts';

/** Why the literal is not a value of the type; undefined: it is one, or it is not known. Numbers must fit the family already. */
export function literalMisfit(type: ColumnType, json: Json): string | undefined {
  if (Array.isArray(json))
    return json
      .map((item: Json) => literalMisfit(type.element ?? type, item))
      .find((reason) => reason !== undefined);
  // The text of a whole array.
  if (type.element && typeof json === 'string' && json.startsWith('{')) return undefined;
  const each = type.element ?? type;
  return typeof json === 'string' ? textMisfit(each, json) : beyondRange(each, json);
}

/** `"a", "b"` */
export function quotedList(values: readonly string[]): string {
  return values.map((value) => `"${value}"`).join(', ');
}

const INTEGER = /^\s*[+-]?(?:\d[\d_]*|0x[\da-f_]+|0o[0-7_]+|0b[01_]+)\s*$/i;
const NUMBER =
  /^\s*[+-]?(?:(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:e[+-]?\d[\d_]*)?|0[xob][\da-f_.p+-]+|nan|inf|infinity)\s*$/i;
/** Beginnings of words count, but for those of `on` and `off` that are the same. */
const BOOLEAN = /^\s*(?:t(?:r(?:u(?:e)?)?)?|f(?:a(?:l(?:s(?:e)?)?)?)?|y(?:e(?:s)?)?|no?|on|off?|[01])\s*$/i;
const UUID = /^\{?(?:[\da-f]{4}-?){7}[\da-f]{4}\}?$/i;

/** Notations by the name of the type: whatever a version of PostgreSQL reads fits. */
const NOTATIONS: Readonly<Record<string, RegExp>> = {
  ...{ int2: INTEGER, int4: INTEGER, int8: INTEGER },
  ...{ float4: NUMBER, float8: NUMBER, numeric: NUMBER },
  ...{ bool: BOOLEAN, uuid: UUID },
};

function textMisfit({ name, sql, values }: ColumnType, text: string): string | undefined {
  if (values)
    return values.includes(text)
      ? undefined
      : `expected one of the values ${quotedList(values)} of the enum type "${name}", but found "${text}"`;
  return NOTATIONS[name]?.test(text) === false ? `"${text}" is not a value of type ${sql}` : undefined;
}

function beyondRange({ name }: ColumnType, json: Json): string | undefined {
  const read = name === 'float4' ? Math.fround : name === 'float8' ? Number : undefined;
  if (read === undefined || (typeof json !== 'number' && !(json instanceof NumberText))) return undefined;
  const value = read(Number(json));
  const isLost = value === 0 && /[1-9]/.test(String(json).replace(/e.*/i, ''));
  return isLost || !Number.isFinite(value) ? `${json} is out of range for type ${name}` : undefined;
}
