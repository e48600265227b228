/** Values of templates are JSON; numbers that would lose digits are NumberText. */
import { jsonKind, jsonText, NumberText } from '../types.ts';

export function isNumber(value: unknown): value is number | NumberText {
  return typeof value === 'number' || value instanceof NumberText;
}

/** The type in messages: `Object`, `Array`, `String`, `Number`, `Boolean`, `Null`. */
export function kindOf(value: unknown): string {
  return value instanceof NumberText ? 'Number' : jsonKind(value);
}

/** The text that a value has inside a string; undefined for arrays and objects. */
export function interpolated(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (value === null || typeof value === 'boolean' || isNumber(value)) return jsonText(value);
  return undefined;
}

export function ownField(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** An object of exactly these fields; `__proto__` is a field like any other. */
export function makeObject(entries: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  return Object.fromEntries(entries);
}

/** Kinds in their order, for comparisons of values of different kinds. */
const RANKS = ['Object', 'Array', 'String', 'Number', 'Boolean', 'Null'];

/**
 * Total order of JSON values: negative, zero or positive. Different kinds are ordered by kind; strings by code points,
 * arrays item by item, objects as sorted lists of their fields.
 */
export function compareValues(left: unknown, right: unknown): number {
  const kind = kindOf(left);
  const other = kindOf(right);
  if (kind !== other) return RANKS.indexOf(kind) - RANKS.indexOf(other);
  switch (kind) {
    case 'Object':
      return compareLists(sortedFields(left as object), sortedFields(right as object));
    case 'Array':
      return compareLists(left as unknown[], right as unknown[]);
    case 'String':
      return compareTexts(left as string, right as string);
    case 'Number':
      return compareNumbers(left as number | NumberText, right as number | NumberText);
    default:
      return Number(left) - Number(right);
  }
}

function sortedFields(object: object): unknown[][] {
  return Object.entries(object).sort(([left], [right]) => compareTexts(left, right));
}

function compareLists(left: readonly unknown[], right: readonly unknown[]): number {
  for (const [index, item] of left.entries()) {
    if (index >= right.length) return 1;
    const order = compareValues(item, right[index]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function compareTexts(left: string, right: string): number {
  return left === right ? 0 : Buffer.compare(Buffer.from(left), Buffer.from(right));
}

function compareNumbers(left: number | NumberText, right: number | NumberText): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  const texts = [left, right].map((number) => (number instanceof NumberText ? number.text : String(number)));
  const [first, second] = texts.map(Number);
  // Number() keeps the order of numbers that it tells apart; the others need all their digits.
  if (first !== second) return first! - second!;
  const [exact, otherExact] = texts.map(decimal);
  if (exact === undefined || otherExact === undefined) return 0;
  const exponent = Math.min(exact.exponent, otherExact.exponent);
  const scaled = [exact, otherExact].map((n) => n.digits * 10n ** BigInt(n.exponent - exponent));
  return scaled[0]! < scaled[1]! ? -1 : Number(scaled[0]! > scaled[1]!);
}

/** `-1.50e3` → -150 and 1; undefined for exponents that no database sends. */
function decimal(text: string): { digits: bigint; exponent: number } | undefined {
  const match = /^(-?\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (match === null) return undefined;
  const [, whole, fraction = '', power = '0'] = match;
  const exponent = Number(power) - fraction.length;
  return Math.abs(exponent) > 1000 ? undefined : { digits: BigInt(whole! + fraction), exponent };
}
