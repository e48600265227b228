/** Functions of the template language. A failure is thrown as FunctionFailure; the evaluation adds the position. */
import { isObject } from '../json/json.ts';
import { NumberText } from '../types.ts';
import { isNumber, kindOf, makeObject } from './values.ts';

export class FunctionFailure extends Error {}

type TemplateFunction = (value: unknown) => unknown;

const functions: Readonly<Record<string, TemplateFunction>> = {
  not: (value) => !expect<boolean>(value, 'Boolean'),
  empty: (value) => {
    if (typeof value === 'boolean') throw new FunctionFailure('Cannot define emptiness for a boolean');
    if (isNumber(value)) return numeric(value) === 0;
    return typeof value === 'string' ? value.trim() === '' : size(value) === 0;
  },
  size,
  head: (value) => items(value)[0],
  tail: (value) => {
    const rest = items(value).slice(1);
    return typeof value === 'string' ? rest.join('') : rest;
  },
  inverse: (value) => {
    if (typeof value === 'boolean') return !value;
    if (typeof value === 'string') return [...value].reverse().join('');
    if (Array.isArray(value)) return value.toReversed();
    if (!isNumber(value)) return value;
    if (numeric(value) === 0) throw new FunctionFailure('Division by zero');
    return 1 / numeric(value);
  },
  toLower: (value) => expect<string>(value, 'String').toLowerCase(),
  toUpper: (value) => expect<string>(value, 'String').toUpperCase(),
  toTitle: (value) =>
    expect<string>(value, 'String').replaceAll(/\p{L}(?:['’]?[\p{L}\p{M}])*/gu, (word) => {
      const [first = '', ...rest] = word;
      return first.toUpperCase() + rest.join('').toLowerCase();
    }),
  // Upper case first: it expands letters such as ß, which lower case alone keeps apart from "ss".
  toCaseFold: (value) => expect<string>(value, 'String').toUpperCase().toLowerCase(),
  escapeUri: (value) => escapeUri(expect<string>(value, 'String')),
  fromPairs: (value) => makeObject(expect<unknown[]>(value, 'Array').map(pair)),
  toPairs: (value) => Object.entries(expect<object>(value, 'Object')),
  removeNulls: (value) => expect<unknown[]>(value, 'Array').filter((item) => item !== null),
  concat: (value) => {
    const parts = expect<unknown[]>(value, 'Array');
    if (parts.every(Array.isArray)) return parts.flat();
    if (parts.every((part) => typeof part === 'string')) return parts.join('');
    if (parts.every(isObject)) return makeObject(parts.flatMap((part) => Object.entries(part)));
    throw new FunctionFailure('Expected an array of arrays, of strings or of objects');
  },
};

/** Reads a session variable; see `evaluate`. */
const SESSION_VARIABLE_FUNCTION = 'getSessionVariable';

export function isFunctionName(name: string): boolean {
  return name === SESSION_VARIABLE_FUNCTION || Object.hasOwn(functions, name);
}

/** @throws FunctionFailure */
export function callFunction(
  name: string,
  value: unknown,
  sessionVariables: Readonly<Record<string, unknown>> | undefined,
): unknown {
  if (name !== SESSION_VARIABLE_FUNCTION) return functions[name]!(value);
  const wanted = expect<string>(value, 'String').toLowerCase();
  const found = Object.entries(sessionVariables ?? {}).find(([key]) => key.toLowerCase() === wanted);
  if (found === undefined) throw new FunctionFailure(`Session variable "${wanted}" not found`);
  return found[1];
}

function expect<Value>(value: unknown, kind: string): Value {
  const found = kindOf(value);
  if (found !== kind) throw new FunctionFailure(`expected ${kind}, but encountered ${found}`);
  return value as Value;
}

function numeric(value: number | NumberText): number {
  return value instanceof NumberText ? Number(value.text) : value;
}

function size(value: unknown): unknown {
  if (value === null) return 0;
  if (typeof value === 'boolean') return Number(value);
  if (isNumber(value)) return value;
  return typeof value === 'string' ? [...value].length : Object.keys(value as object).length;
}

/** Items of an array, or characters of a string; at least one. */
function items(value: unknown): unknown[] {
  if (!Array.isArray(value) && typeof value !== 'string') {
    throw new FunctionFailure('Expected an array or string');
  }
  const found = [...value];
  if (found.length === 0) {
    throw new FunctionFailure(typeof value === 'string' ? 'Empty string' : 'Empty array');
  }
  return found;
}

function pair(value: unknown): readonly [string, unknown] {
  if (!Array.isArray(value) || value.length !== 2 || typeof value[0] !== 'string') {
    throw new FunctionFailure('Expected an array of shape [ [k1,v1], [k2,v2] ... ] - With String keys.');
  }
  return [value[0], value[1]];
}

/** Percent-encodes all but letters, digits and `-._~`. */
export function escapeUri(text: string): string {
  // A lone surrogate has no UTF-8 form; Buffer replaces it.
  return encodeURIComponent(Buffer.from(text).toString()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
