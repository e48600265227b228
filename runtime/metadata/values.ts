/**
 * Codecs of single values, and the words of their problems, which clients of the metadata API know.
 * @rule What is a literal in a permission, and what a session variable?
 */
import { parseType } from 'graphql';
import { isObject, type Json, type JsonObject } from '../core/json/json.ts';
import { MAX_SECONDS } from '../core/max-timer.ts';
import { jsonKind, NumberText } from '../core/types.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import type { Codec } from './codec.ts';

function value<Value extends Json>(
  name: string,
  /** The problem of an input; undefined if it fits. */
  complain: (input: unknown) => string | undefined,
): Codec<Value> {
  return {
    shape: { kind: 'value', name },
    read(input, reading) {
      const message = complain(input);
      return message === undefined ? (input as Value) : reading.problem(message);
    },
    write: (given) => given,
  };
}

const TYPES = {
  Text: 'String',
  Number: 'Number',
  Int: 'Number',
  Bool: 'Bool',
  '[]': 'Array',
  Object: 'Object',
};

/** `parsing Object failed, expected Object, but encountered String`. */
export function describeType(parser: keyof typeof TYPES, input: unknown): string {
  return `parsing ${parser} failed, expected ${TYPES[parser]}, but encountered ${jsonKind(input ?? null)}`;
}

function textValue(
  name: string,
  complain: (text: string) => string | undefined = () => undefined,
): Codec<string> {
  return value(name, (input) => (typeof input === 'string' ? complain(input) : describeType('Text', input)));
}

/** A text that satisfies `fits`. */
export function textLike(name: string, fits: (text: string) => boolean, describe: (text: string) => string) {
  return textValue(name, (text) => (fits(text) ? undefined : describe(text)));
}

export const text: Codec<string> = textValue('text');

/**
 * Canonical name of the session variable that a value of the metadata refers to; undefined for literals. Strings that
 * begin with `x-engine-` (by the vocabulary's word), in any case, are such references. Nothing else tells them apart, and nothing does so at run time.
 */
export function sessionVariable(value: Json, vocabulary: Vocabulary): string | undefined {
  if (typeof value !== 'string') return undefined;
  return (
    vocabulary.toCanonical(value) ?? (value.toUpperCase() === 'REQ_USER_ID' ? 'x-engine-user-id' : undefined)
  );
}

/** Whether a value of the metadata has a session variable in it. */
export function namesSession(value: Json, vocabulary: Vocabulary): boolean {
  if (isObject(value) || Array.isArray(value))
    return Object.values(value).some((each) => namesSession(each, vocabulary));
  return sessionVariable(value, vocabulary) !== undefined;
}

/** Names of sources, roles, relationships, computed fields, collections, endpoints and remote schemas. */
export const name: Codec<string> = textLike(
  'name',
  (given) => given !== '',
  () => 'empty string not allowed',
);

/** Names of actions, custom types, their fields and arguments, custom names, root fields. */
export const graphqlName: Codec<string> = textLike(
  'GraphQL name',
  (given) => /^[_A-Za-z][_0-9A-Za-z]*$/.test(given),
  (given) => `${JSON.stringify(given)} is not valid GraphQL name`,
);

/** A GraphQL type as text, such as `[String!]!`. */
export const graphqlType: Codec<string> = textLike(
  'GraphQL type',
  isGraphqlType,
  (given) => `not a valid GraphQL type: ${JSON.stringify(given)}`,
);

function isGraphqlType(type: string): boolean {
  try {
    parseType(type);
    return true;
  } catch {
    return false;
  }
}

export const boolean: Codec<boolean> = value('boolean', (input) =>
  typeof input === 'boolean' ? undefined : describeType('Bool', input),
);

/** A number, at least `minimum` and at most `maximum`. */
export function numberFrom(minimum: number, maximum?: number): Codec<number> {
  return anyNumber(rangeWords('number', minimum, maximum), (input) => outOfRange(input, minimum, maximum));
}

/** A number above 0: times in seconds that something may take. */
export const positiveNumber: Codec<number> = anyNumber('number above 0', (input) =>
  input === 0 ? 'expected a number above 0' : outOfRange(input, 0, undefined),
);

function anyNumber(words: string, complain: (input: number) => string | undefined): Codec<number> {
  return value(words, (input) => {
    if (input instanceof NumberText)
      return `parsing Number failed, ${input.text} has more digits than are kept here`;
    return typeof input === 'number' && Number.isFinite(input)
      ? complain(input)
      : describeType('Number', input);
  });
}

/** A whole number, at least `minimum` and at most `maximum`. */
export function integerFrom(minimum: number, maximum?: number): Codec<number> {
  return value(rangeWords('integer', minimum, maximum), (input) => {
    if (typeof input !== 'number' && !(input instanceof NumberText)) return describeType('Int', input);
    if (input instanceof NumberText || !Number.isSafeInteger(input)) {
      return `parsing Int failed, value is either floating or will cause over or underflow ${input}`;
    }
    return outOfRange(input, minimum, maximum);
  });
}

function rangeWords(kind: string, minimum: number, maximum: number | undefined): string {
  const from = minimum === Number.NEGATIVE_INFINITY ? kind : `${kind} from ${minimum}`;
  return maximum === undefined ? from : `${from} to ${maximum}`;
}

function outOfRange(input: number, minimum: number, maximum: number | undefined): string | undefined {
  if (maximum !== undefined && input > maximum) return `expected at most ${maximum}`;
  if (input >= minimum) return undefined;
  return minimum === 0 ? 'unexpected negative value' : `expected at least ${minimum}`;
}

export const integer: Codec<number> = integerFrom(Number.NEGATIVE_INFINITY);
export const naturalNumber: Codec<number> = integerFrom(0);

/** Whole seconds between two moments. */
export const waitSeconds: Codec<number> = integerFrom(0, MAX_SECONDS);

export function oneOf<const Value extends string>(...values: readonly Value[]): Codec<Value> {
  return {
    shape: { kind: 'enum', values },
    read: (input, reading) =>
      values.find((candidate) => candidate === input) ??
      reading.problem(
        `expected one of ${values.map((candidate) => JSON.stringify(candidate)).join(', ')}, but encountered ${JSON.stringify(input)}`,
      ),
    write: (given) => given,
  };
}

/** Any JSON but an absent key. */
export const json: Codec<Json> = value('any JSON', () => undefined);

/** An object kept as it is given, every key of it, `__proto__` included. */
export const jsonObject: Codec<JsonObject> = value('JSON object', (input) =>
  isObject(input) ? undefined : describeType('Object', input),
);
