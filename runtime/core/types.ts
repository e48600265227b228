/**
 * Postgres types as the GraphQL API sees them: which scalar they are, which operators and
 * aggregates they take, how a JSON value is written for them.
 * @rule Which numbers are strings in answers?
 */

import type { SourceShape } from './contract/shapes.ts';
import { EngineError, pathStep } from './errors.ts';
import { checkGeoJson } from './json/geojson.ts';
import { expectedKind, jsonText, NumberText } from './json/json-value.ts';
import { graphqlNameOf } from './names.ts';
import { remember } from './remember.ts';
import { quoteIdentifier } from './sql/fragment.ts';

export { expectedKind, jsonKind, jsonText, NumberText } from './json/json-value.ts';

/** The family of a type, which decides its operators and input. `unknown` types take strings only. */
type TypeFamily =
  | 'integer'
  | 'float'
  | 'boolean'
  | 'text'
  | 'json'
  | 'jsonb'
  | 'uuid'
  | 'date'
  | 'geometry'
  | 'geography'
  | 'raster'
  | 'ltree'
  | 'array'
  | 'unknown';

export interface ColumnType {
  /** Type key as generated files write it. */
  readonly key: string;
  /** The type below domains: its pg_type name. */
  readonly name: string;
  readonly family: TypeFamily;
  /** GraphQL scalar; of the element for arrays. */
  readonly scalar: string;
  /** Quoted SQL type for casts. Domains are cast to their base type. */
  readonly sql: string;
  /** A native enum: its values travel as strings of a scalar. */
  readonly native?: 'enum';
  /** Of a native enum, in its order. */
  readonly values?: readonly string[];
  readonly element?: ColumnType;
  /** A row: PostgreSQL reads no literal as one unless it is cast. */
  readonly isComposite?: true;
  /** A domain: `sql` is the type below it. */
  readonly isDomain?: true;
  /** The column's collation is nondeterministic. */
  readonly isNondeterministic?: true;
}

/** pg_catalog types with a family of their own; the SQL name is what people write. */
const BUILTIN: Readonly<Record<string, { family: TypeFamily; scalar?: string; sql?: string }>> = {
  int2: { family: 'integer', scalar: 'smallint', sql: 'smallint' },
  int4: { family: 'integer', scalar: 'Int', sql: 'integer' },
  int8: { family: 'integer', scalar: 'bigint', sql: 'bigint' },
  float4: { family: 'float', scalar: 'Float', sql: 'real' },
  float8: { family: 'float', scalar: 'float8', sql: 'double precision' },
  numeric: { family: 'float', sql: 'numeric' },
  money: { family: 'float', sql: 'money' },
  bool: { family: 'boolean', scalar: 'Boolean', sql: 'boolean' },
  text: { family: 'text', scalar: 'String', sql: 'text' },
  varchar: { family: 'text', scalar: 'String', sql: 'character varying' },
  bpchar: { family: 'text', sql: 'bpchar' },
  name: { family: 'unknown', sql: 'name' },
  uuid: { family: 'uuid', sql: 'uuid' },
  json: { family: 'json', sql: 'json' },
  jsonb: { family: 'jsonb', sql: 'jsonb' },
  date: { family: 'date', sql: 'date' },
  timestamp: { family: 'date', sql: 'timestamp' },
  timestamptz: { family: 'date', sql: 'timestamptz' },
  time: { family: 'unknown', sql: 'time' },
  timetz: { family: 'date', sql: 'timetz' },
};

/** How SQL names a type of pg_catalog; undefined for others. */
export function builtinSql(key: string): string | undefined {
  return BUILTIN[key]?.sql;
}

const SQL_NAMES: ReadonlySet<string> = new Set(Object.values(BUILTIN).flatMap(({ sql = [] }) => sql));

/** Types of extensions, recognised by name in whatever schema the extension lives. */
const EXTENSION: Readonly<Record<string, TypeFamily>> = {
  citext: 'text',
  ltree: 'ltree',
  geometry: 'geometry',
  geography: 'geography',
  raster: 'raster',
};

/** Types of one extension that operators on one of them name. */
const SIBLINGS: readonly (readonly string[])[] = [
  ['ltree', 'lquery', 'ltxtquery'],
  ['geometry', 'geography', 'raster'],
];

/** Memo: the shape of a source never changes. */
const cache = new WeakMap<SourceShape, Map<string, ColumnType>>();

/** Resolves a type key of a source. Keys that the source does not declare are types of pg_catalog. */
export function columnType(owner: SourceShape, key: string): ColumnType {
  const types = remember(cache, owner, () => new Map<string, ColumnType>());
  return remember(types, key, () => resolve(owner, key));
}

function resolve(owner: SourceShape, key: string): ColumnType {
  const declared = owner.types[key];
  if (declared?.kind === 'domain') return { ...columnType(owner, declared.base), key, isDomain: true };
  if (!declared && key.endsWith('[]')) {
    const element = columnType(owner, key.slice(0, -2));
    if (owner.arraysAsScalars) {
      const name = `_${element.name}`;
      return { key, name, family: 'unknown', scalar: graphqlNameOf(name), sql: `${element.sql}[]` };
    }
    return {
      key,
      name: `_${element.name}`,
      family: 'array',
      scalar: element.scalar,
      sql: `${element.sql}[]`,
      element,
    };
  }
  // A rule may name a type that no column has: another one of the extension that a column's type is of, such as lquery of ltree.
  const found = declared ?? (key.includes('.') ? { kind: 'base' as const } : undefined);
  if (found) {
    const [schema, name] = keyParts(key);
    const family = found.kind === 'base' ? (EXTENSION[name] ?? 'unknown') : 'unknown';
    const isRow = found.kind === 'composite' || found.kind === 'row';
    const named = {
      ...(found.kind === 'enum' && { native: 'enum' as const, values: found.values }),
      ...(isRow && { isComposite: true as const }),
    };
    // The table's object type may have the name.
    const scalar = graphqlNameOf(found.kind === 'row' ? `${name}_scalar` : name);
    return { key, name, family, scalar, sql: quoteIdentifier(schema, name), ...named };
  }
  // Arguments of operators and targets of casts have no schema; they are found through the search path.
  if (key === 'geometry' || key === 'geography')
    return { key, name: key, family: key, scalar: key, sql: key };
  const builtin = BUILTIN[key];
  return {
    key,
    name: key,
    family: builtin?.family ?? 'unknown',
    scalar: builtin?.scalar ?? key,
    sql: builtin?.sql ?? quoteIdentifier('pg_catalog', key),
  };
}

/** True if a text is a type of the source as `ColumnType.sql` writes it, or an array of one. */
export function isSqlType(owner: SourceShape, type: string): boolean {
  const base = type.replace(/(?:\[\])+$/, '');
  if (!base.startsWith('"')) return SQL_NAMES.has(base);
  if (base.startsWith('"pg_catalog".')) return true;
  return Object.keys(owner.types).some((key) => {
    const [schema, name] = keyParts(key);
    const siblings = SIBLINGS.find((names) => names.includes(name)) ?? [];
    return [name, ...siblings].some((each) => quoteIdentifier(schema, each) === base);
  });
}

/** Schema and name of an object key; see `objectKey`. */
function keyParts(key: string): [schema: string, name: string] {
  const parts = key.match(/"(?:[^"]|"")*"|[^."]+/g);
  if (parts?.length !== 2) throw new Error(`not a key of the form schema.name: ${key}`);
  const unquote = (part: string) => (part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part);
  return [unquote(parts[0]!), unquote(parts[1]!)];
}

/** sum, avg, stddev … and `_inc`. */
export function isNumeric(type: ColumnType): boolean {
  return type.family === 'integer' || type.family === 'float';
}

/** max and min: every type known to the engine but json, jsonb, geometry, geography, raster, boolean. */
export function isComparable(type: ColumnType): boolean {
  if (type.element || type.native === 'enum') return true;
  if (['integer', 'float', 'text', 'uuid', 'date', 'ltree'].includes(type.family)) return true;
  return type.family === 'unknown' && KNOWN_COMPARABLE.has(type.name);
}

const KNOWN_COMPARABLE = new Set(['name', 'time', 'interval']);

/** Numeric types that are printed as strings when numbers are to be stringified. */
export function isStringified(type: ColumnType): boolean {
  return ['int8', 'float8', 'numeric'].includes(type.element?.name ?? type.name);
}

const INTEGER_RANGES: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int2: [-32768n, 32767n],
  int4: [-2147483648n, 2147483647n],
  int8: [-9223372036854775808n, 9223372036854775807n],
};

/**
 * Writes a JSON value as the text that Postgres casts to the type. Strings are accepted for every type and left to
 * Postgres; other values must fit the family.
 * @throws EngineError parse-failed, with a path from `$` that the caller continues
 */
export function encodeValue(type: ColumnType, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (type.family === 'json' || type.family === 'jsonb') return jsonText(value);
  if (type.element) return encodeArray(type.element, value);
  if (type.family === 'geometry' || type.family === 'geography') {
    if (typeof value === 'string') return value;
    checkGeoJson(value);
    return jsonText(value);
  }
  if (type.family === 'raster') return hexadecimal(value);
  if (typeof value === 'string') return type.family === 'ltree' ? labelPath(value) : value;
  if (typeof value === 'number' || value instanceof NumberText) return encodeNumber(type, value);
  if (typeof value === 'boolean' && type.family === 'boolean') return value ? 'true' : 'false';
  throw mismatch(type, value);
}

/** A raster; what begins like one and is broken is left to PostGIS. */
function hexadecimal(value: unknown): string {
  if (typeof value === 'string' && /^(?:[\da-f]{2})+$/i.test(value)) return value;
  throw new EngineError(
    'parse-failed',
    'invalid hexadecimal representation of raster well known binary format',
  );
}

function encodeNumber(type: ColumnType, value: number | NumberText): string {
  const text = value instanceof NumberText ? value.text : String(value);
  // money has no notation with an exponent
  if (type.name === 'money') return plainDecimal(text);
  if (type.family === 'float') return text;
  if (type.family === 'integer') {
    const [low, high] = INTEGER_RANGES[type.name]!;
    // Nearly all of them, without the way through texts.
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= low && value <= high)
      return text;
    const exact = exactInteger(text);
    if (exact === undefined || exact < low || exact > high) {
      throw new EngineError(
        'parse-failed',
        `The value ${scientific(text)} lies outside the bounds or is not an integer. Maybe it is a float, or is there integer overflow?`,
      );
    }
    return exact.toString();
  }
  throw mismatch(type, value);
}

/** `-2E-2` → `-0.02`. */
function plainDecimal(text: string): string {
  const match = NUMBER.exec(text);
  if (!match?.[4]) return text;
  const [, sign, whole, fraction = '', exponentText] = match;
  const exponent = Number(exponentText);
  if (Math.abs(exponent) > 400) return text;
  const digits = whole! + fraction;
  const point = whole!.length + exponent;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return point >= digits.length
    ? `${sign}${digits}${'0'.repeat(point - digits.length)}`
    : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** A label path of ltree, checked here because Postgres reports a bad one as a mere syntax error. */
function labelPath(text: string): string {
  if (text === '' || /^[\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+)*$/u.test(text)) return text;
  throw new EngineError(
    'parse-failed',
    'Expecting label path: a sequence of zero or more labels separated by dots, for example L1.L2.L3',
  );
}

/** Sign, whole part, fraction, exponent. */
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** `1.5e3` → 1500n; undefined when the number has a fraction or is absurdly large. */
function exactInteger(text: string): bigint | undefined {
  const match = NUMBER.exec(text);
  if (!match) return undefined;
  const [, sign, whole, fraction = '', exponentText = '0'] = match;
  const exponent = Number(exponentText);
  if (Math.abs(exponent) > 400) return undefined;
  let digits = whole! + fraction;
  const shift = exponent - fraction.length;
  if (shift >= 0) digits += '0'.repeat(shift);
  else {
    const cut = digits.slice(shift).padStart(-shift, '0');
    if (/[1-9]/.test(cut)) return undefined;
    digits = digits.slice(0, shift) || '0';
  }
  return BigInt(`${sign}${digits}`);
}

/** Normalised scientific notation, as error texts print it: `2147483648` → `2.147483648e9`. */
function scientific(text: string): string {
  const match = NUMBER.exec(text);
  if (!match) return text;
  const [, sign, whole, fraction = '', exponentText = '0'] = match;
  const value = Number(text);
  if (value === 0) return '0.0';
  if (Math.abs(value) >= 0.1 && Math.abs(value) < 1e7) {
    return Number.isInteger(value) ? `${value}.0` : String(value);
  }
  const all = whole! + fraction;
  const lead = all.search(/[1-9]/);
  const digits = all.slice(lead).replace(/0+$/, '');
  const exponent = whole!.length - 1 - lead + Number(exponentText);
  return `${sign}${digits[0]}.${digits.slice(1) || '0'}e${exponent}`;
}

function encodeArray(element: ColumnType, value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) throw expectedKind('[]', 'Array', value);
  return arrayText(
    encodeItems(value, (item) =>
      Array.isArray(item) && hasDimensions(element)
        ? { nested: encodeArray(element, item) }
        : encodeValue(element, item),
    ),
    element,
  );
}

/** True if the type, or that of an array's items, has no lists among its values: a list is then one more dimension. */
export function hasDimensions({ element, family }: ColumnType): boolean {
  return !['json', 'jsonb', 'geometry', 'geography'].includes(element?.family ?? family);
}

/** Encodes the items of a list. The path of an error begins with the item's place. */
export function encodeItems<Text>(
  items: readonly unknown[],
  encode: (item: unknown, index: number) => Text,
): Text[] {
  return items.map((item, index) => {
    try {
      return encode(item, index);
    } catch (error) {
      throw error instanceof EngineError ? error.below(pathStep('$', index)) : error;
    }
  });
}

/** Separator of the items of an array's text; Postgres uses a comma for all other types. */
function delimiterOf({ name }: ColumnType): string {
  return name === 'box' ? ';' : ',';
}

function arrayText(items: readonly (string | null | { nested: string })[], element: ColumnType): string {
  const texts = items.map((item) => {
    if (item === null) return 'NULL';
    if (typeof item === 'object') return item.nested;
    // Digits need no quotes.
    if (NUMBER.test(item)) return item;
    return `"${item.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  });
  return `{${texts.join(delimiterOf(element))}}`;
}

/** Array literal of a flat list of texts, for `= any ($1)`. */
export function encodeList(type: ColumnType, values: readonly unknown[]): string {
  return arrayText(
    encodeItems(values, (value) =>
      type.element ? { nested: encodeArray(type.element, value) } : encodeValue(type, value),
    ),
    type.element ?? type,
  );
}

function mismatch(type: ColumnType, value: unknown): EngineError {
  if (type.family === 'unknown')
    return new EngineError('parse-failed', `A string is expected for type: ${type.name}`);
  return expectedKind(type.scalar, expected(type), value);
}

function expected(type: ColumnType): string {
  if (isNumeric(type)) return 'Number';
  return type.family === 'boolean' ? 'Boolean' : 'String';
}
