/**
 * The column types of the random schemas, and what they mean in plain TypeScript: how values compare, what operators
 * answer, how they are written. Nothing here knows how the engine does it.
 */
import type { Json } from '../../../runtime/metadata/metadata.ts';
import type { Random } from '../random.ts';

/**
 * A value in a table. Numbers that JavaScript cannot hold exactly (int8, numeric) and everything with a text form are
 * strings in Postgres' own notation; arrays hold values and null; jsonb holds JSON.
 */
export type Value = Json;

export interface FuzzType {
  readonly name: TypeName;
  /** SQL of the column's declaration. */
  readonly sql: string;
  /** GraphQL scalar; of the element for arrays. */
  readonly scalar: string;
  readonly element?: TypeName;
  readonly random: (random: Random) => Value;
  /** Order of two values, also equality. Absent: the type is compared by `_eq` only. */
  readonly compare?: (left: Value, right: Value) => number;
  /** Whether values are JSON numbers. */
  readonly number?: 'integer' | 'decimal' | 'float';
  /** sum, avg … */
  readonly aggregates?: boolean;
  /** min and max exist and equal values print alike. */
  readonly extremes?: boolean;
  /** Operators besides those of every type. */
  readonly operators: 'ordered' | 'text' | 'array' | 'jsonb';
  /** Text operators ignore case. */
  readonly ignoresCase?: boolean;
}

export const TYPE_NAMES = [
  'int2',
  'int4',
  'int8',
  'numeric',
  'float4',
  'float8',
  'bool',
  'text',
  'varchar',
  'citext',
  'uuid',
  'date',
  'time',
  'timestamp',
  'timestamptz',
  'mood',
  'small',
  'int4[]',
  'text[]',
  'jsonb',
  'near',
  'wide',
  'padded',
  'char',
  'loose',
  'needed',
] as const;

export type TypeName = (typeof TYPE_NAMES)[number];

const MOODS = ['sad', 'ok', 'happy'];
// Braces, quotes and backslashes are there for whoever writes values into rule texts.
const TEXTS = ['', 'a', 'A', 'b', 'ab', 'aB', 'x%y', 'a_b', "o'k", 'a\\b', '{row}', '{{', '"q"', 'null'];
const uuid = (digit: number) => `${String(digit).repeat(8)}-0000-4000-8000-000000000000`;

const numbers = (left: Value, right: Value) => Number(left) - Number(right);
const texts = (left: Value, right: Value) => order(String(left), String(right));
const withoutCase = (left: Value, right: Value) =>
  order(String(left).toLowerCase(), String(right).toLowerCase());

function order<Item extends string | number | bigint>(left: Item, right: Item): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function dates(random: Random): string {
  return `20${random.between(19, 21)}-0${random.between(1, 3)}-1${random.between(0, 2)}`;
}

function times(random: Random): string {
  return `0${random.between(1, 3)}:${random.between(1, 3)}0:00${random.chance(0.3) ? '.5' : ''}`;
}

const text = (name: TypeName, sql: string, scalar: string): FuzzType => ({
  name,
  sql,
  scalar,
  random: (random) => random.pick(TEXTS),
  compare: texts,
  extremes: true,
  operators: 'text',
});

const float = (name: TypeName, sql: string, scalar: string): FuzzType => ({
  name,
  sql,
  scalar,
  // Halves and quarters: sums are exact whatever the order.
  random: (random) => random.between(-8, 8) / 4,
  compare: numbers,
  number: 'float',
  aggregates: true,
  extremes: true,
  operators: 'ordered',
});

const integer = (name: TypeName, sql: string, scalar: string, random: FuzzType['random']): FuzzType => ({
  name,
  sql,
  scalar,
  random,
  compare: (left, right) => order(BigInt(left as string), BigInt(right as string)),
  number: 'integer',
  aggregates: true,
  extremes: true,
  operators: 'ordered',
});

const plain = (name: TypeName, sql: string, random: FuzzType['random'], extremes: boolean): FuzzType => ({
  name,
  sql,
  scalar: name,
  random,
  compare: texts,
  extremes,
  operators: 'ordered',
});

const array = (name: TypeName, sql: string, scalar: string, element: TypeName): FuzzType => ({
  name,
  sql,
  scalar,
  element,
  random: (random) =>
    random.list(random.between(0, 3), () =>
      random.chance(0.15) ? null : element === 'int4' ? random.between(0, 3) : random.pick(TEXTS),
    ),
  compare: (left, right) =>
    compareArrays(TYPES[element], left as readonly Value[], right as readonly Value[]),
  operators: 'array',
});

export const TYPES: Readonly<Record<TypeName, FuzzType>> = {
  int2: integer('int2', 'smallint', 'smallint', (random) => random.between(-3, 5)),
  int4: integer('int4', 'integer', 'Int', (random) => random.between(-2, 6)),
  int8: integer('int8', 'bigint', 'bigint', (random) =>
    random.pick(['1', '2', '3', '9007199254740992', '9007199254740993', '-9007199254740995']),
  ),
  numeric: {
    name: 'numeric',
    sql: 'numeric',
    scalar: 'numeric',
    random: (random) => random.pick(['0', '1', '1.0', '1.50', '-2.25', '100', '12345678901234567890.12']),
    compare: (left, right) => {
      const [one, other] = sameScale(String(left), String(right));
      return order(one, other);
    },
    number: 'decimal',
    aggregates: true,
    operators: 'ordered',
  },
  float4: float('float4', 'real', 'Float'),
  float8: float('float8', 'double precision', 'float8'),
  bool: {
    name: 'bool',
    sql: 'boolean',
    scalar: 'Boolean',
    random: (random) => random.chance(0.5),
    compare: (left, right) => Number(left) - Number(right),
    operators: 'ordered',
  },
  text: text('text', 'text', 'String'),
  varchar: text('varchar', 'character varying(20)', 'String'),
  citext: {
    ...text('citext', 'citext', 'citext'),
    compare: withoutCase,
    extremes: false,
    ignoresCase: true,
  },
  uuid: plain('uuid', 'uuid', (random) => uuid(random.between(1, 4)), false),
  date: plain('date', 'date', dates, true),
  time: plain('time', 'time', times, true),
  timestamp: plain('timestamp', 'timestamp', (random) => `${dates(random)}T${times(random)}`, true),
  timestamptz: plain(
    'timestamptz',
    'timestamptz',
    (random) => `${dates(random)}T${times(random)}+00:00`,
    true,
  ),
  mood: {
    name: 'mood',
    sql: 'mood',
    scalar: 'mood',
    random: (random) => random.pick(MOODS),
    compare: (left, right) => MOODS.indexOf(String(left)) - MOODS.indexOf(String(right)),
    operators: 'ordered',
  },
  small: {
    ...integer('small', 'small', 'Int', (random) => random.between(0, 4)),
  },
  'int4[]': array('int4[]', 'integer[]', 'Int', 'int4'),
  'text[]': array('text[]', 'text[]', 'String', 'text'),
  jsonb: {
    name: 'jsonb',
    sql: 'jsonb',
    scalar: 'jsonb',
    random: randomJson,
    operators: 'jsonb',
  },
  // Several values of one of these types equal one value of another: what is a key among them is none for the other.
  near: {
    name: 'near',
    sql: 'numeric',
    scalar: 'numeric',
    random: (random) => random.pick(NEAR),
    compare: (left, right) => order(...sameScale(String(left), String(right))),
    number: 'decimal',
    operators: 'ordered',
  },
  wide: {
    name: 'wide',
    sql: 'double precision',
    scalar: 'float8',
    random: (random) => random.pick([0.1, 0.1, 1, 9007199254740992, 9007199254740992]),
    compare: numbers,
    number: 'float',
    operators: 'ordered',
  },
  padded: {
    ...text('padded', 'character varying(20)', 'String'),
    random: (random) => random.pick(['a', 'a ', 'a  ', 'b', 'b ', '']),
  },
  char: {
    ...text('char', 'character(4)', 'bpchar'),
    random: (random) => random.pick(['a   ', 'a   ', 'b   ', '    ']),
    operators: 'ordered',
  },
  loose: {
    ...text('loose', 'text collate loose', 'String'),
    random: (random) => random.pick(['a', 'A', 'ab', 'aB']),
    compare: withoutCase,
    extremes: false,
    operators: 'ordered',
  },
  needed: integer('needed', 'needed', 'Int', (random) => random.between(0, 4)),
};

/** Types, enum and domain that the tables need, before the tables. */
export const TYPE_DECLARATIONS = `
create type mood as enum ('sad', 'ok', 'happy');
create domain small as integer check (value < 1000);
create domain needed as integer not null;
create collation loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);`;

const NEAR = [
  ...['0.1', '0.1000000000000000055511151231257827', '0.10000000000000000555'],
  ...['1', '1.00', '9007199254740992', '9007199254740993'],
];

/**
 * The types of which one value can equal several values of a key of a type. A collation that ignores case is not among them:
 * PostgreSQL itself takes a unique index for unique in every collation when it plans a join.
 */
export const MERGING: Readonly<Partial<Record<TypeName, readonly TypeName[]>>> = {
  int8: ['wide', 'wide', 'float4'],
  near: ['wide', 'wide', 'float8', 'float4'],
  padded: ['char', 'char'],
};

/** The types of which one value can equal one value of a key of a type, besides that type itself. */
const MATCHING: Readonly<Partial<Record<TypeName, readonly TypeName[]>>> = {
  int4: ['int2', 'int8', 'numeric', 'float8', 'near'],
  int8: ['near', 'int4'],
  near: ['int8'],
  wide: ['near', 'int8', 'float4'],
  text: ['char', 'padded', 'varchar'],
  padded: ['text'],
  char: ['padded', 'text'],
};

/** The types of columns that are joined to a key of a type. */
export function joinedTo(key: TypeName): readonly TypeName[] {
  return [key, ...(MATCHING[key] ?? []), ...(MERGING[key] ?? [])];
}

const TEXT_KINDS: readonly TypeName[] = ['text', 'varchar', 'padded', 'char'];

/** Whether Postgres takes values of both types for one kind of thing, and compares them by one operator. */
export function haveOneEquality(left: TypeName, right: TypeName): boolean {
  return TYPES[left].sql === TYPES[right].sql;
}

/** Equality of values of two columns that a relationship joins, neither of which is null. */
export function equalAcross(left: TypeName, right: TypeName, one: Value, other: Value): boolean {
  if (left === right) return equal(TYPES[left], one, other);
  const types = [left, right].map((name) => TYPES[name]);
  if (types.every(({ number }) => number)) {
    if (types.some(({ number }) => number === 'float')) return Number(one) === Number(other);
    const [first, second] = sameScale(String(one), String(other));
    return first === second;
  }
  if (!TEXT_KINDS.includes(left) || !TEXT_KINDS.includes(right))
    throw new Error(`no equality of ${left} and ${right}`);
  // Blanks at the end of char are no part of its value; those of varchar are none either where it meets char.
  const isChar = left === 'char' || right === 'char';
  const stripped = [one, other].map((value, index) => {
    const name = [left, right][index]!;
    const isPadded = name === 'char' || (isChar && (name === 'padded' || name === 'varchar'));
    return isPadded ? String(value).trimEnd() : String(value);
  });
  return stripped[0] === stripped[1];
}

function randomJson(random: Random): Json {
  const leaf = (): Json => random.pick<Json>([null, true, 1, 2.5, 'a', 'b']);
  switch (random.below(5)) {
    case 0:
      return leaf();
    case 1:
      return random.list(random.between(0, 3), leaf);
    case 2:
      return { a: leaf(), c: { a: leaf() } };
    default:
      return Object.fromEntries(random.some(['a', 'b', 'c'], 0.5).map((key) => [key, leaf()]));
  }
}

/** Unscaled integers of two decimals, at one scale. */
function sameScale(left: string, right: string): [bigint, bigint] {
  const scale = Math.max(scaleOf(left), scaleOf(right));
  return [unscaled(left, scale), unscaled(right, scale)];
}

function scaleOf(decimal: string): number {
  return decimal.split('.')[1]?.length ?? 0;
}

function unscaled(decimal: string, scale: number): bigint {
  const [whole = '', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(scale, '0'));
}

/** The sum of decimals as Postgres prints it: with the longest fraction that occurs. */
export function addDecimals(values: readonly string[]): string {
  const scale = Math.max(...values.map(scaleOf));
  const sum = values.reduce((total, value) => total + unscaled(value, scale), 0n);
  const digits = (sum < 0n ? -sum : sum).toString().padStart(scale + 1, '0');
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  return sum < 0n ? `-${text}` : text;
}

/**
 * Mean and sum of squared deviations. Decimals are computed exactly: a sum that cancels out would leave nothing of a
 * double's digits.
 */
export function moments(values: readonly Value[]): { readonly mean: number; readonly squares: number } {
  const scale = Math.max(...values.map((value) => scaleOf(String(value))));
  const exact = values.map((value) => unscaled(String(value), scale));
  const count = BigInt(values.length);
  const total = exact.reduce((sum, value) => sum + value, 0n);
  const squares = exact.reduce((sum, value) => sum + value * value, 0n) * count - total * total;
  return {
    mean: quotient(total, count * 10n ** BigInt(scale)),
    squares: quotient(squares, count * 10n ** BigInt(2 * scale)),
  };
}

function quotient(dividend: bigint, divisor: bigint): number {
  const whole = dividend / divisor;
  return Number(whole) + Number(dividend - whole * divisor) / Number(divisor);
}

/** Postgres' order of arrays: item by item, null last, then the shorter first. */
function compareArrays(element: FuzzType, left: readonly Value[], right: readonly Value[]): number {
  for (let index = 0; index < Math.min(left.length, right.length); index += 1) {
    const [one, other] = [left[index]!, right[index]!];
    const result =
      one === null || other === null
        ? Number(one === null) - Number(other === null)
        : element.compare!(one, other);
    if (result !== 0) return result;
  }
  return left.length - right.length;
}

/** Equality of the type, of values that are not null. */
export function equal(type: FuzzType, left: Value, right: Value): boolean {
  return type.compare ? type.compare(left, right) === 0 : equalJson(left, right);
}

export function equalJson(left: Json, right: Json): boolean {
  return JSON.stringify(sortedKeys(left)) === JSON.stringify(sortedKeys(right));
}

function sortedKeys(json: Json): Json {
  if (Array.isArray(json)) return (json as readonly Json[]).map(sortedKeys);
  if (!isObject(json)) return json;
  return Object.fromEntries(
    Object.entries(json)
      .sort(([left], [right]) => order(left, right))
      .map(([key, value]) => [key, sortedKeys(value)]),
  );
}

export function isObject(json: Json): json is { readonly [key: string]: Json } {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** jsonb `@>`. */
function jsonContains(left: Json, right: Json): boolean {
  if (Array.isArray(left)) {
    const items = left as readonly Json[];
    // A list contains a scalar that is among its items; nested lists and objects are compared as wholes.
    const wanted: readonly Json[] = Array.isArray(right) ? right : isObject(right) ? [] : [right];
    if (isObject(right)) return false;
    return wanted.every((want) =>
      items.some((item) =>
        typeof want === 'object' && want !== null
          ? typeof item === 'object' &&
            item !== null &&
            Array.isArray(item) === Array.isArray(want) &&
            jsonContains(item, want)
          : item === want,
      ),
    );
  }
  if (isObject(left)) {
    if (!isObject(right)) return false;
    return Object.entries(right).every(
      ([key, value]) => Object.hasOwn(left, key) && jsonContainsValue(left[key]!, value),
    );
  }
  return !Array.isArray(right) && left === right;
}

/** Inside an object a list never contains a bare scalar. */
function jsonContainsValue(left: Json, right: Json): boolean {
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  return jsonContains(left, right);
}

function hasKey(left: Json, key: string): boolean {
  if (Array.isArray(left)) return (left as readonly Json[]).includes(key);
  return isObject(left) ? Object.hasOwn(left, key) : left === key;
}

/** Operators of a type that have a right side of the type itself, a list, or text; without `_is_null` and `_cast`. */
export function operatorsOf(type: FuzzType): readonly string[] {
  const every = ['_eq', '_neq', ...(type.element ? [] : ['_in', '_nin'])];
  const ordered = ['_gt', '_lt', '_gte', '_lte'];
  switch (type.operators) {
    case 'ordered':
      return [...every, ...ordered];
    case 'text':
      return [...every, ...ordered, ...Object.keys(TEXT_OPERATORS)];
    case 'array':
      return [...every, ...ordered, '_contains', '_contained_in'];
    case 'jsonb':
      return [...every, '_contains', '_contained_in', '_has_key', '_has_keys_any', '_has_keys_all'];
  }
}

const TEXT_OPERATORS: Readonly<
  Record<
    string,
    { readonly pattern: 'like' | 'similar' | 'regex'; readonly ignoresCase?: true; readonly negated?: true }
  >
> = {
  _like: { pattern: 'like' },
  _nlike: { pattern: 'like', negated: true },
  _ilike: { pattern: 'like', ignoresCase: true },
  _nilike: { pattern: 'like', ignoresCase: true, negated: true },
  _similar: { pattern: 'similar' },
  _nsimilar: { pattern: 'similar', negated: true },
  _regex: { pattern: 'regex' },
  _iregex: { pattern: 'regex', ignoresCase: true },
  _nregex: { pattern: 'regex', negated: true },
  _niregex: { pattern: 'regex', ignoresCase: true, negated: true },
};

const PATTERNS = {
  like: ['a%', '%b', '_', '%', 'A_', 'x\\%y', 'a\\\\b', 'ab'],
  similar: ['a%', '(a|b)%', '_b', '%(x|y)%', 'A'],
  regex: ['^a', 'b$', 'a|x', '[ab]+', '^$', '.', '^A'],
};

/** What kind of right side an operator takes, and a random one. */
export function randomOperand(random: Random, type: FuzzType, operator: string): Value {
  const pattern = TEXT_OPERATORS[operator]?.pattern;
  if (pattern) return random.pick(PATTERNS[pattern]);
  switch (operator) {
    case '_in':
    case '_nin':
      return random.list(random.between(0, 3), () => operandValue(random, type));
    case '_has_key':
      return random.pick(['a', 'b', 'z']);
    case '_has_keys_any':
    case '_has_keys_all':
      return random.some(['a', 'b', 'z'], 0.5);
    default:
      return operandValue(random, type);
  }
}

/** A jsonb null as an operand means a missing value, so operands have none at the top. */
function operandValue(random: Random, type: FuzzType): Value {
  const value = type.random(random);
  return value === null ? operandValue(random, type) : value;
}

/** The type of an operator's right side. */
export function operandType(
  type: FuzzType,
  operator: string,
): { readonly name: TypeName; readonly list: boolean } {
  switch (operator) {
    case '_in':
    case '_nin':
      return { name: type.name, list: true };
    case '_has_key':
      return { name: 'text', list: false };
    case '_has_keys_any':
    case '_has_keys_all':
      return { name: 'text', list: true };
    default:
      return { name: type.name, list: false };
  }
}

/** SQL's answer of `left operator right`; null is unknown. */
export function applyOperator(type: FuzzType, operator: string, left: Value, right: Value): boolean | null {
  if (operator === '_in' || operator === '_nin') {
    const list = right as readonly Value[];
    if (list.length === 0) return operator === '_nin';
    if (left === null) return null;
    const found = list.some((item) => equal(type, left, item));
    return found === (operator === '_in');
  }
  if (left === null || right === null) return null;
  const pattern = TEXT_OPERATORS[operator];
  if (pattern) {
    const ignoresCase = type.ignoresCase ?? pattern.ignoresCase ?? false;
    const matches = PATTERN_MATCHERS[pattern.pattern](String(right), ignoresCase).test(String(left));
    return matches !== (pattern.negated ?? false);
  }
  switch (operator) {
    case '_eq':
      return equal(type, left, right);
    case '_neq':
      return !equal(type, left, right);
    case '_gt':
      return type.compare!(left, right) > 0;
    case '_lt':
      return type.compare!(left, right) < 0;
    case '_gte':
      return type.compare!(left, right) >= 0;
    case '_lte':
      return type.compare!(left, right) <= 0;
    case '_contains':
      return contains(type, left, right);
    case '_contained_in':
      return contains(type, right, left);
    case '_has_key':
      return hasKey(left, String(right));
    case '_has_keys_any':
      return (right as readonly string[]).some((key) => hasKey(left, key));
    case '_has_keys_all':
      return (right as readonly string[]).every((key) => hasKey(left, key));
    default:
      throw new Error(`no meaning for ${operator}`);
  }
}

function contains(type: FuzzType, left: Value, right: Value): boolean {
  if (!type.element) return jsonContains(left, right);
  const element = TYPES[type.element];
  // A null among the wanted items is never found.
  return (right as readonly Value[]).every(
    (want) =>
      want !== null && (left as readonly Value[]).some((item) => item !== null && equal(element, item, want)),
  );
}

const PATTERN_MATCHERS = {
  like: (pattern: string, ignoresCase: boolean) => {
    let source = '';
    for (let index = 0; index < pattern.length; index += 1) {
      const character = pattern[index]!;
      if (character === '\\') {
        index += 1;
        source += escapeRegex(pattern[index]!);
      } else source += character === '%' ? '.*' : character === '_' ? '.' : escapeRegex(character);
    }
    return new RegExp(`^${source}$`, ignoresCase ? 'is' : 's');
  },
  similar: (pattern: string, ignoresCase: boolean) =>
    new RegExp(`^(?:${pattern.replaceAll('%', '.*').replaceAll('_', '.')})$`, ignoresCase ? 'is' : 's'),
  regex: (pattern: string, ignoresCase: boolean) => new RegExp(pattern, ignoresCase ? 'is' : 's'),
};

function escapeRegex(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|]/, '\\$&');
}

/** A value as Postgres reads it from text: for SQL literals and session variables. */
export function postgresText(type: FuzzType, value: Value): string {
  if (type.name === 'jsonb') return JSON.stringify(value);
  if (type.element)
    return arrayText((value as readonly Value[]).map((item) => (item === null ? null : String(item))));
  return String(value);
}

/** `{"a",NULL}` */
export function arrayText(items: readonly (string | null)[]): string {
  const quoted = items.map((item) =>
    item === null ? 'NULL' : `"${item.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`,
  );
  return `{${quoted.join(',')}}`;
}

/** SQL of a value of a column. */
export function sqlLiteral(type: FuzzType, value: Value, sqlNull: boolean): string {
  if (sqlNull) return 'null';
  return `'${postgresText(type, value).replaceAll("'", "''")}'::${type.sql}`;
}
